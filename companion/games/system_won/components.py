"""What System WON prints with a code: the cards, the roles and the specifications; how their codes are made up.

Law: pure data. A role and a specification have a code on either side, so that the camera sees them turned over.
"""

from __future__ import annotations

from typing import Final

from companion.games.system_won.catalog import catalog
from companion.tabletop.components import Component

PREFIX: Final = "SW-"
SPECIFICATION: Final = f"{PREFIX}SPEC"
"""The kind of all specification cards, front up; with BACK it is spent."""
TURNED: Final = "X"
"""What the code of a back adds to that of the front."""


def role_thing(role: str) -> str:
    """The id of a role's card; three letters of its name, as a small code holds no more than 13 in all."""
    return f"{PREFIX}{role[:3].upper()}"


def things() -> tuple[Component, ...]:
    """Everything that is printed with a code, in the order in which it fills sheets best."""
    return (*_cards(), *_roles(), *_specifications())


def _cards() -> tuple[Component, ...]:
    cards, components = catalog().cards, catalog().components
    return tuple(
        Component(
            id=PREFIX + printed.upper(),
            name=f"{cards[face].color} {cards[face].rank}",
            title=components[cards[face].rank - 1],
            home="on the deck, or in the hand that it came from",
            home_zone="deck",
            kind=PREFIX + face,
        )
        for printed, face in catalog().printed().items()
    )


def _roles() -> tuple[Component, ...]:
    roles = catalog().roles.values()
    return tuple(
        Component(role_thing(role.id), f"the {role.title}", role.title, reverse=role_thing(role.id) + TURNED)
        for role in roles
    )


def _specifications() -> tuple[Component, ...]:
    ids = (f"{SPECIFICATION}{number}" for number in range(1, catalog().specifications + 1))
    return tuple(
        Component(id, "a specification card", "Specification", kind=SPECIFICATION, reverse=id + TURNED) for id in ids
    )
