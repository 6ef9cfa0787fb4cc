"""A file with the results of games, one line of JSON for each, so that an interrupted series can be resumed.

The first line says which games the file contains. If the last line is incomplete, it is dropped.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
from msgspec import Struct

from companion.games.rules import Json
from companion.playouts.series import Figures, Playout

FORMAT = 1


class SavedResultsError(Exception):
    """The error for a file to which no results can be added. The message says what is wrong, and how to fix it."""


class SavedHeader(Struct, frozen=True, kw_only=True):
    """The first line of a file of results, which says which games the file contains. `setup`: the resolved set-up.
    `policies`: the line-ups. `version`: the version of Tablekeeper."""

    format: int = FORMAT
    game: str
    seats: int
    setup: Mapping[str, Json]
    policies: Sequence[str]
    seed: str
    version: str


class SavedPlayout(Struct, frozen=True):
    """The result of one game, as a line of the file. `policy`: the names of the policies that played, joined with
    commas. `game`: the number of the game in its series."""

    policy: str
    game: int
    moves: int
    outcome: Figures


class SavedResults:
    """A file of results that is being written. `played`: the results that the file already contained. Each key is a
    pair: the line-up of policies, and the number of the game."""

    def __init__(self, path: Path, header: SavedHeader) -> None:
        """Opens or creates a file. `header` says which games it contains. Raises SavedResultsError if the file contains
        other games, and OSError if it can't be read or written."""
        before, self.played, size = _read(path)
        wanted: dict[str, Json] = msgspec.to_builtins(header)
        if before is not None and before != wanted:
            wrong = ", ".join(key for key in wanted if before.get(key) != wanted[key]) or "more"
            raise SavedResultsError(f"{path} holds other games (other: {wrong}); name another file.")
        self._file: BinaryIO = path.open("r+b" if path.exists() else "xb")
        self._file.truncate(size)
        self._file.seek(size)
        if before is None:
            self._file.write(_line(header))

    def add(self, lineup: str, playouts: Iterable[Playout]) -> None:
        """Writes results to the file. Raises OSError if the file can't be written."""
        for playout in playouts:
            self._file.write(_line(SavedPlayout(lineup, playout.number, playout.moves, playout.outcome)))
        self._file.flush()

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


def seed_in(path: Path) -> str | None:
    """The seed of the games in a file of results. None if the file is missing or empty. Raises SavedResultsError if the
    file is not a file of results, and OSError if it can't be read."""
    header = _read(path)[0]
    seed = header.get("seed") if header else None
    return seed if isinstance(seed, str) else None


def _read(path: Path) -> tuple[dict[str, Json] | None, dict[tuple[str, int], Playout], int]:
    """Reads a file of results. Returns its header (None if the file is missing or empty), the results after the header,
    and the number of bytes up to the end of the last complete line. Raises SavedResultsError if the file is not a file
    of results, and OSError if it can't be read."""
    if not path.exists():
        return None, {}, 0
    content = path.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    try:
        lines: Sequence[Any] = [json.loads(line) for line in whole.splitlines()]
        if not lines and not content:
            return None, {}, 0
        header, *rows = lines
        saved = msgspec.convert(rows, list[SavedPlayout])
        is_ours = header.get("format") == FORMAT
    except (ValueError, AttributeError, msgspec.ValidationError):
        is_ours = False
    if not is_ours:
        raise SavedResultsError(f"{path} is not a file of simulated games; name another file.")
    results = {(each.policy, each.game): Playout(each.game, each.moves, each.outcome) for each in saved}
    return header, results, len(whole)


def _line(record: Struct) -> bytes:
    return json.dumps(msgspec.to_builtins(record), ensure_ascii=False).encode() + b"\n"
