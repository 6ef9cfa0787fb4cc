"""Moves that need another player's consent: requests, answers and withdrawals."""

from __future__ import annotations

import pytest

from companion.games import move_json
from companion.games.rules import Seat
from companion.match.match import NotYourSeat
from companion.tabletop.observations import ButtonPressed
from companion.text.refusal_errors import BadMove, IllegalMove, Stale
from tests.systems_failing_tables import new_table, seen
from tests.table_acts import SCAVENGE, a_transfer


def test_the_first_undo_withdraws_an_open_question() -> None:
    """While a player's request waits for an answer, undo only withdraws it and takes back no move, both on a phone and
    with the button at the table. Sending the same HTTP request again does nothing more. The next undo takes back the
    last move, and redo restores it."""
    table = new_table()
    table.submit(Seat(0), SCAVENGE)
    before = seen(table)
    for undo in (
        lambda: table.undo(Seat(1), before.version, "a name"),
        lambda: table.observe(ButtonPressed(button="undo")),
    ):
        table.request_consent(Seat(0), a_transfer(table))
        undo()
        after = seen(table)
        assert (after.choices.request, after.version, after.state) == (None, before.version, before.state)
        assert str(after.notice) == "Ann withdrew the request."
    assert table.undo(Seat(1), before.version, "a name") == before.version
    table.undo(Seat(1), before.version, "another name")
    assert seen(table).state != before.state
    table.redo(Seat(1))
    assert seen(table).state == before.state


def test_redo_restores_a_request_that_undo_withdrew() -> None:
    """Redo steps forward through everything that undo stepped back through: the last move, then the request that was
    open after it. Sending the same HTTP request again does nothing more, and the request can be answered as before."""
    table = new_table()
    table.submit(Seat(0), SCAVENGE)
    before = seen(table)
    table.request_consent(Seat(0), a_transfer(table))
    asked = seen(table).choices.request
    for _ in range(2):
        table.undo(Seat(1))
        assert seen(table).choices.can_redo
        table.undo(Seat(1))
        assert seen(table).state != before.state
        table.redo(Seat(1))
        assert (seen(table).state, seen(table).choices.request) == (before.state, None)
        assert seen(table).choices.can_redo
        version = table.redo(Seat(1), None, "a name")
        assert table.redo(Seat(1), version, "a name") == version
        assert (seen(table).state, seen(table).choices.request) == (before.state, asked)
        assert not seen(table).choices.can_redo
        assert str(seen(table).notice) == ""
    table.answer(Seat(1), agreed=True)
    assert seen(table).log[-1].moves[0].NAME == "transfer"


def test_a_withdrawn_request_is_not_restored_after_a_move() -> None:
    """A move after the withdrawal makes the request invalid, even if this move is undone, and so does another request
    that was declined."""
    table = new_table()
    table.request_consent(Seat(0), a_transfer(table))
    table.undo(Seat(0))
    table.submit(Seat(0), SCAVENGE)
    assert not seen(table).choices.can_redo
    table.undo(Seat(0))
    table.redo(Seat(0))
    assert seen(table).choices.request is None
    table.request_consent(Seat(0), a_transfer(table))
    table.undo(Seat(0))
    table.request_consent(Seat(0), a_transfer(table))
    table.answer(Seat(1), agreed=False)
    assert not seen(table).choices.can_redo
    with pytest.raises(IllegalMove):
        table.redo(Seat(0))


def test_a_question_before_the_first_move_can_be_withdrawn() -> None:
    """Undo is offered while a request waits for an answer, even if there is no move to take back."""
    table = new_table()
    assert not seen(table).choices.can_undo
    table.request_consent(Seat(0), a_transfer(table))
    assert seen(table).choices.can_undo
    with pytest.raises(Stale):
        table.undo(Seat(0), 0)
    table.undo(Seat(0))
    assert seen(table).choices.request is None


def test_a_transfer_waits_for_the_other_player() -> None:
    """Requesting a transfer changes nothing in the game. The consent of the other player makes the move."""
    table = new_table()
    move, version = a_transfer(table), seen(table).version
    table.request_consent(Seat(0), move, version)
    assert seen(table, 1).choices.request is not None
    assert seen(table).version == version
    with pytest.raises(NotYourSeat):
        table.answer(Seat(2), agreed=True)
    assert table.answer(Seat(1), agreed=True) == version + 1
    assert seen(table).choices.request is None
    assert move_json.to_json(seen(table).log[-1].moves[0]) == move


def test_a_declined_request_changes_nothing() -> None:
    """If the other player declines, the requesting player is told and the game stays as it is."""
    table = new_table()
    before = seen(table).state
    table.request_consent(Seat(0), a_transfer(table))
    table.answer(Seat(1), agreed=False)
    assert seen(table).state == before
    assert "no" in seen(table).notice
    with pytest.raises(IllegalMove):
        table.answer(Seat(1), agreed=True)


def test_a_request_is_withdrawn_when_the_table_moves_on() -> None:
    """A request is withdrawn when the state changes, so consent can't apply to a newer state."""
    table = new_table()
    table.request_consent(Seat(0), a_transfer(table))
    table.submit(Seat(0), SCAVENGE)
    assert seen(table).choices.request is None


def test_only_what_needs_permission_is_asked() -> None:
    """Requesting consent for an illegal move, or for a move that needs no consent, is refused at once."""
    table = new_table()
    with pytest.raises(BadMove):
        table.request_consent(Seat(0), SCAVENGE)
    missing = next(
        c for c in ("red", "blue", "green", "black", "orange", "yellow") if c not in seen(table).state["pools"][1]
    )
    with pytest.raises(IllegalMove):
        table.request_consent(Seat(0), {"seat": 0, "move": "transfer", "color": missing})
