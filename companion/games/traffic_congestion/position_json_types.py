"""The type of the JSON of a position of Traffic Congestion."""

from __future__ import annotations

from typing import Literal, TypedDict


class TrafficCongestionPosition(TypedDict):
    """A position, as `tablekeeper play` prints it. `lanes`: the colors of the cars in each lane, from the head of the
    queue to its tail."""

    board: str
    driving: Literal["right", "left"]
    turn: int | None
    colors: list[str]
    lanes: dict[str, list[str]]
    signals: dict[str, str]
    scores: dict[str, int]
    over: bool
    winner: int | None
