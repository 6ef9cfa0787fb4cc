"""If the end of a game is undone, the game goes on, and it counts only once in the statistics."""

from __future__ import annotations

from random import Random

import pytest

from companion.games import GAMES
from companion.games.rules import Seat
from tests.repetitions import thorough_except
from tests.short_games import play_carefully_to_the_end, start_short_game
from tests.systems_failing_tables import act_some, seen
from tests.web_table import Phone, unwrapped


def finished_count(phone: Phone) -> int:
    """The number of finished games in the statistics."""
    return unwrapped(phone.get("/games").text).count("1 finished")


@pytest.mark.slow
@pytest.mark.parametrize("name", thorough_except([*GAMES], "system-won", "traffic-congestion"))
def test_a_game_whose_end_is_undone_counts_once(name: str) -> None:
    """While the game goes on after the undo, no page counts it or shows its end. When it has ended again, only the new
    end counts."""
    web_table = start_short_game(name)
    table, host, bob = web_table.table, web_table.host(), web_table.phone(1)
    play_carefully_to_the_end(table, Random(4))
    assert finished_count(host)
    assert "finale" in bob.get("/play").text
    if seen(table).choices.can_reopen:
        assert host.client.post("/host", data={"reopen": f"{seen(table).version}"}).status_code == 303
    else:
        table.undo(Seat(0))
    assert finished_count(host) == 0
    assert "in progress" in host.get("/games").text
    assert bob.get("/games/1.png").status_code == 403
    for path in ("/play", "/table"):
        assert "finale" not in bob.get(path).text
    assert host.client.post("/host", data={"again": "1"}).status_code == 409
    act_some(table, Random(9), 1)
    play_carefully_to_the_end(table, Random(9))
    assert finished_count(host)
    assert len(table.journal.games()) == 1
    assert bob.get("/games/1.png").status_code == 200
