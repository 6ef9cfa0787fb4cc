"""Notices about events in a game that are not acts: what a host did, and which phone has looked at what. Everyone can
read them in the log.

The journal stores the notices of the current game.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from typing import Literal

from companion.games.rules import Json
from companion.games.view import LogEntry, View
from companion.table.table import Table
from companion.text.messages import NamingPlayers, Text, _
from companion.text.player_names import bidi_isolate, name_key

NOTE_KEY = "notices"
"""The key of the note in which the journal stores the notices."""
MAX_NOTICES = 200
"""The maximum number of notices in a game. The oldest are dropped first."""

NoticeKind = Literal[
    "seat_freed",
    "phone_removed",
    "late_phone",
    "other_phone",
    "seat_changed",
    "sees_all",
    "allowed_all",
    "hands",
    "reopened",
    "handed_over",
    "taken_back",
    "restored",
]


CALM_KINDS: frozenset[NoticeKind] = frozenset({"handed_over", "taken_back"})
"""The kinds of notices that are not warnings."""


@dataclass(frozen=True)
class Notice:
    """An entry in the log that is not an act: for example that the host freed a seat, or that a phone saw all hands.
    `version`: the version of the game at that time. `who`: the player or phone that the notice is about; for a restored
    backup, the time when it was made. `other`: the player who agreed, if the notice names one."""

    version: int
    kind: NoticeKind
    who: str
    other: str = ""

    @property
    def text(self) -> Text:
        """The notice in words."""
        match self.kind:
            case "seat_freed":
                return _("The host freed {name}’s seat.", name=self.who)
            case "phone_removed":
                return _("The host removed {name}’s phone.", name=self.who)
            case "late_phone":
                return _("A phone took {name}’s seat.", name=self.who)
            case "other_phone":
                return _("Another phone took {name}’s seat.", name=self.who)
            case "seat_changed":
                return _(
                    "A phone that had seen other cards took {name}’s seat. {other} agreed.",
                    name=self.who,
                    other=self.other,
                )
            case "sees_all" if not self.who:
                return _("The host’s browser can now see all cards of this game.")
            case "sees_all":
                return _("{name}’s browser can now see all cards of this game.", name=self.who)
            case "allowed_all" if not self.who:
                return _("The host’s browser can now see all cards of this game. {other} agreed.", other=self.other)
            case "allowed_all":
                return _(
                    "{name}’s browser can now see all cards of this game. {other} agreed.",
                    name=self.who,
                    other=self.other,
                )
            case "hands":
                return _("A screen now shows all hands.")
            case "reopened":
                return _("The host undid the end of the game. Everyone had already seen all cards.")
            case "handed_over":
                return _("The companion now plays for {name}.", name=self.who)
            case "taken_back":
                return _("{name} is back and plays again.", name=self.who)
            case "restored":
                return _("The host restored the backup of {when}.", when=self.who)


class LogNotices:
    """The notices of the current game. Any thread may read them; the lobby's lock protects writing."""

    def __init__(self, table: Table) -> None:
        self._table = table
        stored = table.journal.note(NOTE_KEY) or {}
        self._game: int = stored.get("game", 0)
        self._notices = tuple(Notice(**notice) for notice in stored.get("notices", ()))

    def add(self, kind: NoticeKind, who: str, other: str = "") -> None:
        """Adds a notice to the log of the current game, and shows it on all phones. Does nothing if no game is running.
        `who` and `other` are names, see `Notice`."""
        view = self._table.view()
        if view is None:
            return
        notice = Notice(view.version, kind, who, other)
        self._save(view.id, (*self.of_game(view.id), notice)[-MAX_NOTICES:])
        self._table.show_notice(notice.text)

    def is_calm(self, view: View) -> bool:
        """Whether the notice that phones currently show is harmless, and not a warning."""
        latest = self.of_game(view.id)[-1:]
        return any(each.kind in CALM_KINDS and NamingPlayers(each.text, view.names) == view.notice for each in latest)

    def _save(self, game: int, notices: tuple[Notice, ...]) -> None:
        self._table.journal.save_note(NOTE_KEY, _to_json(game, notices))
        self._game, self._notices = game, notices

    @contextmanager
    def renamed(self, key: str, name: str) -> Iterator[Mapping[str, Json]]:
        """Gives a person another name in all notices, and restores the old name if the `with` block fails. `key`: the
        `name_key` of the person's name, which all spellings of the name share. Yields the changed notices, as a note
        for the block to store."""

        def new_name(old: str) -> str:
            return bidi_isolate(name) if name_key(old) == key else old

        before = self._notices
        self._notices = tuple(replace(each, who=new_name(each.who), other=new_name(each.other)) for each in before)
        try:
            yield {NOTE_KEY: _to_json(self._game, self._notices)}
        except BaseException:
            self._notices = before
            raise

    def of_game(self, id: int) -> tuple[Notice, ...]:
        """The notices of a game, oldest first; none if it is not the current game."""
        return self._notices if id == self._game else ()

    def merged_with(self, log: Sequence[LogEntry], id: int) -> tuple[LogEntry, ...]:
        """Returns a game's log with the game's notices in it, as entries of the kind `notice`. Each notice comes after
        the act that was the latest when the notice was added. If the log does not begin at the start of the game,
        notices from before its first entry are left out."""
        first = log[0].version if log else 0
        notices = [notice for notice in self.of_game(id) if notice.version >= first]
        if not notices:
            return tuple(log)
        return tuple(sorted((*log, *_entries(notices)), key=lambda entry: entry.version))


def _to_json(game: int, notices: Sequence[Notice]) -> Json:
    return {"game": game, "notices": [*map(asdict, notices)]}


def _entries(notices: Sequence[Notice]) -> Iterator[LogEntry]:
    """Yields a log entry for each version that has notices; the entry contains all notices of that version."""
    for version, group in groupby(notices, key=lambda notice: notice.version):
        yield LogEntry(version, "notice", None, (), tuple(notice.text for notice in group))
