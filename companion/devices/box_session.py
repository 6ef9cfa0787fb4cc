"""The host's end of the serial session with the box: received bytes and the time in, bytes to send and input events
out.

Law: pure; no port, no thread. Times are seconds of a monotonic clock. The other end is firmware/link.py; hardware.md
describes the protocol.

A display is the complete state of the lights, so a repeated command is harmless; it is resent until the box
acknowledges it. Input events are numbered and repeated until they are acknowledged. Each number counts once, even if
the box was unplugged in between."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import Literal

from companion.devices import protocol
from companion.devices.box_display import SEATS, Display
from companion.devices.protocol import SEQ_LIMIT, START, Line, Lines, encode, newer
from companion.tabletop.observations import ButtonPressed, DialTurned

HELLO_S = 0.25
PING_S = 0.5
RESEND_S = 0.2
MAX_RESENDS = 3
"""After this many resends without an answer, the host starts again with HELLO."""
MAX_SILENCE_S = 2.0
"""After this long without a line, the host starts again with HELLO. The box reports a lost host after three seconds."""
MAX_OPEN_HELLOS = 16
"""READY may still answer one of this many recent HELLOs."""
FOREIGN_HELLO_S = 2.0
"""The interval of HELLOs to a box with another protocol version, so that its lights keep showing the mismatch."""

InputEvent = ButtonPressed | DialTurned
Phase = Literal["seeking", "ready", "foreign"]


@dataclass(frozen=True)
class Report:
    """The state of the session.

    `phase`: `seeking` until the box answers a HELLO, `foreign` if it speaks another `version` of the protocol. `lost`:
    the number of lines that either end could not read. `round_trip`: the latency of the last answer without a resend,
    seconds."""

    phase: Phase = "seeking"
    version: str = ""
    firmware: str = ""
    round_trip: float | None = None
    lost: int = 0


@dataclass
class _Sent:
    """A command that waits for its answer. `display`: the display of a SHOW."""

    line: Line
    display: Display | None
    first: float
    last: float
    times: int = 1


@dataclass
class _Taken:
    """The number of the last event that counted, and the boot id of the firmware that sent it."""

    boot: str = ""
    number: int = 0


class Link:
    """The host's end. `session` identifies this run of the service; events from before it don't count."""

    def __init__(self, session: str, *, seq: int = 0, version: int = protocol.PROTOCOL) -> None:
        self.report = Report()
        self._session, self._version, self._seq = session, version, seq
        self._lines = Lines()
        self._answers: list[Line] = []
        self._open_hellos: deque[int] = deque(maxlen=MAX_OPEN_HELLOS)
        self._taken = _Taken()
        self._display = Display()
        self._shown_display: Display | None = None
        self._sent: _Sent | None = None
        self._heard = self._due = 0.0

    def show(self, display: Display) -> None:
        """Sets the display."""
        self._display = display

    def opened(self, now: float) -> None:
        """Starts with HELLO on a newly opened port."""
        self._lines.feed(b"\n")  # ends a line that was truncated when the box was unplugged
        self._seek(now)

    def closed(self) -> None:
        """Forgets the box, because the port is closed."""
        self._seek(0.0)

    def receive(self, data: bytes, now: float) -> list[InputEvent]:
        """Takes received bytes; returns the new input events, each once."""
        events = []
        for line in self._lines.feed(data):
            self._heard = now
            match line:
                case Line("READY", seq, (version, firmware, *more)) if self._is_awaited(seq):
                    self._handle_ready(version, firmware, more, now)
                case Line("ACK" | "NAK", seq, args) if self._sent and self._sent.line.seq == seq:
                    self._handle_answer(line.kind, args, self._sent, now)
                case Line("PRESS" | "TURN", number, (_, what)) if self.report.phase == "ready":
                    if self._count(number) and (event := input_event(line.kind, what)):
                        events.append(event)
        return events

    def due(self, now: float) -> bytes:
        """The bytes to write now."""
        lines, self._answers = self._answers, []
        if self.report.phase == "ready":
            lines += self._commands(now)
        if self.report.phase != "ready" and now >= self._due:
            self._due = now + (FOREIGN_HELLO_S if self.report.phase == "foreign" else HELLO_S)
            lines.append(self._line("HELLO", str(self._version), self._session))
            self._open_hellos.append(self._seq)
        return b"".join(START + encode(line) for line in lines)

    def _line(self, kind: str, *args: str) -> Line:
        self._seq = (self._seq + 1) % SEQ_LIMIT
        return Line(kind, self._seq, args)

    def _seek(self, now: float) -> None:
        self.report = replace(self.report, phase="seeking")
        self._answers, self._sent, self._due = [], None, now
        self._open_hellos.clear()

    # Commands --------------------------------------------------------------------------------------

    def _commands(self, now: float) -> list[Line]:
        """The one command that is due, if any. A changed display goes before a command that waits for its answer."""
        sent = self._sent
        showing = sent.display if sent and sent.display else self._shown_display
        if now - self._heard > MAX_SILENCE_S:
            self._seek(now)
            return []
        if showing != self._display:
            return [self._send(self._line("SHOW", *self._display.args()), self._display, now)]
        if sent:
            return self._again(sent, now)
        return [self._send(self._line("PING"), None, now)] if now >= self._due else []

    def _send(self, line: Line, display: Display | None, now: float) -> Line:
        self._sent = _Sent(line, display, now, now)
        return line

    def _again(self, sent: _Sent, now: float) -> list[Line]:
        if now - sent.last < RESEND_S:
            return []
        if sent.times > MAX_RESENDS:
            self._seek(now)
            return []
        sent.last, sent.times = now, sent.times + 1
        return [sent.line]

    # The box's lines -------------------------------------------------------------------------------

    def _is_awaited(self, seq: int) -> bool:
        """Whether a READY answers one of our HELLOs. A READY left over from an earlier service does not: the box would
        go on counting that service's commands, and ignore ours as old."""
        return self.report.phase != "ready" and seq in self._open_hellos

    def _handle_ready(self, version: str, firmware: str, more: list[str], now: float) -> None:
        """Handles READY. Its first two arguments are the same in every version of the protocol."""
        phase: Phase = "ready" if version == str(self._version) else "foreign"
        self.report = replace(self.report, phase=phase, version=version, firmware=firmware)
        if phase == "foreign" or len(more) < 2 or not more[1].isdecimal():
            return
        boot, before_first = more[0], int(more[1]) - 1
        if boot != self._taken.boot or newer(before_first, self._taken.number):
            self._taken = _Taken(boot, before_first % SEQ_LIMIT)
        self._shown_display, self._due = None, now

    def _handle_answer(self, kind: str, args: tuple[str, ...], sent: _Sent, now: float) -> None:
        self._sent, self._due = None, now + PING_S
        if (kind, args) == ("NAK", ("hello",)):
            self._seek(now)
        elif kind == "NAK":
            self.report = replace(self.report, phase="foreign")
        else:
            self._shown_display = sent.display or self._shown_display
            trip = now - sent.first if sent.times == 1 else self.report.round_trip
            theirs = int(args[0]) if args and args[0].isdecimal() else 0
            self.report = replace(self.report, round_trip=trip, lost=self._lines.bad + theirs)

    def _count(self, number: int) -> bool:
        """Whether this is the next event. Older events are acknowledged again. Events after a gap are not, so that the
        box resends all of them."""
        taken = self._taken
        fresh = number == (taken.number + 1) % SEQ_LIMIT
        if fresh:
            taken.number = number
        if not newer(number, taken.number):
            self._answers.append(Line("ACK", taken.number))
        return fresh


def input_event(kind: str, what: str) -> InputEvent | None:
    """The input event in a message. A seat's button means *next* for that seat; pushing the dial means *confirm*."""
    match kind, what:
        case "TURN", steps if steps.removeprefix("-").isdecimal():
            return DialTurned(steps=int(steps))
        case "PRESS", "dial":
            return ButtonPressed(button="confirm")
        case "PRESS", seat if seat in SEATS:
            return ButtonPressed(button="next", seat=SEATS.index(seat))
    return None
