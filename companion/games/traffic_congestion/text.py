"""Makes the texts that people read about Traffic Congestion: log lines, button labels, prompts and scores."""

from __future__ import annotations

from collections.abc import Iterator

from companion.games.game import GameText, Meter
from companion.games.rules import Move, Names, Seat, Viewer
from companion.games.traffic_congestion.board_reader import boards
from companion.games.traffic_congestion.ending import key_figures
from companion.games.traffic_congestion.help_for_position import HELP, help_topic
from companion.games.traffic_congestion.legality import is_gridlocked
from companion.games.traffic_congestion.moves import Enter, Go, Redirect, Signal, SignalChange
from companion.games.traffic_congestion.names import car_label, cars_label, lane_label, translatable_texts
from companion.games.traffic_congestion.position import CARS_TO_WIN, Position, Queue
from companion.text.guidebook import guidebook
from companion.text.messages import Text, TextLike, _, joined, plural

# The log ----------------------------------------------------------------------------------------------


def log_line(before: Position, move: Move, after: Position, viewer: Viewer, names: Names) -> TextLike:
    """The log line of a move: one or more sentences that say what it did."""
    return joined(
        " ", (_move_sentence(before, move, names[before.active_player]), *consequences(before, move, after, names))
    )


def _move_sentence(before: Position, move: Move, name: str) -> Text:
    match move:
        case Enter(lane=lane):
            return _(
                "{name} enters a {car} at {lane}.", name=name, car=car_label(before.active_color), lane=lane_label(lane)
            )
        case Signal(lane=lane, to=to):
            return _("{name} places a signal from {lane} to {to}.", name=name, lane=lane_label(lane), to=lane_label(to))
        case Go(lane=lane, then=then):
            there = before.signals[lane]
            return _go_sentence(name, before.movable_cars(lane, there), lane, there, then)
    return _("{name} passes: nothing can be done.", name=name)


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
    """Yields a sentence for each consequence of a move: who scores, which cars leave without scoring, who wins."""
    if isinstance(move, Go):
        to = before.signals[move.lane]
        yield from _exit_sentences(before, to, before.movable_cars(move.lane, to), names)
    if after.winner is not None:
        yield _ending(after, after.winner, names)


def _exit_sentences(before: Position, to: str, cars: Queue, names: Names) -> Iterator[Text]:
    """Yields a sentence for each player who scores and one for the cars that leave without scoring. Yields nothing if
    `to` is not an exit."""
    if to not in before.network.scoring_colors:
        return
    scoring = before.network.scoring_colors[to]
    for seat, color in enumerate(before.colors):
        if color in scoring and color in cars:
            yield plural("{name} scores {n}.", "{name} scores {n}.", cars.count(color), name=names[seat])
    if unscored := tuple(car for car in cars if car not in scoring):
        yield _("Back to the supply: {cars}.", cars=cars_label(unscored))


def _ending(position: Position, seat: Seat, names: Names) -> Text:
    return _("{name} wins with {cars} home!", name=names[seat], cars=_cars_home(position, seat))


def _cars_home(position: Position, seat: Seat) -> TextLike:
    return cars_label((position.colors[seat],) * position.scores[seat])


# Buttons ----------------------------------------------------------------------------------------------


def label(position: Position, move: Move, viewer: Viewer, names: Names) -> tuple[TextLike, ...]:
    """The path to a move through the phone's buttons."""
    match move:
        case Enter(lane=lane):
            return _("Enter a {car}", car=car_label(position.active_color)), lane_label(lane)
        case Signal(lane=lane, to=to):
            return (
                _("Place a signal"),
                _("at the end of {lane}", lane=lane_label(lane)),
                _("to {lane}", lane=lane_label(to)),
            )
        case Go(lane=lane, then=then):
            there = position.signals[lane]
            cars = cars_label(position.movable_cars(lane, there))
            route = _("{lane} to {to}: {cars}", lane=lane_label(lane), to=lane_label(there), cars=cars)
            return _("Move cars"), route, _signal_button(then)
    return (_("Pass"),)


def _signal_button(then: SignalChange) -> Text:
    match then:
        case Redirect(to=to):
            return _("then turn the signal to {lane}", lane=lane_label(to))
        case "remove":
            return _("then remove the signal")
    return _("then keep the signal")


# Prompt and scores ------------------------------------------------------------------------------------


def prompt(position: Position, viewer: Viewer, names: Names) -> Text:
    """Says what is going on and what to do now."""
    if viewer == position.winner:
        return _("You win with {cars} home!", cars=_cars_home(position, position.winner))
    if position.winner is not None:
        return _ending(position, position.winner, names)
    if is_gridlocked(position):
        return _(
            "Gridlock: nobody can move any more, so nobody will win. "
            "End the game on the host's page, or take moves back."
        )
    if viewer == position.active_player:
        car = car_label(position.active_color)
        return _("Your turn: enter a {car}, place a signal, or move cars through one.", car=car)
    return _("{name} ({color}) is to move.", name=names[position.active_player], color=_(position.active_color))


def meters(position: Position) -> tuple[Meter, ...]:
    """A meter for each player: the number of cars that are home."""
    return tuple(
        Meter(
            joined(", ", (f"{{{seat}}}", _(color))),
            score,
            0,
            CARS_TO_WIN,
            seat=seat,
            measures=_("Cars home"),
            is_score=True,
        )
        for seat, (color, score) in enumerate(zip(position.colors, position.scores, strict=True))
    )


def key_moments(before: Position, after: Position, names: Names) -> Iterator[TextLike]:
    """Yields the moments to look back at: each time when a player's cars get home."""
    for name, old, new in zip(names, before.scores, after.scores, strict=True):
        if new > old:
            yield _("{name}: {n} of {count} cars home", name=name, n=new, count=CARS_TO_WIN)


TEXT: GameText[Position] = GameText(
    log_line=log_line,
    label=label,
    prompt=prompt,
    key_figures=key_figures,
    guidebook=lambda: guidebook(HELP),
    help_topic=help_topic,
    key_moments=key_moments,
    translatable_texts=lambda: translatable_texts(boards().values()),
)
