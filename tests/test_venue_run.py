"""The short version of `make venue-run`: real tables' topics, a real Mosquitto, a venue in a process of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import venue_run
from tests.mosquitto import MISSING, MOSQUITTO
from tests.venue_run import run


@pytest.mark.slow
@pytest.mark.skipif(MOSQUITTO is None, reason=MISSING)
def test_every_result_survives_restarts_of_broker_and_venue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The broker is stopped once and killed once, and the venue is killed, while games end. Each result is stored
    exactly once, and every move is seen on the wall."""
    monkeypatch.setattr(venue_run, "MOVE_EVERY_S", 0.6)
    monkeypatch.setattr(venue_run, "GAME_MOVES", 2)
    report = run(tmp_path, count=6, seconds=2, restarts=2, walls=2)
    assert report.problems == []
    assert report.moves == len(report.delays_ms) > 5
    assert (report.broker_restarts, report.venue_restarts) == (2, 1)
    assert report.finished == report.stored >= 8
