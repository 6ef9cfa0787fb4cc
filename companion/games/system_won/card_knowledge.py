"""What hints have said about a card in a hand.

Two terms differ from the rules. In the rules, a player "specifies" information; in the code, the player gives a hint.
In the code, a specification is only the card that is turned face down to pay for a hint.

Law: pure. Nothing is inferred. The knowledge of a card holds only what each hint to the card's holder says about this
card, no matter whether the hint pointed at it.
"""

from __future__ import annotations

from functools import cache

from companion.games.immutable import Immutable
from companion.games.system_won.catalog import RANKS, Card, catalog
from companion.games.system_won.position_json_types import KnowledgeJson

HintValue = str | int
"""The color or the rank that a hint names."""


class CardKnowledge(Immutable, frozen=True):
    """What hints have said about a card: its `color` and `rank`, and the colors and ranks in hints that did not point
    at the card (`not_colors`, `not_ranks`)."""

    color: str | None = None
    rank: int | None = None
    not_colors: frozenset[str] = frozenset()
    not_ranks: frozenset[int] = frozenset()

    def allows(self, card: Card) -> bool:
        """Whether everything that hints have said about a card fits `card`, a kind of card."""
        return (
            self.color in (None, card.color)
            and self.rank in (None, card.rank)
            and card.color not in self.not_colors
            and card.rank not in self.not_ranks
        )

    @property
    def excluded_colors(self) -> tuple[str, ...]:
        """The colors that hints have excluded, in the order of the suits."""
        return tuple(color for color in catalog().colors if color in self.not_colors) if self.not_colors else ()

    @property
    def excluded_ranks(self) -> tuple[int, ...]:
        """The ranks that hints have excluded, the lowest first."""
        return tuple(rank for rank in RANKS if rank in self.not_ranks) if self.not_ranks else ()

    def to_json(self) -> KnowledgeJson:
        return {
            "color": self.color,
            "rank": self.rank,
            "not_colors": list(self.excluded_colors),
            "not_ranks": list(self.excluded_ranks),
        }


NO_KNOWLEDGE = CardKnowledge()


@cache
def allowed_cards(knowledge: CardKnowledge) -> tuple[Card, ...]:
    """The kinds of cards that fit everything that hints have said about a card."""
    return tuple(card for card in catalog().cards.values() if knowledge.allows(card))


@cache
def with_positive_hint(knowledge: CardKnowledge, value: HintValue) -> CardKnowledge:
    """What is known about a card after a hint that pointed at it and named `value`. If an earlier hint named another
    color, the two hints contradict each other. The earlier color is then both kept and excluded, so no face is
    possible. Contradictory ranks are treated in the same way."""
    if isinstance(value, str):
        if knowledge.color not in (None, value):
            return with_negative_hint(knowledge, knowledge.color)
        return knowledge.replace(color=value)
    if knowledge.rank not in (None, value):
        return with_negative_hint(knowledge, knowledge.rank)
    return knowledge.replace(rank=value)


@cache
def with_negative_hint(knowledge: CardKnowledge, value: HintValue) -> CardKnowledge:
    """What is known about a card after a hint that named `value` but did not point at the card."""
    if isinstance(value, str):
        return knowledge.replace(not_colors=knowledge.not_colors | {value})
    return knowledge.replace(not_ranks=knowledge.not_ranks | {value})


class HandCard(Immutable, frozen=True):
    """A card in a hand. Its face is "?" as long as nobody has seen it."""

    face: str
    knowledge: CardKnowledge = NO_KNOWLEDGE
    deal_number: int = -1
    """The number of the deal that brought the card, counted from 0 over the whole game. If the camera read the card's
    code at that deal, the number links the code to the card."""


Hand = tuple[HandCard, ...]
"""A hand. The oldest card comes first, unless the holder has rearranged the hand."""
