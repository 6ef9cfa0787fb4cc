"""Presence: whether each tracked component is still where its code was last read, covered, or taken away.

Law: no I/O, no clock; times come from the frames.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from companion.tabletop.observations import HIDDEN_S
from vision.decoded_codes import Code
from vision.geometry import CellMask, Frame
from vision.tracking.appearance import (
    MIN_FULL_VIEW_SHARE,
    Appearance,
    Background,
    capture_appearance,
    gray_patch,
    has_code_texture,
    is_visible,
)
from vision.tracking.change_detection import ChangeDetector
from vision.tracking.changed_regions import (
    MIN_LONG_CALM_S,
    PILE_SIDES,
    ChangedRegions,
    cells_near,
    cells_under,
    may_be_covered,
)
from vision.tracking.read_scheduler import ReadScheduler
from vision.tracking.tracker import Detection, Presence, Track

MIN_PLACE_CHANGE_SHARE = 0.25
"""A component is present while less than this share of its code's cells has changed."""
MIN_BACKGROUND_SHARE = 0.6
"""A place looks as it did before the component came if more than this share of its cells does."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """A frame, taken at `t` seconds, and what is needed to judge it: its changed regions, the change detector, and
    the read scheduler."""

    frame: Frame
    t: float
    regions: ChangedRegions
    detector: ChangeDetector
    scheduler: ReadScheduler

    def is_calm(self, appearance: Appearance) -> bool:
        """Whether all cells under a code are calm."""
        return bool(self.regions.masks.calm.take(appearance.cell_numbers).all())

    def share_changed(self, appearance: Appearance) -> float:
        """The fraction (0 to 1) of the cells under a code that have changed."""
        numbers = appearance.cell_numbers
        if not len(numbers) or not self.regions.any_changed:
            return 0.0
        return np.count_nonzero(self.regions.masks.changed.take(numbers)) / len(numbers)


@dataclass(frozen=True)
class RestingCover:
    """Something at rest that hides a code. `since`: when it came to rest, in seconds. `may_be_arm`: whether it may be
    an arm that reaches in from the border of the image."""

    since: float
    may_be_arm: bool


@dataclass
class PresenceMonitor:
    """Records six facts about each tracked component, by the id of its code. `appearances`: how the code looked when
    it was last read. `checked_at`: when its place was last found unchanged. `occluded_since`: since when the code has
    looked different. `covered_since`: since when at least a part of the code has been covered. `covers`: the thing that
    hides the code, once it is at rest. `neighbors`: the components that have come near since then but do not lie on the
    code, each with the time at which it came. Times are in seconds. `reaches`: how far components reach from the
    centers of their codes in the usual print, in sides of their codes."""

    reaches: Mapping[str, float] = field(default_factory=dict)
    appearances: dict[str, Appearance] = field(default_factory=dict)
    checked_at: dict[str, float] = field(default_factory=dict)
    occluded_since: dict[str, float] = field(default_factory=dict)
    covered_since: dict[str, float] = field(default_factory=dict)
    covers: dict[str, RestingCover] = field(default_factory=dict)
    neighbors: dict[str, set[tuple[str, float]]] = field(default_factory=dict)

    def forget(self, name: str) -> None:
        """Forgets the place of a component that has left."""
        self.appearances.pop(name, None)
        self.checked_at.pop(name, None)
        self._forget_cover(name)

    def _forget_cover(self, name: str) -> None:
        """Forgets what may have covered a component."""
        for by_name in (self.occluded_since, self.covered_since, self.covers):
            by_name.pop(name, None)
        self.neighbors.pop(name, None)

    def forget_occlusions(self) -> None:
        """Forgets which components are out of sight. Called when all codes are to be read again."""
        self.occluded_since.clear()
        self.covers.clear()

    def hidden(self, t: float) -> set[str]:
        """The codes that at `t` seconds have been hidden for at least HIDDEN_S by something that is at rest and can't
        be an arm."""
        return {name for name, cover in self.covers.items() if not cover.may_be_arm and t - cover.since >= HIDDEN_S}

    def capture(self, detection: Detection, evidence: Evidence) -> None:
        """Records how a code that was just read (`detection`) looks, and how the table looked before its component was
        put there."""
        self._forget_cover(detection.id)
        self.checked_at[detection.id] = evidence.t
        self.appearances[detection.id] = self._appearance_of(detection, evidence)

    def _appearance_of(self, detection: Detection, evidence: Evidence) -> Appearance:
        corners, earlier, detector = detection.code.corners, self.appearances.get(detection.id), evidence.detector
        if earlier is not None and earlier.is_at(corners):
            return earlier.refreshed(evidence.frame, detector.reduced)
        cells = cells_under(corners, detector.features.shape[1:])
        appearance = capture_appearance(evidence.frame, detector.reduced, corners, cells)
        if earlier is not None and earlier.is_near(corners):
            return replace(appearance, background=earlier.background)
        if appearance.was_in(detector.picture):
            return appearance
        return replace(appearance, background=Background(detector.picture, detector.background.copy()))

    def occluded_cells(self, shape: tuple[int, ...]) -> CellMask:
        """Mask of the cells under the codes of occluded components. `shape` is the grid's rows and columns."""
        mask = np.zeros(shape, bool)
        for name in self.occluded_since:
            if name in self.appearances:
                mask |= self.appearances[name].cells
        return mask

    def is_partly_covered(self, code: Code, detector: ChangeDetector) -> bool:
        """Whether something, such as a thumb, may cover a part of `code`. This is possible if `code` was only matched
        with a template, and the background already shows it. The caller must then not add the cells of the code to the
        background."""
        appearance = self.appearances.get(code.id or "")
        return appearance is not None and code.confidence < 1 and appearance.was_in(detector.picture)

    def judge(self, track: Track, evidence: Evidence, tracks: Mapping[str, Track]) -> Presence:
        """Judges what the place of a component shows if its code was not read in this frame: the component ("present"),
        something that may cover it ("occluded"), the table without it ("vacated"), or perhaps still the table without
        it ("unclear"). `track` is the component, `tracks` are all components."""
        name, appearance = track.latest.id, self.appearances.get(track.latest.id)
        if appearance is None:
            return "occluded"
        presence = self._judge(track, appearance, evidence, tracks)
        if presence == "occluded" and _is_untouched(track, appearance, evidence.detector):
            still_empty = _shows_background(appearance, evidence.detector) and _is_at_rest(track, appearance, evidence)
            presence = "vacated" if still_empty else "unclear"
        if presence in ("occluded", "unclear") and evidence.is_calm(appearance):
            self._record_cover(name, appearance, evidence)
        else:
            self.covers.pop(name, None)
        return presence

    def _record_cover(self, name: str, appearance: Appearance, evidence: Evidence) -> None:
        """Records that something at rest hides a code. Whether it may be an arm is only known in the first seconds:
        after that, whatever it is has become part of the background."""
        cover = self.covers.get(name, RestingCover(evidence.t, may_be_arm=False))
        if not cover.may_be_arm and evidence.t - cover.since < HIDDEN_S:
            cover = replace(cover, may_be_arm=evidence.regions.may_hold_arm(appearance.cells))
        self.covers[name] = cover

    def _judge(self, track: Track, appearance: Appearance, evidence: Evidence, tracks: Mapping[str, Track]) -> Presence:
        """Like `judge`, for a component with a known `appearance`."""
        name = track.latest.id
        if self._is_unchanged(name, appearance, evidence):
            self.occluded_since.pop(name, None)
            if name in self.covered_since and _is_in_full_view(appearance, evidence.frame):
                del self.covered_since[name]
            return "present"
        self.occluded_since.setdefault(name, evidence.t)
        self.covered_since.setdefault(name, evidence.t)
        if not evidence.is_calm(appearance):
            return "occluded"
        is_covered = self._may_be_covered(track, tracks.values())
        if not is_covered and _shows_earlier_print(track, appearance, evidence):
            return "vacated"
        patch = gray_patch(evidence.frame, appearance.box)
        if is_visible(appearance, patch):
            self.occluded_since.pop(name, None)
            return "present"
        if is_covered or has_code_texture(appearance, patch):
            return "occluded"
        return "vacated" if _is_vacated(track, appearance, evidence) else "occluded"

    def _may_be_covered(self, track: Track, tracks: Iterable[Track]) -> bool:
        """Whether a component that came after the code of `track` was covered may lie on it. One that came beside it
        while a card lay on it does not: it would lie on that card, too, which then could not be taken up first."""
        code, covered_since = track.latest.code, self.covered_since[track.latest.id]
        newcomers = [other for other in tracks if other is not track and other.arrived_at > covered_since]
        reaches = [self.reaches.get(other.latest.id, math.inf) for other in newcomers]
        near = [o for o, reach in zip(newcomers, reaches, strict=True) if may_be_covered(code, o.latest.code, reach)]
        pile = [other for other in near if math.dist(code.center, other.latest.px) < PILE_SIDES * code.side_px]
        beside = {(other.latest.id, other.arrived_at) for other in near if other not in pile}
        first = min((other.arrived_at for other in pile), default=math.inf)
        neighbors = self.neighbors.setdefault(track.latest.id, set())
        neighbors |= {(name, arrived_at) for name, arrived_at in beside if arrived_at > first}
        return bool(pile) or not beside <= neighbors

    def _is_unchanged(self, name: str, appearance: Appearance, evidence: Evidence) -> bool:
        """Whether a place still shows its component. If anything has moved there since the last check, the pixels are
        compared too: unchanged cells alone prove nothing, because another print may have the same brightness and
        texture."""
        detector, checked_at = evidence.detector, self.checked_at[name]
        if evidence.share_changed(appearance) >= MIN_PLACE_CHANGE_SHARE:
            return False
        if detector.moved_at > checked_at and detector.last_motion_in(appearance.box) > checked_at:
            if not evidence.is_calm(appearance):
                return True
            if not appearance.looks_the_same(detector.reduced):
                return False
        self.checked_at[name] = evidence.t
        return True


def _is_untouched(track: Track, appearance: Appearance, detector: ChangeDetector) -> bool:
    """Whether nothing has moved at the place of a component since it was found empty. A shadow on the table around it
    may still keep it from being found empty again."""
    return track.vacated_since is not None and detector.last_motion(appearance.cells) <= track.vacated_since


def _is_in_full_view(appearance: Appearance, frame: Frame) -> bool:
    """Whether nearly all of the component looks as before, which means that nothing covers it."""
    return is_visible(appearance, gray_patch(frame, appearance.box), MIN_FULL_VIEW_SHARE)


def _shows_earlier_print(track: Track, appearance: Appearance, evidence: Evidence) -> bool:
    """Whether the place of `track` shows the print that was there before the component came, and no other card can
    explain that. False if an arm is near, or if a code nearby has yet to be read: a card with a similar print may then
    have been put there."""
    return appearance.looks_as_before(evidence.detector.reduced) and _is_at_rest(track, appearance, evidence)


def _is_at_rest(track: Track, appearance: Appearance, evidence: Evidence) -> bool:
    """Whether the place of `track` has been at rest for a while, no arm is near, and every code nearby has been
    read."""
    masks, code = evidence.regions.masks, track.latest.code
    near = cells_near(code.center, code.side_px, masks.calm.shape)
    if evidence.regions.may_hold_arm(near) or not evidence.scheduler.is_idle(near):
        return False
    return float(masks.calm_seconds[appearance.cells].min()) >= MIN_LONG_CALM_S


def _is_vacated(track: Track, appearance: Appearance, evidence: Evidence) -> bool:
    """Whether the component of `track` has been taken away from its place."""
    if not evidence.detector.has_usual_lighting(appearance.cells):
        return False
    shows_background = _shows_background(appearance, evidence.detector)
    return evidence.regions.is_vacated(appearance.cells, track.latest.code.side_px, shows_background)


def _shows_background(appearance: Appearance, detector: ChangeDetector) -> bool | None:
    """Whether a place looks as before the component came; None if it is unknown how the place looked."""
    if appearance.background is None:
        return None
    features = appearance.background.features[:, appearance.cells]
    return detector.share_showing(appearance.cells, features) > MIN_BACKGROUND_SHARE
