"""Paired worlds: one game that is played in two worlds at once, with the phones at both tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar

from companion.games.game import Game
from companion.games.rules import HOUSE, HouseMove, Move, Seat, State, Viewer, play
from companion.match.fair_shuffle import FairShuffle, Share, commitment_to
from companion.match.history import Act, History, Step
from companion.tabletop.observations import MatSeen
from companion.text.refusal_errors import Refusal
from tests.secrets_lint.other_history import (
    FollowingChance,
    OtherHistory,
    counterpart,
    look_alike,
    open_kinds,
    other_history,
    steps_of,
    unseen_cards,
    viewers,
)
from tests.secrets_lint.service import Clock, InMemoryService
from tests.secrets_lint.sightings import is_placed_alike
from web.access.phone_session import PhoneSession, viewer_of
from web.access.view_permissions import EVERYTHING

NAMES = ("Ann", "Bob", "Cid", "Dot", "Eve", "Fay", "Gus", "Hal")
T = TypeVar("T")


@dataclass(frozen=True)
class Phone:
    """A phone, the same in both worlds. Its token is empty if it has not joined."""

    name: str
    token: str = ""


class PairedWorlds:
    """Two services in two worlds. The second world is made for one viewer, the target, who can't tell it apart from the
    first. `alike`: all viewers who can't tell the worlds apart."""

    def __init__(self, game: Game[Any], rng: Random, prepare: Callable[[InMemoryService], None]) -> None:
        self.game, self.rng, self.clock = game, rng, Clock()
        self.one, self.two = (InMemoryService(game, self.clock, prepare) for _ in range(2))
        self.phones: tuple[Phone, ...] = ()
        self.alike: frozenset[Viewer] = frozenset()
        self.codes: dict[str, str] = {}
        """By code in the first world: the code of the card that lies there in the second."""
        self._target: Viewer = Seat(0)
        self._chance = FollowingChance(self._target, rng)
        self._renewals = 0

    def start(self, seats: int, setup: Mapping[str, str], dealers: Mapping[str, str]) -> None:
        """Starts a game in both worlds. Before it, the journal gets a short earlier game."""
        service, name = self.one, self.game.name
        self.clock.step()
        service.clear()
        fewest = self.game.rules.seats[0]
        service.table.start(name, fewest, {}, {}, NAMES[:fewest], "an earlier game")
        seed, shares = (self.rng.randbytes(32).hex() for _ in range(2))
        shuffle = FairShuffle(commitment_to(seed)).with_round([Share(0, commitment_to(shares), shares)], {})
        service.table.start(name, seats, setup, dealers, NAMES[:seats], seed, shuffle)
        mat = self.game.physical.components.mat
        if mat and self.rng.random() < 0.5:
            service.table.observe(MatSeen(t=0.0, mat=mat.name))
        self.phones = (*self._seat_phones(seats), Phone("spectator", self._joined(None)), Phone("stranger"))
        self.renew()

    def _seat_phones(self, seats: int) -> list[Phone]:
        phones = [Phone(f"seat {seat}", self._joined(seat)) for seat in range(seats)]
        host = self.rng.choice(phones)
        self.one.lobby.claim_host(host.token, self.one.lobby.host_key)
        return phones

    def _joined(self, seat: int | None) -> str:
        lobby = self.one.lobby
        return lobby.join(None, lobby.code, seat, "" if seat is None else NAMES[seat])

    def renew(self) -> None:
        """Makes a new second world, for another target. Ends the shared replay in both worlds, because it may show an
        earlier second world, or an earlier game whose number is now used again."""
        for service in (self.one, self.two):
            service.app.extensions["shared_replay"].end()
        seats = self.one.match.header.seats
        order = sorted(viewers(seats), key=str)
        self._renewals += 1
        self._target = order[self._renewals % len(order)]
        found = other_history(self.one, self._target, self.rng) if self.state.turn is not None else None
        other = found or OtherHistory(self.one.match.history, alike=viewers(seats))
        self.two.become(self.one, other.history, other.records, self.rng.randbytes(32).hex(), other.codes)
        self.alike, self.codes = other.alike, {**other.codes}
        self._chance = self.two.match._chance_player = FollowingChance(self._target, self.rng)

    @property
    def state(self) -> State:
        """The position in the first world."""
        state: State = self.one.match.state
        return state

    @property
    def is_renewal_due(self) -> bool:
        """Whether the target can tell the worlds apart."""
        return self._target not in self.alike

    @property
    def differ(self) -> bool:
        """Whether the positions of the two worlds differ. If nothing is hidden, only the seeds differ, and with them
        the later cards."""
        return bool(self.state != self.two.match.state)

    @property
    def has_hidden_moves(self) -> bool:
        """Whether there is an earlier move about which the target does not know everything."""
        steps = self.one.match.history.steps()
        return any(step.move.as_known_to(self._target, step.before) != step.move for step in steps)

    def session(self, phone: Phone) -> PhoneSession:
        """The phone as the lobby knows it."""
        return self.one.lobby.phones.session(phone.token)

    def viewer(self, phone: Phone) -> Viewer:
        """The viewer of the phone's pages, according to the lobby."""
        return viewer_of(self.session(phone))

    def is_blind(self, phone: Phone) -> bool:
        """Whether this phone can't tell the worlds apart. Some hosts may see everything."""
        return self.viewer(phone) in self.alike and not self._sees_everything(self.session(phone))

    def _sees_everything(self, guest: PhoneSession) -> bool:
        """Whether a host's browser may see all cards: it has no seat, or another player has agreed."""
        views = self.one.lobby.hidden_information.permissions
        seen = (*views._seen.get(guest.key, ()), *views._allowed.get(guest.key, ()))
        is_secret = self.game.rules.has_hidden_information
        return is_secret and guest.host and (guest.seat is None or EVERYTHING in seen)

    def both(
        self, act: Callable[[InMemoryService], T], other: Callable[[InMemoryService], T] | None = None
    ) -> tuple[T, T]:
        """Calls `act` in both worlds, or `other` in the second world if it is given. Returns both results."""
        before = len(self.one.match.history.acts)
        self.clock.rewind()
        with self.one.log.active():
            one = act(self.one)
        new = [each for each in self.one.match.history.acts[before:] if each.kind == "move"]
        self._chance.steps = [*steps_of(new)]
        self.clock.rewind()
        with self.two.log.active():
            two = (other or act)(self.two)
        self._chance.steps = []
        self.alike = self._still_alike(before)
        self.clock.step()
        for service in (self.one, self.two):
            service.box.show(service.table.view())
        return one, two

    @property
    def is_in_step(self) -> bool:
        """Whether the same number of acts has been made in both worlds."""
        return bool(self.one.match.version == self.two.match.version)

    def _still_alike(self, before: int) -> frozenset[Viewer]:
        one, two = (service.match.history.acts[before:] for service in (self.one, self.two))
        if [_shape(act) for act in one] != [_shape(act) for act in two]:
            return frozenset()
        if self.state.turn is None and not self._has_same_moves:
            return frozenset()  # once a game is over, everyone sees everything
        states = [service.match.state for service in (self.one, self.two)]
        if states[0] != states[1] and unseen_cards(states[0].to_json()) != unseen_cards(states[1].to_json()):
            return frozenset()
        if not all(is_placed_alike(self.one, self.two, kind) for kind in open_kinds(self.one)):
            return frozenset()  # what lies on the table for all to see can't be in a hand
        steps = [*zip(steps_of(one), steps_of(two), strict=True)]
        alike = (viewer for viewer in self.alike if all(look_alike(viewer, *pair) for pair in steps))
        return frozenset(viewer for viewer in alike if self._knows_same_position(viewer))

    @property
    def _has_same_moves(self) -> bool:
        """Whether the same moves have been made in both worlds, including undone moves and the hidden cards in moves.
        The log shows all of these at the end of the game."""
        one, two = ([step.move for step in steps_of(each.match.history.acts)] for each in (self.one, self.two))
        return one == two

    def _knows_same_position(self, viewer: Viewer) -> bool:
        known = [service.match.state.as_known_to(viewer) for service in (self.one, self.two)]
        return bool(known[0] == known[1])

    def counterpart(self, move: Move) -> Move | None:
        """A move of the second world that looks to the target like this move of the first; None if there is none."""
        state = self.state
        try:
            step = Step(state, move, play(state, move))
        except Refusal:
            return move
        return counterpart(self._target, step, self.two.match.state, self.rng)

    def due_deals(self) -> list[HouseMove]:
        """The cards that people may deal now."""
        state = self.state
        if state.turn != HOUSE or not self.one.match.house_moves.is_due_by_people(state):
            return []
        return [move for move, weight in state.chances() if weight or move.face == "?"]


def _shape(act: Act) -> Any:
    return act.version, act.kind, act.seat, len(act.steps), [type(step.move) for step in act.steps]


def is_over(history: History) -> bool:
    """Whether the game has ended, or nobody can win any more."""
    return history.state.turn is None or history.game.playouts.is_stuck(history.state)
