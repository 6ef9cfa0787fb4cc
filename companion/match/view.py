"""What a viewer may know: the only thing that phones, screens and lights are told of a game.

Law: pure. Everything here comes from `State.seen_by`, `Move.seen_by` and the game's words for that viewer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from companion.games.game import Game, Meter
from companion.games.rules import HouseMove, Json, Move, Names, Seat, State, Viewer, position_known_to
from companion.match import notation
from companion.match.history import Act, History
from companion.match.journal import Header
from companion.match.match import Match
from companion.tabletop.layout import Layout, physical_instructions
from companion.tabletop.observations import CardSeen
from companion.tabletop.tracked_table import Discrepancy, TrackedTable, discrepancies, uncertain_counts
from companion.text.translation import _

LOG_ACTS = 200
Cards = Mapping[str, tuple[str, ...]]


class Mark(NamedTuple):
    """What a phone has seen: the version, and the pulse of everything that is no move (sight, names, questions)."""

    version: int
    pulse: int


@dataclass(frozen=True)
class Told:
    """An act as a viewer may know it, for the log and for events."""

    version: int
    kind: str
    seat: int | None
    moves: tuple[dict[str, Json], ...]
    words: tuple[str, ...]


@dataclass(frozen=True)
class Ask:
    """A move that waits for another player's word."""

    move: Move
    asker: Seat
    asked: Seat


class Ending(NamedTuple):
    """How a game ended. `won`: whether all players did, None where they play against one another."""

    won: bool | None
    winners: tuple[int, ...]


@dataclass(frozen=True)
class View:
    """Everything that a viewer may know now.

    `options`: the values of the game's options. `dealers`: who deals each source of chance. `details`: what the pages
    need besides the state. `position` and `previous_position`: the typed positions as the viewer knows them, now and
    before the last act. `before`: what this viewer saw before the last act, so that pages can animate the change.
    `legal`: this seat's legal moves. `reports`: where people deal, the faces that could have come. `labels`: the path
    to each of these moves through the buttons. `topic`: the guidebook's rule for this position. `pause`: the label of
    the button with which the companion goes on, if it waits for one. `meant`: moves of this seat, one of which may
    explain what lies on the table. `uncertain_counts`: what the camera can't count for certain. `dialled`: the index of
    the move that the dial shows, and the number of moves. `physical_instructions`: what people must do on the table
    after the last act. `asking`: the path to the requested move. `watched`: whether a camera sees the mat.
    `on_phones`: whether nothing needs to lie on the table and nothing of the game has been seen there. `bare`: whether
    no component is in view.
    """

    id: int
    game: Game[Any]
    mark: Mark
    viewer: Viewer
    seats: int
    names: tuple[str, ...]
    options: Mapping[str, Json]
    dealers: Mapping[str, str]
    state: dict[str, Json]
    details: dict[str, Json]
    before: dict[str, Json] | None
    position: Any
    previous_position: Any
    turn: Seat | str | None
    guide: str
    topic: str
    meters: tuple[Meter, ...]
    log: tuple[Told, ...]
    legal: tuple[Move, ...] = ()
    reports: tuple[HouseMove, ...] = ()
    labels: Mapping[Move, tuple[str, ...]] = field(default_factory=dict)
    pause: str | None = None
    discrepancies: tuple[Discrepancy, ...] = ()
    meant: tuple[Move, ...] = ()
    uncertain_counts: tuple[str, ...] = ()
    physical_instructions: tuple[str, ...] = ()
    dialled: tuple[int, int] | None = None
    ask: Ask | None = None
    asking: tuple[str, ...] = ()
    notice: str = ""
    can_undo: bool = False
    can_redo: bool = False
    watched: bool = False
    on_phones: bool = False
    bare: bool = False

    @property
    def version(self) -> int:
        return self.mark.version

    @property
    def ending(self) -> Ending | None:
        """How the game ended, None while it goes on."""
        if self.turn is not None:
            return None
        result = self.state.get("result")
        said = result if isinstance(result, dict) else self.state
        winner = said.get("winner")
        return Ending(said.get("won"), tuple(said.get("winners", () if winner is None else (winner,))))


def look(
    match: Match,
    viewer: Viewer,
    sight: TrackedTable,
    mark: Mark,
    ask: Ask | None,
    notice: str,
    dialled: tuple[int, int] | None,
) -> View:
    """The book and the sight through a viewer's eyes."""
    game, state, history = match.game, match.state, match.history
    mat, in_use = game.physical.components.mat, _in_use(match, sight, game.physical.layout(state, viewer))
    seated = isinstance(viewer, int)
    legal = tuple(move for move in state.legal_moves() if seated and move.seat == viewer)
    meant = {thing: moves for thing, seen in sight.seen.items() if (moves := meant_by(game, state, seen))}
    asked = {thing: _told(moves[0].seat, match.names) for thing, moves in meant.items()}
    in_question = replace(in_use, otherwise={**in_use.otherwise, **asked})
    on_phones = _on_phones(match, sight)
    found = discrepancies(in_question, sight, game.physical.components, match.names, match.known())
    strays = [item.thing for item in found if item.stray]
    reports = match.reports(viewer) if isinstance(viewer, int) else ()
    return replace(
        look_back(match.id, match.header, history, viewer, match.earlier),
        mark=mark,
        legal=legal,
        reports=reports,
        labels={move: game.text.label(state, move, viewer, match.names) for move in (*legal, *reports)},
        pause=match.pause(),
        discrepancies=() if on_phones else found,
        meant=tuple(move for thing in strays for move in meant.get(thing, ()) if move.seat == viewer),
        uncertain_counts=uncertain_counts(in_use, sight, game.physical.components, match.names),
        physical_instructions=()
        if on_phones
        else _physical_instructions(match, viewer, sight, found if state.turn is not None else ()),
        dialled=dialled,
        ask=ask,
        asking=game.text.label(state, ask.move, viewer, match.names) if ask else (),
        notice=notice,
        can_undo=history.can_undo,
        can_redo=bool(history.undone),
        watched=mat is not None and sight.mat == mat.name,
        on_phones=on_phones,
        bare=not sight.seen.keys() & game.physical.components.kinds.keys(),
    )


def look_back(id: int, header: Header, history: History, viewer: Viewer, earlier: int = 0) -> View:
    """What a history alone tells a viewer, as if nobody acted any more; `earlier` are the acts of the games before."""
    game, state = history.game, history.state
    return View(
        id=id,
        game=game,
        mark=Mark(earlier + history.version, 0),
        viewer=viewer,
        seats=history.seats,
        names=header.names,
        options={option.name: header.setup.get(option.name, option.default) for option in game.rules.options},
        dealers={component: header.dealers.get(component, "companion") for component in game.rules.chance_sources},
        state=state.seen_by(viewer),
        details=game.analysis.details(state, viewer),
        before=history.acts[-1].before.seen_by(viewer) if history.acts else None,
        position=position_known_to(state, viewer),
        previous_position=position_known_to(history.acts[-1].before, viewer) if history.acts else None,
        turn=state.turn,
        guide=game.text.prompt(state, viewer, header.names),
        topic=game.text.help_topic(state, viewer),
        meters=tuple(replace(meter, name=meter.name.format(*header.names)) for meter in game.physical.meters(state)),
        log=tuple(told(game, act, viewer, header.names, earlier) for act in history.acts[-LOG_ACTS:]),
    )


def meant_by(game: Game[Any], state: State, seen: CardSeen) -> tuple[Move, ...]:
    """What a thing may mean, if it was laid in this turn: what lies there from another is put right."""
    return tuple(game.physical.could_mean(state, seen)) if seen.turn == state.turn else ()


def _told(seat: Seat | str, names: Names) -> str:
    if isinstance(seat, int):
        return _("{name} says on the phone which it was", name=names[seat])
    return _("somebody says on the phone which it was")


def _without(cards: Cards, kind: str, count: int, after: Layout, there: str) -> Cards:
    """The places without so many of a kind that have come to another place: where there are more than belong."""
    left = dict(cards)
    for place, things in cards.items():
        beyond = things.count(kind) - after.cards.get(place, ()).count(kind)
        for _found in range(min(count, beyond) if place != there else 0):
            at = left[place].index(kind)
            left[place] = left[place][:at] + left[place][at + 1 :]
            count -= 1
    return left


def _on_phones(match: Match, sight: TrackedTable) -> bool:
    """Whether the game may well be played on phones alone: nothing of it was seen on the table."""
    dealers = {match.header.dealers.get(component, "companion") for component in match.game.physical.virtual_sources}
    return dealers == {"companion"} and not sight.last.keys() & match.game.physical.components.kinds.keys()


def _in_use(match: Match, sight: TrackedTable, layout: Layout) -> Layout:
    """The layout without the cards that phones stand in for: those of a component that the companion deals, and of
    which no card has been seen."""
    things, kinds = match.game.physical.components.things, match.game.physical.components.kinds
    on_table = {"", *(thing.component for thing in things if thing.id in sight.last)}
    on_table |= {component for component, dealer in match.header.dealers.items() if dealer != "companion"}
    absent = {kinds[thing.id] for thing in things if thing.component not in on_table}
    if not absent:
        return layout
    cards = {place: tuple(kind for kind in there if kind not in absent) for place, there in layout.cards.items()}
    return replace(layout, cards=cards)


def _physical_instructions(
    match: Match, viewer: Viewer, sight: TrackedTable, found: Collection[Discrepancy]
) -> tuple[str, ...]:
    """What the last act asks hands to do, but for what is done, and what is told as amiss: nothing is said twice."""
    if not match.history.acts:
        return ()
    last, game = match.history.acts[-1], match.game
    before, after = (_in_use(match, sight, game.physical.layout(state, viewer)) for state in (last.before, last.after))
    told = _places_of(found, after, sight, game)
    by_hand = (chore for each, chore in game.physical.manual_steps.items() if match.header.dealers.get(each) == "table")
    chores = (said for chore in by_hand for said in chore(last.before, last.after))
    return (
        *physical_instructions(
            _done(before, after, sight, game, told), after, game.physical.components.words(match.names)
        ),
        *chores,
    )


def _places_of(found: Collection[Discrepancy], layout: Layout, sight: TrackedTable, game: Game[Any]) -> Collection[str]:
    """Where the things lie that are amiss, and where they belong."""
    lie = (sight.seen[each.thing].zone for each in found if each.thing in sight.seen)
    belong = (layout.place_of(game.physical.components.kinds.get(each.thing, each.thing)) for each in found)
    return {place for place in (*lie, *(there[0] for there in belong if there)) if place}


def _done(before: Layout, after: Layout, sight: TrackedTable, game: Game[Any], told: Collection[str]) -> Layout:
    """The layout before with the places that the camera sees as they should be now, and with those of which it is told
    what is amiss there: nothing else is to be done in them."""
    mat, kinds = game.physical.components.mat, game.physical.components.kinds
    if mat is None or sight.mat != mat.name:
        return before
    right = [zone.name for zone in mat.zones if zone.name in told or sight.shows(zone, after, kinds)]
    cards: Cards = {**before.cards, **{place: after.cards.get(place, ()) for place in right}}
    for place in right:
        came = Counter(after.cards.get(place, ())) - Counter(before.cards.get(place, ()))
        for kind, count in came.items():
            cards = _without(cards, kind, count, after, place)
    facing = {**before.facing, **{place: after.facing[place] for place in right if place in after.facing}}
    return replace(before, cards=cards, facing=facing)


def tell(match: Match, act: Act, viewer: Viewer) -> Told:
    """An act as a viewer may know it."""
    return told(match.game, act, viewer, match.names, match.earlier)


def told(game: Game[Any], act: Act, viewer: Viewer, names: Names, earlier: int = 0) -> Told:
    """The same of a game that is no longer played; `earlier` are the acts of the games before it."""
    moves = tuple(notation.to_json(step.move.seen_by(viewer, step.before)) for step in act.steps)
    words = tuple(game.text.log_line(step.before, step.move, step.after, viewer, names) for step in act.steps)
    if act.kind in ("undo", "redo"):
        words = (_turned_back(act, words[0], names),)
    return Told(earlier + act.version, act.kind, act.seat, moves, words)


def _turned_back(act: Act, words: str, names: Names) -> str:
    match act.kind, act.seat:
        case "undo", None:
            return _("The table takes back: {words}", words=words)
        case "undo", int(seat):
            return _("{name} takes back: {words}", name=names[seat], words=words)
        case _, None:
            return _("The table does again: {words}", words=words)
        case _, seat:
            return _("{name} does again: {words}", name=names[seat], words=words)
