"""The journeys that the viewer may make: where each card can take a piece, how many minutes this costs, and what
happens there.

Law: pure. The destinations are the viewer's legal moves; `move_preview` computes the consequences of each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby

from companion.games import move_json
from companion.games.commute.display_names import DestinationKind, card_name, destination_kind, space_name
from companion.games.commute.move_preview import Landing, landing_after
from companion.games.commute.moves import Bump, Travel
from companion.games.commute.page.city_map import City, Spot
from companion.games.commute.page.stop_places import StopPlace, stop_places
from companion.games.commute.position import Position
from companion.games.commute.suits_and_ranks import UNSEEN, VALUES
from companion.games.view import View
from companion.text.messages import Capitalized, Message, Text, TextLike, _

JourneyMove = Travel | Bump

TRAVEL: Mapping[DestinationKind, Message] = {
    "work": _("Travel to work"),
    "home": _("Travel home"),
    "space": _("Travel to {space}"),
}
"""The title of a move of the viewer's own piece, for each kind of destination."""
SEND: Mapping[DestinationKind, Message] = {
    "work": _("Send {name} to work"),
    "home": _("Send {name} home"),
    "space": _("Send {name} to {space}"),
}
"""The title of a move of another player's piece, for each kind of destination."""


@dataclass(frozen=True)
class PlayingCard:
    """A playing card on the page. A card that nobody has reported has the rank "?" and no suit."""

    face: str
    rank: str
    suit: str
    title: Text


@dataclass(frozen=True)
class CardMove:
    """A move that plays or reports a card. `move` is the move as JSON."""

    card: PlayingCard
    move: str


@dataclass(frozen=True)
class Stop:
    """A space to which a card can take the piece, with the minutes that this adds and the events there.

    `cost_breakdown` says how many minutes come from the space and how many from the card. `events` has a sentence for
    each event on the space. `moves` are the moves that lead to the space.
    """

    key: str
    spot: Spot
    label: StopPlace
    """The place of the label on a phone's map, relative to the space."""
    name: TextLike
    heading: Text
    added_minutes: int
    """The minutes that the move adds. Negative if the move saves minutes."""
    minutes_after: int
    """The minutes of the piece's player after the move."""
    cost_breakdown: Text
    arrives: bool
    uh_oh: bool
    bumps: bool
    is_occupied: bool
    """Whether a piece already stands on the space. It may be the traveler's own piece."""
    events: tuple[Text, ...]
    moves: tuple[CardMove, ...]

    @property
    def cost(self) -> str:
        """The minutes that the move adds, as text: "+3" or "−2"."""
        return f"{'−' if self.added_minutes < 0 else '+'}{abs(self.added_minutes)}"


@dataclass(frozen=True)
class CardChoice:
    """A card that the viewer may play. `stops` are the spaces to which this card can take the piece: first the goal, if
    it can be reached, then the other spaces, beginning with the one that adds the fewest minutes.

    If the hand contains cards that nobody has reported, the viewer chooses a card value instead of a card, and `card`
    is None.
    """

    number: int
    key: str
    card: PlayingCard | None
    title: Text
    stops: tuple[Stop, ...]

    @property
    def heading(self) -> Text:
        """The title, capitalized for the beginning of a line."""
        return Capitalized(self.title)


@cache
def card(face: str) -> PlayingCard:
    """The view of the card with this face."""
    return (
        PlayingCard(face, UNSEEN, "", card_name(face))
        if face == UNSEEN
        else PlayingCard(face, face[:-1], face[-1], card_name(face))
    )


def card_choices(view: View, position: Position, city: City) -> Iterator[CardChoice]:
    """Yields the cards, or the card values, that the viewer may play now."""
    journeys = [move for move in view.choices.legal if isinstance(move, JourneyMove)]
    by_value = bool(journeys) and UNSEEN in position.hands[journeys[0].seat]

    def key_of(move: JourneyMove) -> str:
        return f"{VALUES[move.card]:02}" if by_value else move.card

    groups = groupby(sorted(journeys, key=key_of) if by_value else journeys, key_of)
    for number, (key, group) in enumerate(groups, 1):
        moves = list(group)
        played = None if by_value else card(key)
        title = played.title if played else _value_title(VALUES[moves[0].card])
        yield CardChoice(number, key, played, title, tuple(_stops(view, position, city, number, moves)))


def _value_title(value: int) -> Text:
    """The title for all cards of a value: "any ace" or "any 7"."""
    return _("any ace") if value == 1 else _("any {value}", value=value)


def _stops(view: View, position: Position, city: City, number: int, moves: Sequence[JourneyMove]) -> Iterator[Stop]:
    """Yields the stops of a card or card value: first the goal, then the other spaces, beginning with the one that adds
    the fewest minutes. `number` is the number of the `CardChoice` on the page."""
    moves_to = {move.to: [other for other in moves if other.to == move.to] for move in moves}
    landings = [(landing_after(position, alike[0]), alike) for alike in moves_to.values()]
    box, occupied = city.box, frozenset(moves_to.keys() & position.locations)
    labels = stop_places(position.board, (box.left, box.top, box.width, box.height), tuple(moves_to), occupied)
    for landing, alike in sorted(landings, key=lambda end: (not end[0].arrives, end[0].added_minutes)):
        to = alike[0].to
        yield Stop(
            key=f"{number}-{to}",
            spot=city.spots[to],
            label=labels[to],
            name=space_name(position, to),
            heading=_move_title(view, position, to),
            added_minutes=landing.added_minutes,
            minutes_after=landing.minutes,
            cost_breakdown=_cost_breakdown(alike[0], city.spots[to]),
            arrives=landing.arrives,
            uh_oh=landing.uh_oh,
            bumps=landing.bumped is not None,
            is_occupied=to in occupied,
            events=tuple(_stop_events(view, position, landing)),
            moves=tuple(CardMove(card(move.card), move_json.write(move)) for move in alike),
        )


def _move_title(view: View, position: Position, to: str) -> Text:
    """The title of the move to a space, such as "Travel to s12"."""
    kind = destination_kind(position.board, to)
    if position.bump is None:
        return TRAVEL[kind].with_values(space=to)
    return SEND[kind].with_values(name=view.names[position.bump.target], space=to)


def _cost_breakdown(journey: JourneyMove, spot: Spot) -> Text:
    """The text that says how many minutes come from the space and how many from the card."""
    if isinstance(journey, Travel):
        return _("{space} for the space, {card} for the card", space=spot.minutes, card=VALUES[journey.card])
    return _("{space} for the space, nothing for the card", space=spot.minutes)


def _stop_events(view: View, position: Position, landing: Landing) -> Iterator[Text]:
    """Yields a sentence for each event at the stop, in the order of events. An “Uh-Oh!” card comes last."""
    sent = None if position.bump is None else view.names[position.bump.target]
    if landing.arrives:
        yield _arrival_text(sent, position.is_morning)
    if landing.bumped is not None:
        yield _bump_text(view, sent, landing.bumped)
    if landing.uh_oh:
        yield _("Then an “Uh-Oh!” card for you.") if sent is None else _("Then an “Uh-Oh!” card for {name}.", name=sent)


def _arrival_text(sent: str | None, morning: bool) -> Text:
    """The sentence for an arrival at the goal. `sent` is the name of the player who is sent there; None if the viewer
    travels there."""
    if sent is None:
        return _("You arrive at work.") if morning else _("You arrive home.")
    return _("{name} arrives at work.", name=sent) if morning else _("{name} arrives home.", name=sent)


def _bump_text(view: View, sent: str | None, seat: int) -> Text:
    """The sentence that says who stands on the space and must be sent on. `sent` is the name of the player who is sent
    there; None if the viewer travels there."""
    there = view.names[seat]
    if sent is None:
        return _("{name} is there: you must send them on with a card.", name=there)
    if seat == view.viewer:
        return _("You are there: {sent} must send you on with a card.", sent=sent)
    return _("{name} is there: {sent} must send them on with a card.", name=there, sent=sent)
