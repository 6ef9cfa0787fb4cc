"""The record that describes a game's own page on phones and screens. Games without a page of their own use the generic
page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.games.first_game_tips import FirstGameTip
from companion.games.rules import Move
from companion.games.view import LogEntry, View


def whole_log(view: View, log: Sequence[LogEntry]) -> Sequence[LogEntry]:
    """Returns the log without any change: the default of `GamePage.log`."""
    return log


@dataclass(frozen=True, kw_only=True)
class GamePage:
    """The parts of a game's own page. `folder` contains the template `page.html` and the style sheet `style.css`."""

    folder: Path
    content: Callable[[View], Any]
    """Makes the variable `content` of the template from a view."""
    own_buttons: tuple[type[Move], ...] = ()
    """The moves whose buttons are on the page itself. The list of moves need not repeat them."""
    asks_for_cards: bool = False
    """Whether the page itself asks which move a misplaced card stands for (see `Choices.possible_moves`)."""
    first_game_tips: tuple[FirstGameTip, ...] = ()
    """The tips that phones show in a first game, in order."""
    log: Callable[[View, Sequence[LogEntry]], Sequence[LogEntry]] = whole_log
    """Returns the log entries that the pages show. A page may leave out entries for groups who have chosen that phones
    remember nothing for them."""
    group_log: Callable[[Sequence[LogEntry]], Sequence[LogEntry]] = tuple
    """Returns the log as people read it at length, with acts that belong together in one entry."""
    heads_every_turn: bool = False
    """Whether the log has a heading for every turn, because a turn takes several acts. If not, only a turn that took
    several acts has one."""
    may_look_back: Callable[[View], bool] = lambda view: True
    """Returns whether people may replay a running game. They may not if the group has chosen that phones remember
    nothing for them."""
