"""`tablekeeper simulate` and the playouts behind it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from companion.__main__ import main
from companion.commands import simulate
from companion.games import GAMES
from companion.games.game import GamePlayouts, GamePolicies
from companion.playouts import workers
from companion.playouts.series import Playout, Series
from companion.playouts.statistics import (
    MeanDifference,
    differences,
    intervals,
    mean_confidence_interval,
    summarize,
    wilson_interval,
)
from companion.playouts.workers import Batch, play_on_cluster
from tests.repetitions import repetitions, thorough_except
from tests.running_service import until

# Dask's log handler keeps the stream that pytest gives it, which is closed at the end of a test.
os.environ["DASK_LOGGING__DISTRIBUTED"] = "critical"

WITH_CTRL_C = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored, if the tests run in the background
from companion.__main__ import main
sys.exit(main())
"""
SVG = "{http://www.w3.org/2000/svg}"
ASKED = ["simulate", "systems-failing", "--games", "23", "--seed", "7", "--policy", "careful"]


def results(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """The results that `simulate --json` prints, except the speed."""
    assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    for each in found.get("lineups", [found]):
        del each["games_per_second"], each["moves_per_second"]
    return found


@pytest.mark.parametrize("game", thorough_except([*GAMES], "commute", "systems-failing"))
def test_the_number_of_processes_changes_no_byte(game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In every game, the results of one process and of three are the same to the byte."""
    asked = ["simulate", game, "--games", f"{repetitions(7, at_least=5)}", "--seed", "a"]
    if game == "commute":
        asked += ["--option", "rounds=0.5"]
    found = [
        results(capsys, *asked, "--jobs", jobs, "--save", f"{tmp_path / jobs}", "--chart", f"{tmp_path / jobs}.svg")
        for jobs in ("1", "3")
    ]
    assert found[0] == found[1]
    assert (tmp_path / "1").read_bytes() == (tmp_path / "3").read_bytes()
    assert (tmp_path / "1.svg").read_bytes() == (tmp_path / "3.svg").read_bytes()


class KilledSeries(Series):
    """A series whose process is killed when it begins to play."""

    def play(self, numbers: Any) -> list[Playout]:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("the process has been killed")


def test_a_killed_process_is_reported(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """If one of the processes that play games is killed, one line says so."""
    monkeypatch.setattr(simulate, "Series", KilledSeries)
    assert main([*ASKED, "--jobs", "2"]) == 1
    assert capsys.readouterr().err.count("\n") == 1


in_this_process = list[bool]()
"""Empty in a process that has loaded this module itself."""


class ForkDetectingSeries(Series):
    """A series that refuses to be played in a fork of the process that runs the test."""

    def play(self, numbers: Any) -> list[Playout]:
        assert not in_this_process
        return super().play(numbers)


def test_games_are_not_played_in_forks_of_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other threads of this process may hold locks, which a fork would wait for forever."""
    monkeypatch.setattr(simulate, "Series", ForkDetectingSeries)
    monkeypatch.setattr(sys.modules[__name__], "in_this_process", [True])
    assert main([*ASKED, "--jobs", "2"]) == 0


class CrashingSeries(Series):
    """A series of games whose rules crash."""

    def play(self, numbers: Any) -> list[Playout]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("companion.games.traffic_congestion.rules.phases", None)
            return super().play(numbers)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_crash_in_the_rules_of_a_game_names_the_place(
    jobs: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The line about the crash names the file of the game, even if the game was played in another process."""
    monkeypatch.delenv("TABLEKEEPER_TRACEBACK", raising=False)
    monkeypatch.setattr(simulate, "Series", CrashingSeries)
    assert main(["simulate", "traffic-congestion", "--games", "2", "--jobs", jobs]) == 1
    assert "AttributeError at companion/games/traffic_congestion/rules.py:" in capsys.readouterr().err


class InterruptedSeries(Series):
    """A series that is interrupted after a few games."""

    def play(self, numbers: Any) -> list[Playout]:
        if 12 in numbers:
            raise KeyboardInterrupt
        return super().play(numbers)


@pytest.mark.slow
def test_an_interrupted_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """After an interruption, the same command plays the remaining games, even without --seed. A game whose line was cut
    off is played again."""
    whole, part = tmp_path / "whole.jsonl", tmp_path / "part.jsonl"
    expected = results(capsys, *ASKED, "--save", f"{whole}")
    with monkeypatch.context() as patch:
        patch.setattr("companion.commands.simulate.Series", InterruptedSeries)
        assert main([*ASKED, "--jobs", "1", "--save", f"{part}"]) == 130
    assert "12 of 23 games" in capsys.readouterr().err
    content = part.read_bytes()
    assert whole.read_bytes().startswith(content)
    part.write_bytes(content[:-20])
    played = list[int]()
    play = Series.play
    monkeypatch.setattr(Series, "play", lambda series, numbers: played.extend(numbers) or play(series, numbers))
    again = [word for word in ASKED if word not in ("--seed", "7")]
    assert results(capsys, *again, "--jobs", "1", "--save", f"{part}") == expected
    assert played == [*range(11, 23)]
    assert part.read_bytes() == whole.read_bytes()


@pytest.mark.slow
def test_ctrl_c_ends_all_processes(tmp_path: Path) -> None:
    """Ctrl-C ends all processes. The command has the exit status 130 and prints no traceback, and its file is valid."""
    file = tmp_path / "saved.jsonl"
    arguments = [*ASKED[:2], "--games", "100000", "--jobs", "2", "--save", f"{file}"]
    command = [sys.executable, "-c", WITH_CTRL_C, *arguments]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, process_group=0)
    until(lambda: running.poll() is not None or (file.exists() and file.stat().st_size > 1000), "the first games")
    os.killpg(running.pid, signal.SIGINT)
    said, errors = running.communicate(timeout=60)
    assert (running.returncode, said) == (130, "")
    assert "run it again to go on" in errors
    assert "Traceback" not in errors
    assert all(json.loads(line) for line in file.read_text().splitlines())


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="it reads /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_the_processes_start_is_not_lost(number: int) -> None:
    """A signal that arrives while the other processes are being started ends the command as soon as they have
    started."""
    command = [sys.executable, "-c", WITH_CTRL_C, *ASKED[:2], "--games", "100000", "--jobs", "2"]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    children = Path(f"/proc/{running.pid}/task/{running.pid}/children")
    until(lambda: len(children.read_text().split()) >= 2, "the server process")
    running.send_signal(number)
    said, errors = running.communicate(timeout=60)
    assert (running.returncode, said) == (130, "")
    assert "Traceback" not in errors


@pytest.mark.slow
@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 130), (signal.SIGKILL, -signal.SIGKILL)])
def test_no_process_is_left_when_the_command_is_killed(number: int, status: int, tmp_path: Path) -> None:
    """If only the main process gets a signal, the other processes end with it: the output is closed once all of them
    have ended."""
    file = tmp_path / "saved.jsonl"
    command = [sys.executable, "-m", "companion", *ASKED[:2], "--games", "100000", "--jobs", "2", "--save", f"{file}"]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    until(lambda: running.poll() is not None or (file.exists() and file.stat().st_size > 1000), "the first games")
    running.send_signal(number)
    said, errors = running.communicate(timeout=60)
    assert (running.returncode, said) == (status, "")
    assert "Traceback" not in errors
    assert ("run it again to go on" in errors) == (number == signal.SIGTERM)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("cards\n", "is not a file of simulated games"),
        ('{"format": 1, "game": "commute"}\n', "holds other games"),
        ('{"format": 9}\n', "is not a file of simulated games"),
        ('{"format": 1}\n[1]\n', "is not a file of simulated games"),
        ("no end of line", "is not a file of simulated games"),
    ],
)
def test_other_files_are_left_alone(
    content: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """If the file is not one of ours, or contains other games, it is not changed."""
    file = tmp_path / "file"
    file.write_text(content)
    assert main([*ASKED, "--save", f"{file}"]) == 1
    assert says in capsys.readouterr().err
    assert file.read_text() == content


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A Dask cluster of two processes on this machine, one of which a test kills."""
    from dask.distributed import LocalCluster  # here, because it is slow to load, and only one test process needs it

    options: dict[str, Any] = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(**options) as running:
        yield running


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # Dask's own
def test_a_cluster_finds_the_same(cluster: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A cluster gives the same results as this machine, to the byte, even if one of its workers is killed in the
    middle."""
    from dask.distributed import Client

    here, there = tmp_path / "here.jsonl", tmp_path / "there.jsonl"
    expected = results(capsys, *ASKED, "--save", f"{here}")
    setup = json.loads(here.read_text().splitlines()[0])
    series = Series.of(GAMES["systems-failing"], setup["seats"], setup["setup"], ["careful"], "7")
    found = list[Playout]()
    batches = [Batch(series, (number,)) for number in range(23)]
    with Client(cluster.scheduler_address, set_as_default=False) as client:  # type: ignore[no-untyped-call]
        processes = client.run(os.getpid)
    for batch, playouts in play_on_cluster(batches, cluster.scheduler_address):
        found += playouts
        if batch.numbers == (5,):
            os.kill(next(iter(processes.values())), signal.SIGKILL)
    assert [playout.number for playout in found] == [*range(23)]
    assert summarize([playout.outcome for playout in found]) == expected["results"]
    asked = [*ASKED, "--cluster", cluster.scheduler_address, "--save", f"{there}"]
    assert results(capsys, *asked) == expected
    assert here.read_bytes() == there.read_bytes()


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_workers_with_another_version_are_refused(
    cluster: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Workers must have the version of Tablekeeper that this machine has."""
    from dask.distributed import Client

    version = workers.product_version()
    monkeypatch.setattr(Client, "run", lambda client, function: {"one": version, "other": "0.0.1"})
    assert main([*ASKED, "--cluster", cluster.scheduler_address]) == 1
    assert f"have Tablekeeper 0.0.1, not {version}" in capsys.readouterr().err


@pytest.mark.filterwarnings("default")
def test_a_missing_cluster_is_reported(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """If there is no scheduler, if its address is wrong, or if Dask is missing, one line says what to do."""
    monkeypatch.setattr(workers, "CONNECT_TIMEOUT_S", 0.2)
    for address in ("tcp://127.0.0.1:1", "tls://127.0.0.1:1", "tcp://127.0.0.1:99999", "tcp://no-such-host.invalid:1"):
        assert main([*ASKED, "--cluster", address]) == 1
        assert f"No Dask scheduler answers at {address}" in capsys.readouterr().err
    for address in ("nonsense://x:1", "nonsense", "localhost", "tcp://", ""):
        assert main([*ASKED, "--cluster", address]) == 1
        assert "is not the address of a Dask scheduler" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "dask.distributed", None)
    assert main([*ASKED, "--cluster", "tcp://127.0.0.1:1"]) == 1
    assert "pip install 'tablekeeper[cluster]'" in capsys.readouterr().err


@pytest.mark.slow
def test_policies_by_seat_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    """With `careful,random` only the first seat plays carefully, and wins more often. Several line-ups play the same
    games, and are compared."""
    asked = ["simulate", "traffic-congestion", "--games", "8", "--seed", "1"]
    found = results(capsys, *asked, "--policy", "careful,random", "--policy", "random,careful", "--policy", "careful")
    by_lineup = {each["policy"]: each for each in found["lineups"]}
    assert by_lineup["careful,random"]["results"]["winner"] == {"seat 0 (blue)": 8}
    assert by_lineup["random,careful"]["results"]["winner"] == {"seat 1 (red)": 8}
    assert by_lineup["careful"] == results(capsys, *asked, "--policy", "careful")
    (_, difference) = found["differences"]
    assert difference["policies"] == ["careful,random", "careful"]
    means = [by_lineup[policy]["results"]["turns"] for policy in difference["policies"]]
    assert difference["turns"]["difference"] == pytest.approx(means[1] - means[0], abs=1e-3)
    assert main([*asked, "--policy", "careful", "--policy", "random"]) == 0
    assert "random compared with careful, in the same games" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("game", "setup", "first_row"),
    [
        ("commute", {"rounds": "0.5"}, r"winner: seat \d( and seat \d)*  +\d = "),
        ("system-won", {}, r"winner: nobody  +3 = 100.0%"),
    ],
)
def test_a_game_without_figures_of_its_own_says_who_won(
    game: str,
    setup: dict[str, str],
    first_row: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A new game has no `GamePolicies` and no `GamePlayouts` yet. For such a game, `simulate` counts
    who won."""
    plain = replace(GAMES[game], policies=GamePolicies(), playouts=GamePlayouts())
    monkeypatch.setitem(GAMES, game, plain)  # type: ignore[index]
    monkeypatch.setattr(
        simulate, "play_on_cores", lambda batches, jobs: ((b, b.series.play(b.numbers)) for b in batches)
    )
    options = [f"--option={key}={value}" for key, value in setup.items()]
    assert main(["simulate", game, "--games", "3", "--seed", "a", *options]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert re.match(first_row, rows[rows.index(next(row for row in rows if "95 % interval" in row)) + 1])


def test_intervals_are_those_of_the_textbooks() -> None:
    """Wilson's interval of 8 in 10 is 0.490 to 0.943; of none in 10 it is 0 to 0.278. The mean of 1 to 5 has the
    interval 3 ± 1.96 · √(2.5 / 5). If the results of the same games differ by a constant, the interval has no width."""
    assert wilson_interval(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert wilson_interval(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert mean_confidence_interval([1, 2, 3, 4, 5]) == pytest.approx((3 - 1.3859, 3 + 1.3859), abs=1e-4)
    games = [{"won": True, "score": score, "end": "good" if score > 1 else "bad"} for score in (1, 2, 3, 2)]
    assert intervals(games)["end"]["good"] == wilson_interval(3, 4)  # type: ignore[index,call-overload]
    better = [game | {"score": game["score"] + 2} for game in games]  # type: ignore[operator]
    assert differences(games, better) == {
        "won": MeanDifference(0.0, (0.0, 0.0)),
        "score": MeanDifference(2.0, (2.0, 2.0)),
    }
    assert "score" not in intervals(games[:1])


def test_values_below_zero_have_bars_to_the_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In System WON, players who act at random have a score below zero. Its bar reaches from the line at zero to the
    left; a bar of a positive value begins there."""
    file = tmp_path / "chart.svg"
    asked = ["simulate", "system-won", "--seats", "2", "--games", "6", "--seed", "1", "--policy"]
    found = results(capsys, *asked, "random", "--policy", "simple", "--chart", f"{file}")
    scores = [each["results"]["score"] for each in found["lineups"]]
    assert scores[0] < 0 < scores[1]
    elements = [*ET.parse(file).getroot()]
    heading = next(n for n, each in enumerate(elements) if each.text == "score")
    bars = [each for each in elements[heading:] if each.tag == f"{SVG}rect"]
    low, high = ((float(bar.attrib["x"]), float(bar.attrib["width"])) for bar in bars[:2])
    assert low[0] + low[1] == pytest.approx(high[0], abs=0.2)
    assert low[1] / high[1] == pytest.approx(-scores[0] / scores[1], rel=0.02)


def test_a_chart_that_cannot_be_written_is_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The path of the chart is checked before any game is played."""
    monkeypatch.setattr(Series, "play", lambda *_: pytest.fail("a game was played"))
    (file := tmp_path / "file").touch()
    for path in (tmp_path, tmp_path / "none" / "chart.svg", file / "chart.svg", tmp_path / ("x" * 300)):
        assert main([*ASKED, "--jobs", "1", "--chart", f"{path}"]) == 1
        assert "can’t be written" in capsys.readouterr().err
    assert [*tmp_path.iterdir()] == [file]


@pytest.mark.slow
def test_the_chart_shows_every_figure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The chart is a valid SVG file with the names and values of all results."""
    file = tmp_path / "chart.svg"
    found = results(capsys, *ASKED, "--policy", "random", "--chart", f"{file}")
    words = [*ET.parse(file).iter(f"{SVG}text")]
    said = {word.text for word in words}
    assert {
        "won",
        "rounds",
        "careful",
        "random",
        *(f"cause: {cause}" for cause in found["lineups"][0]["results"]["cause"]),
    } <= said
    assert f"{found['lineups'][0]['results']['won']:.1%}" in said


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (["--jobs", "0"], "--jobs must be 1 or more"),
        (["--games", "0"], "--games must be 1 or more"),
        (["--jobs", "2", "--cluster", "x"], "leave it out with --cluster"),
        (["--policy", "clever"], "has no clever policy; it has random, careful"),
        (["--policy", "careful,random,random"], "names 3 players, but there are 2 seats"),
        (["--policy", "careful", "--policy", "careful"], "a different line-up"),
        (["--seats", "9"], "players"),
    ],
)
def test_wrong_arguments_are_reported(wrong: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Wrong arguments give exit status 2 and a message of one line."""
    assert main(["simulate", "traffic-congestion", *wrong]) == 2
    assert says in capsys.readouterr().err
