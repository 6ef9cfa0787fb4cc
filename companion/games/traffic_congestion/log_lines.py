"""The log lines of Traffic Congestion.

Law: pure.
"""

from __future__ import annotations

from collections.abc import Iterator

from companion.games.rules import Move, Names, Viewer
from companion.games.traffic_congestion.display_names import car_label, cars_label, lane_label
from companion.games.traffic_congestion.end_screen import ending
from companion.games.traffic_congestion.moves import Enter, Go, Redirect, Signal, SignalChange
from companion.games.traffic_congestion.position import Position, Queue
from companion.text.messages import Text, TextLike, _, joined, plural


def log_line(before: Position, move: Move, after: Position, viewer: Viewer, names: Names) -> TextLike:
    """The log line of a move: one or more sentences that say what the move did."""
    return joined(
        " ", (_move_sentence(before, move, names[before.active_player]), *consequences(before, move, after, names))
    )


def _move_sentence(before: Position, move: Move, name: str) -> Text:
    match move:
        case Enter(lane=lane):
            return _(
                "{name} adds a {car} at {lane}.", name=name, car=car_label(before.active_color), lane=lane_label(lane)
            )
        case Signal(lane=lane, to=to):
            return _("{name} places a signal from {lane} to {to}.", name=name, lane=lane_label(lane), to=lane_label(to))
        case Go(lane=lane, then=then):
            there = before.signals[lane]
            return _go_sentence(name, before.movable_cars(lane, there), lane, there, then)
    return _("{name} passes, with no other move left.", name=name)


def _go_sentence(name: str, moved: Queue, lane: str, to: str, then: SignalChange) -> Text:
    values = {"name": name, "cars": cars_label(moved), "lane": lane_label(lane), "to": lane_label(to)}
    match then:
        case Redirect(to=other):
            return _(
                "{name} moves {cars} from {lane} to {to} and turns the signal to {other}.",
                **values,
                other=lane_label(other),
            )
        case "remove":
            return _("{name} moves {cars} from {lane} to {to} and removes the signal.", **values)
    return _("{name} moves {cars} from {lane} to {to} and keeps the signal.", **values)


def consequences(before: Position, move: Move, after: Position, names: Names) -> Iterator[Text]:
    """Yields a sentence for each consequence of a move: who scores, which cars leave without scoring, and who wins."""
    if isinstance(move, Go):
        to = before.signals[move.lane]
        yield from _exit_sentences(before, to, before.movable_cars(move.lane, to), names)
    if after.winner is not None:
        yield ending(after, after.winner, names)


def _exit_sentences(before: Position, to: str, cars: Queue, names: Names) -> Iterator[Text]:
    """Yields a sentence for each player who scores, and one for the cars that leave without scoring. Yields nothing if
    `to` is not an exit."""
    if to not in before.network.scoring_colors:
        return
    scoring = before.network.scoring_colors[to]
    for seat, color in enumerate(before.colors):
        if color in scoring and color in cars:
            yield plural("{name} scores {n}.", "{name} scores {n}.", cars.count(color), name=names[seat])
    if unscored := tuple(car for car in cars if car not in scoring):
        yield _("Back to the supply: {cars}.", cars=cars_label(unscored))
