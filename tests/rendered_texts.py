"""Renders texts as strings in a language, so that a test can compare them."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from functools import cache, partial, wraps
from typing import Any, ParamSpec, TypeVar

import pytest

from companion.games.game import Game
from companion.games.rules import Move
from companion.text.messages import Text, TextError
from companion.text.translation import Translator

P = ParamSpec("P")
T = TypeVar("T")
POSITIONS = ("position", "previous_position")
"""The fields of a view that hold no texts."""
PLAIN = (str, int, float, bool, type(None), frozenset)
"""Types of values without texts: most values of a view."""


def rendered(value: T, code: str) -> T:
    """`value` with every text in it as a string: a view, the content of a page, or a list of sentences."""
    return _rendered(value, Translator(code))  # type: ignore[no-any-return]  # a string stands for a text


english = partial(rendered, code="en")
german = partial(rendered, code="de")


def in_english(function: Callable[P, T]) -> Callable[P, T]:
    """A function that calls `function` and renders its result in English."""
    return wraps(function)(lambda *args, **kwargs: english(function(*args, **kwargs)))


def in_german(function: Callable[P, T]) -> Callable[P, T]:
    """A function that calls `function` and renders its result in German."""
    return wraps(function)(lambda *args, **kwargs: german(function(*args, **kwargs)))


@contextmanager
def refused_in_german(kind: type[TextError], match: str) -> Iterator[None]:
    """Checks that the block raises `kind` with a message that matches `match` in German."""
    with pytest.raises(kind) as caught:
        yield
    message = german(caught.value.message)
    assert re.search(match, str(message)), message


def _rendered(value: Any, translator: Translator) -> Any:
    kind = type(value)
    if kind in PLAIN:
        return value
    if isinstance(value, Text):
        return translator.render(value)
    if names := _field_names(kind):
        return _dataclass_rendered(value, names, translator)
    if kind is tuple or kind is list:
        return kind([_rendered(item, translator) for item in value])
    if isinstance(value, Mapping):
        return {_rendered(key, translator): _rendered(item, translator) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return kind(*(_rendered(item, translator) for item in value))
    return value


@cache
def _field_names(kind: type) -> tuple[str, ...]:
    """The fields of a dataclass that may hold texts; empty for other types, and for games and moves."""
    if not is_dataclass(kind) or issubclass(kind, Game | Move):
        return ()
    return tuple(field.name for field in fields(kind) if field.name not in POSITIONS)


def _dataclass_rendered(value: Any, names: tuple[str, ...], translator: Translator) -> Any:
    """A dataclass with its texts rendered. A copy is made without calling the constructor, which might create texts
    again."""
    changed = {}
    for name in names:
        old = getattr(value, name)
        if (new := _rendered(old, translator)) is not old:
            changed[name] = new
    if not changed:
        return value
    found = copy.copy(value)
    for name, new in changed.items():
        object.__setattr__(found, name, new)
    return found
