"""Measures the constants that keep small foreign codes out: `python -m tests.vision_constants.small_codes`.

Foreign codes that differ from one of ours in the fewest possible codewords, and as many of ours, are rendered with 0.8
to 1.65 px per module, blurred and noisy.
"""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np
import segno

from tests.vision_constants.picture_analysis import patched
from vision.decoding import template_match
from vision.decoding.decoder import match_candidates
from vision.decoding.module_size_field import uniform_field
from vision.decoding.template_match import MIN_ACCEPTED_CONFIDENCE
from vision.decoding.templates import build_template_bank
from vision.geometry import GrayImage
from vision.known_codes import known_codes

FOREIGN_TEXTS = ("TK:CM-6L", "TK:CM-U1Y", "TK:SF-D2F", "TK:TC-SIG3WX", "TK:CM-6R")
OUR_TEXTS = ("TK:CM-7C", "TK:CM-U10", "TK:SF-D13", "TK:TC-SIG30X", "TK:SW-Y1A")
SIZES_PX = (0.8, 0.9, 1.0, 1.1, 1.3, 1.5, 1.65)
PICTURES = 100
"""The number of pictures of each text in each size."""
SIDE_PX, FINE = 100, 8


def render_small_code(text: str, module_px: float, rng: np.random.Generator, max_blur_px: float = 1.1) -> GrayImage:
    """A code of any text in the middle of a gray image, at a random angle."""
    modules = segno.make_qr(text, version=1, error="q", boost_error=False).matrix
    dark = np.pad(np.array([list(row) for row in modules], np.uint8), 4)
    print_ = np.kron(np.where(dark > 0, 30, 225).astype(np.uint8), np.ones((FINE, FINE), np.uint8))
    angle, middle = rng.uniform(0, 360), (print_.shape[1] - 1) / 2
    to_px = cv2.getRotationMatrix2D((middle, middle), angle, module_px / FINE * 4)
    to_px[:, 2] += SIDE_PX * 2 - middle + rng.uniform(-2, 2, 2)
    large = cv2.warpAffine(cv2.GaussianBlur(print_, (0, 0), 1), to_px, (SIDE_PX * 4, SIDE_PX * 4), borderValue=(130,))
    small = cv2.resize(large, (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_AREA).astype(np.float32)
    blurred = cv2.GaussianBlur(small, (0, 0), rng.uniform(0.4, max_blur_px))
    return np.clip(blurred + rng.normal(0, rng.uniform(1.5, 6), blurred.shape), 0, 255).astype(np.uint8)


def accepted_ids(text: str, module_px: float, pictures: int = PICTURES) -> list[str]:
    """The ids for which a code with this text is taken in a number of pictures."""
    bank, accepted = build_template_bank(known_codes()), list[str]()
    for seed in range(pictures):
        gray = render_small_code(text, module_px, np.random.default_rng(seed))
        found = match_candidates(gray, np.array([[SIDE_PX / 2, SIDE_PX / 2]]), uniform_field(module_px), bank)
        accepted += [code.id or "" for code in found if code.confidence >= MIN_ACCEPTED_CONFIDENCE]
    return accepted


def count_accepted(texts: Iterable[str], pictures: int = PICTURES) -> int:
    """How many pictures of these texts are accepted, in all sizes."""
    return sum(len(accepted_ids(text, size, pictures)) for text in texts for size in SIZES_PX)


def main() -> None:
    for name, texts in ("foreign codes", FOREIGN_TEXTS), ("codes of ours", OUR_TEXTS):
        with patched(template_match, MAX_SMALL_MODULE_PX=0):
            without = count_accepted(texts)
        total = len(texts) * len(SIZES_PX) * PICTURES
        print(f"{name}: of {total:,}, {count_accepted(texts):,} are accepted, and {without:,} without the check")


if __name__ == "__main__":
    main()
