"""The JSON of a position of Commute."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class PendingJson(TypedDict):
    """The JSON of what a player must do before the turn goes on. `seat` is the player's seat. For "bump", the player
    must play a card that moves the piece of the player in `target`. For "choose", the player must answer the question
    of a card."""

    kind: Literal["bump", "choose"]
    seat: int
    target: NotRequired[int]


class CommutePosition(TypedDict):
    """A position, as `tablekeeper play` prints it. "?" stands for a card whose face the viewer does not know."""

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
