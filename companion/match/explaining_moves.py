"""Explains differences between the table and the match by legal moves that a player may have made on the table. The
differences disappear once the player enters the move.

Law: pure. An explanation depends only on what lies on the table and on the position as its player knows it, so it
reveals nothing that is hidden from this player.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from companion.games.rules import HouseMove, Move, Seat, State
from companion.games.view import Explanation
from companion.match.cards_on_phones import layout_in_use
from companion.match.match import Match
from companion.match.sighting_interpreter import SightingInterpreter
from companion.tabletop.discrepancies import discrepancies
from companion.tabletop.discrepancy import Discrepancy
from companion.tabletop.discrepancy_timing import FixKey, fix_key
from companion.tabletop.expected_layout import Layout
from companion.tabletop.mat import Zone
from companion.tabletop.tracked_table import TrackedTable
from companion.text.refusal_errors import Refusal

MAX_EXPLANATIONS = 12


def explanations(
    match: Match, seat: Seat, table: TrackedTable, found: Sequence[Discrepancy], offered: Collection[Move] = ()
) -> tuple[Explanation, ...]:
    """The moves of a seat that would resolve some or all of the discrepancies `found` without causing others. Tokens
    may still have to be moved after such a move. Moves that the seat could make now come first. If this seat made the
    last move, moves that it could have made instead follow. `offered`: moves to leave out, because they are offered
    already."""
    if not found or match.state.turn is None:
        return ()
    offers = [each for each in moves_on_table(match, seat, table, found) if each.move not in offered]
    last = match.history.done[-1] if match.history.done else None
    if match.can_undo and last and last.steps[0].move.seat == seat:
        instead = _Search(match, last.before, seat, table, found).explaining()
        offers += [replace(each, replaces_last=True) for each in instead if each.move != last.steps[0].move]
    return tuple(offers[:MAX_EXPLANATIONS])


def moves_on_table(
    match: Match, seat: Seat, table: TrackedTable, found: Sequence[Discrepancy] | None = None
) -> tuple[Explanation, ...]:
    """The moves that a seat could make now and that would resolve some of the discrepancies `found`, or any if that is
    None."""
    if match.state.turn != seat:
        return ()
    search = _Search(match, match.state, seat, table, found)
    return (*search.explaining(), *search.with_visible_cards())


@dataclass(frozen=True)
class _Search:
    """The search for moves of a seat in the position `state` that explain discrepancies. See `moves_on_table`."""

    match: Match
    state: State
    seat: Seat
    table: TrackedTable
    found: Sequence[Discrepancy] | None

    def explaining(self) -> Iterator[Explanation]:
        """Yields the legal moves that leave their traces on the table and cause no other discrepancies."""
        if self.state.turn != self.seat:
            return iter(())
        known = self.state.as_known_to(self.seat)
        now, before = self._layout(self.match.state.as_known_to(self.seat)), self._layout(known)
        differences = self._differences(now)
        found = differences if self.found is None else self.found
        explaining = list[tuple[Move, State]]()
        for move, after in self._with_positions(known, self._own_moves(known)):
            layout = self._layout(after)
            explained = [each for each in found if self._is_right(each, layout)]
            if explained and self._shows(before, layout) and self._resolves(explained, differences, before, layout):
                explaining.append((move, after))
        return self._described(known, explaining)

    def with_visible_cards(self) -> Iterator[Explanation]:
        """Yields the moves that turn up a card which lies on the table and which nobody has seen before. If the match
        knew the cards of the hand, a wrong choice would open another card."""
        match, known = self.match, self.state.as_known_to(self.seat)
        dealt_unseen = [
            name for name in match.game.rules.face_down_sources if match.header.dealers.get(name) == "unseen"
        ]
        if not dealt_unseen:
            return iter(())
        context = self.table.context(known.turn)
        strays = [each.code for each in self.found or () if each.is_stray and each.code in self.table.visible]
        sightings = map(self.table.visible.__getitem__, strays)
        moves = (move for seen in sightings for move in match.game.physical.candidate_moves(known, seen, context))
        return self._described(known, [*self._with_positions(known, moves)])

    def _own_moves(self, known: State) -> Iterator[Move]:
        for move in known.legal_moves():
            if move.seat == self.seat and not isinstance(move, HouseMove) and move.consenting_seat() is None:
                yield move

    def _with_positions(self, known: State, moves: Iterable[Move]) -> Iterator[tuple[Move, State]]:
        """Yields each move with the position after it. Leaves out the moves that are illegal as far as their player
        knows, and those that would turn up a card without saying which. `known`: the position as the player knows
        it."""
        for move in moves:
            with suppress(Refusal):
                yield move, known.play(move)

    def _described(self, known: State, moves: Sequence[tuple[Move, State]]) -> Iterator[Explanation]:
        """Yields an explanation for each of `moves`. If several have the same line in the log, the label also says
        which card of the hand each of them plays, for example."""
        text, names = self.match.game.text, self.match.names
        lines = [text.log_line(known, move, after, self.seat, names) for move, after in moves]
        counts = Counter(map(str, lines))
        for (move, _after), line in zip(moves, lines, strict=True):
            way = text.label(known, move, self.seat, names)[1:] if counts[str(line)] > 1 else ()
            yield Explanation(move, (line, *way))

    def _layout(self, state: State) -> Layout:
        """The layout of a position as the player knows it."""
        return layout_in_use(self.match, self.table, self.match.game.physical.layout(state, self.seat))

    def _differences(self, layout: Layout) -> tuple[Discrepancy, ...]:
        """The discrepancies for a layout. Which cards were dealt to whom is left out, because the player may not
        know."""
        known = replace(SightingInterpreter(self.match, self.table).known_copies(), in_hands=())
        return discrepancies(layout, self.table, self.match.game.physical.components, self.match.names, known)

    def _is_right(self, found: Discrepancy, layout: Layout) -> bool:
        """Whether the component or the tokens of a discrepancy lie as `layout` says. Only if this quick test succeeds
        is the whole table compared with `layout`."""
        place, table = found.fix.place or "", self.table
        if found.fix.act == "count":
            counted = table.token_counts.get(place)
            return counted is not None and layout.tokens_in(place) == counted.tokens
        kinds = self.match.game.physical.components.kinds
        kind, seen = kinds.get(found.code, found.code), table.visible.get(found.code)
        if seen is None:
            return kind not in layout.cards.get(place, ())
        orientation = layout.orientations.get(seen.zone or "")
        return kind in layout.cards.get(seen.zone or "", ()) and (
            orientation is None or orientation.matches(seen.angle)
        )

    def _shows(self, before: Layout, after: Layout) -> bool:
        """Whether the table shows a trace of a move that leads from the layout `before` to the layout `after`: some
        place that the move changes is already as it is after the move, and was not so before the last act of the match,
        or people have done what that act asked for there. Without a trace, they have merely not done it yet."""
        mat, acts, table = self.match.game.physical.components.mat, self.match.history.acts, self.table
        earlier = self._layout(acts[-1].before.as_known_to(self.seat)) if acts else None
        zones = [zone for zone in (mat.zones if mat else ()) if _differ(zone.name, before, after)]
        counted = [place for place in table.token_counts if before.tokens_in(place) != after.tokens_in(place)]
        return any(
            self._is_as_in(after, zone) and not (earlier and self._is_as_in(earlier, zone)) for zone in zones
        ) or any(
            table.counts_match(place, after)
            and not (earlier and place not in table.counted_right and table.counts_match(place, earlier))
            for place in counted
        )

    def _is_as_in(self, layout: Layout, zone: Zone) -> bool:
        """Whether a zone is as in a layout. An empty zone is only if something has been taken out of it."""
        if not layout.cards.get(zone.name):
            return self.table.was_emptied(zone)
        return self.table.zone_matches(zone, layout, self.match.game.physical.components.kinds)

    def _resolves(
        self, explained: Sequence[Discrepancy], differences: Sequence[Discrepancy], before: Layout, after: Layout
    ) -> bool:
        """Whether a move from the layout `before` to the layout `after` resolves the discrepancies `explained` without
        causing others. If it explains a component, people may still have to move the tokens: then they lie as before
        the move. `differences`: the discrepancies now."""
        left = {fix_key(each): each for each in self._differences(after)}
        caused = [each for key, each in left.items() if key not in _keys(differences)]
        if any(each.fix.act != "count" for each in explained):
            caused = [each for each in caused if not self._awaits_tokens(each, before, after)]
        return not caused and not _keys(explained) & left.keys()

    def _awaits_tokens(self, found: Discrepancy, before: Layout, after: Layout) -> bool:
        """Whether a discrepancy after a move means that people have yet to move the tokens of one of its places."""
        place = found.fix.place or ""
        is_changed = before.tokens_in(place) != after.tokens_in(place)
        return found.fix.act == "count" and is_changed and self.table.counts_match(place, before)


def _differ(zone: str, one: Layout, other: Layout) -> bool:
    """Whether two layouts differ in a zone."""
    contents = [(layout.cards.get(zone, ()), layout.orientations.get(zone)) for layout in (one, other)]
    return contents[0] != contents[1]


def _keys(found: Collection[Discrepancy]) -> Collection[FixKey]:
    return {fix_key(each) for each in found}
