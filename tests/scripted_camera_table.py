"""A table under a camera whose observations are made up by the test."""

from __future__ import annotations

from typing import Any

from companion.games.rules import REFEREE, Seat
from companion.games.view import View
from companion.match.journal import Journal
from companion.table.table import Table
from companion.tabletop.observations import CardGone
from tests.rendered_texts import english
from tests.systems_failing_tables import hasty_clock


class ScriptedCameraTable:
    """A table under a camera. Each observation is one second later than the previous one."""

    def __init__(self, journal: Journal | None = None) -> None:
        self.table, self.t = Table(journal or Journal(None), hasty_clock()), 0.0

    def take(self, code: str) -> None:
        """Reports that a component was picked up."""
        self.t += 1
        self.table.observe(CardGone(t=self.t, code=code))

    def move(self, seat: int, **move: object) -> None:
        """Makes a move on the phone of a seat."""
        self.table.submit(Seat(seat), {"seat": seat, **move})

    def view(self, viewer: Any = 0) -> View:
        view = self.table.view(viewer if isinstance(viewer, str) else Seat(viewer))
        assert view is not None
        return english(view)

    def discrepancies(self, viewer: Any = 0) -> list[str]:
        return [item.message for item in self.view(viewer).tabletop.discrepancies]

    def begun(self, viewer: Any = 0) -> str | None:
        """The next step of the begun move; None if no move was begun."""
        begun = self.view(viewer).tabletop.begun_move
        return str(begun.next_step) if begun else None

    @property
    def state(self) -> Any:
        return self.view(REFEREE).state


def everything_visible(view: View) -> tuple[object, ...]:
    """Everything that a viewer can read in a view. It must be equal in two worlds that the viewer can't tell apart."""
    return (
        view.state,
        view.choices.legal,
        view.choices.possible_moves,
        view.choices.explanations,
        view.tabletop.discrepancies,
        view.tabletop.begun_move,
        view.log,
        view.tabletop.physical_instructions,
        view.notice,
        view.prompt,
        view.meters,
    )
