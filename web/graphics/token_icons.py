"""The icons of tokens and suits on pages. Each has a color and a sign instead of a letter, because letters would not
fit every language.

The colors are in static/style.css under the same names; the emblems come from the games' folders.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from companion import games
from companion.drawing.emblem_files import load_emblem
from companion.games.game import Game
from companion.games.rules import HouseMove
from companion.games.view import View
from companion.text.messages import TextLike, _, gettext_noop
from companion.text.translation import Translator
from web.localization import translate, translator

GAMES_FOLDER = Path(games.__file__).parent
MAX_DRAWN_TOKENS = 6
"""The maximum number of drawn tokens that pages show. An act with more tokens is a deal; pages show none of its
tokens."""


TOKEN_ICONS: Mapping[str, str] = {
    gettext_noop("orange"): "bolt",
    gettext_noop("blue"): "gear",
    gettext_noop("yellow"): "flask",
    gettext_noop("red"): "cross",
    gettext_noop("black"): "compass",
    gettext_noop("green"): "atom",
    gettext_noop("white"): "surge",
}
"""The name of the sign of each kind of token."""

CACHE_SIZE = 4096
"""The size of the cache of icons, and of the cache of texts with icons."""


def token_icon(kind: str, extra: str = "", words: TextLike | None = None) -> Markup:
    """The HTML of a token: a small square with the token's sign or, if the token has no sign, with the first letter of
    its name. `words`: what screen readers say; None for the token's name, "" for nothing. `extra`: an additional CSS
    class."""
    return _icon_html(kind, extra, translate(_(kind) if words is None else words))


@lru_cache(CACHE_SIZE)
def _icon_html(kind: str, extra: str, label: str) -> Markup:
    sign, letter = TOKEN_ICONS.get(kind, "dot"), "" if kind in TOKEN_ICONS else kind[:1].upper()
    role = Markup('role="img" aria-label="{}"').format(label) if label else Markup('aria-hidden="true"')
    letter_html = Markup("<b>{}</b>").format(letter) if letter else ""
    return Markup('<span class="piece {} {}" {}><svg><use href="#icon-{}"/></svg>{}</span>').format(
        kind, extra, role, sign, letter_html
    )


@cache
def symbol(game: str, name: str, id: str, fill: str = "currentColor") -> Markup:
    """An emblem from a game's folder as an SVG <symbol> element with this `id`. Pages draw it with <use>."""
    return Markup(load_emblem(GAMES_FOLDER / game.replace("-", "_") / "svg" / f"{name}.svg").symbol(id, fill))


def token_symbols() -> Markup:
    """The emblems of all token icons, as SVG <symbol> elements."""
    return Markup("").join(
        symbol("systems-failing", f"resource-{kind}", f"icon-{icon}") for kind, icon in TOKEN_ICONS.items()
    )


def drawn_tokens(view: View) -> tuple[str, ...]:
    """The kinds of the tokens that were drawn in the last act, in order; empty if more than `MAX_DRAWN_TOKENS` were
    drawn."""
    moves = view.log[-1].moves if view.log and view.log[-1].kind == "move" else ()
    faces = (move.face for move in moves if isinstance(move, HouseMove))
    tokens = [face for face in faces if face in view.game.physical.components.tokens]
    return tuple(tokens) if len(tokens) <= MAX_DRAWN_TOKENS else ()


class TextsWithIcons(NamedTuple):
    """Turns a game's texts into HTML, with an icon before the name of each token. `tokens`: the kinds of tokens that
    have icons."""

    tokens: tuple[str, ...]

    def __call__(self, text: TextLike) -> Markup:
        """The text as HTML in the requesting phone's language, with an icon before each name of a token."""
        return _html_with_icons(text, self.tokens, translator())


def texts_with_icons(game: Game[Any]) -> TextsWithIcons:
    """Returns a function that turns this game's texts into HTML with icons."""
    return TextsWithIcons(tuple([kind for kind in game.physical.components.tokens if kind in TOKEN_ICONS]))


@lru_cache(CACHE_SIZE)
def _html_with_icons(text: TextLike, tokens: tuple[str, ...], translator: Translator) -> Markup:
    """The text as HTML in the translator's language, with an icon before each name of one of the tokens. No line breaks
    between a number, the icon and the name."""
    text = translator.render(text)
    if not tokens:
        return escape(text)
    kinds = {translator.gettext(kind): kind for kind in tokens}
    colors = "|".join(map(re.escape, kinds))
    endings = "|".join(map(re.escape, translator.facts.color_endings))
    parts = re.split(rf"((?:\b\d+\s)?)\b({colors})((?:{endings})?)\b", text)
    matches = zip(parts[::4], parts[1::4], parts[2::4], parts[3::4], strict=False)
    template = Markup('{}<span class="named">{}{}{}</span>')
    html = (
        template.format(before, number, _icon_html(kinds[color], "small", ""), color + ending)
        for before, number, color, ending in matches
    )
    return Markup("").join((*html, escape(parts[-1])))
