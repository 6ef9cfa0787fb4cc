"""The key moments that people jump to when they look back at a game."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.games import GAMES
from companion.games.game import Meter
from companion.match.key_moments import key_moments, titles_from_meters
from companion.match.replay import Replay
from tests.page_scenes import over
from tests.page_states import closed, played
from tests.test_past_games import finished


@pytest.fixture(scope="module")
def replays() -> dict[str, Replay]:
    return {name: Replay.from_stored(finished(name).journal.games()[0]) for name in GAMES}


def titles(replay: Replay) -> list[str]:
    return [str(moment.title) for moment in key_moments(replay)]


@pytest.mark.slow
def test_each_game_declares_its_moments(replays: dict[str, Replay]) -> None:
    """Errors, lost meters, cars that get home and the ends of commutes are key moments. Each moment refers to the act
    that it shows."""
    won = [title for title in titles(replays["system-won"]) if title.startswith("Error")]
    assert len(won) == len(replays["system-won"].history.state.errors)  # type: ignore[attr-defined]
    assert any(title.startswith(("Damage: ", "Stability: ")) for title in titles(replays["systems-failing"]))
    assert any("cars home" in title for title in titles(replays["traffic-congestion"]))
    assert sum(title.startswith(("Morning", "Evening")) for title in titles(replays["commute"])) == len(
        replays["commute"].history.state.results  # type: ignore[attr-defined]
    )
    for replay in replays.values():
        steps = [moment.step for moment in key_moments(replay)]
        assert steps == sorted({*steps})
        assert all(1 <= step <= replay.length for step in steps)
        assert len(steps) < replay.length / 2, "too many moments to be worth a jump"


def test_without_a_declaration_moments_come_from_the_meters(replays: dict[str, Replay]) -> None:
    """A game without moments of its own gets those of its meters: a level that falls, and a new leader."""
    stability = Meter("Stability", 8, 0, 20)
    assert [*titles_from_meters((stability,), (replace(stability, value=3, level="poor"),), ())]
    assert not [*titles_from_meters((stability,), (replace(stability, value=7),), ())]
    before = [Meter("Score", value, 0, 9, seat=seat, is_score=True) for seat, value in enumerate((2, 2))]
    after = [before[0], replace(before[1], value=3)]
    assert [*map(str, titles_from_meters(before, after, ("Ann", "Bob")))] == ["Bob takes the lead"]
    replay = replays["systems-failing"]
    game = replace(replay.history.game, text=replace(replay.history.game.text, key_moments=None))
    generic = replace(replay, history=replace(replay.history, game=game))
    assert 0 < len(key_moments(generic)) < replay.length


def test_a_completed_system_is_named_once() -> None:
    """The log line of a key moment does not repeat the moment's title."""
    replay = Replay.from_stored(closed(played("system-won", over, seats=3, seed="3")).journal.games()[0])
    completed = [moment for moment in key_moments(replay) if "system is complete" in str(moment.title)]
    assert completed
    for moment in completed:
        assert "plays" in str(moment.line)
        assert "complete" not in str(moment.line)


def test_a_repaired_escape_sequence_is_named_at_the_act_that_repairs_it() -> None:
    """Each escape sequence is a key moment when it is repaired. The log line of the moment says who repaired it."""
    replay = Replay.from_stored(closed(played("systems-failing", over)).journal.games()[0])
    repaired = [moment for moment in key_moments(replay) if str(moment.title).startswith("Escape sequence")]
    assert len(repaired) == len(replay.history.state.repaired_escapes) > 0  # type: ignore[attr-defined]
    for moment in repaired:
        card = str(moment.title).split()[2]
        assert f"{card} is repaired and goes to" in str(moment.line)
