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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whole games come first: begun last, one of them would be all that is left to do for a minute."""
    items.sort(key=lambda item: "test_whole_" not in item.nodeid)
