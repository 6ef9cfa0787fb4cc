"""What every module of tests may ask for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser import chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A headless browser for one module; where there is none, what asks for it is skipped, aloud."""
    with chromium() as running:
        yield running
