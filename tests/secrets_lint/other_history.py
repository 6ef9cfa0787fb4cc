"""Two worlds that a viewer can't tell apart: one game, and another that differs only in what the viewer may not know.

The second world has another seed. It also has other hidden cards, if the game has hidden information: some earlier
moves that the viewer may not know in full are replaced by moves that look the same to the viewer. From then on both
worlds make the same moves, or moves that look the same, until the rules show the viewer a difference. Then the second
world is replaced by a new one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from companion.games.game import Game
from companion.games.rules import CERTAIN, REFEREE, SPECTATOR, UNSEEN, HouseMove, Json, Move, Seat, State, Viewer, play
from companion.match.history import Act, History, Step
from companion.match.stored_game import ActRecord
from companion.text.refusal_errors import Refusal
from tests.secrets_lint.service import InMemoryService

MAX_CANDIDATES = 6
"""How many hidden moves are tried as the first one to replace."""
RECENT_MOVES = 14
"""In half of all tries, the first move to replace is among this many of the latest hidden moves, because cards that
were dealt earlier are often known by now."""
REPLACED_SHARES = (0.0, 0.3, 0.9)
"""How often a hidden move after the first is replaced too."""
SHARE_IN_PLAY = 0.7
"""How often the second world makes another hidden move than the first while both play on."""


class Leak(Exception):
    """Raised when a viewer is shown a difference between two worlds that it must not be able to tell apart."""


def viewers(seats: int) -> frozenset[Viewer]:
    """Everyone who may look at a game: its seats and spectators."""
    return frozenset((*map(Seat, range(seats)), SPECTATOR))


def look_alike(viewer: Viewer, one: Step, two: Step) -> bool:
    """Whether two moves, and the positions after them, look the same to the viewer. Raises Leak if two different moves
    look the same, but the positions after them do not."""
    if one.move is two.move and one.before is two.before:
        return True
    if one.move.as_known_to(viewer, one.before) != two.move.as_known_to(viewer, two.before):
        return False
    if one.after.as_known_to(viewer) == two.after.as_known_to(viewer):
        return True
    if one.move != two.move:
        raise Leak(f"{one.move} and {two.move} look the same to {viewer}, the positions after them don't")
    return False


def moves_alike(viewer: Viewer, step: Step, state: State, listed: Sequence[Move]) -> list[Move]:
    """Those of the listed moves of another world's `state` that look to the viewer like the move of `step`.

    People see whether a card is dealt face down, so a card that was reported is never replaced by one that nobody has
    seen."""
    seen = step.move.as_known_to(viewer, step.before)
    return [
        move
        for move in listed
        if type(move) is type(step.move)
        and move.seat == step.move.seat
        and is_unseen(move) == is_unseen(step.move)
        and move.as_known_to(viewer, state) == seen
    ]


def is_unseen(move: Move) -> bool:
    """Whether a move is made with a card that nobody has seen."""
    return UNSEEN in vars(move).values()


def unseen_cards(json: Json) -> Any:
    """For each list in a position's JSON, how many cards in it nobody has seen. Players know these numbers, because
    they see which cards are dealt face down."""
    match json:
        case dict():
            return {key: counts for key, value in json.items() if (counts := unseen_cards(value))}
        case list():
            return [json.count(UNSEEN), [counts for value in json if (counts := unseen_cards(value))]]
    return None


def house_moves(state: State) -> list[Move]:
    """The moves that the house may make by chance in this position."""
    chances = list(state.chances())
    certain = [move for move, weight in chances if weight == CERTAIN]
    return [*certain] or [move for move, weight in chances if weight]


def counterpart(viewer: Viewer, step: Step, state: State, rng: Random, share: float = SHARE_IN_PLAY) -> Move | None:
    """A move in another world's `state` that looks to the viewer like the move of `step`; None if there is none. If
    there are several, it differs from that move in this `share` of the cases."""
    listed = house_moves(state) if isinstance(step.move, HouseMove) else list(state.legal_moves())
    alike = moves_alike(viewer, step, state, listed)
    others = [move for move in alike if move != step.move]
    is_possible = step.move in alike or (not others and _is_possible(state, step.move))
    if others and (not is_possible or rng.random() < share):
        return rng.choice(others)
    return step.move if is_possible else None


def _is_possible(state: State, move: Move) -> bool:
    """Whether the rules accept a move, even if it is not listed, such as a deal by people that chance could not have
    made."""
    try:
        play(state, move)
    except Refusal:
        return False
    return True


class FollowingChance:
    """The chance player of the second world. Its moves look to the viewer like those of the first world."""

    def __init__(self, viewer: Viewer, rng: Random) -> None:
        self._viewer, self._rng = viewer, rng
        self.steps: list[Step] = []
        """The steps of the first world that have yet to be followed."""

    def next_move(self, state: State, ply: int) -> Any:
        while self.steps:
            step = self.steps.pop(0)
            if isinstance(step.move, HouseMove) and (found := counterpart(self._viewer, step, state, self._rng)):
                return found
        return self._rng.choice(house_moves(state))


@dataclass(frozen=True)
class OtherHistory:
    """The history of the second world. `records` are the records of its acts from the first replaced move on. `codes`
    maps codes in the first world to the codes that replace them here. `alike`: the viewers who can't tell the worlds
    apart."""

    history: History
    records: tuple[ActRecord, ...] = ()
    codes: Mapping[str, str] = field(default_factory=dict)
    alike: frozenset[Viewer] = frozenset()


def history_before(history: History, count: int) -> History:
    """The history after its first `count` acts."""
    done: list[Act] = []
    undone: list[Act] = []
    for act in history.acts[:count]:
        if act.kind == "undo":
            undone.append(done.pop())
        elif act.kind == "redo":
            done.append(undone.pop())
        else:
            done.append(act)
            undone.clear()
    return replace(history, acts=history.acts[:count], done=tuple(done), undone=tuple(undone))


def other_history(service: InMemoryService, viewer: Viewer, rng: Random) -> OtherHistory | None:
    """A history with other hidden moves that looks the same to the viewer as the service's history. None if none was
    found."""
    history: History = service.match.history
    hidden = [
        (index, step)
        for index, act in enumerate(history.acts)
        if act.kind in ("deal", "move")
        for step, each in enumerate(act.steps)
        if each.move.as_known_to(viewer, each.before) != each.move
    ]
    recent = hidden[-RECENT_MOVES:]
    for _ in range(MAX_CANDIDATES if hidden else 0):
        first = rng.choice(rng.choice([recent, hidden]))
        if (found := AlteredReplay(service, viewer, rng, *first).run()) is not None:
            return found
    return None


class AlteredReplay:
    """Replays the service's game, but replaces hidden moves: step number `step` of act number `first`, and some later
    steps."""

    def __init__(self, service: InMemoryService, viewer: Viewer, rng: Random, first: int, step: int) -> None:
        self._viewer, self._rng, self._first = viewer, rng, first
        self._share = rng.choice(REPLACED_SHARES)
        self._match = service.match
        self._acts: tuple[Act, ...] = service.match.history.acts
        self._records = service.table.journal.game(service.match.id).records[first:]
        self._components = service.match.game.physical.components
        self._used = {
            *(act.code for act in self._acts),
            *service.table._physical.tracked.last_seen,
            *service.table._physical.early_deals.sightings,
        }
        self._open_kinds = open_kinds(service)
        self._hidden_codes = codes_seen_secretly(service)
        self._codes: dict[str, str] = {}
        self._steps_before = step
        self._alike = set(viewers(self._match.header.seats))

    def run(self) -> OtherHistory | None:
        """The other history; None if the viewer can tell it apart."""
        history, records = history_before(self._match.history, self._first), []
        for act, record in zip(self._acts[self._first :], self._records, strict=True):
            after = self._after(history, act)
            if after is None:
                return None
            history = after.dated(record.at)
            records.append(history.record(record.request))
        places = [places_by_kind(self._match.game, state) for state in (self._match.history.state, history.state)]
        if history.state == self._match.history.state or any(places[0][k] != places[1][k] for k in self._open_kinds):
            return None
        if unseen_cards(history.state.to_json()) != unseen_cards(self._match.state.to_json()):
            return None
        return OtherHistory(history, tuple(records), self._codes, frozenset(self._alike))

    def _after(self, history: History, act: Act) -> History | None:
        if act.kind == "undo":
            return history.undo(act.seat)
        if act.kind == "redo":
            return history.redo(act.seat)
        state, steps = history.state, []
        for step in act.steps:
            share = 0.0 if self._steps_before > 0 else 1.0 if self._steps_before == 0 else self._share
            move = counterpart(self._viewer, step, state, self._rng, share)
            self._steps_before -= 1
            if move is None:
                return None
            try:
                steps.append(Step(state, move, play(state, move)))
            except Refusal:
                return None
            if not self._is_alike(step, steps[-1]):
                return None
            state = steps[-1].after
        code = self._code(act, steps[0].move)
        return None if code is None else history.with_act(act.seat, steps, act.kind, code)

    def _is_alike(self, one: Step, two: Step) -> bool:
        self._alike = {viewer for viewer in self._alike if look_alike(viewer, one, two)}
        return self._viewer in self._alike

    def _code(self, act: Act, move: Move) -> str | None:
        """The code that the camera has read in this act of the second world; None if no card is left that it could have
        read."""
        if not act.code or move == act.steps[0].move:
            return act.code
        if not isinstance(move, HouseMove) or act.code not in self._hidden_codes:
            return None
        codes = (c.id for c in self._components.components if c.face == move.face)
        code = next((code for code in codes if code not in self._used), None)
        if code is not None:
            self._used.add(code)
            self._codes |= {act.code: code, code: act.code}
        return code


def places_by_kind(game: Game[Any], state: State) -> Mapping[str, Collection[Any]]:
    """For each kind of component, all places where such a component is, including hands."""
    places: defaultdict[str, list[Any]] = defaultdict(list)
    for place, kinds in game.physical.layout(state, REFEREE).cards.items():
        for kind in kinds:
            places[kind].append(place)
    for number, kind in game.physical.hands(state):
        places[kind].append(number)
    return places


def secret_zones(service: InMemoryService) -> frozenset[str]:
    """The zones in which a card is shown to the camera only."""
    mat = service.match.game.physical.components.mat
    return frozenset(zone.name for zone in mat.zones if zone.secret) if mat else frozenset()


def open_kinds(service: InMemoryService) -> frozenset[str]:
    """The kinds of the components that lie on the table for all to see."""
    kinds, secret = service.match.game.physical.components.kinds, secret_zones(service)
    visible = service.table._physical.tracked.visible.values()
    return frozenset(kinds.get(seen.code, seen.code) for seen in visible if seen.zone not in secret)


def codes_seen_secretly(service: InMemoryService) -> frozenset[str]:
    """The codes that were last seen where a card is shown to the camera only."""
    secret = secret_zones(service)
    return frozenset(code for code, seen in service.table._physical.tracked.last_seen.items() if seen.zone in secret)


def steps_of(acts: Sequence[Act]) -> Iterator[Step]:
    """Yields the steps of these acts, in the order in which they were made."""
    for act in acts:
        yield from act.steps
