"""The rules that players look up: next to the current situation, and on a page of their own."""

from __future__ import annotations

import html
from pathlib import Path
from random import Random

import pytest

from companion.games import GAMES
from companion.games.rules import SPECTATOR, Seat, play
from companion.match.chance_player import ChancePlayer
from companion.text.guidebook import guidebook
from companion.text.toml_files import DataError
from tests.test_past_games import table_of
from tests.web_table import WebTable, new_web_table

GUIDED = [game for game in GAMES.values() if game.text.guidebook_file]


@pytest.mark.slow
@pytest.mark.parametrize("game", GUIDED, ids=lambda game: game.name)
def test_every_situation_has_its_rule(game) -> None:  # type: ignore[no-untyped-def]
    """In whole games and for every viewer, the rule that is shown for the situation is in the guidebook. Several
    different rules are shown during a game."""
    assert game.text.guidebook_file
    rules, named, rng = guidebook(game.text.guidebook_file).rules, set[str](), Random(7)
    for seats in game.rules.seats:
        state, house, ply = game.rules.begin(seats, {}).state, ChancePlayer(f"s{seats}"), 0
        while state.turn is not None and ply < 3000:
            named |= {game.text.help_topic(state, viewer) for viewer in (SPECTATOR, Seat(0), Seat(seats - 1))}
            move = (
                house.next_move(state, ply)
                if state.turn == "house"
                else rng.choice([move for move in state.legal_moves() if move.seat == state.turn])
            )
            state, ply = play(state, move), ply + 1
        named.add(game.text.help_topic(state, SPECTATOR))
    assert named <= set(rules)
    assert len(named) > 1


@pytest.mark.parametrize("game", GUIDED, ids=lambda game: game.name)
def test_the_page_has_the_whole_guidebook(game) -> None:  # type: ignore[no-untyped-def]
    """The page with the rules contains every step, rule and term of the guidebook, paragraph by paragraph, for players
    and for everybody else."""
    page = html.unescape(new_web_table().phone().get(f"/help?game={game.name}").text)
    assert game.text.guidebook_file
    for text in guidebook(game.text.guidebook_file).texts():
        assert text in page
    assert new_web_table().phone().get("/help?game=nonsense").status_code == 200


def test_the_rule_on_the_screen_opens_from_whose_turn_it_is() -> None:
    """Tapping whose turn it is opens the rule: its heading, its text, and a link to all other rules."""
    phone = WebTable(table_of("system-won", seats=2)).phone(0)
    sheet = phone.get("/play").text.split('id="sheet-rule"')[1]
    assert "A turn" in sheet
    assert "/help#rules" in sheet
    assert 'id="sheet-rule"' not in phone.get("/table").text


RULE = '[[rule]]\nkey = "a"\ntitle = "a"\ntext = "b"\n'


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (RULE, "must have a .*step"),
        (RULE + RULE, "line 6: There is a rule a already"),
        (RULE.replace('"a"', '"A b"', 1), "line 2: key is 'A b'"),
        (RULE + "say = 1", "line 5: say is unknown"),
        (RULE + '[[step]]\ntitle = "a"\n', "line 5: text is missing"),
        (RULE + '[[step]]\ntitle = "a"\ntext = ""\n', "line 7: text is ''"),
    ],
)
def test_an_error_in_the_file_is_reported_with_its_line(text: str, why: str, tmp_path: Path) -> None:
    """An error in a guidebook file is reported with its line."""
    file = tmp_path / "help.toml"
    file.write_text(text)
    with pytest.raises(DataError, match=why):
        guidebook(file)
