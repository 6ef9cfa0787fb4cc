"""A game's own page on phones and screens, for games that have more than the generic page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.games.rules import Move
from companion.games.view import LogEntry, View


def whole_log(view: View, log: Sequence[LogEntry]) -> Sequence[LogEntry]:
    """Every entry of the log."""
    return log


@dataclass(frozen=True, kw_only=True)
class GamePage:
    """What a game's page is made of. Its folder holds the template `page.html` and the style sheet `style.css`."""

    folder: Path
    content: Callable[[View], Any]
    """What the template draws, as its variable `content`."""
    own_buttons: tuple[type[Move], ...] = ()
    """The moves whose buttons are on the page itself, so that the list of moves need not repeat them."""
    log: Callable[[View, Sequence[LogEntry]], Sequence[LogEntry]] = whole_log
    """What the pages show of the log, where a table may want its phones to forget."""
