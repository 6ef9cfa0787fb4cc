"""The tracked table: the last known place of every component, computed from all observations so far.

Law: pure. Only moves change the match; `companion.tabletop.discrepancies` compares the tracked table with the layout.

A sighting says only what the camera sees. The tracked table adds what follows from earlier sightings: in whose turn a
component was put down, and whether it was turned over. A game receives both a sighting and its `SightingContext`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

from companion.tabletop.copy_assignment import ZonesByCode
from companion.tabletop.expected_layout import Layout
from companion.tabletop.mat import Mat, Zone
from companion.tabletop.observations import (
    CardGone,
    CardHidden,
    CardInView,
    CardSeen,
    MatSeen,
    Observation,
    TokensCounted,
)
from companion.tabletop.sighting_context import SightingContext, Turn
from companion.tabletop.stacked_components import (
    Departures,
    departures_after,
    hidden_below,
    is_uncovered,
    returned_above,
    was_lifted,
)

T = TypeVar("T")

TOKENS: Final = "tokens"
"""The entry in `TrackedTable.ignored` that means all tokens."""
FLIP_RADIUS_MM = 60.0
"""A card that is turned over comes to rest at most this far from its old place: about a card's width."""
MAX_NUDGE_DEGREES = 30.0
"""A component that was rotated by at least this much was turned on purpose. A smaller rotation may be an accident, a
nudge."""
MAX_SHIFT_MM = 8.0
"""A component that shifts by at most this much, and comes to lie at most this far outside its zone, counts as still in
its zone. A camera that was knocked sees every component shifted by a few millimeters."""
MAX_SHIFT_DEGREES = 4.0
"""A component that shifts and turns by at most this much keeps its angle. Otherwise one that lies askew might seem to
point elsewhere after the camera was knocked."""
TOKENS_PUT_DOWN_S = 30.0
"""People put tokens on a component at most this many seconds before or after the act that asks for it."""


@dataclass(frozen=True)
class TrackedTable:
    """The state of the table as the camera has reported it so far."""

    mat: str | None = None
    """The name of the mat in view; None if no mat is in view."""
    mat_seen_at: float = 0.0
    """When the camera last reported this mat, in seconds on the table's clock."""
    is_searched: bool = True
    """Whether the camera has looked at the whole table since it started. Until then, nobody knows whether the table
    matches the game. Also True if there is no camera, or if the camera has found no mat."""
    visible: Mapping[str, CardSeen] = field(default_factory=dict)
    """The last sighting of every code that has not left, by code."""
    last_seen: Mapping[str, CardSeen] = field(default_factory=dict)
    """The last sighting of every code, including codes that have left."""
    in_view_at: Mapping[str, float] = field(default_factory=dict)
    """For each code that was read again after another component came to rest near it: when it was last read again, in
    seconds on the device's clock. A component that came to rest before that time does not cover the code."""
    hidden: frozenset[str] = frozenset()
    """The codes in `visible` that the camera has reported as hidden and has not seen since. The camera can't tell
    whether their components are still there."""
    neighbors_of_gone: Mapping[str, Collection[str]] = field(default_factory=dict)
    """Maps each code that has left its zone, and has not come back or been seen where it belongs since, to the other
    codes that lay in its zone at that moment. If it has left several zones since, they are those of all of them."""
    token_counts: Mapping[str, TokensCounted] = field(default_factory=dict)
    """The last count of the tokens in each place. The count of the tokens on a component is forgotten when the
    component moves or is out of view."""
    turns: Mapping[str, Turn] = field(default_factory=dict)
    """The turn in which each visible code came to rest; None for components that lay there when the camera started."""
    flips: frozenset[str] = frozenset()
    """The codes whose last sighting showed that the component was turned over where it lay."""
    recent_flips: frozenset[str] = frozenset()
    """The codes that have come into view since the last act because their components were turned over."""
    recently_gone: frozenset[str] = frozenset()
    """The codes that have gone out of view since the last act."""
    below_tokens: frozenset[str] = frozenset()
    """The codes that went out of view when an act put tokens on their components. The tokens may hide them."""
    sent_home: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """For each pile whose cards an act has sent home, for example to be the new deck: their kinds, with the top card
    first. People may still have to pick these cards up."""
    tokens_added_at: Mapping[str, float] = field(default_factory=dict)
    """For each kind of component: when an act last put tokens on it, in seconds on the table's clock."""
    changed_at: Mapping[str, float] = field(default_factory=dict)
    """When each code last changed, in seconds on the table's clock."""
    counted_at: Mapping[str, float] = field(default_factory=dict)
    """When the count of the tokens in each place last changed, in seconds on the table's clock. A component has a time
    of its own for its tokens, which are counted some time after it has come to rest."""
    counted_right: frozenset[str] = frozenset()
    """The places where the camera has counted the tokens of the layout since the last act. There, people have done what
    the act asks for."""
    confirmed: frozenset[str] = frozenset()
    """The codes of cards that were seen when they were played, or where they belong, and that have not left play since.
    Such a card can't be dealt, whatever zone it is shown in."""
    placed: frozenset[str] = frozenset()
    """The codes of cards that were seen where they belong since they were last dealt. So these copies have left the
    hand that they were dealt to. The match may know only that some copy of the card has left a hand."""
    taken: tuple[Collection[str], ...] = ()
    """One entry for each card that an act took out of play while equal copies stay: the codes of the copies that may be
    this card. The copy that leaves its zone first counts as the card that was taken."""
    surplus: frozenset[str] = frozenset()
    """The codes of cards that lie where equal copies belong, but are not among those copies. They were put down for
    moves that were then undone, or put on a pile in which no copy was missing."""
    awaited: frozenset[str] = frozenset()
    """For each card that an act on a phone put on the table: the codes of all its copies, until one of the copies comes
    to rest where the card belongs."""
    departures: Departures = ()
    """The components that left their places a moment ago."""
    returned: Departures = ()
    """The components that had been lifted and were put back within the last UNCOVER_S seconds: when each was, on the
    table's clock, and its sighting."""
    uncovered: frozenset[str] = frozenset()
    """The codes of components that nobody put there: they were uncovered when the component on top of them was taken
    away."""
    below_returned: Mapping[str, str] = field(default_factory=dict)
    """For each hidden code that the camera thinks has gone: the code of the component that hides it."""
    lifted: frozenset[str] = frozenset()
    """The codes of components that must have been picked up, although the camera has not reported it: they are out of
    sight, and a component that lay below them is in view."""
    ignored: frozenset[str] = frozenset()
    """The codes of components that people have said to ignore, each until it is seen to move. If people have said that
    they play without tokens, this also contains TOKENS, until a token is seen."""
    phones_only: bool = False
    """Whether people have said that they play on phones only. Then nothing depends on what the camera sees."""
    has_tokens: bool = False
    """Whether the camera has ever been certain of a token. Then tokens are in use."""

    def is_in_view(self, mat: Mat) -> bool:
        """Whether `mat` is the mat in view."""
        return self.mat == mat.name

    def steadied(self, sighting: CardSeen, mat: Mat) -> CardSeen:
        """The sighting, with the component's earlier zone and angle if the component has only shifted, as in the
        picture of a camera that was knocked (see `MAX_SHIFT_MM` and `MAX_SHIFT_DEGREES`)."""
        before = self.visible.get(sighting.code)
        if before is None or sighting.distance_to(before) > MAX_SHIFT_MM:
            return sighting
        zone = next((zone for zone in mat.zones if zone.name == before.zone), None)
        if zone is not None and sighting.mm is not None and zone.distance(sighting.mm) <= MAX_SHIFT_MM:
            sighting = replace(sighting, zone=before.zone)
        is_turned = sighting.rotation_from(before) > MAX_SHIFT_DEGREES
        return sighting if is_turned else replace(sighting, angle=before.angle)

    def on_board(self, board_mat: Mat | None) -> TrackedTable:
        """The tracked table at the start of a new game: no tokens are counted yet, and every card may be dealt. If
        `board_mat`, the mat of the new game's board, is in view, each sighting gets the zone that it has on this
        mat."""
        visible = self.visible
        if board_mat is not None and self.is_in_view(board_mat):
            visible = {code: sighting.located_on(board_mat) for code, sighting in visible.items()}
        return replace(
            self,
            visible=visible,
            token_counts={},
            confirmed=frozenset(),
            taken=(),
            ignored=self.ignored & {TOKENS},
            surplus=frozenset(),
            awaited=frozenset(),
            sent_home={},
        )

    def with_confirmed(self, codes: Iterable[str]) -> TrackedTable:
        """The tracked table after the components with these codes were seen where they belong. Components that were
        seen there earlier stay confirmed."""
        if self.confirmed.issuperset(codes):
            return self
        return replace(
            self,
            confirmed=self.confirmed.union(codes),
            placed=self.placed.union(codes),
            neighbors_of_gone=_without_codes(self.neighbors_of_gone, *codes),
        )

    def with_placed(self, code: str) -> TrackedTable:
        """The tracked table after the card with this code was put down for a move, even if it has no place there any
        more because the pile has become the new deck."""
        return replace(self, placed=self.placed | {code})

    def with_ignored(self, code: str) -> TrackedTable:
        """The tracked table in which the component with this code is ignored until it is seen to move; if `code` is
        TOKENS, all tokens are ignored until one is seen."""
        return replace(self, ignored=self.ignored | {code})

    def left_at(self, zone: str) -> float | None:
        """When a component last left a zone and the camera's view, on the table's clock; None if none has."""
        gone = (code for code, seen in self.last_seen.items() if seen.zone == zone and code not in self.visible)
        return max((self.changed_at[code] for code in gone if code in self.changed_at), default=None)

    def with_tokens_added(self, kinds: Iterable[str], now: float) -> TrackedTable:
        """The tracked table after an act that put tokens on components of these kinds. `now`: the time on the table's
        clock, in seconds."""
        added = {**self.tokens_added_at, **dict.fromkeys(kinds, now)}
        hidden = (code for code in self.hidden.intersection(added) if added[code] == now)
        below = {code for code in hidden if now - self.changed_at.get(code, 0.0) <= TOKENS_PUT_DOWN_S}
        return replace(self, tokens_added_at=added, below_tokens=self.below_tokens | below)

    def _may_have_got_tokens(self, code: str, now: float) -> bool:
        """Whether an act has put tokens on the component with this code a moment ago."""
        added = self.tokens_added_at.get(code)
        return added is not None and now - added <= TOKENS_PUT_DOWN_S

    def after_step_back(
        self, withdrawn: Collection[str], redone: Collection[str], returned: Collection[str]
    ) -> TrackedTable:
        """The tracked table after acts were undone or redone. `withdrawn`: the codes of the cards that were put down
        for moves that are undone now. `redone`: the codes of the cards that were put down for moves that are in force
        again. `returned`: the codes of all copies of each kind of card that belongs on the table again. No such card
        has to be taken away any more."""
        still_there = self.surplus.union(withdrawn).difference(redone).intersection(self.visible)
        taken = tuple(copies for copies in self.taken if not set(copies) & set(returned))
        return replace(self.without_turns(self.visible), taken=taken, surplus=still_there, awaited=frozenset())

    def with_uncovered(self, code: str, now: float) -> TrackedTable:
        """The tracked table after the component with this code has turned out to be uncovered: it was there all the
        time, and nobody put it there. So what lay on top of it has been picked up. `now`: as in `with_lifted`."""
        table = replace(self.without_turns([code]), uncovered=self.uncovered | {code})
        for other in self.visible:
            if table._is_lifted(other):
                table = table.with_lifted(other, now)
        return table

    def as_sighting_if_returned(self, observation: Observation) -> Observation:
        """The observation, or a sighting in its place if it shows that a lifted component was put back where it was
        before."""
        match observation:
            case CardInView(t=t, code=code) if code in self.lifted:
                return replace(self.last_seen[code], t=t, change="appeared", was_initially_present=False)
        return observation

    def with_lifted(self, code: str, now: float) -> TrackedTable:
        """The tracked table after it has turned out that the component with this code was picked up, although the
        camera has not reported it. `now`: the time on the table's clock, in seconds."""
        gone = self._after_departure(code, None, now) if code in self.visible else self
        return replace(gone, lifted=self.lifted | {code})

    def with_surplus(self, code: str) -> TrackedTable:
        """The tracked table in which the card with this code is surplus where it lies."""
        return replace(self, surplus=self.surplus | {code})

    def without_surplus(self, codes: Collection[str]) -> TrackedTable:
        """The tracked table after an act that makes room for the cards with these codes. None of them is surplus."""
        return replace(self, surplus=self.surplus.difference(codes))

    def after_deal(self, code: str, equal_copies: Collection[str]) -> TrackedTable:
        """The tracked table after a card was dealt. `equal_copies`: the codes of all copies of this card. If one of
        them was surplus where the dealt card lay before, it is not any more."""
        neighbors = set(self.neighbors_of_gone.get(code, ()))
        return replace(
            self,
            placed=self.placed - {code},
            confirmed=self.confirmed - {code},
            surplus=self.surplus - neighbors.intersection(equal_copies),
            neighbors_of_gone=_without_codes(self.neighbors_of_gone, code),
        )

    def after_removal(self, codes: Collection[str], taken: tuple[Collection[str], ...] = ()) -> TrackedTable:
        """The tracked table after an act took the cards with these codes out of play. While these cards stay where they
        are now, they are not read as moves. They may be dealt again. `taken`: see the field."""
        confirmed = self.confirmed.difference(codes)
        return replace(self.without_turns(codes), confirmed=confirmed, taken=self.taken + taken)

    def without_turns(self, codes: Iterable[str]) -> TrackedTable:
        """The tracked table without the turns in which the components with these codes came to rest. A later nudge of
        one of these components is then not mistaken for a move."""
        return replace(self, turns=_without_codes(self.turns, *codes))

    def after(
        self,
        observation: Observation,
        turn: Turn = None,
        other_side: Mapping[str, str] | None = None,
        piles: Collection[str] = (),
        now: float = 0.0,
    ) -> TrackedTable:
        """The tracked table after one more observation. `turn`: whose turn it is. `other_side`: maps each code to the
        code on the component's other side, if there is one. `piles`: the zones in which the component may have lain
        below others. `now`: the time on the table's clock, in seconds."""
        match observation:
            case CardSeen(code=code) if code in self.lifted:
                back = self._after_return(observation, now)
                return back.after(observation, turn, other_side, piles, now)
            case CardSeen(code=code) if code in self.below_returned.values() and self._has_left(observation):
                left = self._without_what_lay_below(code, turn, now)
                return left.after(observation, turn, other_side, piles, now)
            case CardSeen(code=code):
                was_below = is_uncovered(observation, self.last_seen.get(code), self.departures, now)
                is_new_top = observation.zone in piles and was_below
                flip = {code} if self._is_flip(observation, other_side or {}) else set[str]()
                has_left = self._has_left(observation)
                # Nobody can nudge a card that lies below others.
                was_buried = code in self.hidden and observation.zone in piles and not was_below
                is_nudge = self._is_nudge_in_place(observation) and not was_buried
                surplus = self.surplus if is_nudge else self.surplus - {code}
                its_turn = turn if was_buried else self._turn_of(observation, turn)
                neighbors_of_gone = self.neighbors_of_gone
                if has_left:
                    neighbors_of_gone = {**neighbors_of_gone, code: self._neighbors_so_far(code)}
                elif code in self.last_seen and self.last_seen[code].zone == observation.zone:
                    neighbors_of_gone = _without_codes(neighbors_of_gone, code)
                is_in_place = code in self.visible and observation.change == "appeared"
                return replace(
                    self._without_taken(code) if has_left else self,
                    token_counts=self.token_counts if is_in_place else _without_codes(self.token_counts, code),
                    visible={**self.visible, code: observation},
                    last_seen={**self.last_seen, code: observation},
                    neighbors_of_gone=neighbors_of_gone,
                    in_view_at=_without_codes(self.in_view_at, code),
                    hidden=self.hidden - {code},
                    below_tokens=self.below_tokens - {code},
                    below_returned=_without_codes(self.below_returned, code),
                    turns={**self.turns, code: None if is_new_top else its_turn},
                    departures=self._departures_after(None if is_nudge else code, turn, now),
                    uncovered=self.uncovered | {code} if is_new_top else self.uncovered - {code},
                    flips=(self.flips - {code}) | flip,
                    recent_flips=self.recent_flips | flip,
                    changed_at={**self.changed_at, code: now},
                    ignored=self.ignored - {code},
                    surplus=surplus,
                )
            case CardGone(code=code) if above := self._returned_above(code, now):
                hidden = self._after_hiding(code, now)
                return replace(hidden, below_returned={**self.below_returned, code: above})
            case CardGone(code=code) if code in self.visible:
                return self._after_departure(code, turn, now)
            case CardInView(t=t, code=code) if code in self.visible:
                return replace(self, in_view_at={**self.in_view_at, code: t}, hidden=self.hidden - {code})
            case CardHidden(code=code) if self._is_lifted(code):
                return self.with_lifted(code, now)
            case CardHidden(code=code) if code in self.visible:
                return self._after_hiding(code, now)
            case TokensCounted(place=place):
                before = self.token_counts.get(place)
                is_same = before is not None and before.tokens == observation.tokens
                shows_token = observation.certainty == "certain" and bool(observation.tokens)
                return replace(
                    self,
                    token_counts={**self.token_counts, place: observation},
                    counted_at=self.counted_at if is_same else {**self.counted_at, place: now},
                    has_tokens=self.has_tokens or shows_token,
                    ignored=self.ignored - {TOKENS} if shows_token else self.ignored,
                )
            case MatSeen(mat=mat, is_searched=is_searched):
                counts = self.token_counts if mat == self.mat else {}
                return replace(self, mat=mat, mat_seen_at=now, is_searched=is_searched, token_counts=counts)
        return self

    def _after_departure(self, code: str, turn: Turn, now: float) -> TrackedTable:
        """The tracked table after the visible component with this code has left its place, in this turn. What it has
        hidden leaves, too, if the camera thinks that it has gone. If it is still there, the camera sees it now."""
        table = self._without_what_lay_below(code, turn, now)
        return replace(
            table._without_taken(code),
            token_counts=_without_codes(table.token_counts, code),
            visible=_without_codes(table.visible, code),
            neighbors_of_gone={**table.neighbors_of_gone, code: table._neighbors_so_far(code)},
            in_view_at=_without_codes(table.in_view_at, code),
            hidden=table.hidden - {code},
            turns=_without_codes(table.turns, code),
            departures=table._departures_after(code, turn, now),
            recently_gone=table.recently_gone | {code},
            changed_at={**table.changed_at, code: now},
            ignored=table.ignored - {code},
            surplus=table.surplus - {code},
        )

    def _without_what_lay_below(self, code: str, turn: Turn, now: float) -> TrackedTable:
        """The tracked table without the components that the camera has reported as gone when the one with this code,
        which leaves now, had just been put back on them."""
        table = replace(self, below_returned={low: up for low, up in self.below_returned.items() if up != code})
        for below, above in self.below_returned.items():
            if above == code and below in table.hidden:
                table = table._after_departure(below, turn, now)
        return table

    def _after_hiding(self, code: str, now: float) -> TrackedTable:
        """The tracked table after something has hidden the visible component with this code."""
        below = {code} if self._may_have_got_tokens(code, now) else set[str]()
        return replace(
            self,
            token_counts=_without_codes(self.token_counts, code),
            hidden=self.hidden | {code},
            below_tokens=self.below_tokens | below,
            changed_at={**self.changed_at, code: now},
        )

    def _departures_after(self, code: str | None, turn: Turn, now: float) -> Departures:
        """The departures after the component with this code has left its place in this turn. `code`: None if none has
        left."""
        left = self.visible.get(code or "")
        return departures_after(self.departures, left, now, was_new=code in self.put_down_in(turn))

    def _neighbors_so_far(self, code: str) -> Collection[str]:
        """The codes of the other visible components in the zone of the visible component with this code. If it had left
        another zone before, those that lay there then are included."""
        zone, earlier = self.visible[code].zone, self.neighbors_of_gone.get(code, ())
        here = (other for other, seen in self.visible.items() if other != code and seen.zone == zone)
        return frozenset(here).union(earlier)

    def _without_taken(self, code: str) -> TrackedTable:
        """The tracked table after the component with this code has left its zone. If an act took one of several equal
        copies out of play, and this component may be that copy, it now counts as that copy and may be dealt again. The
        other copies then count as not taken."""
        copies = next((copies for copies in self.taken if code in copies), None)
        if copies is None:
            return self
        others = list(self.taken)
        others.remove(copies)
        return replace(self, confirmed=self.confirmed - {code}, taken=tuple(others))

    def _turn_of(self, sighting: CardSeen, turn: Turn) -> Turn:
        """The turn in which the sighted component came to rest. A nudge keeps the earlier turn. The turn of a component
        that lay there when the camera started is unknown."""
        before = self.visible.get(sighting.code)
        is_nudge = before and sighting.change == "moved" and sighting.zone == before.zone
        if before and is_nudge and sighting.rotation_from(before) < MAX_NUDGE_DEGREES:
            return self.turns.get(sighting.code)
        return None if sighting.was_initially_present else turn

    def _is_nudge_in_place(self, sighting: CardSeen) -> bool:
        """Whether the sighted component has hardly moved, so nobody can have put it down again."""
        before = self.visible.get(sighting.code)
        return before is not None and before.zone == sighting.zone and sighting.distance_to(before) <= MAX_SHIFT_MM

    def _has_left(self, sighting: CardSeen) -> bool:
        """Whether the sighted component has left the zone where it was."""
        return sighting.code in self.visible and self.visible[sighting.code].zone != sighting.zone

    def _is_lifted(self, code: str) -> bool:
        """Whether a component that the camera reports as hidden has been picked up."""
        return code in self.visible and was_lifted(
            self.visible[code], (self.visible[other] for other in self.uncovered.intersection(self.visible))
        )

    def _after_return(self, sighting: CardSeen, now: float) -> TrackedTable:
        """The tracked table just before the sighting of a component that was lifted. What it hides is still there."""
        uncovered = tuple(each for each in self.departures if each.seen.code in self.uncovered)
        below = hidden_below(sighting, uncovered, now)
        return replace(
            self,
            visible={**self.visible, **below},
            hidden=self.hidden.union(below),
            below_returned={**self.below_returned, **dict.fromkeys(below, sighting.code)},
            lifted=self.lifted - {sighting.code},
            departures=(),
            returned=departures_after(self.returned, sighting, now),
        )

    def _returned_above(self, code: str, now: float) -> str | None:
        """The code of a component that had been lifted and has just been put back, and that hides one that the camera
        reports as gone. The camera may think that the former lay there all the time, below the others."""
        return returned_above(self.visible[code], self.returned, now) if code in self.visible else None

    def _is_flip(self, sighting: CardSeen, other_side: Mapping[str, str]) -> bool:
        """Whether the sighting shows a component that was turned over where it lay: its other side was last seen near
        there, and this side has not been seen since."""
        other = self.last_seen.get(other_side.get(sighting.code, ""))
        same = self.last_seen.get(sighting.code)
        if sighting.change == "turned" or other is None or other.mm is None or sighting.mm is None:
            return False
        has_returned = same is not None and same.t > other.t
        return not has_returned and math.dist(other.mm, sighting.mm) < FLIP_RADIUS_MM

    def context(
        self, turn: Turn = None, deal_numbers: Mapping[str, int] | None = None, codes_ever_dealt: Collection[str] = ()
    ) -> SightingContext:
        """The context of the latest sighting: what a game may know besides the sighting itself. `turn`: whose turn it
        is. `deal_numbers` and `codes_ever_dealt`: see `SightingContext`."""
        by_time = sorted(self.visible.values(), key=lambda sighting: sighting.t)
        zones = {sighting.code: sighting.zone for sighting in by_time}
        return SightingContext(
            zones, self.flips, self.recent_flips, self.put_down_in(turn), deal_numbers or {}, codes_ever_dealt
        )

    def put_down_in(self, turn: Turn) -> frozenset[str]:
        """The codes of the components that came to rest in the current turn. `turn`: whose turn it is. If that is None
        (unknown, or the game is over), the result is empty."""
        return frozenset(code for code, its_turn in self.turns.items() if turn is not None and its_turn == turn)

    @property
    def zones_by_code(self) -> ZonesByCode:
        """The zone of every visible code, in the order in which the components came to rest. Hidden codes come first,
        because what hides them was put there later."""
        in_order = sorted(self.visible.values(), key=lambda seen: (seen.code not in self.hidden, seen.t))
        return {seen.code: seen.zone for seen in in_order}

    def codes_in(self, mat: Mat, zone: str) -> tuple[str, ...]:
        """The visible codes in a zone, in the zone's order: left to right, or top to bottom."""
        axis = 0 if mat.zone(zone).order == "right" else 1
        here = [seen for seen in self.visible.values() if seen.zone == zone and seen.mm]
        return tuple(seen.code for seen in sorted(here, key=lambda seen: seen.mm[axis] if seen.mm else 0.0))

    def zone_matches(self, zone: Zone, layout: Layout, kinds: Mapping[str, str]) -> bool:
        """Whether the visible components in a zone are those of the layout, facing the right way. In a pile, only the
        top card matters. False for a zone that should be empty."""
        expected, orientation = layout.cards.get(zone.name, ()), layout.orientations.get(zone.name)
        if not expected:
            return False
        here = [seen for seen in self.visible.values() if seen.zone == zone.name]
        if orientation and not all(orientation.matches(seen.angle) for seen in here):
            return False
        found = Counter(kinds.get(seen.code, seen.code) for seen in here)
        if zone.order == "pile":
            return found[expected[0]] >= expected.count(expected[0])
        return found == Counter(expected)

    def was_emptied(self, zone: Zone) -> bool:
        """Whether a component was seen in a zone, and none is there any more."""
        has_left = any(seen.zone == zone.name for code, seen in self.last_seen.items() if code not in self.visible)
        return has_left and not any(seen.zone == zone.name for seen in self.visible.values())

    def counts_match(self, place: str, layout: Layout) -> bool:
        """Whether the camera is certain that a place holds the tokens of the layout."""
        counted = self.token_counts.get(place)
        return counted is not None and counted.certainty == "certain" and counted.tokens == layout.tokens_in(place)


def _without_codes(by_code: Mapping[str, T], *codes: str) -> Mapping[str, T]:
    return {code: value for code, value in by_code.items() if code not in codes}
