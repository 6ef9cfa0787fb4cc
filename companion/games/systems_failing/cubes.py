"""Cubes: an immutable multiset of colours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import product
from operator import add, le, sub
from typing import Final, NewType

Color = NewType("Color", str)

COLORS: Final = tuple(Color(c) for c in ("orange", "blue", "yellow", "red", "black", "green"))
WHITE: Final = Color("white")
ALL: Final = (*COLORS, WHITE)

_PLACE: Final = {str(color): place for place, color in enumerate(ALL)}


class Cubes(Mapping[str, int]):
    """How many cubes of each colour; colours without a cube are absent. Hashable, never changed.

    Kept as one count for each of ALL: adding up and comparing are most of what a game does.
    """

    __slots__ = ("_counts",)

    _counts: tuple[int, ...]

    def __init__(self, cubes: Mapping[str, int] | Iterable[str] = ()) -> None:
        counts = [0] * len(ALL)
        for color, count in cubes.items() if isinstance(cubes, Mapping) else ((c, 1) for c in cubes):
            counts[_PLACE[color]] += count
        self._counts = tuple(counts)

    def __getitem__(self, color: str) -> int:
        return self._counts[_PLACE[color]]

    def __iter__(self) -> Iterator[Color]:
        return (color for color, count in zip(ALL, self._counts, strict=True) if count)

    def __len__(self) -> int:
        return len(ALL) - self._counts.count(0)

    def __contains__(self, color: object) -> bool:
        return color in _PLACE and bool(self._counts[_PLACE[str(color)]])

    def __bool__(self) -> bool:
        return any(self._counts)

    def __eq__(self, other: object) -> bool:
        return self._counts == other._counts if isinstance(other, Cubes) else super().__eq__(other)

    def __hash__(self) -> int:
        return hash(self._counts)

    def __repr__(self) -> str:
        return f"Cubes({self.counts()})"

    @property
    def total(self) -> int:
        """The number of cubes."""
        return sum(self._counts)

    def counts(self) -> dict[str, int]:
        """How many of each colour that is there, as JSON takes it."""
        return {color: count for color, count in zip(ALL, self._counts, strict=True) if count}

    def listed(self) -> tuple[Color, ...]:
        """Each cube's colour, in the order of ALL."""
        return _listed(self)

    def __add__(self, other: Cubes) -> Cubes:
        return _made(tuple(map(add, self._counts, other._counts)))

    def __sub__(self, other: Cubes) -> Cubes:
        """What is left; ValueError if a cube to take is not there."""
        left = tuple(map(sub, self._counts, other._counts))
        if min(left) < 0:
            raise ValueError(f"{other} is not within {self}")
        return _made(left)

    def __and__(self, other: Cubes) -> Cubes:
        """What both hold."""
        return _made(tuple(map(min, self._counts, other._counts)))

    def __le__(self, other: Cubes) -> bool:
        """Whether all of these are among the others."""
        return all(map(le, self._counts, other._counts))

    def only(self, color: str | None) -> Cubes:
        """Those of one color."""
        return _made(tuple(count if c == color else 0 for c, count in zip(ALL, self._counts, strict=True)))

    def parts(self) -> tuple[Cubes, ...]:
        """Every choice of some of these cubes, none (the first) and all (the last) included."""
        return _parts(self)


def _made(counts: tuple[int, ...]) -> Cubes:
    cubes = Cubes.__new__(Cubes)
    cubes._counts = counts
    return cubes


@lru_cache(maxsize=4096)
def _listed(cubes: Cubes) -> tuple[Color, ...]:
    return tuple(color for color, count in zip(ALL, cubes._counts, strict=True) for _ in range(count))


@lru_cache(maxsize=1024)
def _parts(cubes: Cubes) -> tuple[Cubes, ...]:
    return tuple(map(_made, product(*(range(count + 1) for count in cubes._counts))))


NO_CUBES: Final = Cubes()
ONE: Final[Mapping[str, Cubes]] = {color: Cubes([color]) for color in ALL}
"""A single cube of each colour."""


@lru_cache(maxsize=1024)
def cubes_of(colors: tuple[str, ...]) -> Cubes:
    """The cubes that a move or a card lists."""
    return Cubes(colors)
