"""Explains discrepancies by legal moves that a player may have made on the table. The discrepancies disappear once the
player enters the move.

Law: pure. Games with hidden information have no explanations, because these could reveal what a seat may not know.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from companion.games.rules import HouseMove, Seat, State
from companion.games.view import Explanation
from companion.match.match import Match
from companion.match.sighting_interpreter import SightingInterpreter
from companion.tabletop.discrepancies import discrepancies
from companion.tabletop.discrepancy import Discrepancy
from companion.tabletop.discrepancy_timing import fix_key
from companion.tabletop.expected_layout import Layout
from companion.tabletop.tracked_table import TrackedTable

MAX_EXPLANATIONS = 6


def explanations(
    match: Match, seat: Seat, table: TrackedTable, found: Sequence[Discrepancy]
) -> tuple[Explanation, ...]:
    """The moves of a seat that would resolve some or all of the discrepancies `found` without causing others. Moves
    that the seat could make now come first. If this seat made the last move, moves that it could have made instead
    follow."""
    if match.game.rules.has_hidden_information or not found:
        return ()
    offers = [*_explaining(match, match.state, seat, table, found, replaces_last=False)]
    last = match.history.done[-1] if match.history.done else None
    if match.can_undo and last and last.steps[0].move.seat == seat:
        offers += _explaining(match, last.before, seat, table, found, replaces_last=True)
    return tuple(offers[:MAX_EXPLANATIONS])


def _explaining(
    match: Match, state: State, seat: Seat, table: TrackedTable, found: Sequence[Discrepancy], *, replaces_last: bool
) -> Iterator[Explanation]:
    known = {fix_key(each) for each in found}
    for move in state.legal_moves() if state.turn == seat else ():
        if move.seat != seat or isinstance(move, HouseMove) or move.consenting_seat() is not None:
            continue
        after = state.play(move)
        layout = match.game.physical.layout(after, seat)
        if any(_is_right(each, layout, match, table) for each in found):
            left = {fix_key(each) for each in _differences(match, layout, table)}
            if left < known:
                line = match.game.text.log_line(state, move, after, seat, match.names)
                yield Explanation(move, (line,), replaces_last)


def _differences(match: Match, layout: Layout, table: TrackedTable) -> tuple[Discrepancy, ...]:
    components = match.game.physical.components
    return discrepancies(layout, table, components, match.names, SightingInterpreter(match, table).known_copies())


def _is_right(found: Discrepancy, layout: Layout, match: Match, table: TrackedTable) -> bool:
    """Whether the component or the tokens of a discrepancy lie as `layout` says. Only if this quick test succeeds is
    the whole table compared with `layout`."""
    place = found.fix.place or ""
    if found.fix.act == "count":
        counted = table.token_counts.get(place)
        return counted is not None and {k: n for k, n in layout.tokens.get(place, {}).items() if n} == counted.tokens
    kind, seen = match.game.physical.components.kinds.get(found.code, found.code), table.visible.get(found.code)
    if seen is None:
        return kind not in layout.cards.get(place, ())
    orientation = layout.orientations.get(seen.zone or "")
    return kind in layout.cards.get(seen.zone or "", ()) and (orientation is None or orientation.matches(seen.angle))
