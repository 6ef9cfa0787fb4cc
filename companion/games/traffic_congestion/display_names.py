"""Makes the names of lanes, intersections, gates and cars of Traffic Congestion, in the reader's language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Final

from companion.games.traffic_congestion.board import COLORS, Board, RoadNetwork
from companion.tabletop.components import PLURAL_SUFFIX
from companion.text.messages import Text, TextLike, _, gettext_noop, joined, listed, plural

SIDES: Final = (gettext_noop("north"), gettext_noop("east"), gettext_noop("south"), gettext_noop("west"))
"""The sides of the built-in boards. On these boards, the id of a gate begins with the name of its side."""

TOKENS: Final[Mapping[str, str]] = {color: f"{color} car" for color in COLORS}
"""The name of a car of each color, in English."""


def translatable_texts(boards: Iterable[Board]) -> Iterator[str]:
    """Yields the English descriptions of all lanes of these boards, for translators."""
    for network in map(RoadNetwork, boards):
        yield from map(lane_description, network.lanes)


def lane_description(lane: str) -> str:
    """The English name of a lane in a sentence, such as "lane north1>A". It is the key under which translations are
    looked up."""
    return f"lane {lane}"


@lru_cache(1024)
def lane_label(lane: str) -> TextLike:
    """The short name of a lane, such as "north1>A"."""
    return joined(">", map(node_label, lane.split(">")))


@lru_cache(1024)
def spoken_lane_label(lane: str) -> Text:
    """The name of a lane for screen readers, such as "north1 to A"."""
    start, end = map(node_label, lane.split(">"))
    return _("{start} to {end}", start=start, end=end)


def node_label(node: str) -> TextLike:
    """The short name of an intersection or gate, such as "north1". Names on boards that people made themselves are not
    translated."""
    word, number = _word_and_number(node)
    return joined("", (side_label(word), number))


def side_label(side: str) -> TextLike:
    """The name of a side of the board, such as "north". Names on boards that people made themselves are not
    translated."""
    return _(side) if side in SIDES else side


def car_label(color: str) -> Text:
    """The name of a car of this color, such as "blue car"."""
    return _(TOKENS[color])


def cars_label(cars: Sequence[str]) -> TextLike:
    """The numbers of cars of each color, such as "2 blue cars, 3 green cars and 1 red car"."""
    counts = Counter(cars).items()
    return listed(
        [joined(" ", (str(n), plural(TOKENS[color], TOKENS[color] + PLURAL_SUFFIX, n))) for color, n in counts]
    )


@cache
def _word_and_number(node: str) -> tuple[str, str]:
    """The word and the number in a node's id, such as ("north", "1") for `north1`."""
    word = node.rstrip("0123456789")
    return word, node[len(word) :]
