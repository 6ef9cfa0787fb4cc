"""Draws the stages of decoding an image, to show why a code was read or missed (`tablekeeper read --explain`).

Accepted codes are green. Known codes that were matched but not accepted are yellow if their confidence was nearly high
enough, otherwise red. Foreign codes are blue.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.decoded_codes import Code
from vision.decoding.candidate_regions import (
    TEXTURE_CELL_PX,
    find_candidates,
    measure_texture,
    normalize_texture,
    total_texture,
)
from vision.decoding.decoder import find_and_match
from vision.decoding.module_size_field import fit_module_size
from vision.decoding.pose_refinement import poses_from_corners, sample_modules
from vision.decoding.template_match import MIN_ACCEPTED_CONFIDENCE, MIN_LIKELY_CONFIDENCE, module_votes
from vision.decoding.templates import GRID_SIDE, Floats, build_template_bank
from vision.geometry import GrayImage

BgrColor = tuple[int, int, int]
Image = NDArray[np.uint8]
"""A color image, height x width x 3: blue, green, red."""

GREEN, YELLOW, RED, BLUE = (80, 200, 60), (40, 200, 240), (60, 60, 230), (230, 150, 60)
DEFAULT_CODE_PX = 40.0
"""The assumed side of a code while the module size is unknown."""
TILE_PX = 8 * GRID_SIDE
TILES_PER_ROW = 6


def write_stages(gray: GrayImage, known: frozenset[str], stem: Path) -> list[Path]:
    """Writes an image of each decoding stage, `STEM-1-found.png` and so on, and returns their paths. Raises OSError if
    an image can't be written."""
    found, matched = find_and_match(gray, measure_texture(gray), known)
    stages = {
        "1-found": draw_codes(gray, found),
        "2-candidates": draw_candidates(gray, found),
        "3-matched": draw_codes(gray, found + matched),
        "4-modules": module_sheet(gray, [code for code in found + matched if code.id], known),
    }
    return [write_png(stem.with_name(f"{stem.name}-{name}.png"), image) for name, image in stages.items()]


def write_png(path: Path, image: Image) -> Path:
    path.write_bytes(cv2.imencode(".png", image)[1].tobytes())
    return path


def confidence_color(code: Code) -> BgrColor:
    if code.id is None:
        return BLUE
    if code.confidence >= MIN_ACCEPTED_CONFIDENCE:
        return GREEN
    return YELLOW if code.confidence >= MIN_LIKELY_CONFIDENCE else RED


def caption(code: Code) -> str:
    """The text beside a code: its id, or the start of its text if it is foreign, and the confidence if it did not pass
    error correction."""
    return f"{code.id or code.text[:12]}{f' {code.confidence:.2f}' if code.confidence < 1 else ''}"


def draw_codes(gray: GrayImage, codes: list[Code]) -> Image:
    """A copy of the image in color with the outline of each code. The top edge of a code is thick."""
    image = np.asarray(cv2.cvtColor(gray, cv2.COLOR_GRAY2BGR), np.uint8)
    for code in codes:
        corners, color = np.round(code.corners).astype(np.int32), confidence_color(code)
        cv2.polylines(image, [corners], True, color, 1, cv2.LINE_AA)
        cv2.line(image, corners[0].tolist(), corners[1].tolist(), color, 3, cv2.LINE_AA)
        draw_label(image, caption(code), (int(corners[:, 0].min()), int(corners[:, 1].min()) - 4), color)
    return image


def draw_label(image: Image, text: str, at: tuple[int, int], color: BgrColor) -> None:
    cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.45, (0, 0, 0), 3, cv2.LINE_AA)
    cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.45, color, 1, cv2.LINE_AA)


def draw_candidates(gray: GrayImage, found: list[Code]) -> Image:
    """The image under a heatmap of its texture. Each candidate is marked with a circle and its rank. `found`: the codes
    that zxing-cpp found."""
    strength = normalize_texture(gray, measure_texture(gray))
    heatmap = cv2.applyColorMap(np.minimum(total_texture(strength) * 2, 255).astype(np.uint8), cv2.COLORMAP_INFERNO)
    heatmap_full = cv2.resize(heatmap, gray.shape[::-1], interpolation=cv2.INTER_NEAREST)
    image = np.asarray(cv2.addWeighted(cv2.cvtColor(gray, cv2.COLOR_GRAY2BGR), 0.5, heatmap_full, 0.5, 0), np.uint8)
    scale = fit_module_size(found)
    side = scale.module_px * 21 if scale else DEFAULT_CODE_PX
    for rank, (x, y) in enumerate(find_candidates(strength, found, side)):
        cv2.circle(image, (int(x), int(y)), TEXTURE_CELL_PX, YELLOW, 1, cv2.LINE_AA)
        draw_label(image, str(rank + 1), (int(x) + TEXTURE_CELL_PX, int(y)), YELLOW)
    return image


def module_sheet(gray: GrayImage, codes: list[Code], known: frozenset[str]) -> Image:
    """Draws how each code was read, one tile for each code. On the left of a tile are the gray levels that were
    sampled. On the right is every module: green if it agrees with the code that was recognized, red if it contradicts
    that code."""
    if not codes:
        return np.full((TILE_PX, TILE_PX, 3), 40, np.uint8)
    bank = build_template_bank(known)
    samples = sample_modules(gray, poses_from_corners([code.corners for code in codes]))
    votes = module_votes(samples, np.array([bank.index_of[code.id or ""] for code in codes]), bank)
    tiles = [module_tile(*each) for each in zip(codes, samples, votes, strict=True)]
    tiles += [np.zeros_like(tiles[0])] * (-len(tiles) % TILES_PER_ROW)
    return np.vstack([np.hstack(tiles[k : k + TILES_PER_ROW]) for k in range(0, len(tiles), TILES_PER_ROW)])


def module_tile(code: Code, samples: Floats, votes: Floats) -> Image:
    """Draws the tile of one code in `module_sheet`. On the left are the gray levels of its samples. On the right, each
    module is green or red, depending on its vote: 1 if it agrees with the code, -1 if it contradicts it."""
    low, high = np.percentile(samples, (1, 99))
    levels = (samples.reshape(GRID_SIDE, GRID_SIDE) - low) * 255 / max(high - low, 1)
    sample_tile = np.clip(levels, 0, 255).astype(np.uint8)
    signed_votes = np.clip(votes, -1, 1)[:, :, None]
    vote_tile = np.where(signed_votes > 0, signed_votes * GREEN, -signed_votes * RED).astype(np.uint8)
    size = (TILE_PX, TILE_PX)
    sample_image = cv2.cvtColor(cv2.resize(sample_tile, size, interpolation=cv2.INTER_NEAREST), cv2.COLOR_GRAY2BGR)
    vote_image = cv2.resize(vote_tile, size, interpolation=cv2.INTER_NEAREST)
    both = np.hstack([sample_image, vote_image])
    image = np.asarray(cv2.copyMakeBorder(both, 20, 4, 4, 4, cv2.BORDER_CONSTANT, value=(40, 40, 40)), np.uint8)
    draw_label(image, caption(code), (6, 15), confidence_color(code))
    return image
