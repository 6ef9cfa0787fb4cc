"""A board of Commute: spaces, the edges between them, and what they add to a traveller's minutes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

Kind = Literal["street", "uh_oh", "station", "house", "work"]

SIZE: Final = (600, 400)
"""Width and height of the drawing; spaces lie within it, origin top left."""
APART: Final = 36
"""Units between the middles of two spaces, at least: a piece stands on each."""


@dataclass(frozen=True)
class Space:
    """A space: what landing on it adds to the minutes, a station's metro line, and its middle in the drawing."""

    id: str
    kind: Kind
    minutes: int
    line: str | None
    xy: tuple[int, int]


@dataclass(frozen=True, eq=False)
class Board:
    """A checked board. `spaces` by id, in the file's order."""

    name: str
    spaces: Mapping[str, Space]
    edges: tuple[tuple[str, str], ...]
    work: str
    houses: tuple[str, ...]

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The metro lines."""
        return tuple(dict.fromkeys(space.line for space in self.spaces.values() if space.line))

    @cached_property
    def neighbours(self) -> Mapping[str, tuple[str, ...]]:
        """The spaces next to each, in the board's order."""
        beside: dict[str, set[str]] = {space: set() for space in self.spaces}
        for one, other in self.edges:
            beside[one].add(other)
            beside[other].add(one)
        return {space: tuple(filter(found.__contains__, self.spaces)) for space, found in beside.items()}

    @cached_property
    def ends(self) -> frozenset[str]:
        """Where commutes begin and end: the workplace and the houses."""
        return frozenset({self.work, *self.houses})

    def metro(self, one: str, other: str) -> str | None:
        """The line that runs along an edge: that of two stations of one line."""
        line = self.spaces[one].line
        return line if line == self.spaces[other].line else None

    def as_json(self) -> dict[str, Any]:
        """The shape that `tablekeeper board NAME --json` prints."""
        return {
            "name": self.name,
            "spaces": [{**vars(space), "xy": list(space.xy)} for space in self.spaces.values()],
            "edges": [list(edge) for edge in self.edges],
            "work": self.work,
            "houses": list(self.houses),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Board:
        """The board that `as_json` gave."""
        spaces = {space["id"]: Space(**{**space, "xy": tuple(space["xy"])}) for space in value["spaces"]}
        edges = tuple((one, other) for one, other in value["edges"])
        return cls(value["name"], spaces, edges, value["work"], tuple(value["houses"]))
