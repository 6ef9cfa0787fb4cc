"""Phones for the tests of `web`: a table with its lobby and application, clients without a browser, and a small game
with secrets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, ClassVar

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from companion.games.game import Game, GameRules, GameText
from companion.games.rules import HOUSE, UNSEEN, HouseMove, Move, Names, Seat, Start, Viewer
from companion.match.journal import Journal
from companion.printing.print_shop import PrintShop
from companion.table.table import Table
from companion.tabletop.components import ComponentSet
from companion.tabletop.photo_interface import Reader
from companion.text.refusals import IllegalMove
from tests.systems_failing_tables import SEED, hasty_clock, new_table
from web.access.lobby import Lobby
from web.app import create_app

_numbers = count()


def fresh_id() -> str:
    """A request id that was not used before."""
    return f"request-{next(_numbers)}"


def unwrapped(page: str) -> str:
    """The page with each tag on one line and no white space around tags, because a template may wrap its lines
    anywhere."""
    page = re.sub(r"<[^>]+>", lambda tag: " ".join(tag[0].split()).replace(" >", ">"), page)
    return re.sub(r"\s*(<[^>]+>)\s*", r"\1", page)


class Phone:
    """The cookies and requests of a phone."""

    def __init__(self, client: FlaskClient) -> None:
        self.client = client

    def get(self, path: str, **more: Any) -> TestResponse:
        return self.client.get(path, buffered=True, **more)

    def post(self, path: str, body: Any = None, **more: Any) -> TestResponse:
        return self.client.post(path, json={} if body is None else body, **more)

    def view(self) -> Any:
        return self.get("/api/view").json

    def move(self, move: Mapping[str, Any], version: int | None = None, name: str | None = None) -> TestResponse:
        seen = self.view()["version"] if version is None else version
        return self.post("/api/moves", {"move": move, "version": seen, "id": name or fresh_id()})


class Home:
    """A table with its lobby and its application."""

    def __init__(self, table: Table, reader: Reader | None = None, print_shop: PrintShop | None = None) -> None:
        self.table = table
        self._reader, self._print_shop = reader, print_shop
        self._all_phones: list[Phone] = []
        self.use(Lobby(table))

    def use(self, lobby: Lobby) -> None:
        """Serves the table and all phones with another lobby, as after a restart."""
        self.lobby = lobby
        self.app = create_app(
            self.table, lobby, reader=self._reader, trusts_own_screen=True, print_shop=self._print_shop
        )
        for phone in self._all_phones:
            phone.client.application = self.app

    def phone(self, seat: int | None = None) -> Phone:
        """A new phone. With `seat`, it has joined there."""
        phone = Phone(self.app.test_client())
        self._all_phones.append(phone)
        if seat is not None:
            assert phone.post("/api/join", {"code": self.lobby.code, "seat": seat}).status_code == 200
        return phone

    def host(self) -> Phone:
        phone = self.phone()
        assert phone.get(f"/host?key={self.lobby.host_key}").status_code == 303
        return phone


def home(**more: Any) -> Home:
    """A home in which a game of Systems Failing has begun."""
    return Home(new_table(**more))


def empty_home() -> Home:
    """A home without a game."""
    return Home(Table(Journal(None), hasty_clock()))


def without_ids(page: bytes) -> bytes:
    """The page without the random id of its next request, and without the times of its log."""
    return re.sub(rb'name="id" value="[0-9a-f]+"|<time.*?</time>', b"", page)


# A game with secrets: each seat is dealt a card that the other may not know, and guesses the other's.


@dataclass(frozen=True, kw_only=True)
class Deal(HouseMove):
    NAME: ClassVar[str] = "deal"
    CHANCE_SOURCE: ClassVar[str] = "cards"
    to: Seat
    card: int

    @property
    def face(self) -> str:
        return str(self.card)

    def as_known_to(self, viewer: Viewer, before: Any) -> Move:
        return self if viewer in (self.to, "referee") else replace(self, card=0)


@dataclass(frozen=True, kw_only=True)
class Guess(Move):
    NAME: ClassVar[str] = "guess"
    card: int


@dataclass(frozen=True)
class Secrets:
    cards: tuple[int | str, ...] = ()
    guesses: tuple[int, ...] = ()

    @property
    def turn(self) -> Any:
        if len(self.cards) < 2:
            return HOUSE
        return None if len(self.guesses) > 3 else Seat(len(self.guesses) % 2)

    def play(self, move: Any) -> Secrets:
        if isinstance(move, Deal):
            return replace(self, cards=(*self.cards, move.card))
        if not 1 <= move.card <= 9:
            raise IllegalMove("A card is 1 to 9.")
        return replace(self, guesses=(*self.guesses, move.card))

    def legal_moves(self) -> Iterator[Move]:
        if isinstance(self.turn, int):
            yield from (Guess(seat=self.turn, card=card) for card in range(1, 10))

    def chances(self) -> Iterator[tuple[HouseMove, int]]:
        yield from ((Deal(to=Seat(len(self.cards)), card=card), 1) for card in range(1, 10))

    def as_known_to(self, viewer: Viewer) -> Secrets:
        cards = (card if viewer in (seat, "referee") else UNSEEN for seat, card in enumerate(self.cards))
        return replace(self, cards=tuple(cards))

    def to_json(self) -> dict[str, Any]:
        shown = list(self.cards)
        return {"turn": self.turn, "cards": shown, "guesses": list(self.guesses), "over": self.turn is None}


def _tell(before: Secrets, move: Move, after: Secrets, viewer: Viewer, names: Names) -> str:
    seen = move.as_known_to(viewer, before)
    if isinstance(seen, Deal):
        return f"{names[seen.to]} is dealt {seen.card or 'a card'}."
    return f"Somebody guesses {seen.card}." if isinstance(seen, Guess) else ""


def _label(state: Secrets, move: Move, viewer: Viewer, names: Names) -> tuple[str, ...]:
    """The label of a move. It marks the player's own card, which only that player may see."""
    card = str(getattr(move, "card", ""))
    return ("Guess", f"{card}, my own" if card in map(str, state.as_known_to(viewer).to_json()["cards"]) else card)


def _guide(state: Secrets, viewer: Viewer, names: Names) -> str:
    return "" if state.turn is not None else f"{names[0]} and {names[1]} have guessed."


SECRETS: Game[Secrets] = Game(
    rules=GameRules(
        name="secrets",
        title="Secrets",
        summary="Guess the other's card.",
        seats=range(2, 3),
        version=1,
        moves=(Deal, Guess),
        identifiers={},
        begin=lambda seats, setup: Start(Secrets()),
        chance_sources={"cards": "The cards"},
        has_hidden_information=True,
    ),
    text=GameText(
        log_line=_tell,
        label=_label,
        prompt=_guide,
    ),
)


def secret_home(seed: str = SEED) -> Home:
    """A home in which Secrets is played. The game must be in `GAMES`."""
    table = Table(Journal(None), hasty_clock())
    table.start("secrets", None, {}, {}, ("Ann", "Bob"), seed)
    return Home(table)


def with_text(game: Game[Any], **changes: Any) -> Game[Any]:
    """The game with other texts."""
    return replace(game, text=replace(game.text, **changes))


def with_components(game: Game[Any], components: ComponentSet) -> Game[Any]:
    """The game with other components."""
    return replace(game, physical=replace(game.physical, components=components))
