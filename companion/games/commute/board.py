"""The board of Commute: spaces, the edges between them, and the minutes that landing on each space adds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Literal

SpaceKind = Literal["street", "uh_oh", "station", "house", "work"]

SIZE: Final = (600, 400)
"""Width and height of a board's drawing, in the drawing's own units. The origin is at the top left."""
MIN_SPACING: Final = 36
"""The smallest distance between the centers of two spaces, in the drawing's units. It leaves room for a piece on each
space."""


@dataclass(frozen=True)
class Space:
    """A space of a board. `minutes` are added when a piece lands on the space. `line` is the metro line, if the space
    is a station. `xy` is the center in the drawing."""

    id: str
    kind: SpaceKind
    minutes: int
    line: str | None
    xy: tuple[int, int]


@dataclass(frozen=True, repr=False)
class Board:
    """A board that has passed all checks. `spaces` maps ids to spaces, in the order of the file. `edges`, `work` and
    `houses` refer to spaces by these ids."""

    name: str
    spaces: Mapping[str, Space] = field(hash=False)
    edges: tuple[tuple[str, str], ...] = field(hash=False)
    work: str = field(hash=False)
    houses: tuple[str, ...] = field(hash=False)

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The names of the metro lines, in the order in which their stations first appear on the board."""
        return tuple(dict.fromkeys(space.line for space in self.spaces.values() if space.line))

    @cached_property
    def neighbors(self) -> Mapping[str, tuple[str, ...]]:
        """Maps each space to the adjacent spaces, in the order of `spaces`."""
        beside: dict[str, set[str]] = {space: set() for space in self.spaces}
        for one, other in self.edges:
            beside[one].add(other)
            beside[other].add(one)
        return {space: tuple(filter(found.__contains__, self.spaces)) for space, found in beside.items()}

    @cached_property
    def ends(self) -> frozenset[str]:
        """The spaces where commutes begin and end: the workplace and the houses."""
        return frozenset({self.work, *self.houses})

    def metro(self, one: str, other: str) -> str | None:
        """The metro line that runs along the edge between two spaces. None unless both are stations of the same
        line."""
        line = self.spaces[one].line
        return line if line == self.spaces[other].line else None

    def to_json(self) -> dict[str, Any]:
        """The JSON that `tablekeeper board NAME --json` prints."""
        return {
            "name": self.name,
            "spaces": [{**vars(space), "xy": list(space.xy)} for space in self.spaces.values()],
            "edges": [list(edge) for edge in self.edges],
            "work": self.work,
            "houses": list(self.houses),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Board:
        """The board described by JSON from `to_json`."""
        spaces = {space["id"]: Space(**{**space, "xy": tuple(space["xy"])}) for space in value["spaces"]}
        edges = tuple((one, other) for one, other in value["edges"])
        return cls(value["name"], spaces, edges, value["work"], tuple(value["houses"]))
