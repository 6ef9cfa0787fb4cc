"""Defines the options of Traffic Congestion, and makes the start of a game from a checked set-up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.games.board_files import board_option, selected_board, with_board_file
from companion.games.rules import Option, Start, check_keys, option_value
from companion.games.setup_list_checks import distinct_names
from companion.games.traffic_congestion.board import COLORS, RoadNetwork
from companion.games.traffic_congestion.board_reader import DEFAULT_BOARD, board_files, boards, read_board
from companion.games.traffic_congestion.component_set import component_set
from companion.games.traffic_congestion.moves import LaneId
from companion.games.traffic_congestion.rules import State

BOARD = board_option(
    board_files(), DEFAULT_BOARD, "Where the cars drive: a single crossroads, or a grid of four or nine intersections."
)

DRIVING = Option(
    "driving",
    "Driving side",
    (("right", "On the right"), ("left", "On the left")),
    "right",
    "Which side of the street cars drive on. This changes which paths cross.",
)

U_TURNS = Option(
    "u_turns",
    "U-turns",
    (("true", "Allowed"), ("false", "Not allowed")),
    "true",
    "Whether a signal may point back into its own street.",
)

OPTIONS = (BOARD, DRIVING, U_TURNS)


def resolve_setup(setup: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the set-up with the text of a board file in place of the file's path. A set-up without such a path is
    returned unchanged. Raises SetupError if the file can't be read."""
    return with_board_file(setup, BOARD)


def begin(seats: int, setup: Mapping[str, Any]) -> Start[State]:
    """The position before the first turn. The set-up must be a result of `resolve_setup`, which reads board files.
    Raises SetupError if the set-up is invalid."""
    check_keys("Traffic Congestion", setup, ("colors", *(option.name for option in OPTIONS)))
    network = road_network(setup)
    state = State(network=network, colors=_colors(setup.get("colors", []), seats), scores=(0,) * seats)
    return Start(state, identifiers={LaneId: tuple(network.lanes)}, components=component_set(network))


def road_network(setup: Mapping[str, Any]) -> RoadNetwork:
    """The board and the traffic rules that a set-up chooses. Raises SetupError if a choice is invalid."""
    return RoadNetwork(
        selected_board(setup, BOARD, boards(), read_board),
        "left" if option_value(setup, DRIVING) == "left" else "right",
        option_value(_with_u_turns_as_text(setup), U_TURNS) == "true",
    )


def _with_u_turns_as_text(setup: Mapping[str, Any]) -> Mapping[str, Any]:
    """The set-up with the value of the U-turn option as text. A set-up file may contain either `true` or `"true"`."""
    value = setup.get(U_TURNS.name)
    return {**setup, U_TURNS.name: str(value).lower()} if isinstance(value, bool) else setup


def _colors(value: Any, seats: int) -> tuple[str, ...]:
    """The players' colors, by seat, all different. Seats for which the set-up chooses no color get the first colors
    that are left. Raises SetupError if `value` is invalid."""
    chosen = distinct_names(value, "colors", COLORS, seats)
    left = [color for color in COLORS if color not in chosen]
    return (*chosen, *left[: seats - len(chosen)])
