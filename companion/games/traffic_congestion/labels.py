"""What lanes, intersections, gates and cars of Traffic Congestion are called, in the reader's language."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Final

from companion.games.traffic_congestion.board import COLORS, Board, RoadNetwork
from companion.tabletop.components import PLURAL_SUFFIX
from companion.text.messages import Text, TextLike, _, gettext_noop, joined, listed, plural

SIDES: Final = (gettext_noop("north"), gettext_noop("east"), gettext_noop("south"), gettext_noop("west"))
"""The sides of a town on the boards that come with the game. The ids of their gates begin with these words."""

TOKENS: Final[Mapping[str, str]] = {color: f"{color} car" for color in COLORS}


def translatable_texts(boards: Iterable[Board]) -> Iterator[str]:
    """The descriptions of all lanes of these boards."""
    for network in map(RoadNetwork, boards):
        yield from (lane_description(network, lane) for lane in network.lanes)


def lane_description(network: RoadNetwork, lane: str) -> str:
    """ "the lane from north 1 to A", in English: for prints and as a key of translations."""
    ends = network.lanes[lane]
    return f"the lane from {node_description(ends.start)} to {node_description(ends.end)}"


def node_description(node: str) -> str:
    """ "north 1" of `north1`, in English."""
    return re.sub(r"(?<=[a-z])(?=[0-9])", " ", node)


def lane_label(lane: str) -> TextLike:
    """ "north1>A"."""
    return joined(">", map(node_label, lane.split(">")))


def spoken_lane_label(lane: str) -> Text:
    """ "north1 to A", for screen readers."""
    start, end = map(node_label, lane.split(">"))
    return _("{start} to {end}", start=start, end=end)


def node_label(node: str) -> TextLike:
    """ "north1". The gates and intersections of people's own boards keep the names that people gave them."""
    word, number = _word_and_number(node)
    return joined("", (side_label(word), number))


def side_label(side: str) -> TextLike:
    """ "north". The sides of people's own boards keep the names that people gave them."""
    return _(side) if side in SIDES else side


def car_label(color: str) -> Text:
    """ "blue car"."""
    return _(TOKENS[color])


def cars_label(cars: Sequence[str]) -> TextLike:
    """ "2 blue cars, 3 green cars and 1 red car"."""
    counts = Counter(cars).items()
    return listed(
        [joined(" ", (str(n), plural(TOKENS[color], TOKENS[color] + PLURAL_SUFFIX, n))) for color, n in counts]
    )


@cache
def _word_and_number(node: str) -> tuple[str, str]:
    """("north", "1") of `north1`."""
    word = node.rstrip("0123456789")
    return word, node[len(word) :]
