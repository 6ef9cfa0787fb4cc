"""The stages of reading a picture, as pictures: why was a code read, or not?

Green is believed, yellow nearly so, red is no known code.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.decoding.candidates import (
    TEXTURE_CELL_PX,
    find_candidates,
    measure_texture,
    normalize_texture,
    total_texture,
)
from vision.decoding.decoder import find_and_match
from vision.decoding.module_size import fit_module_size
from vision.decoding.pose_refinement import poses_from_corners, sample_modules
from vision.decoding.template_match import MIN_ACCEPTED_CONFIDENCE, MIN_LIKELY_CONFIDENCE, module_votes
from vision.decoding.templates import GRID_SIDE, Floats, build_template_bank
from vision.geometry import Code, GrayImage

Colour = tuple[int, int, int]
Picture = NDArray[np.uint8]
"""Height x width x 3, blue green red."""

GREEN, YELLOW, RED, BLUE = (80, 200, 60), (40, 200, 240), (60, 60, 230), (230, 150, 60)
UNKNOWN_SIDE_PX = 40.0
TILE_PX = 8 * GRID_SIDE
COLUMNS = 6


def explain(grey: GrayImage, known: frozenset[str], stem: Path) -> list[Path]:
    """Writes `STEM-1-found.png` and so on; their paths. OSError if that can't be done."""
    found, matched = find_and_match(grey, measure_texture(grey), known)
    stages = {
        "1-found": with_codes(grey, found),
        "2-candidates": with_candidates(grey, found),
        "3-matched": with_codes(grey, found + matched),
        "4-modules": sheet(grey, [code for code in found + matched if code.id], known),
    }
    return [written(stem.with_name(f"{stem.name}-{name}.png"), picture) for name, picture in stages.items()]


def written(path: Path, picture: Picture) -> Path:
    path.write_bytes(cv2.imencode(".png", picture)[1].tobytes())
    return path


def colour_of(code: Code) -> Colour:
    if code.id is None:
        return BLUE
    return (
        GREEN
        if code.confidence >= MIN_ACCEPTED_CONFIDENCE
        else YELLOW
        if code.confidence >= MIN_LIKELY_CONFIDENCE
        else RED
    )


def caption(code: Code) -> str:
    """What was read; the proof, where no errors were corrected."""
    return f"{code.id or code.text[:12]}{f' {code.confidence:.2f}' if code.confidence < 1 else ''}"


def with_codes(grey: GrayImage, codes: list[Code]) -> Picture:
    """The picture with the outline of each code, its top edge thick."""
    picture = np.asarray(cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR), np.uint8)
    for code in codes:
        corners = np.round(code.corners).astype(np.int32)
        cv2.polylines(picture, [corners], True, colour_of(code), 1, cv2.LINE_AA)
        cv2.line(picture, corners[0].tolist(), corners[1].tolist(), colour_of(code), 3, cv2.LINE_AA)
        label(picture, caption(code), (int(corners[:, 0].min()), int(corners[:, 1].min()) - 4), colour_of(code))
    return picture


def label(picture: Picture, text: str, at: tuple[int, int], colour: Colour) -> None:
    cv2.putText(picture, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.45, (0, 0, 0), 3, cv2.LINE_AA)
    cv2.putText(picture, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.45, colour, 1, cv2.LINE_AA)


def with_candidates(grey: GrayImage, found: list[Code]) -> Picture:
    """Texture as warmth over the picture, and where it peaks the candidates by rank."""
    strength = normalize_texture(grey, measure_texture(grey))
    warm = cv2.applyColorMap(np.minimum(total_texture(strength) * 2, 255).astype(np.uint8), cv2.COLORMAP_INFERNO)
    large = cv2.resize(warm, grey.shape[::-1], interpolation=cv2.INTER_NEAREST)
    picture = np.asarray(cv2.addWeighted(cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR), 0.5, large, 0.5, 0), np.uint8)
    scale = fit_module_size(found)
    side = scale.module_px * 21 if scale else UNKNOWN_SIDE_PX
    for rank, (x, y) in enumerate(find_candidates(strength, found, side)):
        cv2.circle(picture, (int(x), int(y)), TEXTURE_CELL_PX, YELLOW, 1, cv2.LINE_AA)
        label(picture, str(rank + 1), (int(x) + TEXTURE_CELL_PX, int(y)), YELLOW)
    return picture


def sheet(grey: GrayImage, codes: list[Code], known: frozenset[str]) -> Picture:
    """Each code as the picture shows it, and what its modules say: green for the id, red against it."""
    if not codes:
        return np.full((TILE_PX, TILE_PX, 3), 40, np.uint8)
    patterns = build_template_bank(known)
    samples = sample_modules(grey, poses_from_corners([code.corners for code in codes]))
    votes = module_votes(samples, np.array([patterns.index_of[code.id or ""] for code in codes]), patterns)
    tiles = [tile(*each) for each in zip(codes, samples, votes, strict=True)]
    tiles += [np.zeros_like(tiles[0])] * (-len(tiles) % COLUMNS)
    return np.vstack([np.hstack(tiles[k : k + COLUMNS]) for k in range(0, len(tiles), COLUMNS)])


def tile(code: Code, samples: Floats, votes: Floats) -> Picture:
    """One code: its samples on the left, its modules' votes on the right."""
    low, high = np.percentile(samples, (1, 99))
    seen = np.clip((samples.reshape(GRID_SIDE, GRID_SIDE) - low) * 255 / max(high - low, 1), 0, 255).astype(np.uint8)
    for_us = np.clip(votes, -1, 1)[:, :, None]
    shown = np.where(for_us > 0, for_us * GREEN, -for_us * RED).astype(np.uint8)
    size = (TILE_PX, TILE_PX)
    left = cv2.cvtColor(cv2.resize(seen, size, interpolation=cv2.INTER_NEAREST), cv2.COLOR_GRAY2BGR)
    right = cv2.resize(shown, size, interpolation=cv2.INTER_NEAREST)
    framed = cv2.copyMakeBorder(np.hstack([left, right]), 20, 4, 4, 4, cv2.BORDER_CONSTANT, value=(40, 40, 40))
    both = np.asarray(framed, np.uint8)
    label(both, caption(code), (6, 15), colour_of(code))
    return both
