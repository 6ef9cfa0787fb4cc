"""The match: the game in progress. It decides who may move, deals for the companion, and writes to the journal.

Not thread-safe: the table's lock guards it. A method that returns a version has made its act durable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import chain

from companion.games import GAMES, move_json
from companion.games.game import Game
from companion.games.rules import SPECTATOR, HouseMove, Json, Move, Seat, State, Viewer, play
from companion.match.card_copy_locations import PlayedCodes, known_copies
from companion.match.fair_shuffle import FairShuffle, Share
from companion.match.history import History, Step, fold
from companion.match.house_moves import HouseMoves
from companion.match.journal import Journal
from companion.match.shuffle_verification import next_draws
from companion.match.stored_game import ActRecord, Header, StoredGame
from companion.match.utc_time import now
from companion.tabletop.copy_assignment import KnownCopies
from companion.tabletop.expected_layout import Layout
from companion.tabletop.mat import Mat
from companion.text.messages import NamingPlayers, TextLike, _
from companion.text.refusal_errors import IllegalMove, NotYourTurn, Refusal, Stale


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
        self._played_codes = PlayedCodes()
        self._known_copies: KnownCopies | None = None
        self._layouts: dict[Viewer, Layout] = {}
        self._legal_moves: tuple[Move, ...] | None = None
        self._versions_by_action = {
            (record.seat, record.request): self.acts_before + record.version
            for record in stored.records
            if record.request
        }

    @classmethod
    def start(cls, journal: Journal, header: Header, taken_over: tuple[ActRecord, ...] = ()) -> Match:
        """Starts a game, and makes the companion's moves in the first deal. Closes the game that was running. Returns
        the new match. `taken_over`: the acts with which a what-if begins."""
        draft = cls(journal, StoredGame(0, header, taken_over, now(), None))
        return cls(journal, journal.open_game(header, (*taken_over, *draft._first_deal())))

    def _first_deal(self) -> tuple[ActRecord, ...]:
        steps = self.house_moves.house_steps(self.state, self._moves())
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
    def house_moves(self) -> HouseMoves:
        """The maker of the house moves: decides who deals in this match, and deals for the companion."""
        return HouseMoves(self.game, self.header)

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
        """Uses these names for the players from now on. They have already been stored in the journal."""
        self.header = replace(self.header, players=tuple(players))

    def version_of_action(self, seat: Seat | None, action_id: str | None) -> int | None:
        """The version that this seat's action `action_id` led to; None if this action has not been performed
        yet. A phone that repeats an action sends the same id again."""
        return self._versions_by_action.get((seat, action_id)) if action_id else None

    def check_version(self, version: int | None) -> None:
        """Raises Stale unless `version`, the version on which an action is based, is the current version. None is
        always accepted."""
        if version is not None and version != self.version:
            raise Stale(_("The game has moved on. Look again."))

    def parse_move(self, seat: Seat | None, value: Json) -> Move:
        """The move in a JSON object, if this seat (None for the table) may make it. Raises Refusal if the object
        describes no move, or if the seat may not make it.

        A seat may make its own moves. Anyone may report a public card that people deal, and make a house move that has
        no alternatives. A hidden card may be reported only as the game's `private_reports` allow, because even a
        refusal would reveal it.
        """
        move = move_json.from_json(self.game, self.history.seats, value)
        if seat is None or move.seat == seat:
            return move
        if not isinstance(move, HouseMove):
            name, own = self.names[int(move.seat)], self.names[seat]
            raise NotYourSeat(_("That’s {name}’s move, and you are {own}.", name=name, own=own))
        if not self._is_public(move):
            if move in self.reports(seat):
                return move
            raise NotYourSeat(_("You can’t enter a hidden card from this seat. Show it to the camera."))
        if not self.house_moves.is_reported(move) and len([*self.state.chances()]) != 1:
            raise NotYourSeat(_("The companion deals that, so you can’t enter it."))
        return move

    def legal_moves(self) -> tuple[Move, ...]:
        """The legal moves of all seats."""
        if self._legal_moves is None:
            self._legal_moves = tuple(self.state.legal_moves())
        return self._legal_moves

    def layout(self, viewer: Viewer) -> Layout:
        """What the table should look like now, as a viewer may know it."""
        if viewer not in self._layouts:
            self._layouts[viewer] = self.game.physical.layout(self.state, viewer)
        return self._layouts[viewer]

    def known_copies(self) -> KnownCopies:
        """The individual copies of cards whose places are known now: those in hands, and those that were played."""
        if self._known_copies is None:
            self._played_codes = self._played_codes.after(self.history)
            self._known_copies = known_copies(self.history, self._played_codes)
        return self._known_copies

    def reports(self, seat: Seat) -> tuple[HouseMove, ...]:
        """The house moves that this seat may report now: those that everyone may know, and those that this seat alone
        may know."""
        if not self.house_moves.is_due_by_people(self.state):
            return ()
        public = (move for move, _ in self.state.chances() if self._is_public(move))
        private_reports = self.game.rules.private_reports
        private = private_reports(self.state, seat) if private_reports else ()
        return tuple(dict.fromkeys((*private, *public)))

    def _is_public(self, move: Move) -> bool:
        """Whether everyone may know every field of a move."""
        return not self.game.rules.has_hidden_information or move.as_known_to(SPECTATOR, self.state) == move

    def pause_label(self) -> TextLike | None:
        """The label of the button that lets the companion continue after a pause; None if the companion is not
        pausing."""
        return self.house_moves.pause_label(self.state)

    def state_after(self, move: Move, before: State | None = None) -> State:
        """The position after a move. `before` is the position in which the move is made; None for the current position.
        Raises Refusal with the players' names in its message."""
        try:
            return play(before or self.state, move)
        except Refusal as refusal:
            raise type(refusal)(NamingPlayers(refusal.message, self.names)) from refusal

    def make_move(self, seat: Seat | None, move: Move, action_id: str | None = None, code: str = "") -> int:
        """Makes a move, then the moves of the house that follow it; returns the new version. Raises Refusal if the move
        is illegal now. `code`: the code of the card that was dealt or played, if reading this code led to the move."""
        after = self.state_after(move)
        steps = [Step(self.state, move, after), *self.house_moves.house_steps(after, chain(self._moves(), (move,)))]
        return self._append(self.history.with_act(seat, steps, code=self._tracked_code(code)), action_id)

    def _moves(self) -> Iterable[Move]:
        """All moves in force."""
        return (step.move for act in self.history.done for step in act.steps)

    def _tracked_code(self, code: str) -> str:
        """The code if the journal must store it with the act; otherwise "". The journal stores the codes of cards that
        pass through hidden hands, because it matters later which copy of a card was dealt or played."""
        components = self.game.physical.components
        is_card = components.kinds.get(code) in components.faces and code not in components.other_side
        return code if self.game.rules.has_hidden_information and is_card else ""

    def proceed(self, seat: Seat | None, action_id: str | None = None) -> int:
        """Lets the companion continue after a pause; returns the new version. `action_id`: the id that the phone has
        given to this action, if any. Raises NotYourTurn if the companion has not paused."""
        if not self.pause_label():
            raise NotYourTurn(_("The companion isn’t waiting for anyone."))
        steps = self.house_moves.house_steps(self.state, self._moves(), may_pause=False)
        return self._append(self.history.with_act(seat, steps), action_id)

    def undo_or_redo(
        self, change: Callable[[History, int | None], History], seat: Seat | None, action_id: str | None
    ) -> int:
        """Undoes or redoes an act: stores the history that `change` returns. Returns the new version. Raises Refusal if
        there is no such act, or if the shuffle or all cards have been revealed."""
        if self._is_shuffle_open:
            raise IllegalMove(_("The shuffle has been revealed, so this game can’t change any more."))
        if self._are_secrets_open:
            raise IllegalMove(_("All cards are open now. Only the host can undo the last move, on the host page."))
        return self._append(change(self.history, seat), action_id)

    def reopen(self) -> int:
        """Undoes the last act of a finished game with hidden information, although everyone sees the hidden cards by
        now; returns the new version. Raises IllegalMove if the game can't change any more."""
        if not self.can_reopen:
            raise IllegalMove(_("This game can’t change any more."))
        return self._append(self.history.undo(None), None)

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

    def _append(self, history: History, action_id: str | None) -> int:
        """Stores the last act of the history durably, then makes this history current; returns the new version."""
        history = history.dated(now())
        self._journal.append(self.id, history.record(action_id))
        self.history, self._known_copies, self._legal_moves, self._layouts = history, None, None, {}
        if action_id:
            self._versions_by_action[history.acts[-1].seat, action_id] = self.version
        return self.version
