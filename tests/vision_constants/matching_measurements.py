"""Measures the constants of `coarse_match`, `template_match` and `pose_refinement`.

Each threshold is measured on the codes that pass the stages before it. To see what a threshold cuts off, the functions
of the product run with this threshold lowered.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from companion.component_qr_codes import MODULES
from tests.vision_constants.figures import CODES, Figure, codes_pass, count_of, joined, percent, quantile, share_of
from tests.vision_constants.picture_analysis import (
    MIN_PARTLY_VISIBLE,
    Analysis,
    Samples,
    Values,
    as_code,
    nearest,
    patched,
)
from tests.vision_constants.rendered_tables import TrueCode
from vision.decoding import coarse_match, native, pose_refinement, template_match
from vision.decoding.candidate_regions import find_candidates
from vision.decoding.coarse_match import (
    ANGLE_BINS,
    BIN_OFFSETS,
    MAX_POSES_PER_CANDIDATE,
    MIN_COARSE_CORRELATION,
    MIN_SCORE_RATIO,
    SEARCH_RADIUS_PX,
    build_coarse_templates,
    correlate,
    dominant_angles,
    find_coarse_poses,
    find_peaks,
    rectify_patches,
    search_radius,
)
from vision.decoding.module_size_field import ModuleScales, uniform_field
from vision.decoding.pose_refinement import (
    MAX_UPDATE,
    Poses,
    fit_parameters,
    poses_from_corners,
    project_corners,
    refine_poses,
    sample_modules,
    update_poses,
)
from vision.decoding.template_match import (
    COVERED_REFINEMENTS,
    MIN_ACCEPTED_CONFIDENCE,
    MIN_CONTRAST,
    MIN_CORRELATION,
    MIN_INITIAL_CORRELATION,
    MIN_LIKELY_CONFIDENCE,
    MIN_REFINABLE_CONFIDENCE,
    MIN_UNCOVERED_CONFIDENCE,
    UNCOVERED_REFINEMENTS,
    best_blurs,
    identify,
    refine_and_score,
    robust_residuals,
)
from vision.decoding.templates import Indices
from vision.geometry import GrayImage, Points

MAX_CANDIDATE_SIDES = 0.75
"""A candidate this far from a code's center, in sides of the code, is not a candidate for this code."""
MAX_SHIFT_MODULES, MAX_TURN_DEG = 2.0, 15.0
"""A coarse pose is right if its center and its angle differ by no more than this from the truth."""
ALL_POSES = {"MAX_POSES_PER_CANDIDATE": 1 << 20, "MIN_SCORE_RATIO": 0.0, "MIN_COARSE_CORRELATION": -1.0}
UNCOVERED_VARIANTS, COVERED_VARIANTS = (0, 1, 2, 4), (0, 3, 6, 12)
"""The numbers of iterations that are compared."""
COVERED = tuple(f"covered, {preset}" for preset in CODES)
"""The populations of partly covered codes of ours, by preset."""
DEGREES_PER_BIN = 90 / ANGLE_BINS


class Subjects:
    """What is matched in one picture: codes, and candidates that are no codes. `codes` has the code at each of
    `centers`, or None; `populations` has the name of each one's population."""

    def __init__(self, analysis: Analysis) -> None:
        preset = analysis.picture.preset
        self.candidates = find_candidates(analysis.normalized, [], analysis.size.module_px * MODULES)
        self.populations = list[str]()
        self.codes = list[TrueCode | None]()
        centers = list[Points]()
        foreign = [code for code in analysis.picture.codes if not code.id and code.visible > MIN_PARTLY_VISIBLE]
        for population, codes in (
            (preset, analysis.visible),
            (f"covered, {preset}", analysis.covered),
            ("half covered", analysis.half_covered),
            ("foreign", foreign),
        ):
            for code in codes:
                index, distance = nearest(self.candidates, as_code(code).center)
                if distance < MAX_CANDIDATE_SIDES * as_code(code).side_px:
                    centers.append(self.candidates[index])
                    self.populations.append(population)
                    self.codes.append(code)
        elsewhere = self.candidates[analysis.is_elsewhere(self.candidates)]
        self.populations += ["print"] * len(elsewhere)
        self.codes += [None] * len(elsewhere)
        self.ids = [code.id if code else None for code in self.codes]
        """The id of each code of ours; None for a foreign code, and for what is no code."""
        self.centers = np.array([*centers, *elsewhere], float).reshape(-1, 2)
        self.scales = analysis.size.module_scales(self.centers)

    def add(self, samples: Samples, name: str, which: Indices, values: Values) -> None:
        """Adds a value for each of the subjects with the indices `which`."""
        for population in {self.populations[index] for index in which}:
            here = np.array([self.populations[index] == population for index in which])
            samples.add(name, population, values[here])


def measure_matching(analysis: Analysis, samples: Samples) -> None:
    subjects = Subjects(analysis)
    samples.add(
        "candidate distance",
        analysis.picture.preset,
        [nearest(subjects.candidates, as_code(code).center)[1] for code in analysis.visible],
    )
    if len(subjects.centers):
        with patched(native, _enabled=False):  # the scores are those of numpy, so the poses must be too
            right, passing = measure_coarse_poses(analysis, subjects, samples)
        measure_templates(analysis, subjects, right, passing, samples)


def measure_coarse_poses(
    analysis: Analysis, subjects: Subjects, samples: Samples
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Returns for each subject whether the right coarse pose is kept, and whether any pose passes
    MIN_COARSE_CORRELATION."""
    gray, size, bank, count = analysis.gray, analysis.size, analysis.bank, len(subjects.centers)
    patches = rectify_patches(gray, subjects.centers, subjects.scales, search_radius(subjects.scales))
    bins = dominant_angles(patches)
    scores = correlate(patches, build_coarse_templates(bank, size.search_scales)[bins])
    level = uniform_field(size.module_px).module_scales(subjects.centers)
    level_bins = dominant_angles(rectify_patches(gray, subjects.centers, level, search_radius(level)))
    with patched(coarse_match, **ALL_POSES):
        poses, candidate = find_coarse_poses(gray, subjects.centers, subjects.scales, bank, size.search_scales)
        peaks = find_peaks(scores)
    values = np.asarray(scores.max(2)[peaks], float)
    kept, best = np.zeros(count, bool), np.zeros(count)
    for n, code in enumerate(subjects.codes):
        own = np.flatnonzero(candidate == n)
        best[n] = values[own].max(initial=0)
        if code is None or code.id is None:
            continue
        population = subjects.populations[n]
        truth = poses_from_corners([code.corners])[0]
        for name, scale, estimate in (("angle", subjects.scales[n], bins[n]), ("level angle", level[n], level_bins[n])):
            turn = np.degrees(rectified_angles(truth[None], scale)[0])
            samples.add(name, population, [np.abs((turn - estimate * DEGREES_PER_BIN + 45) % 90 - 45)])
        ranks = np.flatnonzero(are_right(poses[own], truth, subjects.scales[n]))
        samples.add("pose rank", population, [ranks[0] + 1 if len(ranks) else np.inf])
        samples.add("pose ratio", population, [values[own[ranks[0]]] / best[n] if len(ranks) else 0])
        if len(ranks):
            samples.add("coarse correlation", population, [values[own[ranks[0]]]])
            kept[n] = ranks[0] < MAX_POSES_PER_CANDIDATE and values[own[ranks[0]]] >= MIN_SCORE_RATIO * best[n]
    other = np.flatnonzero([population == "print" for population in subjects.populations])
    subjects.add(samples, "coarse correlation", other, best[other])
    return kept, best >= MIN_COARSE_CORRELATION


def rectified_angles(poses: Poses, scale: ModuleScales) -> NDArray[np.float64]:
    """The angle of each pose on the table in radians, without perspective. `scale`: the module size there (2 x 2). If
    it is not exact, this is the angle of the nearest rotation."""
    jacobians = poses[:, :2, :2] - poses[:, :2, 2:] @ poses[:, 2:, :2]
    turns = np.linalg.inv(scale) @ jacobians
    return np.asarray(np.arctan2(turns[:, 1, 0] - turns[:, 0, 1], turns[:, 0, 0] + turns[:, 1, 1]))


def are_right(poses: Poses, truth: NDArray[np.float64], scale: ModuleScales) -> NDArray[np.bool_]:
    """Whether each pose is nearly the true pose (3 x 3)."""
    module_px = np.sqrt(np.linalg.det(scale))
    shift = np.linalg.norm(poses[:, :2, 2] - truth[:2, 2], axis=1) / module_px
    turn = rectified_angles(poses, scale) - rectified_angles(truth[None], scale)
    off = np.abs((np.degrees(turn) + 180) % 360 - 180)
    return np.asarray((shift < MAX_SHIFT_MODULES) & (off < MAX_TURN_DEG))


def measure_templates(
    analysis: Analysis,
    subjects: Subjects,
    right: NDArray[np.bool_],
    passing: NDArray[np.bool_],
    samples: Samples,
) -> None:
    """`right`, `passing`: what `measure_coarse_poses` returns."""
    gray, size, bank = analysis.gray, analysis.size, analysis.bank
    with patched(coarse_match, MIN_COARSE_CORRELATION=-1.0):
        poses, candidate = find_coarse_poses(gray, subjects.centers, subjects.scales, bank, size.search_scales)
    refined = refine_poses(gray, poses, bank.common_models[:1])
    codes, correlation = identify(gray, refined, bank, is_sparse=True)
    order = np.lexsort((-correlation, candidate))
    first = order[np.unique(candidate[order], return_index=True)[1]]
    subject = candidate[first]
    ours = np.array([subjects.ids[n] is not None for n in subject])
    relevant = np.where(ours, right[subject], passing[subject])
    subjects.add(samples, "initial correlation", subject[relevant], np.asarray(correlation[first][relevant], float))
    for pose, n in zip(poses[first], subject, strict=True):
        code = subjects.codes[n]
        if code is not None and code.id and right[n] and subjects.populations[n] in CODES:
            truth = poses_from_corners([code.corners])[0]
            samples.add("right after one", "codes", [float(are_right(pose[None], truth, subjects.scales[n])[0])])
    measure_updates(gray, poses[first], ours & right[subject], analysis, samples)

    likely = relevant & (correlation[first] >= MIN_INITIAL_CORRELATION)
    start, which = refined[first][likely], subject[likely]
    after = refine_poses(gray, start, bank.common_models[1:])
    subjects.add(samples, "correlation", which, np.asarray(identify(gray, after, bank)[1], float))
    with patched(template_match, COVERED_REFINEMENTS=0, MIN_CORRELATION=-1.0):
        _, _, early = refine_and_score(gray, start, bank)
    subjects.add(samples, "first confidence", which, np.asarray(early, float))
    final, codes, confidence = refine_and_score(gray, start, bank)
    is_ours = ours[likely]
    wrong = is_ours & [bank.ids[code] != subjects.ids[n] for code, n in zip(codes, which, strict=True)]
    score = np.where(wrong, -1.0, confidence)
    subjects.add(samples, "confidence", which, np.asarray(score, float))
    samples.add("wrong confidence", "codes", confidence[wrong])
    # What an earlier stage has dropped is not accepted either.
    dropped = np.setdiff1d(np.arange(len(subjects.ids)), which)
    subjects.add(samples, "confidence", dropped, np.full(len(dropped), -1.0))
    read = is_ours & (score >= MIN_ACCEPTED_CONFIDENCE)
    if read.any():
        measure_read_codes(gray, final[read], codes[read], which[read], analysis, subjects, samples)
    measure_iterations(gray, start[is_ours], which[is_ours], analysis, subjects, samples)


def measure_read_codes(
    gray: GrayImage,
    poses: Poses,
    codes: Indices,
    which: Indices,
    analysis: Analysis,
    subjects: Subjects,
    samples: Samples,
) -> None:
    """The correlation and the contrast of codes that are read."""
    pixels = sample_modules(gray, poses)
    blurs, correlation = best_blurs(pixels, codes, analysis.bank)
    _, contrast = robust_residuals(pixels, analysis.bank.templates[blurs, codes])
    subjects.add(samples, "final correlation", which, np.asarray(correlation, float))
    subjects.add(samples, "contrast", which, np.asarray(contrast, float))


def measure_updates(
    gray: GrayImage, poses: Poses, is_right: NDArray[np.bool_], analysis: Analysis, samples: Samples
) -> None:
    """The changes of coarse poses in three iterations with the common models, relative to MAX_UPDATE."""
    for model in analysis.bank.common_models:
        parameters = fit_parameters(sample_modules(gray, poses), model)
        with patched(pose_refinement, MAX_UPDATE=np.full(8, np.inf)):
            free = update_poses(poses, parameters)
        change = np.linalg.inv(poses) @ free
        change = change / change[:, 2:, 2:] - np.eye(3)
        ratio = (np.abs(change.reshape(-1, 9)[:, :8]) / MAX_UPDATE).max(1)
        samples.add("update", analysis.picture.preset, ratio[is_right])
        samples.add("update", "other", ratio[~is_right])
        poses = update_poses(poses, parameters)


def measure_iterations(
    gray: GrayImage, start: Poses, which: Indices, analysis: Analysis, subjects: Subjects, samples: Samples
) -> None:
    """Which codes are read, and how exactly, after more or fewer iterations with their own model."""
    if not len(start):
        return
    truths = [subjects.codes[n] for n in which]
    is_covered, is_uncovered = (
        np.array([subjects.populations[n] in populations for n in which]) for populations in (COVERED, CODES)
    )
    quads = np.array([truth.corners for truth in truths if truth])
    for constant, variants, chosen in (
        ("UNCOVERED_REFINEMENTS", UNCOVERED_VARIANTS, is_uncovered),
        ("COVERED_REFINEMENTS", COVERED_VARIANTS, is_covered),
    ):
        if not chosen.any():
            continue
        for count in variants:
            changed = {"COVERED_REFINEMENTS": 0, constant: count}
            with patched(template_match, **changed):
                poses, _, confidence = refine_and_score(gray, start[chosen], analysis.bank)
            off = np.abs(project_corners(poses) - quads[chosen]).max((1, 2))
            samples.add(f"{constant} {count}", "confidence", confidence)
            samples.add(f"{constant} {count}", "off", off[confidence >= MIN_ACCEPTED_CONFIDENCE])


def search_radius_px(samples: Samples) -> Figure:
    return codes_pass(
        samples, "candidate distance", SEARCH_RADIUS_PX, f"have a candidate within {SEARCH_RADIUS_PX:g} px", above=False
    )


def angle_bins(samples: Samples) -> Figure:
    reach = (max(BIN_OFFSETS) + 0.5) * DEGREES_PER_BIN
    codes = codes_pass(samples, "angle", reach, f"are within {reach:g} degrees of the estimate", above=False)
    near, level = (
        " and ".join(percent(share_of(samples.get(name, preset), 10, above=False)) for preset in CODES)
        for name in ("angle", "level angle")
    )
    return joined(codes, f"{near} within 10 degrees, {level} if the tilt is unknown")


def poses_per_candidate(samples: Samples) -> Figure:
    kept = codes_pass(
        samples, "pose rank", MAX_POSES_PER_CANDIDATE, f"have the right pose among the best {MAX_POSES_PER_CANDIDATE}",
        above=False,
    )  # fmt: skip
    fewer = ", ".join(
        f"{n}: {percent(share_of(samples.get('pose rank', *CODES), n, above=False))}" for n in (1, 2, 3, 8)
    )
    best = count_of(samples.get("right after one", "codes"), 1, "of these poses")
    return joined(kept, f"among the best {fewer}", f"{best} correlate best after one iteration")


def min_score_ratio(samples: Samples) -> Figure:
    verb = f"give the right pose at least {MIN_SCORE_RATIO} of the best score"
    return codes_pass(samples, "pose ratio", MIN_SCORE_RATIO, verb)


def correlation_limit(samples: Samples, name: str, limit: float, other: str, *more: str) -> Figure:
    """The share of codes with more than a limit, and the share of others with less. `other`: what these are."""
    others = samples.get(name, "print")
    less = count_of(others, limit, other, above=False)
    codes = codes_pass(samples, name, limit, "have more")
    return joined(codes, f"{less} have less", *more, stopped=share_of(others, limit, above=False))


def min_coarse_correlation(samples: Samples) -> Figure:
    return correlation_limit(samples, "coarse correlation", MIN_COARSE_CORRELATION, "other candidates")


def min_initial_correlation(samples: Samples) -> Figure:
    return correlation_limit(
        samples, "initial correlation", MIN_INITIAL_CORRELATION, "other candidates that pass the coarse match"
    )


def min_correlation(samples: Samples) -> Figure:
    covered = samples.get("final correlation", *COVERED, "half covered")
    least = f"the least of {len(covered):,} partly or half covered codes that are read is {quantile(covered, 0)}"
    return correlation_limit(samples, "correlation", MIN_CORRELATION, "other candidates that remain", least)


def min_contrast(samples: Samples) -> Figure:
    contrast = samples.get("contrast", *CODES)
    codes = codes_pass(samples, "contrast", MIN_CONTRAST, "that are read have more")
    return joined(codes, f"the least has {quantile(contrast, 0)} gray levels, the median {quantile(contrast, 0.5)}")


def min_refinable_confidence(samples: Samples) -> Figure:
    name = "first confidence"
    other = samples.get(name, "print")
    foreign = count_of(samples.get(name, "foreign"), MIN_REFINABLE_CONFIDENCE, "foreign codes", above=False)
    less = count_of(other, MIN_REFINABLE_CONFIDENCE, "other candidates that remain", above=False)
    return joined(
        codes_pass(samples, name, MIN_REFINABLE_CONFIDENCE, "have more"),
        f"the least has {quantile(samples.get(name, *CODES), 0)}",
        f"{foreign} and {less} have less",
        stopped=share_of(other, MIN_REFINABLE_CONFIDENCE, above=False),
    )


def confidence_limit(samples: Samples, limit: float) -> Figure:
    """The share of codes with at least this confidence, and the highest confidences of others."""
    covered = " and ".join(
        count_of(samples.get("confidence", f"covered, {preset}"), limit, f"partly covered {preset} codes")
        for preset in CODES
    )
    others = [samples.get("confidence", "foreign"), samples.get("confidence", "print")]
    highest = max((float(part.max(initial=-1)) for part in others), default=-1)
    wrong = samples.get("wrong confidence", "codes")
    return joined(
        codes_pass(samples, "confidence", limit, "reach it"),
        covered,
        f"the highest of {len(others[0]):,} foreign codes, {len(others[1]):,} other candidates and {len(wrong):,} of "
        f"our codes taken for another is {max(highest, float(wrong.max(initial=-1))):.2f}",
        stopped=1 - share_of(np.concatenate([*others, wrong]), limit),
    )


def min_accepted_confidence(samples: Samples) -> Figure:
    return confidence_limit(samples, MIN_ACCEPTED_CONFIDENCE)


def min_likely_confidence(samples: Samples) -> Figure:
    return confidence_limit(samples, MIN_LIKELY_CONFIDENCE)


def min_uncovered_confidence(samples: Samples) -> Figure:
    covered = samples.get("confidence", *COVERED)
    less = count_of(covered, MIN_UNCOVERED_CONFIDENCE, "partly covered ones", above=False)
    return joined(codes_pass(samples, "confidence", MIN_UNCOVERED_CONFIDENCE, "have more"), f"{less} have less")


def refinements(samples: Samples, constant: str, variants: Sequence[int], what: str) -> str:
    """How many codes are read after each number of iterations, and how exact their corners are."""
    parts = []
    for count in variants:
        read = share_of(samples.get(f"{constant} {count}", "confidence"), MIN_ACCEPTED_CONFIDENCE)
        off = quantile(samples.get(f"{constant} {count}", "off"), 0.5)
        parts.append(f"{count}: {100 * read:.1f} %, {off} px")
    number = len(samples.get(f"{constant} {variants[0]}", "confidence"))
    return f"of {number:,} {what}, read after n iterations, and the worst corner of the median code: {'; '.join(parts)}"


def uncovered_refinements(samples: Samples) -> Figure:
    name = "UNCOVERED_REFINEMENTS"
    text = refinements(samples, name, UNCOVERED_VARIANTS, "codes")
    confidence = samples.get(f"{name} {UNCOVERED_REFINEMENTS}", "confidence")
    return Figure(text, share_of(confidence, MIN_ACCEPTED_CONFIDENCE) if len(confidence) else None)


def covered_refinements(samples: Samples) -> Figure:
    name = "COVERED_REFINEMENTS"
    text = refinements(samples, name, COVERED_VARIANTS, "partly covered codes")
    few, usual = (
        share_of(samples.get(f"{name} {n}", "confidence"), MIN_ACCEPTED_CONFIDENCE) for n in (0, COVERED_REFINEMENTS)
    )
    return Figure(text, None if np.isnan(few) else float(usual >= few))


def max_update(samples: Samples) -> Figure:
    other = count_of(samples.get("update", "other"), 1, "updates of wrong poses", above=False)
    parts = [count_of(samples.get("update", preset), 1, f"updates of {preset} codes", above=False) for preset in CODES]
    values = samples.get("update", *CODES)
    return Figure(
        f"{' and '.join(parts)} stay below it; {other}", share_of(values, 1, above=False) if len(values) else None
    )
