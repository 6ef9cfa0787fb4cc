"""Measures how much code reading and tracking depend on the constants that separate nothing that could be counted.

python -m tests.vision_constants.sensitivity [MODULE.NAME…] [--pictures N] [--seed S]

Reads rendered tables and follows films of disturbed cameras with the constants as they are, and with one constant at a
time made a third smaller and half as large again. Prints one line for each constant. docs/vision.md lists the figures
of a run without options, which takes half an hour to an hour.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import importlib.util
import multiprocessing
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.commands.bench_vision_stress import undisturbed
from companion.commands.stress_films import FPS, FRAME_SIZE, score, stress_film
from companion.games import GAMES
from companion.simulator.card_images import card_images
from tests.vision_constants.rendered_tables import card_tables
from vision.geometry import Frame, GrayImage
from vision.known_codes import component_codes
from vision.simulated_camera import SimulatedCamera, TextureFolder
from vision.simulated_disturbances import DISTURBANCES, Disturbance, mixed

PICTURES, SEED = 100, 1
FILM_SEED = 5000
GAME = "systems-failing"
FILM_DISTURBANCES = ("shake 1.0 px", "noise 22", "focus 8 px", "exposure 35 %", "shadow", "knock 40 px")
FILMS: Mapping[str, Callable[[np.random.Generator], Disturbance]] = {
    "none": undisturbed,
    **{name: DISTURBANCES[name] for name in FILM_DISTURBANCES},
    "three at once": mixed,
}
"""The disturbances of the films. There is one film of each."""
MIN_VISIBLE_SHARE = 0.85
"""A code counts as readable if at least this share of it is visible."""
SMALLER, LARGER = 2 / 3, 3 / 2

DECODING = (
    "candidate_regions.MIN_HIDDEN_RATIO",
    "candidate_regions.BACKGROUND_ONE_IN",
    "candidate_regions.MIN_BRIGHTNESS",
    "candidate_regions.REGION_SIDE",
    "candidate_regions.MIN_REGION_CELLS",
    "candidate_regions.REGION_MARGIN_CELLS",
    "candidate_regions.MIN_CODES_FOR_RATIO",
    "decoder.CORNER_REFINEMENTS",
    "decoder.INITIAL_MODULE_PX",
    "coarse_match.NOISE_GRAY_LEVELS",
    "coarse_match.TEMPLATE_BLUR",
    "module_size_field.MIN_CORNERS",
    "module_size_field.MAX_SIZE_RATIO",
    "module_size_field.MIN_CODES_FOR_NARROW",
    "module_size_field.MIN_CODES_FOR_MEDIUM",
    "template_match.MAX_OCCLUDED_CODEWORDS",
    "template_match.MAX_RESIDUAL",
    "template_match.ROBUST_ITERATIONS",
    "template_match.LIGHTING_SIGMA_SAMPLES",
    "templates.BLURS",
    "templates.DEFAULT_BLUR_INDEX",
    "templates.DEFAULT_BLUR",
    "templates.PRIOR_SIGMA",
)
TRACKING = (
    "cell_colors.MAX_HUE_DIFFERENCE",
    "cell_colors.MAX_CHROMA_DIFFERENCE",
    "change_detection.MIN_CHANGE_OF_LIGHT",
    "change_detection.MIN_PRINT_CELLS",
    "change_detection.OVEREXPOSED",
    "changed_regions.MIN_CHANGED_SHARE",
    "changed_regions.MIN_REGION_RATIO",
    "changed_regions.MIN_PALE_CHANGED_SHARE",
    "changed_regions.MIN_SAME_COLOR_SHARE",
    "changed_regions.MIN_NEAR_SHARE",
    "changed_regions.MAX_COLOR_DIFFERENCE",
    "changed_regions.MAX_COLOR_DRIFT",
    "changed_regions.MAX_RESTLESS_SHARE",
    "common_motion.MIN_COMPONENTS",
    "common_motion.MIN_COMMON_SHARE",
    "common_motion.MAX_DEVIATION_SIDES",
    "distortion.MAX_ERROR_RATIO",
    "focus_loss.MIN_TEXTURE",
    "focus_loss.MIN_TEXTURED_CELLS",
    "image_stabilization.OUTLIER_RATIO",
    "image_stabilization.MAX_MISJUDGED_SHARE",
    "image_stabilization.MIN_CELL_TEXTURE",
    "image_stabilization.MIN_MOVING_CELLS",
    "light_compensation.MAX_GAIN_DEVIATION",
    "light_compensation.MIN_PRINT_VARIANCE",
    "light_compensation.MAX_PLAIN_TEXTURE",
    "light_compensation.MAX_LIGHT_ERROR",
    "mat_registration.MAX_CORNER_SHIFT_SIDES",
    "mat_registration.CORNER_ERROR_PX",
    "mat_registration.MAX_UNCERTAINTY_MM",
    "mat_registration.MIN_READ_CORNERS",
    "presence.MIN_PLACE_CHANGE_SHARE",
    "presence.MIN_BACKGROUND_SHARE",
    "read_scheduler.MIN_CODE_TEXTURE",
    "read_scheduler.MAX_CONFIRMATION_SHIFT_SIDES",
    "read_scheduler.MAX_MEASURED_SHIFT_SIDES",
    "table_watcher.MIN_SCENE_CHANGE_SHARE",
    "table_watcher.MIN_NEW_MAT_SHARE",
    "appearance.MIN_BLOCK_STD",
    "appearance.MAX_REFRESH_SHIFT_PX",
    "appearance.MIN_PRINT_STD",
    "tracker.MIN_MOVE_MM",
    "tracker.MIN_EXACT_CONFIDENCE",
    "tracker.MIN_COVERED_TURN_DEG",
)
Tally = Counter[str]
"""How often each kind of result came."""


@dataclass(frozen=True)
class Variant:
    """A constant and the factor by which it is multiplied. `constant`: its module and its name, such as
    "tracker.MIN_MOVE_MM", or "" if no constant is changed."""

    constant: str = ""
    factor: float = 1.0


def scaled(value: Any, factor: float) -> Any:
    """The value of a constant times `factor`. A whole number changes by at least 1 and stays odd if it is odd and more
    than 3. A share of 0.5 and more stays below 1, and a ratio between 1 and 2 above 1. Each number of a tuple
    changes."""
    if isinstance(value, tuple):
        return tuple(scaled(each, factor) for each in value)
    if isinstance(value, int):
        step = 2 if value > 3 and value % 2 else 1
        steps = max(1, round(abs(value * factor - value) / step))
        return value + steps * step if factor > 1 else value - steps * step
    if isinstance(value, float) and 0.5 <= value < 1 and factor > 1:
        return 1 - (1 - value) / factor
    if isinstance(value, float) and 1 < value < 2:
        return 1 + (value - 1) * factor
    return value * factor


def import_changed(variant: Variant) -> None:
    """Imports code reading and tracking again, with one constant changed, and everything that is computed from it. Call
    this in a process of its own."""
    for name in [name for name in sys.modules if name.startswith("vision.")]:
        del sys.modules[name]
    if not variant.constant:
        return
    part = "decoding" if variant.constant in DECODING else "tracking"
    stem, _, constant = variant.constant.partition(".")
    spec = importlib.util.find_spec(f"vision.{part}.{stem}")
    assert spec is not None
    assert spec.origin is not None
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    defining = [isinstance(node, ast.Assign) and constant in map(_name, ast.walk(node)) for node in tree.body]
    change = ast.parse(f"{constant} = scaled({constant}, {variant.factor})").body
    tree.body[defining.index(True) + 1 : defining.index(True) + 1] = change
    module = importlib.util.module_from_spec(spec)
    module.__dict__["scaled"] = scaled
    sys.modules[spec.name] = module
    exec(compile(tree, spec.origin, "exec"), module.__dict__)


def _name(node: ast.AST) -> str:
    """The name to which a node assigns a value. "" if it does not."""
    return node.id if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else ""


@dataclass(frozen=True, eq=False)
class Picture:
    """A rendered table, the codes on it, and those of them that can be read."""

    gray: GrayImage
    codes: frozenset[str]
    readable: frozenset[str]


def read_pictures(pictures: Sequence[Picture], variant: Variant) -> Tally:
    """How many codes are read with one constant changed, and how many of the codes read are not there."""
    import_changed(variant)
    decoder, known = importlib.import_module("vision.decoding.decoder"), component_codes()
    tally = Tally()
    for picture in pictures:
        read = {code.id for code in decoder.read_codes(picture.gray, known) if code.id in known}
        tally["read"] += len(read & picture.readable)
        tally["wrong"] += len(read - picture.codes)
    return tally


def follow_film(shown: Any, frames: Sequence[Frame], variant: Variant) -> Tally:
    """How many actions in a film are reported, and how many events are false, with one constant changed."""
    import_changed(variant)
    tracking, codes = (importlib.import_module(f"vision.{name}") for name in ("tracking.table_watcher", "known_codes"))
    watcher = tracking.TableWatcher(
        codes.component_codes([GAME]), codes.mats_by_game([GAME]), other_side=codes.other_sides([GAME])
    )
    result = score(shown, [event for n, frame in enumerate(frames) for event in watcher.process(frame, n / FPS)])
    delays = [delay for kind, delay in result.delays if kind == "leave" and delay is not None and delay <= FPS]
    return Tally(
        right=sum(delay is not None for _, delay in result.delays),
        left=len(delays),
        false=result.false,
        appeared=round(result.appeared * len(shown.first_ids)),
    )


def variants_of(constants: Sequence[str]) -> list[Variant]:
    """No change, and two changes of each constant."""
    return [Variant(), *(Variant(name, factor) for name in constants for factor in (SMALLER, LARGER))]


def measure(work: Callable[[Variant], Tally], variants: Sequence[Variant]) -> Iterator[tuple[Variant, Tally]]:
    """Yields the tally of `work` for each variant, each from a process of its own."""
    context = multiprocessing.get_context("fork")
    for variant in variants:
        receiving, sending = context.Pipe(duplex=False)
        process = context.Process(target=_send, args=(sending, work, variant))
        process.start()
        yield variant, receiving.recv()
        process.join()


def _send(sending: Any, work: Callable[[Variant], Tally], variant: Variant) -> None:
    """Sends the tally of `work`. If the product can't work with the changed constant, this is its only result."""
    try:
        tally = work(variant)
    except (ValueError, ArithmeticError, LookupError):
        tally = Tally(failed=1)
    sending.send(tally)


def rendered_pictures(count: int, seed: int) -> list[Picture]:
    """Rendered tables, half of them *typical* and half *hard*."""
    found = list[Picture]()
    for table in card_tables(count, seed):
        visible = {code.id: code.visible for code in table.codes if code.id}
        readable = frozenset(code for code, share in visible.items() if share >= MIN_VISIBLE_SHARE)
        found.append(Picture(table.gray, frozenset(visible), readable))
    return found


def film_results(constants: Sequence[str], seed: int) -> Iterator[tuple[Variant, Tally]]:
    """Yields the tally of each film, for each variant."""
    names = sorted(name for name in component_codes([GAME]) if name.startswith("SF-D"))
    with tempfile.TemporaryDirectory() as folder:
        camera = SimulatedCamera(dict(TextureFolder(card_images(GAMES[GAME], Path(folder)))), 1, FRAME_SIZE)
    for number, (name, made) in enumerate(FILMS.items()):
        shown = stress_film(names, seed + number)
        disturb = made(np.random.default_rng(seed + number))
        frames = [disturb(camera.render(scene), n / FPS) for n, scene in enumerate(shown.scenes)]
        print(f"{name}: {len(frames)} frames", file=sys.stderr)
        yield from measure(partial(follow_film, shown, frames), variants_of(constants))


def value_of(constant: str) -> Any:
    """The value of a constant, such as "tracker.MIN_MOVE_MM"."""
    part, (stem, _, name) = "decoding" if constant in DECODING else "tracking", constant.partition(".")
    return getattr(importlib.import_module(f"vision.{part}.{stem}"), name)


def value_text(constant: str) -> str:
    """The value of a constant, as docs/vision.md has it."""
    value = value_of(constant)
    numbers = value if isinstance(value, tuple) else value[np.isfinite(value)] if np.ndim(value) else (value,)
    return ", ".join(f"{number:g}" for number in numbers)


def difference(tally: Tally, usual: Tally) -> str:
    """How a tally differs from the usual one, in words."""
    if tally["failed"]:
        return "fails"
    changes = [f"{name} {tally[name] - usual[name]:+}" for name in {**usual, **tally} if tally[name] != usual[name]]
    return ", ".join(changes) or "no difference"


def report(results: Iterator[tuple[Variant, Tally]]) -> None:
    """Prints the usual tally, and a line for each constant."""
    totals = dict[Variant, Tally]()
    for variant, tally in results:
        totals.setdefault(variant, Tally()).update(tally)
    usual = totals.pop(Variant())
    print(", ".join(f"{name}: {count}" for name, count in usual.items()), flush=True)
    for name in dict.fromkeys(variant.constant for variant in totals):
        smaller, larger = (difference(totals[Variant(name, factor)], usual) for factor in (SMALLER, LARGER))
        print(f"{name} = {value_text(name)}: smaller: {smaller}; larger: {larger}", flush=True)


def main(args: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="tests.vision_constants.sensitivity", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="MODULE.NAME", help="a constant; all by default")
    parser.add_argument("--pictures", type=int, default=PICTURES, help=f"tables of cards; {PICTURES} by default")
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args(args)
    if unknown := set(options.names) - {*DECODING, *TRACKING}:
        parser.error(f"no such constants: {', '.join(sorted(unknown))}")
    cv2.setNumThreads(1)
    decoding, tracking = (
        [name for name in names if not options.names or name in options.names] for names in (DECODING, TRACKING)
    )
    if decoding:
        pictures = rendered_pictures(options.pictures, options.seed)
        report(measure(partial(read_pictures, pictures), variants_of(decoding)))
    if tracking:
        report(film_results(tracking, FILM_SEED + options.seed))


if __name__ == "__main__":
    main()
