"""What everyone may see of the real table: which components the camera sees, and which of them are no secret.

Law: pure. A component is public if it lies where it belongs in the public layout, or if a message that everyone gets
names it. All others may be hidden cards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from companion.games.rules import SPECTATOR
from companion.match.match import Match
from companion.match.sighting_interpreter import SightingInterpreter
from companion.match.view_builder import tabletop_of_match
from companion.tabletop.component_outline import Outline
from companion.tabletop.discrepancy import Discrepancy
from companion.tabletop.mat import Mat
from companion.tabletop.tracked_table import TrackedTable


@dataclass(frozen=True)
class PublicTable:
    """What everyone may see of the real table at one moment.

    `act`: the version of the game after the last act that is in force. `visible`: the codes of all components that the
    camera sees. `public`: the outlines of those that everyone may see, by code; None if the game hides nothing.
    `is_right`: whether the table agrees with the match, as far as the camera can see."""

    game: int
    act: int
    mat: Mat
    visible: frozenset[str]
    public: Mapping[str, Outline] | None
    is_right: bool


def public_table(match: Match, table: TrackedTable, is_due: Callable[[Discrepancy], bool]) -> PublicTable | None:
    """What everyone may see of the real table; None while the mat of the game is not in view, or if the game is played
    on phones. `is_due`: as for `tabletop_of_match`."""
    tabletop = tabletop_of_match(match, SPECTATOR, table, is_due)
    view, components = tabletop.view, match.game.physical.components
    if view.is_on_phones or view.is_bare or not view.has_camera or components.mat is None:
        return None
    done = match.history.done
    public = public_codes(match, table, tabletop.discrepancies)
    return PublicTable(
        match.id,
        done[-1].version if done else 0,
        components.mat,
        frozenset(table.visible),
        {code: outline for code, outline in components.outlines.items() if code in public}
        if match.game.rules.has_hidden_information
        else None,
        is_right=not (view.awaits_camera or view.discrepancies or view.pending_discrepancies or view.begun_move),
    )


def public_codes(match: Match, table: TrackedTable, reported: tuple[Discrepancy, ...]) -> frozenset[str]:
    """The codes of the components in view that everyone may see. `reported`: the discrepancies that are reported to
    everyone. A discrepancy without a place on the mat is about a component that is not in view, or that may be
    secret."""
    named = {each.code for each in reported if each.at is not None}
    return frozenset({*SightingInterpreter(match, table).confirmed_codes(), *named} & table.visible.keys())
