"""The default texts for games that have none of their own. Log lines and button labels are made from the names and
fields of moves. The only key figure is the number of moves.

Law: pure. The texts contain only what the viewer may know about a move.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from companion.games.end_screen import KeyFigure
from companion.games.rules import HOUSE, UNSEEN, Move, Names, Viewer
from companion.text.messages import Number, TextLike, _, joined


def log_line(before: Any, move: Move, after: Any, viewer: Viewer, names: Names) -> TextLike:
    """The log line of a move: the player, the name of the move and its values ("Ann: take, count 3." or "Deal a card
    for Ann.")."""
    known = move.as_known_to(viewer, before)
    name, (objects, details) = _as_words(known.NAME), _value_texts(known, names)
    is_by_house = known.seat == HOUSE
    what = joined(" ", (name.capitalize() if is_by_house else name, *objects))
    act = what if is_by_house else joined(": ", (names[int(known.seat)], what))
    return joined("", (joined(", ", (act, *details)), "."))


def label(state: Any, move: Move, viewer: Viewer, names: Names) -> tuple[TextLike, ...]:
    """The path to a move through the buttons: the name of the move, then a button for each value. Examples: ("Take",
    "count 3") and ("Play", "the Baron")."""
    known = move.as_known_to(viewer, state)
    objects, details = _value_texts(known, names)
    return (_as_words(known.NAME).capitalize(), *objects, *details)


def key_figures(steps: Sequence[tuple[Any, Move, Any]], names: Names) -> Iterator[KeyFigure]:
    """Yields a single key figure: how many moves the players made."""
    yield KeyFigure(_("Moves"), Number(sum(move.seat != HOUSE for _before, move, _after in steps)))


def _value_texts(move: Move, names: Names) -> tuple[list[TextLike], list[TextLike]]:
    """Two lists of texts for the fields of a move, except `seat` and fields that are None. The first list contains the
    objects of the move, which follow its name: the card, such as "the Baron", and the player to whom the card goes. The
    second list contains the names and values of all other fields, such as "count 3". Seats are replaced by players'
    names."""
    values = {field.name: (str(field.type), getattr(move, field.name)) for field in fields(move)}
    found = {name: (kind, value) for name, (kind, value) in values.items() if name != "seat" and value is not None}
    objects: list[TextLike] = []
    if isinstance(card := found.get("card", ("", None))[1], str):
        objects.append("a card" if card == UNSEEN else f"the {_capitalized(_as_words(card))}")
        del found["card"]
    kind, to = found.get("to", ("", None))
    if kind.startswith("Seat") and isinstance(to, int):
        objects.append(joined(" ", ("for" if move.seat == HOUSE else "to", names[to])))
        del found["to"]
    details = (joined(" ", (_as_words(name), _value_text(value, kind, names))) for name, (kind, value) in found.items())
    return objects, [*details]


def _value_text(value: Any, kind: str, names: Names) -> TextLike:
    if kind.startswith("Seat") and isinstance(value, int):
        return names[value]
    if isinstance(value, tuple):
        return joined(" ", (_value_text(item, "", names) for item in value))
    if is_dataclass(value):
        return _as_words(" ".join(str(getattr(value, field.name)) for field in fields(value)))
    return _as_words(str(value))


def _as_words(identifier: str) -> str:
    return identifier.replace("_", " ")


def _capitalized(words: str) -> str:
    return words[:1].upper() + words[1:]
