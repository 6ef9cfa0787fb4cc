"""What `tablekeeper simulate` measures in System WON."""

from __future__ import annotations

from companion.games.game import GamePlayouts
from companion.games.system_won.catalog import catalog
from companion.games.system_won.position import Position


def outcome(position: Position) -> dict[str, bool | float | str]:
    """The figures of a finished game: whether it was won, its score, and the title of its rating."""
    rating = catalog().ratings[catalog().rating_index(position.score)]
    return {"won": position.is_won, "score": position.score, "rating": rating.title}


PLAYOUTS: GamePlayouts[Position] = GamePlayouts(
    outcome=outcome,
)
