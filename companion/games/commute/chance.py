"""The chance moves of Commute: which cards the house may deal, draw or pick in a position.

Law: pure. A position does not contain the order of a deck, except for the draws that a set-up prescribes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

from companion.games.commute.moves import Deal, Pick, ReportedDeal, UhOh, UhOhId
from companion.games.commute.position import Position
from companion.games.commute.position_parts import ALL_CARDS, SwapTask
from companion.games.commute.seat_order import seats_in_turn_order
from companion.games.commute.suits_and_ranks import DECK, HAND_SIZE, UNSEEN, Face
from companion.games.pending_chance_move import PendingChanceMove
from companion.games.rules import HOUSE, HouseMove, Seat
from companion.text.messages import PlayerName, Text, _


def next_chance_move(position: Position) -> PendingChanceMove | None:
    """The move that the house must make next, with all possible faces. None if a seat must act or the game is over."""
    if position.turn != HOUSE:
        return None
    if (seat := card_recipient(position)) is not None:
        return PendingChanceMove(_deal_description(seat), _deal, seat, _deal_weights(position))
    match position.uh_oh.tasks[:1]:
        case (SwapTask(owner=owner),):
            words = _("a random card of {name}’s hand", name=PlayerName(owner))
            return PendingChanceMove(words, _pick, owner, Counter(position.hands[owner]))
    seat = position.uh_oh.queue[0]
    return PendingChanceMove(
        _("an “Uh-Oh!” card for {name}", name=PlayerName(seat)), _uh_oh, seat, _uh_oh_weights(position)
    )


def private_reports(position: Position, seat: Seat) -> Iterator[HouseMove]:
    """Yields the house moves that a seat may report by phone when people deal by hand.

    If the seat is to be dealt a card, it may report any card of the last shuffle that is neither in its hand nor among
    the discards. If a random card is to be picked from the seat's hand for a swap, it may report any card of this hand.
    """
    if (due := next_chance_move(position)) is None or due.seat != seat:
        return
    if card_recipient(position) == seat:
        possible = position.deck.last_shuffle.difference(position.hands[seat], position.deck.discard)
        yield from (_reported_deal(seat, card) for card in DECK if card in possible)
    elif position.uh_oh.tasks:
        yield from (due.create_move(seat, face) for face in due.faces)


def chances(position: Position) -> Iterator[tuple[HouseMove, int]]:
    """Yields each house move that can come next, with its weight."""
    if due := next_chance_move(position):
        yield from due.chances()


def card_recipient(position: Position) -> Seat | None:
    """The seat to which the next playing card must be dealt. None if no card is due."""
    match position.stage:
        case "deal":  # each player is dealt three cards, seat 0's hand first
            return _seat_to_fill_up(position, map(Seat, position.seats))
        case "replenish":
            return _seat_to_fill_up(position, seats_in_turn_order(position))
        case "cascade" if position.bump and not position.hands[position.bump.seat]:
            return position.bump.seat
    return None


def unidentified_cards(position: Position) -> frozenset[str]:
    """The faces that are neither among the discards nor known to be in a hand. The cards with these faces are in the
    deck, or are "?" in a hand."""
    return ALL_CARDS.difference(position.deck.discard, *position.hands)


def _seat_to_fill_up(position: Position, seats: Iterable[Seat]) -> Seat | None:
    """The first of `seats` whose hand is not full. None if all hands are full."""
    for seat in seats:
        if len(position.hands[seat]) < HAND_SIZE:
            return seat
    return None


def _deal_weights(position: Position) -> dict[str, int]:
    """The weight of each face that may be dealt next. If the set-up prescribes the next card, that card has weight 1
    and all others have weight 0. Otherwise, all cards in the deck have the same weight. "?" always has weight 0. Faces
    with weight 0 are dealt only if people deal."""
    fixed, possible = position.deck.fixed_draws[:1], unidentified_cards(position)
    weights: dict[str, int] = dict.fromkeys(filter(possible.__contains__, DECK), int(not fixed))
    return weights | dict.fromkeys(possible.intersection(fixed), 1) | {UNSEEN: 0}


def _uh_oh_weights(position: Position) -> dict[str, int]:
    """The weight of each "Uh-Oh!" card that may be drawn next. If the set-up prescribes the next card, all others have
    weight 0. Otherwise, all cards in the deck have the same weight."""
    fixed = position.uh_oh.fixed_draws[:1]
    return {card: int(not fixed or card in fixed) for card in sorted(position.uh_oh.deck)}


# Moves and their descriptions are cached: there are few of them, and they are immutable.


@lru_cache
def _deal_description(seat: Seat) -> Text:
    return _("a card for {name}", name=PlayerName(seat))


@lru_cache(maxsize=1024)
def _deal(seat: Seat, face: str) -> Deal:
    return Deal(to=seat, card=Face(face))


@lru_cache(maxsize=1024)
def _reported_deal(seat: Seat, face: str) -> Deal:
    return ReportedDeal(to=seat, card=Face(face))


@lru_cache(maxsize=1024)
def _pick(seat: Seat, face: str) -> Pick:
    return Pick(from_=seat, card=Face(face))


@lru_cache(maxsize=1024)
def _uh_oh(seat: Seat, face: str) -> UhOh:
    return UhOh(to=seat, card=UhOhId(face))
