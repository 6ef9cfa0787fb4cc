"""Secrets, a small game for tests. Each of the two seats is dealt a card that the other seat may not know, and guesses
the other seat's card."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from companion.games.ending import Ending
from companion.games.game import Game, GameRules, GameText
from companion.games.rules import HOUSE, UNSEEN, HouseMove, Move, Names, Seat, Start, Viewer
from companion.match.journal import Journal
from companion.table.table import Table
from companion.text.refusal_errors import IllegalMove
from tests.systems_failing_tables import SEED, hasty_clock
from tests.web_table import WebTable


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

    @property
    def ending(self) -> Ending | None:
        return Ending(None) if self.turn is None else None

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


def secrets_web_table(seed: str = SEED) -> WebTable:
    """A table at which Secrets is played. The game must be in `GAMES`."""
    table = Table(Journal(None), hasty_clock())
    table.start("secrets", None, {}, {}, ("Ann", "Bob"), seed)
    return WebTable(table)
