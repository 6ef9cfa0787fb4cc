"""Renders texts as strings in a language, so that a test can compare them."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from functools import partial, wraps
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
    if type(value) in PLAIN:
        return value
    if isinstance(value, Text):
        return translator.render(value)
    if isinstance(value, Mapping):
        return {_rendered(key, translator): _rendered(item, translator) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_rendered(item, translator) for item in value))
    if isinstance(value, tuple | list):
        return type(value)(_rendered(item, translator) for item in value)
    if hasattr(value, "__dataclass_fields__") and not isinstance(value, type | Game | Move):
        return _dataclass_rendered(value, translator)
    return value


def _dataclass_rendered(value: Any, translator: Translator) -> Any:
    """A rendered copy of a dataclass. It is made without calling the constructor, which might create texts again."""
    found = copy.copy(value)
    for field in fields(value):
        if field.name not in POSITIONS:
            object.__setattr__(found, field.name, _rendered(getattr(value, field.name), translator))
    return found
