"""Makes the header of a new game, after all values have been checked.

Law: pure."""

from __future__ import annotations

from collections.abc import Mapping

from companion.games import GAMES
from companion.games.rules import Json
from companion.match.fair_shuffle import FairShuffle
from companion.match.stored_game import Header
from companion.text.default_names import default_name
from companion.text.messages import Text, _
from companion.text.refusal_errors import SetupError


def unknown_game(name: str) -> Text:
    """The message that there is no game of this name. It lists the games that there are."""
    return _("There’s no game called {name}. Choose from {known}.", name=repr(name), known=", ".join(GAMES))


def new_header(
    name: str,
    seats: int | None,
    setup: Mapping[str, Json],
    dealers: Mapping[str, str],
    players: tuple[str, ...],
    seed: str,
    shuffle: FairShuffle | None = None,
) -> Header:
    """The header of a new game, after all values have been checked. Raises SetupError if a value is wrong. Players
    without a name get a default name."""
    game = GAMES.get(name)
    if game is None:
        raise SetupError(unknown_game(name))
    count = game.rules.seat_count(seats)
    resolved = game.rules.resolve_setup(setup)
    game.rules.begin(count, resolved)
    game.check_dealers(dealers)
    named = tuple(players[i] if i < len(players) and players[i] else str(default_name(i)) for i in range(count))
    return Header(game.name, game.rules.version, count, resolved, dealers, named, seed, shuffle)
