"""Roles and their abilities on System WON's page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from companion.games.system_won.catalog import Role, catalog
from companion.games.system_won.moves import PlayOther, PlayTwo, SpecifyTwo
from companion.games.system_won.position import Position
from companion.games.system_won.text import ABILITY_TEXTS, ability_timing
from companion.games.view import View
from companion.text.messages import Text, TextLike, _

MY_ABILITY = _("Its button is “My ability”, below, whenever you can use it.")
ON_THE_HAND = _("Its button is above your hand while you can use it.")
ABILITY_LOCATIONS: Mapping[str, Text] = {
    PlayOther.use: _("Tap that player’s card."),
    SpecifyTwo.use: ON_THE_HAND,
    PlayTwo.use: ON_THE_HAND,
}
"""Maps abilities to texts that say where on the page the ability is used. The text for all other abilities is
`MY_ABILITY`."""


@dataclass(frozen=True)
class AbilityView:
    """An ability as the page explains it: when it may be used, what it does, and where on the page its button is.
    `when` and `where` are "" if the page need not say this."""

    when: TextLike
    what: TextLike
    where: TextLike


@dataclass(frozen=True)
class RoleCard:
    """A role card in front of a seat."""

    title: Text
    used: bool
    abilities: tuple[AbilityView, ...]

    @property
    def usage_limit(self) -> Text:
        """How often the abilities may be used: "Only one of these, once per game." for a role with several
        abilities, "Once per game." for all others."""
        return _("Only one of these, once per game.") if self.abilities[1:] else _("Once per game.")


def role_of(position: Position, seat: int) -> RoleCard | None:
    """The role card in front of a seat. None if there is none."""
    role = catalog().roles.get(position.roles[seat] or "") if position.roles else None
    return _role_card(role, role.id in position.used_roles) if role else None


@cache
def _role_card(role: Role, used: bool) -> RoleCard:
    abilities = tuple(
        AbilityView(ability_timing(use), ABILITY_TEXTS[use], ABILITY_LOCATIONS.get(use, MY_ABILITY))
        for use in role.abilities
    )
    return RoleCard(_(role.title), used, abilities)


def own_abilities(view: View, position: Position) -> tuple[AbilityView, ...]:
    """The abilities that the viewer can still use, and how often they may be used."""
    role = role_of(position, view.viewer) if isinstance(view.viewer, int) else None
    if role is None or role.used:
        return ()
    here = (replace(able, where="") if able.where == MY_ABILITY else able for able in role.abilities)
    return (*here, AbilityView("", role.usage_limit, ""))
