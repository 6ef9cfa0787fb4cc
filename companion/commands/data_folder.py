"""The folder with the journal, and the argument that names it."""

from __future__ import annotations

import argparse
import os
from pathlib import Path


def data_folder() -> Path:
    """The default folder of the journal."""
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(home) / "tablekeeper"


def add_data(parser: argparse.ArgumentParser) -> None:
    """Adds the argument --data: the folder of the journal."""
    parser.add_argument("--data", type=Path, metavar="DIR", help=f"the folder of the journal ({data_folder()})")
