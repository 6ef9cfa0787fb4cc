"""Cards on System WON's page: their faces, and what hints have said about them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

from companion.games.system_won.card_knowledge import CardKnowledge
from companion.games.system_won.catalog import catalog
from companion.games.system_won.display_names import card_name
from companion.games.system_won.position import Position
from companion.games.system_won.possible_faces import possible_faces
from companion.games.view import View
from companion.text.messages import Text, TextLike, _, joined


@dataclass(frozen=True)
class CardFace:
    """A card's face, as the page draws it."""

    name: str
    color: str
    rank: int

    @property
    def spoken_name(self) -> Text:
        """The name that screen readers read aloud, such as "red 3"."""
        return card_name(self.color, self.rank)


@dataclass(frozen=True)
class ShownKnowledge:
    """The part of what hints have said about a card that phones may show, according to the option `aids`."""

    color: str | None = None
    rank: int | None = None
    not_colors: tuple[str, ...] = ()
    not_ranks: tuple[int, ...] = ()
    possible: tuple[CardFace, ...] = ()
    """The faces that the card can have, as found by counting cards. Empty if phones don't show them."""

    @property
    def is_specified(self) -> bool:
        """Whether a hint pointed at the card."""
        return self.color is not None or self.rank is not None

    @property
    def no_colors(self) -> TextLike:
        """The colors that the card does not have, as a text for screen readers: "not red, not blue"."""
        return joined(", ", (_("not {color}", color=_(color)) for color in self.not_colors))

    @property
    def no_ranks(self) -> TextLike:
        """The ranks that the card does not have, as a text for screen readers: "no 1, no 5"."""
        return joined(", ", (_("no {rank}", rank=rank) for rank in self.not_ranks))


@cache
def face_of(name: str) -> CardFace:
    """The face with this name, such as "R3"."""
    card = catalog().cards[name]
    return CardFace(name, card.color, card.rank)


def hand_knowledge(view: View, position: Position, seat: int) -> tuple[ShownKnowledge, ...]:
    """For each slot of a hand, the knowledge about its card that the page shows."""
    hand, aids = position.hands[seat], view.options.get("aids")
    if aids == "none":
        return (ShownKnowledge(),) * len(hand)
    counts = aids == "counting" and seat == view.viewer
    possible = possible_faces(position, seat) if counts else ((),) * len(hand)
    return tuple(
        _shown_knowledge(card.knowledge, tuple(faces), positive_only=aids == "said")
        for card, faces in zip(hand, possible, strict=True)
    )


@lru_cache(maxsize=1024)
def _shown_knowledge(knowledge: CardKnowledge, faces: tuple[str, ...], *, positive_only: bool) -> ShownKnowledge:
    return ShownKnowledge(
        knowledge.color,
        knowledge.rank,
        () if positive_only or knowledge.color else knowledge.excluded_colors,
        () if positive_only or knowledge.rank else knowledge.excluded_ranks,
        tuple(map(face_of, faces)),
    )
