"""Arranges moves in a tree of buttons, by the label paths that the game gives them. Knows no game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from companion.games import notation
from companion.games.button_keys import slug
from companion.games.rules import Move
from companion.games.view import View
from companion.text.messages import TextLike, joined
from web.icons import TOKEN_ICONS
from web.localization import translate

LabelPath = Sequence[TextLike]

MAX_COMPACT_LABEL = 24
"""The most letters in a button's label that still let buttons stand side by side."""
MAX_UNSEARCHED_BUTTONS = 12
"""A list of more buttons than this gets a search field."""


@dataclass(frozen=True)
class Picker:
    """Check boxes for items and switches, in place of a long list of their combinations. An item is listed as often as
    it can be picked."""

    items: tuple[str, ...]
    switches: tuple[str, ...]


@dataclass(frozen=True)
class MoveButton:
    """A button that makes a move or opens more buttons."""

    label: TextLike
    key: str
    """An identifier made from the label path. It is the same in the next version of the page, so that an open sheet
    stays open."""
    move: Move | None = None
    children: tuple[MoveButton, ...] = ()
    parts: tuple[str, ...] = ()
    """The items to pick for this move if its parent has a picker: names, then switches such as "+ability"."""

    @property
    def value(self) -> str:
        """The move in notation, which the button sends; empty without a move."""
        return notation.write(self.move) if self.move else ""

    @property
    def needs_consent(self) -> bool:
        """Whether another player must consent to the move."""
        return self.move is not None and self.move.consenting_seat() is not None

    @property
    def needs_search(self) -> bool:
        """Whether it has enough children to need a search field."""
        return len(self.children) > MAX_UNSEARCHED_BUTTONS

    @property
    def is_compact(self) -> bool:
        """Whether its children fit side by side."""
        return all(
            not button.children and len(translate(button.label)) <= MAX_COMPACT_LABEL for button in self.children
        )

    @property
    def picker(self) -> Picker | None:
        """The picker for its moves, if they differ only in one list of names and in switches."""
        if len(self.children) < 3 or any(button.children or not button.parts for button in self.children):
            return None
        sets = sorted((button.parts for button in self.children), key=len, reverse=True)
        items = [item for each in sets for item in each if not item.startswith("+")]
        switches = dict.fromkeys(item[1:] for each in sets for item in each if item.startswith("+"))
        counts = {item: max(each.count(item) for each in sets) for item in dict.fromkeys(items)}
        order = {kind: place for place, kind in enumerate(TOKEN_ICONS)}
        by_color = sorted(counts, key=lambda item: order.get(item, len(order)))
        return Picker(tuple(item for item in by_color for _ in range(counts[item])), tuple(switches))


def move_buttons(moves: Iterable[Move], view: View) -> tuple[MoveButton, ...]:
    """The top level of the tree for some of a view's moves."""
    return _tree([(view.choices.labels[move], move) for move in moves], "do")


def _tree(paths: Sequence[tuple[LabelPath, Move]], key: str) -> tuple[MoveButton, ...]:
    labels: dict[str, TextLike] = {}
    groups: dict[str, list[tuple[LabelPath, Move]]] = {}
    for (label, *rest), move in paths:
        words = translate(label)
        labels.setdefault(words, label)
        groups.setdefault(words, []).append((rest, move))
    return tuple(_button(labels[words], below, f"{key}-{slug(words)}") for words, below in groups.items())


def _button(label: TextLike, below: Sequence[tuple[LabelPath, Move]], key: str) -> MoveButton:
    first, move = below[0]
    if len(below) == 1 and not first:
        return MoveButton(label, key, move, parts=_picker_parts(move))
    deeper = [(path or (joined(" ", (label, str(number))),), move) for number, (path, move) in enumerate(below, 1)]
    return MoveButton(label, key, children=_tree(deeper, key))


def _picker_parts(move: Move) -> tuple[str, ...]:
    """The names in a move's only list, then its switches that are on; empty if the move does not fit a picker."""
    values = notation.to_json(move)
    lists = [value for value in values.values() if isinstance(value, list)]
    if len(lists) != 1 or not all(isinstance(item, str) for item in lists[0]):
        return ()
    return (*lists[0], *(f"+{key}" for key, value in values.items() if value is True))


def buttons_by_key(buttons: Iterable[MoveButton]) -> dict[str, MoveButton]:
    """All buttons of the trees, by key."""
    return {b.key: b for button in buttons for b in (button, *buttons_by_key(button.children).values())}
