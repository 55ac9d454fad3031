"""F6: royalties and transfer policy."""
