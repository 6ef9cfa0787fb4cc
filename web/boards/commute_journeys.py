"""Where the cards of a seat take a piece, what each journey costs and what waits at its end.

Law: pure. The legal moves say where; the game itself says what comes of each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from companion import notation
from companion.games.commute.deck import UNSEEN, VALUES, title
from companion.games.commute.foresight import Landing, foreseen
from companion.games.commute.moves import Bump, Travel
from companion.games.commute.rules import State
from companion.games.commute.words import place, towards
from companion.view import View
from web.boards.commute_map import City, Spot

Journey = Travel | Bump


@dataclass(frozen=True)
class Card:
    """A playing card; `rank` "?" and no suit for one that nobody has reported."""

    face: str
    rank: str
    suit: str
    title: str


@dataclass(frozen=True)
class Way:
    """A move with one of the cards that lead to a stop."""

    card: Card
    line: str


@dataclass(frozen=True)
class Stop:
    """A space where a card takes the piece, what that costs, and what waits there."""

    key: str
    spot: Spot
    name: str
    towards: str
    cost: str
    tally: int
    sum: str
    arrives: bool
    uh_oh: bool
    bumps: bool
    taken: bool
    """Whether a piece stands there, be it the traveller's own."""
    waits: tuple[str, ...]
    ways: tuple[Way, ...]


@dataclass(frozen=True)
class Pick:
    """A card to play, or where cards were dealt unseen a value; and where it leads, the goal and the cheapest first."""

    number: int
    key: str
    card: Card | None
    title: str
    stops: tuple[Stop, ...]


def card(face: str) -> Card:
    """A card by its face."""
    return Card(face, UNSEEN, "", title(face)) if face == UNSEEN else Card(face, face[:-1], face[-1], title(face))


def picks(view: View, state: State, city: City) -> Iterator[Pick]:
    """What the viewer may play now: one card each, or all of a value where it holds cards that nobody has reported."""
    journeys = [move for move in view.legal if isinstance(move, Journey)]
    unseen = bool(journeys) and UNSEEN in state.hands[journeys[0].seat]

    def played(move: Journey) -> str:
        return f"{VALUES[move.card]:02}" if unseen else move.card

    for number, (key, found) in enumerate(groupby(sorted(journeys, key=played) if unseen else journeys, played), 1):
        moves = list(found)
        shown = None if unseen else card(key)
        stops = tuple(_stops(view, state, city, number, moves))
        yield Pick(number, key, shown, shown.title if shown else f"any {title(moves[0].card).split()[0]}", stops)


def _stops(view: View, state: State, city: City, number: int, moves: Sequence[Journey]) -> Iterator[Stop]:
    ends = {move.to: [other for other in moves if other.to == move.to] for move in moves}
    found = [(foreseen(state, there[0]), there) for there in ends.values()]
    for landing, there in sorted(found, key=lambda end: (not end[0].arrives, end[0].adds)):
        to = there[0].to
        yield Stop(
            key=f"{number}-{to}",
            spot=city.spots[to],
            name=place(state, to),
            towards=towards(state, to),
            cost=f"{'−' if landing.adds < 0 else '+'}{abs(landing.adds)}",
            tally=landing.minutes,
            sum=_sum(there[0], city.spots[to]),
            arrives=landing.arrives,
            uh_oh=landing.uh_oh,
            bumps=landing.bumps is not None,
            taken=to in state.positions,
            waits=tuple(_waits(view, state, landing)),
            ways=tuple(Way(card(move.card), notation.write(move)) for move in there),
        )


def _sum(journey: Journey, spot: Spot) -> str:
    """Where the minutes come from."""
    own = isinstance(journey, Travel)
    return f"{spot.minutes} for the space, {VALUES[journey.card] if own else 'nothing'} for the card"


def _waits(view: View, state: State, landing: Landing) -> Iterator[str]:
    """What comes of it, in the order in which it happens."""
    sent = state.bump is not None
    traveller = view.names[state.bump.target] if state.bump else "you"
    if landing.arrives:
        yield f"{traveller if sent else 'You'} arrive{'s' if sent else ''} {'at work' if state.morning else 'home'}."
    if landing.bumps is not None:
        there = "You stand" if landing.bumps == view.viewer else f"{view.names[landing.bumps]} stands"
        whom = "you" if landing.bumps == view.viewer else view.names[landing.bumps]
        yield f"{there} there: {traveller} must send {whom} on with a card."
    if landing.uh_oh:
        yield f"Then an “Uh-Oh!” card for {traveller}."
