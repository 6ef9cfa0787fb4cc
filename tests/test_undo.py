"""Undo and redo at the table: what can be undone, and that redoing an act deals the same cards and cubes."""

from __future__ import annotations

import pytest

from companion.games.rules import Seat
from companion.games.systems_failing.moves import Draw
from companion.table.table import Table
from companion.text.refusal_errors import IllegalMove
from tests.systems_failing_tables import new_table, seen
from tests.table_acts import SCAVENGE, card_seen, table_deals_cards

END_TURN = {"seat": 0, "move": "end_turn"}


def test_undo_and_redo_bring_back_the_very_same() -> None:
    """Undo takes back one act with everything that followed from it. Redo restores it with the same cubes."""
    table = new_table()
    before = seen(table).state
    table.submit(Seat(0), SCAVENGE)
    after = seen(table).state
    table.undo(Seat(1))
    assert seen(table).state == before
    table.redo(Seat(0))
    assert seen(table).state == after


def test_an_undone_scavenge_draws_the_same_cubes_again() -> None:
    """Undo can't be used to get better cubes: the same ones are drawn again."""
    table = new_table()
    table.submit(Seat(0), SCAVENGE)
    after = seen(table).state
    table.undo(Seat(0))
    table.submit(Seat(0), SCAVENGE)
    assert seen(table).state == after


def test_undo_says_what_to_put_back() -> None:
    """After an undo, a sentence names the cubes to put back and where they go."""
    table = next(table for table in map(new_table_with, range(20)) if "white" not in drawn(table))
    cubes = drawn(table)
    table.undo(Seat(0))
    (said,) = seen(table).tabletop.physical_instructions
    assert said.endswith("from Ann’s pool to the bag.")
    assert all(cube in said for cube in cubes)


def new_table_with(seed: int) -> Table:
    table = new_table(seed=str(seed))
    table.submit(Seat(0), SCAVENGE)
    return table


def drawn(table: Table) -> list[str]:
    return [move.cube for move in seen(table).log[-1].moves if isinstance(move, Draw)]


def test_the_first_deal_can_not_be_undone() -> None:
    """The first deal can't be undone, because there is no act before it."""
    table = new_table()
    assert not seen(table).choices.can_undo
    with pytest.raises(IllegalMove):
        table.undo(Seat(0))


def test_a_first_deal_of_one_card_can_not_be_undone() -> None:
    """If people deal the roles, the companion deals only the escape-sequence card by itself. That deal can't be undone
    either."""
    table = new_table(dealers={"roles": "table"})
    assert not seen(table).choices.can_undo


def test_the_first_deal_by_people_can_be_undone() -> None:
    """A card that the camera misread during the first deal can be undone, together with the cubes that the companion
    drew after it."""
    table = table_deals_cards()
    table.observe(card_seen("SF-E1", "escape"))
    table.undo(Seat(0))
    assert seen(table).state["escape"]["active"] is None
    table.observe(card_seen("SF-E2", "escape"))
    assert seen(table).state["escape"]["active"] == "E2"


def test_a_new_move_gives_up_what_was_undone() -> None:
    """After a new move, undone acts can no longer be redone."""
    table = new_table()
    table.submit(Seat(0), SCAVENGE)
    table.undo(Seat(0))
    table.submit(Seat(0), END_TURN)
    with pytest.raises(IllegalMove):
        table.redo(Seat(0))
