"""What lanes, places and cars of Traffic Congestion are called in the language that is spoken."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Final

from companion.games.traffic_congestion.board import COLORS, Board, Roads
from companion.tabletop.components import MANY
from companion.text.translation import _, later, listed, plural

SIDES: Final = (later("north"), later("east"), later("south"), later("west"))
"""The sides of a town as our boards name them, and the words with which the names of their gates begin."""

TOKENS: Final[Mapping[str, str]] = {color: f"{color} car" for color in COLORS}


def lane_words(roads: Roads, lane: str) -> str:
    """What a lane is called in print, and in the catalogues: "the lane from north 1 to A"."""
    found = roads.lanes[lane]
    return f"the lane from {spot_words(found.start)} to {spot_words(found.end)}"


def spot_words(spot: str) -> str:
    """ "north 1" of `north1`."""
    return re.sub(r"(?<=[a-z])(?=[0-9])", " ", spot)


def texts(boards: Iterable[Board]) -> Iterator[str]:
    """What is said here of the data, besides the names of what lies on the table: the lanes of all these boards."""
    for roads in map(Roads, boards):
        yield from (lane_words(roads, lane) for lane in roads.lanes)


def lane_called(lane: str) -> str:
    """ "north1>A"."""
    return ">".join(map(spot_called, lane.split(">")))


def lane_read(lane: str) -> str:
    """A lane to be read aloud: "north1 to A"."""
    start, end = map(spot_called, lane.split(">"))
    return _("{start} to {end}", start=start, end=end)


def spot_called(spot: str) -> str:
    """ "north1"; what people call the gates and intersections of their own boards is theirs."""
    word, number = _parted(spot)
    return f"{side_called(word)}{number}"


def side_called(side: str) -> str:
    """ "north"; a side of a person's own board as that person calls it."""
    return _(side) if side in SIDES else side


def a_car(color: str) -> str:
    """ "blue car"."""
    return _(TOKENS[color])


def cars_called(cars: Sequence[str]) -> str:
    """ "2 blue cars, 3 green cars and 1 red car"."""
    counted = Counter(cars).items()
    return listed([f"{n} {plural(TOKENS[color], TOKENS[color] + MANY, n)}" for color, n in counted])


@cache
def _parted(spot: str) -> tuple[str, str]:
    """("north", "1") of `north1`."""
    word = spot.rstrip("0123456789")
    return word, spot[len(word) :]
