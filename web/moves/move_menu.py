"""Arranges the moves of any game in a tree of buttons, by the labels that the game gives them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from companion.games import move_json
from companion.games.rules import Move
from companion.games.view import View
from companion.text.messages import TextLike, joined
from web.button_ids import slug
from web.graphics.token_icons import TOKEN_ICONS
from web.localization import translate

LabelPath = Sequence[TextLike]
"""The labels of the buttons that lead to a move, from the top of the tree down."""

MAX_COMPACT_LABEL = 24
"""Buttons stand side by side only if no label has more letters than this."""
MAX_UNSEARCHED_BUTTONS = 12
"""The maximum number of buttons in a list without a search field."""


@dataclass(frozen=True)
class Picker:
    """Check boxes that replace a long list of buttons: people tick items and switches instead of looking for the button
    with the right combination. If an item can be picked twice, it is listed twice."""

    items: tuple[str, ...]
    switches: tuple[str, ...]


@dataclass(frozen=True)
class MoveButton:
    """A button that makes a move or opens more buttons."""

    label: TextLike
    key: str
    """Identifies the button; made from the label path. It is the same in the next version of the page, so that an open
    sheet stays open."""
    move: Move | None = None
    children: tuple[MoveButton, ...] = ()
    parts: tuple[str, ...] = ()
    """The items to pick for this move if its parent has a picker: names, then switches such as "+ability"."""

    @property
    def value(self) -> str:
        """The button's move as JSON, which the page sends; "" if the button makes no move."""
        return move_json.write(self.move) if self.move else ""

    @property
    def needs_consent(self) -> bool:
        """Whether another player must consent to the button's move."""
        return self.move is not None and self.move.consenting_seat() is not None

    @property
    def needs_search(self) -> bool:
        """Whether there are so many buttons under this button that they need a search field."""
        return len(self.children) > MAX_UNSEARCHED_BUTTONS

    @property
    def is_compact(self) -> bool:
        """Whether the buttons under this button fit side by side."""
        return all(
            not button.children and len(translate(button.label)) <= MAX_COMPACT_LABEL for button in self.children
        )

    @property
    def picker(self) -> Picker | None:
        """The picker that replaces the buttons under this button. None if a picker can't replace them: their moves must
        differ only in one list of names and in switches."""
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
    """The buttons for `moves`, arranged in a tree by the labels in the view. Returns the buttons at the top of the
    tree."""
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
    """The items to pick for a move: the names in its only list, then its switches that are on, such as "+ability".
    Empty if the move does not fit a picker."""
    values = move_json.to_json(move)
    lists = [value for value in values.values() if isinstance(value, list)]
    if len(lists) != 1 or not all(isinstance(item, str) for item in lists[0]):
        return ()
    return (*lists[0], *(f"+{key}" for key, value in values.items() if value is True))


def buttons_by_key(buttons: Iterable[MoveButton]) -> dict[str, MoveButton]:
    """These buttons and all buttons below them in the tree, by key."""
    return {b.key: b for button in buttons for b in (button, *buttons_by_key(button.children).values())}
