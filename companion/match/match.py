"""The match: the game in progress. It decides who may move, deals for the companion, and writes to the journal.

Not thread-safe: the table's lock guards it. A method that returns a version has made its act durable.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from companion.games import GAMES, notation
from companion.games.game import Game
from companion.games.rules import HOUSE, REFEREE, SPECTATOR, UNSEEN, HouseMove, Json, Move, Seat, State, play
from companion.match.chance_player import ChancePlayer
from companion.match.draw_verification import count_draws, next_draws
from companion.match.fair_shuffle import FairChancePlayer, FairShuffle, Share
from companion.match.history import Act, History, ReplayError, Step, fold
from companion.match.journal import Journal
from companion.match.stored_game import ActRecord, Header, StoredGame
from companion.match.utc_time import now
from companion.tabletop.begun_move import BegunMove
from companion.tabletop.copy_assignment import KnownCopies, assign_copies
from companion.tabletop.layout import Layout
from companion.tabletop.mat import Mat
from companion.tabletop.observations import CardSeen
from companion.tabletop.tracked_table import TrackedTable
from companion.text.messages import NamingPlayers, PlayerName, Text, TextLike, _
from companion.text.refusals import IllegalMove, NotYourTurn, Refusal, SetupError, Stale

MAX_SWAP_S = 5.0
"""If a card is laid where an equal card was taken away less than this many seconds before, it has replaced that
card."""


class NotYourSeat(Refusal):
    """The refusal of a move or an answer that another seat must make."""

    code = "not_your_seat"


class Match:
    """A game in progress. Raises ReplayError if the stored game can't be resumed.

    Versions keep counting from one game to the next, so a late tap from the previous game can't act in this one.
    """

    def __init__(self, journal: Journal, stored: StoredGame) -> None:
        self._journal = journal
        self.id, self.header = stored.id, stored.header
        self.started = stored.started
        """When the game was started, in UTC."""
        self.history = fold(stored)
        self.acts_before = journal.acts_before(stored.id)
        """The number of acts in all earlier games."""
        self._known_copies: KnownCopies | None = None
        self._legal_moves: tuple[Move, ...] | None = None
        self._versions_by_request = {
            (record.seat, record.request): self.acts_before + record.version
            for record in stored.records
            if record.request
        }

    @classmethod
    def start(cls, journal: Journal, header: Header, taken_over: tuple[ActRecord, ...] = ()) -> Match:
        """Starts a game, and makes the first deal as far as the companion deals. Closes the game that was running.
        Returns the new match. `taken_over`: the acts with which a what-if begins."""
        draft = cls(journal, StoredGame(0, header, taken_over, now(), None))
        return cls(journal, journal.open_game(header, (*taken_over, *draft._first_deal())))

    def _first_deal(self) -> tuple[ActRecord, ...]:
        steps = self._house_steps(self.state)
        return (self.history.with_act(None, steps, "deal").dated(now()).record(None),) if steps else ()

    @property
    def game(self) -> Game:  # type: ignore[type-arg]  # any game
        return self.history.game

    @property
    def board_mat(self) -> Mat | None:
        """The mat of this match's board; None if the match is played on the game's usual mat."""
        mat = self.game.physical.components.mat
        return None if mat == GAMES[self.game.name].physical.components.mat else mat

    @property
    def state(self) -> State:
        return self.history.state

    @property
    def version(self) -> int:
        return self.acts_before + self.history.version

    @property
    def names(self) -> tuple[str, ...]:
        """The players' names by seat, for use in sentences."""
        return self.header.names

    def rename(self, seat: Seat, name: str) -> None:
        """Renames the player of a seat."""
        players = (*self.header.players[:seat], name, *self.header.players[seat + 1 :])
        self._journal.rename_players(self.id, players)
        self.take_names(players)

    def take_names(self, players: Sequence[str]) -> None:
        """Calls the players by these names, which the journal has stored already."""
        self.header = replace(self.header, players=tuple(players))

    # Reading ---------------------------------------------------------------------------------------

    def version_of_request(self, seat: Seat | None, request: str | None) -> int | None:
        """The version that an action of this seat led to, if the action with the id `request` was performed before;
        otherwise None. A phone that repeats an action repeats its id."""
        return self._versions_by_request.get((seat, request)) if request else None

    def check_version(self, version: int | None) -> None:
        """Raises Stale unless `version`, on which an action is based, is the current version. None is always
        accepted."""
        if version is not None and version != self.version:
            raise Stale(_("The game has moved on. Look again."))

    def parse_move(self, seat: Seat | None, value: Json) -> Move:
        """The move in a JSON object, if this seat (None for the table) may make it; raises Refusal.

        A seat may make its own moves. Anyone may report a public card that people deal, and make a house move that has
        no alternatives. A hidden card may be reported only as the game's `private_reports` allow, because even a
        refusal would reveal it.
        """
        move = notation.from_json(self.game, self.history.seats, value)
        if seat is None or move.seat == seat:
            return move
        if not isinstance(move, HouseMove):
            name, own = self.names[int(move.seat)], self.names[seat]
            raise NotYourSeat(_("That’s {name}’s move, and you are {own}.", name=name, own=own))
        if not self._is_public(move):
            if move in self.reports(seat):
                return move
            raise NotYourSeat(_("You can’t enter a hidden card from this seat. Show it to the camera."))
        if self.header.dealers.get(move.CHANCE_SOURCE) != "table" and len([*self.state.chances()]) != 1:
            raise NotYourSeat(_("The companion deals that, so you can’t enter it."))
        return move

    def is_dealt_by_companion(self, move: HouseMove) -> bool:
        """Whether this house move deals from a chance source for which the companion deals, not people. False for house
        moves that deal nothing, such as the next phase."""
        return (
            move.CHANCE_SOURCE in self.game.rules.chance_sources
            and self.header.dealers.get(move.CHANCE_SOURCE) != "table"
        )

    def can_be_dealt(self, code: str, table: TrackedTable) -> bool:
        """Whether people may deal this component now: the house is to move, the component is in no hand and not on the
        table, and not every copy of it is in play."""
        known = self.known_copies()
        in_hands = set(known.in_hands) - table.placed
        if self.state.turn != HOUSE or code in {*in_hands, *known.played, *table.confirmed}:
            return False
        kinds = self.game.physical.components.kinds
        in_play = self.game.physical.layout(self.state, REFEREE).count(kinds.get(code, code))
        return in_play < sum(kind == kinds.get(code) for kind in kinds.values())

    def legal_moves(self) -> tuple[Move, ...]:
        """The legal moves of all seats."""
        if self._legal_moves is None:
            self._legal_moves = tuple(self.state.legal_moves())
        return self._legal_moves

    def known_copies(self) -> KnownCopies:
        """What is known now about single copies of cards: which are in hands, and which were played."""
        if self._known_copies is None:
            in_hands = self._codes_in_hands()
            self._known_copies = KnownCopies(in_hands, {*self._played_codes()} - {*in_hands})
        return self._known_copies

    def _codes_in_hands(self) -> Collection[str]:
        """The codes of cards that were read when they were dealt, and that are still in a hand."""
        hands, kinds = set(self.game.physical.hands(self.state)), self.game.physical.components.kinds
        return {code for code, number in self.history.deal_numbers().items() if (number, kinds.get(code)) in hands}

    def _played_codes(self) -> Collection[str]:
        """The codes of cards that were read when they were played, in the order of play. When a card leaves the table,
        nobody knows which copy of its kind it was. So the codes of all copies of that kind are dropped: a guess could
        reveal something after the cards are shuffled."""
        kinds, played = self.game.physical.components.kinds, list[str]()
        for act in self.history.done:
            removed = self._removed_kinds(act) if played else ()
            played = [code for code in played if kinds.get(code, code) not in removed]
            kind = kinds.get(act.code, act.code)
            is_played = act.code and not isinstance(act.steps[0].move, HouseMove)
            if is_played and self.game.physical.layout(act.after, SPECTATOR).count(kind):
                played = [*(code for code in played if code != act.code), act.code]
        return played

    def _removed_kinds(self, act: Act) -> Collection[str]:
        """The kinds of cards of which fewer belong on the table after an act than before it."""
        layouts = (self.game.physical.layout(state, SPECTATOR) for state in (act.before, act.after))
        before, after = (Counter(kind for kinds in layout.cards.values() for kind in kinds) for layout in layouts)
        return before - after

    def removed_by_last_act(self) -> Collection[str]:
        """The codes of all cards that may have left the table in the last act: for each kind of card that left, every
        copy."""
        removed = self._removed_kinds(self.history.acts[-1])
        return {code for code, kind in self.game.physical.components.kinds.items() if kind in removed}

    def known_copies_on(self, table: TrackedTable, just_laid: Collection[str] = ()) -> KnownCopies:
        """What is known about single copies of cards, given what the camera has seen. `just_laid`: the codes of cards
        that may stand for new moves."""
        kinds = self.game.physical.components.kinds
        known = self.known_copies().without_interchanged(table.neighbors_of_gone, table.zones_by_code, kinds)
        return replace(known, just_laid=just_laid)

    def public_layout(self, table: TrackedTable, just_laid: Collection[str] = ()) -> Layout:
        """The layout as everyone may know it. It lists the code of a single copy in place of each kind of card.
        `just_laid`: as for `known_copies_on`."""
        layout, components = self.game.physical.layout(self.state, SPECTATOR), self.game.physical.components
        return assign_copies(layout, components, table.zones_by_code, self.known_copies_on(table, just_laid))

    def confirmed_codes(self, table: TrackedTable) -> Collection[str]:
        """The visible codes that lie where the public layout has them."""
        layout, visible = self.public_layout(table), table.visible
        return [
            code
            for place, codes in layout.cards.items()
            for code in codes
            if code in visible and visible[code].zone == place
        ]

    def meaning_of(self, sighting: CardSeen, table: TrackedTable) -> Move | None:
        """The move that a sighting stands for; None if it stands for none. `table` already includes the sighting."""
        context = table.context(self.state.turn, self._deal_numbers(sighting, table))
        return self.game.physical.meaning_of(self.state, sighting, context)

    def begun_move(self, table: TrackedTable, unclear: Collection[str] = ()) -> BegunMove | None:
        """The move that people have begun on the table; None if they have begun none. The result reveals no hidden
        information. `unclear`: the codes of components that may stand for several moves, so that the player to move
        must choose one on the phone."""
        mat, turn = self.game.physical.components.mat, self.state.turn
        if mat is None or not table.is_in_view(mat):
            return None
        begun = self.game.physical.begun_move(self.state.as_known_to(SPECTATOR), table)
        if begun is None and unclear and isinstance(turn, int):
            step = _("{name}: choose on your phone which card it was, or take it back.", name=PlayerName(turn))
            return BegunMove(table.recent_flips.union(unclear), step)
        return begun

    def _deal_numbers(self, sighting: CardSeen, table: TrackedTable) -> Mapping[str, int]:
        """The result of `History.deal_numbers`, without the codes that belong on the table. The code of this sighting
        is kept."""
        layout = self.public_layout(table)
        on_table = {code for codes in layout.cards.values() for code in codes} - {sighting.code}
        return {code: number for code, number in self.history.deal_numbers().items() if code not in on_table}

    def is_recorded(self, sighting: CardSeen, table: TrackedTable) -> bool:
        """Whether the match already contains the move for which the sighted component was put down. A card that is only
        straightened, or carried from where it was played to its pile, is not played again."""
        components = self.game.physical.components
        if sighting.change == "turned" or not components.has_copies or components.mat is None:
            return False
        zones = {zone.name: zone for zone in components.mat.zones}
        if sighting.zone in zones and zones[sighting.zone].secret:
            return False  # shown to the camera on purpose
        if self._is_replacement(sighting, table):
            return True
        is_fresh = self._is_fresh(sighting, table)
        if is_fresh and sighting.code in self.known_copies().in_hands:
            return False
        layout = self.public_layout(table, {sighting.code} if is_fresh else ())
        if (found := layout.place_of(sighting.code)) is None or found[0] not in zones:
            return False
        # Turning a component also shifts it, so the change may be "moved".
        orientation = layout.orientations.get(found[0])
        was_moved = sighting.change == "moved" and sighting.zone == found[0] and sighting.code not in table.flips
        return not (was_moved and orientation and not orientation.matches(sighting.angle))

    def _is_fresh(self, sighting: CardSeen, table: TrackedTable) -> bool:
        """Whether the sighted card may have been laid for a new move: it came to rest in this turn, and either it did
        not belong on the table before, or other copies of its kind lie in all places where one belongs."""
        if sighting.code not in table.just_laid(self.state.turn):
            return False
        return sighting.code not in table.confirmed or not self._zones_without_copy(sighting.code, table)

    def _zones_without_copy(self, code: str, table: TrackedTable) -> Collection[str]:
        """The zones in which fewer copies of a card's kind are seen than belong there, not counting this card
        itself."""
        kinds = self.game.physical.components.kinds
        kind = kinds.get(code, code)
        seen = Counter(each.zone for other, each in table.visible.items() if kinds.get(other) == kind and other != code)
        layout = self.game.physical.layout(self.state, SPECTATOR)
        return {zone for zone, here in layout.cards.items() if here.count(kind) > seen[zone]}

    def _is_replacement(self, sighting: CardSeen, table: TrackedTable) -> bool:
        """Whether the sighted card replaces an equal copy, which belongs in this zone and was taken from there just
        before. People may swap equal copies."""
        kinds, zone = self.game.physical.components.kinds, sighting.zone
        if zone not in self._zones_without_copy(sighting.code, table):
            return False
        laid_at = table.changed_at.get(sighting.code, 0.0)
        return any(
            before.zone == zone
            and kinds.get(code) == kinds.get(sighting.code)
            and code not in table.visible
            and laid_at - table.changed_at.get(code, -math.inf) < MAX_SWAP_S
            for code, before in table.last_seen.items()
        )

    def reports(self, seat: Seat) -> tuple[HouseMove, ...]:
        """The house moves that this seat may report now: those that everyone may know, and those that this seat alone
        may know."""
        if not self._is_dealt_by_people(self.state):
            return ()
        public = (move for move, _ in self.state.chances() if self._is_public(move))
        return tuple(dict.fromkeys((*self.game.rules.private_reports(self.state, seat), *public)))

    def _is_public(self, move: Move) -> bool:
        """Whether everyone may know every field of a move."""
        return not self.game.rules.has_hidden_information or move.as_known_to(SPECTATOR, self.state) == move

    def pause_label(self) -> TextLike | None:
        """The label of the button that lets the companion continue after a pause; None if the companion is not
        pausing."""
        return self._pause_label_in(self.state)

    def _pause_label_in(self, state: State) -> TextLike | None:
        return None if self._is_dealt_by_people(state) else self.game.text.pause_label(state)

    def _is_dealt_by_people(self, state: State) -> bool:
        due = next((move for move, _ in state.chances()), None) if state.turn == HOUSE else None
        return due is not None and self.header.dealers.get(due.CHANCE_SOURCE) == "table"

    def state_after(self, move: Move, before: State | None = None) -> State:
        """The position after a move, from `before` or from the current position. Raises Refusal with the players' names
        in its message."""
        try:
            return play(before or self.state, move)
        except Refusal as refusal:
            raise type(refusal)(NamingPlayers(refusal.message, self.names)) from refusal

    # Writing ---------------------------------------------------------------------------------------

    def make_move(self, seat: Seat | None, move: Move, request: str | None = None, code: str = "") -> int:
        """Makes a move, then the moves of the house that follow it; returns the new version. Raises Refusal.
        `code`: the code of the card that was dealt or played, if reading this code led to the move."""
        after = self.state_after(move)
        steps = [Step(self.state, move, after), *self._house_steps(after, move)]
        return self._append(self.history.with_act(seat, steps, code=self._tracked_code(code)), request)

    def _tracked_code(self, code: str) -> str:
        """The code, if it matters which copy of a card it belongs to; otherwise "". It matters for cards that pass
        through hidden hands."""
        components = self.game.physical.components
        is_card = components.kinds.get(code) in components.faces and code not in components.other_side
        return code if self.game.rules.has_hidden_information and is_card else ""

    def proceed(self, seat: Seat | None, request: str | None = None) -> int:
        """Lets the companion continue after a pause; returns the new version. `request`: the id that the phone has
        given to this action, if any. Raises Refusal."""
        if not self.pause_label():
            raise NotYourTurn(_("The companion isn’t waiting for anyone."))
        return self._append(self.history.with_act(seat, self._house_steps(self.state, may_pause=False)), request)

    def undo_or_redo(
        self, change: Callable[[History, int | None], History], seat: Seat | None, request: str | None
    ) -> int:
        """Undoes or redoes an act: stores the history that `change` returns. Returns the new version. Raises
        Refusal."""
        if self._is_shuffle_open:
            raise IllegalMove(_("The shuffle has been revealed, so this game can’t change any more."))
        if self._are_secrets_open:
            raise IllegalMove(_("All cards are open now. Only the host can undo the last move, on the host page."))
        return self._append(change(self.history, seat), request)

    def reopen(self) -> int:
        """Undoes the last act of a finished game with hidden information, although everyone sees the hidden cards by
        now; returns the new version. Raises IllegalMove."""
        if not self.can_reopen:
            raise IllegalMove(_("This game can’t change any more."))
        return self._append(self.history.undo(None), None)

    def _house_steps(self, state: State, *moves: Move, may_pause: bool = True) -> list[Step]:
        """The house moves from `state` on, until somebody else must act or the companion pauses. `moves`: the moves of
        the same act that precede them. If `may_pause` is false, the companion does not pause before the first house
        move."""
        steps: list[Step] = []
        before = [*(step.move for step in self.history.steps()), *moves]
        while (
            state.turn == HOUSE
            and not self._is_dealt_by_people(state)
            and not (may_pause and self._pause_label_in(state))
        ):
            move = self._face_down_deal(state) or self._chance_move(state, before)
            before.append(move)
            steps.append(Step(state, move, play(state, move)))
            state, may_pause = steps[-1].after, True
        return steps

    # The shuffle ------------------------------------------------------------------------------------

    @property
    def _is_shuffle_open(self) -> bool:
        return self.header.shuffle is not None and self.header.shuffle.opened != ""

    @property
    def can_undo(self) -> bool:
        """Whether anyone can undo the last act."""
        return self._has_act_to_undo and not self._are_secrets_open

    @property
    def can_reopen(self) -> bool:
        """Whether the host can undo the last act of a finished game with hidden information (see `reopen`)."""
        return self._has_act_to_undo and self._are_secrets_open

    @property
    def _has_act_to_undo(self) -> bool:
        return self.history.can_undo and not self._is_shuffle_open

    @property
    def _are_secrets_open(self) -> bool:
        """Whether everyone sees the hidden cards, because the game is over."""
        return self.game.rules.has_hidden_information and self.state.turn is None

    @property
    def can_redo(self) -> bool:
        """Whether the act that was undone last can be redone."""
        return bool(self.history.undone) and not self._is_shuffle_open

    def add_shares(self, shares: Sequence[Share]) -> None:
        """Adds a round of shares to the shuffle. Every draw that has not been made yet depends on these shares too. A
        draw that was made and then undone still has the same result."""
        if (shuffle := self.header.shuffle) and not shuffle.opened:
            self._change_shuffle(shuffle.with_round(shares, next_draws(self.history)))

    def open_shuffle(self) -> None:
        """Lets everyone see the seed and the shares of a game that has ended. From then on the game's last act can't be
        undone any more, because everyone could compute all later cards."""
        if (shuffle := self.header.shuffle) and not shuffle.opened and self.state.turn is None:
            self._change_shuffle(replace(shuffle, opened=now()))

    def _change_shuffle(self, shuffle: FairShuffle) -> None:
        header = replace(self.header, shuffle=shuffle)
        self._journal.change_shuffle(self.id, header)
        self.header = header

    def _chance_move(self, state: State, before: Sequence[Move]) -> HouseMove:
        """The house move that chance brings after these moves."""
        seed, shuffle = self.header.seed, self.header.shuffle
        if shuffle is None:
            return ChancePlayer(seed).next_move(state, len(before))
        return FairChancePlayer(seed, shuffle).next_move(state, count_draws(before))

    def _face_down_deal(self, state: State) -> HouseMove | None:
        """The deal of a card that people draw face down and do not report; None if no such card is due."""
        due = (move for move, _ in state.chances() if move.face == UNSEEN)
        return next((move for move in due if self.header.dealers.get(move.CHANCE_SOURCE) == "unseen"), None)

    def _append(self, history: History, request: str | None) -> int:
        """Stores the last act of the history durably, then makes this history current; returns the new version."""
        history = history.dated(now())
        self._journal.append(self.id, history.record(request))
        self.history, self._known_copies, self._legal_moves = history, None, None
        if request:
            self._versions_by_request[history.acts[-1].seat, request] = self.version
        return self.version


def replay_failure(stored: StoredGame, error: ReplayError) -> Text:
    """The message that a stored game can't be resumed, with the reason."""
    return _(
        "Couldn’t resume game {number}. {why} It is still stored: tablekeeper export {number}",
        number=stored.id,
        why=error,
    )


def unknown_game(name: str) -> Text:
    """The message that there is no game of this name. It lists the games that there are."""
    return _("There’s no game called {name}. Choose from {known}.", name=repr(name), known=", ".join(GAMES))


def default_name(seat: int) -> Text:
    """The name of a player who has not given one, such as "Player 1" for seat 0."""
    return _("Player {n}", n=seat + 1)


def new_header(
    name: str,
    seats: int | None,
    setup: Mapping[str, Json],
    dealers: Mapping[str, str],
    players: tuple[str, ...],
    seed: str,
    shuffle: FairShuffle | None = None,
) -> Header:
    """The header of a new game, after all values have been checked. Raises SetupError if a value is wrong. Players
    without a name get a default name."""
    game = GAMES.get(name)
    if game is None:
        raise SetupError(unknown_game(name))
    count = game.rules.seat_count(seats)
    resolved = game.rules.resolve_setup(setup)
    game.rules.begin(count, resolved)
    game.rules.check_dealers(dealers)
    named = tuple(players[i] if i < len(players) and players[i] else str(default_name(i)) for i in range(count))
    return Header(game.name, game.rules.version, count, resolved, dealers, named, seed, shuffle)
