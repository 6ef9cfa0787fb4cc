"""The print page, and the queue that draws the packs that it offers."""

from __future__ import annotations

import multiprocessing
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from companion.__main__ import main
from companion.games import GAMES
from companion.printing.camera_height import max_height_cm, min_height_cm
from companion.printing.options import Contents, PrintOptions
from companion.printing.pdf_queue import MAX_WAITING, Pack, PdfQueue, draw_pack
from companion.printing.temporary_print_folder import PrintFolder
from tests.pdf_queues import CONTENTS, FullQueue
from tests.systems_failing_tables import new_table
from tests.web_table import WebTable

SMALL_TOWN = Pack("traffic-congestion", PrintOptions(sides="both", low_ink=True), (("board", "crossroads"),))
CROSSROADS = GAMES["traffic-congestion"].physical.components.mat
GO = "go"
"""The name of the file that lets `draw_when_told` go on."""


def draw_when_told(pack: Pack, path: Path) -> None:
    """Draws a pack when the test says so. Runs in a process of its own."""
    deadline = time.monotonic() + 60
    while not (Path(str(dict(pack.setup)["folder"])) / GO).exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    path.write_bytes(b"%PDF")
    path.with_suffix(".json").write_bytes(msgspec.json.encode(CONTENTS))


def fail_to_draw(pack: Pack, path: Path) -> None:
    raise SystemExit(1)


class QueueChanges:
    """Waits for changes of a PDF queue."""

    def __init__(self) -> None:
        self._condition = threading.Condition()

    def note(self) -> None:
        with self._condition:
            self._condition.notify_all()

    def until(self, done: Callable[[], bool]) -> None:
        with self._condition:
            assert self._condition.wait_for(done, 60)


@pytest.fixture
def changes() -> QueueChanges:
    return QueueChanges()


@pytest.fixture
def slow_shop(changes: QueueChanges) -> Iterator[PdfQueue]:
    with closing(PdfQueue(changes.note, draw_when_told)) as queue:
        yield queue


@pytest.mark.slow
def test_the_command_line_makes_the_same_file(tmp_path: Path) -> None:
    """The file that the page offers is the same, to the byte, as the file that `tablekeeper print` writes."""
    draw_pack(SMALL_TOWN, tmp_path / "page.pdf")
    command = ["print", "traffic-congestion", "--option", "board=crossroads", "--sides", "both", "--low-ink"]
    assert main([*command, "-o", str(tmp_path / "command.pdf")]) == 0
    assert (tmp_path / "page.pdf").read_bytes() == (tmp_path / "command.pdf").read_bytes()
    contents = msgspec.json.decode((tmp_path / "page.json").read_bytes(), type=type(CONTENTS))
    assert contents.both_sides == (1, 6)


@pytest.mark.slow
def test_packs_of_the_same_content_are_drawn_once(slow_shop: PdfQueue, changes: QueueChanges, tmp_path: Path) -> None:
    """Packs with the same content have the same key, and are drawn only once. Another paper size gives another key."""
    one, same, other = (
        Pack("commute", PrintOptions(paper), (("folder", str(tmp_path)),))  # type: ignore[arg-type]
        for paper in ("a4", "a4", "letter")
    )
    assert one.key == same.key != other.key
    assert slow_shop.status(one) == "new"
    assert slow_shop.order(one)
    assert slow_shop.order(same)
    changes.until(lambda: slow_shop.status(one) == "drawing")
    assert slow_shop.file(one.key) is None
    (tmp_path / GO).touch()
    changes.until(lambda: slow_shop.status(same) == "drawn")
    path = slow_shop.file(one.key)
    assert path
    path.write_bytes(b"as it was")
    assert slow_shop.order(same)
    assert slow_shop.status(same) == "drawn"
    assert path.read_bytes() == b"as it was"
    assert slow_shop.contents(one) == CONTENTS


def test_only_so_many_packs_may_wait(slow_shop: PdfQueue, changes: QueueChanges, tmp_path: Path) -> None:
    """Only a limited number of packs may wait; further orders are refused. Closing the queue stops drawing, waits until
    it has stopped, and deletes the files."""
    packs = [Pack(f"game-{n}", PrintOptions(), (("folder", str(tmp_path)),)) for n in range(MAX_WAITING + 2)]
    assert slow_shop.order(packs[0])
    changes.until(lambda: slow_shop.status(packs[0]) == "drawing")
    assert [slow_shop.order(pack) for pack in packs[1:]] == [True] * MAX_WAITING + [False]
    slow_shop.close()
    assert "print-queue" not in {process.name for process in multiprocessing.active_children()}
    assert slow_shop.status(packs[0]) == "failed"
    assert not slow_shop.order(packs[-1])


def test_a_queue_deletes_what_killed_services_have_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new queue deletes files that killed services have left behind. It does not touch those of another running
    service, or anything else in the temporary folder."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for name in ("tablekeeper-prints-dead", "tablekeeper-other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "pack.pdf").touch()
    (tmp_path / "tablekeeper-prints-link").symlink_to(tmp_path / "tablekeeper-other")
    running = PrintFolder()
    with closing(PdfQueue()):
        left = {path.name for path in tmp_path.iterdir()}
    assert left == {"tablekeeper-other", "tablekeeper-prints-link", running.path.name}
    assert (tmp_path / "tablekeeper-other" / "pack.pdf").exists()
    running.delete()
    assert not running.path.exists()


@pytest.mark.slow
def test_what_could_not_be_drawn_can_be_ordered_again(changes: QueueChanges) -> None:
    """If the process that draws a pack ends with an error, the pack is marked as failed and can be ordered again."""
    with closing(PdfQueue(changes.note, fail_to_draw)) as queue:
        for _ in range(2):
            assert queue.order(SMALL_TOWN)
            changes.until(lambda: queue.status(SMALL_TOWN) == "failed")
            assert queue.file(SMALL_TOWN.key) is None


def test_only_the_host_prints() -> None:
    """Players and strangers get no print page and no file, and can't make the table draw."""
    web_table = WebTable(new_table(), pdf_queue=FullQueue())
    for phone in (web_table.phone(), web_table.phone(0)):
        assert phone.get("/print").status_code == 403
        assert phone.client.post("/print", data={"game": "commute"}).status_code == 403
        assert phone.get(f"/print/{'0' * 32}.pdf").status_code == 403
    host = web_table.host()
    assert b'href="/print?game=systems-failing"' in host.get("/host").data
    file = host.get(f"/print/{'0' * 32}.pdf?name=commute-a4.pdf")
    assert (file.status_code, file.mimetype) == (200, "application/pdf")
    assert "commute-a4.pdf" in file.headers["Content-Disposition"]
    assert host.get("/print/nothing.pdf").status_code == 404


@pytest.mark.parametrize(
    "name", ["a%0d%0aX-Evil:%201", "../../etc/passwd", "%ED%A0%80", "%00%22;", "", "%E2%80%AEx.exe"]
)
def test_the_name_of_the_file_is_harmless(name: str) -> None:
    """Whatever name a link contains, the name under which browsers save the file has no path and no control
    characters."""
    host = WebTable(new_table(), pdf_queue=FullQueue()).host()
    file = host.get(f"/print/{'0' * 32}.pdf?name={name}")
    assert file.status_code == 200
    assert re.fullmatch(r"inline; filename=[\w.-]+", file.headers["Content-Disposition"])


def test_the_page_says_how_to_print_what_is_ready() -> None:
    """When a pack is ready, the page says which of its pages to print on both sides and which on one side, and gives
    the heights of the camera. It does so in German too."""
    host = WebTable(new_table(), pdf_queue=FullQueue()).host()
    ready = host.get("/print?game=commute&paper=letter").get_data(as_text=True)
    for words in (
        "Commute is ready",
        "pages 1 to 14",
        "pages 15 to 20",
        "60 to 87\u00a0cm",
        "13 sheets",
        "Open the PDF",
    ):
        assert words in ready
    german = host.get("/print?game=commute&paper=letter", headers={"Accept-Language": "de"}).get_data(as_text=True)
    assert "60 bis 87\u00a0cm" in german
    assert "pages 1" not in german


def test_the_steps_of_a_single_sided_pack_do_not_contradict_each_other() -> None:
    """The page mentions sleeves only if some cards have no backs, and one height of the camera if only one is right."""
    signals = replace(CONTENTS, both_sides=None, one_side=(1, 10), glued=(3, 4), smallest_code_mm=14.4)
    assert {min_height_cm(CROSSROADS), max_height_cm(14.4)} == {50}
    page = print_page_of(signals, "traffic-congestion")
    assert "50\u00a0cm above the table" in page
    assert "50 to 50" not in page
    assert "Glue each back to its front: pages 3 to 4." in page
    assert "sleeves" not in page
    assert "The other cards have no backs: use opaque sleeves." in print_page_of(replace(signals, sleeved=True))
    assert "The cards have no backs: use opaque sleeves." in print_page_of(replace(signals, glued=None, sleeved=True))


def print_page_of(contents: Contents, game: str = "system-won") -> str:
    host = WebTable(new_table(), pdf_queue=FullQueue(contents=contents)).host()
    return host.get(f"/print?game={game}&paper=a4&sides=one").get_data(as_text=True)


def test_what_can_not_be_printed_is_refused_with_the_reason() -> None:
    """The print page refuses an unknown game, a wrong value, cards that would be too small, and an order when the queue
    is full. It gives the reason."""
    host = WebTable(new_table(), pdf_queue=FullQueue("waiting")).host()
    assert host.client.post("/print", data={"game": "chess"}).status_code == 404
    assert host.client.post("/print", data={"game": "commute", "paper": "a5"}).status_code == 400
    small = {"game": "traffic-congestion", "size": "small", "option-board": "grid-3x3"}
    refused = host.client.post("/print", data=small)
    assert refused.status_code == 422
    assert "can’t be smaller" in refused.get_data(as_text=True)
    assert host.client.post("/print", data=small | {"option-board": "../secret"}).status_code == 422
    assert host.client.post("/print", data=small | {"option-board": "grid-2x2"}).status_code == 303


def test_the_table_plays_on_while_a_pack_is_drawn(changes: QueueChanges, tmp_path: Path) -> None:
    """Drawing a pack never holds the table's lock, so people can play on. The page says that the pack is still being
    drawn."""
    pack = Pack("system-won", PrintOptions(sides="both"), (("folder", str(tmp_path)),))
    with closing(PdfQueue(changes.note, draw_when_told)) as queue:
        web_table = WebTable(new_table(), pdf_queue=queue)
        host, player = web_table.host(), web_table.phone(0)
        queue.order(pack)
        changes.until(lambda: queue.status(pack) == "drawing")
        assert host.client.post("/print", data={"game": "system-won"}).status_code == 303
        assert "Drawing System WON" in host.get("/print?game=system-won&paper=a4").get_data(as_text=True)
        assert player.move({"seat": 0, "move": "scavenge"}).status_code == 200
