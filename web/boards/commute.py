"""Commute as its template draws it: made of what the viewer is told and of its legal moves, of nothing else.

What a journey would bring is the game's own word: the position is made again from what the viewer is told, and asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from companion.games.commute.components import COLORS, paint
from companion.games.commute.deck import DECK, UNSEEN
from companion.games.commute.labels import drawn, place
from companion.games.commute.move_preview import restored
from companion.games.commute.moves import Bump, Choose, Deal, Travel, UhOh
from companion.games.commute.moves import Pick as RandomCard
from companion.games.commute.rules import State
from companion.games.commute.text import HAND_BACK
from companion.games.commute.turn_order import BEST_MORNING
from companion.games.commute.uh_oh import uh_oh_cards
from companion.match import notation
from companion.match.view import View
from companion.text.translation import _
from web.boards.commute_chart import Chart, chart
from web.boards.commute_journeys import Card, Pick, card, picks
from web.boards.commute_map import City, city
from web.boards.commute_reports import Report, report

OWN_BUTTONS = (Travel, Bump, Choose, Deal, RandomCard)
"""Moves whose buttons are on the board itself."""

LETTERS = "ABCDE"
"""Of the pieces and the houses in print, by color."""


@dataclass(frozen=True)
class Player:
    """A seat's tally. `cards`: its hand as the viewer may know it. `color`, `shape` and `letter` are its piece's."""

    seat: int
    color: str
    shape: int
    letter: str
    name: str
    own: bool
    acting: bool
    at: str
    minutes: int
    reputation: int
    cards: tuple[Card, ...]
    arrived: bool
    skips: int
    leads: bool


@dataclass(frozen=True)
class Piece:
    """A piece on the map, and how far it stands aside where several share a space."""

    player: Player
    place: str
    aside: float
    at_end: bool
    space: str
    """What the space is called in print and in the log; empty on a house, at work, and where another piece says it."""


@dataclass(frozen=True)
class Drawn:
    """An "Uh-Oh!" card on the table, who drew it, and what came of it; `open` while something is left to settle."""

    title: str
    text: str
    by: Player
    comes: str
    open: bool


@dataclass(frozen=True)
class Answer:
    """An answer to a card's question: a player, a playing card, a metro line, or one of the things that it offers."""

    line: str
    said: str
    player: Player | None
    card: Card | None
    metro: str


@dataclass(frozen=True)
class Board:
    """The whole table."""

    city: City
    players: tuple[Player, ...]
    pieces: tuple[Piece, ...]
    morning: bool
    round: int
    rounds: str
    deck: int
    best: int
    """Minutes that are best on arrival in the morning."""
    hand: tuple[Card, ...]
    picks: tuple[Pick, ...]
    traveller: Player
    """Whose piece moves next."""
    goal: str
    bumper: Player | None
    """Who must send the traveller on."""
    drawn: tuple[Drawn, ...]
    asked: Player | None
    answers: tuple[Answer, ...]
    report: Report | None
    news: tuple[str, ...]
    chart: Chart | None
    resting: bool
    """Whether a commute is over and the next one has not begun."""
    hand_back: str
    """What hands do with their cards then, where they hold any."""

    @property
    def own(self) -> Player | None:
        """The viewer."""
        return next((player for player in self.players if player.own), None)


def board(view: View) -> Board:
    """The table as this viewer may see it."""
    state = restored(view.state, view.details)
    drawing = city(state.board, {house: seat for seat, house in enumerate(state.houses)}, state.closed)
    players = tuple(_player(view, state, seat) for seat in state.seats)
    resting = bool(view.details["history"]) and not any(state.hands)
    by_hand = view.dealers[Deal.DEALS] != "companion"
    pending = view.state["pending"]
    return Board(
        city=drawing,
        players=players,
        pieces=tuple(_pieces(state, drawing, players)),
        morning=state.morning,
        round=state.round,
        rounds=_halves(state.commutes),
        deck=view.state["deck"],
        best=BEST_MORNING,
        hand=tuple(map(card, state.hands[view.viewer])) if isinstance(view.viewer, int) else (),
        picks=tuple(picks(view, state, drawing)),
        traveller=players[state.bump.target if state.bump else state.player],
        goal=state.goal(state.bump.target if state.bump else state.player),
        bumper=players[state.bump.seat] if state.bump else None,
        drawn=tuple(_drawn(view, players)),
        asked=players[pending["seat"]] if pending and pending["kind"] == "choose" else None,
        answers=tuple(_answers(view, players)),
        report=report(view),
        news=tuple(_news(view)),
        chart=chart(view.details["history"], state.commutes),
        resting=resting,
        hand_back=_(HAND_BACK) if resting and by_hand and view.turn is not None else "",
    )


def _halves(commutes: int) -> str:
    """Rounds, as "3", "1½" or "½"."""
    return f"{commutes // 2 or ''}{'½' * (commutes % 2)}"


def _player(view: View, state: State, seat: int) -> Player:
    most, shape = max(state.reputation), paint(state.board, seat, state.houses[seat])
    return Player(
        seat=seat,
        color=COLORS[shape],
        shape=shape,
        letter=LETTERS[shape],
        name=view.names[seat],
        own=seat == view.viewer,
        acting=seat == view.turn,
        at=place(state, state.positions[seat]),
        minutes=state.minutes[seat],
        reputation=state.reputation[seat],
        cards=tuple(map(card, state.hands[seat])),
        arrived=state.arrived[seat],
        skips=state.skips[seat],
        leads=state.reputation[seat] == most > min(state.reputation),
    )


def _pieces(state: State, drawing: City, players: tuple[Player, ...]) -> Iterator[Piece]:
    for player in players:
        here = state.positions[player.seat]
        crowd = [seat for seat in state.seats if state.positions[seat] == here]
        aside = crowd.index(player.seat) - (len(crowd) - 1) / 2
        at_end = here in state.board.ends
        called = here if not at_end and crowd[0] == player.seat else ""
        yield Piece(player, drawing.spots[here].place, aside, at_end, called)


# “Uh-Oh!” cards -----------------------------------------------------------------------------------------------


def _drawn(view: View, players: tuple[Player, ...]) -> Iterator[Drawn]:
    """The cards of the last act, and one that is still being settled."""
    now, came = view.state["uh_oh"], False
    for move, words in _last(view):
        if move["move"] == UhOh.NAME:
            by, came = players[move["to"]], move["card"] == now
            this = uh_oh_cards()[move["card"]]
            yield Drawn(_(this.title), _(this.text), by, words.removeprefix(drawn(this, by.name)).strip(), came)
    if now and not came:
        this = uh_oh_cards()[now]
        yield Drawn(_(this.title), _(this.text), players[view.details["drawer"]], "", open=True)


def _answers(view: View, players: tuple[Player, ...]) -> Iterator[Answer]:
    asks = view.details["question"]
    for move in view.legal:
        if isinstance(move, Choose):
            option = move.option
            yield Answer(
                notation.write(move),
                view.labels[move][-1],
                players[option] if isinstance(option, int) and asks in ("partner", "skip") else None,
                card(option) if isinstance(option, str) and option in (*DECK, UNSEEN) else None,
                str(option) if asks == "line" else "",
            )


# What happened ------------------------------------------------------------------------------------------------


def _last(view: View) -> Iterator[tuple[dict[str, Any], str]]:
    """The moves of the last act with their words."""
    if view.log and view.log[-1].kind == "move":
        yield from zip(view.log[-1].moves, view.log[-1].words, strict=True)


def _news(view: View) -> Iterator[str]:
    """The last act in words; of cards dealt everybody knows, and “Uh-Oh!” cards lie there to be read."""
    if view.log and view.log[-1].kind in ("undo", "redo"):
        yield from view.log[-1].words
    yield from (words for move, words in _last(view) if move["move"] not in (Deal.NAME, UhOh.NAME))
