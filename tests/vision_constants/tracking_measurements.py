"""Measures thresholds of `vision.tracking` on films of which it is known what moves in them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import cv2
import numpy as np

from tests.vision_constants.figures import Figure, count_of, percent, quantile, share_of
from tests.vision_constants.picture_analysis import Samples
from tests.vision_constants.rendered_films import LEAD_FRAMES, SHAKES, STILL, Film
from vision.decoding.decoder import read_codes
from vision.geometry import CellGrid, CellMask, GrayImage
from vision.known_codes import known_codes
from vision.simulated_camera import PlacedPrint
from vision.simulated_disturbances import shift_rows
from vision.tracking import appearance as appearances
from vision.tracking import change_detection as changes
from vision.tracking import focus_loss, tracker
from vision.tracking import image_stabilization as stabilization
from vision.tracking import light_compensation as light
from vision.tracking.cell_colors import cell_colors, have_same_hue
from vision.tracking.changed_regions import cells_under
from vision.tracking.reduced_image import cell_features, reduce
from vision.yuv import to_gray

MAX_STILL_DIFFERENCE, MIN_MOVING_DIFFERENCE = 0.5, 12.0
"""In gray levels, without noise and disturbance: a cell is unchanged if it differs by at most the first limit, and
clearly changed if it differs by more than the second."""
SHIFTS_PX = (0.15, 0.3, 1.0, 3.0, 6.0, 9.0, 12.0)
BLURS_PX = (3.0, 4.0, 6.0, 8.0)
"""Pictures with this much blur are out of focus."""
MIN_MOVE_MM = 40.0
"""A card that has moved by less than this was only turned."""
BLOCK_CHANGE = 10.0
"""In a frame in which the mean of a block changes by more than this, in gray levels without noise, something moves."""


class RecordingDetector(changes.ChangeDetector):
    """A change detector that keeps by how much each cell of the last frame differed: from the frame before, and from
    the background."""

    differences: tuple[CellGrid, ...] = ()

    def _classify(self, motion: CellGrid, threshold: CellGrid, t: float) -> changes.ChangeMasks:
        self.differences = motion, changes.cell_difference(self.features, self.background, self.overexposed)
        return super()._classify(motion, threshold, t)


def measure_changes(film: Film, samples: Samples) -> None:
    """Measures by how much cells that show the same, and cells that show something else, differ from the frame before
    and from the background."""
    detector, moving_shares = RecordingDetector(), list[float]()
    first = cell_features(film.clean_reduced[0])
    usual_colors = cell_colors(film.frames[0], exact=True)
    for n, (frame, reduced) in enumerate(zip(film.frames, film.reduced, strict=True)):
        noise = detector.noise
        features, colors = cell_features(reduced), cell_colors(frame)
        last_colors = cell_colors(film.frames[n - 1]) if n else colors
        hue = changes.SameHue(have_same_hue(colors, usual_colors, frame), have_same_hue(colors, last_colors, frame))
        masks = detector.update(reduced, features, n / 12, lambda hue=hue: hue)  # type: ignore[misc]
        textured = features[1] > stabilization.MIN_CELL_TEXTURE
        if n:  # in the first frame, every cell counts as moving
            moving_shares.append(float((masks.moving & textured).sum() / textured.sum()))
        if n < LEAD_FRAMES or noise is None or film.disturbance in SHAKES:
            continue
        now, last = (cell_features(each) for each in (film.clean_reduced[n], film.clean_reduced[n - 1]))
        motion, change = detector.differences
        threshold = np.clip(
            changes.MOTION_NOISE_RATIO * noise, changes.MIN_MOTION_THRESHOLD, changes.MAX_MOTION_THRESHOLD
        )
        for population, cells in populations(now, last):
            samples.add("motion ratio", population, (motion / noise)[cells])
            samples.add("motion", f"{population} {film.disturbance}", motion[cells])
        for population, cells in populations(now, first):
            samples.add("change ratio", population, (change / threshold)[cells])
            printed = cells & (last[1] > stabilization.MIN_CELL_TEXTURE)
            samples.add("recognized", population, light.recognized_cells(film.reduced[0], reduced)[printed])
        blocks, before = (changes.block_means(each) for each in (film.frames[n], film.frames[n - 1]))
        gain = light.row_gains(blocks, before)
        clean, clean_before = (changes.block_means(film.clean[k]) for k in (n, n - 1))
        moves = float(np.abs(clean - clean_before).max())
        if film.disturbance == STILL and (moves == 0 or moves > BLOCK_CHANGE):
            samples.add("blocks", "moving" if moves else "still", [np.abs(blocks * gain - before).max()])
    if film.disturbance in SHAKES:
        samples.add("moving share", film.disturbance, [max(moving_shares)])
    elif film.disturbance == STILL:
        samples.add("moving share", "steady", moving_shares)


def populations(now: CellGrid, before: CellGrid) -> Iterator[tuple[str, CellMask]]:
    """Yields the cells that show the same as before, and those that clearly show something else."""
    difference = np.abs(now - before).max(0)
    yield "same", difference <= MAX_STILL_DIFFERENCE
    yield "other", difference > MIN_MOVING_DIFFERENCE


def measure_appearances(film: Film, samples: Samples) -> None:
    """Measures how much the place of a card looks as when its code was read, while the card is there and after it has
    left; and how much it looks as before the card came."""
    if film.disturbance in SHAKES:
        return
    at_rest, end = LEAD_FRAMES - 1, len(film.frames) - 1
    gone = {card.id for card in film.before if is_elsewhere(card, film.after)}
    come = {card.id for card in film.after if is_elsewhere(card, film.before)}
    turned = {card.id for card in film.before if card not in film.after} - gone
    for card in film.before:
        if card.id in turned:
            continue
        look = captured(film, card, at_rest)
        population = "left" if card.id in gone else "present"
        patch = appearances.gray_patch(film.frames[end], look.box)
        textured, blocks = look.textured_blocks
        similar = appearances.row_correlations(blocks, appearances.split_into_blocks(patch)[textured])
        samples.add("block correlation", population, similar)
        samples.add("visible share", population, [(similar > appearances.MIN_BLOCK_CORRELATION).mean()])
        samples.add("texture ratio", population, [appearances.mean_gradient(patch) / look.gradient])
        pixels = film.reduced[end][look.inside]
        samples.add("same", population, [appearances.correlation(look.inside_pixels, pixels)])
        bare = film.table_without(card)[look.inside]
        if appearances.correlation(bare, bare):  # it is 0 where nothing is printed
            samples.add("before", population, [appearances.correlation(bare, pixels)])
    for card in film.after:
        if card.id in turned:
            continue
        look = captured(film, card, end)
        population = "new" if card.id in come else "old"
        earlier = film.reduced[at_rest]
        samples.add("was in", population, [appearances.correlation(look.inside_pixels, earlier[look.inside])])
        if population == "old":
            blurred = reduce(to_gray(cv2.GaussianBlur(film.frames[at_rest], (0, 0), BLURS_PX[0])))  # type: ignore[arg-type]
            samples.add("was in", "blurred", [appearances.correlation(look.inside_pixels, blurred[look.inside])])


def is_elsewhere(card: PlacedPrint, others: Sequence[PlacedPrint]) -> bool:
    """Whether a card lies at none of the places of the `others`."""
    return all(math.dist((card.x_mm, card.y_mm), (each.x_mm, each.y_mm)) > MIN_MOVE_MM for each in others)


def captured(film: Film, card: PlacedPrint, number: int) -> appearances.Appearance:
    """How the code of a card looks in the frame with this number."""
    reduced, corners = film.reduced[number], film.corners(card)
    shape = cell_features(reduced).shape[1:]
    return appearances.capture_appearance(film.frames[number], reduced, corners, cells_under(corners, shape))


def measure_camera(film: Film, samples: Samples) -> None:
    """Measures which shifts of the picture are found and accepted, and which other differences are taken for one; and
    which pictures count as out of focus."""
    if film.disturbance in SHAKES:
        return
    reference = stabilization.even_light(film.reduced[0])
    gradients = stabilization.Gradients.of(reference)
    usual = film.reduced[0], cell_features(film.reduced[0])

    def shift_of(reduced: GrayImage) -> tuple[stabilization.Shifts, bool]:
        image = stabilization.even_light(reduced)
        shifts = stabilization.estimate_shifts(reference, image, gradients)
        steady = stabilization.shift_reduced(image, shifts)
        return shifts, stabilization.is_motion(reference, image, steady, gradients, shifts)

    if film.disturbance == STILL:
        samples.add("shift", "rest", [np.abs(shift_of(each)[0]).max() for each in film.reduced[1:LEAD_FRAMES]])
    for reduced in film.reduced[LEAD_FRAMES::3]:
        shifts, is_accepted = shift_of(reduced)
        if np.abs(shifts).max() > stabilization.MIN_SHIFT_PX:
            samples.add("accepted", "steady", [is_accepted])
        samples.add("out of focus", "sharp", [focus_loss.is_out_of_focus((reduced, cell_features(reduced)), usual)])
    rng = np.random.default_rng(len(film.frames))
    frame = film.frames[LEAD_FRAMES - 1]
    for length in SHIFTS_PX if film.disturbance == STILL else ():
        angle = rng.uniform(0, 2 * np.pi)
        true = np.array([np.cos(angle), np.sin(angle)]) * length
        moved = film.camera.add_noise(shift_rows(film.clean[0], np.tile(true, (frame.shape[0], 1))))
        shifts, is_accepted = shift_of(reduce(to_gray(moved)))
        samples.add("shift", f"{length} px", [np.abs(shifts).max()])
        samples.add("shift error", f"{length} px", np.linalg.norm(shifts - true, axis=1))
        samples.add("accepted", f"{length} px", [is_accepted])
    for blur in BLURS_PX:
        reduced = reduce(to_gray(np.asarray(cv2.GaussianBlur(frame, (0, 0), blur), np.uint8)))
        samples.add(
            "out of focus", f"{blur} px", [focus_loss.is_out_of_focus((reduced, cell_features(reduced)), usual)]
        )


def measure_reading(film: Film, samples: Samples) -> None:
    """Measures how much the place and the angle of a code at rest differ from one reading to another."""
    if film.disturbance in SHAKES:
        return
    first, second = (
        {code.id: code for code in read_codes(to_gray(film.frames[n]), known_codes()) if code.id}
        for n in (LEAD_FRAMES - 2, LEAD_FRAMES - 1)
    )
    for name in first.keys() & second.keys():
        one, other = first[name], second[name]
        samples.add("move", "rest", [np.linalg.norm(one.center - other.center) / one.side_px])
        samples.add("turn", "rest", [abs((one.angle - other.angle + 180) % 360 - 180)])


def separates(samples: Samples, name: str, limit: float, high: tuple[str, str], low: tuple[str, str]) -> Figure:
    """The shares of two populations on either side of a limit. `high` and `low`: the population that should be above
    the limit and the one that should be below, each with its description."""
    above, below = samples.get(name, high[0]), samples.get(name, low[0])
    return Figure(
        f"{count_of(above, limit, high[1])} have more; {count_of(below, limit, low[1], above=False)} have less",
        share_of(above, limit),
        share_of(below, limit, above=False),
    )


def motion_noise_ratio(samples: Samples) -> Figure:
    return separates(
        samples,
        "motion ratio",
        changes.MOTION_NOISE_RATIO,
        ("other", "cells that show something else than in the frame before"),
        ("same", "others"),
    )


def min_motion_threshold(samples: Samples) -> Figure:
    return motion_threshold(samples, changes.MIN_MOTION_THRESHOLD, STILL)


def max_motion_threshold(samples: Samples) -> Figure:
    return motion_threshold(samples, changes.MAX_MOTION_THRESHOLD, "noise 22")


def motion_threshold(samples: Samples, limit: float, disturbance: str) -> Figure:
    same, other = samples.get("motion", f"same {disturbance}"), samples.get("motion", f"other {disturbance}")
    what = "without disturbance" if disturbance == STILL else "with noise of 22"
    return Figure(
        f"{what}, {count_of(same, limit, 'cells that show the same as in the frame before', above=False)} have less; "
        f"{count_of(other, limit, 'others')} have more",
        share_of(same, limit, above=False),
        share_of(other, limit),
    )


def change_ratio(samples: Samples) -> Figure:
    return separates(
        samples,
        "change ratio",
        changes.CHANGE_RATIO,
        ("other", "cells that show something else than the background"),
        ("same", "others"),
    )


def max_block_difference(samples: Samples) -> Figure:
    return separates(
        samples,
        "blocks",
        changes.MAX_BLOCK_DIFFERENCE,
        ("moving", "frames in which something moves"),
        ("still", "others"),
    )


def min_print_correlation(samples: Samples) -> Figure:
    same, other = samples.get("recognized", "same"), samples.get("recognized", "other")
    return Figure(
        f"{count_of(same, 0.5, 'printed cells that show the same as the background')} are recognized, "
        f"{count_of(other, 0.5, 'others')} too",
        share_of(same, 0.5),
        share_of(other, 0.5, above=False),
    )


PRESENT, LEFT = ("present", "places of cards that are still there"), ("left", "places of cards that have left")


def of_places(name: str, limit: float) -> Callable[[Samples], Figure]:
    return lambda samples: separates(samples, name, limit, PRESENT, LEFT)


min_visible_share = of_places("visible share", appearances.MIN_VISIBLE_SHARE)
min_full_view_share = of_places("visible share", appearances.MIN_FULL_VIEW_SHARE)
min_code_texture_ratio = of_places("texture ratio", appearances.MIN_CODE_TEXTURE_RATIO)
min_same_correlation = of_places("same", appearances.MIN_SAME_CORRELATION)


def min_block_correlation(samples: Samples) -> Figure:
    return separates(
        samples,
        "block correlation",
        appearances.MIN_BLOCK_CORRELATION,
        ("present", "blocks of cards that are still there"),
        ("left", "blocks of cards that have left"),
    )


def max_new_correlation(samples: Samples) -> Figure:
    limit = appearances.MAX_NEW_CORRELATION
    old, new = samples.get("was in", "old"), samples.get("was in", "new")
    return Figure(
        f"{count_of(old, limit, 'cards that were there before')} have more, "
        f"{percent(share_of(samples.get('was in', 'blurred'), limit))} if the earlier picture is blurred; "
        f"{count_of(new, limit, 'others', above=False)} have less",
        share_of(old, limit),
        share_of(new, limit, above=False),
    )


def min_before_correlation(samples: Samples) -> Figure:
    left, present = samples.get("before", "left"), samples.get("before", "present")
    limit = appearances.MIN_BEFORE_CORRELATION
    return Figure(
        f"{count_of(left, limit, 'printed places of cards that have left')} have more; "
        f"{count_of(present, limit, 'of cards that are still there', above=False)} have less",
        share_of(left, limit),
        share_of(present, limit, above=False),
    )


def min_shift_px(samples: Samples) -> Figure:
    limit, steady = stabilization.MIN_SHIFT_PX, samples.get("shift", "rest")
    small = samples.get("shift", f"{SHIFTS_PX[0]} px")
    return Figure(
        f"{count_of(small, limit, f'pictures shifted by {SHIFTS_PX[0]} px')} have more; "
        f"{count_of(steady, limit, 'pictures at rest', above=False)} have less",
        share_of(small, limit),
        share_of(steady, limit, above=False),
    )


def max_shift_px(samples: Samples) -> Figure:
    errors = (f"{length:g}: {quantile(samples.get('shift error', f'{length} px'), 0.5)}" for length in SHIFTS_PX)
    usable = np.concatenate([samples.get("shift error", f"{length} px") for length in SHIFTS_PX if length <= 9])
    return Figure(f"median error by the true shift, in px: {', '.join(errors)}", share_of(usable, 1.0, above=False))


def accepted_motion(samples: Samples) -> Figure:
    true = np.concatenate([samples.get("accepted", f"{length} px") for length in SHIFTS_PX if length <= 9])
    false = samples.get("accepted", "steady")
    return Figure(
        f"{count_of(true, 0.5, 'shifts of up to 9 px')} are accepted, and "
        f"{count_of(false, 0.5, 'apparent shifts by noise, light and hands')}",
        share_of(true, 0.5),
        share_of(false, 0.5, above=False),
    )


def min_moving_share(samples: Samples) -> Figure:
    limit, steady = stabilization.MIN_MOVING_SHARE, samples.get("moving share", "steady")
    shares = (count_of(samples.get("moving share", shake), limit, f"films with a {shake}") for shake in SHAKES)
    return Figure(
        f"{' and '.join(shares)} have a frame with more; "
        f"{count_of(steady, limit, 'frames of a steady camera', above=False)} have less",
        share_of(samples.get("moving share", *SHAKES), limit),
        share_of(steady, limit, above=False),
    )


def out_of_focus(samples: Samples) -> Figure:
    blurred = {blur: samples.get("out of focus", f"{blur} px") for blur in BLURS_PX}
    shares = (f"{percent(share_of(found, 0.5))} with a blur of {blur:g} px" for blur, found in blurred.items())
    sharp = samples.get("out of focus", "sharp")
    return Figure(
        f"of {len(sharp):,} pictures in focus, {percent(share_of(sharp, 0.5))} count as out of focus; of others, "
        f"{', '.join(shares)}",
        share_of(blurred[BLURS_PX[-1]], 0.5),
        share_of(sharp, 0.5, above=False),
    )


def min_move_sides(samples: Samples) -> Figure:
    return at_rest(samples, "move", tracker.MIN_MOVE_SIDES, "sides")


def min_turn_deg(samples: Samples) -> Figure:
    return at_rest(samples, "turn", tracker.MIN_TURN_DEG, "degrees")


def at_rest(samples: Samples, name: str, limit: float, unit: str) -> Figure:
    values = samples.get(name, "rest")
    return Figure(
        f"{count_of(values, limit, 'codes at rest', above=False)} differ by less; 99 % by at most "
        f"{quantile(values, 0.99)} {unit}, all by at most {quantile(values, 1)}",
        share_of(values, limit, above=False),
    )
