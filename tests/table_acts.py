"""Acts for tests of a table of Systems Failing: sightings of cards, and turns that lead to a phase."""

from __future__ import annotations

from companion.games.rules import Seat
from companion.table.table import Table
from companion.tabletop.observations import CardSeen
from tests.systems_failing_tables import new_table, seen

SCAVENGE = {"seat": 0, "move": "scavenge"}


def card_seen(
    code: str, zone: str | None = "zone-1", change: str = "appeared", mm: tuple[float, float] = (0, 0)
) -> CardSeen:
    """The sighting of a card in a zone of the mat."""
    return CardSeen(t=0, code=code, zone=zone, mm=mm, angle=0, change=change)  # type: ignore[arg-type]


def table_deals_cards() -> Table:
    """A table at which people deal the cards."""
    return new_table(dealers={"cards": "table", "roles": "companion", "cubes": "companion"})


def to_phase(table: Table, phase: str) -> None:
    """Lets both players end their turns and the companion proceed, until `phase` is reached."""
    while (view := seen(table)).state["phase"] != phase:
        if view.choices.pause_label:
            table.proceed(Seat(0))
        else:
            table.submit(view.turn, {"seat": view.turn, "move": "end_turn"})  # type: ignore[arg-type]


def a_transfer(table: Table) -> dict[str, object]:
    """The JSON of a move in which seat 0 asks seat 1 for a cube that seat 1 has."""
    color = next(iter(seen(table).state["pools"][1]))
    return {"seat": 0, "move": "transfer", "color": color}
