"""A table under a network camera: the camera's pictures, and a game in which people deal the cards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

import cv2
import numpy as np

from companion.drill.environment import CAMERA_GAME, DrillEnvironment
from companion.drill.mjpeg_server import MjpegServer
from companion.drill.outcome import DrillFailed, wait_until
from companion.drill.players import Players, planned
from companion.drill.response_types import SimulatedTableState
from companion.games import GAMES
from vision.geometry import Frame, GrayImage
from vision.simulated_camera import PlacedPrint, Scene, SimulatedCamera, TextureFolder

JPEG_QUALITY = 90
SNAPSHOT_SIZE = (64, 36)
"""The width and height in pixels to which the service's picture is reduced before it is compared."""
CAMERA_TIMEOUT_S = 60.0
"""How long the camera may take to see the mat again, in seconds."""
DEAL_TIMEOUT_S = 15.0
"""How long the camera may take to read a card, in seconds."""
CARDS = (("SF-E1", "escape"), ("SF-D01", "zone-1"), ("SF-D02", "zone-2"), ("SF-D03", "zone-3"))
"""The cards that are dealt one after the other, and the zone in which each is put."""


class CameraTable:
    """A simulated mat with the cards on it, and the stream of a camera above it. `players`: the people at the table."""

    def __init__(self, environment: DrillEnvironment) -> None:
        self._folder = environment.pictures()
        self._camera = SimulatedCamera(TextureFolder(self._folder))
        self._cards: tuple[PlacedPrint, ...] = ()
        self.stream = MjpegServer([self.picture()])
        self.players: Players

    def frame(self) -> Frame:
        """The current frame of the camera."""
        return self._camera.render(Scene(self._cards, texture_folder=self._folder))

    def picture(self) -> bytes:
        """The current frame of the camera as a JPEG file."""
        return jpeg(self.frame())

    def show(self) -> None:
        """Makes the stream send the current frame from now on."""
        self.stream.show([self.picture()])

    def deal(self) -> None:
        """Lays the next card on the mat, and waits until the companion has recorded it. Raises DrillFailed if it is not
        recorded in time, or more than once."""
        before = self.players.version
        code, zone = CARDS[len(self._cards)]
        self._cards = (*self._cards, PlacedPrint(code, *center(zone)))
        self.show()
        wait_until(lambda: self.players.version > before, f"The deal of {code}", DEAL_TIMEOUT_S)
        if self.players.version > before + 1:
            raise DrillFailed(f"One card was dealt, but {self.players.version - before} were recorded.")

    def report_deal(self) -> None:
        """Lets a player report a dealt card on a phone, as people do without a camera."""
        phone = self.players.phones[0]
        view = phone.view()
        dealt = {code for code, _ in CARDS}
        move = next(move for move in view.reports if f"SF-{move.get('card')}" not in dealt)
        self.players.submit(phone, planned(0, move, view.version))

    def state(self) -> SimulatedTableState:
        """The state of the table as the companion sees it."""
        return self.players.host.read("/simulator/state", SimulatedTableState)

    def wait_for_mat(self) -> None:
        """Waits until the camera works and sees the mat. Raises DrillFailed if that takes too long."""
        wait_until(self._is_seen, "The mat in the camera’s picture", CAMERA_TIMEOUT_S)

    def _is_seen(self) -> bool:
        return self.players.is_working("camera") and bool(self.state().in_view)

    def problem(self) -> str:
        """The message on the host page about a camera that has failed; "" if the camera works."""
        return self.players.problem("camera")

    def snapshot(self) -> GrayImage:
        """The camera's picture as the service shows it, as a small gray image; black if there is none."""
        jpeg = np.frombuffer(self.players.host.get("/simulator/camera.jpg"), np.uint8)
        image = cv2.imdecode(jpeg, cv2.IMREAD_GRAYSCALE) if jpeg.size else None
        found = np.zeros(SNAPSHOT_SIZE, np.uint8) if image is None else image
        return np.asarray(cv2.resize(found, SNAPSHOT_SIZE, interpolation=cv2.INTER_AREA), np.uint8)


@contextmanager
def camera_table(environment: DrillEnvironment) -> Iterator[CameraTable]:
    """Starts a game on a table with a camera, waits until the camera has seen the first card, and yields the table."""
    with ExitStack() as stack:
        table = CameraTable(environment)
        stack.callback(table.stream.close)
        service = stack.enter_context(environment.service("--camera", table.stream.url))
        table.players = Players(service, CAMERA_GAME, {"cards": "table"})
        table.wait_for_mat()
        table.deal()
        yield table


def center(zone: str) -> tuple[float, float]:
    """The center, in mm, of a card that lies at the upper end of a zone."""
    mat = GAMES[CAMERA_GAME].physical.components.mat
    assert mat
    xs, ys = zip(*mat.zone(zone).polygon, strict=True)
    return (min(xs) + max(xs)) / 2, min(ys) + 48


def jpeg(frame: Frame) -> bytes:
    """A frame as a JPEG file."""
    return cv2.imencode(".jpg", frame, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1].tobytes()


def jpegs(frames: Sequence[Frame]) -> list[bytes]:
    """Frames as JPEG files."""
    return [jpeg(frame) for frame in frames]
