"""What moves do: specifications, plays, discards, abilities, cards off the deck.

Law: pure; each takes a position and makes the one after. What is legal has been judged before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from companion.games.rules import HouseMove, Move, Seat
from companion.games.system_won import turn_order
from companion.games.system_won.catalog import HIGHEST
from companion.games.system_won.hidden_cards import as_said, believed
from companion.games.system_won.knowledge import UNKNOWN, Held
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
    SeatMove,
    ShuffleBack,
    Skip,
    Specify,
    SpecifyTwo,
    Undo,
)

if TYPE_CHECKING:
    from companion.games.system_won.rules import State


def carry_out(state: State, move: Move) -> State:
    """The position after a legal move."""
    if isinstance(move, HouseMove):
        return turn_order.settle(_house(state, move))
    assert isinstance(move, SeatMove)
    base = believed(state, move.seat, move)
    after = as_said(base, move) if base else None
    assert base
    assert after
    if isinstance(move, Ability):
        after = after.but(used=(*after.used, _role_of(state, move.seat)))
    if move.ANY_TIME:
        return _between_turns(after, move)
    return turn_order.settle(_turn(after.but(acted=True, drawn=(), past=_kept(base)), move))


def _role_of(state: State, seat: Seat) -> str:
    role = state.roles[seat] if state.roles else None
    assert role
    return role


def _kept(state: State) -> State | None:
    """The position that an undo comes back to, if somebody may still undo."""
    holder = state.cards.role_with(Undo.use)
    if not state.roles or not holder or holder.id not in state.roles or holder.id in state.used:
        return None
    return state.but(past=None)


# Turns ------------------------------------------------------------------------------------------------


def _turn(state: State, move: Move) -> State:
    match move:
        case Specify():
            return state.but(specifications=state.specifications - 1)
        case Discard(seat=seat, slot=slot):
            after, face = _take(state, seat, slot)
            return _draw(_restore(after.but(discard=(*after.discard, face))), seat, 1)
        case Play(seat=seat, slot=slot):
            return _draw(_play(state, seat, slot), seat, 1)
        case PlayTwo(seat=seat, slots=slots):
            return _draw(_play_two(state, seat, slots), seat, len(slots))
        case PlayFromDiscard(card=card):
            return _lay(state.but(discard=_without(state.discard, card)), card)
        case PlayFromErrors(card=card):
            return _lay(state.but(errors=_without(state.errors, card)), card)
        case Recycle():
            return state.but(recycling=True)
        case SpecifyTwo():
            return state
    raise AssertionError(f"{move} is no turn of System WON")


def _take(state: State, seat: Seat, slot: int) -> tuple[State, str]:
    """A hand's card, and the position without it: "taking a card closes the gap"."""
    hand = state.hands[seat]
    return state.with_hand(seat, (*hand[:slot], *hand[slot + 1 :])), hand[slot].face


def _play(state: State, seat: Seat, slot: int) -> State:
    after, face = _take(state, seat, slot)
    return _lay(after, face)


def _play_two(state: State, seat: Seat, slots: Sequence[int]) -> State:
    """Both slots were named before the first was played; the game may end with the first."""
    first, second = slots
    after = _play(state, seat, first)
    return after if after.over else _play(after, seat, second - (second > first))


def _lay(state: State, face: str) -> State:
    """ "The card either begins, adds to or completes a system …" or "is then placed in the SYSTEM ERROR pile"."""
    card = state.cards.cards[face]
    if state.systems[card.suit] + 1 != card.rank:
        return state.but(errors=(*state.errors, face))
    systems = (*state.systems[: card.suit], card.rank, *state.systems[card.suit + 1 :])
    after = state.but(systems=systems)
    if card.rank == HIGHEST:
        after = _restore(after)
    return turn_order.finish(after) if min(systems) == HIGHEST else after


def _restore(state: State) -> State:
    """ "Flips a SPECIFICATION card right side up", if one is down."""
    return state.but(specifications=min(state.specifications + 1, state.cards.specifications))


def _draw(state: State, seat: Seat, count: int) -> State:
    """ "Then takes a new card from the deck without looking at it", if there is one."""
    return state if state.over else state.but(dealing=(seat,) * min(count, state.deck))


def _without(pile: tuple[str, ...], face: str) -> tuple[str, ...]:
    """The pile without the oldest copy of a card."""
    place = pile.index(face)
    return (*pile[:place], *pile[place + 1 :])


# Between turns ----------------------------------------------------------------------------------------


def _between_turns(state: State, move: Move) -> State:
    match move:
        case Arrange(seat=seat, order=order):
            return state.with_hand(seat, tuple(state.hands[seat][slot] for slot in order))
        case Restore():
            return _restore(state)
        case ExtraTurn(target=target):
            return state.but(extra=(*state.extra, target))
        case Skip(count=count):
            return state.but(skip=state.skip + count)
        case PlayOther(target=target, slot=slot):
            return _draw(_play(state, target, slot), target, 1)
        case Undo():
            return _undo(state)
    raise AssertionError(f"{move} is made on a turn")


def _undo(state: State) -> State:
    """The position before the last turn's move; what that turn drew lies on the deck, and no role is unused again."""
    past = state.past
    assert past
    for face in state.drawn:
        past = past if face == UNKNOWN else past.seen_face(face)
    return past.but(top=state.drawn, used=state.used, dealt=state.dealt)


# The house --------------------------------------------------------------------------------------------


def _house(state: State, move: HouseMove) -> State:
    match move:
        case Deal(to=to, card=card):
            return _deal(state, to, card)
        case DealRole(to=to, role=role):
            assert state.roles
            return state.but(roles=(*state.roles[:to], role, *state.roles[to + 1 :]))
        case ShuffleBack(cards=cards):
            return _shuffle_back(state, cards)
    raise AssertionError(f"{move} is no move of the house")


def _deal(state: State, to: Seat, face: str) -> State:
    """A card off the deck; one that was put back is known even if it is drawn unseen."""
    if state.top and state.top[0] != UNKNOWN:
        face = state.top[0]
    elif face == UNKNOWN:
        state = state.but(unknown=state.unknown + 1)
    else:
        state = state.seen_face(face)
    after = state.with_hand(
        to,
        (*state.hands[to], Held(face, number=state.dealt)),
        deck=state.deck - 1,
        top=state.top[1:],
        dealing=state.dealing[1:],
        dealt=state.dealt + 1,
        drawn=(*state.drawn, face) if state.acted else state.drawn,
    )
    return turn_order.count_down(after)


def _shuffle_back(state: State, cards: Sequence[str]) -> State:
    """What lay on top of the deck is somewhere in it now."""
    discard = state.discard
    for face in cards:
        discard = _without(discard, face)
    after = state.unseen_again(*cards, *(face for face in state.top if face != UNKNOWN))
    return after.but(discard=discard, deck=state.deck + len(cards), top=(), recycling=False)
