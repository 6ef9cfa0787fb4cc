"""Ghost trials. A card is laid askew over a pile or a row, or while a shadow wanders over the table, and is then
removed. If the companion still believes five seconds later that the card is there, that is a ghost.

    python -m tests.evenings --ghosts 200
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from random import Random

import numpy as np

from companion.games import GAMES
from companion.tabletop.mat import Point
from companion.tabletop.observations import CardGone, CardSeen, Observation
from tests.evenings.printed_components import printed_components
from tests.evenings.rendered_camera import HAND_S, START_S, RenderedCamera
from tests.evenings.simulated_group import center_of
from tests.evenings.world import Lying, World
from vision.geometry import Frame

PILES = {"system-won": ("discard", "errors", "system-red", "system-blue"), "systems-failing": ("discard", "escape")}
ROWS = {"systems-failing": ("zone-1", "zone-2", "zone-3")}
MAX_REST_S = 6.0
WAIT_S = 5.0
"""How long the table may believe in a card after it was taken up, in seconds."""
SHADOW_DEPTH = 0.35
SHADOW_RADIUS_PX = 230.0
SHADOW_PX_PER_S = 110.0
MIN_ASKEW, MAX_ASKEW = 45.0, 85.0


@dataclass(frozen=True)
class Trial:
    """The result of one trial: whether the card was read while it lay there, and whether the table still believes that
    it is there after it was taken up."""

    kind: str
    seed: str
    was_read: bool
    is_believed: bool


def shadow(rng: Random, frame: Frame, t: float) -> Frame:
    """The frame with a soft shadow that wanders from one side to the other."""
    height, width = frame.shape[:2]
    row = height * (0.3 + 0.4 * rng.random())
    column = (SHADOW_PX_PER_S * t) % (width + 2 * SHADOW_RADIUS_PX) - SHADOW_RADIUS_PX
    y, x = np.ogrid[:height, :width]
    depth = SHADOW_DEPTH * np.exp(-((x - column) ** 2 + (y - row) ** 2) / (2 * (SHADOW_RADIUS_PX / 2) ** 2))
    return np.asarray(frame * (1 - depth)[:, :, None], np.uint8)


class GhostTable:
    """A table with piles and rows under the rendered camera, and where the companion believes the cards to be."""

    def __init__(self, game: str, seed: str, *, has_shadow: bool) -> None:
        self.rng, self._game = Random(seed), GAMES[game]
        mat = self._game.physical.components.mat
        assert mat is not None
        self.world = World(mat, printed_components(self._game))
        self._cards = [component for component in self.world.components if self.world.components[component].width == 63]
        self.world.elsewhere = dict.fromkeys(self.world.components, "tray")
        self._pile_centers = [center_of(mat.zone(zone)) for zone in PILES[game]]
        self._lay_out(game)
        self.camera = RenderedCamera(self.world, self._game, None, self.rng)
        if has_shadow:
            self.camera.light = partial(_wandering, Random(seed).random())
        self._t, self.believed = 0.0, set[str]()
        self._take(self.camera.start(self._t), START_S)

    def _lay_out(self, game: str) -> None:
        spare = self.rng.sample(self._cards, len(self._cards))
        for zone in PILES[game]:
            x, y = center_of(self.world.mat.zone(zone))
            for _ in range(self.rng.randint(0, 4)):
                self.world.lay(spare.pop(), Lying(x + self.rng.uniform(-3, 3), y + self.rng.uniform(-3, 3)))
        for zone in ROWS.get(game, ()):
            x, y = center_of(self.world.mat.zone(zone))
            for number in range(self.rng.randint(1, 3)):
                self.world.lay(spare.pop(), Lying(x, y + 92 * (number - 1), self.rng.uniform(-3, 3)))

    def _take(self, reports: Iterator[tuple[float, Observation]], seconds: float) -> None:
        for _, each in reports:
            match each:
                case CardSeen(code=code):
                    self.believed.add(code)
                case CardGone(code=code):
                    self.believed.discard(code)
        self._t += seconds

    def restart(self) -> None:
        """Starts the camera again, which forgets everything."""
        self.believed.clear()
        self._take(self.camera.start(self._t), START_S)

    def trial(self, kind: str, seed: str, *, is_askew: bool) -> Trial:
        """Lays a card on a pile or over a row, waits, takes it up and waits again."""
        spare = [component for component in self.world.components_in("tray") if component in self._cards]
        card, place = self.rng.choice(spare), self._spot()
        askew = self.rng.choice((-1, 1)) * self.rng.uniform(MIN_ASKEW, MAX_ASKEW) if is_askew else self.rng.gauss(0, 3)
        self._watch(HAND_S, place)
        self.world.lay(card, Lying(*place, askew))
        self._watch(HAND_S, place)
        self._watch(self.rng.uniform(1.5, MAX_REST_S))
        was_read = card in self.believed
        self._watch(HAND_S, place)
        self.world.take(card, "tray")
        self._watch(HAND_S, place)
        self._watch(WAIT_S)
        return Trial(kind, seed, was_read, card in self.believed)

    def _spot(self) -> Point:
        centers = [lying.center for lying in self.world.lying.values()] or self._pile_centers
        x, y = self.rng.choice(centers)
        return x + self.rng.uniform(-25, 25), y + self.rng.uniform(-25, 25)

    def _watch(self, seconds: float, hand: Point | None = None) -> None:
        self._take(self.camera.watch(self._t, seconds, hand), seconds)


def _wandering(part: float, frame: Frame, t: float) -> Frame:
    return shadow(Random(part), frame, t)


KINDS = (("askew", True, False), ("askew, wandering shadow", True, True), ("straight, wandering shadow", False, True))
TRIALS_PER_TABLE = 5


def trials(count: int, seed: str) -> Iterator[Trial]:
    """Yields the results of `count` trials. A few trials are made at each of many tables."""
    for number in range(math.ceil(count / TRIALS_PER_TABLE)):
        kind, is_askew, has_shadow = KINDS[number % len(KINDS)]
        game = ("system-won", "systems-failing")[number // len(KINDS) % 2]
        table = GhostTable(game, f"{seed}.{number}", has_shadow=has_shadow)
        for _ in range(min(TRIALS_PER_TABLE, count - number * TRIALS_PER_TABLE)):
            found = table.trial(kind, f"{seed}.{number}", is_askew=is_askew)
            yield found
            if found.is_believed:  # a ghost would spoil the next trial
                table.restart()


def summary(found: list[Trial]) -> str:
    """The results as a table."""
    rows, ghosts = Counter(trial.kind for trial in found), Counter(trial.kind for trial in found if trial.is_believed)
    read = Counter(trial.kind for trial in found if trial.was_read)
    lines = [f"| {kind} | {rows[kind]} | {read[kind]} | {ghosts[kind]} |" for kind in rows]
    seeds = sorted({trial.seed for trial in found if trial.is_believed})
    head = ["| card | trials | read | believed after 5 s (goal 0) |", "|---|---|---|---|"]
    return "\n".join([*head, *lines, f"seeds with ghosts: {', '.join(seeds) or 'none'}"])
