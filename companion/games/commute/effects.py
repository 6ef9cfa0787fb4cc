"""The effects of moves: functions that deal and play cards and move pieces.

Law: pure; functions return the position afterwards. The legality of a move has been checked before.
"""

from __future__ import annotations

from companion.games.commute.moves import Bump, Choose, Deal, Pick, ReportedDeal, Travel, UhOh
from companion.games.commute.position import P
from companion.games.commute.position_parts import EffectTask, PendingBump, closed_lines
from companion.games.commute.position_updates import with_deck, with_hand, with_minutes_added, with_uh_oh
from companion.games.commute.possible_faces import after_face_down_deal, after_reveal
from companion.games.commute.reachability import is_stuck
from companion.games.commute.seat_order import seats_under_way
from companion.games.commute.suits_and_ranks import UNSEEN, VALUES
from companion.games.commute.uh_oh_resolution import add_swap_card, apply_answer, hand_without
from companion.games.rules import Move, Seat


def apply_move(position: P, move: Move) -> P:
    """The position right after a legal move, before `phases.advance` takes the automatic steps that follow."""
    match move:
        case Travel(seat=seat, card=card) | Bump(seat=seat, card=card):
            return _play_card(with_piece_moved(position, move), seat, card)
        case Choose(option=option):
            return apply_answer(position, option)
        case ReportedDeal(to=to, card=card):
            return _deal(_hide_in_hands(position, card), to, card)
        case Deal(to=to, card=card):
            return _deal(position, to, card)
        case Pick(card=card):
            return add_swap_card(position, card)
        case UhOh(to=to, card=card):
            return _draw_uh_oh(position, to, card)
    raise AssertionError(f"{move} is not a move of Commute")


def with_piece_moved(position: P, move: Travel | Bump) -> P:
    """The position after a piece moves as a legal move says, without the card that the move plays."""
    match move:
        case Travel(seat=seat, card=card, to=to):
            return _move_piece(with_minutes_added(position, seat, VALUES[card]).replace(stage="cascade"), seat, to)
        case Bump(to=to):
            assert position.bump
            return _move_piece(position.replace(bump=None), position.bump.target, to)


def _deal(position: P, seat: Seat, card: str) -> P:
    """The position after a seat is dealt `card`, which is "?" if nobody has reported its face."""
    after = with_hand(_without_fixed_draw(position, card), seat, (*position.hands[seat], card))
    return after_face_down_deal(after, seat) if card == UNSEEN else after


def _play_card(position: P, seat: Seat, card: str) -> P:
    """The position after a seat plays a card, which goes to the discards. If the card is not among the known cards of
    the hand, one of the hand's "?" cards turns out to be this card."""
    hand = position.hands[seat]
    if card in hand:
        after = with_hand(position, seat, hand_without(hand, card))
    else:
        revealed = after_reveal(_hide_in_hands(position, card), seat, card)
        after = _without_fixed_draw(with_hand(revealed, seat, hand_without(hand, UNSEEN)), card)
    return with_deck(after, discard=(*position.deck.discard, card))


def _without_fixed_draw(position: P, card: str) -> P:
    """The position after a card is removed from the draws that the set-up prescribes. If the card is "?", the first
    prescribed draw is removed."""
    draws = position.deck.fixed_draws
    if not draws:
        return position
    left = draws[1:] if card == UNSEEN else tuple(other for other in draws if other != card)
    return with_deck(position, fixed_draws=left)


def _hide_in_hands(position: P, card: str) -> P:
    """The position after `card` was seen on the table although it is recorded in a hand. The record was wrong, so the
    card in that hand becomes "?". Unchanged if `card` is not recorded in any hand."""
    for seat in position.seats:
        if card in position.hands[seat]:
            hand = tuple(UNSEEN if other == card else other for other in position.hands[seat])
            return with_hand(position, Seat(seat), hand)
    return position


def _move_piece(position: P, seat: Seat, to: str) -> P:
    """The position after a piece moves to a space, which may be its goal. A piece that can't move at all stays and does
    not land."""
    goal = position.goal(seat)
    if is_stuck(position.board, goal, frozenset(closed_lines(position.closures)), position.locations[seat]):
        return position
    after = position.replace(locations=(*position.locations[:seat], to, *position.locations[seat + 1 :]))
    if to == goal:
        return after.replace(arrived=(*position.arrived[:seat], True, *position.arrived[seat + 1 :]))
    return _land(after, seat, to)


def _land(position: P, seat: Seat, to: str) -> P:
    """The position after a piece lands on a space. The space's minutes are added. On an "Uh-Oh!" space, the seat joins
    the queue for a card. If another piece stands on the space, a bump is due."""
    space = position.board.spaces[to]
    under_way = seats_under_way(position)
    occupant = next((other for other in under_way if other != seat and position.locations[other] == to), None)
    bump = None if occupant is None else PendingBump(seat, occupant)
    landed = with_minutes_added(position, seat, space.minutes).replace(bump=bump)
    return with_uh_oh(landed, queue=(*position.uh_oh.queue, seat)) if space.kind == "uh_oh" else landed


def _draw_uh_oh(position: P, seat: Seat, card: str) -> P:
    """The position after a seat draws an "Uh-Oh!" card. The card's effect becomes the only task."""
    return with_uh_oh(
        position,
        card=card,
        deck=position.uh_oh.deck - {card},
        drawn=(card, *position.uh_oh.drawn),
        fixed_draws=tuple(other for other in position.uh_oh.fixed_draws if other != card),
        queue=position.uh_oh.queue[1:],
        tasks=(EffectTask(seat, position.uh_oh_cards[card].effect),),
    )
