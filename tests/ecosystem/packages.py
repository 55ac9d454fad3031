"""The adapters: each a folder here and in `adapters/`, behind the extra of its name."""

ADAPTERS = {"inspect": "inspect_ai", "openenv": "openenv"}
"""The package that each is for."""
