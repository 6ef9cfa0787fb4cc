"""What-ifs: games that continue from an act of an earlier game, and do not count in statistics."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from companion.__main__ import main
from companion.games import GAMES
from companion.games.rules import HouseMove
from companion.match.fair_shuffle import FairShuffle, commitment_to
from companion.match.game_import_export import export_lines, import_lines
from companion.match.history import fold
from companion.match.journal import Journal
from companion.match.replay import Replay
from companion.match.shuffle_verification import companion_draws, wrong_draw
from companion.match.stored_game import StoredGame
from companion.table.table import Table
from companion.text.refusal_errors import IllegalMove, SetupError
from tests.systems_failing_tables import SEED, act_some, play_to_the_end
from tests.web_table import WebTable, unwrapped

NEW_SEED = "2" * 64
AT = 8
ACTS = 40
"""The number of acts in an original that was closed early. At random, some games take hundreds of acts to their end."""


def finished(name: str, path: Path | None = None) -> Table:
    """A table on which a random game has been played to its end, and closed."""
    table = begun(name, path)
    play_to_the_end(table, Random(4))
    table.end()
    return table


def closed_early(name: str, path: Path | None = None) -> Table:
    """A table on which a random game has been closed after some acts."""
    table = begun(name, path)
    act_some(table, Random(4), ACTS)
    table.end()
    return table


def begun(name: str, path: Path | None) -> Table:
    table = Table(Journal(path))
    seed = "1" * 64
    table.start(name, None, {}, {}, ("Ann", "Bob"), seed, FairShuffle(commitment_to(seed)))
    return table


def replay_of(table: Table, id: int = 1) -> Replay:
    return Replay.from_stored(table.journal.game(id))


def played_on(table: Table, seed: str = NEW_SEED, acts: int = 20, at: int = AT) -> StoredGame:
    """The record of a what-if that continues game 1 after its act number `at`."""
    id = table.play_on(replay_of(table), at, seed, FairShuffle(commitment_to(seed)))
    act_some(table, Random(5), acts)
    return table.journal.game(id)


@pytest.mark.parametrize("name", GAMES)
def test_a_what_if_has_the_acts_of_the_original_and_then_its_own(name: str) -> None:
    """The what-if starts in the original's position after the chosen act. It is marked as a what-if and can be
    replayed, and its own draws come from its own shuffle."""
    table = closed_early(name)
    original = replay_of(table)
    at = min(AT, original.length // 2)
    stored = played_on(table, at=at)
    assert stored.header.what_if
    assert (stored.header.what_if.game, stored.header.what_if.acts) == (1, at)
    replay = Replay.from_stored(stored)
    assert [replay.state_at(n) for n in range(at + 1)] == [original.state_at(n) for n in range(at + 1)]
    draws = companion_draws(replay.history, stored.header)
    assert all(draw.version > at for draw in draws)
    assert stored.header.shuffle
    assert wrong_draw(draws, NEW_SEED, stored.header.shuffle) is None
    assert table.journal.game(1).closed
    view = table.view()
    assert view
    assert view.what_if == stored.header.what_if


def faces(stored: StoredGame) -> list[str]:
    """What the companion dealt in a game after act AT."""
    acts = fold(stored).done[AT:]
    return [step.move.face for act in acts for step in act.steps if isinstance(step.move, HouseMove)]


def test_the_cards_still_to_be_drawn_are_shuffled_anew() -> None:
    """Two what-ifs with different seeds deal different cards, and neither deals those of the original, although the
    same moves are made."""
    table = finished("systems-failing")
    stored = table.journal.game(1)
    brought = [faces(stored)[:12], *(faces(played_on(table, str(n) * 64))[:12] for n in (2, 3))]
    assert all(brought)
    assert len({*map(tuple, brought)}) == 3


def test_the_acts_of_the_original_can_not_be_undone() -> None:
    """Only what was done in the what-if can be undone."""
    table = closed_early("traffic-congestion")
    table.play_on(replay_of(table), AT, NEW_SEED)
    with pytest.raises(IllegalMove):
        table.undo(None)
    act_some(table, Random(1), 1)
    table.undo(None)
    with pytest.raises(IllegalMove):
        table.undo(None)


def test_a_restart_resumes_a_what_if_on_phones(tmp_path: Path) -> None:
    """A what-if of a game with cardboard needs no cardboard: the companion deals everything and the camera is ignored,
    even after a restart. The next game uses cardboard and the camera again, as people had chosen."""
    path = tmp_path / "journal.sqlite3"
    table = closed_early("traffic-congestion", path)
    stored = played_on(table, acts=2)
    again = Table(Journal(path))
    view = again.view()
    assert view
    assert view.what_if == stored.header.what_if
    assert view.tabletop.is_on_phones
    assert stored.header.dealers == {}
    again.start("traffic-congestion", 2, {}, {}, ("Ann", "Bob"), SEED)
    view = again.view()
    assert view
    assert view.what_if is None
    assert not again._physical.tracked.phones_only


def test_the_companion_keeps_its_seats_in_a_what_if(tmp_path: Path) -> None:
    """In a what-if of any earlier game, the companion plays the seats that it played there, with the same policies.
    This holds after a restart too."""
    path = tmp_path / "journal.sqlite3"
    table = Table(Journal(path))
    for companions in ({1: "careful"}, {2: "simple"}, {}):
        table.start("system-won", 3, {}, {}, ("Ann", "Bob", "Cleo"), SEED, companions=companions)
        play_to_the_end(table, Random(4))
    table.end()
    table.journal.close()
    again = Table(Journal(path))
    for id, companions in ((2, {2: "simple"}), (1, {1: "careful"}), (2, {2: "simple"}), (3, {})):
        again.play_on(replay_of(again, id), AT, NEW_SEED)
        assert again.companion_seats == companions


def test_a_journal_of_an_earlier_version_names_no_policies_for_seats_of_earlier_games() -> None:
    """Earlier versions stored only the companion's seats of earlier games. In a what-if, it plays these seats with the
    game's first policy."""
    table = Table(Journal(None))
    for __ in range(2):
        table.start("system-won", 3, {}, {}, ("Ann", "Bob", "Cleo"), SEED)
        play_to_the_end(table, Random(4))
    table.end()
    table.journal.save_note("companion_seats", {"game": 2, "seats": {"0": "simple"}, "earlier": {"1": [2]}})
    table.play_on(replay_of(table, 1), AT, NEW_SEED)
    assert table.companion_seats == {2: GAMES["system-won"].policies.for_companion[0]}
    table.play_on(replay_of(table, 2), AT, NEW_SEED)
    assert table.companion_seats == {0: "simple"}


def test_where_a_game_can_not_be_played_on() -> None:
    """A game can't be played on after its last act, nor if it has cards that nobody has seen, because these can't be
    moved to phones."""
    table = finished("systems-failing")
    past = replay_of(table)
    with pytest.raises(SetupError, match="over"):
        table.play_on(past, past.length, NEW_SEED)
    hidden = Table(Journal(None))
    hidden.start("commute", 2, {}, {"cards": "unseen"}, ("Ann", "Bob"), SEED)
    hidden.end()
    with pytest.raises(SetupError, match="face down"):
        hidden.play_on(replay_of(hidden), 1, NEW_SEED)


def test_an_exported_what_if_keeps_its_mark_and_verifies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`export` and `import` keep the origin of a what-if, and `games` lists it. `verify` compares the what-if with its
    original if that is in the journal."""
    table = finished("systems-failing", tmp_path / "journal.sqlite3")
    played_on(table)
    table.end()
    stored = table.journal.game(2)
    lines = [*export_lines(stored)]
    assert json.loads(lines[0])["what_if"] == {"game": 1, "started": stored.header.what_if.started, "acts": AT}  # type: ignore[union-attr]
    assert not any("draws" in json.loads(line) for line in lines[1 : AT + 1])
    assert import_lines(lines, "x").header == stored.header
    table.journal.close()
    file = tmp_path / "game-2.jsonl"
    file.write_text("".join(f"{line}\n" for line in lines))
    for game in ("2", str(file)):
        assert main(["verify", game, "--data", str(tmp_path)]) == 0
        said = capsys.readouterr().out
        assert f"first {AT} acts are those of game 1" in said
        assert "The shuffle is as promised" in said
    assert main(["games", "--json", "--data", str(tmp_path)]) == 0
    listed = json.loads(capsys.readouterr().out)["journal"]
    assert [bool(game["what_if"]) for game in listed] == [False, True]
    changed = [json.loads(line) for line in lines]
    changed[0]["what_if"]["acts"] = AT + 1
    file.write_text("".join(json.dumps(line) + "\n" for line in changed))
    assert main(["verify", str(file), "--data", str(tmp_path)]) == 1


def test_an_imported_what_if_finds_its_original_whatever_its_number() -> None:
    """After an import, which gives games new numbers, a what-if still links to its original. If the original is not in
    the journal, there is no link."""
    table = closed_early("systems-failing")
    exported = [[*export_lines(stored)] for stored in (table.journal.game(1), played_on(table))]
    other = closed_early("traffic-congestion")
    what_if = import_lines(exported[1], SEED)
    assert what_if.header.what_if
    id = other.journal.add(what_if)
    assert other.journal.original_of(what_if.header.what_if, "systems-failing", id) is None
    assert other.journal.add(import_lines(exported[0], SEED)) == 3
    assert other.journal.original_of(what_if.header.what_if, "systems-failing", id) == 3


def test_a_running_what_if_that_is_exported_keeps_its_mark() -> None:
    """An export without the seed still says that the game is a what-if."""
    table = closed_early("traffic-congestion")
    stored = played_on(table, acts=1)
    assert import_lines(export_lines(stored), "x").header.what_if == stored.header.what_if


def test_the_host_page_marks_a_what_if() -> None:
    """The host page says that the game in progress is a what-if, as phones and the big screen do."""
    table = closed_early("traffic-congestion")
    played_on(table)
    web_table = WebTable(table)
    page = unwrapped(web_table.host().get("/host").text)
    assert "<b>What if</b>" in page.split('data-key="now"')[1].split("</section>")[0]
