"""F5: metadata."""
