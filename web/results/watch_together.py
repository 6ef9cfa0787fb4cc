"""The replay that people watch together: one phone steps through it, and the big screen and other phones follow."""

from __future__ import annotations

from dataclasses import dataclass

from companion.match.replay import Replay
from companion.table.table import Table
from companion.text.messages import TextLike


@dataclass(frozen=True)
class SharedStep:
    """The step of a replay that is shown to everyone who follows it. `step`: the number of acts after which the game is
    shown. `perspective`: whose knowledge is shown if the game is over; in a running game, each follower sees what they
    may know. `leader`: the key of the phone that controls the replay. `name`: the name of the leader's player.
    `game_and_version`: the id and version of the table's game just before the replay was read."""

    replay: Replay
    step: int
    perspective: str
    leader: str
    name: TextLike
    game_and_version: tuple[int, int]


class SharedReplay:
    """The shared replay of this table, if there is one. It ends when the leader stops it, when a new game begins, at
    the next act of the running game, and when a person is deleted. It is not stored: a restart ends it too."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._shared: SharedStep | None = None

    def current(self) -> SharedStep | None:
        """The step that is shown now; None if no replay is shared."""
        shared = self._shared
        return shared if shared and shared.game_and_version == self._table.game_and_version else None

    def show(self, shared: SharedStep) -> None:
        """Shows a step to everyone. From now on, the phone in the step's `leader` leads. Does nothing if the table has
        changed since the replay was read, because a game that was over then may be running again."""
        if shared.game_and_version == self._table.game_and_version:
            self._shared = shared
            self._table.refresh()

    def end(self) -> None:
        """Ends the shared replay: the big screen shows the table again."""
        self._shared = None
        self._table.refresh()
