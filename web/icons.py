"""How cubes and suits look on every page: a colour, a letter and a sign each, from one table.

Colours live in static/style.css by these names, signs are emblems of the games.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from companion import games
from companion.drawing.emblem import load_emblem
from companion.games.game import Game
from companion.games.rules import HOUSE
from companion.games.view import View
from companion.text.translation import _, language, later

GAMES_FOLDER = Path(games.__file__).parent
DRAWN = 6
"""More than these are a deal, not a draw."""


@dataclass(frozen=True)
class Piece:
    """What stands for a kind of token."""

    letter: str
    sign: str


PIECES: Mapping[str, Piece] = {
    later("orange"): Piece("O", "bolt"),
    later("blue"): Piece("B", "gear"),
    later("yellow"): Piece("Y", "flask"),
    later("red"): Piece("R", "cross"),
    later("black"): Piece("K", "compass"),
    later("green"): Piece("G", "atom"),
    later("white"): Piece("W", "surge"),
}

ENDINGS: Mapping[str, str] = {"de": "(?:e[mnrs]?)?"}
"""How a colour's word may end in a sentence, in languages where it does, as a regular expression."""


def piece(kind: str, extra: str = "", words: str | None = None) -> Markup:
    """A token as a small square with its sign and letter; read aloud by its name, or not at all if `words` is empty."""
    look = PIECES.get(kind, Piece(kind[:1].upper(), "dot"))
    said = Markup('role="img" aria-label="{}"').format(_(kind) if words is None else words)
    return Markup('<span class="piece {} {}" {}><svg><use href="#sign-{}"/></svg><b>{}</b></span>').format(
        kind, extra, Markup('aria-hidden="true"') if words == "" else said, look.sign, look.letter
    )


@cache
def symbol(game: str, name: str, id: str, fill: str = "currentColor") -> Markup:
    """An emblem from a game's folder as a <symbol> that pages <use>."""
    return Markup(load_emblem(GAMES_FOLDER / game.replace("-", "_") / "signs" / f"{name}.svg").symbol(id, fill))


def piece_symbols() -> Markup:
    """The signs of all pieces."""
    return Markup("").join(
        symbol("systems-failing", f"resource-{kind}", f"sign-{PIECES[kind].sign}") for kind in PIECES
    )


def drawn(view: View) -> tuple[str, ...]:
    """The tokens that chance brought in the last act, in their order."""
    moves = view.log[-1].moves if view.log and view.log[-1].kind == "move" else ()
    came = (value for move in moves if move["seat"] == HOUSE for value in move.values())
    found = [value for value in came if isinstance(value, str) and value in view.game.physical.components.tokens]
    return tuple(found) if len(found) <= DRAWN else ()


def with_pieces(text: str, game: Game[Any]) -> Markup:
    """Words, each name of a token with the token's picture before it."""
    known = {_(kind): kind for kind in game.physical.components.tokens if kind in PIECES}
    if not known:
        return escape(text)
    colours = "|".join(map(re.escape, known))
    parts = re.split(rf"\b({colours})({ENDINGS.get(language(), '')})\b", text)
    found = zip(parts[::3], parts[1::3], parts[2::3], strict=False)
    named = Markup('{}<span class="named">{}{}</span>')
    said = (named.format(before, piece(known[colour], "small", ""), colour + end) for before, colour, end in found)
    return Markup("").join((*said, escape(parts[-1])))
