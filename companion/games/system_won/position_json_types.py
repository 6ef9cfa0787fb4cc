"""The JSON of a position of System WON."""

from __future__ import annotations

from typing import Literal, TypedDict


class KnowledgeJson(TypedDict):
    """The JSON of what hints have said about a card: its color and rank, and the colors and ranks that it does not
    have."""

    color: str | None
    rank: int | None
    not_colors: list[str]
    not_ranks: list[int]


class PendingJson(TypedDict):
    """The JSON of abilities that affect the order of turns. `extra` lists the seats that take extra turns after this
    turn, in order. `skip` is the number of seats that are skipped before the next regular turn."""

    extra: list[int]
    skip: int


class ResultJson(TypedDict):
    """The result of a finished game. `rating` is an index into the catalog's ratings."""

    score: int
    won: bool
    rating: int


class SystemWonPosition(TypedDict):
    """A position, as `tablekeeper play` prints it. "?" stands for a face that the viewer does not know."""

    players: int
    turn: int | Literal["house"] | None
    hands: list[list[str]]
    knowledge: list[list[KnowledgeJson]]
    deck: int
    specifications: int
    systems: dict[str, int]
    discard: list[str]
    errors: list[str]
    roles: list[str | None] | None
    roles_used: list[str]
    turns_left: int | None
    pending: PendingJson
    score: int
    over: bool
    result: ResultJson | None
