"""What careful players mean by their specifications. A view shows no history, so all of it is read from the marks.

- A drawn card is blank. So what the marks of the newest card name, pointing at it or passing it over, was said since
  its holder last drew: it is fresh, and a fresh specification promises that a card can be played.
- The promised card is the newest one pointed at that could be playable at all; if the specification shows for certain
  that a card can be played, that one is meant and nothing is promised.
- Nobody spends a specification on a card that is of no use any more.
- The oldest card that nobody ever pointed at is discarded first; so nobody lets a precious card stand there.

Law: pure. A holder and those who watch that hand read it by the same functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from companion.games.system_won.card_counting import Copies, Faces, Marks, narrowed
from companion.games.system_won.catalog import catalog
from companion.games.system_won.knowledge import Mark, Said
from companion.games.system_won.policy.seat_view import Seen


class Reading(NamedTuple):
    """What a holder makes of a hand, card by card."""

    possible: tuple[Faces, ...]
    """By counting alone."""
    believed: tuple[Faces, ...]
    """By the conventions too."""
    promised: frozenset[int]
    """The slots that a fresh specification promises."""
    next: int | None
    """The slot to play next, if any card is playable for all that is believed of it."""


def read_hand(seen: Seen, seat: int) -> Reading:
    """What the holder of a hand makes of it, as far as this seat can tell."""
    return _read(seen.marks[seat], seen.left[seat], seen.playable, seen.useful)


@lru_cache(maxsize=1 << 14)
def _read(marks: Marks, left: Copies, playable: Faces, useful: Faces) -> Reading:
    found = narrowed(marks, left)
    promised = _promised(marks, found, playable)
    believed = tuple(
        promised.get(slot) or (faces & useful if is_pointed_at(mark) else faces) or faces
        for slot, (mark, faces) in enumerate(zip(marks, found, strict=True))
    )
    reading = Reading(found, believed, frozenset(promised), None)
    ready = [slot for slot, faces in enumerate(believed) if faces and faces <= playable]
    return reading._replace(next=max(ready, key=lambda slot: _urgency(reading, slot, playable), default=None))


@lru_cache(maxsize=1 << 12)
def oldest_blank(marks: Marks) -> int | None:
    """The slot of the card that is discarded first, if there is one that nobody ever pointed at."""
    return next((slot for slot, mark in enumerate(marks) if not is_pointed_at(mark)), None)


def is_pointed_at(mark: Mark) -> bool:
    """Whether a specification has pointed at the card."""
    return mark.color is not None or mark.rank is not None


def _urgency(reading: Reading, slot: int, playable: Faces) -> tuple[bool, bool, int, int]:
    """A promise comes first, since it is no longer fresh after a draw; then what is certain; then low ranks, which let
    others follow; then what is new."""
    certain = reading.possible[slot] <= playable
    lowest = min(catalog().cards[face].rank for face in reading.believed[slot])
    return (slot in reading.promised and not certain, certain, -lowest, slot)


def _promised(marks: Marks, found: Sequence[Faces], playable: Faces) -> dict[int, Faces]:
    """What fresh specifications promise: by slot, the faces that the card then has."""
    promised = dict[int, Faces]()
    for said in _fresh(marks):
        slots = [slot for slot, mark in enumerate(marks) if said in (mark.color, mark.rank)]
        if any(found[slot] <= playable for slot in slots):
            continue
        if could := [slot for slot in slots if found[slot] & playable]:
            promised[could[-1]] = found[could[-1]] & playable
    return promised


def _fresh(marks: Marks) -> Iterator[Said]:
    """What was said since the newest card was drawn."""
    for mark in marks[-1:]:
        yield from mark.not_colors
        yield from mark.not_ranks
        if mark.color:
            yield mark.color
        if mark.rank:
            yield mark.rank
