"""Which copy a layout means: where copies are as good as one another, those that lie right stay where they are.

Law: pure.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from companion.equipment import Equipment
from companion.layout import Layout

Where = Mapping[str, str | None]
"""The place of every code in view, None for those in no place, in the order in which they came; what is not in view is
not listed."""


def resolved(layout: Layout, equipment: Equipment, where: Where, held: Collection[str] = ()) -> Layout:
    """The layout with the id of a code for every kind; a kind of which too few are printed stays as it is. The codes
    that are `held` are known to be in hands: none of them belongs on the table."""
    if not equipment.has_copies:
        return layout
    choice = _Choice(equipment, where, held)
    lying = {place: [choice.lying(kind, place) for kind in kinds] for place, kinds in layout.cards.items()}
    cards = {
        place: tuple(code or choice.other(kind, place) for kind, code in zip(kinds, lying[place], strict=True))
        for place, kinds in layout.cards.items()
    }
    return replace(layout, cards=cards)


class _Choice:
    """The codes that are still free."""

    def __init__(self, equipment: Equipment, where: Where, held: Collection[str]) -> None:
        self._other_side, self._where = equipment.other_side, where
        self._free: dict[str, list[str]] = {}
        for code, kind in equipment.kinds.items():
            self._free.setdefault(kind, []).append(code)
        self._taken = set(held)

    def lying(self, kind: str, place: str) -> str | None:
        """A code of this kind that lies in the place already; the one that has lain there longest."""
        there = (code for code, zone in self._where.items() if zone == place and code in self._left(kind))
        return next((self._take(code) for code in there), None)

    def other(self, kind: str, place: str) -> str:
        """Another code of this kind: rather one to be turned over there or one that lies wrong than one out of view."""
        found = min(self._left(kind), key=lambda code: self._distance(code, place), default=None)
        return kind if found is None else self._take(found)

    def _left(self, kind: str) -> list[str]:
        return [code for code in self._free.get(kind, ()) if code not in self._taken]

    def _distance(self, code: str, place: str) -> int:
        back = self._other_side.get(code)
        if back and self._where.get(back) == place:
            return 0
        return 1 if self._where.get(code) else 2 if code in self._where else 3

    def _take(self, code: str) -> str:
        self._taken |= {code, self._other_side.get(code, code)}
        return code
