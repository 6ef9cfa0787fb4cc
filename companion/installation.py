"""How Tablekeeper was installed. On a table installed with install.sh or as a Debian package, the service may write to
one folder only (appliance/)."""

from __future__ import annotations

import sys
from pathlib import Path

ENVIRONMENTS = Path("/opt/tablekeeper.d")
"""The folder with the Python environments of an installed table."""
DATA = Path("/var/lib/tablekeeper")
"""The folder with the games of an installed table."""


def is_installed_table() -> bool:
    """Whether this program belongs to an installed table."""
    return Path(sys.prefix).is_relative_to(ENVIRONMENTS)
