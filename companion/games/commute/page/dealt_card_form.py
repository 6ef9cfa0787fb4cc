"""The form in which a player enters, by phone, which card people have dealt or drawn by hand.

Law: pure. The view contains the possible reports; this module groups them by value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from companion.games import move_json
from companion.games.commute.moves import Deal, Pick
from companion.games.commute.page.possible_journeys import CardMove, card
from companion.games.commute.position import Position
from companion.games.commute.suits_and_ranks import HAND_SIZE, UNSEEN, VALUES
from companion.games.rules import HouseMove
from companion.games.view import View


@dataclass(frozen=True)
class ReportableValue:
    """A card value, with all cards of this value that may be reported."""

    number: int
    rank: str
    cards: tuple[CardMove, ...]


@dataclass(frozen=True)
class DealtCardForm:
    """The form for a card that a player must report. If `drawn_from` is True, the card is drawn at random from the hand
    of `seat`. Otherwise, it is dealt to `seat`, as card `number` of a full hand of `hand_size` cards.

    `own` says whether `seat` is the viewer's seat. `values` are the values that a dealt card may have; empty if a card
    is drawn. `hand_cards` are the cards of the hand, from which the drawn card comes; empty if a card is dealt.
    `face_down_move` is the move that records the card as face down, as JSON; "" if this isn't possible.
    """

    seat: int
    own: bool
    drawn_from: bool
    number: int
    hand_size: int
    values: tuple[ReportableValue, ...]
    hand_cards: tuple[CardMove, ...]
    face_down_move: str


def report(view: View, position: Position) -> DealtCardForm | None:
    """The form for the card that the viewer may report now. None if there is nothing to report."""
    due = [move for move in view.choices.reports if isinstance(move, Deal | Pick)]
    if not due:
        return None
    seat = due[0].to if isinstance(due[0], Deal) else due[0].from_
    named = [move for move in due if move.face != UNSEEN]
    face_down_move = next((move_json.write(move) for move in due if move.face == UNSEEN), "")
    drawn_from = isinstance(due[0], Pick)
    return DealtCardForm(
        seat=seat,
        own=seat == view.viewer,
        drawn_from=drawn_from,
        number=len(position.hands[seat]) + 1,
        hand_size=HAND_SIZE,
        values=() if drawn_from else _values(named),
        hand_cards=tuple(map(_card_move, named)) if drawn_from else (),
        face_down_move=face_down_move,
    )


def _values(moves: Sequence[HouseMove]) -> tuple[ReportableValue, ...]:
    """The cards that may be reported, grouped by value. The lowest value comes first."""

    def value(move: HouseMove) -> int:
        return VALUES[move.face]

    by_value = groupby(sorted(moves, key=value), value)
    return tuple(_value(number, tuple(map(_card_move, found))) for number, found in by_value)


def _value(number: int, cards: tuple[CardMove, ...]) -> ReportableValue:
    return ReportableValue(number, cards[0].card.rank, cards)


def _card_move(move: HouseMove) -> CardMove:
    return CardMove(card(move.face), move_json.write(move))
