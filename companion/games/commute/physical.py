"""Commute reads the table: what a sighting means, and what the table should look like.

Law: pure. A hand is held, not laid: only the referee's layout has the hands, so that the companion knows which cards
are not in the deck.

Where rule text and rulings are silent:

- A move is made with a piece and a card. A card laid on the discards says nothing by itself, nor does a piece that
  comes to rest, where several cards could have taken it there; both together do, whichever comes first. A piece alone
  is a move if one card of the hand, and no other, takes it there.
- A walk that ends where it began, and a piece that can't move, are told on the phone: the table looks as before.
- A piece has the colour of its house, so that nobody need remember either.
"""

from __future__ import annotations

from collections.abc import Mapping

from companion.games.commute.components import CARDS, card_thing, piece
from companion.games.commute.deck import UNSEEN
from companion.games.commute.mat import DISCARD, SHOW, UH_OH
from companion.games.commute.moves import Bump, Choose, Deal, Pick, Travel, UhOh
from companion.games.commute.position_types import Trade
from companion.games.commute.rules import State
from companion.games.rules import HOUSE, REFEREE, Move, Viewer
from companion.tabletop.layout import Layout
from companion.tabletop.observations import CardSeen, Observation


def meaning_of(state: State, observation: Observation) -> Move | None:
    """The move that an observation makes in this position, or None."""
    match observation:
        case CardSeen(thing=thing, zone="show" | "uh-oh" as zone, change="appeared" | "moved"):
            return _come(state, thing, zone)
        case CardSeen(thing=thing, zone=str() as zone, change="appeared" | "moved", lying=lying):
            if thing == _due(state) or (thing in CARDS and zone == DISCARD):
                return _meant(state, {**lying, thing: zone})
    return None


def dial(state: State) -> list[Choose]:
    """The answers to what an "Uh-Oh!" card asks, unless that is a card of a hand. Travelling needs a hand as well."""
    if state.question is None or state.question.asks == "card":
        return []
    return [move for move in state.legal_moves() if isinstance(move, Choose)]


def _come(state: State, thing: str, zone: str) -> Move | None:
    """The house's move that this card makes, if it can come now: "Uh-Oh!" cards are laid open, others only shown."""
    due = (move for move, _ in state.chances() if zone == (UH_OH if isinstance(move, UhOh) else SHOW))
    return next((move for move in due if card_thing(move.face) == thing), None)


def _due(state: State) -> str | None:
    """The piece that is to be moved now."""
    if state.turn is None or state.turn == HOUSE or state.question:
        return None
    seat = state.bump.target if state.bump else state.player
    return piece(state.board, seat, state.houses[seat])


def _meant(state: State, lying: Mapping[str, str | None]) -> Move | None:
    """The move that takes the piece from where the book has it to where it stands now, with the card that was laid
    for it if one was; None if it could be none or several."""
    due = _due(state)
    target = state.bump.target if state.bump else state.player
    there, laid = lying.get(due or ""), _laid(state, lying)
    if there is None or there == state.positions[target]:
        return None
    moves = [move for move in state.legal_moves() if isinstance(move, Travel | Bump) and move.to == there]
    meant = [move for move in moves if laid in (None, move.card)]
    return meant[0] if len(meant) == 1 else None


def _laid(state: State, lying: Mapping[str, str | None]) -> str | None:
    """The uppermost of the discards, if the book does not have it there: the card that was laid just now."""
    pile = [CARDS[thing] for thing, zone in lying.items() if zone == DISCARD and thing in CARDS]
    return pile[-1] if pile and pile[-1] not in state.discard else None


def thing_of(move: Move) -> str:
    """The printed card that a move names; one's own hand is no secret to oneself."""
    match move:
        case Deal(card=card) | Pick(card=card) | Travel(card=card) | Bump(card=card) if card != UNSEEN:
            return card_thing(card)
        case Choose(option=str() as card) if card_thing(card) in CARDS:
            return card_thing(card)
        case UhOh(card=card):
            return card_thing(card)
    return ""


def layout(state: State, viewer: Viewer) -> Layout:
    """Where each piece and card belongs, a pile's top first."""
    cards: dict[str, tuple[str, ...]] = {DISCARD: tuple(map(card_thing, reversed(state.discard)))}
    drawn = [card for card in state.cards if card not in state.uh_oh_deck and card != state.uh_oh]
    cards[UH_OH] = tuple(map(card_thing, [*([state.uh_oh] if state.uh_oh else []), *drawn]))
    for seat, space in enumerate(state.positions):
        cards[space] = (*cards.get(space, ()), piece(state.board, seat, state.houses[seat]))
    if viewer == REFEREE:
        held = (seat for seat in state.seats if seat != _drawn_from(state))
        cards |= {
            f"hand-{seat}": tuple(card_thing(card) for card in state.hands[seat] if card != UNSEEN) for seat in held
        }
    return Layout(cards)


def _drawn_from(state: State) -> int | None:
    """The seat of whose hand a random card is due: any of them may be shown, so they are in nobody's hand now."""
    match state.tasks[:1]:
        case (Trade(owner=owner, how="random"),):
            return owner
    return None
