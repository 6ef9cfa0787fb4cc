"""What Tablekeeper knows of the box: bytes and the time come in, bytes and what fingers did go out.

Law: no port, no clock, no thread. Times are seconds of any clock that never goes back. The other end is
firmware/link.py; hardware.md describes the line.

A display is the whole of what the box shows, so a command that comes twice does no harm; it is sent again until the
box has said that it has it. What fingers did comes numbered, and again until it is taken; each number counts once,
also when the box was unplugged in between.
"""

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
RESENDS = 3
"""A command that so many resends did not bring across is given up: the box is greeted anew."""
SILENT_S = 2.0
"""So is a box that said nothing for so long; it takes its host for lost after three seconds."""
GREETINGS = 16
"""So many of the last greetings may still be answered."""
FOREIGN_S = 2.0
"""How often a box of another version is greeted, so that its lights go on telling so."""

Touch = ButtonPressed | DialTurned
Phase = Literal["seeking", "ready", "foreign"]


@dataclass(frozen=True)
class Report:
    """How the line fares. `phase`: `seeking` until the box has answered a greeting, `foreign` where it speaks another
    `version` of the protocol. `lost`: the lines that either end could not read; `round_trip`: seconds of the last
    answer that came at the first asking."""

    phase: Phase = "seeking"
    version: str = ""
    firmware: str = ""
    round_trip: float | None = None
    lost: int = 0


@dataclass
class _Sent:
    """A command that waits for its answer. `display`: what a SHOW shows."""

    line: Line
    display: Display | None
    first: float
    last: float
    times: int = 1


@dataclass
class _Taken:
    """The last number that counted, of which run of the firmware."""

    boot: str = ""
    number: int = 0


class Link:
    """The host's end of the line. `session` names this run of the service; what fingers did before it is void."""

    def __init__(self, session: str, *, seq: int = 0, version: int = protocol.PROTOCOL) -> None:
        self.report = Report()
        self._session, self._version, self._seq = session, version, seq
        self._lines = Lines()
        self._answers: list[Line] = []
        self._greetings: deque[int] = deque(maxlen=GREETINGS)
        self._taken = _Taken()
        self._wanted = Display()
        self._has: Display | None = None
        self._sent: _Sent | None = None
        self._heard = self._due = 0.0

    def show(self, display: Display) -> None:
        """What the box shall show from now on."""
        self._wanted = display

    def opened(self, now: float) -> None:
        """A port has been opened: greets whatever is at its other end."""
        self._lines.feed(b"\n")  # what was cut off by the unplugging ends here
        self._seek(now)

    def closed(self) -> None:
        """The port is gone; what is known of the box says nothing of the next one."""
        self._seek(0.0)

    def receive(self, data: bytes, now: float) -> list[Touch]:
        """Takes what came in; returns what fingers did, each once."""
        touches = []
        for line in self._lines.feed(data):
            self._heard = now
            match line:
                case Line("READY", seq, (version, firmware, *more)) if self._is_awaited(seq):
                    self._greeted(version, firmware, more, now)
                case Line("ACK" | "NAK", seq, args) if self._sent and self._sent.line.seq == seq:
                    self._answered(line.kind, args, self._sent, now)
                case Line("PRESS" | "TURN", number, (_, what)) if self.report.phase == "ready":
                    if self._count(number) and (touch := meaning(line.kind, what)):
                        touches.append(touch)
        return touches

    def due(self, now: float) -> bytes:
        """What is to be written now."""
        lines, self._answers = self._answers, []
        if self.report.phase == "ready":
            lines += self._commands(now)
        if self.report.phase != "ready" and now >= self._due:
            self._due = now + (FOREIGN_S if self.report.phase == "foreign" else HELLO_S)
            lines.append(self._line("HELLO", str(self._version), self._session))
            self._greetings.append(self._seq)
        return b"".join(START + encode(line) for line in lines)

    def _line(self, kind: str, *args: str) -> Line:
        self._seq = (self._seq + 1) % SEQ_LIMIT
        return Line(kind, self._seq, args)

    def _seek(self, now: float) -> None:
        self.report = replace(self.report, phase="seeking")
        self._answers, self._sent, self._due = [], None, now
        self._greetings.clear()

    # Commands --------------------------------------------------------------------------------------

    def _commands(self, now: float) -> list[Line]:
        """The one command that is due, if any. A display that has changed goes before what waits for its answer."""
        sent = self._sent
        showing = sent.display if sent and sent.display else self._has
        if now - self._heard > SILENT_S:
            self._seek(now)
            return []
        if showing != self._wanted:
            return [self._send(self._line("SHOW", *self._wanted.args()), self._wanted, now)]
        if sent:
            return self._again(sent, now)
        return [self._send(self._line("PING"), None, now)] if now >= self._due else []

    def _send(self, line: Line, display: Display | None, now: float) -> Line:
        self._sent = _Sent(line, display, now, now)
        return line

    def _again(self, sent: _Sent, now: float) -> list[Line]:
        if now - sent.last < RESEND_S:
            return []
        if sent.times > RESENDS:
            self._seek(now)
            return []
        sent.last, sent.times = now, sent.times + 1
        return [sent.line]

    # The box's lines -------------------------------------------------------------------------------

    def _is_awaited(self, seq: int) -> bool:
        """Whether a READY answers a greeting of ours. One that an earlier service left unread does not: the box would
        go on counting that one's commands, and take ours for old ones."""
        return self.report.phase != "ready" and seq in self._greetings

    def _greeted(self, version: str, firmware: str, more: list[str], now: float) -> None:
        """A READY. The first two arguments are the same in every version of the protocol."""
        phase: Phase = "ready" if version == str(self._version) else "foreign"
        self.report = replace(self.report, phase=phase, version=version, firmware=firmware)
        if phase == "foreign" or len(more) < 2 or not more[1].isdecimal():
            return
        boot, before_first = more[0], int(more[1]) - 1
        if boot != self._taken.boot or newer(before_first, self._taken.number):
            self._taken = _Taken(boot, before_first % SEQ_LIMIT)
        self._has, self._due = None, now

    def _answered(self, kind: str, args: tuple[str, ...], sent: _Sent, now: float) -> None:
        self._sent, self._due = None, now + PING_S
        if (kind, args) == ("NAK", ("hello",)):
            self._seek(now)
        elif kind == "NAK":
            self.report = replace(self.report, phase="foreign")
        else:
            self._has = sent.display or self._has
            trip = now - sent.first if sent.times == 1 else self.report.round_trip
            theirs = int(args[0]) if args and args[0].isdecimal() else 0
            self.report = replace(self.report, round_trip=trip, lost=self._lines.bad + theirs)

    def _count(self, number: int) -> bool:
        """Whether this is the next thing that fingers did. What came before is acknowledged again; what comes after a
        gap is not, so that the box sends all of it once more."""
        taken = self._taken
        fresh = number == (taken.number + 1) % SEQ_LIMIT
        if fresh:
            taken.number = number
        if not newer(number, taken.number):
            self._answers.append(Line("ACK", taken.number))
        return fresh


def meaning(kind: str, what: str) -> Touch | None:
    """What fingers did. A seat's button is that seat's *next*; the dial's push says yes, as *confirm* does."""
    match kind, what:
        case "TURN", steps if steps.removeprefix("-").isdecimal():
            return DialTurned(steps=int(steps))
        case "PRESS", "dial":
            return ButtonPressed(button="confirm")
        case "PRESS", seat if seat in SEATS:
            return ButtonPressed(button="next", seat=SEATS.index(seat))
    return None
