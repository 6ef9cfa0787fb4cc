"""Where the cards of a seat take a piece, what each journey costs and what waits at its end.

Law: pure. The legal moves say where; the game itself says what comes of each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from companion.games.commute.deck import UNSEEN, VALUES
from companion.games.commute.labels import Whither, card_name, place, whither
from companion.games.commute.move_preview import Landing, foreseen
from companion.games.commute.moves import Bump, Travel
from companion.games.commute.rules import State
from companion.match import notation
from companion.match.view import View
from companion.text.translation import _, later
from web.boards.commute_map import City, Spot

Journey = Travel | Bump

TRAVEL: Mapping[Whither, str] = {
    "work": later("Travel to work"),
    "home": later("Travel home"),
    "space": later("Travel to {space}"),
}
SEND: Mapping[Whither, str] = {
    "work": later("Send {name} to work"),
    "home": later("Send {name} home"),
    "space": later("Send {name} to {space}"),
}


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
    heading: str
    adds: int
    """Minutes; below 0 where some are won."""
    tally: int
    sum: str
    arrives: bool
    uh_oh: bool
    bumps: bool
    taken: bool
    """Whether a piece stands there, be it the traveller's own."""
    waits: tuple[str, ...]
    ways: tuple[Way, ...]

    @property
    def cost(self) -> str:
        """The minutes with their sign."""
        return f"{'−' if self.adds < 0 else '+'}{abs(self.adds)}"


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
    return (
        Card(face, UNSEEN, "", card_name(face)) if face == UNSEEN else Card(face, face[:-1], face[-1], card_name(face))
    )


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
        yield Pick(number, key, shown, shown.title if shown else _any_of(VALUES[moves[0].card]), stops)


def _any_of(value: int) -> str:
    return _("any ace") if value == 1 else _("any {value}", value=value)


def _stops(view: View, state: State, city: City, number: int, moves: Sequence[Journey]) -> Iterator[Stop]:
    ends = {move.to: [other for other in moves if other.to == move.to] for move in moves}
    found = [(foreseen(state, there[0]), there) for there in ends.values()]
    for landing, there in sorted(found, key=lambda end: (not end[0].arrives, end[0].adds)):
        to = there[0].to
        yield Stop(
            key=f"{number}-{to}",
            spot=city.spots[to],
            name=place(state, to),
            heading=_heading(view, state, to),
            adds=landing.adds,
            tally=landing.minutes,
            sum=_sum(there[0], city.spots[to]),
            arrives=landing.arrives,
            uh_oh=landing.uh_oh,
            bumps=landing.bumps is not None,
            taken=to in state.positions,
            waits=tuple(_waits(view, state, landing)),
            ways=tuple(Way(card(move.card), notation.write(move)) for move in there),
        )


def _heading(view: View, state: State, to: str) -> str:
    """What the move is, "Travel to s12"."""
    way = whither(state.board, to)
    if state.bump is None:
        return _(TRAVEL[way], space=to)
    return _(SEND[way], name=view.names[state.bump.target], space=to)


def _sum(journey: Journey, spot: Spot) -> str:
    """Where the minutes come from."""
    if isinstance(journey, Travel):
        return _("{space} for the space, {card} for the card", space=spot.minutes, card=VALUES[journey.card])
    return _("{space} for the space, nothing for the card", space=spot.minutes)


def _waits(view: View, state: State, landing: Landing) -> Iterator[str]:
    """What comes of it, in the order in which it happens; an “Uh-Oh!” card comes last."""
    sent = None if state.bump is None else view.names[state.bump.target]
    if landing.arrives:
        yield _arrives(sent, state.morning)
    if landing.bumps is not None:
        yield _meets(view, sent, landing.bumps)
    if landing.uh_oh:
        yield _("Then an “Uh-Oh!” card for you.") if sent is None else _("Then an “Uh-Oh!” card for {name}.", name=sent)


def _arrives(sent: str | None, morning: bool) -> str:
    if sent is None:
        return _("You arrive at work.") if morning else _("You arrive home.")
    return _("{name} arrives at work.", name=sent) if morning else _("{name} arrives home.", name=sent)


def _meets(view: View, sent: str | None, seat: int) -> str:
    """Who sends whom on then: whoever lands there the one who stands there."""
    there = view.names[seat]
    if sent is None:
        return _("{name} stands there: you must send {name} on with a card.", name=there)
    if seat == view.viewer:
        return _("You stand there: {sent} must send you on with a card.", sent=sent)
    return _("{name} stands there: {sent} must send {name} on with a card.", name=there, sent=sent)
