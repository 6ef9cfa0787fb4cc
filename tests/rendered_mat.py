"""Renders a mat as a camera straight above it sees it: pale paper with four corner codes, and optionally more codes."""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np

from companion.component_qr_codes import MODULES, matrix
from companion.tabletop.mat import Mat, Point
from vision.geometry import GrayImage

TABLE, PAPER, INK = 90, 225, 30
AROUND_MM = 20.0


def seen_mat(mat: Mat, module_px: float, further_codes: Mapping[str, Point] | None = None) -> GrayImage:
    """An image of a mat with `module_px` pixels per module. `further_codes`: the centers in mm of more codes of the
    same size, by id."""
    code_mm = mat.corners[0].code_mm
    px = module_px * MODULES / code_mm
    width, height = (round((side + 2 * AROUND_MM) * px) for side in mat.size)
    picture = np.full((height, width), TABLE, np.uint8)
    edge = round(AROUND_MM * px)
    picture[edge:-edge, edge:-edge] = PAPER
    for code_id, (x, y) in ({corner.id: corner.center for corner in mat.corners} | dict(further_codes or {})).items():
        code = drawn_code(code_id, round(code_mm * px))
        left, top = (round((at + AROUND_MM - code_mm / 2) * px) for at in (x, y))
        picture[top : top + len(code), left : left + len(code)] = code
    return picture


def drawn_code(code_id: str, side: int) -> GrayImage:
    """A code `side` pixels wide. Each pixel is the mean of the area it covers."""
    light = np.array([[PAPER if bit == "0" else INK for bit in row] for row in matrix(code_id)], np.uint8)
    fine = light.repeat(16, 0).repeat(16, 1)
    return np.asarray(cv2.resize(fine, (side, side), interpolation=cv2.INTER_AREA), np.uint8)
