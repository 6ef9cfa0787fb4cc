"""The version of Tablekeeper."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version


@cache  # looking it up takes a third of a millisecond
def product_version() -> str:
    """The version of Tablekeeper; "0" if it is not installed as a package."""
    try:
        return version("tablekeeper")
    except PackageNotFoundError:
        return "0"
