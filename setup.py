"""Adds to pyproject.toml the optional C extension, which setuptools can't describe there yet. With TABLEKEEPER_PURE=1
it is left out, for a package that is built for another machine."""

from __future__ import annotations

import os

from setuptools import setup

if os.environ.get("TABLEKEEPER_PURE") == "1":
    setup()
else:
    setup(
        cffi_modules=["scripts/native_extension.py:ffi"],
        options={"bdist_wheel": {"py_limited_api": "cp311"}},
    )
