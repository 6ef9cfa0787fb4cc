"""A file with the results of games, one line of JSON for each, so that a simulation that was interrupted can go on.

The first line says which games the file has. A line that was cut off is dropped.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from companion.games.rules import Json
from companion.playouts.series import Playout

FORMAT = 1


class SavedResultsError(Exception):
    """The error for a file that results can't be added to. The message says what is wrong, and how to fix it."""


class SavedResults:
    """A file of results that is being written. `played`: the results that were already in the file; the key is a
    line-up of policies and the number of a game."""

    def __init__(self, path: Path, header: Mapping[str, Json]) -> None:
        """Opens or creates a file. `header` says which games it has. Raises SavedResultsError if the file has other
        games, and OSError."""
        header, self.played = {"format": FORMAT, **header}, dict[tuple[str, int], Playout]()
        before, results, size = _read(path)
        if before is not None and before != header:
            wrong = ", ".join(key for key in header if before.get(key) != header[key]) or "more"
            raise SavedResultsError(f"{path} holds other games (other: {wrong}); name another file.")
        self.played = results
        self._file: BinaryIO = path.open("r+b" if path.exists() else "xb")
        self._file.truncate(size)
        self._file.seek(size)
        if before is None:
            self._file.write(_line(header))

    def add(self, lineup: str, playouts: Iterable[Playout]) -> None:
        """Writes results to the file. Raises OSError."""
        for playout in playouts:
            self._file.write(
                _line(
                    {
                        "policy": lineup,
                        "game": playout.number,
                        "moves": playout.moves,
                        "outcome": dict(playout.outcome),
                    }
                )
            )
        self._file.flush()

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


def seed_in(path: Path) -> str | None:
    """The seed of the games in a file of results; None if the file is missing or empty. Raises SavedResultsError if the
    file holds something else, and OSError."""
    header = _read(path)[0]
    seed = header.get("seed") if header else None
    return seed if isinstance(seed, str) else None


def _read(path: Path) -> tuple[dict[str, Json] | None, dict[tuple[str, int], Playout], int]:
    """The header of a file of results (None if the file is missing or empty), the results after the header, and the
    number of bytes up to the end of the last whole line. Raises SavedResultsError if the file holds something else, and
    OSError."""
    if not path.exists():
        return None, {}, 0
    content = path.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    try:
        lines: Sequence[Any] = [json.loads(line) for line in whole.splitlines()]
        if not lines and not content:
            return None, {}, 0
        header, *rows = lines
        results = {
            (str(row["policy"]), int(row["game"])): Playout(int(row["game"]), int(row["moves"]), dict(row["outcome"]))
            for row in rows
        }
        is_ours = header.get("format") == FORMAT
    except (ValueError, LookupError, TypeError, AttributeError):
        is_ours = False
    if not is_ours:
        raise SavedResultsError(f"{path} is not a file of simulated games; name another file.")
    return header, results, len(whole)


def _line(value: Mapping[str, Json]) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"
