"""Presses of buttons, seats' buttons and the dial at a table."""

from __future__ import annotations

import pytest

from companion.games.rules import Seat
from companion.games.systems_failing.moves import Scavenge, Transfer
from companion.match.journal import Journal
from companion.table.current_game import NoGame
from companion.table.table import Table
from companion.tabletop.observations import Button, ButtonPressed, DialTurned
from companion.text.refusal_errors import IllegalMove, Stale
from tests.manual_clock import ManualClock
from tests.systems_failing_tables import hasty_clock, new_table, seen


def press(table: Table, button: Button = "next", seat: int | None = None) -> str:
    """Presses a button. Returns the notice on the phones."""
    table.observe(ButtonPressed(button=button, seat=seat))
    return seen(table).notice


def dial(table: Table, kind: type) -> None:
    """Turns the dial to the first move of a kind."""
    moves = list(seen(table).choices.legal)
    at = next(n for n, move in enumerate(moves) if isinstance(move, kind))
    table.observe(DialTurned(steps=at + 1))


def test_the_dial_goes_round() -> None:
    """If the dial is turned clockwise, it starts at the first legal move, otherwise at the last. Each selected move is
    shown in words."""
    table = new_table()
    count = len(seen(table).choices.legal)
    assert seen(table).tabletop.dial is None
    table.observe(DialTurned(steps=1))
    assert seen(table).tabletop.dial == (0, count)
    assert "1 of" in seen(table).notice
    table.observe(DialTurned(steps=-1))
    assert seen(table).tabletop.dial == (count - 1, count)
    table.observe(DialTurned(steps=1 + count * 3))
    assert seen(table).tabletop.dial == (0, count)


def test_confirm_makes_the_selected_move_and_no_other() -> None:
    """The first *confirm* makes the selected move. A second *confirm* does nothing, and *next* keeps its usual
    meaning."""
    table = new_table()
    assert press(table, "confirm") == "There’s nothing to confirm right now."
    dial(table, Scavenge)
    press(table, "confirm")
    view = seen(table)
    assert (view.state["actions_left"], view.tabletop.dial) == (3, None)
    assert press(table, "confirm") == "There’s nothing to confirm right now."
    dial(table, Scavenge)
    press(table, "next")
    assert seen(table).turn == 1


def test_a_press_by_a_program_is_refused_in_words() -> None:
    """`press` may name the version that it is based on, and raises what the phones would show."""
    table = new_table()
    version = table.revision.version
    table.press(ButtonPressed(button="draw"), version)
    with pytest.raises(Stale):
        table.press(ButtonPressed(button="draw"), version)
    with pytest.raises(IllegalMove, match="There’s nothing to confirm right now"):
        table.press(ButtonPressed(button="confirm"))
    assert table.revision.version == version + 1
    table.end()
    with pytest.raises(NoGame):
        table.press(ButtonPressed(button="undo"))


def test_the_selected_move_is_forgotten_when_anything_happens() -> None:
    """A move on a phone, an undo or a new game resets the dial, because its move belonged to the earlier position."""
    table = new_table()
    dial(table, Scavenge)
    table.submit(Seat(0), {"move": "scavenge", "seat": 0}, seen(table).version)
    assert seen(table).tabletop.dial is None
    dial(table, Scavenge)
    press(table, "undo")
    assert seen(table).tabletop.dial is None
    dial(table, Scavenge)
    table.start("systems-failing", None, {}, {}, (), "another")
    assert seen(table).tabletop.dial is None
    press(table, "confirm")
    assert seen(table).state["actions_left"] == 4


def test_a_seats_button_ends_only_that_seats_turn() -> None:
    """A seat's button ends only that seat's turn, and does nothing for a seat that is not in the game."""
    table = new_table()
    assert press(table, seat=1) == "It’s Ann’s turn now."
    assert press(table, seat=4) == "Nobody has that seat in this game."
    assert seen(table).turn == 0
    press(table, seat=0)
    assert seen(table).turn == 1
    table.observe(DialTurned(steps=1))
    version = seen(table).version
    press(table, seat=0)
    assert seen(table).version == version
    press(table, seat=1)
    assert seen(table).version == version + 1


def test_a_selected_move_that_needs_consent_is_requested() -> None:
    """If the selected move needs consent, *confirm* requests it. Only the other seat's button or another *confirm*
    gives consent."""
    for agree in (ButtonPressed(button="next", seat=1), ButtonPressed(button="confirm")):
        table = new_table()
        dial(table, Transfer)
        press(table, seat=0)
        ask, version = seen(table).choices.request, seen(table).version
        assert ask
        assert (ask.asker, ask.asked) == (0, 1)
        assert press(table, seat=0) == "Bob has to answer. That seat’s button means yes."
        assert seen(table).version == version
        table.observe(agree)
        assert (seen(table).version, seen(table).choices.request) == (version + 1, None)


def test_without_a_game_nothing_happens() -> None:
    """Buttons and the dial have no effect on a table without a game."""
    table = Table(Journal(None), hasty_clock())
    for observation in (DialTurned(steps=1), ButtonPressed(button="next", seat=0), ButtonPressed(button="undo")):
        table.observe(observation)
    assert table.view() is None


def test_on_the_houses_turn_there_is_nothing_to_dial() -> None:
    """While people deal, the dial says that there is nothing to choose."""
    table = new_table(dealers={"cards": "table"})
    assert seen(table).turn == "house"
    table.observe(DialTurned(steps=1))
    assert (seen(table).notice, seen(table).tabletop.dial) == (
        "There’s nothing to choose with the dial right now.",
        None,
    )


@pytest.mark.parametrize(("pause", "moves"), [(0.7, 1), (0.9, 2)])
def test_a_double_press_counts_as_one(pause: float, moves: int) -> None:
    """A button that is pressed twice within 0.8 seconds makes one move. The phones say so."""
    clock = ManualClock()
    table = Table(Journal(None), clock)
    table.start("systems-failing", None, {}, {}, ("Ann", "Bob"), "seed")
    before = seen(table).version
    assert press(table, "draw") == ""
    clock.now += pause
    said = press(table, "draw")
    assert seen(table).version == before + moves
    assert said == ("" if moves == 2 else "Two quick presses count as one. Press again to go on.")


def test_quick_presses_of_other_buttons_count() -> None:
    """Undo, another button, and *confirm* after a turn of the dial count at once."""
    table = Table(Journal(None), ManualClock())
    table.start("systems-failing", None, {}, {}, ("Ann", "Bob"), "seed")
    before = seen(table).version
    press(table, "draw")
    press(table, "undo")
    press(table, "undo")
    dial(table, Scavenge)
    press(table, "confirm")
    dial(table, Scavenge)
    press(table, "confirm")
    press(table, "next")
    assert seen(table).turn == 1
    assert seen(table).version > before + 3


def test_a_double_press_asks_but_does_not_answer() -> None:
    """*Confirm* asks the other player for a cube. A second press at once is not this player's consent, and a double
    press of *next* ends only one turn."""
    clock = ManualClock()
    table = Table(Journal(None), clock)
    table.start("systems-failing", None, {}, {}, ("Ann", "Bob"), "seed")
    dial(table, Transfer)
    press(table, "confirm")
    assert seen(table).choices.request
    press(table, "confirm")
    assert seen(table).choices.request
    clock.now += 1
    press(table, "confirm")
    assert not seen(table).choices.request
    clock.now += 1
    press(table, "next")
    turn = seen(table).turn
    press(table, "next")
    assert seen(table).turn == turn
