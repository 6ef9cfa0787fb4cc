"""The wire protocol between the box and the host: one message per line, `KIND seq args*CRC`, in ASCII.

The other end is firmware/protocol.py, with the same names. docs/hardware/box-protocol.md describes the protocol, and
tests connect both ends.

Law: pure.
"""

from __future__ import annotations

import binascii
import re
from dataclasses import dataclass

PROTOCOL = 1
"""The version of the protocol. It is increased when an older end would misunderstand a newer one. HELLO and READY never
change."""
MAX_MESSAGE_BYTES = 96
"""The maximum length of a message, with its newline."""
SEQ_LIMIT = 1 << 16
START = b"\n"
"""Sent before each message, so that a truncated message before it damages nothing else. Empty lines are ignored."""

_LINE = re.compile(
    rb"(?P<text>(?P<kind>[A-Z]{1,8}) (?P<seq>0|[1-9]\d{0,4})(?P<args>(?: [!-)+-~]+)*))\*(?P<crc>[0-9A-F]{4})"
)


@dataclass(frozen=True)
class Message:
    """A message: `kind` in capitals, `seq` (sequence number) from 0 to 65535, `args` without spaces or asterisks."""

    kind: str
    seq: int
    args: tuple[str, ...] = ()


def crc16(data: bytes) -> int:
    """The checksum CRC-16/CCITT of the data, with the initial value 0xFFFF."""
    return binascii.crc_hqx(data, 0xFFFF)


def encode(message: Message) -> bytes:
    """The bytes of a message, with its newline. Raises ValueError for a message that the other end would reject."""
    text = " ".join((message.kind, str(message.seq), *message.args)).encode()
    data = text + b"*%04X\n" % crc16(text)
    if len(data) > MAX_MESSAGE_BYTES or decode(data[:-1]) != message:
        raise ValueError(f"not a message of this protocol: {data!r}")
    return data


def decode(data: bytes) -> Message | None:
    """The message in these bytes (without newline); None for anything that `encode` can't produce."""
    found = _LINE.fullmatch(data) if len(data) < MAX_MESSAGE_BYTES else None
    if found is None or int(found["crc"], 16) != crc16(found["text"]) or int(found["seq"]) >= SEQ_LIMIT:
        return None
    return Message(found["kind"].decode(), int(found["seq"]), tuple(found["args"].decode().split()))


def newer(seq: int, than: int) -> bool:
    """Whether the sequence number `seq` is newer than the number `than`. Numbers return to 0 at `SEQ_LIMIT` (serial
    number arithmetic)."""
    return 0 < (seq - than) % SEQ_LIMIT < SEQ_LIMIT // 2


class MessageReader:
    """Splits received bytes into messages. Unreadable lines are dropped and counted in `bad`; memory stays bounded."""

    def __init__(self) -> None:
        self.bad = 0
        self._part = b""
        self._skip = False

    def feed(self, data: bytes) -> list[Message]:
        """Takes received bytes, and returns the messages that they complete."""
        *ends, rest = data.split(b"\n")
        found = [message for end in ends if (message := self._complete(end))]
        self._part += rest
        if len(self._part) >= MAX_MESSAGE_BYTES:
            self._part, self._skip = b"", True
        return found

    def _complete(self, end: bytes) -> Message | None:
        whole, skipped = self._part + end, self._skip
        self._part, self._skip = b"", False
        message = None if skipped else decode(whole)
        if message is None and (whole or skipped):
            self.bad += 1
        return message
