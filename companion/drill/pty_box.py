"""A simulated box at the end of a pseudo-terminal, which can be unplugged. It speaks the box's protocol, but never
resends a message."""

from __future__ import annotations

import os
import pty
import select
import threading
import tty
from contextlib import suppress
from pathlib import Path

from companion.devices.protocol import PROTOCOL, START, Message, MessageReader, encode

FIRMWARE = "1.0"
BOOT = "d1a1"
READ_TIMEOUT_S = 0.1
EVENT_TIMEOUT_S = 10.0
"""How long the service may take to acknowledge an input event, in seconds."""


class PtyBox:
    """A simulated box that can be unplugged. While it is plugged in, the symbolic link at `path` leads to its
    pseudo-terminal. `lamps` has a digit for each of the five seats' lamps."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._reader = MessageReader()
        self._next_event = 1
        self._acknowledged = 0
        self._changed = threading.Condition()
        self._master: int | None = None
        self._thread = threading.Thread()
        self.lamps = ""
        self.plug_in()

    def plug_in(self) -> None:
        """Connects the box through a new pseudo-terminal."""
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        self._path.unlink(missing_ok=True)
        self._path.symlink_to(os.ttyname(self._slave))
        self._thread = threading.Thread(target=self._read, args=(self._master,), name="box", daemon=True)
        self._thread.start()

    def unplug(self) -> None:
        """Cuts the connection. The lamps go out."""
        master, self._master, self.lamps = self._master, None, ""
        if master is not None:
            self._thread.join()
            self._path.unlink()
            os.close(master)
            os.close(self._slave)

    def close(self) -> None:
        """Unplugs the box when it is no longer needed."""
        self.unplug()

    def send_event(self, kind: str, what: str) -> bool:
        """Sends an input event, such as PRESS dial or TURN 1. Returns whether the service has acknowledged it."""
        with self._changed:
            number, self._next_event = self._next_event, self._next_event + 1
            self._send(Message(kind, number, (BOOT, what)))
            return self._changed.wait_for(lambda: self._acknowledged >= number, EVENT_TIMEOUT_S)

    def _read(self, master: int) -> None:
        while self._master == master:
            if select.select([master], [], [], READ_TIMEOUT_S)[0]:
                with suppress(OSError):  # the service has closed its end
                    for message in self._reader.feed(os.read(master, 4096)):
                        self._reply(message)

    def _reply(self, message: Message) -> None:
        match message:
            case Message("HELLO", seq):
                self._send(Message("READY", seq, (str(PROTOCOL), FIRMWARE, BOOT, str(self._next_event), "0")))
            case Message("SHOW", seq, (lamps, *_)):
                self.lamps = lamps
                self._send(Message("ACK", seq, ("0",)))
            case Message("PING", seq):
                self._send(Message("ACK", seq, ("0",)))
            case Message("ACK", seq):
                with self._changed:
                    self._acknowledged = max(self._acknowledged, seq)
                    self._changed.notify_all()

    def _send(self, message: Message) -> None:
        if self._master is not None:
            os.write(self._master, START + encode(message))
