"""Interprets sightings in a match: which moves they mean, whether the match already contains these moves, and which
cards may be dealt.

Law: pure. Some results depend on hidden cards. Results that everyone is shown depend only on the public layout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from companion.games.rules import HOUSE, REFEREE, SPECTATOR, HouseMove, Move
from companion.match.card_copy_locations import has_come_to_table
from companion.match.match import Match
from companion.tabletop.begun_move import BegunMove
from companion.tabletop.components import ComponentSet
from companion.tabletop.copy_assignment import KnownCopies, assign_copies
from companion.tabletop.expected_layout import Layout
from companion.tabletop.observations import CardSeen, Observation
from companion.tabletop.stacked_components import was_lifted
from companion.tabletop.tracked_table import TrackedTable
from companion.text.messages import PlayerName, _

MAX_UNREAD_S = 3.0
"""A card that is uncovered is read within this time."""
ADJUSTING_S = 5.0
"""Whoever has put down or turned a component that must point in some direction, and adjusts it, does so within this
time, in seconds. The next player, who must first see where it points and choose a move, takes longer to turn it."""


@dataclass(frozen=True)
class SightingInterpreter:
    """The tracked table, compared with a match. If a method is given a sighting, `table` must already include it.
    `companion_seats`: the seats that the companion plays."""

    match: Match
    table: TrackedTable
    companion_seats: Collection[int] = ()

    def possible_meanings(self, sighting: CardSeen) -> tuple[Move, ...]:
        """The moves that a misplaced component may mean; none if it was not put down in this turn for a new move."""
        state = self.match.state
        if self.table.turns.get(sighting.code) != state.turn:
            return ()
        return tuple(self.match.game.physical.candidate_moves(state, sighting, self.table.context(state.turn)))

    def meaning_of(self, sighting: CardSeen) -> Move | None:
        """The move that a sighting means; None if it means none."""
        state = self.match.state
        history = self.match.history
        context = self.table.context(state.turn, self._deal_numbers(sighting), history.codes_ever_dealt())
        read_deals = {*history.deal_numbers().values()}
        dealers = self.match.header.dealers
        on_phones = {
            source for source in self.match.game.rules.chance_sources if dealers.get(source, "companion") == "companion"
        }
        return self.match.game.physical.meaning_of(
            state, sighting, replace(context, read_deals=read_deals, dealt_on_phones=on_phones)
        )

    def follow_up(self) -> Move | None:
        """The move that people have already made on the table together with the last one; None if there is none. Nobody
        makes moves for the companion."""
        state = self.match.state
        if state.turn in self.companion_seats:
            return None
        return self.match.game.physical.follow_up(state, self.table.context(state.turn))

    def begun_move(self, unclear: Collection[str] = ()) -> BegunMove | None:
        """The move that people have begun on the table; None if they have begun none. Nobody begins a move for the
        companion: whatever differs then is to be put back. The result reveals no hidden information. `unclear`: the
        codes of components that may mean several moves. The player to move must then choose one on the phone."""
        mat, state = self._components.mat, self.match.state
        if mat is None or not self.table.is_in_view(mat) or not self.table.is_searched:
            return None
        begun = self.match.game.physical.begun_move(state.as_known_to(SPECTATOR), self.table)
        if begun is None and unclear and isinstance(state.turn, int):
            step = _(
                "{name}: choose on your phone which card it was, or pick it up again.", name=PlayerName(state.turn)
            )
            begun = BegunMove(state.turn, self.table.recent_flips.union(unclear), step)
        if begun is None or begun.seat in self.companion_seats or (begun.places and self._is_last_act_to_be_done()):
            return None
        return begun

    def _is_last_act_to_be_done(self) -> bool:
        """Whether people have yet to move the tokens of the last act: the camera is certain that some tokens are not
        those of the layout, and all of these are still those from before the act."""
        acts, counts = self.match.history.acts, self.table.token_counts
        if not acts or acts[-1].kind != "move":
            return False
        now = self.match.layout(SPECTATOR)
        before = self.match.game.physical.layout(acts[-1].before, SPECTATOR)
        wrong = [place for place, seen in counts.items() if seen.certainty == "certain"]
        wrong = [place for place in wrong if counts[place].tokens != now.tokens_in(place)]
        are_unmoved = (counts[place].tokens == before.tokens_in(place) for place in wrong)
        return bool(wrong) and all(are_unmoved) and self.table.counted_right.isdisjoint(wrong)

    def explaining_code(self, move: Move) -> str:
        """The code of a component that was put down in this turn and means this move; "" if there is none."""
        explaining = (seen for seen in self.table.visible.values() if move in self.possible_meanings(seen))
        return next((seen.code for seen in explaining), "")

    def can_be_dealt(self, code: str) -> bool:
        """Whether people may deal this component now: it is the house's turn, the component is in no hand and not on
        the table, and not every copy of it is in play. A card that was on the table may be dealt if the camera sees
        equal copies wherever any belong, or if people have left an equal copy there in its place. A card in a hand may
        be dealt if the deal of an equal copy was undone: people may have put this one back on the deck."""
        known, state, kinds = self.match.known_copies(), self.match.state, self._components.kinds
        in_hands = set(known.in_hands) - self.table.placed
        undone = {kinds.get(act.code) for act in self.match.history.undone if isinstance(act.steps[0].move, HouseMove)}
        if state.turn != HOUSE or (code in in_hands and kinds.get(code, code) not in undone):
            return False
        was_on_table = code in {*known.played, *self.table.confirmed} or has_come_to_table(self.match.history, code)
        if was_on_table and self._zones_without_copy(code) and not self._was_interchanged(code):
            return False
        in_play = self.match.layout(REFEREE).count(kinds.get(code, code))
        return in_play < sum(kind == kinds.get(code) for kind in kinds.values())

    def was_left_lying(self, sighting: CardSeen, before: TrackedTable) -> bool:
        """Whether the sighted card still lies where it lay when its deal was undone, even if it was pushed a little.
        Nobody has dealt it again. `before`: the tracked table before the sighting."""
        code, physical, undone = sighting.code, self.match.game.physical, self.match.history.undone
        moves = ((act.code, act.steps[0].move) for act in undone)
        dealt = {read or physical.component_of(move) for read, move in moves if isinstance(move, HouseMove)}
        earlier = before.visible.get(code)
        stays = sighting.was_initially_present or (earlier is not None and earlier.zone == sighting.zone)
        return stays and not dealt.isdisjoint({code, self._components.kinds.get(code, code)})

    def known_copies(self, put_down: Collection[str] = ()) -> KnownCopies:
        """The individual copies of cards whose places are known from the match and from the camera's sightings.
        `put_down`: the codes of cards that may mean new moves. Such a card counts as played only if the camera has
        seen it on the table since the camera started: before that, people may have swapped it for an equal copy."""
        table = self.table
        known = replace(self.match.known_copies(), surplus=table.surplus)
        known = known.without_interchanged(table.neighbors_of_gone, table.zones_by_code, self._components.kinds)
        unseen = {code for code in put_down if code not in table.confirmed}
        played = {*known.played} - unseen
        return replace(known, played=played, put_down=put_down, confirmed=table.confirmed)

    def confirmed_codes(self) -> Collection[str]:
        """The codes of the visible components that lie where they belong according to the public layout."""
        layout, visible = self._public_layout(), self.table.visible
        return [
            code
            for place, codes in layout.cards.items()
            for code in codes
            if code in visible and visible[code].zone == place
        ]

    def replaced_codes(self) -> Collection[str]:
        """The codes of confirmed cards that people have swapped for equal copies. Such a card is out of view, and the
        zone where it was last seen holds as many equal copies as belong there."""
        table, kinds = self.table, self._components.kinds
        gone = [code for code in table.confirmed if code not in table.visible and code in table.last_seen]
        return [
            code
            for code in gone
            if any(kinds.get(other) == kinds.get(code) for other in table.visible)
            and table.last_seen[code].zone not in self._zones_without_copy(code)
        ]

    def _was_interchanged(self, code: str) -> bool:
        """Whether the card with this code has left a zone in which people have left an equal copy in its place: the
        zone still holds as many equal copies as belong there."""
        table, kinds, cards = self.table, self._components.kinds, self.match.layout(SPECTATOR).cards
        kind = kinds.get(code, code)
        equal = [other for other in table.neighbors_of_gone.get(code, ()) if kinds.get(other) == kind]
        complete = {zone for zone, here in cards.items() if kind in here}.difference(self._zones_without_copy(code))
        return any(table.zones_by_code.get(other) in complete for other in equal)

    def belongs_to_earlier_move(self, sighting: CardSeen, before: TrackedTable) -> bool:
        """Whether the sighted card lies on the table for a move of an earlier turn, or for the last one that a phone
        reported. Putting it down once more, turning it a little, adjusting its direction right away, turning it after a
        move on a phone, or laying an equal copy in its place begins no move. `before`: the tracked table before the
        sighting."""
        code, zone = sighting.code, sighting.zone
        if self._adjusts_last_move(sighting, before) or self._was_to_be_turned(sighting, before):
            return True
        if self._may_have_been_covered(sighting, before):
            return True
        if code in before.confirmed and sighting.change == "turned":
            layout = self._public_layout()
            return code in layout.cards.get(zone or "", ()) and zone not in layout.orientations
        known = {*before.confirmed, *before.awaited, *self.match.known_copies().played}
        is_replacement = self._belongs_in_view(sighting) and self._is_replacement(sighting)
        return is_replacement or (code in known and self.is_recorded(sighting))

    def _adjusts_last_move(self, sighting: CardSeen, before: TrackedTable) -> bool:
        """Whether somebody adjusts the direction of a component that has just been put down or turned for the last
        move. Nobody has begun to turn it for the next move. `before`: the tracked table before the sighting."""
        earlier, acts, zone = before.visible.get(sighting.code), self.match.history.acts, sighting.zone or ""
        if earlier is None or earlier.zone != zone or earlier.was_initially_present:
            return False
        has_begun = before.turns.get(sighting.code) == self.match.state.turn
        if has_begun or sighting.t - earlier.t > ADJUSTING_S or not acts or acts[-1].kind != "move":
            return False
        layouts = (self.match.game.physical.layout(state, SPECTATOR) for state in (acts[-1].before, acts[-1].after))
        was, now = (layout.orientations.get(zone) for layout in layouts)
        return now is not None and now != was

    def _may_have_been_covered(self, sighting: CardSeen, before: TrackedTable) -> bool:
        """Whether the sighted card was believed to have been picked up because another one had come into view in its
        place, but that one does not belong there. So it may have been put on the sighted card, which now is exactly
        where it was. `before`: the tracked table before the sighting."""
        code, here = sighting.code, self._public_layout().cards.get(sighting.zone or "", ())
        if code not in before.lifted or sighting.distance_to(before.last_seen[code]) > 0:
            return False
        others = [before.last_seen[other] for other in before.uncovered if other not in here]
        return was_lifted(before.last_seen[code], others)

    def _was_to_be_turned(self, sighting: CardSeen, before: TrackedTable) -> bool:
        """Whether the sighted component did not point where it should, and nobody had turned it in this turn. This is
        so after a move on a phone or an undo. People may turn it step by step. `before`: the tracked table before the
        sighting."""
        earlier, zone = before.visible.get(sighting.code), sighting.zone or ""
        orientation = self.match.layout(SPECTATOR).orientations.get(zone)
        if earlier is None or earlier.zone != zone or orientation is None:
            return False
        has_begun = before.turns.get(sighting.code) == self.match.state.turn
        return not has_begun and not orientation.matches(earlier.angle)

    def _belongs_in_view(self, sighting: CardSeen) -> bool:
        """Whether a card like the sighted one belongs in view in its zone: in a pile, only the top card does."""
        here = self.match.layout(SPECTATOR).cards.get(sighting.zone or "", ())
        in_view = here[:1] if sighting.zone in self._components.piles else here
        return self._components.kinds.get(sighting.code) in in_view

    def is_recorded(self, sighting: CardSeen) -> bool:
        """Whether the match already contains the move for which the sighted component was put down. A card counts as
        recorded if it is only straightened, or carried to its pile from where it was played."""
        components = self._components
        if sighting.change == "turned" or not components.has_copies or components.mat is None:
            return False
        zones = {zone.name: zone for zone in components.mat.zones}
        if sighting.zone in zones and zones[sighting.zone].secret:
            return False  # people show cards there on purpose, so this is a new move
        if self._is_replacement(sighting):
            return True
        is_fresh = self._is_fresh(sighting)
        if is_fresh and sighting.code in self.match.known_copies().in_hands:
            return False
        layout = self._public_layout({sighting.code} if is_fresh else ())
        if (found := layout.place_of(sighting.code)) is None or found[0] not in zones:
            return False
        # Turning a component also shifts it, so the camera may report it as moved.
        orientation = layout.orientations.get(found[0])
        was_moved = sighting.change == "moved" and sighting.zone == found[0] and sighting.code not in self.table.flips
        return not (was_moved and orientation and not orientation.matches(sighting.angle))

    def piles_that_may_hold(self, observation: Observation) -> Collection[str]:
        """The piles in which the component of an observation may have lain below others: those where it was seen, those
        where the match lists an equal one, and those from which something has just been taken. Something that was put
        there in this turn does not count: it may have been exchanged for the component."""
        if not isinstance(observation, CardSeen):
            return ()
        code, cards = observation.code, self.match.layout(SPECTATOR).cards
        seen, kind = self.table.visible.get(code), self._components.kinds.get(code, code)
        here = {each.seen.zone for each in self.table.departures if not each.was_new}
        here |= {seen.zone} if seen else set()
        return [zone for zone in self._components.piles if zone in here or kind in cards.get(zone, ())]

    def has_lain_there(self, sighting: CardSeen) -> bool:
        """Whether a card that is seen for the first time has lain in its pile all the time: the match lists it there,
        and the camera sees no card there that belongs below it. If such a card is visible, the new card was put on top
        of it. Also true of a card that was uncovered in a pile that was sent home, or below a leftover."""
        zone, code, table = sighting.zone or "", sighting.code, self.table
        if zone not in self._components.piles or code in table.awaited:
            return False
        if self._has_been_left_there(sighting) or self._lay_below_leftover(sighting):
            return True
        pile, seen = self._pile_without(sighting)
        unseen = [n for n, kind in enumerate(pile) if kind == self._components.kinds.get(code, code) and n not in seen]
        is_below_others = bool(unseen) and max(unseen) > max(seen, default=-1)
        return is_below_others and self._may_be_on_table_already(code)

    def _lay_below_leftover(self, sighting: CardSeen) -> bool:
        """Whether the sighted card has come into view in a pile whose top card has lain there since the camera started,
        and does not belong there. People are asked to pick up that card, and the camera may report only later that it
        has gone."""
        zone, visible = sighting.zone, self.table.visible
        others = [seen for code, seen in visible.items() if seen.zone == zone and code != sighting.code]
        top = max(others, key=lambda seen: seen.t, default=None)
        if top is None or not top.was_initially_present:
            return False
        return top.code not in self._public_layout().cards.get(zone or "", ())

    def is_surplus(self, sighting: CardSeen) -> bool:
        """Whether the sighted card has come to a pile that lists its kind, but seems to have all the copies of it
        already. The camera can't see most cards of a pile. So all cards below the lowest one that it has seen are
        assumed to be there."""
        table, kinds, code = self.table, self._components.kinds, sighting.code
        kind = kinds.get(code, code)
        if sighting.zone not in self._components.piles or not self._is_listed(kind, sighting.zone):
            return False
        is_only_copy = [*kinds.values()].count(kind) == 1
        if is_only_copy or code in table.confirmed or code in table.awaited or self.replaces_lost_copy(sighting):
            return False
        pile, seen = self._pile_without(sighting)
        missing = [each for n, each in enumerate(pile[: max(seen, default=0)]) if n not in seen]
        return bool(seen) and kind not in missing

    def _is_listed(self, kind: str, zone: str) -> bool:
        """Whether the match lists a component of this kind in a zone."""
        return kind in self.match.layout(SPECTATOR).cards.get(zone, ())

    def _pile_without(self, sighting: CardSeen) -> tuple[Sequence[str], Collection[int]]:
        """The kinds in the pile of the sighted card, with the top one first, and the indices of those that the camera
        sees there. The sighted card is not counted."""
        zone, kinds = sighting.zone or "", self._components.kinds
        others = {code: at for code, at in self.table.zones_by_code.items() if code != sighting.code}
        layout = self.match.layout(SPECTATOR)
        pile = assign_copies(layout, self._components, others, self.known_copies()).cards.get(zone, ())
        seen = {n for n, code in enumerate(pile) if others.get(code) == zone}
        return [kinds.get(code, code) for code in pile], seen

    def replaces_lost_copy(self, sighting: CardSeen) -> bool:
        """Whether an equal copy that was played has gone from the zone of the sighted card, where it belongs. Then the
        sighted card takes its place."""
        return self._replaces(sighting, self.table.confirmed.union(self.match.known_copies().played))

    def taken_codes(self, sighting: CardSeen) -> Collection[str]:
        """The codes of cards that people must have taken from a pile, because an act asked for it and an equal card,
        the sighted one, has come into view there. It lay below, or the cards were put back in another order."""
        visible, kinds, zone = self.table.visible, self._components.kinds, sighting.zone
        if zone not in self._components.piles:
            return ()
        equal = {code for code in visible if kinds.get(code) == kinds.get(sighting.code) and visible[code].zone == zone}
        choices = [equal.intersection(copies) - {sighting.code} for copies in self.table.taken]
        return {max(codes, key=lambda code: visible[code].t) for codes in choices if codes}

    def _may_be_on_table_already(self, code: str) -> bool:
        """Whether a card may be one that the layout lists: one that was played, or one of several equal cards of which
        the match and the camera know too few. A card that must be in a hand is none of these, and neither is one that
        was never dealt, if the cards are shown to the camera when they are dealt."""
        kind, known = self._components.kinds.get(code, code), self.match.known_copies()
        copies = self._components.codes_by_kind.get(kind, (code,))
        if len(copies) == 1 or code in known.played or has_come_to_table(self.match.history, code):
            return True
        ever_dealt = self.match.history.codes_ever_dealt()
        if code in known.in_hands or (ever_dealt and code not in ever_dealt):
            return False
        others = {other for other in copies if other in self.table.confirmed or other in known.played} - {code}
        return self.match.layout(SPECTATOR).count(kind) > len(others)

    def _has_been_left_there(self, sighting: CardSeen) -> bool:
        """Whether the sighted card was uncovered in a pile that an act has sent home: people are picking this pile up,
        card by card. Either the card above it has just gone, or the camera has yet to notice that, and all cards that
        it still believes to be there belong above the new one. Of cards with equal copies, nobody knows which copies
        lay in this pile, so they are left out."""
        table, kinds, zone = self.table, self._components.kinds, sighting.zone or ""
        kind, pile = kinds.get(sighting.code, sighting.code), table.sent_home.get(zone, ())
        if kind not in pile or len(self._components.codes_by_kind.get(kind, ())) > 1:
            return False
        here = [code for code, seen in table.visible.items() if seen.zone == zone and code != sighting.code]
        if here:
            above = set(pile[: pile.index(kind)]).difference(self._public_layout().cards.get(zone, ()))
            return above.issuperset(kinds.get(code, code) for code in here)
        left, now = table.left_at(zone), table.changed_at.get(sighting.code, 0.0)
        return left is not None and now - left <= MAX_UNREAD_S

    @property
    def _components(self) -> ComponentSet:
        return self.match.game.physical.components

    def _public_layout(self, put_down: Collection[str] = ()) -> Layout:
        """The layout as everyone may know it, with the code of one copy in place of each kind of card (see
        `assign_copies`). `put_down`: as for `known_copies`."""
        layout = self.match.layout(SPECTATOR)
        return assign_copies(layout, self._components, self.table.zones_by_code, self.known_copies(put_down))

    def _deal_numbers(self, sighting: CardSeen) -> Mapping[str, int]:
        """The result of `History.deal_numbers` without the cards that belong on the table. The sighted card is kept
        even if it belongs there."""
        layout = self._public_layout()
        on_table = {code for codes in layout.cards.values() for code in codes} - {sighting.code}
        numbers = self.match.history.deal_numbers()
        return {code: number for code, number in numbers.items() if code not in on_table}

    def _is_fresh(self, sighting: CardSeen) -> bool:
        """Whether the sighted card may have been put down for a new move: it came to rest in this turn. If the camera
        had already seen it where it belongs, it must also be an extra copy: each zone already has all the copies of
        this kind that belong there, without this card."""
        if sighting.code not in self.table.put_down_in(self.match.state.turn):
            return False
        return sighting.code not in self.table.confirmed or not self._zones_without_copy(sighting.code)

    def _zones_without_copy(self, code: str) -> Collection[str]:
        """The zones in which fewer copies of a card's kind are seen than belong there. The card itself is not
        counted."""
        kinds, visible = self._components.kinds, self.table.visible
        kind = kinds.get(code, code)
        seen = Counter(each.zone for other, each in visible.items() if kinds.get(other) == kind and other != code)
        layout = self.match.layout(SPECTATOR)
        return {zone for zone, here in layout.cards.items() if here.count(kind) > seen[zone]}

    def _is_replacement(self, sighting: CardSeen) -> bool:
        """Whether the sighted card replaces an equal copy that has been taken from the same zone since the last act.
        People may swap equal copies."""
        return self._replaces(sighting, self.table.recently_gone)

    def _replaces(self, sighting: CardSeen, candidates: Collection[str]) -> bool:
        """Whether the sighted card lies where a copy of it is missing, and one of the cards with the codes `candidates`
        is an equal copy that has gone from there."""
        table, kinds, zone = self.table, self._components.kinds, sighting.zone
        if zone not in self._zones_without_copy(sighting.code):
            return False
        gone = (code for code in candidates if code in table.last_seen and code not in table.visible)
        return any(table.last_seen[code].zone == zone and kinds.get(code) == kinds.get(sighting.code) for code in gone)
