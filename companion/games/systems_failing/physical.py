"""Systems Failing on a real table: which moves sightings and buttons mean, and where everything belongs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache

from companion.games.game import PhysicalGame
from companion.games.rules import HOUSE, Move, Seat, Viewer
from companion.games.systems_failing.catalog import PREFIX, catalog
from companion.games.systems_failing.chance import chances, drawing_seat
from companion.games.systems_failing.components import ADVICE, FIRST_MARKER, components
from companion.games.systems_failing.cube_multiset import WHITE, cubes_of
from companion.games.systems_failing.display_names import TOKENS, card_name
from companion.games.systems_failing.legality import legal_moves
from companion.games.systems_failing.mat import MAT, cube_places
from companion.games.systems_failing.moves import (
    Advance,
    DealRole,
    Discard,
    EndTurn,
    Repair,
    Return,
    Reveal,
    Scavenge,
    Transfer,
)
from companion.games.systems_failing.position import Position
from companion.games.systems_failing.text import deck_building_steps, meters
from companion.tabletop.begun_move import BegunMove
from companion.tabletop.components import Art, ComponentSet
from companion.tabletop.expected_layout import Layout, TokenPlacement
from companion.tabletop.observations import ButtonPressed, CardSeen, Observation
from companion.tabletop.sighting_context import SightingContext
from companion.tabletop.tracked_table import TrackedTable
from companion.text.messages import PlayerName, _

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


def begun_move(position: Position, table: TrackedTable) -> BegunMove | None:
    """The move that people have begun. None if there is none. A repair is begun if the card that it would complete has
    been put on the discard pile, but no phone has reported the cubes. A move of cubes is begun if the camera has seen
    them leave a pool or arrive there."""
    put_down = [code for code in table.put_down_in(position.turn) if code in table.visible]
    discarded = {_faces().get(code, "") for code in put_down if table.visible[code].zone == "discard"}
    repairs = (move for move in legal_moves(position) if isinstance(move, Repair) and move.card in discarded)
    move = next(repairs, None) if discarded else None
    if move is None:
        return _begun_with_cubes(position, table)
    step = _("Enter the repair of {card} on the phone, or put the card back.", card=card_name(move.card))
    return BegunMove(move.seat, frozenset({code := PREFIX + move.card}), step, frozenset({"pool-0", "pool-1", code}))


def _begun_with_cubes(position: Position, table: TrackedTable) -> BegunMove | None:
    """The move of cubes that people have begun: they have moved some or all of its cubes, but no phone has reported it.
    None if there is no such move, or if no cube has ever been seen. Wherever the camera's count differs from the
    position, it must lie between the counts before and after the move."""
    before = _counted_places(position)
    certain = {place: seen for place, seen in table.token_counts.items() if seen.certainty == "certain"}
    counts = {place: certain[place].tokens or {} for place in before if place in certain}
    if not table.has_tokens or all(seen == before[place] for place, seen in counts.items()) or position.is_over:
        return None
    for seat, least, greatest in _places_in_moves(position, counts):
        low, high = {**before, **least}, {**before, **greatest}
        if all(_is_between(low[place], seen, high[place]) for place, seen in counts.items()):
            step = _("{name}: enter the move of the cubes on the phone, or put them back.", name=PlayerName(seat))
            return BegunMove(seat, frozenset(), step, frozenset(before))
    return None


CubesByPlace = Mapping[str, Mapping[str, int]]


def _counted_places(position: Position) -> CubesByPlace:
    """The cubes in each place where the camera counts: the pools, and the fields of the cards in play."""
    pools = {f"pool-{seat}": position.pools[seat].counts() for seat in (0, 1)}
    return {**pools, **{PREFIX + card.card: card.cubes.counts() for card in position.cards_in_play()}}


def _places_in_moves(position: Position, counts: CubesByPlace) -> Iterator[tuple[Seat, CubesByPlace, CubesByPlace]]:
    """Yields, for each move of cubes that is possible now, its player, and the least and the greatest number of cubes
    of each color in each place that the move may change, while people make it. `counts`: what the camera has counted
    for certain."""
    before = _counted_places(position)
    pools = {f"pool-{seat}": before[f"pool-{seat}"] for seat in (0, 1)}
    drawing = drawing_seat(position)
    for seat in (Seat(0), Seat(1)) if drawing is not None else ():
        # People draw for both players at once, in any order.
        yield seat, {}, {place: Counter(pool) + Counter(position.bag.counts()) for place, pool in pools.items()}
    player = position.active_player
    own, other = f"pool-{player}", f"pool-{1 - player}"
    for move in legal_moves(position):
        match move:
            case Repair(card=card, cubes=cubes):
                place, without = PREFIX + card, Counter(pools[own]) - Counter(cubes)
                # When the card is repaired, all its cubes go back to the bag.
                least = {} if _repairs_completely(position, move) else before[place]
                yield player, {own: without, place: least}, {place: Counter(before[place]) + Counter(cubes)}
            case Return(cubes=cubes):
                yield player, {own: Counter(pools[own]) - Counter(cubes)}, {}
            case Discard() if 2 * sum(counts.get(own, pools[own]).values()) < sum(pools[own].values()):
                # Only once most of the pool has gone: otherwise, any missing cube would look like a discard.
                yield player, {own: {}}, {own: pools[own]}
            case Transfer(color=color):
                # Only once the cube has left the other pool: otherwise, any surplus cube would look like a transfer.
                without = Counter(pools[other]) - Counter([color])
                yield player, {other: without}, {other: without, own: Counter(pools[own]) + Counter([color])}


def _repairs_completely(position: Position, move: Repair) -> bool:
    """Whether the card of this move needs no more cubes after it."""
    card = position.card_in_play(move.card)
    return move.ability or card is None or not position.missing_cubes(card) - cubes_of(move.cubes)


def _is_between(low: Mapping[str, int], counted: Mapping[str, int], high: Mapping[str, int]) -> bool:
    """Whether the count of each color is from `low` to `high`."""
    return all(low.get(color, 0) <= counted.get(color, 0) <= high.get(color, 0) for color in {*low, *counted, *high})


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
