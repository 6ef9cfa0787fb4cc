"""The PDF queue: draws table packs in the background, one at a time, each in a process of its own. A table pack is a
PDF file with everything to print for a game. Drawing takes seconds, and phones must not wait for it.

Packs with the same content have the same key, and are drawn once. The files are kept until the service ends. If the
service is killed, the next service deletes them.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Literal

import msgspec

from companion.games import GAMES
from companion.games.rules import Json
from companion.printing.options import Contents, PrintOptions
from companion.printing.temporary_print_folder import PrintFolder, delete_abandoned_folders

DRAW_TIMEOUT_S = 180.0
"""How long a pack may take to draw, in seconds. A laptop needs three seconds, a Raspberry Pi some twenty."""
MAX_WAITING = 6
"""How many packs may wait to be drawn."""
MAX_KEPT = 12
"""How many packs are kept. The least recently used ones are deleted first."""
CLOSE_S = 2.0
"""How long `close` waits for the process that draws to end, after it was killed."""
BACKGROUND = 10
"""The niceness of the process that draws: the table and its phones come first."""

Status = Literal["new", "waiting", "drawing", "drawn", "failed"]


@dataclass(frozen=True)
class Pack:
    """The choices that determine a table pack. `setup` is the set-up of a game with the board to print. `has_stickers`:
    whether stickers are printed in place of the cards that people stick them on."""

    game: str
    options: PrintOptions
    setup: tuple[tuple[str, Json], ...] = ()
    has_stickers: bool = False

    @property
    def key(self) -> str:
        """The key of the pack: 32 hexadecimal digits. Packs with the same content have the same key."""
        return sha256(msgspec.json.encode(self, order="deterministic")).hexdigest()[:32]

    @property
    def file_name(self) -> str:
        """The name under which browsers save the file."""
        return f"{self.game}-{self.options.paper}.pdf"


DrawPack = Callable[[Pack, Path], None]
"""A function that writes a pack to a PDF file, and its contents as JSON beside it. It runs in a process of its own."""


class PdfQueue:
    """The packs that have been drawn, and those that wait to be drawn. `on_change` is called from another thread
    whenever the status of a pack has changed."""

    def __init__(self, on_change: Callable[[], None] = lambda: None, draw: DrawPack | None = None) -> None:
        self._on_change, self._draw = on_change, draw or draw_pack
        self._lock = threading.Lock()
        self._statuses: OrderedDict[str, Status] = OrderedDict()
        self._waiting: list[Pack] = []
        self._is_working = self._is_closed = False
        self._process: BaseProcess | None = None
        self._worker: threading.Thread | None = None
        self._folder: PrintFolder | None = None
        delete_abandoned_folders()

    def order(self, pack: Pack) -> bool:
        """Orders a pack, unless it has been drawn or is already waiting. Returns False if too many packs are waiting,
        or the queue is closed."""
        with self._lock:
            if self._statuses.get(pack.key, "failed") != "failed":
                return True
            if len(self._waiting) >= MAX_WAITING or self._is_closed:
                return False
            self._waiting.append(pack)
            self._statuses[pack.key] = "waiting"
            if not self._is_working:
                self._is_working = True
                self._worker = threading.Thread(target=self._work, name="print-queue", daemon=True)
                self._worker.start()
        return True

    def status(self, pack: Pack) -> Status:
        """The status of a pack; "new" if the pack was never ordered, or has been deleted since."""
        with self._lock:
            return self._statuses.get(pack.key, "new")

    def file(self, key: str) -> Path | None:
        """The file of the drawn pack with this key; None if there is none."""
        with self._lock:
            if self._statuses.get(key) != "drawn" or self._folder is None:
                return None
            self._statuses.move_to_end(key)
            return self._folder.path / f"{key}.pdf"

    def contents(self, pack: Pack) -> Contents | None:
        """The contents of a pack's file; None if the pack is not drawn."""
        path = self.file(pack.key)
        return msgspec.json.decode(path.with_suffix(".json").read_bytes(), type=Contents) if path else None

    def close(self) -> None:
        """Ends the process that draws, waits for its end, and deletes the files."""
        with self._lock:
            self._is_closed = True
            self._waiting.clear()
            if self._process:
                self._process.kill()
        if self._worker:
            self._worker.join(CLOSE_S)
        with self._lock:
            if self._folder:
                self._folder.delete()
                self._folder = None

    def _work(self) -> None:
        """Draws the packs that wait, until there are none."""
        while pack := self._next():
            self._on_change()
            is_drawn = self._run(pack)
            with self._lock:
                self._statuses[pack.key] = "drawn" if is_drawn else "failed"
                self._statuses.move_to_end(pack.key)
                self._delete_oldest()
            self._on_change()

    def _next(self) -> Pack | None:
        with self._lock:
            if not self._waiting or self._is_closed:
                self._is_working = False
                return None
            pack = self._waiting.pop(0)
            self._statuses[pack.key] = "drawing"
            return pack

    def _run(self, pack: Pack) -> bool:
        """Draws a pack in a process of its own. Returns whether it was drawn."""
        with suppress(OSError):  # no memory, no processes or no room on the disk
            with self._lock:
                if self._is_closed:
                    return False
                self._folder = self._folder or PrintFolder()
                target = self._folder.path / f"{pack.key}.pdf"
                self._process = multiprocessing.get_context("spawn").Process(
                    target=_run_in_background, args=(self._draw, pack, target), name="print-queue", daemon=True
                )
                self._process.start()
            self._process.join(DRAW_TIMEOUT_S)
            self._process.kill()
            self._process.join()
            return self._process.exitcode == 0
        return False

    def _delete_oldest(self) -> None:
        done = [key for key, status in self._statuses.items() if status in ("drawn", "failed")]
        for key in done[: max(0, len(done) - MAX_KEPT)]:
            del self._statuses[key]
            if self._folder:
                for suffix in (".pdf", ".json"):
                    (self._folder.path / (key + suffix)).unlink(missing_ok=True)


def _run_in_background(draw: DrawPack, pack: Pack, path: Path) -> None:
    """Draws a pack with low priority, because the table comes first. This is the entry point of the process that
    draws."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then ends this process
    with suppress(AttributeError, OSError):
        os.nice(BACKGROUND)
    draw(pack, path)


def draw_pack(pack: Pack, path: Path) -> None:
    """Writes a pack to a file, and its contents as JSON beside it."""
    from companion.printing.pdf import print_game  # loaded only in the process that draws
    from companion.printing.printable_components import with_stickers

    game = GAMES[pack.game]
    game = game.on_board(game.rules.begin(game.rules.seats[0], dict(pack.setup)))
    contents = print_game(with_stickers(game) if pack.has_stickers else game, path, pack.options)
    path.with_suffix(".json").write_bytes(msgspec.json.encode(contents))
