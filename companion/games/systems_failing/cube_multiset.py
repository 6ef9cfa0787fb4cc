"""The colors of cubes, and an immutable multiset of cubes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import product
from operator import add, le, sub
from typing import Final, NewType

Color = NewType("Color", str)

COLORS: Final = tuple(Color(c) for c in ("orange", "blue", "yellow", "red", "black", "green"))
WHITE: Final = Color("white")
ALL_COLORS: Final = (*COLORS, WHITE)

_INDEX: Final = {str(color): index for index, color in enumerate(ALL_COLORS)}


class Cubes(Mapping[str, int]):
    """A multiset of cubes, which maps each color to the number of cubes of this color. Colors without a cube are
    absent. Immutable and hashable.

    The numbers are stored as a tuple in the order of ALL_COLORS, which makes additions and comparisons fast.
    """

    __slots__ = ("_counts",)

    _counts: tuple[int, ...]

    def __init__(self, cubes: Mapping[str, int] | Iterable[str] = ()) -> None:
        counts = [0] * len(ALL_COLORS)
        for color, count in cubes.items() if isinstance(cubes, Mapping) else ((c, 1) for c in cubes):
            counts[_INDEX[color]] += count
        self._counts = tuple(counts)

    def __getitem__(self, color: str) -> int:
        return self._counts[_INDEX[color]]

    def __iter__(self) -> Iterator[Color]:
        return (color for color, count in zip(ALL_COLORS, self._counts, strict=True) if count)

    def __len__(self) -> int:
        return len(ALL_COLORS) - self._counts.count(0)

    def __contains__(self, color: object) -> bool:
        return color in _INDEX and bool(self._counts[_INDEX[str(color)]])

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
        """The total number of cubes, of all colors."""
        return sum(self._counts)

    def counts(self) -> dict[str, int]:
        """The number of cubes of each color, as a plain dict for JSON. Colors without a cube are left out."""
        return {color: count for color, count in zip(ALL_COLORS, self._counts, strict=True) if count}

    def colors(self) -> tuple[Color, ...]:
        """The colors of the cubes, in the order of ALL_COLORS. Each cube has an entry."""
        return _colors(self)

    def __add__(self, other: Cubes) -> Cubes:
        return _from_counts(tuple(map(add, self._counts, other._counts)))

    def __sub__(self, other: Cubes) -> Cubes:
        """The cubes that remain after `other` is taken away. Raises ValueError unless `other` is a subset of these
        cubes."""
        left = tuple(map(sub, self._counts, other._counts))
        if min(left) < 0:
            raise ValueError(f"{other} is not within {self}")
        return _from_counts(left)

    def __and__(self, other: Cubes) -> Cubes:
        """The intersection. For each color, it has the smaller of the two numbers of cubes."""
        return _from_counts(tuple(map(min, self._counts, other._counts)))

    def __le__(self, other: Cubes) -> bool:
        """Whether `other` includes all of these cubes."""
        return all(map(le, self._counts, other._counts))

    def only(self, color: str | None) -> Cubes:
        """The cubes whose color is `color`. No cubes if `color` is None."""
        return Cubes({color: self[color]}) if color else NO_CUBES

    def subsets(self) -> tuple[Cubes, ...]:
        """All subsets of these cubes. The empty one is first, and the whole set is last."""
        return _subsets(self)


def _from_counts(counts: tuple[int, ...]) -> Cubes:
    cubes = Cubes.__new__(Cubes)
    cubes._counts = counts
    return cubes


@lru_cache(maxsize=4096)
def _colors(cubes: Cubes) -> tuple[Color, ...]:
    return tuple(color for color, count in zip(ALL_COLORS, cubes._counts, strict=True) for _ in range(count))


@lru_cache(maxsize=1024)
def _subsets(cubes: Cubes) -> tuple[Cubes, ...]:
    return tuple(map(_from_counts, product(*(range(count + 1) for count in cubes._counts))))


NO_CUBES: Final = Cubes()
ONE_CUBE: Final[Mapping[str, Cubes]] = {color: Cubes([color]) for color in ALL_COLORS}
"""Maps each color to the set that consists of a single cube of this color."""


@lru_cache(maxsize=1024)
def cubes_of(colors: tuple[str, ...]) -> Cubes:
    """The multiset of the cubes that a move or a card lists. `colors` has an entry for each cube."""
    return Cubes(colors)
