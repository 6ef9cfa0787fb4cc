"""The serial protocol: one message per line, in ASCII, `KIND seq args*CRC`.

companion/devices/protocol.py is the other end, with the same names; docs/hardware/box-protocol.md describes both.
Law: no pins, no clock, no I/O. Runs in MicroPython and CPython.
"""

from collections import namedtuple

PROTOCOL = 1
"""The version of the protocol. It goes up when an older end would misunderstand a newer one. The format of HELLO and
READY is the same in all versions."""
MAX_MESSAGE_BYTES = 96
"""The maximum length of a message, with its newline."""
KIND_LETTERS = 8
SEQ_LIMIT = 1 << 16
START = b"\n"
"""The bytes before each message. They end a message that was cut off, so that it doesn't spoil the next one. Empty
lines are ignored."""

Message = namedtuple("Message", ("kind", "seq", "args"))
"""A message: `kind` in capitals, `seq` (sequence number) from 0 to 65535, `args` a tuple of strings without spaces or
asterisks."""

_CRC_TABLE = tuple(0x1021 * nibble & 0xFFFF for nibble in range(16))


def crc16(data: bytes) -> int:
    """The CRC-16/CCITT of the data, with initial value 0xFFFF. Works on half a byte at a time, because a table of 256
    entries is not worth its memory."""
    crc = 0xFFFF
    for byte in data:
        crc = crc << 4 & 0xFFFF ^ _CRC_TABLE[crc >> 12 ^ byte >> 4]
        crc = crc << 4 & 0xFFFF ^ _CRC_TABLE[crc >> 12 ^ byte & 15]
    return crc


def encode(message: Message) -> bytes:
    """The bytes of a message, with its newline. Raises ValueError if the other end would not accept it."""
    text = " ".join((message.kind, str(message.seq)) + message.args).encode()
    data = text + b"*%04X\n" % crc16(text)
    if len(data) > MAX_MESSAGE_BYTES or decode(data[:-1]) != message:
        raise ValueError(f"not a message of this protocol: {data!r}")
    return data


def decode(data: bytes) -> Message | None:
    """The message in these bytes, which must not include the newline; None for anything that `encode` would not
    produce."""
    text, star, crc = data.rpartition(b"*")
    if not star or len(data) >= MAX_MESSAGE_BYTES or crc != b"%04X" % crc16(text):
        return None
    if not all(0x20 <= byte <= 0x7E and byte != 0x2A for byte in text):
        return None
    kind, *rest = text.decode().split(" ")
    if not _is_kind(kind) or not rest or not _is_number(rest[0]) or "" in rest:
        return None
    return Message(kind, int(rest[0]), tuple(rest[1:]))


def _is_kind(text: str) -> bool:
    return 0 < len(text) <= KIND_LETTERS and all("A" <= letter <= "Z" for letter in text)


def _is_number(text: str) -> bool:
    return (
        0 < len(text) <= 5
        and all("0" <= digit <= "9" for digit in text)
        and str(int(text)) == text
        and int(text) < SEQ_LIMIT
    )


def newer(seq: int, than: int) -> bool:
    """Whether the sequence number `seq` comes after `than`, with wrap-around."""
    return 0 < (seq - than) % SEQ_LIMIT < SEQ_LIMIT // 2


class MessageReader:
    """Splits a byte stream into messages, in bounded memory. Lines that are not valid messages are dropped and counted
    in `bad`."""

    def __init__(self) -> None:
        self.bad = 0
        self._part = b""
        self._skip = False

    def feed(self, data: bytes) -> list[Message]:
        """The messages that are complete once these bytes have arrived, in order."""
        found = []
        *ends, rest = data.split(b"\n")
        for end in ends:
            whole = self._part + end
            message = None if self._skip else decode(whole)
            if message:
                found.append(message)
            elif whole or self._skip:
                self.bad += 1
            self._part, self._skip = b"", False
        self._part += rest
        if len(self._part) >= MAX_MESSAGE_BYTES:
            self._part, self._skip = b"", True
        return found
