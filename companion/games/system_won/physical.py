"""The physical side of System WON: what sightings mean, and where components belong.

Law: pure. Players hold their cards, so only the referee's layout contains hands. They tell the companion which cards
are not in the deck.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from companion.games.game import PhysicalGame
from companion.games.rules import HOUSE, REFEREE, UNSEEN, Move, Seat, Viewer
from companion.games.system_won import chance, legality
from companion.games.system_won.begun_move import begun_move
from companion.games.system_won.card_knowledge import Hand
from companion.games.system_won.catalog import catalog
from companion.games.system_won.components import (
    BACK_SUFFIX,
    PREFIX,
    SPECIFICATION_KIND,
    components,
    faces_by_code,
    role_component_id,
    specification_ids,
)
from companion.games.system_won.mat import MAT, system_zone
from companion.games.system_won.moves import Ability, DealRole, Discard, Face, Play, Restore
from companion.games.system_won.position import Position
from companion.games.system_won.text import meters
from companion.tabletop.components import BACK, Art, ComponentSet
from companion.tabletop.expected_layout import Layout
from companion.tabletop.observations import CardSeen, Observation
from companion.tabletop.sighting_context import SightingContext
from companion.text.messages import Text, _

PLACES = {f"hand-{seat}": f"{{{seat}}}’s hand" for seat in range(4)}


def meaning_of(position: Position, observation: Observation, context: SightingContext) -> Move | None:
    """The move that an observation means in this position. None if it does not mean a move."""
    match observation:
        case CardSeen(code=code, zone="show" | "roles", change="appeared" | "moved") if position.turn == HOUSE:
            return _house_move(position, code)
        case CardSeen(code=code, zone=zone) if code in context.flips:
            return _move_of_flip(position, code, context) if zone in ("specifications", "roles") else None
        case CardSeen(change="appeared" | "moved") if kind := _kind_of_move(position, observation, context):
            return _move_of_card(position, kind, observation, context)
    return None


def _face(code: str) -> Face | None:
    """The face of a printed card. None for any other component."""
    face = faces_by_code().get(code, "")
    return Face(face) if face in catalog().cards else None


def _kind_of_move(position: Position, seen: CardSeen, context: SightingContext) -> type[Discard] | type[Play] | None:
    """The kind of move that people make by putting a card where the camera sees it. None if this place means none. They
    may play a card to the play zone, to the zone of the card's own system or, if it is an error, to the errors."""
    face = _face(seen.code)
    if face is None:
        return None
    if seen.zone == "discard":
        return Discard
    card = catalog().cards[face]
    if seen.zone == "errors":
        return None if position.is_next(card) or _is_moved_error(position, seen, context) else Play
    return Play if seen.zone in ("play", system_zone(card.color)) else None


def _is_moved_error(position: Position, seen: CardSeen, context: SightingContext) -> bool:
    """Whether a card among the errors has come from elsewhere on the table, and no more copies of it lie there than
    belong there. So people have only put an error where it belongs."""
    face = _face(seen.code)
    here = sum(zone == "errors" and _face(code) == face for code, zone in context.zones.items())
    return seen.change == "moved" and here <= sum(error == face for error in position.errors)


def _house_move(position: Position, code: str) -> Move | None:
    """The house move that deals the card with this code. None if no such move can come now."""
    face = faces_by_code().get(code)
    return next((move for move, _weight in chance.chances(position) if move.face == face), None)


def _move_of_card(
    position: Position, kind: type[Discard] | type[Play], seen: CardSeen, context: SightingContext
) -> Move | None:
    """The play or discard (`kind`) that the active player makes by putting down the card that the camera sees. None if
    it is unclear which card of the hand this is. If phones hold the hands, no card on the table comes from a hand, so
    it never means a move: otherwise, any card from the box would show whether the player holds an equal one.

    Also None while a role card is turned over and the use of its ability has not been reported, because the card on the
    table may belong to that ability."""
    face, seat = _face(seen.code), position.turn
    if face is None or not isinstance(seat, int) or "cards" in context.dealt_on_phones:
        return None
    if _has_unreported_role(position, context):
        return None
    hand: Hand = position.hands[seat]
    if (number := _deal_number(position, seen.code, face, context)) is not None:
        return next((kind(seat=Seat(seat), slot=n) for n, card in enumerate(hand) if card.deal_number == number), None)
    other_copies = {number for code, number in context.deal_numbers.items() if code != seen.code}
    same_face = [slot for slot, card in enumerate(hand) if card.face == face]
    # A copy that was never dealt can only be a card that was dealt without being read.
    read = () if seen.code in context.codes_ever_dealt else context.read_deals
    candidates = [slot for slot in same_face if hand[slot].deal_number not in {*other_copies, *read}]
    if candidates:
        return kind(seat=Seat(seat), slot=candidates[0])
    moves = [
        move
        for move in candidate_moves(position, seen, context)
        if hand[move.slot].knowledge.allows(catalog().cards[face])
    ]
    return moves[0] if len(moves) == 1 else None


def _deal_number(position: Position, code: str, face: Face, context: SightingContext) -> int | None:
    """The deal number of a card that the camera sees. None unless the card's code was read when the card was dealt, and
    the card is still in a hand according to the match."""
    number = context.deal_numbers.get(code)
    cards = (card for hand in position.hands for card in hand)
    return number if any(card.deal_number == number and card.face == face for card in cards) else None


def candidate_moves(position: Position, seen: CardSeen, context: SightingContext) -> Iterator[Discard | Play]:
    """Yields the moves that may have brought a card to where the camera sees it: one for each unseen card in the active
    player's hand. Each is a play or a discard, depending on the zone. Yields nothing if, according to hints, none of
    the unseen cards can be the card that the camera sees.

    The moves depend on public information only.
    """
    face, seat, kind = _face(seen.code), position.turn, _kind_of_move(position, seen, context)
    if face is None or kind is None or not isinstance(seat, int):
        return
    unseen = {slot: card.knowledge for slot, card in enumerate(position.hands[seat]) if card.face == UNSEEN}
    if any(knowledge.allows(catalog().cards[face]) for knowledge in unseen.values()):
        yield from (kind(seat=Seat(seat), slot=slot, card=face) for slot in unseen)


def _move_of_flip(position: Position, code: str, context: SightingContext) -> Move | None:
    """The use of an ability that people have shown by turning a card over. None if it is unclear which ability is
    meant.

    People use the Designer's `Restore` by turning the role card over and turning a specification card face up, in
    either order. By itself, a specification card that is turned face up does not mean a move, because it may belong to
    a discard. Nor does one that is turned face down, because the camera can't know which hint was given.
    """
    restore = next((move for move in legality.legal_moves(position) if isinstance(move, Restore)), None)
    if (
        restore
        and _has_extra_specification(position, context)
        and role_component_id(_role_of(position, restore)) + BACK_SUFFIX in context.zones
    ):
        return restore
    used = {role_component_id(role) + BACK_SUFFIX: role for role in catalog().roles}.get(code)
    if used is None or not position.roles or used not in position.roles:
        return None
    holder = position.roles.index(used)
    moves = [move for move in legality.legal_moves(position) if isinstance(move, Ability) and move.seat == holder]
    return moves[0] if len(moves) == 1 and moves[0] != restore else None


def _role_of(position: Position, move: Ability) -> str:
    return (position.roles and position.roles[move.seat]) or ""


def _has_extra_specification(position: Position, context: SightingContext) -> bool:
    """Whether a specification card has been turned face up since the last act, and more specification cards are face up
    than recorded. False if a card that is not recorded yet lies on the discard pile, because the extra card then
    belongs to that discard."""
    specifications = specification_ids()
    up = [code for code, zone in context.zones.items() if zone == "specifications" and code in specifications]
    discards = Counter[str](face for code, zone in context.zones.items() if zone == "discard" and (face := _face(code)))
    return (
        any(code in specifications for code in context.recent_flips)
        and len(up) > position.specifications
        and discards <= Counter(position.discard)
    )


def _has_unreported_role(position: Position, context: SightingContext) -> bool:
    """Whether a role card is turned over although no use of the role's abilities is recorded."""
    unused = {
        role_component_id(role) + BACK_SUFFIX
        for role in position.roles or ()
        if role and role not in position.used_roles
    }
    return any(code in unused and zone == "roles" for code, zone in context.zones.items())


def component_of(move: Move) -> str:
    """The kind of the role card that a move deals. "" for any other move. A system card is never named, because it may
    be in the hand of the player who makes the move, and players must not know their own cards."""
    return role_component_id(move.role) if isinstance(move, DealRole) else ""


def hands(position: Position) -> list[tuple[int, str]]:
    """A pair for each card in the players' hands: the number of the deal that brought the card, and the card's kind."""
    return [(card.deal_number, PREFIX + card.face) for hand in position.hands for card in hand]


def dial_moves(position: Position) -> list[Play | Discard]:
    """The moves on the dial: all plays, then all discards, each in the order of the slots. They reveal only the number
    of cards in the hand, which is public.

    Hints are given by phone, because everyone sees the dial and a list of legal hints would tell players something
    about their own cards.
    """
    legal = [
        move
        for move in legality.legal_moves(position)
        if isinstance(move, Play | Discard) and move.seat == position.turn
    ]
    return sorted(legal, key=lambda move: (isinstance(move, Discard), move.slot))


def layout(position: Position, viewer: Viewer) -> Layout:
    """The components that belong in each zone, as far as the viewer may know, with the top card of a pile first."""
    cards = {
        "play": (),
        "discard": tuple(PREFIX + face for face in reversed(position.discard)),
        "errors": tuple(PREFIX + face for face in reversed(position.errors)),
        "roles": tuple(
            role_component_id(role) + (BACK if role in position.used_roles else "")
            for role in position.roles or ()
            if role
        ),
        "specifications": _specification_kinds(position),
    }
    for suit, top in zip(catalog().suits, position.systems, strict=True):
        cards[system_zone(suit.color)] = tuple(f"{PREFIX}{suit.letter}{rank}" for rank in range(top, 0, -1))
    if viewer == REFEREE:
        for seat, hand in enumerate(position.hands):
            cards[f"hand-{seat}"] = tuple(PREFIX + card.face for card in hand if card.face != UNSEEN)
    return Layout(cards, alternatives=dict(_alternative_fixes(position)))


def _alternative_fixes(position: Position) -> Iterator[tuple[str, Text]]:
    """Yields alternative fixes for misplaced components. Each is a pair: the component's zone, and a text that
    describes the fix. The texts contain only public knowledge."""
    systems = (system_zone(color) for color in catalog().colors)
    if position.turn == HOUSE:
        again = _("pick it up, and put it down again after showing the drawn card")
        yield from ((place, again) for place in ("discard", "play", "errors", *systems))
    elif position.turn is not None:
        again = _("if it was meant as a move, enter it on a phone on its owner’s turn")
        yield from ((place, again) for place in ("discard", "play", "errors"))


def _specification_kinds(position: Position) -> tuple[str, ...]:
    spent = catalog().specifications - position.specifications
    return (SPECIFICATION_KIND,) * position.specifications + (SPECIFICATION_KIND + BACK,) * spent


def _art() -> Art:
    from companion.games.system_won.component_art import SystemWonArt

    return SystemWonArt()


PHYSICAL: PhysicalGame[Position] = PhysicalGame(
    virtual_sources=("cards",),
    meters=meters,
    dial_moves=dial_moves,
    components=ComponentSet(components=components(), mat=MAT, places=PLACES, art=_art),
    meaning_of=meaning_of,
    candidate_moves=candidate_moves,
    begun_move=begun_move,
    component_of=component_of,
    hands=hands,
    layout=layout,
)
