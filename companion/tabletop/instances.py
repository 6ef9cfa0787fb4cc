"""Which copy a layout means: where copies are as good as one another, those that lie right stay where they are.

Law: pure.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from companion.tabletop.components import ComponentSet
from companion.tabletop.layout import Layout

Where = Mapping[str, str | None]
"""The place of every code in view, None for those in no place, in the order in which they came; what is not in view is
not listed."""


@dataclass(frozen=True)
class KnownInstances:
    """What is known of single copies. `held`: codes that were read as they were dealt to a hand, which still holds that
    card; `laid`: codes that were seen to be laid when it was booked, and have not left the table since."""

    held: Collection[str] = ()
    laid: Collection[str] = ()

    def without(self, gone: Mapping[str, Collection[str]], where: Where, kinds: Mapping[str, str]) -> KnownInstances:
        """The same, once some have left the picture. Where another copy lay beside one that was laid, people may have
        taken up either; so what is left there is as good."""

        def replaced(code: str) -> bool:
            others = (other for other in gone.get(code, ()) if other in where and other not in self.laid)
            return any(kinds[other] == kinds[code] for other in others)

        return replace(self, laid={code for code in self.laid if not replaced(code)})


NOTHING = KnownInstances()


def assign_instances(layout: Layout, equipment: ComponentSet, where: Where, known: KnownInstances = NOTHING) -> Layout:
    """The layout with the id of a code for every kind; a kind of which too few are printed stays as it is."""
    if not equipment.has_copies:
        return layout
    choice = _Choice(layout, equipment, where, known)
    lying = {place: [choice.lying(kind, place) for kind in kinds] for place, kinds in layout.cards.items()}
    cards = {
        place: tuple(code or choice.other(kind, place) for kind, code in zip(kinds, lying[place], strict=True))
        for place, kinds in layout.cards.items()
    }
    return replace(layout, cards=cards)


class _Choice:
    """The codes that are still free."""

    def __init__(self, layout: Layout, equipment: ComponentSet, where: Where, known: KnownInstances) -> None:
        self._other_side, self._where, self._known = equipment.other_side, where, known
        self._zones = {zone.name for zone in equipment.mat.zones} if equipment.mat else set()
        self._free: dict[str, list[str]] = {}
        for code, kind in equipment.kinds.items():
            self._free.setdefault(kind, []).append(code)
        self._taken: set[str] = set()
        self._elsewhere: set[str] = set()
        """Codes that are not on the table."""
        for kind, codes in self._free.items():
            if len(codes) > 1 and codes[0] not in self._other_side:
                self._follow(kind, [place for place in self._zones for _ in range(_count(layout, place, kind))])

    def _follow(self, kind: str, places: Collection[str]) -> None:
        """Settles which copies are on the table: those that were laid, then those that lie where one belongs, as they
        came, in another place or anywhere in view, then any others. One that should be in a hand is no worse than
        another while it is in view: people take one for another, and whose hand it was from is nobody else's to know.
        None of the rest is free for a place on the table."""
        came = {code: n for n, code in enumerate(self._where)}

        def unlikely(code: str) -> tuple[int, int]:
            if code in self._known.laid:
                return 0, 0
            if code in came:
                zone = self._where[code]
                return (1 if zone in places else 2 if zone else 3), came[code]
            return (5 if code in self._known.held else 4), 0

        self._elsewhere |= {*sorted(self._free[kind], key=unlikely)[len(places) :]}

    def lying(self, kind: str, place: str) -> str | None:
        """A code of this kind that lies in the place already; the one that has lain there longest."""
        there = (code for code, zone in self._where.items() if zone == place and code in self._left(kind, place))
        return next((self._take(code) for code in there), None)

    def other(self, kind: str, place: str) -> str:
        """Another code of this kind: rather one to be turned over there or one that lies wrong than one out of view; in
        a hand the one that is known to be there."""

        def unlikely(code: str) -> tuple[int, bool]:
            return self._distance(code, place), place not in self._zones and code not in self._known.held

        found = min(self._left(kind, place), key=unlikely, default=None)
        return kind if found is None else self._take(found)

    def _left(self, kind: str, place: str) -> list[str]:
        barred = self._taken | self._elsewhere if place in self._zones else self._taken
        return [code for code in self._free.get(kind, ()) if code not in barred]

    def _distance(self, code: str, place: str) -> int:
        back = self._other_side.get(code)
        if back and self._where.get(back) == place:
            return 0
        return 1 if self._where.get(code) else 2 if code in self._where else 3

    def _take(self, code: str) -> str:
        self._taken |= {code, self._other_side.get(code, code)}
        return code


def _count(layout: Layout, place: str, kind: str) -> int:
    return layout.cards.get(place, ()).count(kind)
