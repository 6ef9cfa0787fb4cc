"""The JSON of a position of Commute."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class PendingJson(TypedDict):
    """What the player in `seat` must do before the turn goes on: play a card that moves the piece of the player in
    `target` ("bump"), or answer the question of a card ("choose")."""

    kind: Literal["bump", "choose"]
    seat: int
    target: NotRequired[int]


class CommutePosition(TypedDict):
    """A position, as `tablekeeper play` prints it; "?" stands for a card whose face the viewer does not know."""

    round: int
    commute: Literal["morning", "evening"]
    turn: int | Literal["house"] | None
    hands: list[list[str]]
    positions: list[str]
    minutes: list[int]
    reputation: list[int]
    arrived: list[bool]
    deck: int
    pending: PendingJson | None
    uh_oh: str | None
    closed: dict[str, int]
    skips: list[int]
    over: bool
    winners: list[int]
