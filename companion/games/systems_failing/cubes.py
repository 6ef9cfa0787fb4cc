"""Cubes: an immutable multiset of colours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Final, NewType

Color = NewType("Color", str)

COLORS: Final = tuple(Color(c) for c in ("orange", "blue", "yellow", "red", "black", "green"))
WHITE: Final = Color("white")


class Cubes(Mapping[str, int]):
    """How many cubes of each colour; colours without a cube are absent. Hashable, never changed."""

    __slots__ = ("_counts",)

    def __init__(self, counts: Mapping[str, int] | Iterable[str] = ()) -> None:
        if not isinstance(counts, Mapping):
            listed, counts = counts, dict[str, int]()
            for color in listed:
                counts[color] = counts.get(color, 0) + 1
        self._counts = {color: counts[color] for color in (*COLORS, WHITE) if counts.get(color)}

    def __getitem__(self, color: str) -> int:
        return self._counts.get(color, 0)

    def __iter__(self) -> Iterator[str]:
        return iter(self._counts)

    def __len__(self) -> int:
        return len(self._counts)

    def __contains__(self, color: object) -> bool:
        return color in self._counts

    def __hash__(self) -> int:
        return hash(tuple(self._counts.items()))

    def __repr__(self) -> str:
        return f"Cubes({self._counts})"

    @property
    def total(self) -> int:
        """The number of cubes."""
        return sum(self._counts.values())

    def listed(self) -> tuple[str, ...]:
        """Each cube's colour, in the order of COLORS."""
        return tuple(color for color, count in self._counts.items() for _ in range(count))

    def __add__(self, other: Mapping[str, int] | Iterable[str]) -> Cubes:
        other = Cubes(other)
        return Cubes({color: self[color] + other[color] for color in (*self, *other)})

    def __sub__(self, other: Mapping[str, int] | Iterable[str]) -> Cubes:
        """What is left; ValueError if a cube to take is not there."""
        other = Cubes(other)
        if not other <= self:
            raise ValueError(f"{other} is not within {self}")
        return Cubes({color: count - other[color] for color, count in self._counts.items()})

    def __and__(self, other: Mapping[str, int]) -> Cubes:
        """What both hold."""
        return Cubes(
            {color: min(count, other[color]) for color, count in self._counts.items() if color in other}
        )

    def __le__(self, other: Mapping[str, int]) -> bool:
        """Whether all of these are among the others."""
        return all(color in other and count <= other[color] for color, count in self._counts.items())

    def parts(self) -> Iterator[Cubes]:
        """Every choice of some of these cubes, none and all included."""
        colors = tuple(self._counts)
        for counts in product(*(range(self._counts[color] + 1) for color in colors)):
            yield Cubes(dict(zip(colors, counts, strict=True)))
