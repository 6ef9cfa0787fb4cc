"""The tips for a first game: each of them can end, and is short enough for a small phone."""

from __future__ import annotations

import pytest

from companion.games import GAMES, PAGES
from companion.games.first_game_tips import ANY_MOVE, FirstGameTip
from companion.games.game_page import GamePage
from companion.games.rules import Move
from tests.systems_failing_tables import new_table
from tests.web_table import WebTable
from web.generic_page import PAGE as GENERIC_PAGE

MAX_LETTERS = 100
"""The longest text that takes at most four lines on a phone of 360 pixels, in English."""


@pytest.mark.parametrize(("name", "page"), [*PAGES.items(), ("generic", GENERIC_PAGE)])
def test_every_page_has_steps_that_end(name: str, page: GamePage) -> None:
    """Each step ends with a tap or with a move of its own game. The last step ends with a move, so that a turn ends all
    of them."""
    assert page.first_game_tips
    for step in page.first_game_tips:
        assert step.target
        assert step.tap or step.moves
        assert len(step.text) <= MAX_LETTERS
        if name in GAMES:
            for move in step.moves:
                assert any(issubclass(each, move) for each in GAMES[name].rules.moves)
    assert page.first_game_tips[-1].moves


def test_the_general_tip_ends_with_any_move() -> None:
    """The general tip ends with any move. Other tips name the moves that end them."""
    assert FirstGameTip("x", "y", moves=(Move,)).move_names == ANY_MOVE == GENERIC_PAGE.first_game_tips[0].move_names
    assert PAGES["commute"].first_game_tips[-1].move_names == "travel"


def test_the_page_lists_the_steps_and_only_the_moves_of_its_seat() -> None:
    """The page of a seat names the moves that this seat has made, on a phone or at the table, each with its version. It
    does not name the other seat's moves."""
    web_table = WebTable(new_table())
    players = [web_table.phone(seat) for seat in (0, 1)]
    page = players[0].get("/play").get_data(as_text=True)
    assert 'data-tips="systems-failing"' in page
    assert 'data-made=""' in page
    assert "Disasters move left" in page
    players[0].move({"seat": 0, "move": "scavenge"})
    assert 'data-made="scavenge@2"' in players[0].get("/play").get_data(as_text=True)
    web_table.table.submit(None, {"seat": 0, "move": "scavenge"})
    assert 'data-made="scavenge@3"' in players[0].get("/play").get_data(as_text=True)
    assert 'data-made=""' in players[1].get("/play").get_data(as_text=True)
