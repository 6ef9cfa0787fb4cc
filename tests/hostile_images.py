"""Damaged and hostile pictures, sent to the table by a phone that has a seat.

`python -m tests.hostile_images` sends 5,000 of them, or as many as its argument says, and prints how often each answer
occurred. The exit status is 1 if there was an answer of 500 or above.
"""

from __future__ import annotations

import re
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from io import BytesIO
from itertools import islice
from random import Random

import cv2
import numpy as np
from PIL import Image

from tests.phone_photo import photograph, printed
from tests.systems_failing_tables import new_table
from tests.web_table import WebTable
from vision.known_codes import known_codes
from vision.photo_queue import PhotoReader

COUNT = 5000
SIZE = (1000, 500)
EXTREMES = (0, 1, 2, 7, 8, 255, 256, 7000, 7300, 32767, 32768, 65535)
"""Numbers that are written over others in a file."""
SEGMENT = re.compile(rb"\xff[\xc0-\xfe][^\xff]*", re.DOTALL)
PNG_MAGIC = b"\x89PNG\r\n\x1a\n"


def progressive(size: tuple[int, int] = (64, 48), mode: str = "L") -> bytes:
    """A progressive JPEG of one color."""
    return as_file(Image.new(mode, size, 128), "JPEG", progressive=True)


def last_scan(jpeg: bytes) -> bytes:
    """The last scan of a JPEG. It refines the image that the earlier scans describe, so it may be repeated."""
    return jpeg[jpeg.rindex(b"\xff\xda") : -2]


def with_scans(jpeg: bytes, count: int, before: bytes = b"") -> bytes:
    """The JPEG with `count` more scans, and with `before` in front of them."""
    return jpeg[:-2] + before + last_scan(jpeg) * count + jpeg[-2:]


def chunk(kind: bytes, data: bytes) -> bytes:
    """A PNG chunk with its checksum."""
    return len(data).to_bytes(4) + kind + data + zlib.crc32(kind + data).to_bytes(4)


def chunks_of(png: bytes) -> list[tuple[bytes, bytes]]:
    """The type and the data of each chunk."""
    chunks, offset = [], len(PNG_MAGIC)
    while offset < len(png):
        end = offset + 8 + int.from_bytes(png[offset : offset + 4])
        chunks.append((png[offset + 4 : offset + 8], png[offset + 8 : end]))
        offset = end + 4
    return chunks


def png_of(chunks: list[tuple[bytes, bytes]]) -> bytes:
    """The PNG with these chunks."""
    return PNG_MAGIC + b"".join(chunk(kind, data) for kind, data in chunks)


def text_bomb(size: int) -> tuple[bytes, bytes]:
    """A PNG chunk with a text that unpacks to `size` bytes."""
    return b"zTXt", b"a\0\0" + zlib.compress(bytes(size), 9)


def flip_bytes(data: bytes, rng: Random) -> bytes:
    changed = bytearray(data)
    reach = len(data) if rng.random() < 0.5 else min(len(data), 700)
    for _ in range(rng.choice((1, 3, 20))):
        changed[rng.randrange(reach)] = rng.randrange(256)
    return bytes(changed)


def cut_off(data: bytes, rng: Random) -> bytes:
    return data[: rng.randrange(len(data))]


def repeat_part(data: bytes, rng: Random) -> bytes:
    start, at = rng.randrange(len(data)), rng.randrange(len(data))
    return data[:at] + data[start : start + rng.randrange(5000)] * rng.choice((1, 1, 2, 30)) + data[at:]


def remove_part(data: bytes, rng: Random) -> bytes:
    start = rng.randrange(len(data))
    return data[:start] + data[start + rng.randrange(2000) :]


def write_number(data: bytes, rng: Random) -> bytes:
    at, number = rng.randrange(min(len(data), 700)), rng.choice(EXTREMES).to_bytes(2)
    return data[:at] + number * rng.choice((1, 2)) + data[at + 2 :]


def change_structure(data: bytes, rng: Random) -> bytes:
    """Changes the segments of a JPEG, or the chunks of a PNG with correct checksums."""
    return _change_png(data, rng) if data.startswith(PNG_MAGIC) else _change_jpeg(data, rng)


def _change_png(data: bytes, rng: Random) -> bytes:
    chunks = chunks_of(data) or [(b"IEND", b"")]
    at = rng.randrange(len(chunks))
    kind, content = chunks[at]
    match rng.randrange(4):
        case 0:
            chunks[at] = kind, write_number(content + b"\0", rng) if rng.random() < 0.5 else content[:-1]
        case 1:
            chunks.insert(at, rng.choice(chunks))
        case 2:
            rng.shuffle(chunks)
        case 3:
            chunks[1:1] = [text_bomb(8_000_000)] * 40
    return png_of(chunks)


def _change_jpeg(data: bytes, rng: Random) -> bytes:
    segments = SEGMENT.findall(data[2:]) or [b""]
    at = rng.randrange(len(segments))
    match rng.randrange(4):
        case 0:
            del segments[at]
        case 1:
            segments[at:at] = [rng.choice(segments)] * rng.choice((1, 30))
        case 2:
            segments[at : at + 8] = rng.sample(segments[at : at + 8], len(segments[at : at + 8]))
        case 3:
            return with_scans(data, rng.choice((5, 20, 300))) if b"\xff\xda" in data else data
    return data[:2] + b"".join(segments)


def keep_only_magic_number(data: bytes, rng: Random) -> bytes:
    return data[: rng.choice((0, 2, 8, 33))] + rng.randbytes(rng.choice((0, 10, 3000)))


def leave_unchanged(data: bytes, rng: Random) -> bytes:
    return data


DAMAGE: tuple[Callable[[bytes, Random], bytes], ...] = (
    flip_bytes,
    flip_bytes,
    cut_off,
    repeat_part,
    remove_part,
    write_number,
    change_structure,
    change_structure,
    keep_only_magic_number,
    leave_unchanged,
)


def as_file(picture: Image.Image, kind: str, **options: int | bool) -> bytes:
    """The picture as a file."""
    file = BytesIO()
    picture.save(file, kind, **options)
    return file.getvalue()


def pictures() -> tuple[bytes, ...]:
    """A photograph of a card in several file formats. The service can read some of them."""
    jpeg = photograph(printed("systems-failing", "SF-D07"), size=SIZE, noise=2)
    picture = Image.open(BytesIO(jpeg))
    gray = np.asarray(picture.convert("L"))
    return (
        jpeg,
        as_file(picture, "JPEG", progressive=True),
        as_file(picture, "JPEG", restart_marker_blocks=7),
        as_file(picture.convert("CMYK"), "JPEG", progressive=True),
        *(as_file(picture.convert(mode), "PNG") for mode in ("1", "L", "P", "RGB", "RGBA", "LA")),
        cv2.imencode(".png", gray.astype(np.uint16) * 257)[1].tobytes(),
        *(as_file(picture, kind) for kind in ("GIF", "WEBP", "TIFF")),
    )


def hostile_images(seed: int = 1) -> Iterator[bytes]:
    """Yields an endless series of damaged pictures."""
    rng, originals = Random(seed), pictures()
    while True:
        data = rng.choice(originals)
        for _ in range(rng.choice((1, 1, 2))):
            data = rng.choice(DAMAGE)(data or b"\0", rng)
        yield data


def send_all(count: int, seed: int = 1) -> Counter[tuple[int, str]]:
    """Sends this many hostile images. Returns how often each pair of a status and a refusal's code occurred."""
    answers = Counter[tuple[int, str]]()
    with closing(PhotoReader(known_codes())) as reader:
        phone = WebTable(new_table(dealers={"cards": "table"}), reader).phone(0)
        for data in islice(hostile_images(seed), count):
            answer = phone.client.post("/api/photo", data=data, content_type="image/jpeg")
            answers[answer.status_code, (answer.json or {}).get("error", {}).get("code", "")] += 1
    return answers


def main(count: int = COUNT) -> int:
    """Sends this many hostile images, and prints the answers."""
    answers = send_all(count)
    for (status, code), times in sorted(answers.items()):
        print(f"{status} {code:20} {times:5}")
    return int(max(answers)[0] >= 500)


if __name__ == "__main__":
    raise SystemExit(main(*map(int, sys.argv[1:])))
