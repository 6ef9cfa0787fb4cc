"""The lanes on Traffic Congestion's page, with what players can do there.

The game's rules say which moves are legal, and why others are not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from companion.games import move_json
from companion.games.rules import Move, Seat
from companion.games.traffic_congestion.board import CAPACITY, SignalPath
from companion.games.traffic_congestion.effects import apply_move
from companion.games.traffic_congestion.legality import refusal
from companion.games.traffic_congestion.log_lines import consequences
from companion.games.traffic_congestion.moves import Enter, Go, LaneId, Redirect, Signal
from companion.games.traffic_congestion.page.page_street_geometry import Arrow, Streets
from companion.games.traffic_congestion.page.static_board_drawing import LanePlace
from companion.games.traffic_congestion.phases import advance
from companion.games.traffic_congestion.position import Position, Queue
from companion.games.view import View
from companion.text.messages import Text, TextLike, _

SIGNAL_TITLES: Mapping[str, Text] = {
    "left": _("Left"),
    "straight on": _("Straight on"),
    "right": _("Right"),
    "back": _("U-turn"),
}
"""The titles of buttons that place a signal. Keys are the directions in which a signal can send cars."""

GO_AND_SIGNAL_TITLES: Mapping[str, Text] = {
    "left": _("Move, then signal left"),
    "straight on": _("Move, then signal straight on"),
    "right": _("Move, then signal right"),
    "back": _("Move, then signal U-turn"),
}
"""The titles of buttons that make a Go and redirect its signal. Keys are the directions in which the redirected signal
can send cars."""


class LaneButton(NamedTuple):
    """A button that makes a move."""

    move: str
    """The move as JSON. "" if the viewer can't make it now."""
    refusal: TextLike
    """The reason why the rules don't allow the move. "" if they do."""


@dataclass(frozen=True, eq=False)
class SignalChoice:
    """A lane to which a new or redirected signal could point. Equal choices are the same object (see `_signal_choice`),
    so comparing them by identity, which is fast, is enough."""

    to: str
    title: Text
    arrow: Arrow
    player_colors: tuple[str, ...]
    """The players' colors that score in this lane. Empty unless the lane is an exit."""
    button: LaneButton
    crossed_path: Arrow | None
    """The existing path that the signal would cross. None if it would cross no path."""


class GoPreview(NamedTuple):
    """A preview of a Go from a lane: which cars would move, which would stay, and who would score or win."""

    to: str
    arrow: Arrow
    moving: Queue
    staying: Queue
    consequence_texts: tuple[TextLike, ...]
    """The sentences that say who would score or win, and which cars would leave without scoring."""
    keep: LaneButton
    remove: LaneButton


@dataclass(frozen=True, eq=False)
class LaneState:
    """The state of a lane, which determines its drawing and its entry in the list of lanes. Equal states are the same
    object, so comparing them by identity, which is fast, is enough."""

    place: LanePlace
    cars: Queue
    to: str
    """The lane to which this lane's signal points. "" if this lane has no signal."""
    enters: bool
    """Whether the viewer can add a car to this lane now."""
    is_ready: bool
    """Whether the viewer can move the cars in this lane now."""

    @property
    def id(self) -> str:
        return self.place.id

    @property
    def key(self) -> str:
        return self.place.key

    @property
    def free(self) -> range:
        """The indices in the queue at which there is no car. The head of the queue has index 0."""
        return range(len(self.cars), CAPACITY)


@dataclass(frozen=True, eq=False)
class LaneView:
    """An entrance or an inner lane as the page shows it, with what can be done there. As with `LaneState`, equal views
    are the same object."""

    state: LaneState
    enter: LaneButton | None
    go: GoPreview | None
    signal_choices: tuple[SignalChoice, ...]
    """The lanes to which this lane's signal could point. Empty if the signal can't be changed now, because no car can
    go."""


_lane_state = lru_cache(maxsize=4096)(LaneState)
_lane_view = lru_cache(maxsize=4096)(LaneView)


def lane_view(view: View, position: Position, streets: Streets, place: LanePlace) -> LaneView:
    """The view of a lane, with what the active player of `position` can do there."""
    lane, may_act = place.id, bool(view.choices.labels)
    to = position.signals.get(lane, "")
    leads_out = to in position.network.scoring_colors
    decisive = (*place.near, *_path_from(position, lane)) if place.is_entrance else place.near
    return _view_from_surroundings(
        streets,
        place,
        position.colors,
        position.scores if leads_out else (0,) * len(position.colors),
        position.active_player if may_act or leads_out or place.is_entrance else Seat(0),
        view.names,
        may_act,
        (position.queue(lane), position.queue(to)),
        tuple([(each, position.signals[each]) for each in decisive if each in position.signals]),
    )


def _path_from(position: Position, lane: str) -> Iterator[str]:
    """Yields the lanes through which signals lead from a lane. Ends at the first lane that has no signal or has been
    passed before."""
    passed = set[str]()
    while (to := position.signals.get(lane)) and to not in passed:
        yield to
        passed.add(lane := to)


@lru_cache(maxsize=4096)
def _view_from_surroundings(
    streets: Streets,
    place: LanePlace,
    colors: tuple[str, ...],
    scores: tuple[int, ...],
    active_player: Seat,
    names: tuple[str, ...],
    may_act: bool,
    queues: tuple[Queue, Queue],
    signals: tuple[SignalPath, ...],
) -> LaneView:
    """The view of a lane. It is cached, and is made again only when one of the arguments changes. To ensure that it
    depends on nothing else, it is made from a position that contains only these cars and signals. `may_act`: whether
    the viewer can make the active player's moves now. `queues`: the cars in the lane, and those in the lane to which
    its signal points."""
    lanes = place.id, dict(signals).get(place.id, "")
    position = Position(
        streets.network, colors, scores, active_player, dict(zip(lanes, queues, strict=True)), dict(signals)
    )
    name = place.id
    enter = _move_button(position, Enter(seat=active_player, lane=LaneId(name)), may_act) if place.is_entrance else None
    go = _go_preview(position, streets, name, names, may_act) if name in position.signals else None
    choices = () if go and go.keep.refusal else _signal_choices(position, streets, name, may_act)
    state = _lane_state(
        place,
        position.queue(name),
        position.signals.get(name, ""),
        enter is not None and enter.move != "",
        go is not None and go.keep.move != "",
    )
    return _lane_view(state, enter, go, tuple(sorted(choices, key=lambda choice: bool(choice.button.refusal))))


def _move_button(position: Position, move: Move, may_act: bool) -> LaneButton:
    reason = refusal(position, move)
    return LaneButton("" if reason or not may_act else move_json.write(move), reason or "")


def _signal_choices(position: Position, streets: Streets, name: str, may_act: bool) -> Iterator[SignalChoice]:
    """Yields a choice for each lane to which a lane's signal could point. If the lane has a signal, the choice
    redirects it after a Go. Otherwise, the choice places a new signal."""
    seat, lane, current = position.active_player, LaneId(name), position.signals.get(name)
    for to in position.network.signal_targets[name]:
        there = LaneId(to)
        move = Go(seat=seat, lane=lane, then=Redirect(there)) if current else Signal(seat=seat, lane=lane, to=there)
        if to != current:
            yield _signal_choice(
                streets,
                (name, to),
                current is not None,
                _player_colors(position, to),
                _move_button(position, move, may_act),
                position.crossing_path((name, to)),
            )


@lru_cache(maxsize=4096)
def _signal_choice(
    streets: Streets,
    path: SignalPath,
    is_go: bool,
    player_colors: tuple[str, ...],
    button: LaneButton,
    crossed_path: SignalPath | None,
) -> SignalChoice:
    """Makes a signal choice. Choices are cached, because many of them stay the same from one move to the next."""
    return SignalChoice(
        path[1],
        (GO_AND_SIGNAL_TITLES if is_go else SIGNAL_TITLES)[streets.turn(path)],
        streets.arrows[path],
        player_colors,
        button,
        streets.arrows[crossed_path] if crossed_path else None,
    )


def _go_preview(position: Position, streets: Streets, name: str, names: tuple[str, ...], may_act: bool) -> GoPreview:
    to, queue = position.signals[name], position.queue(name)
    keep, remove = (Go(seat=position.active_player, lane=LaneId(name), then=then) for then in ("keep", "remove"))
    moving = position.movable_cars(name, to)
    return GoPreview(
        to,
        streets.arrows[name, to],
        moving,
        queue[len(moving) :],
        _consequences(position, keep, names),
        _move_button(position, keep, may_act),
        _move_button(position, remove, may_act),
    )


def _consequences(position: Position, go: Go, names: tuple[str, ...]) -> tuple[TextLike, ...]:
    if refusal(position, go):
        return ()
    return tuple(consequences(position, go, advance(apply_move(position, go)), names))


def _player_colors(position: Position, lane: str) -> tuple[str, ...]:
    """The players' colors that score in a lane. Empty unless the lane is an exit."""
    scoring = position.network.scoring_colors.get(lane)
    return tuple([color for color in position.colors if color in scoring]) if scoring else ()
