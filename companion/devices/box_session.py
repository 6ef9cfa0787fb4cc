"""The host's end of the serial session with the box. It takes received bytes and the time, and returns bytes to send
and input events.

Law: pure; no port, no thread. Times are seconds of a monotonic clock. The other end is
firmware/host_session.py; docs/hardware/box-protocol.md describes the protocol.

A display is the complete state of the lights, so repeating a command does no harm. The host resends a command until the
box acknowledges it. The box numbers its input events and resends them until the host acknowledges them. Each event
counts once, even if the box was unplugged in between.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import Literal

from companion.devices import protocol
from companion.devices.box_lights_and_buzzer import SEATS, Display
from companion.devices.protocol import SEQ_LIMIT, START, Message, MessageReader, encode, newer
from companion.tabletop.observations import ButtonPressed, DialTurned

HELLO_S = 0.25
PING_S = 0.5
RESEND_S = 0.2
MAX_RESENDS = 3
"""After this many resends without an answer, the host starts again with HELLO."""
MAX_SILENCE_S = 2.0
"""After this long without a message from the box, the host starts again with HELLO. The box reports a lost host after
three seconds."""
MAX_RECENT_HELLOS = 16
"""How many of the latest HELLOs are remembered. A READY counts only if it answers one of them."""
FOREIGN_HELLO_S = 2.0
"""The interval between HELLOs to a box with another protocol version. They keep its lights showing the mismatch."""

InputEvent = ButtonPressed | DialTurned
SessionPhase = Literal["seeking", "ready", "foreign"]


@dataclass(frozen=True)
class SessionState:
    """The state of the session.

    `phase`: `seeking` until the box answers a HELLO, then `ready`, or `foreign` if the box uses another `version` of
    the protocol. `lost`: the number of messages that either end could not read. `round_trip`: how many seconds the box
    took to answer the last command that did not have to be sent again; None before the first answer.
    """

    phase: SessionPhase = "seeking"
    version: str = ""
    firmware: str = ""
    round_trip: float | None = None
    lost: int = 0


@dataclass
class _PendingCommand:
    """A command that the box has not answered yet. `display`: the display in a SHOW command; None for other commands.
    `first_sent_at`, `last_sent_at`: when the command was first and last sent, in seconds. `sends`: how many times it
    was sent."""

    message: Message
    display: Display | None
    first_sent_at: float
    last_sent_at: float
    sends: int = 1


@dataclass
class _LastEvent:
    """The number of the last input event that counted, and the boot id of the firmware that sent it."""

    boot: str = ""
    number: int = 0


class BoxSession:
    """The host's end of the serial session with the box. `id` names this run of the service; input events from before
    this run are ignored."""

    def __init__(self, id: str, *, seq: int = 0, version: int = protocol.PROTOCOL) -> None:
        self.state = SessionState()
        self._id, self._version, self._seq = id, version, seq
        self._reader = MessageReader()
        self._acks: list[Message] = []
        self._recent_hellos: deque[int] = deque(maxlen=MAX_RECENT_HELLOS)
        self._last_event = _LastEvent()
        self._display = Display()
        self._shown_display: Display | None = None
        self._pending: _PendingCommand | None = None
        self._last_message_at = self._next_send_at = 0.0

    def show(self, display: Display) -> None:
        """Sets the display that the box should show."""
        self._display = display

    def on_port_opened(self, now: float) -> None:
        """Starts the session with a HELLO, over a port that was just opened."""
        self._reader.feed(b"\n")  # ends a message that was truncated when the box was unplugged
        self._restart(now)

    def on_port_closed(self) -> None:
        """Ends the session, because the port is closed."""
        self._restart(0.0)

    def receive(self, data: bytes, now: float) -> list[InputEvent]:
        """Handles bytes that came from the box, and returns the input events in them that are new."""
        events = []
        for message in self._reader.feed(data):
            self._last_message_at = now
            match message:
                case Message("READY", seq, (version, firmware, *more)) if self._is_reply_to_hello(seq):
                    self._handle_ready(version, firmware, more, now)
                case Message("ACK" | "NAK", seq, args) if self._pending and self._pending.message.seq == seq:
                    self._handle_reply(message.kind, args, self._pending, now)
                case Message("PRESS" | "TURN", number, (_, what)) if self.state.phase == "ready":
                    if self._accept_event(number) and (event := input_event(message.kind, what)):
                        events.append(event)
        return events

    def due(self, now: float) -> bytes:
        """The bytes to write to the port now: acknowledgments, and a command if one is due."""
        messages, self._acks = self._acks, []
        if self.state.phase == "ready":
            messages += self._commands(now)
        if self.state.phase != "ready" and now >= self._next_send_at:
            self._next_send_at = now + (FOREIGN_HELLO_S if self.state.phase == "foreign" else HELLO_S)
            messages.append(self._message("HELLO", str(self._version), self._id))
            self._recent_hellos.append(self._seq)
        return b"".join(START + encode(message) for message in messages)

    def _message(self, kind: str, *args: str) -> Message:
        self._seq = (self._seq + 1) % SEQ_LIMIT
        return Message(kind, self._seq, args)

    def _restart(self, now: float) -> None:
        self.state = replace(self.state, phase="seeking")
        self._acks, self._pending, self._next_send_at = [], None, now
        self._recent_hellos.clear()

    def _commands(self, now: float) -> list[Message]:
        """A list with the one command to send now; empty if there is none. If the display has changed, it is sent even
        if another command still waits for its answer."""
        pending = self._pending
        showing = pending.display if pending and pending.display else self._shown_display
        if now - self._last_message_at > MAX_SILENCE_S:
            self._restart(now)
            return []
        if showing != self._display:
            args = self._display.args(has_fix=shows_fixes(self.state.firmware))
            return [self._send(self._message("SHOW", *args), self._display, now)]
        if pending:
            return self._resend(pending, now)
        return [self._send(self._message("PING"), None, now)] if now >= self._next_send_at else []

    def _send(self, message: Message, display: Display | None, now: float) -> Message:
        self._pending = _PendingCommand(message, display, now, now)
        return message

    def _resend(self, pending: _PendingCommand, now: float) -> list[Message]:
        if now - pending.last_sent_at < RESEND_S:
            return []
        if pending.sends > MAX_RESENDS:
            self._restart(now)
            return []
        pending.last_sent_at, pending.sends = now, pending.sends + 1
        return [pending.message]

    def _is_reply_to_hello(self, seq: int) -> bool:
        """Whether a READY with this number answers one of the last HELLOs. A READY for an earlier run of the service
        must not count. Otherwise the box would still use that run's sequence numbers, and ignore new commands as old
        ones."""
        return self.state.phase != "ready" and seq in self._recent_hellos

    def _handle_ready(self, version: str, firmware: str, more: list[str], now: float) -> None:
        """Handles the message READY. Its first two arguments are the same in every version of the protocol."""
        phase: SessionPhase = "ready" if version == str(self._version) else "foreign"
        self.state = replace(self.state, phase=phase, version=version, firmware=firmware)
        if phase == "foreign" or len(more) < 2 or not more[1].isdecimal():
            return
        boot, before_next = more[0], int(more[1]) - 1
        if boot != self._last_event.boot or newer(before_next, self._last_event.number):
            self._last_event = _LastEvent(boot, before_next % SEQ_LIMIT)
        self._shown_display, self._next_send_at = None, now

    def _handle_reply(self, kind: str, args: tuple[str, ...], pending: _PendingCommand, now: float) -> None:
        self._pending, self._next_send_at = None, now + PING_S
        if (kind, args) == ("NAK", ("hello",)):
            self._restart(now)
        elif kind == "NAK":
            self.state = replace(self.state, phase="foreign")
        else:
            self._shown_display = pending.display or self._shown_display
            trip = now - pending.first_sent_at if pending.sends == 1 else self.state.round_trip
            theirs = int(args[0]) if args and args[0].isdecimal() else 0
            self.state = replace(self.state, round_trip=trip, lost=self._reader.bad + theirs)

    def _accept_event(self, number: int) -> bool:
        """Acknowledges the input event with this number, and returns whether it is the next one. Older events are
        acknowledged again. After a gap nothing is acknowledged, so the box resends all events."""
        last_event = self._last_event
        is_next = number == (last_event.number + 1) % SEQ_LIMIT
        if is_next:
            last_event.number = number
        if not newer(number, last_event.number):
            self._acks.append(Message("ACK", last_event.number))
        return is_next


def shows_fixes(firmware: str) -> bool:
    """Whether this version of the firmware can show what to fix on the table. Version 1.0 can't."""
    numbers = firmware.split(".")
    return all(map(str.isdecimal, numbers)) and tuple(map(int, numbers)) >= (1, 1)


def input_event(kind: str, what: str) -> InputEvent | None:
    """The input event in a message from the box; None if it is unknown. Pressing a seat's button counts as the button
    *next* for that seat; pressing the dial counts as the button *confirm*."""
    match kind, what:
        case "TURN", steps if steps.removeprefix("-").isdecimal():
            return DialTurned(steps=int(steps))
        case "PRESS", "dial":
            return ButtonPressed(button="confirm")
        case "PRESS", seat if seat in SEATS:
            return ButtonPressed(button="next", seat=SEATS.index(seat))
    return None
