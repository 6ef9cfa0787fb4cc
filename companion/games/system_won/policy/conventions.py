"""The conventions of careful players: what they mean by their hints.

A position holds no history, so everything is inferred from the knowledge about the cards:

- Nothing is known about a card that has just been drawn. So everything that is known about the newest card of a hand,
  positive or negative, comes from hints that were given since its holder last drew. Such a hint is fresh, and it
  promises that a card can be played.
- Of the cards that a fresh hint points at, the newest that might be playable is the promised card. But if one of them
  is certain to be playable, the hint means that card and promises nothing.
- Nobody spends a specification card on a useless card.
- The oldest card that no hint has pointed at is discarded first, so players give a hint about a valuable card before
  its turn comes.

Law: pure. The holder of a hand and the players who see it use the same functions to interpret it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from companion.games.system_won.card_knowledge import CardKnowledge, HintValue
from companion.games.system_won.catalog import catalog
from companion.games.system_won.policy.seat_view import SeatView
from companion.games.system_won.possible_faces import CopyCounts, Faces, HandKnowledge, narrowed_faces


class Interpretation(NamedTuple):
    """The conclusions that the holder of a hand draws about its cards. Tuples have one item for each slot of the
    hand."""

    possible: tuple[Faces, ...]
    """The possible faces of each card, according to counting alone."""
    believed: tuple[Faces, ...]
    """The possible faces of each card, according to counting and conventions."""
    promised: frozenset[int]
    """The slots of the cards that fresh hints promise to be playable."""
    next_play: int | None
    """The slot to play next. None if no card is believed to be playable."""


def interpret_hand(view: SeatView, seat: int) -> Interpretation:
    """The conclusions that `seat` draws about its own hand, as far as the seat with this `view` can tell. The two may
    be the same seat."""
    return _interpret(view.knowledge[seat], view.unaccounted[seat], view.playable, view.useful)


@lru_cache(maxsize=1 << 14)
def _interpret(knowledge: HandKnowledge, copies: CopyCounts, playable: Faces, useful: Faces) -> Interpretation:
    possible = narrowed_faces(knowledge, copies)
    promised = _promised_faces(knowledge, possible, playable)
    believed = tuple(
        promised.get(slot) or (faces & useful if is_pointed_at(card) else faces) or faces
        for slot, (card, faces) in enumerate(zip(knowledge, possible, strict=True))
    )
    result = Interpretation(possible, believed, frozenset(promised), None)
    slots = [slot for slot, faces in enumerate(believed) if faces and faces <= playable]
    return result._replace(next_play=max(slots, key=lambda slot: _play_priority(result, slot, playable), default=None))


@lru_cache(maxsize=1 << 12)
def next_discard(knowledge: HandKnowledge) -> int | None:
    """The slot of the card that, by convention, should be discarded next: the oldest card that no hint has pointed at.
    None if hints have pointed at all cards."""
    return next((slot for slot, card in enumerate(knowledge) if not is_pointed_at(card)), None)


def is_pointed_at(knowledge: CardKnowledge) -> bool:
    """Whether a hint has pointed at the card that has this `knowledge`."""
    return knowledge.color is not None or knowledge.rank is not None


def _play_priority(hand: Interpretation, slot: int, playable: Faces) -> tuple[bool, bool, int, int]:
    """The sort key of a play. The play with the highest key is made first. A promised card comes first, because the
    promise is no longer fresh after the next draw. Then come plays that are certain to succeed, then low ranks, because
    other cards can follow them, then new cards."""
    is_certain = hand.possible[slot] <= playable
    min_rank = min(catalog().cards[face].rank for face in hand.believed[slot])
    return (slot in hand.promised and not is_certain, is_certain, -min_rank, slot)


def _promised_faces(knowledge: HandKnowledge, possible: Sequence[Faces], playable: Faces) -> dict[int, Faces]:
    """Maps the slot of each card that a fresh hint promises to the playable faces that the card can have."""
    promised = dict[int, Faces]()
    for value in _fresh_hints(knowledge):
        slots = [slot for slot, card in enumerate(knowledge) if value in (card.color, card.rank)]
        if any(possible[slot] <= playable for slot in slots):
            continue
        if candidates := [slot for slot in slots if possible[slot] & playable]:
            promised[candidates[-1]] = possible[candidates[-1]] & playable
    return promised


def _fresh_hints(knowledge: HandKnowledge) -> Iterator[HintValue]:
    """Yields the colors and ranks that hints have named since the newest card was drawn."""
    for card in knowledge[-1:]:
        yield from card.not_colors
        yield from card.not_ranks
        if card.color:
            yield card.color
        if card.rank:
            yield card.rank
