"""The types of the JSON for a position of Systems Failing."""

from __future__ import annotations

from typing import Literal, TypedDict

CubeCounts = dict[str, int]
"""The number of cubes of each color. Colors without a cube are left out."""


class CardJson(TypedDict):
    """A disaster card in a zone, with the cubes on the card."""

    card: str
    placed: CubeCounts


class EscapeJson(TypedDict):
    """The escape sequences: the active one with the cubes on it, the number of those still face down, and the repaired
    ones."""

    active: str | None
    placed: CubeCounts
    left: int
    done: list[str]


class ResultJson(TypedDict):
    """How the game ended."""

    won: bool
    cause: str | None


class SystemsFailingPosition(TypedDict):
    """A position, as `tablekeeper play` prints it."""

    turn: int | Literal["house"] | None
    first: int
    round: int
    phase: str
    actions_left: int
    must_return: int
    bag: CubeCounts
    pools: list[CubeCounts]
    zones: dict[str, list[CardJson]]
    deck: int
    deck_whites: int
    discard: list[str]
    escape: EscapeJson
    stability: int
    damage: int
    region: str
    roles: list[str | None]
    difficulty: str
    side: Literal["beginner", "normal"]
    over: bool
    result: ResultJson | None
