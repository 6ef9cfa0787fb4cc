"""What the box knows of its host: bytes and the time come in, lines go out.

Law: no pins, no clock, no waiting. The other end is companion/devices/box_session.py.

The host's commands say how everything shall be, so one that comes twice does no harm. What fingers did is numbered,
kept and sent again until the host has taken it.
"""

import protocol
from protocol import START, Line, Lines, encode, newer

FIRMWARE = "1.0"
LOST_MS = 3000
"""A host that was silent for so long is lost. It pings several times a second."""
RESEND_MS = 250
KEPT_MS = 5000
"""What fingers did longer ago is forgotten when a lost host comes back: nobody expects it to count any more."""
KEPT_MOST = 32
AT_ONCE = 8
OUT_MOST = 24
SEATS = 5

NEVER, LOST, FOREIGN, HERE = range(4)


class Display:
    """What the host wants shown: `lamps` a letter a seat (0 off, 1 on, b blinking), the `bars`, the `dial`'s point, and
    `beeps`, a count that beeps when it changes. `pixels`: what that is on the bars. Raises ValueError."""

    def __init__(self, render, lamps: str, first: str, second: str, dial: str, beeps: str) -> None:
        self.lamps, self.beeps, self.pixels = lamps, int(beeps), render(first, second, dial)
        if len(lamps) != SEATS or lamps.strip("01b"):
            raise ValueError(lamps)


class Link:
    """The box's end of the line. `boot` names this run of the firmware; `render` turns two meters and the dial's point
    into pixels, or raises ValueError."""

    def __init__(self, boot: str, render) -> None:
        self.host = NEVER
        self.display = None
        self.out = []
        self._boot, self._render = boot, render
        self._lines = Lines()
        self._session = ""
        self._seq = 0
        self._heard = 0
        self._events = []  # (number, ms, line), oldest first
        self._next = 1
        self._resend = 0

    def receive(self, data: bytes, now: int) -> None:
        """Takes what came in."""
        for line in self._lines.feed(data):
            self._heard = now
            if line.kind == "HELLO":
                self._hello(line, now)
            elif line.kind == "ACK":
                self._taken(line.seq)
            elif line.kind in ("SHOW", "PING"):
                self._command(line)

    def tick(self, now: int) -> None:
        """Notices a host that fell silent, and sends again what it has not taken."""
        if self.host in (HERE, FOREIGN) and now - self._heard > LOST_MS:
            self.host = LOST
        if self.host == HERE and self._events and now - self._resend >= RESEND_MS:
            self._resend = now
            for _, _, line in self._events[:AT_ONCE]:
                self._send(line)

    def tell(self, kind: str, what: str, now: int) -> bool:
        """Tells the host what a finger did; False where it can't count because no host listens."""
        if self.host != HERE or len(self._events) >= KEPT_MOST:
            return False
        line = Line(kind, self._next, (str(now), what))
        if not self._events:
            self._resend = now
        self._events.append((self._next, now, line))
        self._next = (self._next + 1) % protocol.SEQ_LIMIT
        self._send(line)
        return True

    # The host's lines --------------------------------------------------------------------------------

    def _hello(self, line: Line, now: int) -> None:
        version, session = (line.args + ("", ""))[:2]
        ours = version == str(protocol.PROTOCOL)
        if ours:
            self._greeted(line.seq, session, now)
        self.host = HERE if ours else FOREIGN
        first = self._events[0][0] if self._events else self._next
        self._reply("READY", line.seq, str(protocol.PROTOCOL), FIRMWARE, self._boot, str(first), str(now))

    def _greeted(self, seq: int, session: str, now: int) -> None:
        """Keeps what the host has not taken, unless it is another host by now, or too late."""
        another = session != self._session
        if another or (self._events and now - self._events[0][1] > KEPT_MS):
            self._events = []
        if another or newer(seq, self._seq):
            self._seq = seq
        self._session = session

    def _command(self, line: Line) -> None:
        if self.host != HERE:
            self._reply("NAK", line.seq, "hello")
            return
        if line.kind == "SHOW" and not newer(self._seq, line.seq):
            try:
                display = Display(self._render, *line.args)
            except (ValueError, TypeError):
                self._reply("NAK", line.seq, "args")
                return
            self._seq, self.display = line.seq, display
        self._reply("ACK", line.seq, str(self._lines.bad % protocol.SEQ_LIMIT))

    def _taken(self, number: int) -> None:
        self._events = [event for event in self._events if newer(event[0], number)]

    def _reply(self, kind: str, seq: int, *args: str) -> None:
        self._send(Line(kind, seq, args))

    def _send(self, line: Line) -> None:
        if len(self.out) < OUT_MOST:  # a host that does not read would fill the memory; it asks again
            self.out.append(START + encode(line))
