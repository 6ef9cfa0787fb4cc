"""Ghost trials. A card is laid askew over a pile or a row, or while a shadow wanders over the table, and is then
removed; a whole pile is taken up at once; or a hand rests on a component that is then removed. What the companion still
believes to be there five seconds later is a ghost.

    python -m tests.evenings --ghosts 200
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
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

PILES = {
    "commute": ("discard",),
    "system-won": ("discard", "errors", "system-red", "system-blue"),
    "systems-failing": ("discard", "escape"),
}
ROWS = {"systems-failing": ("zone-1", "zone-2", "zone-3")}
MAX_REST_S = 6.0
MIN_PILE, MAX_PILE = 6, 10
PILE_JITTER_MM = 3.0
PIECES = ("CM-P1", "CM-P2", "CM-P3", "CM-P4", "CM-P5")
MIN_HAND_REST_S, MAX_HAND_REST_S = 2.5, 6.0
WAIT_S = 5.0
"""How long the table may believe in a card after it was taken up, in seconds."""
SHADOW_DEPTH = 0.35
SHADOW_RADIUS_PX = 230.0
SHADOW_PX_PER_S = 110.0
MIN_ASKEW, MAX_ASKEW = 45.0, 85.0


@dataclass(frozen=True)
class Trial:
    """The result of one trial: whether the component, or each card of the pile, was read while it lay there, and
    whether the table still believes that it is there after it was taken up."""

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
        self._spaces = [center_of(zone) for zone in mat.zones if re.match(r"s\d", zone.name)]
        self._cards = [component for component in self.world.components if self.world.components[component].width == 63]
        self.world.elsewhere = dict.fromkeys(self.world.components, "tray")
        self._pile_centers = [center_of(mat.zone(zone)) for zone in PILES[game]]
        if game != "commute":
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

    def card_askew(self) -> tuple[bool, bool]:
        """Like `_card`, with a card that lies askew."""
        return self._card(self.rng.choice((-1, 1)) * self.rng.uniform(MIN_ASKEW, MAX_ASKEW))

    def card_straight(self) -> tuple[bool, bool]:
        """Like `_card`, with a card that lies nearly straight."""
        return self._card(self.rng.gauss(0, 3))

    def _card(self, angle: float) -> tuple[bool, bool]:
        """Lays a card on a pile or over a row, waits, takes it up and waits again. Returns whether it was read, and
        whether it is a ghost."""
        card, place = self._spare_card(), self._spot()
        self._lay(card, Lying(*place, angle))
        self._watch(self.rng.uniform(1.5, MAX_REST_S))
        was_read = card in self.believed
        self._watch(HAND_S, place)
        self.world.take(card, "tray")
        self._watch(HAND_S, place)
        self._watch(WAIT_S)
        return was_read, card in self.believed

    def whole_pile(self) -> tuple[bool, bool]:
        """Lays cards on a pile one by one, while a piece moves now and then, and takes them up all at once, sometimes
        so fast that no hand is seen. In some trials, the camera starts again before the pile is complete. Returns
        whether all cards were read that came after that, and whether any is a ghost."""
        pile, read = list[str](), set[str]()
        height, middle = self.rng.randint(MIN_PILE, MAX_PILE), self._pile_centers[0]
        restart_at = self.rng.randrange(2 * height)
        for number in range(height):
            if number == restart_at:
                self.restart()
                read = set(pile)
            pile.append(self._spare_card())
            self._lay(pile[-1], self._jittered(middle))
            self._watch(self.rng.uniform(0.5, 2.5))
            read |= self.believed
            if self.rng.random() < 0.5:
                self._lay(self.rng.choice(PIECES[:2]), self._jittered(self.rng.choice(self._spaces)))
        self._watch(1.5)
        hands = self.rng.choice((0, HAND_S))
        self._watch(hands, middle)
        for card in pile:
            self.world.take(card, "tray")
        self._watch(hands, middle)
        self._watch(WAIT_S)
        return read.issuperset(pile), not self.believed.isdisjoint(pile)

    def rested_on(self) -> tuple[bool, bool]:
        """Puts a piece on a space, rests a hand on it, which covers half of its code, and takes the piece away, so fast
        that no hand is seen. Returns whether it was read, and whether it is a ghost."""
        piece, at = self.rng.choice(PIECES), self._jittered(self.rng.choice(self._spaces))
        self._lay(piece, at)
        self._watch(self.rng.uniform(0.3, 2.5))
        was_read = piece in self.believed
        hand = at.x + self.rng.uniform(-10, 10), at.y + self.rng.uniform(-5, 15)
        self._watch(self.rng.uniform(MIN_HAND_REST_S, MAX_HAND_REST_S), hand)
        self._watch(self.rng.uniform(0.5, 4.0))
        self.world.take(piece, "tray")
        self._watch(WAIT_S)
        return was_read, piece in self.believed

    def _spare_card(self) -> str:
        return self.rng.choice([each for each in self.world.components_in("tray") if each in self._cards])

    def _jittered(self, place: Point) -> Lying:
        x, y = (self.rng.uniform(-PILE_JITTER_MM, PILE_JITTER_MM) for _ in range(2))
        return Lying(place[0] + x, place[1] + y, self.rng.gauss(0, 3))

    def _lay(self, component: str, at: Lying) -> None:
        """A hand comes, lays down a component and goes away."""
        self._watch(HAND_S, at.center)
        self.world.lay(component, at)
        self._watch(HAND_S, at.center)

    def _spot(self) -> Point:
        centers = [lying.center for lying in self.world.lying.values()] or self._pile_centers
        x, y = self.rng.choice(centers)
        return x + self.rng.uniform(-25, 25), y + self.rng.uniform(-25, 25)

    def _watch(self, seconds: float, hand: Point | None = None) -> None:
        if seconds:
            self._take(self.camera.watch(self._t, seconds, hand), seconds)


def _wandering(part: float, frame: Frame, t: float) -> Frame:
    return shadow(Random(part), frame, t)


@dataclass(frozen=True)
class Kind:
    """A kind of trial: its name, what is done, the games on whose tables it is done, and whether a shadow wanders."""

    name: str
    play: Callable[[GhostTable], tuple[bool, bool]]
    games: tuple[str, ...] = ("system-won", "systems-failing")
    has_shadow: bool = False


KINDS = (
    Kind("card askew", GhostTable.card_askew),
    Kind("card askew, wandering shadow", GhostTable.card_askew, has_shadow=True),
    Kind("card straight, wandering shadow", GhostTable.card_straight, has_shadow=True),
    Kind("whole pile at once", GhostTable.whole_pile, ("commute",)),
    Kind("piece on which a hand rested", GhostTable.rested_on, ("commute",)),
)
TRIALS_PER_TABLE = 5


def trials(count: int, seed: str) -> Iterator[Trial]:
    """Yields the results of `count` trials. A few trials are made at each of many tables."""
    for number in range(math.ceil(count / TRIALS_PER_TABLE)):
        kind, turn = KINDS[number % len(KINDS)], number // len(KINDS)
        game = kind.games[turn % len(kind.games)]
        table = GhostTable(game, f"{seed}.{number}", has_shadow=kind.has_shadow)
        for _ in range(min(TRIALS_PER_TABLE, count - number * TRIALS_PER_TABLE)):
            found = Trial(kind.name, f"{seed}.{number}", *kind.play(table))
            yield found
            if found.is_believed:  # a ghost would spoil the next trial
                table.restart()


def summary(found: list[Trial]) -> str:
    """The results as a table."""
    rows, ghosts = Counter(trial.kind for trial in found), Counter(trial.kind for trial in found if trial.is_believed)
    read = Counter(trial.kind for trial in found if trial.was_read)
    lines = [f"| {kind} | {rows[kind]} | {read[kind]} | {ghosts[kind]} |" for kind in rows]
    seeds = sorted({trial.seed for trial in found if trial.is_believed})
    head = ["| trial | trials | read | believed after 5 s (goal 0) |", "|---|---|---|---|"]
    return "\n".join([*head, *lines, f"seeds with ghosts: {', '.join(seeds) or 'none'}"])
