"""Assigns the copies of cards to the places of a layout. Equal copies are interchangeable, so a copy that already lies
in a right place is assigned to that place.

Law: pure.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from companion.tabletop.components import ComponentSet
from companion.tabletop.expected_layout import Layout

ZonesByCode = Mapping[str, str | None]
"""Maps every visible code to its zone, or to None if it is in no zone. The codes are in the order in which their
components came to rest, with hidden ones first."""


@dataclass(frozen=True)
class KnownCopies:
    """What is known about individual copies of equal cards.

    `in_hands`: the codes of cards that were read when they were dealt, and that are still in a hand. `played`: the
    codes of cards that were read when they were played, and that have not left the table since. `put_down`: the codes
    of cards that came to rest in the current turn. Such a card may mean a new move even if the layout lists a card of
    the same kind in its zone, because the listed card may be another copy. `surplus`: the codes of cards that lie where
    equal copies belong, but are not among those copies (see `TrackedTable.surplus`). `confirmed`: the codes of cards
    that the camera has seen where they belong (see `TrackedTable.confirmed`)."""

    in_hands: Collection[str] = ()
    played: Collection[str] = ()
    put_down: Collection[str] = ()
    surplus: Collection[str] = ()
    confirmed: Collection[str] = ()

    def without_interchanged(
        self, neighbors_of_gone: Mapping[str, Collection[str]], zones: ZonesByCode, kinds: Mapping[str, str]
    ) -> KnownCopies:
        """What is still known about copies after some of them have left their zones. People may have picked up the
        wrong one of two equal cards. So a copy that has left no longer counts as played if its zone also held an equal
        copy that was not played and is still in view, and that copy no longer counts as surplus. `neighbors_of_gone`:
        maps the code of each copy that has left to the codes of the other components that lay in its zone at that
        moment."""

        def is_interchanged(code: str) -> bool:
            neighbors = neighbors_of_gone.get(code, ())
            others = (other for other in neighbors if other in zones and other not in self.played)
            return any(kinds[other] == kinds[code] for other in others)

        freed = {
            other
            for code, neighbors in neighbors_of_gone.items()
            for other in neighbors
            if kinds.get(other) == kinds.get(code)
        }
        return replace(
            self,
            played={code for code in self.played if not is_interchanged(code)},
            surplus={code for code in self.surplus if code not in freed},
        )


NOTHING_KNOWN = KnownCopies()


def assign_copies(
    layout: Layout, components: ComponentSet, zones: ZonesByCode, known: KnownCopies = NOTHING_KNOWN
) -> Layout:
    """The layout with each kind replaced by the code of a copy of this kind. If too few copies of a kind are printed,
    the kind itself stays."""
    if not components.has_copies:
        return layout
    pool = _CopyPool(layout, components, zones, known)
    in_place = {place: pool.take_copies_in(kinds, place) for place, kinds in layout.cards.items()}
    cards = {place: pool.with_best_copies(kinds, place, in_place[place]) for place, kinds in layout.cards.items()}
    return replace(layout, cards=cards)


class _CopyPool:
    """The copies that have not been assigned to a place yet."""

    def __init__(self, layout: Layout, components: ComponentSet, zones: ZonesByCode, known: KnownCopies) -> None:
        self._other_side, self._zones, self._known = components.other_side, zones, known
        self._piles = components.piles
        self._mat_zones = {zone.name for zone in components.mat.zones} if components.mat else set()
        self._codes, self._kinds = components.codes_by_kind, components.kinds
        self._arrival = {code: number for number, code in enumerate(zones)}
        self._codes_in: dict[str | None, list[str]] = {}
        """The visible codes in each zone, in the order of `zones`."""
        for code, zone in zones.items():
            self._codes_in.setdefault(zone, []).append(code)
        self._taken_codes: set[str] = set()
        self._codes_off_table: set[str] = set()
        expected: dict[str, list[str]] = {}
        for place in self._mat_zones & layout.cards.keys():
            for kind in layout.cards[place]:
                expected.setdefault(kind, []).append(place)
        for kind, codes in self._codes.items():
            if len(codes) > 1 and codes[0] not in self._other_side:
                places = expected.get(kind, [])
                best_first = sorted(codes, key=self._likelihood_rank(places)) if places else codes
                self._codes_off_table.update(best_first[len(places) :])

    def _likelihood_rank(self, expected: Sequence[str]) -> Callable[[str], tuple[int, int]]:
        """A sort key for the copies of a kind. Copies that are more likely to belong on the table come first.
        `expected`: the zones in which the layout lists the kind. The ranks are:

        0. A played copy in an expected zone.
        1. Another copy in an expected zone that was not just put there. Equal copies are interchangeable.
        2. Another played copy.
        3. Another copy in an expected zone, where it was just put, if equal copies were missing there.
        4. A copy in another zone.
        5. A copy in view outside the zones.
        6. A copy out of view that is not known to be in a hand.
        7. A copy out of view that is known to be in a hand.
        8. A copy that is surplus where it lies, or that was just put where no copy was missing.

        Copies in view that have the same rank are sorted by when they came to rest. The rank of a copy in view does not
        depend on whether the copy should be in a hand. People mix copies up, and the rank must not reveal whose hand
        the copy was in.
        """
        arrival = self._arrival

        def rank(code: str) -> tuple[int, int]:
            zone, is_new, is_played = (
                self._zones.get(code),
                code in self._known.put_down,
                code in self._known.played,
            )
            is_expected = zone in expected
            if code in self._known.surplus:
                return 8, 0
            if is_expected and not is_new:
                return (0 if is_played else 1), arrival[code]
            if is_played:
                return 2, 0
            if is_new and expected.count(zone) <= self._count_of_earlier(code):
                return 8, 0
            if code in arrival:
                return (3 if is_expected else 4 if zone else 5), arrival[code]
            return (7 if code in self._known.in_hands else 6), 0

        return rank

    def _count_of_earlier(self, code: str) -> int:
        """The number of equal copies that lay in a copy's zone before the current turn."""
        equal = self._codes[self._kinds[code]]
        earlier = (other for other in equal if other in self._zones and other not in self._known.put_down)
        return sum(self._zones[other] == self._zones.get(code) for other in earlier)

    def take_copies_in(self, kinds: Sequence[str], place: str) -> list[str | None]:
        """For each of `kinds`, takes a copy that already lies in the place (see `take_copy_in`). Returns the codes of
        these copies; None for a kind without such a copy."""
        if place not in self._codes_in:
            return [None] * len(kinds)
        taken = [self.take_copy_in(kind, place) for kind in kinds]
        return self._in_order_of_pile(kinds, taken) if place in self._piles else taken

    def _in_order_of_pile(self, kinds: Sequence[str], taken: Sequence[str | None]) -> list[str | None]:
        """Sorts `taken`, the copies from a pile, so that each copy comes where `kinds` lists its kind. `kinds` starts
        at the top of the pile. So, where possible, a copy that came to rest later comes before one that came to rest
        earlier."""
        kind_of = {code: kind for code, kind in zip(taken, kinds, strict=True) if code}
        found: list[str | None] = [None] * len(kinds)
        above = 0
        for code in sorted(kind_of, key=self._arrival.__getitem__, reverse=True):
            free = [n for n, kind in enumerate(kinds) if kind == kind_of[code] and found[n] is None]
            place = next((n for n in free if n >= above), free[0])
            found[place], above = code, max(above, place + 1)
        return found

    def take_copy_in(self, kind: str, place: str) -> str | None:
        """Takes the copy of this kind that has been in the place longest, and returns its code. None if there is no
        such copy."""
        there = (code for code in self._codes_in.get(place, ()) if self._kinds.get(code) == kind)
        return next((self._take(code) for code in there if self._is_available(code, place)), None)

    def with_best_copies(self, kinds: Sequence[str], place: str, in_place: Sequence[str | None]) -> tuple[str, ...]:
        """For each of `kinds`, the code of the copy that already lies in the place; if there is none, that of a copy
        which is assumed to lie there. `in_place`: the result of `take_copies_in`. Cards that belong in a pile below the
        lowest card seen there are assumed to be there, out of view."""
        seen = [n for n, code in enumerate(in_place) if code in self._known.confirmed] if place in self._piles else []
        lowest = max(seen, default=len(kinds))
        return tuple(
            code or (n > lowest and self._take_hidden_copy(kind)) or self.take_best_copy(kind, place)
            for n, (kind, code) in enumerate(zip(kinds, in_place, strict=True))
        )

    def _take_hidden_copy(self, kind: str) -> str | None:
        """Takes a copy of this kind that is out of view, and returns its code. None if there is none, or if one of the
        copies that are left was seen on the table before: that copy may be the one that belongs in the pile."""
        known, free = self._known, [code for code in self._codes.get(kind, ()) if code not in self._taken_codes]
        if any(code in known.confirmed or code in known.played for code in free):
            return None
        hidden = [code for code in free if code not in self._zones]
        return self._take(min(hidden, key=lambda code: code in known.in_hands)) if hidden else None

    def take_best_copy(self, kind: str, place: str) -> str:
        """Takes the copy of this kind that is easiest to bring to the place, and returns its code. Returns the kind if
        no copy is left. A copy that lies in the place with its other side up is easiest, then copies in other zones,
        copies in view outside the zones, and copies out of view. For a hand, a copy that is known to be in a hand is
        preferred among equals."""

        def rank(code: str) -> tuple[int, bool]:
            return self._distance_rank(code, place), place not in self._mat_zones and code not in self._known.in_hands

        found = min(self._available_copies(kind, place), key=rank, default=None)
        return kind if found is None else self._take(found)

    def _available_copies(self, kind: str, place: str) -> list[str]:
        return [code for code in self._codes.get(kind, ()) if self._is_available(code, place)]

    def _is_available(self, code: str, place: str) -> bool:
        is_off_table = code in self._codes_off_table and place in self._mat_zones
        return code not in self._taken_codes and not is_off_table

    def _distance_rank(self, code: str, place: str) -> int:
        back = self._other_side.get(code)
        if back and self._zones.get(back) == place:
            return 0
        return 1 if self._zones.get(code) else 2 if code in self._zones else 3

    def _take(self, code: str) -> str:
        self._taken_codes |= {code, self._other_side.get(code, code)}
        return code
