"""The version of Tablekeeper."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def product_version() -> str:
    """The version of Tablekeeper; "0" if it is not installed as a package."""
    try:
        return version("tablekeeper")
    except PackageNotFoundError:
        return "0"
