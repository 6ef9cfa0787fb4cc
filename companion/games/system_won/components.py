"""The components of System WON: the cards, the roles and the specification cards, with their codes.

Law: pure data. Role and specification cards have a code on either side, so that the camera sees which side is up.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from companion.games.system_won.catalog import catalog
from companion.tabletop.component_outline import Outline
from companion.tabletop.components import Component

PREFIX: Final = "SW-"
SPECIFICATION_KIND: Final = f"{PREFIX}SPEC"
"""The kind of a face-up specification card. For a face-down card, `companion.tabletop.components.BACK` is appended."""
BACK_SUFFIX: Final = "X"
"""The suffix that turns the code on a component's front into the code on its back."""
CARD_OUTLINE: Final = Outline((63.0, 88.0), (0.0, 11.9))
ROLE_OUTLINE: Final = Outline((63.0, 88.0), (-11.24, -10.6))
SPECIFICATION_OUTLINE: Final = Outline((44.0, 63.0), (0.0, 4.24))


def role_component_id(role: str) -> str:
    """The id of a role card: the prefix and the first three letters of the role. It is this short because a small code
    holds at most 13 characters."""
    return f"{PREFIX}{role[:3].upper()}"


def components() -> tuple[Component, ...]:
    """All components that have a printed code, in the order that wastes the least paper."""
    return (*_cards(), *_roles(), *_specifications())


@cache
def faces_by_code() -> Mapping[str, str]:
    """Maps the code on the front of each system card to its face, and the code on the front of each role card to its
    role. Moves use these faces and roles."""
    return {component.id: component.face for component in components() if component.face}


def _cards() -> tuple[Component, ...]:
    cards, titles = catalog().cards, catalog().components
    return tuple(
        Component(
            id=PREFIX + copy.upper(),
            name=f"{cards[face].color} {cards[face].rank}",
            title=titles[cards[face].rank - 1],
            home="face down on the deck, or in the hand it came from",
            home_zone="deck",
            face=face,
            kind=PREFIX + face,
            outline=CARD_OUTLINE,
        )
        for copy, face in catalog().printed_cards().items()
    )


def _roles() -> tuple[Component, ...]:
    roles = catalog().roles.values()
    return tuple(
        Component(
            role_component_id(role.id),
            f"the {role.title} card",
            role.title,
            face=role.id,
            reverse=role_component_id(role.id) + BACK_SUFFIX,
            outline=ROLE_OUTLINE,
        )
        for role in roles
    )


def _specifications() -> tuple[Component, ...]:
    ids = (f"{SPECIFICATION_KIND}{number}" for number in range(1, catalog().specifications + 1))
    return tuple(
        Component(
            id,
            "a specification card",
            "Specification card",
            kind=SPECIFICATION_KIND,
            reverse=id + BACK_SUFFIX,
            outline=SPECIFICATION_OUTLINE,
        )
        for id in ids
    )


def specification_ids() -> frozenset[str]:
    """The ids of all specification cards. They are the codes on the fronts of the cards."""
    return frozenset(f"{SPECIFICATION_KIND}{number}" for number in range(1, catalog().specifications + 1))
