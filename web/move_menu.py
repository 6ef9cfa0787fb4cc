"""Moves as a tree of buttons, by the paths that a game's labels give; nothing here knows a game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from companion.games import notation
from companion.games.page import slug
from companion.games.rules import Move, Names
from companion.games.view import View
from web.icons import PIECES

SHORT = 24
"""The length of labels that lie side by side."""
MANY = 12
"""From this many ways on, a list gets a field to search it."""


@dataclass(frozen=True)
class Pick:
    """A set of things to pick from instead of a long list of combinations: what there is, how often."""

    items: tuple[str, ...]
    switches: tuple[str, ...]


@dataclass(frozen=True)
class Choice:
    """A button: a move, or a way to more buttons."""

    label: str
    key: str
    """Stays the same as long as the label's path does, so that an open sheet stays open."""
    move: Move | None = None
    then: tuple[Choice, ...] = ()
    parts: tuple[str, ...] = ()
    """What must be picked for this one, where its parent is picked from: names, then switches, "+ability"."""

    @property
    def value(self) -> str:
        """The move's line, which the button sends."""
        return notation.write(self.move) if self.move else ""

    @property
    def asks(self) -> bool:
        """Whether another player is asked first."""
        return self.move is not None and self.move.asks() is not None

    @property
    def many(self) -> bool:
        """Whether it is worth searching."""
        return len(self.then) > MANY

    @property
    def short(self) -> bool:
        """Whether its ways find room side by side."""
        return all(not way.then and len(way.label) <= SHORT for way in self.then)

    @property
    def pick(self) -> Pick | None:
        """How its moves can be picked together, if they differ in one list of names and in switches only."""
        if len(self.then) < 3 or any(choice.then or not choice.parts for choice in self.then):
            return None
        sets = sorted((choice.parts for choice in self.then), key=len, reverse=True)
        items = [item for each in sets for item in each if not item.startswith("+")]
        switches = dict.fromkeys(item[1:] for each in sets for item in each if item.startswith("+"))
        most = {item: max(each.count(item) for each in sets) for item in dict.fromkeys(items)}
        order = {kind: place for place, kind in enumerate(PIECES)}
        listed = sorted(most, key=lambda item: order.get(item, len(order)))
        return Pick(tuple(item for item in listed for _ in range(most[item])), tuple(switches))


def choices(moves: Iterable[Move], view: View) -> tuple[Choice, ...]:
    """The buttons for some moves of a view."""
    return _grown([(view.choices.labels[move], move) for move in moves], "do")


def _grown(paths: Sequence[tuple[Names, Move]], key: str) -> tuple[Choice, ...]:
    grouped: dict[str, list[tuple[Names, Move]]] = {}
    for path, move in paths:
        grouped.setdefault(path[0], []).append((path[1:], move))
    return tuple(_choice(label, below, f"{key}-{slug(label)}") for label, below in grouped.items())


def _choice(label: str, below: Sequence[tuple[Names, Move]], key: str) -> Choice:
    first, move = below[0]
    if len(below) == 1 and not first:
        return Choice(label, key, move, parts=_parts(move))
    deeper = [(path or (f"{label} {number}",), move) for number, (path, move) in enumerate(below, 1)]
    return Choice(label, key, then=_grown(deeper, key))


def _parts(move: Move) -> tuple[str, ...]:
    """The names in a move's one list, then its switches that are on; empty if it is no move to pick."""
    values = notation.to_json(move)
    lists = [value for value in values.values() if isinstance(value, list)]
    if len(lists) != 1 or not all(isinstance(item, str) for item in lists[0]):
        return ()
    return (*lists[0], *(f"+{key}" for key, value in values.items() if value is True))


def flat(offered: Iterable[Choice]) -> dict[str, Choice]:
    """Every button by its key."""
    return {c.key: c for choice in offered for c in (choice, *flat(choice.then).values())}
