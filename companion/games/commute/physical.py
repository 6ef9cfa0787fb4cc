"""Commute on a real table: which moves people make with cards and pieces, and where each card and piece belongs.

Law: pure. Players hold their hands, so only the referee's layout contains them. They tell the companion which cards are
not in the deck.

Interpretations where the rule text is silent:

- A move is made by moving a piece and a card in the same turn, in either order. Neither is enough by itself: a card on
  the discards does not say where the piece goes, and a piece that is put one space too far would mean another card of
  the hidden hand. Without printed cards, the player chooses the card on the phone.
- Cards of other hands that are put on the discards too early don't count. Players may put down both cards of a bump
  before they move a piece. If both would take the piece to its new space, the first one does.
- A walk that ends where it began, or a move of a piece that can't move, is made by phone, because the piece stays where
  it is.
- Each player's piece has the color of the player's house. The rules only ask players to remember both.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Self

from companion.games.commute.board_reader import boards
from companion.games.commute.chance import chances
from companion.games.commute.component_set import component_set_for
from companion.games.commute.components import CARDS, all_components, card_component, piece_component
from companion.games.commute.display_names import card_name
from companion.games.commute.legality import legal_moves, walk_ends_of
from companion.games.commute.mat import DISCARD, SHOW, UH_OH
from companion.games.commute.moves import Bump, Choose, Deal, Pick, Travel, UhOh
from companion.games.commute.position import Position
from companion.games.commute.position_parts import SwapTask
from companion.games.commute.setup import BOARD
from companion.games.commute.suits_and_ranks import UNSEEN, VALUES
from companion.games.commute.text import meters
from companion.games.game import PhysicalGame
from companion.games.rules import HOUSE, REFEREE, Move, Seat, Viewer
from companion.tabletop.begun_move import BegunMove
from companion.tabletop.copy_assignment import ZonesByCode
from companion.tabletop.expected_layout import Layout
from companion.tabletop.observations import CardSeen, Observation
from companion.tabletop.sighting_context import SightingContext
from companion.tabletop.tracked_table import TrackedTable
from companion.text.messages import PlayerName, _


def meaning_of(position: Position, observation: Observation, context: SightingContext) -> Move | None:
    """The move that people have made on the table, according to an observation. None if the observation does not mean a
    move."""
    match observation:
        case CardSeen(code=component, zone="show" | "uh-oh" as zone, change="appeared" | "moved"):
            return _house_move_with_card(position, component, zone)
        case CardSeen(code=component, zone=str() as zone, change="appeared" | "moved"):
            if component == _piece_to_move(position) or (component in CARDS and zone == DISCARD):
                return _move_of_piece_and_card(position, context)
    return None


def candidate_moves(position: Position, seen: CardSeen, context: SightingContext) -> Iterator[Travel | Bump]:
    """Yields the moves that people may have begun by moving a piece: one for each card of the hand that can take the
    piece to its new space. The phone of the player who must move offers these moves. Yields nothing once a card has
    been put on the discards."""
    table = _PieceAndCard.on_table(position, context.zones, context.put_down)
    if table and seen.code == table.piece and table.to and not table.cards:
        yield from _moves_to(position, table.to)


def begun_move(position: Position, table: TrackedTable) -> BegunMove | None:
    """The move that people have begun. None if there is none. A move is begun in one of two ways. Either a card has
    been put on the discards, but the piece is not yet on a space to which this card can take it. Or the piece has been
    moved to a space that it can reach with some card, but no card has been put on the discards."""
    found = _PieceAndCard.on_table(position, table.context().zones, table.put_down_in(position.turn))
    if found is None:
        return None
    ends = walk_ends_of(position, found.target)
    seat, piece = int(position.turn or 0), _(_component_names()[found.piece])
    name, codes = PlayerName(seat), frozenset({found.piece, *map(card_component, found.cards)})
    fitting = [card for card in found.cards if found.to in ends[VALUES[card] - 1]]
    if found.cards and found.cards[-1] not in fitting:
        step = _("{name}: now move {piece}, or pick up the {card} again.")
        if found.to:
            step = _("{name}: the {card} does not take {piece} there. Move it on, or pick up the {card} again.")
        return BegunMove(seat, codes, step.with_values(name=name, piece=piece, card=card_name(found.cards[-1])))
    if found.to and not found.cards and any(found.to in reached for reached in ends):
        step = _(
            "{name}: now put the card on the discards or choose it on the phone, or put {piece} back.",
            name=name,
            piece=piece,
        )
        return BegunMove(seat, frozenset({found.piece}), step)
    return None


def follow_up(position: Position, context: SightingContext) -> Move | None:
    """The bump for which a piece and a card were moved before the move that made it necessary. None if there is no such
    bump."""
    return _move_of_piece_and_card(position, context) if position.bump else None


def dial_moves(position: Position) -> list[Choose]:
    """The moves on the dial: the answers to the question of an "Uh-Oh!" card. Empty if the question asks for a card of
    a hand, because everyone sees the dial."""
    if position.question is None or position.question.kind == "card":
        return []
    return [move for move in legal_moves(position) if isinstance(move, Choose)]


def _house_move_with_card(position: Position, component: str, zone: str) -> Move | None:
    """The house move that people make with a card component in `zone`. None if no such move can come now. "Uh-Oh!"
    cards are put on their pile. Playing cards are only shown to the camera."""
    possible = (move for move, _ in chances(position) if zone == (UH_OH if isinstance(move, UhOh) else SHOW))
    return next((move for move in possible if card_component(move.face) == component), None)


def _piece_to_move(position: Position) -> str | None:
    """The component id of the piece that must move now. None if no piece must move."""
    if position.turn is None or position.turn == HOUSE or position.question:
        return None
    seat = position.bump.target if position.bump else position.active_player
    return piece_component(position.board, seat, position.houses[seat])


@dataclass(frozen=True)
class _PieceAndCard:
    """What the table shows of the move that must be made. `piece` is the piece that must move, and `target` is its
    player's seat. `to`: the space to which the piece was moved in this turn; None if it was not moved. `bumps`: whether
    another piece is there. `cards`: the cards that were put on the discards in this turn, in this order."""

    piece: str
    target: Seat
    to: str | None
    bumps: bool
    cards: tuple[str, ...]

    @classmethod
    def on_table(cls, position: Position, zones: ZonesByCode, put_down: Collection[str]) -> Self | None:
        """The piece and the card as they lie on the table. None if no piece must move now. `zones` maps each component
        that the camera sees to its zone. `put_down` contains the components that were put down in this turn."""
        piece = _piece_to_move(position)
        if piece is None:
            return None
        target = position.bump.target if position.bump else position.active_player
        to = zones.get(piece) if piece in put_down else None
        is_moved = to in position.board.spaces and to != position.locations[target]
        laid = [CARDS[code] for code, zone in zones.items() if zone == DISCARD and code in CARDS and code in put_down]
        cards = tuple(card for card in laid if card not in position.deck.discard)
        return cls(piece, target, to if is_moved else None, to in position.locations and position.bump is None, cards)


def _move_of_piece_and_card(position: Position, context: SightingContext) -> Move | None:
    """The move that people have made by moving both the piece and a card in this turn. None if they have not moved
    both, or if the move is illegal."""
    found = _PieceAndCard.on_table(position, context.zones, context.put_down)
    if found is None or found.to is None:
        return None
    # Only the last card counts, because people change their minds. The last card of a bump may be the second one.
    own = [card for card in found.cards if card in {move.card for move in _moves_of_pieces(position)}]
    moves: dict[str, Move] = {move.card: move for move in _moves_to(position, found.to)}
    return next((moves[card] for card in (own if found.bumps else own[-1:]) if card in moves), None)


def _moves_to(position: Position, to: str) -> Iterator[Travel | Bump]:
    """Yields the legal moves that take a piece to a space."""
    return (move for move in _moves_of_pieces(position) if move.to == to)


def _moves_of_pieces(position: Position) -> Iterator[Travel | Bump]:
    """Yields the legal moves of pieces."""
    return (move for move in legal_moves(position) if isinstance(move, Travel | Bump))


@cache
def _component_names() -> Mapping[str, str]:
    return {component.id: component.name for component in all_components()}


def component_of(move: Move) -> str:
    """The component id of the card that a move names. "" if the move names no card, or only "?". Cards in hands are
    named too, because players know their own hands."""
    match move:
        case Deal(card=card) | Pick(card=card) | Travel(card=card) | Bump(card=card) if card != UNSEEN:
            return card_component(card)
        case Choose(option=str() as card) if card_component(card) in CARDS:
            return card_component(card)
        case UhOh(card=card):
            return card_component(card)
    return ""


def layout(position: Position, viewer: Viewer) -> Layout:
    """The layout of a position: where each piece and card belongs, with the top card of a pile first. Only the
    referee's layout contains hands."""
    cards: dict[str, tuple[str, ...]] = {DISCARD: tuple(map(card_component, reversed(position.deck.discard)))}
    cards[UH_OH] = tuple(map(card_component, position.uh_oh.drawn))
    for seat, space in enumerate(position.locations):
        cards[space] = (*cards.get(space, ()), piece_component(position.board, seat, position.houses[seat]))
    if viewer == REFEREE:
        cards |= {f"hand-{seat}": _hand(position, seat) for seat in position.seats if seat != _picked_from(position)}
    return Layout(cards)


def _hand(position: Position, seat: int) -> tuple[str, ...]:
    """The component ids of the cards in a seat's hand whose faces are known."""
    return tuple(card_component(card) for card in position.hands[seat] if card != UNSEEN)


def _picked_from(position: Position) -> int | None:
    """The seat from whose hand a random card is picked next. None if no card is picked. Any card of this hand may be
    shown to the camera, so the layout contains none of them."""
    match position.uh_oh.tasks[:1]:
        case (SwapTask(owner=owner, selection="random"),):
            return owner
    return None


PHYSICAL: PhysicalGame[Position] = PhysicalGame(
    virtual_sources=("cards", "uh_oh"),
    meters=meters,
    dial_moves=dial_moves,
    components=component_set_for(boards()[BOARD.default]),
    meaning_of=meaning_of,
    candidate_moves=candidate_moves,
    follow_up=follow_up,
    begun_move=begun_move,
    component_of=component_of,
    layout=layout,
)
