"""Systems Failing reads the table: what a sighting means, and what the table should look like."""

from __future__ import annotations

from companion.games.rules import HOUSE, Move, Seat, Viewer
from companion.games.systems_failing.catalog import PREFIX, catalog
from companion.games.systems_failing.cubes import WHITE
from companion.games.systems_failing.mat import MAT
from companion.games.systems_failing.moves import Advance, DealRole, EndTurn, Repair, Reveal, Scavenge
from companion.games.systems_failing.rules import State
from companion.tabletop.components import Component
from companion.tabletop.layout import Layout
from companion.tabletop.observations import ButtonPressed, CardSeen, Observation

PLAY_ZONES = frozenset({"core", "zone-1", "zone-2", "zone-3", "escape", "role-0", "role-1"})
"""Where a card that comes to rest has been revealed; on the deck or among the discards it has not."""

FIRST_MARKER = f"{PREFIX}FIRST"

PLACES = {
    "core": "the core",
    "escape": "the place of the escape sequence",
    "deck": "the disaster deck",
    "discard": "the discard pile",
    "aside": "the cards set aside",
    "role-0": "{0}'s place",
    "role-1": "{1}'s place",
    "bag": "the bag",
    "supply": "the supply",
    "pool-0": "{0}'s pool",
    "pool-1": "{1}'s pool",
    "escapes-0": "front of {0}",
    "escapes-1": "front of {1}",
    "stability": "the stability meter",
    "damage": "the damage meter",
}


def things() -> tuple[Component, ...]:
    """Everything that is printed with a code."""
    cards = catalog()
    deck, stack, box = "on top of the disaster deck", "on top of the escape sequences", "in the box"
    return (
        *(Component(PREFIX + d.id, d.id, d.name, deck, "deck") for d in cards.disasters.values()),
        *(Component(PREFIX + s, s, "Systems failing", deck, "deck") for s in cards.failing),
        *(Component(PREFIX + e, e, "Escape sequence", stack, "escape") for e in cards.escapes),
        *(Component(role.thing, f"the {role.title}", role.title, box) for role in cards.roles.values()),
        Component(FIRST_MARKER, "the first player marker", "First player", box),
    )


def meaning_of(state: State, observation: Observation) -> Move | None:
    """The move that an observation makes in this position, or None."""
    match observation:
        case CardSeen(thing=thing, zone=zone, change="appeared" | "moved") if zone in PLAY_ZONES:
            return _dealt(state, thing)
        case CardSeen(thing=thing, zone=None, mm=tuple() as mm) if MAT.holds(mm):
            return _dealt(state, thing)  # laid between the places: turned up all the same, and to be put right
        case CardSeen(thing=thing, zone="discard") if thing.removeprefix(PREFIX) in state.cards.failing:
            return _dealt(state, thing)  # a systems-failing card goes straight to the discards
        case ButtonPressed(button="next") if state.phase == "advance" and state.turn == HOUSE:
            return Advance()
        case ButtonPressed(button="next") if state.turn not in (HOUSE, None):
            return EndTurn(seat=state.player)
        case ButtonPressed(button="draw") if state.turn not in (HOUSE, None):
            return Scavenge(seat=state.player)
    return None


def _dealt(state: State, thing: str) -> Move | None:
    """The house's move that lays this card, if it can come now."""
    roles = {role.thing: role.id for role in catalog().roles.values()}
    face = roles.get(thing, thing.removeprefix(PREFIX))
    return next((move for move, _ in state.chances() if move.DEALS != "pace" and move.face == face), None)


def thing_of(move: Move) -> str:
    """The printed card that a move names."""
    match move:
        case Reveal(card=card) | Repair(card=card):
            return PREFIX + card
        case DealRole(role=role):
            return catalog().roles[role].thing
    return ""


def layout(state: State, viewer: Viewer) -> Layout:
    """Where each card, cube and marker belongs in this position; nothing of it is hidden from anyone."""
    roles = catalog().roles
    cards = {f"zone-{n}": tuple(PREFIX + laid.card for laid in zone) for n, zone in enumerate(state.zones, 1)}
    cards["escape"] = (PREFIX + state.active.card,) if state.active else ()
    cards["aside"] = tuple(PREFIX + card for card in reversed(state.aside))
    cards["discard"] = tuple(PREFIX + card for card in reversed(state.discard))
    for seat in (Seat(0), Seat(1)):
        role = state.roles[seat]
        marker = (FIRST_MARKER,) if seat == state.first else ()
        cards[f"role-{seat}"] = ((roles[role].thing,) if role else ()) + marker
        cards[f"escapes-{seat}"] = tuple(PREFIX + card for card, owner in state.done if owner == seat)
    tokens = {"bag": dict(state.bag), "pool-0": dict(state.pools[0]), "pool-1": dict(state.pools[1])}
    laid_cards = [*([state.active] if state.active else []), *(laid for zone in state.zones for laid in zone)]
    tokens |= {PREFIX + laid.card: dict(laid.placed) for laid in laid_cards}
    tokens["deck"] = {WHITE: state.deck_whites}
    tokens["supply"] = {WHITE: state.cards.white - state.bag[WHITE] - state.deck_whites}
    return Layout(cards, tokens, {"stability": state.stability, "damage": state.damage}, mixed=frozenset({"aside"}))
