"""What the other seats will do before one's next turn, and what it is worth, as far as a seat can foresee it.

It is supposed that they play by the same conventions and know no less than this seat can tell. Worth is in points.

Law: pure.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from companion.games.system_won.card_counting import Faces
from companion.games.system_won.catalog import catalog
from companion.games.system_won.knowledge import UNKNOWN
from companion.games.system_won.policy.conventions import oldest_blank, read_hand
from companion.games.system_won.policy.seat_view import Seen

ERROR: Final = 1.0
""" "Subtract 1 point for each card in this pile." """
LATER: Final = 0.5
"""A play in the round after the next is worth this much of one: until then somebody may say more."""
AHEAD: Final = 2
"""How many such plays of a hand are looked at."""
ABOVE: Final = 0.6
"""What each rank that a lost card would have led to is worth; it might not have been reached."""
SPARE: Final = 0.25
"""A card of which one more copy is left somewhere."""
IN_SIGHT: Final = 0.05
"""A card whose other copy is in a hand."""
DISCARDS: Final = (1.0, 0.5, 0.5)
"""How likely a seat with nothing to play discards, by the specifications that are face up."""
SELDOM: Final = 0.2


def outlook(seen: Seen) -> float:
    """What the others' next turns will bring, and what they can still play after that."""
    worth = 0.0
    for seat in seen.others:
        gain, seen = _turn(seen, seat)
        worth += gain
    if seen.turns_left is None:
        for seat in seen.others:
            gain, seen = _plays_to_come(seen, seat)
            worth += LATER * gain
    return worth


def loss(seen: Seen, face: str) -> float:
    """What it costs that a copy of this card goes."""
    useful = seen.useful
    if face not in useful:
        return 0.0
    copies = seen.copies_left(face)
    if copies == 1:
        return 1.0 + ABOVE * _above(useful, face)
    return IN_SIGHT if seen.in_hands(face) > 1 else SPARE / (copies - 1)


@lru_cache(maxsize=1 << 12)
def _above(useful: Faces, face: str) -> int:
    """How many useful cards lie above this one."""
    cards = catalog().cards
    return sum(cards[other].suit == cards[face].suit and cards[other].rank > cards[face].rank for other in useful)


def _turn(seen: Seen, seat: int) -> tuple[float, Seen]:
    """What a seat's next turn brings, and the table after it."""
    slot = read_hand(seen, seat).next
    if slot is not None:
        return _play(seen, seat, slot)
    oldest = oldest_blank(seen.marks[seat])
    face = UNKNOWN if oldest is None else seen.faces[seat][oldest]
    risk = 0.0 if face == UNKNOWN or seen.last_round else loss(seen, face)
    ups = seen.specifications
    return -risk * (DISCARDS[ups] if ups < len(DISCARDS) else SELDOM), seen.with_specifications(-1 if ups else 1)


def _play(seen: Seen, seat: int, slot: int) -> tuple[float, Seen]:
    face, after = seen.faces[seat][slot], seen.with_draw(seat, slot)
    if face == UNKNOWN:
        return 0.0, after
    if face in seen.playable:
        return 1.0, after.with_played(face)
    return -ERROR - loss(seen, face), after


def _plays_to_come(seen: Seen, seat: int) -> tuple[float, Seen]:
    """What a seat plays after that, if nobody says more."""
    worth = 0.0
    for _ in range(AHEAD):
        slot = read_hand(seen, seat).next
        if slot is None:
            break
        gain, seen = _play(seen, seat, slot)
        worth += gain
    return worth, seen
