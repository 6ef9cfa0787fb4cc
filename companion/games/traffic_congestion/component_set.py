"""The component set of a board of Traffic Congestion: everything that can lie on the table, and the art that draws it
for print.

Law: pure.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from companion.games.traffic_congestion.board import COLORS, RoadNetwork
from companion.games.traffic_congestion.display_names import TOKENS, lane_description
from companion.games.traffic_congestion.mat import mat
from companion.games.traffic_congestion.mat_street_geometry import CAR_MM, street_plan
from companion.games.traffic_congestion.signal_dimensions import signal_outline
from companion.tabletop.component_outline import Outline
from companion.tabletop.components import Art, Component, ComponentSet

PREFIX: Final = "TC-"
SIGNAL_KIND: Final = f"{PREFIX}SIG"
BACK_SUFFIX: Final = "X"
"""The suffix that turns the code on a signal's front into the code on its back."""
SIGNAL_COUNT: Final = 36
"""The number of signals in the game. It is enough for every lane that may have a signal on the largest built-in
board."""
SUPPLY: Final = "supply"
"""The name, in layouts, of the place of the cars that are not on the board."""
ADVICE: Final = (
    "Cubes for cars, if the camera is to count them",
    f"Up to 24 wooden cubes of {CAR_MM:.0f} mm in each color that is played. The paper cars of these sheets do as "
    "well, but the camera can’t count them: then it reads only the signals, and the phones keep track of the cars.",
)


@dataclass(frozen=True)
class BoardArt:
    """A callable that returns the art of a board. It is a dataclass instead of a function, so that component sets of
    the same board are equal."""

    network: RoadNetwork

    def __call__(self) -> Art:
        from companion.games.traffic_congestion.component_art import TrafficArt

        return TrafficArt(street_plan(self.network))


@lru_cache(maxsize=16)
def component_set(network: RoadNetwork) -> ComponentSet:
    """The components for a board. The signals are the same for all boards, except for their size. The result is cached,
    because every game that is started or replayed needs it, and the pavement of a mat has thousands of corners."""
    lanes = {lane: lane_description(lane) for lane in network.lanes}
    scores = {score_track(color): f"the score of {color}" for color in COLORS}
    return ComponentSet(
        components=_signals(signal_outline(street_plan(network))),
        mat=mat(street_plan(network)),
        places={**lanes, **scores, SUPPLY: "the supply"},
        tokens=TOKENS,
        art=BoardArt(network),
        advice=ADVICE,
    )


def _signals(outline: Outline) -> tuple[Component, ...]:
    ids = (f"{SIGNAL_KIND}{number:02}" for number in range(1, SIGNAL_COUNT + 1))
    return tuple(
        Component(
            id,
            "a signal",
            "Signal",
            "in the supply",
            kind=SIGNAL_KIND,
            reverse=id + BACK_SUFFIX,
            outline=outline,
            only_name="the signal",
        )
        for id in ids
    )


def score_track(color: str) -> str:
    """The name, in layouts, of a color's score track, such as "score-blue"."""
    return f"score-{color}"
