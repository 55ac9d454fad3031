"""MkDocs calls this while it builds: it adds the pages that are made from the code."""

from __future__ import annotations

import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parent))

from pages import pages


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add every generated page to those that lie under docs/."""
    for path, text in pages().items():
        files.append(File.generated(config, path, content=text))
    return files
