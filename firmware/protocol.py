"""The line between the box and Tablekeeper: one message a line, `KIND seq args*CRC`, in ASCII.

The other end is companion/devices/protocol.py, with the same names; hardware.md describes both, and tests join them.
Law: no pins, no clock, no I/O. Runs in MicroPython and in CPython alike.
"""

from collections import namedtuple

PROTOCOL = 1
"""Raised when an older end would misunderstand a newer one. HELLO and READY stay as they are for ever."""
LINE_BYTES = 96
"""The longest line, its newline included."""
KIND_LETTERS = 8
SEQ_LIMIT = 1 << 16
START = b"\n"
"""Sent before each line, so that one that was cut off before it spoils itself only; empty lines mean nothing."""

Line = namedtuple("Line", ("kind", "seq", "args"))
"""`kind` in capitals, `seq` from 0 to 65535, `args` a tuple of texts without spaces and stars."""

_STEPS = tuple(0x1021 * nibble & 0xFFFF for nibble in range(16))


def crc16(data: bytes) -> int:
    """CRC-16/CCITT from 0xFFFF, half a byte at a time: a table of 256 would cost more memory than it saves time."""
    crc = 0xFFFF
    for byte in data:
        crc = crc << 4 & 0xFFFF ^ _STEPS[crc >> 12 ^ byte >> 4]
        crc = crc << 4 & 0xFFFF ^ _STEPS[crc >> 12 ^ byte & 15]
    return crc


def encode(line: Line) -> bytes:
    """The bytes of a line, with its newline; raises ValueError for what the other end would not take."""
    text = " ".join((line.kind, str(line.seq)) + line.args).encode()
    data = text + b"*%04X\n" % crc16(text)
    if len(data) > LINE_BYTES or decode(data[:-1]) != line:
        raise ValueError(f"no line of this protocol: {data!r}")
    return data


def decode(data: bytes) -> Line | None:
    """The line of these bytes, given without their newline; None for anything that `encode` would not make."""
    text, star, crc = data.rpartition(b"*")
    if not star or len(data) >= LINE_BYTES or crc != b"%04X" % crc16(text):
        return None
    if not all(0x20 <= byte <= 0x7E and byte != 0x2A for byte in text):
        return None
    kind, *rest = text.decode().split(" ")
    if not _is_kind(kind) or not rest or not _is_number(rest[0]) or "" in rest:
        return None
    return Line(kind, int(rest[0]), tuple(rest[1:]))


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
    """Whether a number was given out after another, though numbers begin again after the last."""
    return 0 < (seq - than) % SEQ_LIMIT < SEQ_LIMIT // 2


class Lines:
    """Cuts what comes in into lines. What can't be read is counted in `bad` and forgotten; memory stays bounded."""

    def __init__(self) -> None:
        self.bad = 0
        self._part = b""
        self._skip = False

    def feed(self, data: bytes) -> list[Line]:
        """The lines that these bytes complete."""
        found = []
        *ends, rest = data.split(b"\n")
        for end in ends:
            whole = self._part + end
            line = None if self._skip else decode(whole)
            if line:
                found.append(line)
            elif whole or self._skip:
                self.bad += 1
            self._part, self._skip = b"", False
        self._part += rest
        if len(self._part) >= LINE_BYTES:
            self._part, self._skip = b"", True
        return found
