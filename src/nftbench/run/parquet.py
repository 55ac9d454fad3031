"""Rows as a Parquet file. The only importer of pyarrow: it is loaded when a file is asked for (extra `parquet`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow
from pyarrow import parquet


def write_rows(rows: Sequence[dict[str, Any]], file: Path) -> None:
    """Write the rows, which have the same columns."""
    parquet.write_table(pyarrow.Table.from_pylist(list(rows)), file)
