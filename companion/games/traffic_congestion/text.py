"""The texts of Traffic Congestion for people: button labels, prompts and scores. The log lines are in
`log_lines.py`."""

from __future__ import annotations

from collections.abc import Iterator

from companion.games.game import GameText, Meter
from companion.games.rules import Move, Names, Viewer
from companion.games.traffic_congestion.board_reader import boards
from companion.games.traffic_congestion.display_names import car_label, cars_label, lane_label, translatable_texts
from companion.games.traffic_congestion.end_screen import cars_home, ending, key_figures
from companion.games.traffic_congestion.help_for_position import HELP_FILE, help_topic
from companion.games.traffic_congestion.legality import is_gridlocked
from companion.games.traffic_congestion.log_lines import log_line
from companion.games.traffic_congestion.moves import Enter, Go, Redirect, Signal, SignalChange
from companion.games.traffic_congestion.position import CARS_TO_WIN, Position
from companion.games.turn_prompt import own_turn, turn_of
from companion.text.messages import Text, TextLike, _, joined


def label(position: Position, move: Move, viewer: Viewer, names: Names) -> tuple[TextLike, ...]:
    """The path to a move through the phone's buttons."""
    match move:
        case Enter(lane=lane):
            return _("Add a {car}", car=car_label(position.active_color)), lane_label(lane)
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


def prompt(position: Position, viewer: Viewer, names: Names) -> Text:
    """The text that says what is going on and what the viewer must do now."""
    if viewer == position.winner:
        return _("You win with {cars} home!", cars=cars_home(position, position.winner))
    if position.winner is not None:
        return ending(position, position.winner, names)
    if is_gridlocked(position):
        return _(
            "Gridlock: nobody can move any more, so nobody can win. End the game on the host page, or undo some moves."
        )
    if viewer == position.active_player:
        car = car_label(position.active_color)
        return own_turn(_("add a {car}, place a signal, or move cars through one.", car=car))
    return turn_of(names[position.active_player], _("playing {color}.", color=_(position.active_color)))


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
    """Yields the reasons why an act is a key moment: a player's cars came home."""
    for name, old, new in zip(names, before.scores, after.scores, strict=True):
        if new > old:
            yield _("{name}: {n} of {count} cars home", name=name, n=new, count=CARS_TO_WIN)


TEXT: GameText[Position] = GameText(
    log_line=log_line,
    label=label,
    prompt=prompt,
    key_figures=key_figures,
    guidebook_file=HELP_FILE,
    help_topic=help_topic,
    key_moments=key_moments,
    translatable_texts=lambda: translatable_texts(boards().values()),
)
