"""Hostile photographs. Those that are expensive to decode are refused before that, a worker that hangs or crashes is
replaced, and no phone keeps the others waiting."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from functools import partial
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from threading import Event

import cv2
import pytest

from companion.tabletop.photo_interface import PhotoError
from tests import hostile_images, photo_workers
from tests.hostile_images import chunk, chunks_of, last_scan, png_of, progressive, send_all, text_bomb, with_scans
from tests.phone_photo import jpeg, photograph, printed, wood
from tests.repetitions import repetitions
from tests.running_service import until
from tests.systems_failing_tables import new_table
from tests.web_table import WebTable, code_of
from vision import photo_process, photo_queue
from vision.known_codes import known_codes
from vision.photo_process import PhotoProcess, WorkerFunction
from vision.photo_queue import MAX_WAITING, PhotoQueue, PhotoReader
from vision.photo_validation import MAX_CHUNKS, MAX_SCANS, MAX_SEGMENTS, sanitized_photo
from vision.photo_worker import PhotoResult, decode_image, read_photo, run_photo_worker

COMMENT = b"\xff\xfe\x00\x04"
"""The beginning of a JPEG comment of two bytes."""


def workers() -> list[BaseProcess]:
    """The worker processes that are running."""
    return [process for process in multiprocessing.active_children() if process.name == "photo-worker"]


@pytest.fixture
def open_reader() -> Iterator[Callable[[WorkerFunction], PhotoReader]]:
    """Yields a function that opens a reader whose worker process runs the given function."""
    with ExitStack() as stack:
        yield lambda work: stack.enter_context(closing(PhotoReader(known_codes(), work)))


SCANS = 20_000
EXPENSIVE: dict[str, Callable[[], bytes]] = {
    "scans": lambda: with_scans(progressive(), SCANS),
    "scans after an end within a comment": lambda: with_scans(progressive(), SCANS, COMMENT + b"\xff\xd9"),
    "scans after bytes between segments": lambda: with_scans(
        progressive(), SCANS, COMMENT + b"ab" + b"garbage\xff\x00"
    ),
    "scans after a marker that has no length": lambda: with_scans(progressive(), SCANS, b"\xff\x02\xff\xff"),
    "scans after a restart": lambda: with_scans(progressive(), SCANS, b"\xff\xd3\xff\x01\xff\xff"),
    "segments": lambda: progressive()[:2] + (COMMENT + b"ab") * 100_000 + progressive()[2:],
    "chunks": lambda: png_of([*PNG[:1], *[(b"tEXt", b"a\0")] * 50_000, *PNG[1:]]),
}
PNG = chunks_of(cv2.imencode(".png", wood((40, 30)))[1].tobytes())


@pytest.mark.parametrize("create_photo", EXPENSIVE.values(), ids=EXPENSIVE)
def test_an_expensive_file_is_never_decoded(monkeypatch: pytest.MonkeyPatch, create_photo: Callable[[], bytes]) -> None:
    """A JPEG with very many scans or segments, however they are hidden, and a PNG with very many chunks are refused
    without decoding them."""
    monkeypatch.setattr(cv2, "imdecode", lambda *_: pytest.fail("it was decoded"))
    with pytest.raises(PhotoError, match="too_complex"):
        decode_image(create_photo())


def test_a_usual_number_of_parts_is_accepted() -> None:
    """The limits allow more scans, segments and chunks than phones write. Data after the end of the image, such as a
    short film, do not count."""
    plain = progressive()
    assert plain.count(b"\xff\xda") < MAX_SCANS / 3
    most = with_scans(plain, MAX_SCANS - plain.count(b"\xff\xda"))
    film = last_scan(plain) * SCANS
    segments = plain[:2] + (COMMENT + b"ab") * (MAX_SEGMENTS - 100) + plain[2:]
    for data in (plain, most, most + film, segments):
        assert decode_image(data).shape == (48, 64)
    pieces = [PNG[0], *[(b"IDAT", b"")] * (MAX_CHUNKS // 2), *PNG[1:]]
    assert decode_image(png_of(pieces)).shape == (30, 40)


def test_texts_in_a_png_are_not_unpacked() -> None:
    """Only the chunks that decoding needs reach the decoder. Unpacking 7 MB of texts would take half a minute."""
    bomb = png_of([PNG[0], *[text_bomb(8_000_000)] * 100, *PNG[1:]])
    assert len(bomb) > 700_000
    assert sanitized_photo(bomb) == png_of(PNG)


def test_a_png_of_many_bytes_per_pixel_is_refused() -> None:
    """A PNG with four channels of 16 bits is refused although its number of pixels is allowed, because each pixel takes
    more than four bytes."""
    header = (7000).to_bytes(4) * 2 + bytes((16, 6, 0, 0, 0))
    with pytest.raises(PhotoError, match="too_many_pixels"):
        sanitized_photo(png_of([(b"IHDR", header), *PNG[1:]]))
    with pytest.raises(PhotoError, match="no_picture"):
        sanitized_photo(png_of([(b"IHDR", header[:9] + b"\x05\0\0\0"), *PNG[1:]]))
    assert chunk(*PNG[0]) in sanitized_photo(png_of(PNG))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("order", "problem"),
    [("hang", "too_complex"), ("use the processor", "too_complex"), ("crash", "no_picture"), ("fail", "no_picture")],
)
def test_a_photo_that_ends_the_worker_is_refused(
    monkeypatch: pytest.MonkeyPatch, open_reader: Callable[[WorkerFunction], PhotoReader], order: str, problem: str
) -> None:
    """A photo that takes too long, uses too much of the processor or crashes the worker is refused. Another worker
    reads the next photo."""
    reader = open_reader(photo_workers.run_worker_that_obeys)
    first = reader(b"card", "Ann")
    if order == "hang":
        monkeypatch.setattr(photo_process, "READ_TIMEOUT_S", 0.1)
    with pytest.raises(PhotoError, match=problem):
        reader(order.encode(), "Ann")
    monkeypatch.undo()
    second = reader(b"card", "Ann")
    assert "card" in first & second
    assert first != second, "the id of the process"
    assert second == reader(b"card", "Ann")


def test_a_hanging_worker_need_not_take_the_photo(
    monkeypatch: pytest.MonkeyPatch, open_reader: Callable[[WorkerFunction], PhotoReader]
) -> None:
    """A photo that is too large for the pipe is refused too if the worker does not read it."""
    reader = open_reader(photo_workers.run_deaf_worker)
    monkeypatch.setattr(photo_process, "READ_TIMEOUT_S", 0.1)
    with pytest.raises(PhotoError, match="too_complex"):
        reader(bytes(5_000_000), "Ann")


@pytest.mark.slow
def test_a_worker_that_has_ended_is_replaced(open_reader: Callable[[WorkerFunction], PhotoReader]) -> None:
    """If a worker has ended because no photo came for a while, the next photo is still read, by a new worker."""
    reader = open_reader(photo_workers.run_worker_that_obeys)
    assert "end" in reader(b"end", "Ann")
    assert "card" in reader(b"card", "Ann")
    impatient, photo = open_reader(photo_workers.run_impatient_worker), photograph(printed("commute", "CM-7H"))
    for _ in range(2):
        assert impatient(photo, "Ann") == {"CM-7H"}
        wait([worker.sentinel for worker in workers()])


@pytest.mark.slow
def test_a_worker_that_does_not_start_is_no_traceback(open_reader: Callable[[WorkerFunction], PhotoReader]) -> None:
    """If the worker can't be started, a photo gets the same refusal as while others are being read. The next photo
    tries again."""
    reader = open_reader(photo_workers.run_worker_that_does_not_start)
    for _ in range(2):
        with pytest.raises(PhotoError, match="busy"):
            reader(b"card", "Ann")


@pytest.mark.slow
def test_memory_is_limited(
    monkeypatch: pytest.MonkeyPatch, open_reader: Callable[[WorkerFunction], PhotoReader]
) -> None:
    """A photo that would take too much memory is refused, and the next one is read. The usual limit allows the largest
    photos that phones take, which a busy machine needs a while to decode."""
    monkeypatch.setattr(photo_process, "READ_TIMEOUT_S", 3600)
    large, small = progressive((7000, 7000), "CMYK"), photograph(printed("commute", "CM-7H"))
    reader = open_reader(photo_workers.run_worker_with_little_memory)
    with pytest.raises(PhotoError, match=r"too_complex|no_picture"):
        reader(large, "Ann")
    assert reader(small, "Ann") == {"CM-7H"}
    assert open_reader(run_photo_worker)(large, "Ann") == frozenset()


@pytest.mark.slow
def test_a_worker_runs_only_while_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker starts with the first photo and ends when the reader is closed, which then refuses photos."""
    reader = PhotoReader(known_codes())
    before = len(workers())
    with closing(reader):
        assert len(workers()) == before
        assert reader(jpeg(wood((90, 60))), "Ann") == frozenset()
        assert len(workers()) == before + 1
    assert len(workers()) == before
    with pytest.raises(PhotoError, match="busy"):
        reader(jpeg(wood((90, 60))), "Ann")


def test_closing_does_not_wait_for_a_photo(
    monkeypatch: pytest.MonkeyPatch, open_reader: Callable[[WorkerFunction], PhotoReader]
) -> None:
    """A photo that is being read is refused when the reader is closed."""
    reader, reading, read = open_reader(photo_workers.run_worker_that_obeys), Event(), PhotoProcess.read
    assert "card" in reader(b"card", "Ann")

    def note_and_read(self: PhotoProcess, data: bytes) -> PhotoResult:
        reading.set()
        return read(self, data)

    monkeypatch.setattr(PhotoProcess, "read", note_and_read)
    monkeypatch.setattr(photo_process, "READ_TIMEOUT_S", 3600)
    with ThreadPoolExecutor() as threads:
        hanging = threads.submit(reader, b"hang", "Ann")
        assert reading.wait(60)
        reader.close()
        assert isinstance(hanging.exception(), PhotoError)


def test_each_phone_has_one_photo_in_the_queue() -> None:
    """While a phone's first photo is being read or is waiting, a second photo of this phone is refused at once."""
    queue = PhotoQueue()
    with ThreadPoolExecutor() as threads, queue.turn("Ann"):
        with pytest.raises(PhotoError, match="busy"), queue.turn("Ann"):
            pytest.fail("it was Ann's turn twice")
        waiting = threads.submit(enter, queue, "Bob", [])
        until(lambda: len(queue) == 2, "Bob")
        with pytest.raises(PhotoError, match="busy"), queue.turn("Bob"):
            pytest.fail("it was Bob's turn twice")
        assert not waiting.done()
    with queue.turn("Ann"), pytest.raises(PhotoError), queue.turn("Ann"):
        pass
    assert len(queue) == 0


def enter(queue: PhotoQueue, phone: str, order: list[str]) -> None:
    with queue.turn(phone):
        order.append(phone)


def test_few_phones_wait_and_each_gets_its_turn() -> None:
    """A limited number of phones may wait, and they are served in the order in which they came. Further phones are
    refused at once."""
    queue, order, phones = PhotoQueue(), list[str](), [f"phone {number}" for number in range(MAX_WAITING)]
    with ThreadPoolExecutor() as threads, queue.turn("Ann"):
        for number, phone in enumerate(phones):
            threads.submit(enter, queue, phone, order)
            until(partial(lambda count: len(queue) == count, number + 2), phone)
        with pytest.raises(PhotoError, match="busy"), queue.turn("Zoe"):
            pytest.fail("too many were waiting")
        assert order == []
    assert order == phones


def test_nobody_waits_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """A phone whose turn does not come in time is refused, and may try again."""
    monkeypatch.setattr(photo_queue, "MAX_WAIT_S", 0)
    queue = PhotoQueue()
    with queue.turn("Ann"), pytest.raises(PhotoError, match="busy"), queue.turn("Bob"):
        pytest.fail("it was Ann's turn")
    with queue.turn("Bob"):
        assert len(queue) == 1


def test_a_phone_that_sends_two_photos_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """While Ann's photo is being read, her second photo is refused with status 503 and changes nothing. Bob's photo is
    read after her first."""
    reading, finish = Event(), Event()

    def read(self: object, data: bytes) -> frozenset[str]:
        reading.set()
        assert finish.wait(60)
        return frozenset({data.decode()})

    monkeypatch.setattr(PhotoProcess, "read", read)
    reader = PhotoReader(known_codes())
    web_table = WebTable(new_table(dealers={"cards": "table"}), reader)
    ann, bob = web_table.phone(0), web_table.phone(1)
    post = {"data": b"SF-E1", "content_type": "image/jpeg"}
    with ThreadPoolExecutor() as threads:
        first = threads.submit(ann.client.post, "/api/photo", **post)
        assert reading.wait(60)
        second = ann.client.__class__(web_table.app, use_cookies=False)
        cookie = ann.client.get_cookie("tablekeeper")
        assert cookie
        before = ann.view()["version"]
        refused = second.post("/api/photo", headers={"Cookie": f"tablekeeper={cookie.value}"}, **post)
        assert code_of(refused) == (503, "busy")
        assert ann.view()["version"] == before
        other = threads.submit(bob.client.post, "/api/photo", **post)
        finish.set()
        assert first.result().status_code == 200
        assert other.result().status_code in (200, 422)


@pytest.mark.slow
def test_no_image_breaks_anything(capfd: pytest.CaptureFixture[str]) -> None:
    """Damaged and hostile images get an answer with a status below 500. Nothing is written to the console, not even by
    the decoders."""
    answers = send_all(repetitions(300, at_least=60))
    assert max(answers)[0] < 500
    assert {(422, "no_picture"), (413, "too_large")} <= answers.keys()
    assert sum(times for (_, code), times in answers.items() if code not in ("no_picture", "too_large")) > 5
    assert capfd.readouterr().err == ""


@pytest.mark.slow
def test_no_image_breaks_the_decoder() -> None:
    """Damaged and hostile images cause no error in the decoder, which here runs in the test's own process, where an
    error would not be hidden."""
    images = hostile_images.hostile_images(seed=2)
    for _ in range(repetitions(200, at_least=40)):
        read_photo(next(images), known_codes())
