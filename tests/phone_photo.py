"""Makes photographs like those that phones take: cards from the print sheets on a wooden table, seen at an angle,
blurred and noisy, as JPEG."""

from __future__ import annotations

from functools import cache
from io import BytesIO

import cv2
import numpy as np
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas as PdfCanvas

from companion.drawing.canvas import Canvas
from companion.games import GAMES
from companion.printing.printable_components import printables
from companion.printing.raster import PixelArray, rendered_pages

PX_PER_MM = 12
TWELVE_MEGAPIXELS = (4000, 3000)
THREE_MEGAPIXELS = (2000, 1500)
TILE = 500
"""The wood grain repeats after this many pixels."""


@cache
def printed(game: str, component_id: str) -> PixelArray:
    """The front of a printed component, cut from its sheet."""
    piece = next(piece for piece in printables(GAMES[game]) if piece.component.id == component_id)
    buffer = BytesIO()
    pdf = PdfCanvas(buffer, pagesize=(piece.size[0] * mm, piece.size[1] * mm))
    piece.front(Canvas(pdf))
    pdf.save()
    return next(rendered_pages(buffer.getvalue(), PX_PER_MM))


@cache
def wood(size: tuple[int, int]) -> PixelArray:
    """A wooden table top."""
    rng = np.random.default_rng(3)
    grain = cv2.GaussianBlur(rng.normal(0, 60, (size[1] // 4, size[0] // 32)).astype(np.float32), (15, 3), 0)
    planks = np.repeat(np.array([[70, 105, 150], [60, 92, 135]], np.float32), TILE // 4, 0)
    rows = np.tile(planks, (size[1] // len(planks) + 1, 1))[: size[1], None, :]
    return np.clip(rows + cv2.resize(grain, size)[..., None], 0, 255).astype(np.uint8)


def photograph(
    *cards: PixelArray,
    size: tuple[int, int] = THREE_MEGAPIXELS,
    angle: float = 17.0,
    height: float = 0.5,
    blur: float = 1.5,
    noise: float = 7.0,
) -> bytes:
    """A JPEG photograph of cards side by side. `height` is the height of a card as a fraction of the picture's height.
    The cards are rotated by `angle` degrees and seen at a slant, with a lamp on one side."""
    picture = wood(size).copy()
    for number, card in enumerate(cards):
        share = height * size[1] / card.shape[0]
        turn = np.radians(angle)
        c, s = np.cos(turn) * share, np.sin(turn) * share
        x, y = size[0] * (number + 1) / (len(cards) + 1), size[1] / 2
        aslant = 0.15 / max(card.shape)
        pose = np.array([[c, -s, x], [s, c, y], [aslant * c / share, aslant * -s / share, 1]])
        pose[:2] += np.outer((x, y), (pose[2, 0], pose[2, 1], 0))
        to_picture = pose @ np.array([[1, 0, -card.shape[1] / 2], [0, 1, -card.shape[0] / 2], [0, 0, 1]])
        bounds = cv2.perspectiveTransform(
            np.array([[[0, 0], [card.shape[1], 0], card.shape[1::-1], [0, card.shape[0]]]], float), to_picture
        )
        cv2.warpPerspective(
            card, to_picture, size, dst=picture, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_TRANSPARENT
        )
        assert bounds.min() > 0, "a card reaches out of the picture"
    soft = cv2.GaussianBlur(picture, (0, 0), blur)
    return jpeg(cv2.add(soft, _grain(size, noise), dtype=cv2.CV_8U))


def _grain(size: tuple[int, int], noise: float) -> PixelArray:
    """The noise and the uneven light of a photograph: one side is darker."""
    tile = np.random.default_rng(1).normal(0, noise, (TILE, TILE)).astype(np.int16)
    gray = np.tile(tile, (size[1] // TILE, size[0] // TILE)) + np.linspace(-45, 10, size[0]).astype(np.int16)
    return np.repeat(gray[..., None], 3, 2)


def jpeg(picture: PixelArray) -> bytes:
    """The picture as the bytes of a JPEG file."""
    return cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 88])[1].tobytes()


def turned(data: bytes, orientation: int) -> bytes:
    """The same JPEG file with another orientation (1 to 8) in its EXIF data."""
    tiff = b"II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00" + bytes(
        [orientation, 0, 0, 0, 0, 0, 0, 0]
    )
    body = b"Exif\x00\x00" + tiff
    return data[:2] + b"\xff\xe1" + (len(body) + 2).to_bytes(2) + body + data[2:]
