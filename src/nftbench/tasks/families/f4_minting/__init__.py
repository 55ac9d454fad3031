"""F4: minting."""
