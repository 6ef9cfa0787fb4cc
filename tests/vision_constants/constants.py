"""The constants of code reading that can be measured again, and how each is measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tests.vision_constants import decoder_measurements as decoding
from tests.vision_constants import matching_measurements as matching
from tests.vision_constants import region_measurements as regions
from tests.vision_constants import size_measurements as sizes
from tests.vision_constants.figures import Figure
from tests.vision_constants.picture_analysis import Analysis, Samples
from tests.vision_constants.rendered_tables import card_tables, game_tables
from vision.decoding import (
    candidate_regions,
    coarse_match,
    decoder,
    module_size_field,
    pose_refinement,
    template_match,
)

PICTURES = 400
"""The number of tables of cards by default."""
SEED = 1
GAME_TABLES_ONE_IN = 10
"""One table of each game is rendered per this many tables of cards."""
GAMES_ON_TABLES = (("commute", False), ("commute", True), ("traffic-congestion", False))
"""The games whose printed sizes are measured, and whether their cards are printed small."""


@dataclass(frozen=True)
class Constant:
    """A constant with its module in `vision.decoding`. `measured` says what is measured, and `summarize` makes the
    figure from the samples that `collect` has added for each picture; None if they come from tables of games."""

    module: str
    name: str
    value: object
    measured: str
    collect: Callable[[Analysis, Samples], None] | None
    summarize: Callable[[Samples], Figure]

    @property
    def value_text(self) -> str:
        """The value as it is printed: "0.42", or "0.93, 1.07" for several numbers."""
        return ", ".join(f"{number:g}" for number in np.ravel(np.asarray(self.value, float)))


def constants_of(
    module: object,
    collect: Callable[[Analysis, Samples], None] | None,
    measured: dict[str, tuple[str, Callable[[Samples], Figure]]],
) -> Iterator[Constant]:
    """Yields the constants of one module. `measured` has for each name what is measured, and a function that makes the
    figure."""
    module_name = str(getattr(module, "__name__", "")).rpartition(".")[2]
    for name, (what, summarize) in measured.items():
        yield Constant(module_name, name, getattr(module, name), what, collect, summarize)


CONSTANTS: Sequence[Constant] = (
    *constants_of(
        candidate_regions,
        regions.measure_regions,
        {
            "MIN_TEXTURE": ("response at codes", regions.min_texture),
            "MIN_ISOTROPY": ("isotropy at codes", regions.min_isotropy),
            "MIN_TEXTURE_RATIO": ("response at codes, relative to the median code", regions.min_texture_ratio),
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
)


def measure(names: Sequence[str], pictures: int, seed: int) -> Iterator[tuple[Constant, Figure]]:
    """Yields the figure of each of the constants with these names, or of all. `pictures`: the number of tables of
    cards."""
    chosen = [constant for constant in CONSTANTS if not names or constant.name in names]
    samples = Samples()
    collectors = {constant.collect: None for constant in chosen}
    if any(collectors):
        for picture in card_tables(pictures, seed):
            analysis = Analysis(picture)
            for collect in collectors:
                if collect:
                    collect(analysis, samples)
    if None in collectors:
        for game, small in GAMES_ON_TABLES:
            for picture in game_tables(game, max(2, pictures // GAME_TABLES_ONE_IN), seed, small):
                sizes.measure_printed_sizes(Analysis(picture), samples, game, small=small)
    for constant in chosen:
        yield constant, constant.summarize(samples)
