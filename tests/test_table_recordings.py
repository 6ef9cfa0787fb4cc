"""Recordings of the table: what they contain, when they are made, and how today's code interprets them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from companion.__main__ import main
from companion.games import GAMES
from companion.games.rules import Seat
from companion.match import view_builder
from companion.match.journal import Journal
from companion.recordings import recorder as recorder_module
from companion.recordings.recorder import Recorder
from companion.recordings.recording_format import RecordingError, read_recording
from companion.recordings.recording_regression import replay_recording
from companion.recordings.recording_store import RecordingStore
from companion.table.sighting_input import SightingInput
from companion.table.table import Table
from companion.tabletop.observations import CardGone, CardInView, CardSeen, MatSeen
from tests.evenings.simulated_group import NAMES
from tests.manual_clock import ManualClock
from tests.recorded_evening import FOLDER, RECORDINGS, recorded_evening
from tests.web_table import WebTable
from web.access.phone_cookie import COOKIE
from web.app import create_app
from web.setup import camera_setup
from web.setup.backups_and_support_page import BackupsAndSupportPage

SEED = "0123456789abcdef"
WEBP = b"RIFF a picture"


@cache
def recording() -> bytes:
    """The recording of a short evening of Systems Failing, in which people deal the cards."""
    return recorded_evening("systems-failing", "again", 12)


def test_a_recording_gives_the_same_results_again() -> None:
    """This version makes the same moves from a recording as the table did, and reports the same discrepancies."""
    result = replay_recording(recording())
    assert result.differences == []
    assert min(result.observations, result.acts, result.read_acts, result.discrepancies) > 0


@pytest.mark.parametrize("name", sorted(RECORDINGS), ids=sorted(RECORDINGS))
def test_ten_recordings_give_the_same_results_again(name: str) -> None:
    """Today's code reads the same moves from ten evenings with slips, and reports the same discrepancies. If a
    difference is intended, `python -m tests.recorded_evening` makes new recordings."""
    result = replay_recording((FOLDER / f"{name}.jsonl").read_bytes())
    assert result.differences == []
    assert result.discrepancies > 0


def test_the_ten_recordings_are_those_in_the_folder() -> None:
    """The files in the folder are exactly the ten recordings in the list. Together they cover all four games, moves
    that the camera has read, and acts that were undone."""
    assert sorted(path.stem for path in FOLDER.iterdir()) == list(RECORDINGS)
    assert len(RECORDINGS) == 10
    assert {game for game, _seed, _steps in RECORDINGS.values()} == set(GAMES)
    texts = [path.read_text() for path in FOLDER.iterdir()]
    assert sum('"origin":"camera"' in text for text in texts) >= 5
    assert sum('"kind":"undo"' in text for text in texts) >= 3


def test_code_that_reports_nothing_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """If today's code reports other discrepancies, the replay says where."""
    content = recording()  # made before the replacement, which would change it
    monkeypatch.setattr(view_builder, "discrepancies", lambda *args: ())
    found = replay_recording(content).differences
    assert {each.what for each in found} == {"discrepancies"}
    assert found[0].then
    assert not found[0].today


def test_code_that_reads_no_moves_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """If today's code makes fewer moves from the sightings, the replay says which ones are missing, and continues with
    the recorded moves."""
    acts = replay_recording(recording()).read_acts
    monkeypatch.setattr(SightingInput, "_interpret", lambda *args: None)
    found = [each for each in replay_recording(recording()).differences if each.what == "moves"]
    assert len(found) == acts
    assert all(each.then and not each.today for each in found)


def test_a_move_that_was_not_read_then_is_noticed() -> None:
    """If today's code makes a move from a sighting that led to no move in the recording, the replay says so and does
    not make the move."""
    lines = recording().splitlines(keepends=True)
    index = next(n for n, line in enumerate(lines) if b'"origin":"camera"' in line)
    shortened = b"".join(lines[:index])
    result = replay_recording(shortened)
    assert [(each.what, each.then, each.line) for each in result.differences] == [("moves", (), index)]
    assert json.loads(lines[index])["act"]["moves"][0] == result.differences[0].today[0]


def test_a_recording_has_no_names_and_no_seed() -> None:
    """A recording can be sent to others without the names of the people who played, and without the seed."""
    text = recording().decode()
    assert not [name for name in NAMES if re.search(rf"\b{name}\b", text)]
    assert "seed" not in text
    assert '"again"' not in text, "the seed itself"


def damaged(number: int, change: Callable[[dict[str, Any]], object]) -> bytes:
    """The recording with one line changed."""
    lines = recording().splitlines()
    value = json.loads(lines[number - 1])
    change(value)
    lines[number - 1] = json.dumps(value).encode()
    return b"\n".join(lines) + b"\n"


def act_line() -> int:
    """The number of the first line with an act."""
    return next(n for n, line in enumerate(recording().splitlines(), 1) if n > 1 and b'"act":' in line)


BAD_FILES: dict[str, tuple[Callable[[], bytes], str]] = {
    "acts-of-other-rules": (lambda: damaged(1, lambda v: v.update(rules_version=99)), "line 1: the game can’t be"),
    "digest": (lambda: damaged(act_line(), lambda v: v["act"].update(digest="0")), "another position"),
    "empty": (lambda: b"", "line 1: this is not the first line"),
    "format": (lambda: damaged(1, lambda v: v.update(recording=2)), "line 1: the recording has format 2"),
    "game": (lambda: damaged(1, lambda v: v.update(game="chess")), "line 1: the game can’t be replayed"),
    "huge-number": (lambda: recording().replace(b'"angle":', b'"angle":1e999,"a":', 1), "line "),
    "line-without-event": (lambda: damaged(3, lambda v: (v.clear(), v.update(at=1.0))), "line 3: nothing happens"),
    "line-without-time": (lambda: damaged(3, lambda v: v.pop("at")), "line 3: this is no line of a recording"),
    "many-seats": (lambda: damaged(1, lambda v: v.update(seats=10**9)), "line 1: the game can’t be replayed"),
    "nested": (lambda: recording() + b'{"at":1,"a":' + b"[" * 100_000 + b"\n", "no line of a recording"),
    "not-json": (lambda: recording() + b"{\n", "no line of a recording"),
    "not-text": (lambda: b"\xff\xfe\n", "line 1: this is not the first line"),
    "unknown-kind-of-act": (lambda: damaged(act_line(), lambda v: v["act"].update(kind="x")), "Invalid enum"),
}


@pytest.mark.parametrize("name", sorted(BAD_FILES), ids=sorted(BAD_FILES))
def test_a_bad_file_is_refused(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that is not a recording is refused with a one-line message, which names the line in the file. It ends in
    one period and has no control characters, which a terminal would obey."""
    make, message = BAD_FILES[name]
    path = tmp_path / "x.jsonl"
    path.write_bytes(make())
    assert main(["replay-table", str(path)]) == 1
    error = capsys.readouterr().err
    assert message in error
    assert re.search(r", line \d+: ", error)
    assert error.endswith(".\n")
    assert not error.endswith("..\n")
    assert error[:-1].isprintable()


def test_replay_table_prints_no_control_characters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command `replay-table` leaves out the control characters of a file, which a terminal would obey."""
    strange = "\x1b]0;strange\x07\n\x1b[31m"
    reported = [{"code": strange, "fix": "put", "place": None, "message": strange}]
    lines = damaged(1, lambda v: v.update(product=strange)).splitlines()
    number = next(n for n, line in enumerate(lines) if b'"reported":[{' in line)
    lines[number] = json.dumps({**json.loads(lines[number]), "reported": reported}).encode()
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"\n".join(lines) + b"\n")
    assert main(["replay-table", str(path)]) == 1
    out = capsys.readouterr().out
    assert "recorded with Tablekeeper ]0;strange[31m\n" in out
    assert "\n  then:  ]0;strange[31m\n" in out
    assert out.replace("\n", "").isprintable()


def test_a_last_line_that_was_cut_off_is_left_out() -> None:
    """If the last line was cut off, for example by a power cut, it is ignored."""
    data = recording()
    assert read_recording(data[:-9]) == read_recording(data[: data[:-1].rfind(b"\n") + 1])
    with pytest.raises(RecordingError):
        read_recording(data[:9])


def test_replay_table_says_where_results_differ(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command `replay-table` prints what is in the recording, and each place where the results of today's code
    differ."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(recording())
    assert main(["replay-table", str(path)]) == 0
    assert "This version gives the same results." in capsys.readouterr().out
    monkeypatch.setattr(view_builder, "discrepancies", lambda *args: ())
    assert main(["replay-table", str(path)]) == 1
    out, error = capsys.readouterr()
    assert re.search(r"line \d+, at \d+:\d\d, after act \d+: discrepancies\n  then:  .+\n  today: none", out)
    assert "different results in" in error
    assert main(["replay-table", str(tmp_path / "none")]) == 1


def test_record_turns_recording_on_and_off(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command `record` turns recording on and off, and lists and deletes recordings."""
    store, data = RecordingStore(tmp_path, min_free_bytes=0), ["--data", str(tmp_path)]
    assert main(["record", *data]) == 0
    assert store.is_on
    name = store.create(1, "2030-01-31T19:30:00+00:00", b"{}\n")
    assert main(["record", "--list", *data]) == 0
    assert name in capsys.readouterr().out
    assert main(["record", "--stop", *data]) == 0
    assert (store.is_on, store.size) == (False, 3)
    assert main(["record", "--delete", *data]) == 0
    assert store.recordings() == ()
    assert main(["record", "--data", str(tmp_path / "none")]) == 1
    assert "is not a folder" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


@pytest.mark.skipif(getattr(os, "geteuid", lambda: 1)() != 0, reason="only root can give files to others")
def test_what_root_turns_on_the_service_can_use(tmp_path: Path) -> None:
    """If root turns recording on, the folder of the recordings belongs to the user who owns the data folder."""
    os.chown(tmp_path, 1234, 1235)
    store = RecordingStore(tmp_path)
    store.turn_on()
    for path in (store.folder, store.folder / "agreed"):
        assert (path.stat().st_uid, path.stat().st_gid) == (1234, 1235)


def test_the_oldest_recordings_make_room(tmp_path: Path) -> None:
    """If the recordings take too much space, the oldest are deleted. Nothing is recorded if the disk is nearly full."""
    store = RecordingStore(tmp_path, max_bytes=recorder_module.MAX_RECORDING_BYTES + 10, min_free_bytes=0)
    store.turn_on()
    names = [store.create(game, "2030-01-31T19:30:00+00:00", b"1234\n") for game in (9, 10, 11)]
    assert [each.name for each in store.recordings()] == names[:0:-1]
    full = RecordingStore(tmp_path, min_free_bytes=10**18)
    with pytest.raises(OSError, match="space"):
        full.create(12, "2030", b"x")
    with pytest.raises(OSError, match="space"):
        full.append(names[2], b"x")


class RecordedTable:
    """A game of Systems Failing whose mat the camera sees, and its recorder."""

    def __init__(self, folder: Path, take: Any = None) -> None:
        self.clock, self.store = ManualClock(), RecordingStore(folder, min_free_bytes=0)
        self.table = Table(Journal(None), self.clock)
        self.recorder = Recorder(self.table, self.store, take, self.clock)
        self.start()

    def start(self) -> None:
        self.table.start("systems-failing", 2, {}, {}, ("Ann", "Ben"), SEED)

    def see(self, change: CardSeen | CardGone | CardInView | MatSeen) -> None:
        self.clock.now += 2
        self.table.observe(change)
        self.recorder.follow(self.table.view())

    def texts(self) -> list[str]:
        """The recordings, the newest first."""
        return [(self.store.read(each.name) or b"").decode() for each in self.store.recordings()]


MAT = MatSeen(t=0.0, mat="MAT-SF")
STRAY = CardSeen(t=1.0, code="SF-D12", zone="discard", mm=(300.0, 30.0), angle=0.0, change="appeared")


def test_nothing_is_recorded_without_consent(tmp_path: Path) -> None:
    """Nothing is recorded until the host agrees, nor after the host has withdrawn the consent."""
    recorded = RecordedTable(tmp_path)
    recorded.see(MAT)
    assert recorded.texts() == []
    assert not recorded.store.folder.exists()
    recorded.store.turn_on()
    recorded.see(STRAY)  # notices that recording is on
    recorded.see(replace(STRAY, mm=(320.0, 30.0), change="moved"))
    assert [text.count('"seen"') for text in recorded.texts()] == [1]
    assert '"SF-D12"' in recorded.texts()[0].splitlines()[0], "what lay there already"
    recorded.store.turn_off()
    recorded.see(CardGone(t=9.0, code="SF-D12"))
    recorded.see(STRAY)
    assert [text.count("\n") for text in recorded.texts()] == [2], "the first line and one sighting"
    assert replay_recording(recorded.texts()[0].encode()).differences == []


def test_a_recording_knows_which_seats_the_companion_plays(tmp_path: Path) -> None:
    """Somebody discards a disaster, which begins a repair. If the companion plays this seat, the disaster is to be put
    back. The recording has what people were told before and after the companion took the seat, and the replay says the
    same."""
    recorded = RecordedTable(tmp_path)
    recorded.store.turn_on()
    recorded.see(MAT)
    view = recorded.table.view()
    assert view is not None
    turn = Seat(int(view.turn or 0))
    legal = recorded.table.view(turn).choices.legal  # type: ignore[union-attr]  # a game is running
    card = next(str(move.card) for move in legal if move.NAME == "repair" and str(move.card).startswith("D"))  # type: ignore[attr-defined]
    recorded.see(replace(STRAY, code=f"SF-{card}"))
    is_reported = []
    for change in (lambda: recorded.table.hand_over(turn, "careful"), lambda: recorded.table.take_back(turn)):
        change()
        recorded.clock.now += 60
        recorded.see(CardInView(t=2.0, code=f"SF-{card}"))
        told = [str(each.message) for each in recorded.table.view().tabletop.discrepancies]  # type: ignore[union-attr]
        (text,) = recorded.texts()
        reported = [line for line in text.splitlines() if '"reported"' in line][-1]
        is_reported.append([f"{card} is in the discard pile" in each for each in (reported, str(told))])
    assert is_reported == [[True, True], [False, False]]
    assert replay_recording(text.encode()).differences == []


def test_each_game_has_a_recording_of_its_own(tmp_path: Path) -> None:
    """A recording ends with its game. While people play on phones only, nothing is recorded."""
    recorded = RecordedTable(tmp_path)
    recorded.store.turn_on()
    recorded.recorder.follow(None)
    recorded.see(MAT)
    recorded.see(STRAY)
    recorded.clock.now += 9
    recorded.start()
    recorded.see(MAT)
    recorded.table.set_phones_only(phones_only=True)
    recorded.see(STRAY)
    assert [text.count('"seen"') for text in recorded.texts()] == [0, 1]
    assert [text.count('"camera left"') for text in recorded.texts()] == [1, 1]
    assert replay_recording(recorded.texts()[1].encode()).discrepancies > 1, "that of the end included"
    recorded.table.set_phones_only(phones_only=False)
    recorded.see(STRAY)
    assert len(recorded.texts()) == 3


def test_a_recording_has_pictures_of_its_discrepancies(tmp_path: Path) -> None:
    """When everyone is told about a discrepancy, a small picture of what everyone may see is added to the recording,
    unless the table has changed in the meantime."""
    taken: list[object] = []

    def take(now: object, px_per_mm: float) -> bytes:
        taken.append(now)
        if len(taken) == 1:
            recorded.table.observe(replace(STRAY, code="SF-D11", mm=(250.0, 30.0)))
        return WEBP

    recorded = RecordedTable(tmp_path, take)
    recorded.store.turn_on()
    recorded.recorder.follow(None)
    recorded.see(MAT)
    assert taken == [], "nothing is reported yet"
    recorded.see(STRAY)
    assert (len(taken), recorded.texts()[0].count('"picture"')) == (1, 0)
    recorded.clock.now += 9
    recorded.table.refresh()
    for _ in range(2):
        recorded.recorder.follow(recorded.table.view())
    assert (len(taken), recorded.texts()[0].count('"picture"')) == (2, 1)
    assert replay_recording(recorded.texts()[0].encode()).differences == []


@pytest.mark.parametrize("fails", ["append", "create"], ids=["append", "create"])
def test_a_broken_disk_stops_no_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: str) -> None:
    """If a recording can't be written, the game goes on, and the next game is recorded again."""
    recorded = RecordedTable(tmp_path)
    recorded.store.turn_on()
    recorded.recorder.follow(None)

    def broken(*args: object) -> None:
        raise OSError("broken")

    with monkeypatch.context() as patched:
        patched.setattr(recorded.store, fails, broken)
        recorded.see(MAT)
        assert recorded.table.submit(Seat(0), {"seat": 0, "move": "scavenge"}) > 1
    recorded.see(STRAY)
    assert sum(text.count("\n") for text in recorded.texts()) <= 1, "not this game"
    recorded.start()
    recorded.see(MAT)
    assert recorded.texts()[0].count("\n") == 2


def test_a_deleted_recording_is_begun_anew(tmp_path: Path) -> None:
    """If recordings are deleted during a game, a new one begins with the table as it is then."""
    recorded = RecordedTable(tmp_path)
    recorded.store.turn_on()
    recorded.recorder.follow(None)
    recorded.see(MAT)
    recorded.store.delete_all()
    recorded.see(STRAY)
    recorded.see(replace(STRAY, mm=(320.0, 30.0), change="moved"))
    recorded.clock.now += 9
    recorded.see(CardGone(t=30.0, code="SF-D12"))
    (text,) = recorded.texts()
    assert "SF-D12" in text.splitlines()[0]
    assert replay_recording(text.encode()).differences == []


def test_a_recording_ends_when_it_is_long_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A recording ends when it has a few megabytes, and changes that have not been written yet never fill the
    memory."""
    monkeypatch.setattr(recorder_module, "MAX_RECORDING_BYTES", 500)
    monkeypatch.setattr(recorder_module, "MAX_QUEUE", 3)
    recorded = RecordedTable(tmp_path)
    recorded.store.turn_on()
    recorded.recorder.follow(None)
    for _ in range(8):
        recorded.table.observe(STRAY)
    assert len(recorded.recorder._queue) <= 3
    recorded.see(MAT)
    for _ in range(9):
        recorded.see(STRAY)
    (text,) = recorded.texts()
    assert text.count("\n") < 9


class RecordedPage:
    """The set-up page of a table with a store of recordings, and browsers that open the page."""

    def __init__(self, table: Table, store: RecordingStore) -> None:
        self.web_table = WebTable(table)
        upkeep = BackupsAndSupportPage(list, lambda picture: b"", list, list, str, lambda: False, None, store)
        lobby = self.web_table.lobby
        context = camera_setup.SetupContext(table, lobby, lambda codes: None, "", {}, False, upkeep)
        self.app = create_app(table, lobby, setup=camera_setup.blueprint(context))

    def host(self) -> FlaskClient:
        browser = self.app.test_client()
        browser.set_cookie(COOKIE, self.web_table.lobby.claim_host(None, self.web_table.lobby.host_key))
        return browser


def test_only_the_host_records_and_deletes(tmp_path: Path) -> None:
    """The set-up page turns recording on and off, and deletes recordings."""
    store = RecordingStore(tmp_path, min_free_bytes=0)
    page = RecordedPage(Table(Journal(None)), store)
    stranger, host = page.app.test_client(), page.host()
    for do in ("record", "stop", "delete"):
        assert stranger.post("/setup/recordings", data={"do": do}).status_code == 403
    assert not store.is_on
    assert "Record the table" in host.get("/setup").text
    assert host.post("/setup/recordings", data={"do": "record"}).status_code == 303
    assert store.is_on
    name = store.create(1, "2030-01-31T19:30:00+00:00", b"{}\n")
    assert "Stop recording" in (text := host.get("/setup").text)
    assert f"/setup/recordings/{name}" not in text, "its game is not in the journal"
    assert host.post("/setup/recordings", data={"do": "x"}).status_code == 400
    assert host.post("/setup/recordings", data={"do": "stop"}).status_code == 303
    assert (store.is_on, store.size) == (False, 3)
    assert host.post("/setup/recordings", data={"do": "delete"}).status_code == 303
    assert store.recordings() == ()


def test_nobody_gets_the_recording_of_a_game_that_is_not_closed(tmp_path: Path) -> None:
    """A recording of a game with hidden cards contains the cards of all hands. While the game is on the table, not even
    the host can download it, and no page shows how large it is. When the game has ended, only the host can download
    it."""
    clock, store = ManualClock(), RecordingStore(tmp_path, min_free_bytes=0)
    store.turn_on()
    table = Table(Journal(None), clock)
    recorder = Recorder(table, store, None, clock)
    table.start("system-won", 2, {"roles": "none"}, {}, ("Ann", "Ben"), SEED)
    table.observe(MatSeen(t=0.0, mat="MAT-SW"))
    recorder.follow(None)
    (kept,) = store.recordings()
    page = RecordedPage(table, store)
    host, path = page.host(), f"/setup/recordings/{kept.name}"
    assert '"deal' in (store.read(kept.name) or b"").decode().replace("\\", ""), "the hands are in it"
    for browser in (host, page.app.test_client(), page.web_table.phone(Seat(0))):
        assert browser.get(path).status_code in (403, 404)
    assert host.get(path).get_json()["error"]["code"] == "not_closed"
    before = host.get("/setup").text
    store.append(kept.name, b"x" * 900_000)
    assert host.get("/setup").text == before, "the page shows nothing of what is in it"
    assert path not in before
    table.end()
    assert path in host.get("/setup").text
    answer = host.get(path)
    assert (answer.status_code, answer.data) == (200, store.read(kept.name))
    assert page.app.test_client().get(path).status_code == 403
    for wrong in ("x", "agreed", "1-20300131193000-1.jsonl", "..%2Fjournal.sqlite3"):
        assert host.get(f"/setup/recordings/{wrong}").status_code == 404


def test_the_recording_of_another_game_with_the_same_number_is_not_handed_out(tmp_path: Path) -> None:
    """A recording can't be downloaded if, after a backup was restored, another game has the number of the recorded
    game."""
    store = RecordingStore(tmp_path, min_free_bytes=0)
    store.turn_on()
    table = Table(Journal(None))
    table.start("systems-failing", 2, {}, {}, ("Ann", "Ben"), SEED)
    table.end()
    name = store.create(1, "2001-01-31T19:30:00+00:00", b"{}\n")
    assert RecordedPage(table, store).host().get(f"/setup/recordings/{name}").status_code == 403
