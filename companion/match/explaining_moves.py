"""Explains discrepancies by legal moves that a player may have made on the table. The discrepancies disappear once the
player enters the move.

Law: pure. An explanation depends only on what lies on the table and on the position as its player knows it, so it
reveals nothing that is hidden from this player.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from companion.games.rules import HouseMove, Move, Seat, State
from companion.games.view import Explanation
from companion.match.cards_on_phones import layout_in_use
from companion.match.match import Match
from companion.match.sighting_interpreter import SightingInterpreter
from companion.tabletop.discrepancies import discrepancies
from companion.tabletop.discrepancy import Discrepancy
from companion.tabletop.discrepancy_timing import FixKey, fix_key
from companion.tabletop.expected_layout import Layout
from companion.tabletop.tracked_table import TrackedTable
from companion.text.refusal_errors import Refusal

MAX_EXPLANATIONS = 6


def explanations(
    match: Match, seat: Seat, table: TrackedTable, found: Sequence[Discrepancy], offered: Collection[Move] = ()
) -> tuple[Explanation, ...]:
    """The moves of a seat that would resolve some or all of the discrepancies `found` without causing others. Tokens
    may still have to be moved after such a move. Moves that the seat could make now come first. If this seat made the
    last move, moves that it could have made instead follow. `offered`: moves to leave out, because they are offered
    already."""
    if not found:
        return ()
    offers = [*_explaining(match, match.state, seat, table, found, replaces_last=False)]
    last = match.history.done[-1] if match.history.done else None
    if match.can_undo and last and last.steps[0].move.seat == seat:
        offers += _explaining(match, last.before, seat, table, found, replaces_last=True)
    return tuple([each for each in offers if each.replaces_last or each.move not in offered][:MAX_EXPLANATIONS])


def _explaining(
    match: Match, state: State, seat: Seat, table: TrackedTable, found: Sequence[Discrepancy], *, replaces_last: bool
) -> Iterator[Explanation]:
    if state.turn != seat:
        return
    known = state.as_known_to(seat)
    explaining = list[tuple[Move, State]]()
    before = _differences(match, layout_in_use(match, table, match.layout(seat)), table)
    for move, after in _with_positions(known, _own_moves(known, seat)):
        layout = layout_in_use(match, table, match.game.physical.layout(after, seat))
        explained = [each for each in found if _is_right(each, layout, match, table)]
        if explained and _resolves(explained, before, _differences(match, layout, table)):
            explaining.append((move, after))
    if not replaces_last:
        explaining += _with_positions(known, _moves_with_visible_cards(match, known, table, found))
    lines = [match.game.text.log_line(known, move, after, seat, match.names) for move, after in explaining]
    counts = Counter(map(str, lines))
    for (move, _after), line in zip(explaining, lines, strict=True):
        # Which card of a hand it was makes a difference to the player, even where the log does not mention it.
        way = match.game.text.label(known, move, seat, match.names)[1:] if counts[str(line)] > 1 else ()
        yield Explanation(move, (line, *way), replaces_last)


def _with_positions(known: State, moves: Iterable[Move]) -> Iterator[tuple[Move, State]]:
    """Yields each move with the position after it. Leaves out the moves that are illegal as far as their player knows,
    and those that would turn up a card without saying which. `known`: the position as the player knows it."""
    for move in moves:
        with suppress(Refusal):
            yield move, known.play(move)


def _own_moves(known: State, seat: Seat) -> Iterator[Move]:
    for move in known.legal_moves():
        if move.seat == seat and not isinstance(move, HouseMove) and move.consenting_seat() is None:
            yield move


def _moves_with_visible_cards(
    match: Match, known: State, table: TrackedTable, found: Sequence[Discrepancy]
) -> Iterator[Move]:
    """Yields the moves that turn up a card which lies on the table now, and which its player does not know. `known`:
    the position as the player knows it."""
    if not match.game.rules.has_hidden_information:
        return
    context = table.context(known.turn)
    strays = [table.visible[each.code] for each in found if each.is_stray and each.code in table.visible]
    yield from (move for seen in strays for move in match.game.physical.candidate_moves(known, seen, context))


def _resolves(
    explained: Sequence[Discrepancy], before: Collection[Discrepancy], after: Collection[Discrepancy]
) -> bool:
    """Whether a move resolves the discrepancies `explained` without causing others. `before`, `after`: the
    discrepancies before and after the move. If the move explains a component, tokens may still have to be moved."""
    left = {fix_key(each): each for each in after}
    caused = [each for key, each in left.items() if key not in _keys(before)]
    are_tokens_expected = any(each.fix.act != "count" for each in explained)
    caused = [each for each in caused if not (are_tokens_expected and each.fix.act == "count")]
    return not caused and not _keys(explained) & left.keys()


def _keys(found: Collection[Discrepancy]) -> Collection[FixKey]:
    return {fix_key(each) for each in found}


def _differences(match: Match, layout: Layout, table: TrackedTable) -> tuple[Discrepancy, ...]:
    """The discrepancies for a layout. Which cards were dealt to whom is left out, because the player may not know."""
    known = replace(SightingInterpreter(match, table).known_copies(), in_hands=())
    return discrepancies(layout, table, match.game.physical.components, match.names, known)


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
