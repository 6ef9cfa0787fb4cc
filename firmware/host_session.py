"""The box's end of the serial session with the host. It takes received bytes and the time, and produces the messages to
send.

Law: no pins, no clock, no waiting. The other end is companion/devices/box_session.py;
docs/hardware/box-protocol.md describes the protocol.

Each SHOW command sets the complete display, so duplicates do no harm. Input events are numbered. The box keeps each
event, and sends it again until the host acknowledges it.
"""

import protocol
from protocol import START, Message, MessageReader, encode, newer

FIRMWARE_VERSION = "1.1"
HOST_TIMEOUT_MS = 3000
"""A host that has been silent for longer than this counts as lost. Normally the host sends a heartbeat about twice a
second."""
RESEND_MS = 250
MAX_EVENT_AGE_MS = 5000
"""If the oldest pending event is older than this when a lost host returns, all pending events are discarded: nobody
expects such old presses to take effect."""
MAX_PENDING_EVENTS = 32
MAX_EVENTS_PER_RESEND = 8
MAX_QUEUED_FRAMES = 24
SEATS = 5
EIGHTHS = 8
"""The number of columns into which the mat is divided, from left to right. `Display.fix` contains numbers of such
columns."""

WAITING, HOST_LOST, FOREIGN, READY = range(4)
"""The phases of a session: no host has been heard yet; the host fell silent; the host has another protocol version;
connected."""


class Display:
    """The state that the lamps, light bars and buzzer should have: the arguments of a SHOW command. `lamps`: a letter
    for each seat (0 off, 1 on, b blinking). `pixels`: the colors of both light bars. `beeps`: a counter; whenever its
    value changes, the box beeps. `fix`: two columns of the mat, for a component that people should move. The first is
    where the component is now, the second is where it belongs. Each is None if there is no such column. Raises
    ValueError for malformed arguments."""

    def __init__(self, render, lamps: str, first: str, second: str, dial: str, beeps: str, fix: str = "-:-") -> None:
        self.lamps, self.beeps, self.pixels = lamps, int(beeps), render(first, second, dial)
        self.fix = [None if column == "-" else int(column) for column in fix.split(":")]
        if len(lamps) != SEATS or lamps.strip("01b"):
            raise ValueError(lamps)
        if len(self.fix) != 2 or any(column is not None and not 0 <= column < EIGHTHS for column in self.fix):
            raise ValueError(fix)


class HostSession:
    """The box's side of a session with the host. `boot` identifies this start of the firmware. `render` turns the texts
    of two meters and of the dial into the pixels of the light bars, or raises ValueError if they are malformed.
    `display`: what the host last told the box to show; None before the first SHOW command. `outgoing`: the encoded
    messages to send, oldest first."""

    def __init__(self, boot: str, render) -> None:
        self.phase = WAITING
        self.display = None
        self.outgoing = []
        self._boot, self._render = boot, render
        self._reader = MessageReader()
        self._session = ""
        self._display_seq = 0
        self._heard_at = 0
        self._events = []  # (number, ms, message), oldest first
        self._next_event = 1
        self._resent_at = 0

    def receive(self, data: bytes, now: int) -> None:
        """Handles the messages that these received bytes complete, at `now` (ms). Adds the replies to `outgoing`."""
        for message in self._reader.feed(data):
            self._heard_at = now
            if message.kind == "HELLO":
                self._on_hello(message, now)
            elif message.kind == "ACK":
                self._on_ack(message.seq)
            elif message.kind in ("SHOW", "PING"):
                self._on_command(message)

    def tick(self, now: int) -> None:
        """Checks at `now` (ms) whether the host has fallen silent, and resends unacknowledged events."""
        if self.phase in (READY, FOREIGN) and now - self._heard_at > HOST_TIMEOUT_MS:
            self.phase = HOST_LOST
        if self.phase == READY and self._events and now - self._resent_at >= RESEND_MS:
            self._resent_at = now
            for _, _, message in self._events[:MAX_EVENTS_PER_RESEND]:
                self._send(message)

    def send_event(self, kind: str, what: str, now: int) -> bool:
        """Sends an input event to the host, again and again until it is acknowledged. `kind` is PRESS or TURN. `what`
        is the button that was pressed, or the steps that the dial was turned. Returns False if the event is dropped,
        because no host is connected or too many events are pending."""
        if self.phase != READY or len(self._events) >= MAX_PENDING_EVENTS:
            return False
        message = Message(kind, self._next_event, (str(now), what))
        if not self._events:
            self._resent_at = now
        self._events.append((self._next_event, now, message))
        self._next_event = (self._next_event + 1) % protocol.SEQ_LIMIT
        self._send(message)
        return True

    def _on_hello(self, message: Message, now: int) -> None:
        version, session = (message.args + ("", ""))[:2]
        is_same_version = version == str(protocol.PROTOCOL)
        if is_same_version:
            self._accept_host(message.seq, session, now)
        self.phase = READY if is_same_version else FOREIGN
        first = self._events[0][0] if self._events else self._next_event
        self._reply("READY", message.seq, str(protocol.PROTOCOL), FIRMWARE_VERSION, self._boot, str(first), str(now))

    def _accept_host(self, seq: int, session: str, now: int) -> None:
        """Starts or resumes the session of a host with the right protocol version. Discards the pending events if the
        session is new, or if the events are too old."""
        is_new = session != self._session
        if is_new or (self._events and now - self._events[0][1] > MAX_EVENT_AGE_MS):
            self._events = []
        if is_new or newer(seq, self._display_seq):
            self._display_seq = seq
        self._session = session

    def _on_command(self, message: Message) -> None:
        if self.phase != READY:
            self._reply("NAK", message.seq, "hello")
            return
        if message.kind == "SHOW" and not newer(self._display_seq, message.seq):
            try:
                display = Display(self._render, *message.args)
            except (ValueError, TypeError):
                self._reply("NAK", message.seq, "args")
                return
            self._display_seq, self.display = message.seq, display
        self._reply("ACK", message.seq, str(self._reader.bad % protocol.SEQ_LIMIT))

    def _on_ack(self, number: int) -> None:
        self._events = [event for event in self._events if newer(event[0], number)]

    def _reply(self, kind: str, seq: int, *args: str) -> None:
        self._send(Message(kind, seq, args))

    def _send(self, message: Message) -> None:
        if len(self.outgoing) < MAX_QUEUED_FRAMES:  # bounds memory if the host does not read; both ends resend
            self.outgoing.append(START + encode(message))
