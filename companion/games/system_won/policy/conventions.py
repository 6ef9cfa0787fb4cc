"""What careful players mean by their specifications.

A position holds no history, so everything is inferred from the knowledge of the cards:

- Nothing is known of a newly drawn card. So what the newest card of a hand has been told, positively or negatively, was
  said since its holder last drew: such a specification is fresh, and it promises that a card can be played.
- The promised card is the newest one pointed at that might be playable. But if the specification makes it certain that
  a card is playable, that card is meant and nothing is promised.
- Nobody spends a specification on a useless card.
- The oldest card that was never pointed at is discarded first, so nobody lets a valuable card become that one.

Law: pure. The holder of a hand and the players who see it interpret it by the same functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from companion.games.system_won.card_counting import CopyCounts, Faces, HandKnowledge, narrowed_faces
from companion.games.system_won.catalog import catalog
from companion.games.system_won.knowledge import CardKnowledge, HintValue
from companion.games.system_won.policy.seat_view import SeatView


class Interpretation(NamedTuple):
    """What the holder of a hand concludes about it. Tuples are by slot."""

    possible: tuple[Faces, ...]
    """The possible faces of each card, by counting alone."""
    believed: tuple[Faces, ...]
    """The possible faces of each card, by counting and conventions."""
    promised: frozenset[int]
    """The slots that a fresh specification promises."""
    next_play: int | None
    """The slot to play next; None if no card is believed to be playable."""


def interpret_hand(view: SeatView, seat: int) -> Interpretation:
    """What the holder of a hand concludes about it, as far as the seat of `view` can tell."""
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
    """The slot of the oldest card that was never pointed at, if there is one."""
    return next((slot for slot, card in enumerate(knowledge) if not is_pointed_at(card)), None)


def is_pointed_at(knowledge: CardKnowledge) -> bool:
    """Whether a specification has pointed at the card."""
    return knowledge.color is not None or knowledge.rank is not None


def _play_priority(hand: Interpretation, slot: int, playable: Faces) -> tuple[bool, bool, int, int]:
    """The sort key of plays. A promise comes first, since it is not fresh any more after a draw; then certain plays,
    low ranks, which let others follow, and new cards."""
    is_certain = hand.possible[slot] <= playable
    min_rank = min(catalog().cards[face].rank for face in hand.believed[slot])
    return (slot in hand.promised and not is_certain, is_certain, -min_rank, slot)


def _promised_faces(knowledge: HandKnowledge, possible: Sequence[Faces], playable: Faces) -> dict[int, Faces]:
    """The faces of the cards that fresh specifications promise, by slot."""
    promised = dict[int, Faces]()
    for value in _fresh_hints(knowledge):
        slots = [slot for slot, card in enumerate(knowledge) if value in (card.color, card.rank)]
        if any(possible[slot] <= playable for slot in slots):
            continue
        if candidates := [slot for slot in slots if possible[slot] & playable]:
            promised[candidates[-1]] = possible[candidates[-1]] & playable
    return promised


def _fresh_hints(knowledge: HandKnowledge) -> Iterator[HintValue]:
    """Yields what was said since the newest card was drawn."""
    for card in knowledge[-1:]:
        yield from card.not_colors
        yield from card.not_ranks
        if card.color:
            yield card.color
        if card.rank:
            yield card.rank
