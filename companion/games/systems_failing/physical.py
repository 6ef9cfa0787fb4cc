"""Systems Failing on a real table: which moves sightings and buttons mean, and where everything belongs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from companion.games.game import PhysicalGame
from companion.games.rules import HOUSE, Move, Seat, Viewer
from companion.games.systems_failing.begun_move import begun_move
from companion.games.systems_failing.catalog import PREFIX, catalog
from companion.games.systems_failing.chance import chances
from companion.games.systems_failing.components import ADVICE, FIRST_MARKER, components
from companion.games.systems_failing.cube_multiset import WHITE
from companion.games.systems_failing.display_names import TOKENS
from companion.games.systems_failing.mat import MAT, cube_places
from companion.games.systems_failing.moves import Advance, DealRole, EndTurn, Repair, Reveal, Scavenge
from companion.games.systems_failing.position import Position
from companion.games.systems_failing.text import deck_building_steps, meters
from companion.tabletop.components import Art, ComponentSet
from companion.tabletop.expected_layout import Layout, TokenPlacement
from companion.tabletop.observations import ButtonPressed, CardSeen, Observation
from companion.tabletop.sighting_context import SightingContext

PLAY_ZONES = frozenset({"core", "zone-1", "zone-2", "zone-3", "escape", "role-0", "role-1"})
"""The zones for revealed cards. A card that appears in one of them has been revealed. A card may appear on the deck or
the discard pile for other reasons."""

PLACES = {
    "core": "the core",
    "escape": "the place of the escape sequence",
    "deck": "the disaster deck",
    "discard": "the discard pile",
    "aside": "the cards set aside",
    "role-0": "{0}’s place",
    "role-1": "{1}’s place",
    "bag": "the bag",
    "supply": "the supply",
    "pool-0": "{0}’s pool",
    "pool-1": "{1}’s pool",
    "escapes-0": "front of {0}",
    "escapes-1": "front of {1}",
    "stability": "the stability meter",
    "damage": "the damage meter",
}


def meaning_of(position: Position, observation: Observation, context: SightingContext) -> Move | None:
    """The move that an observation means. None if it does not mean a move."""
    match observation:
        case CardSeen(code=code, zone=zone, change="appeared" | "moved") if zone in PLAY_ZONES:
            return _deal_of(position, code)
        case CardSeen(code=code, zone=None, mm=tuple() as mm) if MAT.holds(mm):
            return _deal_of(position, code)  # A card that lies between two zones has been revealed, too.
        case CardSeen(code=code, zone="discard") if _faces().get(code) in position.catalog.failing_cards:
            return _deal_of(
                position, code
            )  # Systems-failing cards go to the discard pile as soon as they are revealed.
        case ButtonPressed(button="next") if position.phase == "advance" and position.turn == HOUSE:
            return Advance()
        case ButtonPressed(button="next") if position.turn not in (HOUSE, None):
            return EndTurn(seat=position.active_player)
        case ButtonPressed(button="draw") if position.turn not in (HOUSE, None):
            return Scavenge(seat=position.active_player)
    return None


def _deal_of(position: Position, code: str) -> Move | None:
    """The house move that deals the component with the code `code`. None if no such move is possible now."""
    face = _faces().get(code)
    return next((move for move, _ in chances(position) if move.face == face), None)


@cache
def _faces() -> Mapping[str, str]:
    """Maps the code of each component that chance deals to the component's face. Moves use these faces."""
    return {component.id: component.face for component in components() if component.face}


def component_of(move: Move) -> str:
    """The id of the printed card that a move names. "" if it names none."""
    match move:
        case Reveal(card=card) | Repair(card=card):
            return PREFIX + card
        case DealRole(role=role):
            return catalog().roles[role].component
    return ""


def layout(position: Position, viewer: Viewer) -> Layout:
    """The layout of the table: where each card, cube and marker belongs. It is the same for every viewer, because
    nothing is hidden."""
    roles = catalog().roles
    cards = {f"zone-{n}": tuple(PREFIX + card.card for card in zone) for n, zone in enumerate(position.zones, 1)}
    cards["escape"] = (PREFIX + position.active_escape.card,) if position.active_escape else ()
    cards["aside"] = tuple(PREFIX + card for card in reversed(position.starting_disasters.set_aside))
    cards["discard"] = tuple(PREFIX + card for card in reversed(position.discard))
    for seat in (Seat(0), Seat(1)):
        role = position.roles[seat]
        marker = (FIRST_MARKER,) if seat == position.first_player else ()
        cards[f"role-{seat}"] = ((roles[role].component,) if role else ()) + marker
        cards[f"escapes-{seat}"] = tuple(PREFIX + card for card, owner in position.repaired_escapes if owner == seat)
    tokens = {"bag": dict(position.bag), "pool-0": dict(position.pools[0]), "pool-1": dict(position.pools[1])}
    tokens |= {PREFIX + card.card: dict(card.cubes) for card in position.cards_in_play()}
    tokens["deck"] = {WHITE: position.whites_on_deck}
    tokens["supply"] = {WHITE: position.catalog.white_cubes - position.bag[WHITE] - position.whites_on_deck}
    return Layout(
        cards,
        tokens,
        {"stability": position.stability, "damage": position.damage},
        shuffled_places=frozenset({"aside"}),
    )


def token_placements(position: Position) -> tuple[TokenPlacement, ...]:
    """The points on the mat where the cubes of both pools stand, sorted by color."""
    return tuple(
        TokenPlacement(color, *place)
        for seat in (0, 1)
        for color, place in zip(position.pools[seat].colors(), cube_places(seat), strict=False)
    )


def _art() -> Art:
    from companion.games.systems_failing.component_art import SystemsFailingArt

    return SystemsFailingArt()


PHYSICAL: PhysicalGame[Position] = PhysicalGame(
    meters=meters,
    components=ComponentSet(components=components(), mat=MAT, places=PLACES, tokens=TOKENS, art=_art, advice=ADVICE),
    meaning_of=meaning_of,
    begun_move=begun_move,
    component_of=component_of,
    layout=layout,
    token_placements=token_placements,
    manual_steps={"cards": deck_building_steps},
)
