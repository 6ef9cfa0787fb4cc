"""The benchmarks run and compare like with like. Their results depend on the machine, so they are not judged."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from companion.__main__ import main
from companion.commands import bench_engines, bench_phones, bench_vision
from companion.commands.bench_engines import is_peer_installed
from companion.commands.bench_vision import CARDS, table_image, table_videos
from companion.commands.benchmark_comparison import compare
from companion.games import GAMES
from vision.decoding.decoder import find_with_zxing, read_codes


def test_a_ratio_is_ours_by_theirs() -> None:
    """The ratio is our time divided by the peer's: above 1 means that we are slower."""
    work = range(20_000)
    found = compare("sums", lambda: [sum(work) for _ in range(8)], "a sum", lambda: sum(work), 9)
    assert found.ratio > 2
    assert found.peer == "a sum"


def test_a_missing_peer_of_the_engines_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench_engines, "is_peer_installed", lambda: False)
    assert main(["bench", "engines"]) == 1
    assert "pip install 'tablekeeper[peers]'" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(
    "part",
    [
        pytest.param(
            "engines",
            marks=[
                pytest.mark.skipif(not is_peer_installed(), reason="hanabi-learning-environment is missing"),
                pytest.mark.filterwarnings("default::pytest.PytestUnraisableExceptionWarning"),  # it leaves a file open
            ],
        ),
        "journal",
        *(pytest.param(part, marks=pytest.mark.thorough) for part in ("vision", "phones")),
    ],
)
def test_every_benchmark_names_its_peer(
    part: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each benchmark has a ratio to a peer in the same run. The ratio itself is not judged, so a cold start does not
    matter."""
    monkeypatch.setattr(bench_engines, "QUICK_SECONDS", 0.02)
    monkeypatch.setattr(bench_vision, "WARM_UP_FRAMES", 2)
    monkeypatch.setattr(bench_vision, "CARDS", 8)
    monkeypatch.setattr(bench_phones, "QUICK_PHONE_COUNTS", (5,))
    monkeypatch.setattr(bench_phones, "WARM_UP_ACTS", 0)
    monkeypatch.setattr(bench_phones, "QUICK_ACTS", 2)
    with ThreadPoolExecutor(1) as other:  # a thread without the event loop of a browser
        assert other.submit(main, ["bench", part, "--quick", "--json"]).result() == 0
    found = json.loads(capsys.readouterr().out)
    assert found
    assert all(comparison["peer"] and comparison["ratio"] > 0 for comparison in found)


def test_both_readers_read_all_of_the_picture() -> None:
    """The benchmark's image contains as many codes as it states, and both readers read all of them."""
    codes = sorted(component.id for game in GAMES.values() for component in game.physical.components.components)[:CARDS]
    picture = table_image(codes)
    assert {code.id for code in read_codes(picture, frozenset(codes))} == set(codes)
    assert len(find_with_zxing(picture, frozenset(codes))) == CARDS


@pytest.mark.slow
def test_in_the_video_of_a_card_the_others_lie_still() -> None:
    """In the benchmark's video of a card that comes and goes, all other cards stay where they are."""
    codes = sorted(component.id for game in GAMES.values() for component in game.physical.components.components)[:CARDS]
    frames = table_videos(codes)["watching a card come and go, a gray frame"]
    with_card, without = (
        {code.id: code.center for code in find_with_zxing(frame, frozenset(codes))} for frame in (frames[0], frames[-1])
    )
    assert len(with_card.keys() - without.keys()) == 1
    assert all(np.linalg.norm(with_card[name] - place) < 2 for name, place in without.items())
