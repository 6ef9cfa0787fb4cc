"""The effects of moves.

Law: pure. Each function takes a position and returns the position afterwards. `legality` has already checked the move.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from companion.games.rules import UNSEEN, HouseMove, Move, Seat, SeatMove
from companion.games.system_won import phases
from companion.games.system_won.card_knowledge import Hand, HandCard
from companion.games.system_won.catalog import HIGHEST_RANK, catalog
from companion.games.system_won.moves import (
    Ability,
    Arrange,
    Deal,
    DealRole,
    Discard,
    ExtraTurn,
    Play,
    PlayFromDiscard,
    PlayFromErrors,
    PlayOther,
    PlayTwo,
    Recycle,
    Restore,
    ShuffleBack,
    Skip,
    Specify,
    SpecifyTwo,
    Undo,
)
from companion.games.system_won.position import P, Position, without_copy
from companion.games.system_won.unseen_card_statement_rules import consistent_position, with_statement


def apply_move(position: P, move: Move) -> P:
    """The position after a legal move."""
    if isinstance(move, HouseMove):
        return phases.advance(_apply_house_move(position, move))
    assert isinstance(move, SeatMove)
    before = consistent_position(position, move.seat, move)
    after = with_statement(before, move) if before else None
    assert before
    assert after
    if isinstance(move, Ability):
        after = after.replace(used_roles=(*after.used_roles, _role_of(position, move.seat)))
    if move.ANY_TIME:
        return _apply_between_turns(after, move)
    started = after.replace(has_moved=True, last_drawn=(), undo_position=_undo_position(before))
    return phases.advance(_apply_turn(started, move))


def _role_of(position: Position, seat: Seat) -> str:
    """The role of a seat that uses an ability."""
    role = position.roles[seat] if position.roles else None
    assert role
    return role


def _undo_position(position: P) -> P | None:
    """The position that is stored for `Undo`: `position` without its own `undo_position`. None if no seat can undo a
    turn any more."""
    holder = catalog().role_by_ability.get(Undo.use)
    if not position.roles or not holder or holder.id not in position.roles or holder.id in position.used_roles:
        return None
    return position.replace(undo_position=None)


def _apply_turn(position: P, move: Move) -> P:
    """The position after a move that takes the player's turn, before the player draws."""
    match move:
        case Specify():
            return position.replace(specifications=position.specifications - 1)
        case Discard(seat=seat, slot=slot):
            hand, face = _take_out(position.hands[seat], slot)
            return position.with_hand(
                seat,
                hand,
                discard=(*position.discard, face),
                specifications=_restored_specifications(position),
                pending_draws=_draws(position, seat, 1),
            )
        case Play(seat=seat, slot=slot):
            return _play_slot(position, seat, slot, pending_draws=_draws(position, seat, 1))
        case PlayTwo(seat=seat, slots=slots):
            return _play_two(position, seat, slots)
        case PlayFromDiscard(card=card):
            return _play_card(position.replace(discard=_without_oldest(position.discard, card)), card)
        case PlayFromErrors(card=card):
            return _play_card(position.replace(errors=_without_oldest(position.errors, card)), card)
        case Recycle():
            return position.replace(is_recycling=True)
        case SpecifyTwo():
            return position
    raise AssertionError(f"{move} does not take a turn in System WON")


def _take_out(hand: Hand, slot: int) -> tuple[Hand, str]:
    """A pair: the hand after a card has been taken out of a slot, and the face of this card. Newer cards move up."""
    return (*hand[:slot], *hand[slot + 1 :]), hand[slot].face


def _play_slot(position: P, seat: Seat, slot: int, **changes: Any) -> P:
    """The position after the card in a slot of a seat's hand has been played. `changes`: values for other fields,
    before the card is played."""
    hand, face = _take_out(position.hands[seat], slot)
    return _play_card(position.with_hand(seat, hand, **changes), face)


def _play_two(position: P, seat: Seat, slots: Sequence[int]) -> P:
    """The position after two cards of a hand have been played. Both slots refer to the hand before the first card is
    played. If the first card ends the game, the second is not played."""
    first, second = slots
    after = _play_slot(position, seat, first, pending_draws=_draws(position, seat, len(slots)))
    return after if after.is_over else _play_slot(after, seat, second - (second > first))


def _play_card(position: P, face: str) -> P:
    """The position after a card has been played. The card joins its suit's system if it is the next card there.
    Otherwise it goes to the error pile.

    Completing a system turns a specification card face up. Completing the last system ends the game.
    """
    card = catalog().cards[face]
    if not position.is_next(card):
        return position.replace(errors=(*position.errors, face))
    systems = (*position.systems[: card.suit], card.rank, *position.systems[card.suit + 1 :])
    after = position.replace(systems=systems)
    if card.rank == HIGHEST_RANK:
        after = after.replace(specifications=_restored_specifications(after))
    return phases.end_game(after) if min(systems) == HIGHEST_RANK else after


def _restored_specifications(position: Position) -> int:
    """The number of specification cards that are face up after one more has been turned up, if any is face down."""
    return min(position.specifications + 1, catalog().specifications)


def _draws(position: Position, seat: Seat, count: int) -> tuple[Seat, ...]:
    """The pending draws if `seat` must draw `count` cards, or all cards of the deck if it has fewer."""
    return (seat,) * min(count, position.deck_size)


def _without_oldest(pile: tuple[str, ...], face: str) -> tuple[str, ...]:
    """The pile without its oldest copy of `face`."""
    index = pile.index(face)
    return (*pile[:index], *pile[index + 1 :])


def _apply_between_turns(position: P, move: Move) -> P:
    """The position after a move that may be made at any time and does not take a turn."""
    match move:
        case Arrange(seat=seat, order=order):
            return position.with_hand(seat, tuple(position.hands[seat][slot] for slot in order))
        case Restore():
            return position.replace(specifications=_restored_specifications(position))
        case ExtraTurn(target=target):
            extra_turns = (*position.upcoming_turns.extra_turns, target)
            return position.replace(upcoming_turns=position.upcoming_turns.replace(extra_turns=extra_turns))
        case Skip(count=count):
            skip_count = position.upcoming_turns.skip_count + count
            return position.replace(upcoming_turns=position.upcoming_turns.replace(skip_count=skip_count))
        case PlayOther(target=target, slot=slot):
            return _play_slot(position, target, slot, pending_draws=_draws(position, target, 1))
        case Undo():
            return position.without_last_turn()
    raise AssertionError(f"{move} is made on a turn")


def _apply_house_move(position: P, move: HouseMove) -> P:
    """The position after the house has dealt a card or a role, or has shuffled discards back into the deck."""
    match move:
        case Deal(to=to, card=card):
            return _deal(position, to, card)
        case DealRole(to=to, role=role):
            assert position.roles
            return position.replace(roles=(*position.roles[:to], role, *position.roles[to + 1 :]))
        case ShuffleBack(cards=cards):
            return _shuffle_back(position, cards)
    raise AssertionError(f"{move} is not a move of the house")


def _deal(position: P, to: Seat, face: str) -> P:
    """The position after a card has been dealt to the seat `to`. A known card that an undo put back on the deck keeps
    its face, even if nobody sees it when it is drawn again."""
    unseen, copies = position.unseen_in_hands, position.unseen_copies
    if position.deck_top and position.deck_top[0] != UNSEEN:
        face = position.deck_top[0]
    elif face == UNSEEN:
        unseen += 1
    else:
        copies = without_copy(copies, face)
    after = position.with_hand(
        to,
        (*position.hands[to], HandCard(face, deal_number=position.deal_count)),
        unseen_in_hands=unseen,
        unseen_copies=copies,
        deck_size=position.deck_size - 1,
        deck_top=position.deck_top[1:],
        pending_draws=position.pending_draws[1:],
        deal_count=position.deal_count + 1,
        last_drawn=(*position.last_drawn, face) if position.has_moved else position.last_drawn,
    )
    return phases.start_last_round(after)


def _shuffle_back(position: P, cards: Sequence[str]) -> P:
    """The position after `cards` have been taken from the discard pile and shuffled into the deck. The cards that were
    known to be on top of the deck may then be anywhere in the deck."""
    discard = position.discard
    for face in cards:
        discard = _without_oldest(discard, face)
    return position.with_copies_unseen(
        *cards,
        *(face for face in position.deck_top if face != UNSEEN),
        discard=discard,
        deck_size=position.deck_size + len(cards),
        deck_top=(),
        is_recycling=False,
    )
