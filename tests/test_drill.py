"""`tablekeeper drill`: each drill succeeds with a good service, and fails with one that breaks a promise."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from companion.__main__ import main
from companion.commands import drill as command
from companion.commands.data_folder_lock import lock_holder
from companion.drill import (
    box_drill,
    camera_drills,
    camera_table,
    fillable_disk,
    kill_drill,
    phone_drill,
    service_process,
)
from companion.drill.camera_table import CameraTable
from companion.drill.drills import DRILLS, run_drill
from companion.drill.environment import DrillEnvironment
from companion.drill.fault_descriptions import FAULT_DESCRIPTIONS
from companion.drill.hostile_frames import hostile_frames
from companion.drill.outcome import DrillFailed, NotPossible, RecoveryReport
from companion.drill.phone import NoResponse, Phone
from tests.drilled_service import DEFECT, TEMPLATES
from tests.forked_python import start
from tests.running_service import until
from tests.shared_prints import link_prints
from vision.geometry import Frame, GrayImage

ROOT = Path(__file__).parents[1]
SERVICE = (sys.executable, "-m", "tests.drilled_service")
KINDS = ("black", "no picture", "another size", "two mats", "foreign codes")
"""The hostile frames that the tests send. The command sends all kinds."""
KILLS = 2
MAX_RESPONSE_S = 10.0
"""How long a page may take, seconds: tests share the machine with others."""
LONG_DRILLS = {"camera-lost", "hostile-frames"}
"""The drills with a camera that take longest. The third one with a camera is in each run of the tests."""
HIDING_DEFECTS = {"hide_absence", "report_nothing", "lose_box"}
"""The defects that hide what a drill waits for."""
SHORT_S = 4.0
"""How long the tests wait for a service with a defect to do what it never does, in seconds."""


def some_hostile_frames(frame: Frame) -> Mapping[str, Sequence[bytes]]:
    frames = hostile_frames(frame)
    return {name: frames[name] for name in KINDS}


@pytest.fixture
def environment(tmp_path: Path, shared_folder: Path, monkeypatch: pytest.MonkeyPatch) -> DrillEnvironment:
    """An environment with a faster service. The drills have fewer repetitions, but give the service more time to
    answer."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv(TEMPLATES, f"{shared_folder / 'templates'}")
    monkeypatch.setattr(camera_drills, "MAX_RESPONSE_S", MAX_RESPONSE_S)
    monkeypatch.setattr(camera_drills, "hostile_frames", some_hostile_frames)
    monkeypatch.setattr(kill_drill, "KILLS", KILLS)
    monkeypatch.setattr(service_process, "subprocess", SimpleNamespace(**{**vars(subprocess), "Popen": start}))
    link_prints(tmp_path / "prints")
    return DrillEnvironment(tmp_path, command=SERVICE)


def problem(name: str, environment: DrillEnvironment) -> str:
    """The reason why a drill fails. Raises AssertionError if the drill succeeds."""
    outcome = run_drill(name, environment)
    assert outcome.result == "failed", outcome
    return outcome.problem


def thorough(*case: str) -> Any:
    """A case that only `make thorough` runs."""
    return pytest.param(*case, marks=pytest.mark.thorough)


def test_every_fault_has_a_drill() -> None:
    """Every fault in the list has a drill, and every drill belongs to a fault."""
    assert list(DRILLS) == list(FAULT_DESCRIPTIONS)


@pytest.mark.parametrize("answer", [{"version": 1}, {"version": "1", "state": {}}, "a page", None])
def test_an_unreadable_answer_is_no_answer(answer: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """If an answer of the service can't be read, because something that it must contain is missing, it counts as no
    answer, and the error says what is wrong."""
    monkeypatch.setattr(Phone, "get", lambda self, path: answer)
    with pytest.raises(NoResponse, match="can’t be read"):
        Phone(0).view()


@pytest.mark.slow
@pytest.mark.parametrize("name", [thorough(name) if name in LONG_DRILLS else name for name in FAULT_DESCRIPTIONS])
def test_a_good_service_passes(name: str, environment: DrillEnvironment) -> None:
    """With a good service, each drill succeeds: what was broken is reported and recovers, and no acknowledged move is
    lost or doubled."""
    outcome = run_drill(name, environment)
    assert outcome.result == "ok", outcome.problem
    assert outcome.seen
    assert outcome.recovery


@pytest.mark.thorough
def test_without_a_small_disk_the_files_are_limited(
    environment: DrillEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If no small disk can be mounted, the drill limits the size of files instead, and the outcome says so."""
    if sys.platform != "linux":
        pytest.skip("only Linux limits another process")
    monkeypatch.setattr(fillable_disk, "_can_mount", lambda environment: False)
    outcome = run_drill("disk-full", environment)
    assert outcome.result == "ok", outcome.problem
    assert "the size of files was limited instead" in outcome.seen


@pytest.mark.slow
@pytest.mark.parametrize(
    ("defect", "name", "says"),
    [
        ("lose_moves", "phones-gone", "The match has 6 acts, but the journal has 3."),
        thorough("double_moves", "phones-gone", "A phone was refused: It’s Player 2’s turn now."),
        thorough("hide_absence", "phones-gone", "The report that both phones are offline did not come"),
        thorough("report_nothing", "box-unplugged", "The report that the box is gone did not come"),
        thorough("report_nothing", "camera-killed", "The report that the camera’s process was killed did not come"),
        ("lose_box", "box-unplugged", "The box did not come"),
        ("ignore_full_disk", "disk-full", "A move was acknowledged, although nothing could be stored."),
        thorough("believe_the_clock", "clock-jumps", "can’t move, although it is their turn"),
        thorough("refuse_to_restart", "process-killed", "The service did not start"),
    ],
)
def test_a_defect_is_found(
    defect: str, name: str, says: str, environment: DrillEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A service that breaks a promise fails the drill, which says why."""
    monkeypatch.setenv(DEFECT, defect)
    if defect in HIDING_DEFECTS:
        monkeypatch.setattr(phone_drill, "NOTICE_S", SHORT_S)
        monkeypatch.setattr(box_drill, "NOTICE_S", SHORT_S)
        monkeypatch.setattr(camera_drills, "NOTICE_S", SHORT_S)
    assert says in problem(name, environment)


@pytest.mark.thorough
def test_frames_that_never_arrive_are_found(environment: DrillEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    """The drill with hostile frames fails if none of these frames has reached the service."""
    monkeypatch.setattr(camera_drills, "hostile_frames", lambda frame: {"true": [camera_table.jpeg(frame)]})
    monkeypatch.setattr(camera_drills, "SEND_TIMEOUT_S", SHORT_S)
    assert "What the camera sent (true) did not come" in problem("hostile-frames", environment)


@pytest.mark.thorough
def test_a_table_that_stays_lost_is_found(environment: DrillEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    """The drill with hostile frames fails if the companion does not see the table again afterwards."""
    monkeypatch.setattr(camera_drills, "CAMERA_TIMEOUT_S", SHORT_S)
    monkeypatch.setattr(camera_drills, "_show", show_for_good)
    assert "The table as it was before the camera sent black did not come" in problem("hostile-frames", environment)


def show_for_good(table: CameraTable, name: str, files: Sequence[bytes], true_snapshot: GrayImage) -> None:
    """Lets the camera send hostile frames until the end of the drill."""
    table.stream.show(files)
    table.show = lambda: None  # type: ignore[method-assign]
    until(lambda: camera_drills.is_different(table.snapshot(), true_snapshot))


def perform(monkeypatch: pytest.MonkeyPatch, *drills: Callable[[DrillEnvironment], RecoveryReport]) -> None:
    """Replaces the drills of the first faults by these."""
    for name, drill in zip(FAULT_DESCRIPTIONS, drills, strict=False):
        monkeypatch.setitem(DRILLS, name, drill)  # type: ignore[arg-type]


def succeed(environment: DrillEnvironment) -> RecoveryReport:
    return RecoveryReport("a sign.", "the table.", 1.26)


def fail(environment: DrillEnvironment) -> RecoveryReport:
    raise DrillFailed("Nothing came back.")


def refuse(environment: DrillEnvironment) -> RecoveryReport:
    raise NotPossible("this machine has no disk.")


def test_each_outcome_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """For each drill, a line says what was broken, what people saw, what recovered and how long that took. The exit
    status is 1 if a drill fails."""
    perform(monkeypatch, succeed, refuse, fail)
    assert main(["drill", *list(FAULT_DESCRIPTIONS)[:3]]) == 1
    said = capsys.readouterr()
    assert said.out.splitlines() == [
        "ok    camera-lost     The camera’s cable was pulled. People saw: a sign. Back after 1.3 s: the table.",
        "--    camera-killed   The program that reads the camera was killed. Not tried: this machine has no disk.",
        "FAIL  hostile-frames  The camera sent pictures that mean nothing. Nothing came back.",
    ]
    assert said.err == "tablekeeper: 1 of 2 drills failed: hostile-frames. Each line says why.\n"


def test_no_drill_tried_is_a_failure(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The exit status is 0 if all drills that were tried succeeded, but 1 if none was tried."""
    perform(monkeypatch, succeed, refuse)
    assert main(["drill", "camera-lost", "camera-killed"]) == 0
    assert "1 of 2 drills were tried. All went as promised." in capsys.readouterr().out
    assert main(["drill", "camera-killed"]) == 1
    assert "No drill could be tried" in capsys.readouterr().err


def test_json_output_is_one_object(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """`--json` prints one object, with a record for each drill."""
    perform(monkeypatch, succeed, fail)
    assert main(["drill", "--json", "camera-lost"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["ok"] is True
    assert found["drills"][0] == {
        "name": "camera-lost",
        "result": "ok",
        "fault": "The camera’s cable was pulled.",
        "seen": "a sign.",
        "recovery": "the table.",
        "seconds": 1.26,
        "problem": "",
    }
    assert main(["drill", "--json", "camera-lost", "camera-killed"]) == 1
    assert json.loads(capsys.readouterr().out)["ok"] is False


def test_an_unknown_drill_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    """The name of an unknown drill is wrong usage, and the message names all drills."""
    assert main(["drill", "earthquake"]) == 2
    said = capsys.readouterr().err
    assert all(name in said for name in FAULT_DESCRIPTIONS)


def test_other_systems_are_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """On a system without signals and pseudo-terminals, the command says so and breaks nothing."""
    monkeypatch.setattr(command, "IS_UNIX", False)
    assert main(["drill"]) == 1
    assert "The drills need Linux or macOS" in capsys.readouterr().err


def test_a_drill_leaves_the_users_folder_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A drill has a data folder and a port of its own, and leaves nothing behind."""
    folders = []

    def look(environment: DrillEnvironment) -> RecoveryReport:
        folders.append(environment.folder)
        service = environment.service()
        assert environment.folder in service.data.parents
        assert service.port == 0
        return succeed(environment)

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    perform(monkeypatch, look)
    assert main(["drill", "camera-lost"]) == 0
    assert not folders[0].exists()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_drill_that_is_ended_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SIGTERM ends the service of the drill, and removes its folder."""
    line = [sys.executable, "-m", "companion", "drill", "clock-jumps"]
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    process = start(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    (lock,) = until(lambda: [*tmp_path.glob("*/*/lock")], "the service's lock")
    until(lambda: lock_holder(lock.parent), "the service")
    process.terminate()
    assert process.wait(60) == 130
    assert process.stdout
    process.stdout.close()
    assert list(tmp_path.iterdir()) == []
