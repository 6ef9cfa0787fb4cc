"""A move that somebody begins on the real table in the companion's turn. No sentence asks the companion, who has no
phone, to go on: people read what to put back."""

from __future__ import annotations

from companion.games.rules import SPECTATOR, Seat
from companion.match.journal import Journal
from companion.table.table import Table
from companion.tabletop.observations import MatSeen, TokensCounted
from tests.system_won_tables import SystemWonTable
from tests.systems_failing_tables import hasty_clock, new_table, seen
from tests.table_acts import card_seen
from tests.test_commute_table import ANN, CommuteTable
from tests.test_system_won_specification_cards import turn_over


def to_fix(table: Table) -> list[str]:
    """What the pages tell people to do on the table. Checks that no move counts as begun and that nobody must use a
    phone in the companion's turn."""
    for viewer in (0, SPECTATOR):
        found = table.view(viewer)  # type: ignore[arg-type]
        assert found
        assert found.tabletop.begun_move is None
    messages = [each.message for each in seen(table).tabletop.discrepancies]
    assert not [each for each in messages if "phone" in str(each) and "owner’s turn" not in str(each)]
    return [str(each) for each in messages]


def count(table: Table, lane: str, **cars: int) -> None:
    """Lets the camera count the cars in a lane."""
    table.observe(TokensCounted(t=1, place=lane, tokens=cars, certainty="certain", why="", possible_stacks=0))


def test_the_undone_move_of_cars_is_put_back() -> None:
    """The companion's car stands on the board when its move is undone. It must go back, because the companion moves
    again, perhaps otherwise."""
    table = Table(Journal(None), hasty_clock())
    table.start("traffic-congestion", 2, {}, {}, ("Ann", "Companion"), "a seed")
    table.observe(MatSeen(t=0, mat="MAT-TC"))
    for seat, lane, color in ((0, "west1>A", "blue"), (1, "north1>A", "red")):
        table.submit(Seat(seat), {"seat": seat, "move": "enter", "lane": lane})
        count(table, lane, **{color: 1})
    table.undo(Seat(0))
    begun = seen(table).tabletop.begun_move
    assert begun
    assert begun.next_step == "Companion: enter the cars’ move on the phone, or put them back."
    table.hand_over(Seat(1), "careful")
    assert to_fix(table) == ["Take 1 red car out of lane north1>A."]
    count(table, "north1>A")
    assert to_fix(table) == []


def test_a_car_that_has_yet_to_be_moved_for_it_begins_no_move() -> None:
    """The companion adds a car behind a signal. Until people have put it there, the lane looks as if cars had left it
    in Ann's move, which is not asked for: people read what to do for the companion."""
    table = Table(Journal(None), hasty_clock())
    table.start("traffic-congestion", 2, {}, {}, ("Ann", "Companion"), "a seed", companions={1: "careful"})
    table.observe(MatSeen(t=0, mat="MAT-TC"))
    table.submit(Seat(0), {"seat": 0, "move": "enter", "lane": "west1>A"})
    count(table, "west1>A", blue=1)
    table.submit(Seat(1), {"seat": 1, "move": "signal", "lane": "west1>A", "to": "A>B"})
    table.submit(Seat(0), {"seat": 0, "move": "enter", "lane": "north1>A"})
    count(table, "north1>A", blue=1)
    table.submit(Seat(1), {"seat": 1, "move": "enter", "lane": "west1>A"})
    assert [each for each in to_fix(table) if "lane west1>A: the camera" in each]
    assert [*map(str, seen(table).tabletop.physical_instructions)] == [
        "Move the red car from the supply to lane west1>A."
    ]
    count(table, "west1>A", blue=1, red=1)
    assert to_fix(table) == ["Put a signal in lane west1>A, pointing to lane A>B."]
    count(table, "west1>A")
    begun = seen(table).tabletop.begun_move
    assert begun
    assert begun.next_step == "Ann: enter the cars’ move on the phone, or put them back."


def test_the_piece_that_somebody_moves_for_it_is_put_back() -> None:
    """A piece that is moved in the companion's turn must go back, because only the companion knows its cards."""
    real = CommuteTable()
    space = real.by_one(0, "5D")
    real.lay(ANN, space, "moved")
    assert real.begun()
    real.table.hand_over(Seat(0), "careful")
    (fix,) = to_fix(real.table)
    assert fix.endswith("put it in house A.")


def test_the_card_that_somebody_discards_for_it_is_put_back() -> None:
    """A disaster that the companion could repair is discarded by somebody else. It must go back to its zone."""
    table = new_table()
    table.observe(MatSeen(t=0, mat="MAT-SF"))
    turn = int(seen(table).turn or 0)
    card = next(
        str(move.card)  # type: ignore[attr-defined]
        for move in seen(table, turn).choices.legal
        if move.NAME == "repair" and str(move.card).startswith("D")  # type: ignore[attr-defined]
    )
    table.observe(card_seen(f"SF-{card}", "discard"))
    assert seen(table).tabletop.begun_move
    table.hand_over(Seat(turn), "careful")
    assert [each for each in to_fix(table) if each.startswith(f"{card} is in the discard pile: put it")]


def test_the_hint_card_that_somebody_turns_over_for_it_is_turned_back() -> None:
    """A specification card that is turned down in the companion's turn is not the companion's hint."""
    real = SystemWonTable().deal()
    turn_over(real, "SW-SPEC5", "SW-SPEC5X")
    assert real.begun()
    real.table.hand_over(Seat(0), "careful")
    assert to_fix(real.table) == ["Turn a specification card in Specifications face up."]


def test_the_role_that_somebody_turns_over_for_it_is_turned_back() -> None:
    """A role card of the companion that is turned over is not a use of the ability, in anybody's turn."""
    real = SystemWonTable(roles="designer,engineer").deal()
    real.lay("SW-ENG", "roles")
    real.lay("SW-DES", "roles")
    engineer = Seat(real.state["roles"].index("engineer"))
    turn_over(real, "SW-ENG", "SW-ENGX", "roles")
    assert real.begun()
    real.table.hand_over(engineer, "careful")
    assert to_fix(real.table) == ["Turn the Engineer card in Roles face up."]


def test_a_card_of_unclear_meaning_asks_nobody_to_choose() -> None:
    """A card that may mean several moves of the companion is put back."""
    real = SystemWonTable().deal()
    real.lay("SW-R1C", "play")
    real.table.hand_over(Seat(0), "careful")
    assert [each for each in to_fix(real.table) if each.startswith("Red 1 is in Play: put it")]
