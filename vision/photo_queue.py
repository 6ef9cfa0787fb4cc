"""Reads the codes in photographs from players' phones, with the same decoder as the table's camera.

One photograph is read at a time: on a small computer several would exhaust memory and slow down the game. A phone that
sends many photographs, or photographs that take long to decode, can't keep the others waiting for long.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from companion.tabletop.photo_interface import PhotoError
from vision.photo_process import PhotoProcess, WorkerFunction
from vision.photo_worker import run_photo_worker

MAX_WAITING = 4
"""The number of photographs that may wait while another is read."""
MAX_WAIT_S = 8.0
"""How long a photograph may wait for the photographs before it, in seconds. This is a little longer than it may take to
read one photograph. So even after the slowest photograph, the next one in the queue is still read."""


class PhotoReader:
    """Reads the codes in photographs, in a worker process."""

    def __init__(self, known: frozenset[str], work: WorkerFunction = run_photo_worker) -> None:
        self._queue, self._process = PhotoQueue(), PhotoProcess(known, work)

    def __call__(self, data: bytes, phone: str) -> frozenset[str]:
        """The ids of the known codes in a JPEG or PNG file (`data`). Waits for this phone's turn first. Raises
        PhotoError if the file can't be read, or if the queue refuses the photograph (see `PhotoQueue.turn`)."""
        with self._queue.turn(phone):
            response = self._process.read(data)
        if isinstance(response, str):
            raise PhotoError(response)
        return response

    def close(self) -> None:
        """Ends the worker process."""
        self._process.close()


class PhotoQueue:
    """A first-come, first-served queue of the phones whose photographs are waiting or being read. A phone can be in the
    queue only once."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._phones: list[str] = []

    @contextmanager
    def turn(self, phone: str) -> Iterator[None]:
        """A context manager that waits for this phone's turn. The turn lasts until the block ends. Raises PhotoError if
        the phone has another photograph in the queue, if too many are waiting, or if the phone has to wait for too
        long."""
        self._enter(phone)
        try:
            yield
        finally:
            self._leave(phone)

    def __len__(self) -> int:
        return len(self._phones)

    def _enter(self, phone: str) -> None:
        with self._changed:
            if phone in self._phones or len(self) > MAX_WAITING:
                raise PhotoError("busy")
            self._phones.append(phone)
            if not self._changed.wait_for(lambda: self._phones[0] == phone, MAX_WAIT_S):
                self._phones.remove(phone)
                raise PhotoError("busy")

    def _leave(self, phone: str) -> None:
        with self._changed:
            self._phones.remove(phone)
            self._changed.notify_all()
