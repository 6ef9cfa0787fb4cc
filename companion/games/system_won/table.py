"""System WON reads the table: what a sighting means, and what the table should look like.

Law: pure. A hand is held, not laid: only the referee's layout has the hands, so that the companion knows which cards
are not in the deck.
"""

from __future__ import annotations

from companion.equipment import BACK
from companion.games.rules import HOUSE, REFEREE, Move, Seat, Viewer
from companion.games.system_won.catalog import catalog
from companion.games.system_won.marks import UNKNOWN, Hand
from companion.games.system_won.mat import system
from companion.games.system_won.moves import Ability, Discard, Face, Play, Restore
from companion.games.system_won.rules import State
from companion.games.system_won.things import PREFIX, SPECIFICATION, TURNED, role_thing
from companion.layout import Layout
from companion.observations import CardSeen, Observation

PLACES = {f"hand-{seat}": f"{{{seat}}}'s hand" for seat in range(4)}


def meaning_of(state: State, observation: Observation) -> Move | None:
    """The move that an observation makes in this position, or None."""
    match observation:
        case CardSeen(thing=thing, zone="show" | "roles", change="appeared" | "moved") if state.turn == HOUSE:
            return _dealt(state, thing)
        case CardSeen(thing=thing, zone="discard", change="appeared" | "moved"):
            return _laid(state, Discard, thing)
        case CardSeen(thing=thing, zone=str() as zone, change="appeared" | "moved") if zone in _play_zones(thing):
            return _laid(state, Play, thing)
        case CardSeen(thing=thing, zone="specifications" | "roles", change="flipped"):
            return _flipped(state, thing)
    return None


def _face(thing: str) -> Face | None:
    """The face of a printed card; None of anything else."""
    name = thing.removeprefix(PREFIX)
    face = catalog().printed().get(name[:2] + name[2:].lower())
    return Face(face) if face else None


def _play_zones(thing: str) -> tuple[str, ...]:
    """Where a card is played: in the place for it, or straight on its own system. On another it lies wrong."""
    face = _face(thing)
    return ("play", system(catalog().cards[face].color)) if face else ()


def _ready() -> frozenset[str]:
    return frozenset(f"{SPECIFICATION}{number}" for number in range(1, catalog().specifications + 1))


def _dealt(state: State, thing: str) -> Move | None:
    """The house's move that this card makes, if it can come now."""
    roles = {role_thing(role): role for role in catalog().roles}
    face = roles.get(thing) or _face(thing)
    return next((move for move, _ in state.chances() if move.face == face), None)


def _laid(state: State, kind: type[Discard] | type[Play], thing: str) -> Move | None:
    """The move of the seat in turn, if the card is in its hand. Of several that nobody has seen it could be any."""
    face, seat = _face(thing), state.turn
    if face is None or not isinstance(seat, int):
        return None
    hand: Hand = state.hands[seat]
    faces = [held.face for held in hand]
    if face in faces:
        return kind(seat=Seat(seat), slot=faces.index(face))
    return kind(seat=Seat(seat), slot=faces.index(UNKNOWN), card=face) if faces.count(UNKNOWN) == 1 else None


def _flipped(state: State, thing: str) -> Move | None:
    """A specification that the book has as spent was turned up: the Designer's doing, if it may be. A role was turned
    over: its ability, if only one can be meant. What a spent specification said, only its speaker can tell."""
    if thing in _ready():
        return next((move for move in state.legal_moves() if isinstance(move, Restore)), None)
    used = {role_thing(role) + TURNED: role for role in catalog().roles}.get(thing)
    if used is None or not state.roles or used not in state.roles:
        return None
    holder = state.roles.index(used)
    meant = [move for move in state.legal_moves() if isinstance(move, Ability) and move.seat == holder]
    return meant[0] if len(meant) == 1 else None


def dial(state: State) -> list[Play | Discard]:
    """Which card to play, then which to discard: how many a seat holds is no secret. What it may specify depends on
    cards that its target must not know, so that is said on the phone."""
    legal = [move for move in state.legal_moves() if isinstance(move, Play | Discard) and move.seat == state.turn]
    return sorted(legal, key=lambda move: (isinstance(move, Discard), move.slot))


def layout(state: State, viewer: Viewer) -> Layout:
    """Where each card belongs, its top first."""
    cards = {
        "play": (),
        "discard": tuple(PREFIX + face for face in reversed(state.discard)),
        "errors": tuple(PREFIX + face for face in reversed(state.errors)),
        "roles": tuple(role_thing(role) + (BACK if role in state.used else "") for role in state.roles or () if role),
        "specifications": _specifications(state),
    }
    for suit, top in zip(state.cards.suits, state.systems, strict=True):
        cards[system(suit.color)] = tuple(f"{PREFIX}{suit.letter}{rank}" for rank in range(top, 0, -1))
    if viewer == REFEREE:
        for seat, hand in enumerate(state.hands):
            cards[f"hand-{seat}"] = tuple(PREFIX + held.face for held in hand if held.face != UNKNOWN)
    return Layout(cards)


def _specifications(state: State) -> tuple[str, ...]:
    spent = state.cards.specifications - state.specifications
    return (SPECIFICATION,) * state.specifications + (SPECIFICATION + BACK,) * spent
