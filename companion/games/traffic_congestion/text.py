"""What Traffic Congestion says to people: log, buttons, what to do, scores."""

from __future__ import annotations

from collections.abc import Iterator

from companion.games.game import Meter
from companion.games.rules import Move, Names, Seat, Viewer
from companion.games.traffic_congestion.labels import a_car, cars_called, lane_called
from companion.games.traffic_congestion.moves import Enter, Go, Signal, Then, Turn
from companion.games.traffic_congestion.rules import GOAL, Cars, State
from companion.text.translation import _, plural

# The log ----------------------------------------------------------------------------------------------


def tell(before: State, move: Move, after: State, viewer: Viewer, names: Names) -> str:
    """What happened, in a sentence or a few."""
    return " ".join((_deed(before, move, names[before.player]), *consequences(before, move, after, names)))


def _deed(before: State, move: Move, name: str) -> str:
    match move:
        case Enter(lane=lane):
            return _("{name} enters a {car} at {lane}.", name=name, car=a_car(before.color), lane=lane_called(lane))
        case Signal(lane=lane, to=to):
            return _(
                "{name} places a signal from {lane} to {to}.", name=name, lane=lane_called(lane), to=lane_called(to)
            )
        case Go(lane=lane, then=then):
            return _went(name, before.moving(lane, before.signals[lane]), lane, before.signals[lane], then)
    return _("{name} passes: nothing can be done.", name=name)


def _went(name: str, moved: Cars, lane: str, to: str, then: Then) -> str:
    words = {"name": name, "cars": cars_called(moved), "lane": lane_called(lane), "to": lane_called(to)}
    match then:
        case Turn(to=other):
            return _(
                "{name} moves {cars} from {lane} to {to} and turns the signal to {other}.",
                **words,
                other=lane_called(other),
            )
        case "remove":
            return _("{name} moves {cars} from {lane} to {to} and removes the signal.", **words)
    return _("{name} moves {cars} from {lane} to {to} and keeps the signal.", **words)


def consequences(before: State, move: Move, after: State, names: Names) -> Iterator[str]:
    """Who scores by a move, which cars leave for nothing, and how the game ends: a sentence each."""
    if isinstance(move, Go):
        exit_lane = before.signals[move.lane]
        cars = before.moving(move.lane, exit_lane)
        yield from _left(before, exit_lane, cars, names)
    if after.winner is not None:
        yield ending(after, after.winner, names)


def _left(before: State, exit_lane: str, cars: Cars, names: Names) -> Iterator[str]:
    """Who scores, and which cars left on a side that isn't theirs."""
    if exit_lane not in before.roads.goals:
        return
    goals = before.roads.goals[exit_lane]
    for seat, color in enumerate(before.colors):
        if color in goals and color in cars:
            yield plural("{name} scores {n}.", "{name} scores {n}.", cars.count(color), name=names[seat])
    if lost := tuple(car for car in cars if car not in goals):
        yield _("Back to the supply: {cars}.", cars=cars_called(lost))


def ending(state: State, seat: Seat, names: Names) -> str:
    """How the game ended."""
    return _("{name} wins with {cars} home!", name=names[seat], cars=_home(state, seat))


def _home(state: State, seat: Seat) -> str:
    return cars_called((state.colors[seat],) * state.scores[seat])


# The buttons ------------------------------------------------------------------------------------------


def label(state: State, move: Move, viewer: Viewer, names: Names) -> tuple[str, ...]:
    """The path to a move through the buttons."""
    match move:
        case Enter(lane=lane):
            return _("Enter a {car}", car=a_car(state.color)), lane_called(lane)
        case Signal(lane=lane, to=to):
            return (
                _("Place a signal"),
                _("at the end of {lane}", lane=lane_called(lane)),
                _("to {lane}", lane=lane_called(to)),
            )
        case Go(lane=lane, then=then):
            there = state.signals[lane]
            cars = cars_called(state.moving(lane, there))
            ride = _("{lane} to {to}: {cars}", lane=lane_called(lane), to=lane_called(there), cars=cars)
            return _("Move cars"), ride, _button(then)
    return (_("Pass"),)


def _button(then: Then) -> str:
    match then:
        case Turn(to=to):
            return _("then turn the signal to {lane}", lane=lane_called(to))
        case "remove":
            return _("then remove the signal")
    return _("then keep the signal")


# The moment -------------------------------------------------------------------------------------------


def guide(state: State, viewer: Viewer, names: Names) -> str:
    """What is going on and what to do with one's hands."""
    if viewer == state.winner:
        return _("You win with {cars} home!", cars=_home(state, state.winner))
    if state.winner is not None:
        return ending(state, state.winner, names)
    if state.gridlocked:
        return _(
            "Gridlock: nobody can move any more, so nobody will win. "
            "End the game on the host's page, or take moves back."
        )
    if viewer == state.player:
        car = a_car(state.color)
        return _("Your turn: enter a {car}, place a signal, or move cars through one.", car=car)
    return _("{name} ({color}) is to move.", name=names[state.player], color=_(state.color))


def meters(state: State) -> tuple[Meter, ...]:
    """Each player's cars home."""
    return tuple(
        Meter(f"{{{seat}}}, {_(color)}", score, 0, GOAL, seat=seat, measures=_("Cars home"))
        for seat, (color, score) in enumerate(zip(state.colors, state.scores, strict=True))
    )


def outcome(state: State) -> dict[str, bool | float | str]:
    """What counts of a finished game, as programs know it."""
    return {"winner": _winner(state), "turns": state.turns}


def _winner(state: State) -> str:
    if state.winner is None:
        return "nobody (gridlock)" if state.gridlocked else "nobody yet"
    return f"seat {state.winner} ({state.colors[state.winner]})"
