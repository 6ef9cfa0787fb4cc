"""The service for tests of the drills and of the soak. It notices a lost camera sooner than the real service, and can
have a defect.

`python -m tests.drilled_service run …` runs it. The environment variable DEFECT names the defect, and TEMPLATES the
folder of compiled page templates.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any

from flask import Flask
from jinja2 import FileSystemBytecodeCache

import vision.latest_frame_source

DEFECT = "TABLEKEEPER_TEST_DEFECT"
"""The environment variable that names the defect; without it there is none."""
TEMPLATES = "TABLEKEEPER_TEST_TEMPLATES"
"""The environment variable that names the folder in which the tests store compiled page templates, if there is one."""
MAX_SILENCE_S = 2.0
"""How long the camera may send nothing, in seconds."""

vision.latest_frame_source.MAX_SILENCE_S = MAX_SILENCE_S  # in the camera process too, which loads this module again


def lose_moves() -> None:
    """Acknowledges moves after the third, but does not store them."""
    from companion.match.journal import Journal

    append = Journal.append

    def append_some(journal: Journal, game: int, record: Any) -> None:
        if record.version <= 3:
            append(journal, game, record)

    Journal.append = append_some  # type: ignore[method-assign]


def double_moves() -> None:
    """Makes a move a second time when the phone repeats its request."""
    from companion.match.match import Match

    Match.version_of_action = lambda *_: None  # type: ignore[method-assign]
    Match.check_version = lambda *_: None  # type: ignore[method-assign]


def report_nothing() -> None:
    """Never reports that a device has failed."""
    from companion.table.table import Table

    health = Table.health
    Table.health = lambda table: tuple(each for each in health(table) if each.ok)  # type: ignore[method-assign]


def lose_box() -> None:
    """Never opens the box again after it has been unplugged."""
    from companion.devices.box import Box

    open_first = Box._open_first
    used = set[Box]()

    def open_once(box: Box, paths: Any, now: float) -> None:
        if box not in used:
            open_first(box, paths, now)
            used.add(box)

    Box._open_first = open_once  # type: ignore[method-assign]


def hide_absence() -> None:
    """Shows every phone as online."""
    from web.access.lobby import Lobby

    Lobby.is_online = lambda *_: True  # type: ignore[method-assign]


def ignore_full_disk() -> None:
    """Acknowledges moves that can't be stored."""
    from companion.match.journal import Journal
    from companion.match.journal_error import JournalError

    append = Journal.append

    def try_append(journal: Journal, game: int, record: Any) -> None:
        try:
            append(journal, game, record)
        except JournalError:
            return

    Journal.append = try_append  # type: ignore[method-assign]


def believe_the_clock() -> None:
    """Makes phones join again once the clock has advanced by 60 days, even if their pages are open."""
    from web.access.phones import LIFETIME_DAYS, Phones

    def is_expired(phones: Phones, guest: Any) -> bool:
        return phones._today() - guest.last_used > LIFETIME_DAYS

    Phones._is_expired = is_expired  # type: ignore[method-assign]


def refuse_to_restart() -> None:
    """Does not start if there is a journal already."""
    from companion.commands import CommandError, journal_commands

    open_journal = journal_commands.open_journal

    def open_new(data: Any) -> Any:
        if journal_commands._journal_path(data).exists():
            raise CommandError("There is a journal already.")
        return open_journal(data)

    journal_commands.open_journal = open_new


def leak_descriptors() -> None:
    """Leaves a file open and a thread running for each view that is asked for."""
    from web.api.routes import Api

    view, left_open = Api.view, []

    def leaky_view(api: Api) -> Any:
        left_open.append(open(os.devnull))  # noqa: SIM115
        threading.Thread(target=threading.Event().wait, daemon=True).start()
        return view(api)

    Api.view = leaky_view  # type: ignore[method-assign]


DEFECTS: Mapping[str, Callable[[], None]] = {
    defect.__name__: defect
    for defect in (
        lose_moves,
        double_moves,
        report_nothing,
        lose_box,
        hide_absence,
        ignore_full_disk,
        believe_the_clock,
        refuse_to_restart,
        leak_descriptors,
    )
}


def main() -> int:
    """Runs a command of Tablekeeper, with the defect. Without --camera there is no simulated camera, because it would
    take more time than everything else."""
    from companion.__main__ import main as run_command
    from companion.commands import service_devices

    if folder := os.environ.get(TEMPLATES):
        Flask.jinja_options = {**Flask.jinja_options, "bytecode_cache": FileSystemBytecodeCache(folder)}
    if "--camera" not in sys.argv:
        service_devices.start_camera = lambda *_: None
    if defect := os.environ.get(DEFECT):
        DEFECTS[defect]()
    return run_command()


if __name__ == "__main__":
    sys.exit(main())
