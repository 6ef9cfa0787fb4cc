"""The drill in which the disk becomes full in the middle of a game."""

from __future__ import annotations

import time

from companion.drill.acknowledged_moves import PlannedMove
from companion.drill.environment import DrillEnvironment
from companion.drill.fillable_disk import Disk, MemoryDisk, fillable_disk
from companion.drill.outcome import DrillFailed, RecoveryReport, wait_until
from companion.drill.phone import Phone, Refused
from companion.drill.players import Players

NOTICE_S = 10.0
REFUSED_TRIES = 3


def fill_disk(environment: DrillEnvironment) -> RecoveryReport:
    """Fills the disk, lets a phone try to move, and makes room again."""
    disk = fillable_disk(environment)
    with disk.service as service:
        players = Players(service, environment.game)
        players.play(3)
        phone, planned = players.next_move()
        disk.fill()
        refusal = [_refusal(players, phone, planned) for _ in range(REFUSED_TRIES)][-1]
        _check_unchanged(players, planned)
        warning = _warning(players, disk)
        emptied_at = time.monotonic()
        disk.empty()
        players.submit(phone, planned)
        players.play(2)
        seconds = time.monotonic() - emptied_at
        wait_until(lambda: players.is_working("disk"), "The report that there is room", NOTICE_S)
        players.check_journal(disk.data)
    return RecoveryReport(
        f"“{refusal}”{warning}; every page could be read.{disk.limitation}",
        "the refused move, which was sent again and counted once, and the next moves.",
        seconds,
    )


def _refusal(players: Players, phone: Phone, planned: PlannedMove) -> str:
    """The message with which the service refuses a planned move. Raises DrillFailed if the service acknowledges the
    move."""
    try:
        players.submit(phone, planned)
    except Refused as refused:
        if refused.code == "journal_failed":
            return str(refused)
        raise
    raise DrillFailed("A move was acknowledged, although nothing could be stored.")


def _check_unchanged(players: Players, planned: PlannedMove) -> None:
    """Raises DrillFailed if a refused move has changed something, or if a page can't be read."""
    if players.version != planned.version - 1:
        raise DrillFailed("A move that was refused changed the game.")
    for phone, path in ((players.host, "/host"), (players.host, "/table"), *((p, "/play") for p in players.phones)):
        phone.get(path)


def _warning(players: Players, disk: Disk) -> str:
    """The clause that says how /healthz reports the full disk, for the end of a sentence. "" if the size of files was
    limited instead, because /healthz does not show that."""
    if not isinstance(disk, MemoryDisk):
        return ""
    health = wait_until(lambda: _disk_problem(players), "The report that the disk is full", NOTICE_S)
    return f", and /healthz: “{health.replace(str(disk.service.data), 'the data folder')}”"


def _disk_problem(players: Players) -> str:
    health = players.health("disk")
    return "" if health is None or health.ok else health.says
