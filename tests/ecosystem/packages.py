"""The adapters: each a folder here and in `adapters/`, behind the extra of its name."""

ADAPTERS = {"inspect": "inspect_ai", "openenv": "openenv", "ray": "ray"}
"""The package that each is for."""
EXAMPLES = {"training": "skyrl_gym"}
"""Folders here that are of an example in the documentation, and a package that each needs; the others stand in its
requirements.txt."""
