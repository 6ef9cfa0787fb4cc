"""What all measurements need to know about a picture, computed once, and the samples that they collect."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from companion.component_qr_codes import MODULES, payload
from tests.vision_constants.rendered_tables import TablePicture, TrueCode
from vision.decoded_codes import Code, remove_duplicates
from vision.decoding.candidate_regions import TextureMap, measure_texture, normalize_texture, side_in_cells
from vision.decoding.decoder import accepted_codes, find_and_match, find_with_zxing
from vision.decoding.module_size_field import ModuleSizeField, fit_module_size
from vision.decoding.templates import TemplateBank, build_template_bank
from vision.geometry import GrayImage, Points, mean_side_lengths
from vision.known_codes import known_codes

Values = NDArray[np.float64]

MIN_VISIBLE = 0.995
"""A code of which at least this share is visible counts as fully visible."""
MIN_PARTLY_VISIBLE, MIN_HALF_VISIBLE = 0.85, 0.5
"""The least visible shares of codes that count as partly covered, and as half covered. Other codes are not
measured."""
STICKER_RADIUS_SIDES = 1.0
"""A place this far from the center of every code, in sides of the code, shows something else."""


class Samples:
    """The measured values by the name of the measurement and the population, such as the codes of one preset."""

    def __init__(self) -> None:
        self._parts = defaultdict[tuple[str, str], list[Values]](list)

    def add(self, name: str, population: str, values: Iterable[float] | Values) -> None:
        self._parts[name, population].append(np.asarray([*values], float).ravel())

    def get(self, name: str, *populations: str) -> Values:
        """All values of these populations together."""
        parts = [part for population in populations for part in self._parts[name, population]]
        return np.concatenate(parts) if parts else np.zeros(0)


@dataclass(frozen=True, eq=False)
class Analysis:
    """A picture with what the first stages of reading find in it."""

    picture: TablePicture

    @property
    def gray(self) -> GrayImage:
        return self.picture.gray

    @cached_property
    def bank(self) -> TemplateBank:
        return build_template_bank(known_codes())

    @cached_property
    def texture(self) -> TextureMap:
        return measure_texture(self.gray)

    @cached_property
    def normalized(self) -> TextureMap:
        return normalize_texture(self.gray, self.texture)

    @cached_property
    def visible(self) -> tuple[TrueCode, ...]:
        """Our codes that are fully visible."""
        return tuple(code for code in self.picture.codes if code.id and code.visible >= MIN_VISIBLE)

    @cached_property
    def covered(self) -> tuple[TrueCode, ...]:
        """Our codes of which a part is covered."""
        return tuple(
            code for code in self.picture.codes if code.id and MIN_PARTLY_VISIBLE <= code.visible < MIN_VISIBLE
        )

    @cached_property
    def half_covered(self) -> tuple[TrueCode, ...]:
        """Our codes of which a large part is covered."""
        return tuple(
            code for code in self.picture.codes if code.id and MIN_HALF_VISIBLE <= code.visible < MIN_PARTLY_VISIBLE
        )

    @cached_property
    def read(self) -> list[Code]:
        """All codes of ours that are read, however many candidates must be tried."""
        found, matched = find_and_match(self.gray, self.texture, known_codes(), max_failures=np.inf)
        return [code for code in remove_duplicates(found + accepted_codes(matched)) if code.id]

    @cached_property
    def found(self) -> list[Code]:
        """What zxing-cpp reads."""
        return remove_duplicates(find_with_zxing(self.gray, known_codes()))

    @cached_property
    def size(self) -> ModuleSizeField:
        """The module size, estimated from the true corners of all our codes, as if all had been read."""
        field = fit_module_size([as_code(code) for code in self.picture.codes if code.id])
        assert field
        return field

    @property
    def side_cells(self) -> int:
        """The side of a code in cells, as `find_candidates` rounds it."""
        return side_in_cells(self.size.module_px * MODULES)

    def is_elsewhere(self, points: Points) -> NDArray[np.bool_]:
        """Whether each point (px) lies on no QR code and no sticker of one."""
        corners = np.array([code.corners for code in self.picture.codes], float)
        distance = np.linalg.norm(points[:, None] - corners.mean(1), axis=2)
        return np.asarray((distance > STICKER_RADIUS_SIDES * mean_side_lengths(corners)).all(1))


def as_code(code: TrueCode) -> Code:
    """The code as if it had been read exactly."""
    return Code(code.id, payload(code.id or "?"), code.corners)


def centers_of(codes: Sequence[TrueCode]) -> Points:
    """The centers of the codes, n x 2 px."""
    return np.array([as_code(code).center for code in codes], float).reshape(-1, 2)


def nearest(points: Points, center: Points) -> tuple[int, float]:
    """The index of the point that is nearest to a center, and its distance; -1 and infinity without points."""
    if not len(points):
        return -1, np.inf
    distance = np.linalg.norm(points - center, axis=1)
    return int(distance.argmin()), float(distance.min())


@contextmanager
def patched(module: ModuleType, **constants: object) -> Iterator[None]:
    """Gives constants of a module other values for a while, so that the product's own functions show what the constants
    cut off."""
    with ExitStack() as stack:
        for name, value in constants.items():
            stack.enter_context(patch.object(module, name, value))
        yield
