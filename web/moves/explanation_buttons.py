"""The buttons for moves that would explain why the table differs from the match."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from companion.games import move_json
from companion.games.view import Explanation, View
from companion.text.messages import Capitalized, TextLike, WithoutPeriod, _, joined
from web.templating.game_pages import page_of


class ExplanationButton(NamedTuple):
    """The button for a move that would explain why the table differs from the match: the name and the value of its form
    field, and its label."""

    name: str
    value: str
    label: TextLike


def explanation_buttons(view: View) -> Sequence[tuple[TextLike, Sequence[ExplanationButton]]]:
    """The buttons for moves that would explain why the table differs from the match, unless the game's page offers
    these moves itself. Buttons for the same line of the log are in one group, below this line."""
    offered = set(view.choices.possible_moves) if page_of(view.game).asks_for_cards else set()
    groups = dict[str, list[Explanation]]()
    for each in view.choices.explanations:
        if each.move not in offered:
            groups.setdefault(str(_line(each)), []).append(each)
    return [
        (_line(group[0]), [_button(each, each.label[1:]) for each in group])
        if len(group) > 1
        else ("", [_button(group[0], _path(group[0]))])
        for group in groups.values()
    ]


def _path(explanation: Explanation) -> Sequence[TextLike]:
    """The label of a button that stands alone."""
    line, way = _line(explanation), explanation.label[1:]
    return (WithoutPeriod(line), *way) if way else (line,)


def _line(explanation: Explanation) -> TextLike:
    line = explanation.label[0]
    return _("Change the last move: {move}", move=line) if explanation.replaces_last else line


def _button(explanation: Explanation, label: Sequence[TextLike]) -> ExplanationButton:
    name = "correct" if explanation.replaces_last else "move"
    return ExplanationButton(name, move_json.write(explanation.move), Capitalized(joined(": ", label)))
