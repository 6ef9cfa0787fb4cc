"""What cards, spaces, metro lines and effects of Commute are called in the language that is spoken."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import TYPE_CHECKING, Literal

from companion.games.commute.board import Board
from companion.games.commute.card_effects import (
    All,
    AtStation,
    ByCommute,
    Choice,
    Effect,
    Minutes,
    Reputation,
    SkipTurn,
    Swap,
)
from companion.games.commute.catalog import boards
from companion.games.commute.deck import title
from companion.games.commute.uh_oh import UhOhCard, uh_oh_cards
from companion.text.translation import _, plural

if TYPE_CHECKING:
    from companion.games.commute.rules import State

Whither = Literal["work", "home", "space"]
"""Where a piece goes: of each, languages speak in their own way."""


def texts() -> Iterator[str]:
    """What is said here of the data, besides the names of what lies on the table."""
    for card in uh_oh_cards().values():
        yield from (card.title, card.text)
    yield from (_line(line) for board in boards().values() for line in board.lines)


def card_name(card: str) -> str:
    """ "7 of hearts"."""
    return _(title(card))


def line_name(line: str) -> str:
    """ "red line". Whoever draws a board of their own calls its lines as they like."""
    known = any(line in board.lines for board in boards().values())
    return _(_line(line)) if known else _("{line} line", line=line)


def place(state: State, space: str) -> str:
    """A space as people call it."""
    if space == state.board.work:
        return _("work")
    return _("home") if space in state.houses else space


def whither(board: Board, space: str) -> Whither:
    """To the workplace, to a house, or to another space."""
    if space == board.work:
        return "work"
    return "home" if space in board.houses else "space"


def signed(number: int) -> str:
    """ "+3" or "−2"."""
    return f"{'−' if number < 0 else '+'}{abs(number)}"


def more_minutes(amount: int) -> str:
    """ "+3 minutes"."""
    return plural("{change} minute", "{change} minutes", abs(amount), change=signed(amount))


def more_reputation(amount: int) -> str:
    """ "−1 reputation"."""
    return _("{change} reputation", change=signed(amount))


def describe(effect: Effect) -> str:
    """What an effect does, in a few words."""
    match effect:
        case Minutes(amount):
            return more_minutes(amount)
        case Reputation(amount):
            return more_reputation(amount)
        case ByCommute(morning, evening):
            return _("{one} in the morning, {other} in the evening", one=describe(morning), other=describe(evening))
        case All(several):
            return reduce(lambda one, other: _("{one} and {other}", one=one, other=other), map(describe, several))
        case Choice(several):
            return reduce(lambda one, other: _("{one} or {other}", one=one, other=other), map(describe, several))
        case AtStation(then, None):
            return _("{effect} on stations", effect=describe(then))
        case AtStation(then, otherwise) if otherwise:
            return _("{one} on stations, {other} elsewhere", one=describe(then), other=describe(otherwise))
        case Swap():
            return _("swap a card")
        case SkipTurn(who):
            return _("lose a turn") if who == "self" else _("make another player lose a turn")
    return _("shut a metro line")


def landing(state: State, space: str) -> str:
    """ "s12, +3 minutes", "work"."""
    if space in state.board.ends:
        return place(state, space)
    there = state.board.spaces[space]
    marks = {"uh_oh": _("“Uh-Oh!”"), "station": line_name(there.line or "")}
    return ", ".join(filter(None, (space, more_minutes(there.minutes), marks.get(there.kind))))


def drawn(card: UhOhCard, name: str) -> str:
    """Who draws a card, and what it says."""
    return _("{name} draws “{title}”. {text}", name=name, title=_(card.title), text=_(card.text))


def _line(line: str) -> str:
    return f"{line} line"
