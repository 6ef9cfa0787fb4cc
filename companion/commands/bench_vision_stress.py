"""`tablekeeper bench vision --stress`: disturbs films of a simulated table, and measures what the watcher reports about
them and which codes zxing-cpp reads in their frames.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np

from companion.commands.stress_films import FPS, FRAME_SIZE, FilmScore, score, stress_film
from companion.games import GAMES
from companion.simulator.card_images import card_images
from vision.decoding.decoder import find_with_zxing
from vision.geometry import Frame
from vision.known_codes import code_reaches, component_codes, mats_by_game, other_sides
from vision.simulated_camera import SimulatedCamera, Texture, TextureFolder, Textures
from vision.simulated_disturbances import DISTURBANCES, Disturbance, Random, mixed
from vision.tracking.table_watcher import TableWatcher
from vision.tracking.tracker import TrackEvent
from vision.yuv import to_gray

T = TypeVar("T")
GAME = "systems-failing"
PEER_INTERVAL_FRAMES = 6
"""zxing-cpp reads only one of this many frames."""
FIRST_SEED = 1000
PLAIN_TABLE = ", plain table"
"""The suffix of the name of a disturbance that is filmed without a mat."""


@dataclass(frozen=True)
class StressResult:
    """The results of all films with one disturbance.

    `appeared`: the percentage of the cards on the table at the start that were reported within three seconds.
    `right`: the percentage of the actions that were reported within two seconds.
    `left_in_time`: the percentage of the cards taken away that were reported as gone within one second.
    `late_frames`: the delay that 95 % of the right reports do not exceed, in frames.
    `ms`, `zxing_ms`: the mean processor time that the watcher and zxing-cpp need for a frame, in milliseconds.
    `zxing_read`: the percentage of the codes in a frame that zxing-cpp read."""

    stress: str
    films: int
    appeared: float
    right: float
    left_in_time: float
    false_events: int
    late_frames: float
    ms: float
    zxing_read: float
    zxing_ms: float


@dataclass(frozen=True)
class FilmResult:
    """The result of one film. `score`: how good the watcher's reports were. `ms`, `zxing_ms`: the mean processor time
    that the watcher and zxing-cpp need for a frame, in milliseconds. `zxing_read`: the fraction of the codes that
    zxing-cpp read."""

    score: FilmScore
    ms: float
    zxing_read: float
    zxing_ms: float


def stress_benchmark(films: int, only: str | None = None) -> Iterator[StressResult]:
    """Yields the result of each disturbance over a number of films. `only`: a text that the names of the disturbances
    must contain."""
    with tempfile.TemporaryDirectory() as folder:
        printed = dict(TextureFolder(card_images(GAMES[GAME], Path(folder))))
    with_mat, plain = (SimulatedCamera(each, 1, FRAME_SIZE) for each in (printed, _without_mat(printed)))
    for name, disturbance in stresses().items():
        if only is None or only in name:
            camera = plain if name.endswith(PLAIN_TABLE) else with_mat
            yield summarize(name, [play_film(camera, disturbance, FIRST_SEED + n) for n in range(films)])


def stresses() -> Mapping[str, Callable[[Random], Disturbance]]:
    """All disturbances by name: none; each one alone; knocks on a table without a mat; and three disturbances at
    once."""
    plain = {f"{name}{PLAIN_TABLE}": made for name, made in DISTURBANCES.items() if name.startswith("knock")}
    return {"none": undisturbed, **DISTURBANCES, **plain, "three at once": mixed}


def undisturbed(rng: Random) -> Disturbance:
    return lambda frame, t: frame


def _without_mat(textures: Textures) -> Textures:
    """The textures with a plain tablecloth in place of the mat."""
    mat = textures["mat"]
    cloth = np.full(mat.image.shape, (96, 120, 110), np.uint8)
    return {**textures, "mat": Texture(cloth, mat.width_mm, mat.height_mm)}


def play_film(camera: SimulatedCamera, disturbance: Callable[[Random], Disturbance], seed: int) -> FilmResult:
    """Shows the frames of a film, with a disturbance, to a new watcher and to zxing-cpp; returns how well both did.
    `seed` determines the film and the disturbance."""
    known = component_codes([GAME])
    film = stress_film(sorted(name for name in known if name.startswith("SF-D")), seed)
    disturb = disturbance(np.random.default_rng(seed))
    watcher = TableWatcher(known, mats_by_game([GAME]), other_side=other_sides([GAME]), reaches=code_reaches([GAME]))
    events, ours, peer, read = list[TrackEvent](), list[float](), list[float](), list[float]()
    for number, scene in enumerate(film.scenes):
        frame = disturb(camera.render(scene), number / FPS)
        elapsed, found = _timed(partial(watcher.process, frame, number / FPS))
        events += found
        ours.append(elapsed)
        if number % PEER_INTERVAL_FRAMES == 0 and scene.hand is None:
            elapsed, share = _timed(partial(_zxing_share, frame, known, len(scene.placements)))
            peer.append(elapsed)
            read.append(share)
    return FilmResult(score(film, events), *(statistics.fmean(each) for each in (ours, read, peer)))


def _timed(work: Callable[[], T]) -> tuple[float, T]:
    """The processor time in milliseconds that `work` takes, and what `work` returns."""
    start = time.process_time()
    result = work()
    return (time.process_time() - start) * 1e3, result


def _zxing_share(frame: Frame, known: frozenset[str], cards: int) -> float:
    """How many of the codes in a frame zxing-cpp reads, as a fraction of `cards`, the number of cards in the frame."""
    return len({code.id for code in find_with_zxing(to_gray(frame), known) if code.id}) / cards


def summarize(name: str, results: list[FilmResult]) -> StressResult:
    """Combines the results of all films with one disturbance."""
    delays = [each for result in results for each in result.score.delays]
    told = [delay for _, delay in delays if delay is not None]
    left = [delay is not None and delay <= FPS for kind, delay in delays if kind == "leave"]
    mean = statistics.fmean
    return StressResult(
        name,
        len(results),
        appeared=100 * mean(result.score.appeared for result in results),
        right=100 * len(told) / len(delays),
        left_in_time=100 * mean(left),
        false_events=sum(result.score.false for result in results),
        late_frames=float(np.percentile(told, 95)) if told else 0.0,
        ms=mean(result.ms for result in results),
        zxing_read=100 * mean(result.zxing_read for result in results),
        zxing_ms=mean(result.zxing_ms for result in results),
    )


HEADING = (
    f"{'stress':24} {'appeared':>8} {'right':>7} {'left in 1 s':>11} {'false':>6} {'late':>5} {'ms':>6}   zxing-cpp"
)


def result_text(r: StressResult) -> str:
    """A result as a line of a table under `HEADING`."""
    return (
        f"{r.stress:24} {r.appeared:6.1f} % {r.right:5.1f} % {r.left_in_time:9.1f} % {r.false_events:6} "
        f"{r.late_frames:5.1f} {r.ms:6.2f}   {r.zxing_read:.1f} % in {r.zxing_ms:.2f} ms"
    )
