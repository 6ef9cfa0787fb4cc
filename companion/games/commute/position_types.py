"""What a position of Commute is made of: what is owed, what is being settled, what is shut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from companion.games.commute.card_effects import Effect, Swap
from companion.games.rules import Seat

Stage = Literal["deal", "travel", "cascade", "uh_oh", "replenish"]
"""What a position waits for: the first hands, the player's card, a bump, "Uh-Oh!" cards, the hands at a turn's end."""

Asks = Literal["choice", "partner", "skip", "line", "card"]


@dataclass(frozen=True)
class Bump:
    """`seat` owes a card that sends `target` on."""

    seat: Seat
    target: Seat


@dataclass(frozen=True)
class Todo:
    """An effect still to be settled for a seat."""

    seat: Seat
    effect: Effect


@dataclass(frozen=True)
class Trade:
    """A swap whose partner is named. `given`: the drawer's card, which is settled first."""

    drawer: Seat
    partner: Seat
    swap: Swap
    given: str | None = None

    @property
    def owner(self) -> Seat:
        """Whose card is settled now."""
        return self.drawer if self.given is None else self.partner

    @property
    def how(self) -> Literal["chosen", "random"]:
        """How it is."""
        return self.swap.gives if self.given is None else self.swap.gets


Task = Todo | Trade


@dataclass(frozen=True)
class Question:
    """What an "Uh-Oh!" card asks a seat, and every answer that there is."""

    asks: Asks
    seat: Seat
    options: tuple[int | str, ...]


@dataclass(frozen=True)
class Closing:
    """A metro line that is shut until the turn order has come to the drawer so many times more."""

    line: str
    drawer: Seat
    turns: int


@dataclass(frozen=True)
class Done:
    """A commute that is over: each seat's minutes, and its reputation after it."""

    minutes: tuple[int, ...]
    reputation: tuple[int, ...]
