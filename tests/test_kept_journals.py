"""Journals that earlier versions of Tablekeeper have written still replay to the same positions.

`tests/kept_journals/` has some journals, each named after the day of the code that wrote it. They have games of all
titles, with undone moves.
"""

from __future__ import annotations

import gzip
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest

from companion.__main__ import main
from companion.match.journal import Journal
from companion.table.table import Table
from tests.systems_failing_tables import SEED, act, seen

FOLDER = Path(__file__).parent / "kept_journals"
REPLAYS = {
    "2026-11-22": (
        "6b881378c6dab945a8b8aaba2f8389d8b4b8400c0eb57e7e201a87355e1c3bd3",
        "434201b00dd2dfd29fb2ba768497a55b391c28c5a0d2c55726742690d8a61cc3",
        "88c29afea529907f944070fd38fd74eb9c78be206ce34b084f2b7be315f5c7bd",
        "4ae965b23d67b0efac52395ac8702a0f4e7a7aee9c6152d092846053b281fae7",
        "14eaf4d8427f00adecd7a73e1733778a2043fe29b4483e08b24453635504cfa4",
    )
}
"""The SHA-256 of what `tablekeeper replay` printed for each game of a journal, with the code that wrote the journal."""


@pytest.fixture(params=sorted(REPLAYS))
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The day of a kept journal. The test's folder contains a copy of the journal."""
    day = str(request.param)
    (tmp_path / "journal.sqlite3").write_bytes(gzip.decompress((FOLDER / f"{day}.sqlite3.gz").read_bytes()))
    return day


def test_every_kept_journal_is_tested() -> None:
    assert {path.name.partition(".")[0] for path in FOLDER.iterdir()} == {*REPLAYS}


def test_old_games_replay_to_the_same_bytes(kept: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`tablekeeper replay` prints the same bytes as the code that wrote the journal, before and after the journal is
    brought up to date."""
    for is_updated in (False, True):
        if is_updated:
            Journal(tmp_path / "journal.sqlite3").close()
        for number, digest in enumerate(REPLAYS[kept], 1):
            assert main(["replay", str(number), "--data", str(tmp_path)]) == 0
            assert sha256(capsys.readouterr().out.encode()).hexdigest() == digest


def test_an_old_journal_can_be_continued(kept: str, tmp_path: Path) -> None:
    """The next game gets the next number. Its moves are kept, and the old games are still sound."""
    table = Table(Journal(tmp_path / "journal.sqlite3"))
    table.start("systems-failing", None, {}, {}, (), SEED)
    act(table, Random(0))
    again = seen(Table(Journal(tmp_path / "journal.sqlite3")))
    assert (again.id, again.version) == (len(REPLAYS[kept]) + 1, seen(table).version)
    for number, _ in enumerate(REPLAYS[kept], 1):
        assert main(["verify", str(number), "--data", str(tmp_path)]) == 0
