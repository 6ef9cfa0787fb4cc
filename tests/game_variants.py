"""Copies of games in which one part is replaced, for tests of that part."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from companion.games.game import Game
from companion.tabletop.components import ComponentSet


def with_text(game: Game[Any], **changes: Any) -> Game[Any]:
    """A copy of the game with other texts."""
    return replace(game, text=replace(game.text, **changes))


def with_components(game: Game[Any], components: ComponentSet) -> Game[Any]:
    """A copy of the game with other components."""
    return replace(game, physical=replace(game.physical, components=components))
