"""Commute on a real table: the moves that people make with cards and pieces, and where each of these belongs.

Law: pure. Hands are held and not laid on the table: only the referee's layout contains them, so that the companion
knows which cards are not in the deck.

Where rule text and rulings are silent:

- A move is made with a piece and a card. Neither says enough by itself: a card on the discards does not say where the
  piece goes, and several cards may take a piece to the same space. Both together make the move, whichever comes first.
  A piece alone makes it if exactly one card of the hand takes it there.
- A walk that ends where it began, or a piece that can't move, is reported by phone: the table does not change.
- A piece has the color of its house, so that nobody has to remember either.
"""

from __future__ import annotations

from companion.games.commute.board_reader import boards
from companion.games.commute.chance import chances
from companion.games.commute.component_set import component_set_for
from companion.games.commute.components import CARDS, card_component, piece_component
from companion.games.commute.legality import legal_moves
from companion.games.commute.mat import DISCARD, SHOW, UH_OH
from companion.games.commute.moves import Bump, Choose, Deal, Pick, Travel, UhOh
from companion.games.commute.position import Position
from companion.games.commute.position_types import SwapTask
from companion.games.commute.setup import BOARD
from companion.games.commute.standard_deck import UNSEEN
from companion.games.commute.text import meters
from companion.games.game import PhysicalGame
from companion.games.rules import HOUSE, REFEREE, Move, Viewer
from companion.tabletop.copy_assignment import ZonesByCode
from companion.tabletop.layout import Layout
from companion.tabletop.observations import CardSeen, Observation
from companion.tabletop.tracked_table import SightingContext


def meaning_of(position: Position, observation: Observation, context: SightingContext) -> Move | None:
    """The move that people have made on the table, according to an observation; None if the observation is no move."""
    match observation:
        case CardSeen(code=component, zone="show" | "uh-oh" as zone, change="appeared" | "moved"):
            return _house_move_with_card(position, component, zone)
        case CardSeen(code=component, zone=str() as zone, change="appeared" | "moved"):
            if component == _piece_to_move(position) or (component in CARDS and zone == DISCARD):
                return _piece_move(position, context.zones)
    return None


def dial_moves(position: Position) -> list[Choose]:
    """The answers to the question of an "Uh-Oh!" card, for the dial; none if the answer is a card of a hand."""
    if position.question is None or position.question.kind == "card":
        return []
    return [move for move in legal_moves(position) if isinstance(move, Choose)]


def _house_move_with_card(position: Position, component: str, zone: str) -> Move | None:
    """The house move that people make with a card component in `zone`; None if no such move can come now. "Uh-Oh!"
    cards are laid on their pile; playing cards are only shown to the camera."""
    possible = (move for move, _ in chances(position) if zone == (UH_OH if isinstance(move, UhOh) else SHOW))
    return next((move for move in possible if card_component(move.face) == component), None)


def _piece_to_move(position: Position) -> str | None:
    """The component id of the piece that must move now; None if no piece must."""
    if position.turn is None or position.turn == HOUSE or position.question:
        return None
    seat = position.bump.target if position.bump else position.active_player
    return piece_component(position.board, seat, position.houses[seat])


def _piece_move(position: Position, zones: ZonesByCode) -> Move | None:
    """The move that takes the piece to the space where it stands on the table now. If a card was just discarded, the
    move uses that card. None unless exactly one legal move fits."""
    piece, card = _piece_to_move(position), _card_just_discarded(position, zones)
    target = position.bump.target if position.bump else position.active_player
    to = zones.get(piece or "")
    if to is None or to == position.locations[target]:
        return None
    moves = [move for move in legal_moves(position) if isinstance(move, Travel | Bump) and move.to == to]
    possible = [move for move in moves if card in (None, move.card)]
    return possible[0] if len(possible) == 1 else None


def _card_just_discarded(position: Position, zones: ZonesByCode) -> str | None:
    """The last card of the discard pile on the table; None if the position already has it among the discards."""
    pile = [CARDS[component] for component, zone in zones.items() if zone == DISCARD and component in CARDS]
    return pile[-1] if pile and pile[-1] not in position.discard else None


def component_of(move: Move) -> str:
    """The component id of the card that a move names; "" for none. The card may be in a hand, which is no secret to its
    holder."""
    match move:
        case Deal(card=card) | Pick(card=card) | Travel(card=card) | Bump(card=card) if card != UNSEEN:
            return card_component(card)
        case Choose(option=str() as card) if card_component(card) in CARDS:
            return card_component(card)
        case UhOh(card=card):
            return card_component(card)
    return ""


def layout(position: Position, viewer: Viewer) -> Layout:
    """Where each piece and card belongs in a position, the top card of a pile first. Only the layout of the referee
    contains hands."""
    cards: dict[str, tuple[str, ...]] = {DISCARD: tuple(map(card_component, reversed(position.discard)))}
    in_play = () if position.uh_oh is None else (position.uh_oh,)
    used = (card for card in position.uh_oh_cards if card not in position.uh_oh_deck and card != position.uh_oh)
    cards[UH_OH] = tuple(map(card_component, (*in_play, *used)))
    for seat, space in enumerate(position.locations):
        cards[space] = (*cards.get(space, ()), piece_component(position.board, seat, position.houses[seat]))
    if viewer == REFEREE:
        cards |= {f"hand-{seat}": _hand(position, seat) for seat in position.seats if seat != _picked_from(position)}
    return Layout(cards)


def _hand(position: Position, seat: int) -> tuple[str, ...]:
    """The component ids of the cards in a seat's hand whose faces are known."""
    return tuple(card_component(card) for card in position.hands[seat] if card != UNSEEN)


def _picked_from(position: Position) -> int | None:
    """The seat from whose hand a random card is picked next, if any. Any of its cards may be shown, so the layout
    expects none in its hand."""
    match position.tasks[:1]:
        case (SwapTask(owner=owner, selection="random"),):
            return owner
    return None


PHYSICAL: PhysicalGame[Position] = PhysicalGame(
    virtual_sources=("cards", "uh_oh"),
    meters=meters,
    dial_moves=dial_moves,
    components=component_set_for(boards()[BOARD.default]),
    meaning_of=meaning_of,
    component_of=component_of,
    layout=layout,
)
