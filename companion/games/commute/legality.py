"""What the rules of Commute allow.

Law: pure. `playable`, `destinations` and the open question say what is legal; `refusal` and `legal_moves` both ask
them. A refusal tells a seat nothing but what it may know.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from companion.games.commute.chance import awaited, tells
from companion.games.commute.deck import DECK, UNSEEN, VALUES, CardId
from companion.games.commute.hidden_cards import possible
from companion.games.commute.labels import card_name
from companion.games.commute.moves import Bump, Choose, OptionId, SpaceId, Travel
from companion.games.commute.position_types import Question
from companion.games.rules import HOUSE, HouseMove, Move, Seat
from companion.text.player_names import seat_name
from companion.text.translation import _

if TYPE_CHECKING:
    from companion.games.commute.rules import State


def playable(state: State, seat: Seat) -> tuple[str, ...]:
    """The faces that a seat may play. A "?" may be any that its holder can't rule out."""
    hand = state.hands[seat]
    if UNSEEN not in hand:
        return hand
    faces = possible(state, seat).union(hand)
    return tuple(card for card in DECK if card in faces)


def destinations(state: State, target: Seat, card: str) -> tuple[str, ...]:
    """Where a card takes a piece."""
    return state.walks(target)[VALUES[card] - 1]


def legal_moves(state: State) -> Iterator[Move]:
    """Every legal move of the seat that must act, each once."""
    if (seat := state.turn) is None or seat == HOUSE:
        return
    if question := state.question:
        yield from (_choose(seat, option) for option in question.options)
        return
    make, target = (_bumps, state.bump.target) if state.bump else (_travels, seat)
    reach = state.walks(target)
    for card in playable(state, seat):
        yield from make(seat, card, reach[VALUES[card] - 1])


# Moves are made once: there are few, and they never change.


@lru_cache(maxsize=65536)
def _travels(seat: Seat, card: str, spaces: tuple[str, ...]) -> tuple[Move, ...]:
    return tuple(Travel(seat=seat, card=CardId(card), to=SpaceId(space)) for space in spaces)


@lru_cache(maxsize=65536)
def _bumps(seat: Seat, card: str, spaces: tuple[str, ...]) -> tuple[Move, ...]:
    return tuple(Bump(seat=seat, card=CardId(card), to=SpaceId(space)) for space in spaces)


@lru_cache(maxsize=1024)
def _choose(seat: Seat, option: int | str) -> Move:
    return Choose(seat=seat, option=option if isinstance(option, int) else OptionId(option))


# Why not ----------------------------------------------------------------------------------------------


def refusal(state: State, move: Move) -> str | None:
    """Why the rules don't allow a move whose turn it is, or None if they do."""
    if isinstance(move, HouseMove):
        return _refuse_house(state, move)
    question = state.question
    match move:
        case Choose(option=option):
            if question is None:
                return _("Nothing is asked now: {due}.", due=_due(state))
            return None if option in question.options else _("You may choose {options}.", options=_listed(question))
        case _ if question:
            return _("Answer the “Uh-Oh!” card first. You may choose {options}.", options=_listed(question))
        case Travel(seat=seat, card=card, to=to) if not state.bump:
            return _refuse_card(state, seat, seat, card, to)
        case Bump(seat=seat, card=card, to=to) if state.bump:
            return _refuse_card(state, seat, state.bump.target, card, to)
    return _("That can't be done now: {due}.", due=_due(state))


def _due(state: State) -> str:
    if state.bump:
        by, target = map(seat_name, (state.bump.seat, state.bump.target))
        return _("{name} must send {target} on with a card", name=by, target=target)
    return _("{name} must travel with a card", name=seat_name(state.player))


def _listed(question: Question) -> str:
    """The answers, players by their names."""
    whom = question.asks in ("partner", "skip")
    return ", ".join(seat_name(int(option)) if whom else str(option) for option in question.options)


def _refuse_card(state: State, seat: Seat, target: Seat, card: str, to: str) -> str | None:
    cards = playable(state, seat)
    if card not in cards:
        return _not_held(card, cards if UNSEEN not in state.hands[seat] else ())
    spaces = destinations(state, target, card)
    if to in spaces:
        return None
    reached, name = ", ".join(spaces), card_name(card)
    if seat == target:
        return _("The {card} does not take you to {space}; it reaches {spaces}.", card=name, space=to, spaces=reached)
    return _(
        "The {card} does not take {name} to {space}; it reaches {spaces}.",
        card=name,
        name=seat_name(target),
        space=to,
        spaces=reached,
    )


def _not_held(card: str, cards: tuple[str, ...]) -> str:
    """`cards`: those that may be played, none where the hand holds some that nobody has reported."""
    if not cards:
        return _("You don't hold the {card}; you may play cards that it can be.", card=card_name(card))
    held = ", ".join(map(card_name, cards))
    return _("You don't hold the {card}; you may play {cards}.", card=card_name(card), cards=held)


def _refuse_house(state: State, move: HouseMove) -> str | None:
    due = awaited(state)
    if due is None or (due.to is not None and move in tells(state, due.to)):
        return None
    return due.refusal(move)
