"""System WON reads the table: what a sighting means, and what the table should look like.

Law: pure. A hand is held, not laid: only the referee's layout has the hands, so that the companion knows which cards
are not in the deck.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from companion.games.rules import HOUSE, REFEREE, Move, Seat, Viewer
from companion.games.system_won.catalog import catalog
from companion.games.system_won.components import PREFIX, SPECIFICATION, TURNED, role_thing
from companion.games.system_won.knowledge import UNKNOWN, Hand
from companion.games.system_won.mat import system
from companion.games.system_won.moves import Ability, DealRole, Discard, Face, Play, Restore
from companion.games.system_won.rules import State
from companion.tabletop.components import BACK
from companion.tabletop.layout import Layout
from companion.tabletop.observations import CardSeen, Observation
from companion.text.translation import _

PLACES = {f"hand-{seat}": f"{{{seat}}}'s hand" for seat in range(4)}


def meaning_of(state: State, observation: Observation) -> Move | None:
    """The move that an observation makes in this position, or None."""
    match observation:
        case CardSeen(thing=thing, zone="show" | "roles", change="appeared" | "moved") if state.turn == HOUSE:
            return _dealt(state, thing)
        case CardSeen(zone="discard", change="appeared" | "moved"):
            return _laid(state, Discard, observation)
        case CardSeen(thing=thing, zone=str() as zone, change="appeared" | "moved") if zone in _play_zones(thing):
            return _laid(state, Play, observation)
        case CardSeen(zone="specifications" | "roles", change="flipped"):
            return _flipped(state, observation)
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
    return next((move for move, _weight in state.chances() if move.face == face), None)


def _laid(state: State, kind: type[Discard] | type[Play], seen: CardSeen) -> Move | None:
    """The move of the seat in turn, if this card is in its hand; of several that nobody has seen it may be any. While
    a role waits for its holder's word, a card that is laid may be what the ability does."""
    face, seat = _face(seen.thing), state.turn
    if face is None or not isinstance(seat, int) or _in_question(state, seen):
        return None
    hand: Hand = state.hands[seat]
    if (shown := _shown(state, seen, face)) is not None:
        return next((kind(seat=Seat(seat), slot=n) for n, held in enumerate(hand) if held.number == shown), None)
    others = {number for thing, number in seen.shown.items() if thing != seen.thing}
    alike = [slot for slot, held in enumerate(hand) if held.face == face]
    copies = [slot for slot in alike if hand[slot].number not in others]
    if copies:
        return kind(seat=Seat(seat), slot=copies[0])
    meant = [move for move in could_mean(state, seen) if hand[move.slot].mark.allows(catalog().cards[face])]
    if not meant and len(alike) == 1:  # one copy was taken for another, as when an undone draw went back
        return kind(seat=Seat(seat), slot=alike[0])
    return meant[0] if len(meant) == 1 else None


def _shown(state: State, seen: CardSeen, face: Face) -> int | None:
    """The number of the very card that is seen, if it was read as it was dealt and a hand still holds it."""
    number = seen.shown.get(seen.thing)
    held = (held for hand in state.hands for held in hand)
    return number if any(card.number == number and card.face == face for card in held) else None


def could_mean(state: State, seen: CardSeen) -> Iterator[Discard | Play]:
    """What a card that is laid down may be, where nobody has seen the hand of the seat in turn: any `?` of it, if by
    what has been said one of them can have this face. What a spectator knows too."""
    face, seat, zone = _face(seen.thing), state.turn, seen.zone or ""
    kind = Discard if zone == "discard" else Play if zone in _play_zones(seen.thing) else None
    if face is None or kind is None or not isinstance(seat, int):
        return
    unseen = {slot: held.mark for slot, held in enumerate(state.hands[seat]) if held.face == UNKNOWN}
    if any(mark.allows(catalog().cards[face]) for mark in unseen.values()):
        yield from (kind(seat=Seat(seat), slot=slot, card=face) for slot in unseen)


def _flipped(state: State, seen: CardSeen) -> Move | None:
    """The Designer's card turned over, and a spent specification turned up since the last move, in either order: that
    one. Another role was turned over: its ability, if only one can be meant. By itself a specification turned up says
    nothing (it comes before or after a discard), and what a spent one said, only its speaker can tell."""
    restore = next((move for move in state.legal_moves() if isinstance(move, Restore)), None)
    if restore and _turned_up(state, seen) and role_thing(_role_of(state, restore)) + TURNED in seen.lying:
        return restore
    used = {role_thing(role) + TURNED: role for role in catalog().roles}.get(seen.thing)
    if used is None or not state.roles or used not in state.roles:
        return None
    holder = state.roles.index(used)
    meant = [move for move in state.legal_moves() if isinstance(move, Ability) and move.seat == holder]
    return meant[0] if len(meant) == 1 and meant[0] != restore else None


def _role_of(state: State, move: Ability) -> str:
    return (state.roles and state.roles[move.seat]) or ""


def _turned_up(state: State, seen: CardSeen) -> bool:
    """Whether a specification was turned up, so that more lie so than the book has, and not for a discard that lies
    there and has not counted."""
    up = [thing for thing, zone in seen.lying.items() if zone == "specifications" and thing in _ready()]
    laid = Counter[str](face for thing, zone in seen.lying.items() if zone == "discard" and (face := _face(thing)))
    return bool(seen.turned & _ready()) and len(up) > state.specifications and laid <= Counter(state.discard)


def _in_question(state: State, seen: CardSeen) -> bool:
    """Whether a role lies turned over that the book has as unused."""
    unused = {role_thing(role) + TURNED for role in state.roles or () if role and role not in state.used}
    return any(thing in unused and zone == "roles" for thing, zone in seen.lying.items())


def thing_of(move: Move) -> str:
    """The printed role that a move names. No move names a system card to a phone: it may be one that its holder must
    not know before it is turned up."""
    return role_thing(move.role) if isinstance(move, DealRole) else ""


def held(state: State) -> list[tuple[int, str]]:
    """Which of all cards dealt each hand holds, and what it is."""
    return [(held.number, PREFIX + held.face) for hand in state.hands for held in hand]


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
    return Layout(cards, otherwise=dict(_otherwise(state)))


def _otherwise(state: State) -> Iterator[tuple[str, str]]:
    """What else may be done with what lies wrong in a place; what everybody knows."""
    used, told, up = (
        _("its holder says on the phone what it does"),
        _("say on the phone what was told"),
        _finished(state),
    )
    yield from ((role_thing(role) + TURNED, used) for role in catalog().roles)
    yield from ((code + TURNED, told) for code in _ready())
    yield from ((code, up) for code in _ready())
    systems = (system(color) for color in state.cards.colors)
    if state.turn == HOUSE:
        again = _("take it up and lay it again once the draw is shown")
        yield from ((place, again) for place in ("discard", "play", *systems))
    elif state.turn is not None:
        again = _("to make it count, take it up and lay it again on its holder’s turn")
        yield from ((place, again) for place in ("discard", "play"))


def _finished(state: State) -> str:
    """What completes a move of which the specification was turned up first."""
    may_restore = state.roles and any(
        role and role not in state.used and Restore.use in state.cards.roles[role].abilities for role in state.roles
    )
    return _("lay the discard, or turn the Designer’s card over too") if may_restore else _("lay the discard")


def _specifications(state: State) -> tuple[str, ...]:
    spent = state.cards.specifications - state.specifications
    return (SPECIFICATION,) * state.specifications + (SPECIFICATION + BACK,) * spent
