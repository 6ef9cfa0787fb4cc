"""The book of the running game: who may move, what the companion deals, what is written down.

Not thread-safe: the table's lock guards it. A method that returns a version has made its act durable.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from companion.games import GAMES
from companion.games.game import Game
from companion.games.rules import HOUSE, REFEREE, SPECTATOR, UNSEEN, HouseMove, Json, Move, Seat, State, play
from companion.match import notation
from companion.match.chance_player import House
from companion.match.history import Act, History, ReplayError, Step, fold
from companion.match.journal import Header, Journal, Kept, Record, now
from companion.tabletop.instances import KnownInstances, assign_instances
from companion.tabletop.layout import Layout
from companion.tabletop.mat import Mat
from companion.tabletop.observations import CardSeen
from companion.tabletop.tracked_table import TrackedTable
from companion.text.player_names import among
from companion.text.refusals import NotYourTurn, Refusal, SetupError, Stale
from companion.text.translation import _


class NotYourSeat(Refusal):
    """A move for a seat that is somebody else's."""

    code = "not_your_seat"


class Match:
    """A game that is being played. Raises ReplayError if what was kept can't be taken up again.

    Versions run on from game to game, so that a late tap of the last game can't act in this one.
    """

    def __init__(self, journal: Journal, kept: Kept) -> None:
        self._journal = journal
        self.id, self.header = kept.id, kept.header
        self.history = fold(kept)
        self.earlier = journal.acts_before(kept.id)
        """The acts of all games before this one."""
        self._known: KnownInstances | None = None
        self._house = House(kept.header.seed)
        self._answers = {(r.seat, r.request): self.earlier + r.version for r in kept.records if r.request}

    @classmethod
    def start(cls, journal: Journal, header: Header) -> Match:
        """A new game, with what the companion deals at the start; the game before it is closed."""
        planned = cls(journal, Kept(0, header, (), now(), None))
        return cls(journal, journal.open_game(header, planned._first_deal()))

    def _first_deal(self) -> tuple[Record, ...]:
        steps = self._house_steps(self.state, made=0)
        return (self.history.do(None, steps, "deal").record(None, now()),) if steps else ()

    @property
    def game(self) -> Game:  # type: ignore[type-arg]  # any game's book is alike
        return self.history.game

    @property
    def own_mat(self) -> Mat | None:
        """The mat of the board that is played on, if it is not the game's usual one: a camera knows that alone."""
        mat = self.game.physical.components.mat
        return None if mat == GAMES[self.game.name].physical.components.mat else mat

    @property
    def state(self) -> State:
        return self.history.state

    @property
    def version(self) -> int:
        return self.earlier + self.history.version

    @property
    def names(self) -> tuple[str, ...]:
        """What the players are called, by seat, as it goes into words."""
        return self.header.names

    def rename(self, seat: Seat, name: str) -> None:
        """Calls a player by another name."""
        players = (*self.header.players[:seat], name, *self.header.players[seat + 1 :])
        self._journal.name_players(self.id, players)
        self.header = replace(self.header, players=players)

    # Reading ---------------------------------------------------------------------------------------

    def answered(self, seat: Seat | None, request: str | None) -> int | None:
        """The version that a request of this seat made, if it was made before."""
        return self._answers.get((seat, request)) if request else None

    def check_version(self, version: int | None) -> None:
        """Raises Stale if somebody acts on an older version."""
        if version is not None and version != self.version:
            raise Stale(_("The table has moved on meanwhile; look again."))

    def read(self, seat: Seat | None, value: Json) -> Move:
        """The move of a JSON object that this seat (None: the table) may make; raises Refusal.

        A seat moves for itself. What people deal, and what could not come otherwise, anyone may report, unless it is
        hidden from some: what is refused would tell it. Of that a seat reports what the game lets it tell.
        """
        move = notation.from_json(self.game, self.history.seats, value)
        if seat is None or move.seat == seat:
            return move
        if not isinstance(move, HouseMove):
            name, own = self.names[int(move.seat)], self.names[seat]
            raise NotYourSeat(_("That is {name}'s move, and you are {own}.", name=name, own=own))
        if not self._public(move):
            if move in self.reports(seat):
                return move
            raise NotYourSeat(_("What not everyone may see is reported by no other seat; the camera reads it."))
        if self.header.dealers.get(move.DEALS) != "table" and len([*self.state.chances()]) != 1:
            raise NotYourSeat(_("The companion deals that; it can't be reported."))
        return move

    def companion_deals(self, move: HouseMove) -> bool:
        """Whether this component is dealt by the companion (what nobody deals, such as the course of play, is not)."""
        return move.DEALS in self.game.rules.chance_sources and self.header.dealers.get(move.DEALS) != "table"

    def awaits(self, thing: str) -> bool:
        """Whether a printed thing may still be dealt by people before a seat acts: it is not in play already."""
        if self.state.turn != HOUSE or thing in self.known().held:
            return False
        kinds = self.game.physical.components.kinds
        there = self.game.physical.layout(self.state, REFEREE).count(kinds.get(thing, thing))
        return there < sum(kind == kinds.get(thing) for kind in kinds.values())

    def known(self) -> KnownInstances:
        """What is known of single copies."""
        if self._known is None:
            held = self._held()
            self._known = KnownInstances(held, {*self._laid()} - {*held})
        return self._known

    def _laid(self) -> Collection[str]:
        """The codes that were read as they were laid. Once one of a kind has left the table nobody knows which of them
        it was, whether all were read or not: of a shuffle it must not be guessed."""
        kinds, laid = self.game.physical.components.kinds, list[str]()
        for act in self.history.done:
            gone = self._gone(act) if laid else ()
            laid = [thing for thing in laid if kinds.get(thing, thing) not in gone]
            if act.thing and not isinstance(act.steps[0].move, HouseMove):
                laid = [*(thing for thing in laid if thing != act.thing), act.thing]
        return laid

    def _gone(self, act: Act) -> Collection[str]:
        """The kinds of which fewer belong on the table after an act than before."""
        layouts = (self.game.physical.layout(state, SPECTATOR) for state in (act.before, act.after))
        before, after = (Counter(kind for kinds in layout.cards.values() for kind in kinds) for layout in layouts)
        return before - after

    def taken_off(self) -> Collection[str]:
        """The codes of what the last act took off the table, with their copies."""
        gone = self._gone(self.history.acts[-1])
        return {code for code, kind in self.game.physical.components.kinds.items() if kind in gone}

    def wanted(self, sight: TrackedTable) -> Layout:
        """Where everything on the table belongs, by the codes; whatever hands hold."""
        equipment, where = self.game.physical.components, sight.where
        known = self.known().without(sight.gone, where, equipment.kinds)
        return assign_instances(self.game.physical.layout(self.state, SPECTATOR), equipment, where, known)

    def shown(self, seen: CardSeen, sight: TrackedTable) -> Mapping[str, int]:
        """Which card dealt each code was; without those that lie on the table for another copy of theirs."""
        on_table = {thing for things in self.wanted(sight).cards.values() for thing in things} - {seen.thing}
        return {thing: number for thing, number in self.history.shown().items() if thing not in on_table}

    def _held(self) -> Collection[str]:
        """The codes that are known to be in a hand: they were read as they were dealt, and not laid since."""
        held, kinds = set(self.game.physical.hands(self.state)), self.game.physical.components.kinds
        return {thing for thing, number in self.history.shown().items() if (number, kinds.get(thing)) in held}

    def has_laid(self, seen: CardSeen, sight: TrackedTable) -> bool:
        """Whether a copy of a card that was laid down is one that is booked there already: one that is
        straightened, or carried from where it was played to its pile, is not played once more."""
        equipment = self.game.physical.components
        if seen.change == "turned" or not equipment.has_copies or equipment.mat is None:
            return False
        zones = {zone.name: zone for zone in equipment.mat.zones}
        if seen.zone in zones and zones[seen.zone].secret:
            return False  # shown on purpose
        wanted = self.wanted(sight)
        if (found := wanted.place_of(seen.thing)) is None or found[0] not in zones:
            return False
        # A hand that turns a thing shifts it too.
        facing = wanted.facing.get(found[0])
        swung = seen.change == "moved" and seen.zone == found[0] and facing and not facing.matches(seen.angle)
        return not swung

    def reports(self, seat: Seat) -> tuple[HouseMove, ...]:
        """What this seat may report of chance now: what everyone may, and what it alone knows."""
        if not self._people_deal(self.state):
            return ()
        public = (move for move, _ in self.state.chances() if self._public(move))
        return tuple(dict.fromkeys((*self.game.rules.private_reports(self.state, seat), *public)))

    def _public(self, move: Move) -> bool:
        """Whether everyone may see all of a move."""
        return not self.game.rules.has_hidden_information or move.seen_by(SPECTATOR, self.state) == move

    def pause(self) -> str | None:
        """The words of the button with which the companion goes on, if it waits for one."""
        return self._pause(self.state)

    def _pause(self, state: State) -> str | None:
        return None if self._people_deal(state) else self.game.text.pause_label(state)

    def _people_deal(self, state: State) -> bool:
        due = next((move for move, _ in state.chances()), None) if state.turn == HOUSE else None
        return due is not None and self.header.dealers.get(due.DEALS) == "table"

    def after(self, move: Move) -> State:
        """The position that a move makes of this one; raises Refusal, which calls the players by their names."""
        with among(self.names):
            return play(self.state, move)

    # Writing ---------------------------------------------------------------------------------------

    def make(self, seat: Seat | None, move: Move, request: str | None = None, thing: str = "") -> int:
        """Makes a move and the companion's moves after it; raises Refusal. `thing`: the code that was read as it was
        dealt or laid by this."""
        after = self.after(move)
        steps = [Step(self.state, move, after), *self._house_steps(after, made=1)]
        return self._keep(self.history.do(seat, steps, thing=self._followed(thing)), request)

    def _followed(self, thing: str) -> str:
        """The code, if it matters which copy it is: of a card that goes through hidden hands."""
        return (
            thing
            if self.game.rules.has_hidden_information and thing not in self.game.physical.components.other_side
            else ""
        )

    def proceed(self, seat: Seat | None, request: str | None = None) -> int:
        """Lets the companion go on after a pause; raises Refusal."""
        if not self.pause():
            raise NotYourTurn(_("The companion is not waiting for a word to go on."))
        return self._keep(self.history.do(seat, self._house_steps(self.state, made=0, paused=False)), request)

    def turn_back(self, way: Callable[[History, int | None], History], seat: Seat | None, request: str | None) -> int:
        """Undo or redo; raises Refusal."""
        return self._keep(way(self.history, seat), request)

    def _house_steps(self, state: State, *, made: int, paused: bool = True) -> list[Step]:
        """The companion's moves as the house, until somebody else must act."""
        steps: list[Step] = []
        while state.turn == HOUSE and not self._people_deal(state) and not (paused and self._pause(state)):
            move = self._unseen(state) or self._house.next_move(state, self.history.ply + made + len(steps))
            steps.append(Step(state, move, play(state, move)))
            state, paused = steps[-1].after, True
        return steps

    def _unseen(self, state: State) -> HouseMove | None:
        """The card that people draw now without telling anyone, where they deal so."""
        due = (move for move, _ in state.chances() if move.face == UNSEEN)
        return next((move for move in due if self.header.dealers.get(move.DEALS) == "unseen"), None)

    def _keep(self, history: History, request: str | None) -> int:
        """Writes the last act down before it counts."""
        self._journal.append(self.id, history.record(request, now()))
        self.history, self._known = history, None
        if request:
            self._answers[history.acts[-1].seat, request] = self.version
        return self.version


def why_not(journal: Journal, kept: Kept) -> str:
    """Why a game can't be taken up again, which is the same each time; "" if it can."""
    try:
        Match(journal, kept)
    except ReplayError as error:
        return _(
            "Game {number} could not be taken up again. {why} It is kept: tablekeeper export {number}",
            number=kept.id,
            why=error,
        )
    return ""


def unknown_game(name: str) -> str:
    """What is said of a game that is not on the shelf."""
    return _("There is no game {name}; there are {known}.", name=repr(name), known=", ".join(GAMES))


def planned(
    name: str,
    seats: int | None,
    setup: Mapping[str, Json],
    dealers: Mapping[str, str],
    players: tuple[str, ...],
    seed: str,
) -> Header:
    """What a game is started with, checked; raises SetupError."""
    game = GAMES.get(name)
    if game is None:
        raise SetupError(unknown_game(name))
    count = game.rules.seat_count(seats)
    settled = game.rules.resolve_setup(setup)
    game.rules.begin(count, settled)
    game.rules.check_dealers(dealers)
    named = tuple(players[i] if i < len(players) and players[i] else _("Player {n}", n=i + 1) for i in range(count))
    return Header(game.name, game.rules.version, count, settled, dealers, named, seed)
