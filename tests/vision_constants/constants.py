"""The constants of code reading and tracking that can be measured again, and how each is measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from tests.vision_constants import decoder_measurements as decoding
from tests.vision_constants import matching_measurements as matching
from tests.vision_constants import region_measurements as regions
from tests.vision_constants import size_measurements as sizes
from tests.vision_constants import tracking_measurements as tracking
from tests.vision_constants.figures import Figure
from tests.vision_constants.picture_analysis import Analysis, Samples
from tests.vision_constants.rendered_films import films
from tests.vision_constants.rendered_tables import card_tables, game_tables
from vision.decoding import (
    candidate_regions,
    coarse_match,
    decoder,
    module_size_field,
    pose_refinement,
    template_match,
)
from vision.tracking import (
    appearance,
    change_detection,
    focus_loss,
    image_stabilization,
    light_compensation,
    tracker,
)

PICTURES = 400
"""The number of tables of cards by default."""
SEED = 1
GAME_TABLES_ONE_IN = 10
"""One table of each game is rendered per this many tables of cards."""
FILM_ONE_IN = 20
"""One film with each disturbance is rendered per this many tables of cards."""
GAMES_ON_TABLES = (("commute", False), ("commute", True), ("traffic-congestion", False))
"""The games whose printed sizes are measured, and whether their cards are printed small."""


Data = Literal["cards", "games", "films"]
"""Where a constant is measured: on tables of cards, on tables of games, or on films."""
Collect = Callable[[Any, Samples], None]
"""Adds samples of an `Analysis` of a table of cards, or of a `Film`."""


@dataclass(frozen=True)
class Constant:
    """A constant with its module in `vision.decoding` or `vision.tracking`. `measured` says what is measured, and
    `summarize` makes the figure from the samples that `collect` has added for each picture or film. `collect` is None
    for tables of games."""

    module: str
    name: str
    value: object
    measured: str
    data: Data
    collect: Collect | None
    summarize: Callable[[Samples], Figure]

    @property
    def value_text(self) -> str:
        """The value as it is printed: "0.42", or "0.93, 1.07" for several numbers."""
        return ", ".join(f"{number:g}" for number in np.ravel(np.asarray(self.value, float)))


def constants_of(
    module: object,
    collect: Collect | None,
    measured: dict[str, tuple[str, Callable[[Samples], Figure]]],
    data: Data = "cards",
) -> Iterator[Constant]:
    """Yields the constants of one module. `measured` has for each name what is measured, and a function that makes the
    figure."""
    module_name = str(getattr(module, "__name__", "")).rpartition(".")[2]
    for name, (what, summarize) in measured.items():
        yield Constant(module_name, name, getattr(module, name), what, data, collect, summarize)


CONSTANTS: Sequence[Constant] = (
    *constants_of(
        candidate_regions,
        regions.measure_regions,
        {
            "MIN_TEXTURE": ("response at codes", regions.min_texture),
            "MIN_ISOTROPY": ("isotropy at codes", regions.min_isotropy),
            "MIN_TEXTURE_RATIO": ("response at codes, relative to the median code", regions.min_texture_ratio),
            "MIN_REGION_TEXTURE": ("codes in regions; see MIN_PEAK_REGION_TEXTURE", regions.region_texture),
            "MIN_PEAK_REGION_TEXTURE": ("codes in regions", regions.region_texture),
            "REGION_EDGE_RATIO": ("codes in regions; see MIN_PEAK_REGION_TEXTURE", regions.region_texture),
            "STICKER_SIDES": ("square that contains the peaks of the response at a code", regions.sticker_sides),
            "HIGH_TEXTURE": ("share of cells with more texture; see MAX_HIGH_TEXTURE_SHARE", regions.high_texture),
            "MAX_HIGH_TEXTURE_SHARE": ("share of cells with more texture than HIGH_TEXTURE", regions.high_texture),
        },
    ),
    *constants_of(
        decoder,
        decoding.measure_decoder,
        {
            "MAX_FAILED_CANDIDATES": ("other candidates tried before a code", decoding.max_failed_candidates),
            "MAX_REFINEMENT_MODULES": ("movement of a corner in refinement", decoding.max_refinement_modules),
            "MIN_PEAK_TEXTURE": ("highest texture of a cell in a code", decoding.min_peak_texture),
        },
    ),
    *constants_of(
        module_size_field,
        sizes.measure_sizes,
        {
            "SLOPE_REGULARIZATION": ("error of the estimated size", sizes.slope_regularization),
            "NARROW_SCALES": ("error of the estimated size, and codes read", sizes.narrow_scales),
            "MEDIUM_SCALES": ("error of the estimated size, and codes read", sizes.medium_scales),
            "WIDE_SCALES": ("error of the estimated size, and codes read", sizes.wide_scales),
        },
    ),
    *constants_of(
        module_size_field,
        None,
        {
            "MIN_SIZE_GAP": ("gap between the sizes of codes, as a logarithm", sizes.min_size_gap),
            "MIN_RATIO_DIFFERENCE": (
                "median size of the codes on a table, relative to the mat's corner codes",
                sizes.min_ratio_difference,
            ),
        },
        data="games",
    ),
    *constants_of(
        coarse_match,
        matching.measure_matching,
        {
            "SEARCH_RADIUS_PX": ("distance from a code to its candidate", matching.search_radius_px),
            "ANGLE_BINS": ("difference from the dominant edge direction; see BIN_OFFSETS", matching.angle_bins),
            "BIN_OFFSETS": ("difference from the dominant edge direction", matching.angle_bins),
            "MAX_POSES_PER_CANDIDATE": ("rank of the right pose", matching.poses_per_candidate),
            "MIN_SCORE_RATIO": ("score of the right pose, relative to the best", matching.min_score_ratio),
            "MIN_COARSE_CORRELATION": ("score of the right pose, and of others", matching.min_coarse_correlation),
        },
    ),
    *constants_of(
        template_match,
        matching.measure_matching,
        {
            "MIN_INITIAL_CORRELATION": ("correlation after one iteration", matching.min_initial_correlation),
            "MIN_CORRELATION": ("correlation after three iterations", matching.min_correlation),
            "MIN_CONTRAST": ("contrast of the fitted template", matching.min_contrast),
            "MIN_REFINABLE_CONFIDENCE": ("first confidence", matching.min_refinable_confidence),
            "MIN_UNCOVERED_CONFIDENCE": ("final confidence", matching.min_uncovered_confidence),
            "MIN_LIKELY_CONFIDENCE": ("final confidence", matching.min_likely_confidence),
            "MIN_ACCEPTED_CONFIDENCE": ("final confidence", matching.min_accepted_confidence),
            "UNCOVERED_REFINEMENTS": ("codes read, and their accuracy", matching.uncovered_refinements),
            "COVERED_REFINEMENTS": ("codes read, and their accuracy", matching.covered_refinements),
        },
    ),
    *constants_of(
        pose_refinement,
        matching.measure_matching,
        {"MAX_UPDATE": ("largest change of a parameter in an iteration, relative to its limit", matching.max_update)},
    ),
    *constants_of(
        change_detection,
        tracking.measure_changes,
        {
            "MAX_BLOCK_DIFFERENCE": ("largest change of a block's mean", tracking.max_block_difference),
            "MOTION_NOISE_RATIO": (
                "difference from the frame before, relative to the noise",
                tracking.motion_noise_ratio,
            ),
            "MIN_MOTION_THRESHOLD": ("difference from the frame before", tracking.min_motion_threshold),
            "MAX_MOTION_THRESHOLD": ("difference from the frame before", tracking.max_motion_threshold),
            "CHANGE_RATIO": ("difference from the background, relative to the motion threshold", tracking.change_ratio),
        },
        data="films",
    ),
    *constants_of(
        light_compensation,
        tracking.measure_changes,
        {"MIN_PRINT_CORRELATION": ("correlation with the background", tracking.min_print_correlation)},
        data="films",
    ),
    *constants_of(
        image_stabilization,
        tracking.measure_changes,
        {"MIN_MOVING_SHARE": ("share of the textured cells that move", tracking.min_moving_share)},
        data="films",
    ),
    *constants_of(
        image_stabilization,
        tracking.measure_camera,
        {
            "MIN_SHIFT_PX": ("estimated shift", tracking.min_shift_px),
            "MAX_SHIFT_PX": ("error of the estimated shift", tracking.max_shift_px),
            "MIN_EXPLAINED_RATIO": ("decrease of the difference; see MAX_UNEXPLAINED", tracking.accepted_motion),
            "MAX_UNEXPLAINED": ("decrease of the difference", tracking.accepted_motion),
        },
        data="films",
    ),
    *constants_of(
        focus_loss,
        tracking.measure_camera,
        {
            "MIN_LESS_SHARP_SHARE": ("pictures out of focus; see MIN_SAME_SHARE", tracking.out_of_focus),
            "MIN_SHARPNESS": ("pictures out of focus; see MIN_SAME_SHARE", tracking.out_of_focus),
            "MIN_SAME_SHARE": ("pictures out of focus", tracking.out_of_focus),
        },
        data="films",
    ),
    *constants_of(
        appearance,
        tracking.measure_appearances,
        {
            "MIN_BLOCK_CORRELATION": ("correlation of a block", tracking.min_block_correlation),
            "MIN_VISIBLE_SHARE": ("share of the blocks that look as before", tracking.min_visible_share),
            "MIN_FULL_VIEW_SHARE": ("share of the blocks that look as before", tracking.min_full_view_share),
            "MIN_CODE_TEXTURE_RATIO": ("texture, relative to the code's", tracking.min_code_texture_ratio),
            "MIN_SAME_CORRELATION": ("correlation of a place", tracking.min_same_correlation),
            "MAX_NEW_CORRELATION": ("correlation with an earlier picture", tracking.max_new_correlation),
            "MIN_BEFORE_CORRELATION": (
                "correlation with the picture from before the card came",
                tracking.min_before_correlation,
            ),
        },
        data="films",
    ),
    *constants_of(
        tracker,
        tracking.measure_reading,
        {
            "MIN_MOVE_SIDES": ("shift from one reading to another", tracking.min_move_sides),
            "MIN_TURN_DEG": ("turn from one reading to another", tracking.min_turn_deg),
        },
        data="films",
    ),
)


def measure(names: Sequence[str], pictures: int, seed: int) -> Iterator[tuple[Constant, Figure]]:
    """Yields the figure of each of the constants with these names, or of all. `pictures`: the number of tables of
    cards."""
    chosen = [constant for constant in CONSTANTS if not names or constant.name in names]
    samples = Samples()
    collectors: dict[Data, dict[Collect, None]] = {"cards": {}, "films": {}}
    for constant in chosen:
        if constant.collect:
            collectors[constant.data][constant.collect] = None
    for picture in card_tables(pictures, seed) if collectors["cards"] else ():
        analysis = Analysis(picture)
        for collect in collectors["cards"]:
            collect(analysis, samples)
    for film in films(max(1, pictures // FILM_ONE_IN), seed) if collectors["films"] else ():
        for collect in collectors["films"]:
            collect(film, samples)
    if any(constant.data == "games" for constant in chosen):
        for game, small in GAMES_ON_TABLES:
            for picture in game_tables(game, max(2, pictures // GAME_TABLES_ONE_IN), seed, small):
                sizes.measure_printed_sizes(Analysis(picture), samples, game, small=small)
    for constant in chosen:
        yield constant, constant.summarize(samples)
