"""The short version of `make venue-run`: simulated tables, a real Mosquitto, and a venue in a process of its own."""

from __future__ import annotations

import urllib.request
from html import unescape
from pathlib import Path

import pytest

from companion.commands.write_broker_accounts import SLIPS
from tests import venue_run
from tests.mosquitto import MISSING, MOSQUITTO
from tests.running_service import HttpPhone, RunningService, until
from tests.venue_processes import ClubBroker, VenueProcess
from tests.venue_run import run


@pytest.mark.slow
@pytest.mark.skipif(MOSQUITTO is None, reason=MISSING)
def test_every_result_survives_restarts_of_broker_and_venue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The broker is stopped once and killed once, and the venue is killed, while games end. Each result is still stored
    exactly once, and every move appears on the wall."""
    monkeypatch.setattr(venue_run, "MOVE_EVERY_S", 0.6)
    monkeypatch.setattr(venue_run, "GAME_MOVES", 2)
    report = run(tmp_path, count=6, seconds=2, restarts=2, walls=2)
    assert report.problems == []
    assert report.moves == len(report.delays_ms) > 5
    assert (report.broker_restarts, report.venue_restarts) == (2, 1)
    assert report.finished == report.stored >= 8


@pytest.mark.slow
@pytest.mark.skipif(MOSQUITTO is None, reason=MISSING)
def test_a_real_table_with_its_slip_appears_on_the_wall(tmp_path: Path) -> None:
    """A real table appears on the wall with only the lines of its slip as settings. It fetches the certificate from the
    venue."""
    with ClubBroker(tmp_path, 1) as broker, VenueProcess(broker, tmp_path / "venue") as venue:
        (tmp_path / "ca.pem").write_bytes(fetch(f"{venue.address}/ca.pem"))
        slip = unescape((broker.files / SLIPS).read_text())
        settings = slip.split("<pre>[mqtt]")[1].split("</pre>")[0].replace("ca.pem", str(tmp_path / "ca.pem"))
        (config := tmp_path / "table.toml").write_text(f"[mqtt]{settings}\n")
        with RunningService(tmp_path / "table", "--config", str(config)) as table:
            until(lambda: b"No game is running" in fetch(venue.address), "the table on the wall")
            host = HttpPhone(table.address)
            host.get(table.host_link.removeprefix(table.address))
            host.post("/api/start", {"game": "systems-failing", "players": ["Ann", "Ben"]})
            until(lambda: b"Systems Failing" in fetch(venue.address), "the game on the wall")
            assert b"Ann" in fetch(venue.address)
        until(lambda: b"offline" in fetch(venue.address), "that the table has left")


def fetch(url: str) -> bytes:
    """The text at a URL."""
    with urllib.request.urlopen(url, timeout=10) as answer:
        found: bytes = answer.read()
    return found
