"""The names of the cards, spaces, metro lines and effects of Commute, translated for the reader."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import Final, Literal

from companion.games.commute.board import Board
from companion.games.commute.board_reader import boards
from companion.games.commute.position import Position
from companion.games.commute.suits_and_ranks import title
from companion.games.commute.uh_oh_cards import UhOhCard, uh_oh_cards
from companion.games.commute.uh_oh_effect_types import (
    AllOf,
    AtStation,
    ByCommute,
    Choice,
    Effect,
    Minutes,
    Reputation,
    SkipTurn,
    Swap,
)
from companion.text.messages import Text, TextLike, _, plural
from companion.text.player_names import shortened_name

MAX_SIGN_LETTERS: Final = 8
"""The maximum number of characters of a metro line's name on its signs."""
DestinationKind = Literal["work", "home", "space"]
"""The kinds of destinations, each with wordings of its own: "to work", "home" or "to s12"."""


def translatable_texts() -> Iterator[str]:
    """Yields the texts in the data files that must be translated, except the names of components."""
    for card in uh_oh_cards().values():
        yield from (card.title, card.text)
    yield from (
        text for board in boards().values() for line in board.lines for text in (_line_title(line), line.upper())
    )


def card_name(card: str) -> Text:
    """The translated name of a card: "7 of hearts"."""
    return _(title(card))


def line_name(line: str) -> Text:
    """The name of a metro line, such as "red line". It is translated if the line is on a built-in board."""
    return _(_line_title(line)) if _is_built_in(line) else _("{line} line", line=line)


def line_sign(line: str) -> TextLike:
    """The text on a metro line's signs on the map, such as "RED". It is translated if the line is on a built-in board.
    A long name is shortened, but not to a single letter, which would look like a house's letter."""
    return _(line.upper()) if _is_built_in(line) else shortened_name(line.upper(), MAX_SIGN_LETTERS)


def _is_built_in(line: str) -> bool:
    return any(line in board.lines for board in boards().values())


def space_name(position: Position, space: str) -> TextLike:
    """The name of a space: "work" for the workplace, "home" for a player's house, and the id for any other space."""
    if space == position.board.work:
        return _("work")
    return _("home") if space in position.houses else space


def destination_kind(board: Board, space: str) -> DestinationKind:
    """The kind of a destination: the workplace, a house, or any other space."""
    if space == board.work:
        return "work"
    return "home" if space in board.houses else "space"


def signed(number: int) -> str:
    """A number with its sign: "+3" or "−2"."""
    return f"{'−' if number < 0 else '+'}{abs(number)}"


def more_minutes(amount: int) -> Text:
    """A change of minutes as text: "+3 minutes"."""
    return plural("{change} minute", "{change} minutes", abs(amount), change=signed(amount))


def more_reputation(amount: int) -> Text:
    """A change of reputation as text: "−1 reputation"."""
    return _("{change} reputation", change=signed(amount))


def effect_summary(effect: Effect) -> Text:
    """A short description of an effect: "−2 reputation or +5 minutes"."""
    match effect:
        case Minutes(amount):
            return more_minutes(amount)
        case Reputation(amount):
            return more_reputation(amount)
        case ByCommute(morning, evening):
            in_morning, in_evening = effect_summary(morning), effect_summary(evening)
            return _("{one} in the morning, {other} in the evening", one=in_morning, other=in_evening)
        case AllOf(effects):
            return reduce(lambda one, other: _("{one} and {other}", one=one, other=other), map(effect_summary, effects))
        case Choice(effects):
            return reduce(lambda one, other: _("{one} or {other}", one=one, other=other), map(effect_summary, effects))
        case AtStation(then, None):
            return _("{effect} on stations", effect=effect_summary(then))
        case AtStation(then, otherwise) if otherwise:
            return _("{one} on stations, {other} elsewhere", one=effect_summary(then), other=effect_summary(otherwise))
        case Swap():
            return _("swap a card")
        case SkipTurn(who):
            return _("lose a turn") if who == "self" else _("make another player lose a turn")
    return _("close a metro line")


def uh_oh_text(card: UhOhCard, name: str) -> Text:
    """The text that says who draws an "Uh-Oh!" card, followed by the card's text. `name` is the player's name."""
    return _("{name} draws “{title}”: “{text}”", name=name, title=_(card.title), text=_(card.text))


def _line_title(line: str) -> str:
    return f"{line} line"
