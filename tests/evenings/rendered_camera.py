"""A rendered camera: a simulated camera draws the world, and the camera worker of the product reads it, in virtual
time."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import cv2
import numpy as np
from filelock import FileLock

import vision
from companion.games.game import Game
from companion.games.systems_failing.mat import MAT, cube_places
from companion.games.traffic_congestion.mat_street_geometry import street_plan
from companion.simulator.card_images import card_images
from companion.tabletop.mat import Point
from companion.tabletop.observations import HIDDEN_S, Observation
from tests.evenings.simulated_group import REST_S, SimulatedGroup, center_of
from tests.evenings.world import Lying, World
from vision.camera_worker import CameraWorker, WorkerSettings
from vision.camera_worker_messages import CountTokensRequest, ObservationBatch
from vision.geometry import Frame
from vision.known_codes import known_codes, mats_by_game, other_sides
from vision.simulated_camera import (
    PlacedPrint,
    PlacedToken,
    Scene,
    SimulatedCamera,
    Texture,
    TextureFolder,
    Textures,
)

FPS = 8.0
"""Frames per second. A real camera has more, but rendering them takes most of the time."""
START_S = 5.0
"""How long the camera watches a table before anything happens, in seconds."""
SETTLE_S = 2.0
"""How long the camera watches after each act."""
REST_FRAMES_S = 3.0
"""How long the camera watches during a rest, in seconds. Nothing changes in the remaining time."""
HAND_S = 0.4
RULEBOOK_BGR = (60, 70, 90)
MAX_KNOCK_PX = 9.0
CUBE_MM = 8.0
FIELD_JITTER = 0.12
"""The standard deviation of the place of a cube on a card, in shares of the height of its field."""


class _Pipe:
    """Collects what the worker sends, in place of the pipe to the service."""

    def __init__(self) -> None:
        self.observations: list[Observation] = []

    def send(self, message: object) -> None:
        if isinstance(message, ObservationBatch):
            self.observations += message.observations


class RenderedCamera:
    """A camera worker that sees rendered pictures of a world."""

    def __init__(self, world: World, game: Game[Any], state: Any, rng: Random) -> None:
        vision.use_one_thread()
        self.world, self._game, self._state, self._rng = world, game, state, rng
        self._camera = SimulatedCamera(textures_of(game), seed=rng.randrange(1 << 30))
        self._shift = np.eye(2, 3, dtype=np.float32)
        self.light: Callable[[Frame, float], Frame] = lambda frame, t: frame
        """Changes the light in a frame. It gets the frame and its time."""
        self._last: dict[str, Lying] = {}
        self._last_counts: dict[str, dict[str, int]] = {}
        self._restart()

    def _restart(self) -> None:
        self._pipe = _Pipe()
        settings = WorkerSettings("simulated", mats_by_game(), known_codes(), other_sides())
        self._worker = CameraWorker(self._pipe, settings)  # type: ignore[arg-type]  # all that is needed of a pipe
        mat = self._game.physical.components.mat
        if mat and mat.token_colors:
            self._worker._handle(CountTokensRequest(mat))

    def start(self, t: float) -> Iterator[tuple[float, Observation]]:
        """Starts the camera again, and yields its first observations, each with the time of its frame."""
        self._restart()
        self._remember()
        yield from self.watch(t, START_S)

    def look(self, t: float) -> Iterator[tuple[float, Observation]]:
        """Yields the observations of the camera while a hand does the last act and goes away, each with the time of its
        frame."""
        places = self._changed_places()
        for number, place in enumerate(places[:2]):
            yield from self.watch(t + number * HAND_S, HAND_S, place)
        self._remember()
        yield from self.watch(t + 2 * HAND_S, SETTLE_S)

    def _changed_places(self) -> list[Point]:
        """Where a hand has been since the last look: the places that components came from, and where they are now."""
        now, before = self.world.lying, self._last
        changed = [component for component in {**before, **now} if before.get(component) != now.get(component)]
        lying = [at.center for component in changed for at in (before.get(component), now.get(component)) if at]
        colors = self.world.mat.token_colors
        areas = colors.areas if colors else {}
        lanes = [place for place in areas if self.world.counted(place) != self._last_counts.get(place)]
        cards = [card for card in self.world.fields if self.world.counted(card) != self._last_counts.get(card, {})]
        fields = [self.world.field_points(card, [(0.5, 0.5)])[0] for card in cards if card in now]
        return [*lying, *(_middle(areas[place]) for place in lanes), *fields]

    def _remember(self) -> None:
        colors = self.world.mat.token_colors
        self._last = dict(self.world.lying)
        places = (*colors.areas, *colors.fields) if colors else ()
        self._last_counts = {place: self.world.counted(place) for place in places}

    def knock(self) -> None:
        """Moves the camera a little."""
        angle, dx, dy = (self._rng.uniform(-1, 1) * size for size in (0.4, MAX_KNOCK_PX, MAX_KNOCK_PX))
        center = self._camera.size[0] / 2, self._camera.size[1] / 2
        self._shift = np.asarray(cv2.getRotationMatrix2D(center, angle, 1.0), np.float32)
        self._shift[:, 2] += dx, dy

    def watch(self, t: float, seconds: float, hand: Point | None = None) -> Iterator[tuple[float, Observation]]:
        """Yields the observations of the camera in the next seconds, each with the time of its frame."""
        scene = self._scene(hand)
        for number in range(max(1, round(seconds * FPS))):
            at = t + number / FPS
            self._worker._process(at, self.light(self._picture(scene), at))
            found, self._pipe.observations = self._pipe.observations, []
            yield from ((at, observation) for observation in found)

    def _picture(self, scene: Scene) -> Frame:
        frame = self._camera.render(scene)
        if (self._shift == np.eye(2, 3)).all():
            return frame
        return np.asarray(cv2.warpAffine(frame, self._shift, self._camera.size, borderMode=cv2.BORDER_REPLICATE))

    def _scene(self, hand: Point | None) -> Scene:
        decks = ((deck[-1], center_of(self.world.mat.zone(zone))) for zone, deck in self.world.decks.items() if deck)
        backs = (PlacedPrint(top, *center, face="back") for top, center in decks)
        lying = (
            PlacedPrint(component, at.x, at.y, at.angle, "front" if at.face_up else "back")
            for component, at in self.world.lying.items()
        )
        return Scene((*backs, *lying), tuple(self._tokens()), hand)

    def _tokens(self) -> Iterator[PlacedToken]:
        """Yields the cubes in the places where hands put them. Other cards may lie over a part of a field."""
        yield from self.tokens_on_mat()
        for card, _ in self.world.visible_codes():
            if card in self.world.fields:
                yield from self._tokens_on(card)

    def tokens_on_mat(self) -> Iterator[PlacedToken]:
        """Yields the cubes in lanes and pools: one behind the other in each lane, or in the columns of each pool."""
        colors = self.world.mat.token_colors
        for place in colors.areas if colors else ():
            cubes = [kind for kind, count in self.world.counted(place).items() for _ in range(count)]
            for kind, (point, angle) in zip(cubes, self._places(place), strict=False):
                yield PlacedToken(kind, *point, angle)

    def _tokens_on(self, card: str) -> Iterator[PlacedToken]:
        """Yields the cubes on the field of a card: in a row, more or less. They stay where they are while the card lies
        there."""
        cubes = [kind for kind, count in self.world.counted(card).items() for _ in range(count)]
        lying, order = self.world.lying[card], list(self.world.lying)
        above = order[order.index(card) + 1 :]
        for number, kind in enumerate(cubes):
            rng = Random(f"{card} {number} {lying.x:.3f}")
            share = ((number + 0.5) / max(3, len(cubes)) + rng.gauss(0, FIELD_JITTER / 3), rng.gauss(0.5, FIELD_JITTER))
            ((x, y),) = self.world.field_points(card, [share])
            angle = lying.angle + rng.gauss(0, 10)
            if not self.world.is_hidden((x, y), angle, CUBE_MM, above):
                yield PlacedToken(kind, x, y, angle)

    def _places(self, area: str) -> list[tuple[Point, float]]:
        """The places for cubes in an area and their angles, in degrees."""
        if self.world.mat is MAT:
            return [(place, 0.0) for place in cube_places(int(area.removeprefix("pool-")))]
        lane = street_plan(self._state.network).lanes[area]
        return [(lane.point(*offset), lane.heading) for offset in lane.car_offsets]


def _middle(polygon: tuple[Point, ...]) -> Point:
    xs, ys = zip(*polygon, strict=True)
    return sum(xs) / len(xs), sum(ys) / len(ys)


def textures_of(game: Game[Any]) -> Textures:
    """The pictures of a game's components, drawn once for each game, and of the rule book."""
    folder = Path(tempfile.gettempdir()) / "tablekeeper-evenings"
    folder.mkdir(exist_ok=True)
    with FileLock(folder / f"{game.name}.lock"):  # several evenings may begin at once
        images = card_images(game, folder)
    rulebook = Texture(np.full((296, 420, 3), RULEBOOK_BGR, np.uint8), 210.0, 148.0)
    return {**TextureFolder(images), "the rule book/front": rulebook}


class RenderedGroup(SimulatedGroup):
    """A group whose camera sees rendered pictures. Time passes with the frames."""

    def start_camera(self) -> None:
        self.rendered = RenderedCamera(self.world, self.game, self.state, self.rng)
        self._take(self.rendered.start(self.clock.now), START_S)

    def cubes_on_mat(self) -> list[Point]:
        return [(cube.x_mm, cube.y_mm) for cube in self.rendered.tokens_on_mat()]

    def look(self) -> None:
        self._take(self.rendered.look(self.clock.now), 2 * HAND_S + SETTLE_S)

    def pause(self, seconds: float) -> None:
        if hasattr(self, "rendered"):
            watched = min(seconds, REST_FRAMES_S)
            self._take(self.rendered.watch(self.clock.now, watched), watched)
            seconds -= watched
        super().pause(max(0.0, seconds))

    def rest(self) -> None:
        self.pause(HIDDEN_S + REST_S)

    def knock(self) -> None:
        self.rendered.knock()
        self.pause(REST_FRAMES_S)

    def _take(self, reports: Iterator[tuple[float, Observation]], seconds: float) -> None:
        end = self.clock.now + seconds
        for at, observation in reports:
            self.clock.now = max(self.clock.now, at)
            self.table.observe(observation)
        self.clock.now = max(end, self.clock.now)
        self.table.refresh()
        self.note_seen()
