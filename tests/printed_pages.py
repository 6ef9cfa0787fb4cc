"""Reads codes in the pages of a print, and renders the pictures of a game's components."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import zxingcpp

from companion import component_qr_codes
from companion.games.game import Game
from companion.printing import raster
from companion.printing.raster import PixelArray

PX = 5
"""The resolution at which pages are rendered, in pixels per millimeter: one and a half times that of a camera above the
mat."""


def component_pictures(game: Game[Any], folder: Path, px_per_mm: float) -> dict[str, PixelArray]:
    """Both sides of each component and the mat, as the simulator gets them, by name: "SF-D01/front", "mat"."""
    raster.write_textures(game, folder, px_per_mm)
    index = json.loads((folder / "index.json").read_text())
    return {name: cv2.imread(str(folder / entry["file"])) for name, entry in index.items()}  # type: ignore[misc]


def read(picture: PixelArray) -> list[str]:
    """The texts of the QR codes in a picture."""
    return [found.text for found in zxingcpp.read_barcodes(picture, formats=zxingcpp.BarcodeFormat.QRCode)]


def payloads(ids: Sequence[str]) -> set[str]:
    """The payloads of the QR codes of these components."""
    return {component_qr_codes.payload(each) for each in ids}


def warped(page: PixelArray, rng: np.random.Generator) -> PixelArray:
    """The page as a camera sees it: tilted, slightly blurred, dim and noisy. It is gray, because code readers use gray
    images. This is three times as fast as color, and prevents the noise of the color channels from averaging out."""
    page = np.asarray(cv2.cvtColor(page, cv2.COLOR_BGR2GRAY), np.uint8) if page.ndim == 3 else page
    height, width = page.shape
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    moved = (corners + rng.uniform(-0.06, 0.06, (4, 2)) * [width, height]).astype(np.float32)
    turned = cv2.warpPerspective(page, cv2.getPerspectiveTransform(corners, moved), (width, height), borderValue=(100,))
    cv2.setRNGSeed(int(rng.integers(2**31)))
    noise = cv2.randn(np.empty_like(turned, np.float32), np.array(20.0), np.array(6.0))
    dim = cv2.scaleAdd(cv2.GaussianBlur(turned, (0, 0), 1.0).astype(np.float32), 0.75, noise)
    return np.clip(dim, 0, 255, out=dim).astype(np.uint8)
