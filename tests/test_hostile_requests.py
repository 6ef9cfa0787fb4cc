"""A short version of `python -m tests.hostile_requests`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hostile_requests import attack
from tests.repetitions import repetitions
from tests.running_service import RunningService


@pytest.mark.slow
def test_no_request_breaks_the_service(tmp_path: Path) -> None:
    """Random requests get no answer of 500 or above, leave no traceback, and are answered or refused in time."""
    with RunningService(tmp_path) as service:
        found = attack(service, count := repetitions(300, 60), seed=2)
    assert found[0] < count / 3, "most are answered"
    assert len(found) > 5
