"""F2: holdings and provenance."""
