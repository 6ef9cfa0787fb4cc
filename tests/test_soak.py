"""A short version of the soak, and leaks that it must find."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from companion.drill import service_process
from companion.drill.service_process import COMMAND, ServiceProcess
from tests import soak
from tests.drilled_service import DEFECT
from tests.forked_python import start
from tests.shared_prints import link_prints
from tests.soak import LIMITS, Sample, growth, leaks

ROOT = Path(__file__).parents[1]
STEADY = Sample(memory_mb=300.0, descriptors=50, threads=25, processes=4)
LEAKY_SERVICE = (sys.executable, "-m", "tests.drilled_service")
SECONDS, REQUESTS = 3.0, 120
LEAKY_SECONDS, LEAKY_REQUESTS = 2.0, 80
"""A leak on each page is found in less time than it takes to see that nothing leaks."""

pytestmark = pytest.mark.skipif(not soak.PROCESSES.is_dir(), reason="needs /proc")


def test_values_that_stay_the_same_are_no_leak() -> None:
    """Memory that a service allocates at its start, and small variations, do not count as growth."""
    start = [replace(STEADY, memory_mb=float(mb)) for mb in range(200, 300, 10)]
    steady = [replace(STEADY, memory_mb=300.0 + number % 3, descriptors=50 + number % 4) for number in range(60)]
    assert leaks([*start, *steady]) == []


@pytest.mark.parametrize("name", LIMITS)
def test_a_value_that_grows_is_a_leak(name: str) -> None:
    """Each value that grows steadily after the warm-up is named, with both medians."""
    samples = [replace(STEADY, **{name: getattr(STEADY, name) * (1 + number / 200)}) for number in range(100)]
    found = leaks(samples)
    assert len(found) == 1
    assert found[0].startswith(f"{name} grew from ")


def test_the_second_and_the_last_sixth_are_compared() -> None:
    """The first sixth of the time is warm-up. The rest is divided into six parts, and the medians of the second and of
    the last part are compared."""
    samples = [replace(STEADY, threads=float(number)) for number in range(72)]
    assert growth(samples)["threads"] == (26.5, 66.5)  # 22 to 31, and 62 to 71


@pytest.mark.slow
def test_six_phones_play_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Six phones play games one after the other. Nothing may grow except memory, because a short run is still warming
    up."""
    samples = soak_for_a_moment(tmp_path, monkeypatch, COMMAND, SECONDS, REQUESTS)
    assert [each for each in leaks(samples) if not each.startswith("memory_mb")] == []
    requests, games = capsys.readouterr().out.splitlines()[-1].split()[1:3]
    assert int(requests) >= REQUESTS
    assert int(games) > 4


@pytest.mark.slow
def test_a_leak_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The soak fails for a service that leaves a file open and a thread running after each page."""
    monkeypatch.setenv(DEFECT, "leak_descriptors")
    found = leaks(soak_for_a_moment(tmp_path, monkeypatch, LEAKY_SERVICE, LEAKY_SECONDS, LEAKY_REQUESTS))
    assert any(each.startswith("descriptors grew") for each in found)
    assert any(each.startswith("threads grew") for each in found)


def soak_for_a_moment(
    data: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], seconds: float, requests: int
) -> list[Sample]:
    """Returns the samples of a short run, in which games are short and photographs are frequent."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(service_process, "subprocess", SimpleNamespace(**{**vars(subprocess), "Popen": start}))
    monkeypatch.setattr(soak, "SAMPLE_S", 0.1)
    monkeypatch.setattr(soak, "MIN_GAMES", 8)
    link_prints(data / "prints")
    with ServiceProcess(data, "--box", "none", command=command) as service:
        return soak.soak(service, seconds, requests)
