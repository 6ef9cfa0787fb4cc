"""The messages between `CameraProcess`, in the service's process, and `CameraWorker`, in a process of its own.

Law: frozen data only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from companion.diagnostics.live_picture_types import LivePicture
from companion.tabletop.component_outline import Outline
from companion.tabletop.mat import Mat, Point
from companion.tabletop.observations import Observation
from companion.text.messages import TextLike


@dataclass(frozen=True)
class ObservationBatch:
    """From the worker: observations, sent at `t` in the source's time. An empty batch is a heartbeat."""

    observations: tuple[Observation, ...] = ()
    t: float = 0.0


@dataclass(frozen=True)
class SnapshotResponse:
    """From the worker: the last frame with the outlines of the tracked codes; no bytes before the first frame."""

    jpeg: bytes


@dataclass(frozen=True)
class LivePictureResponse:
    """From the worker: the last frame and its quality. `picture` is None before the first frame."""

    picture: LivePicture | None


@dataclass(frozen=True)
class PublicPictureResponse:
    """From the worker: the picture that a PublicPictureRequest asked for, as WebP; no bytes if no picture can be taken
    now."""

    webp: bytes


Response = SnapshotResponse | LivePictureResponse | PublicPictureResponse
ResponseT = TypeVar("ResponseT", SnapshotResponse, LivePictureResponse, PublicPictureResponse)


@dataclass(frozen=True)
class WorkerEnded:
    """From the worker, as its last message. `failure` is a message for people that says why the worker failed. It is
    empty if the source has ended."""

    failure: TextLike = ""


@dataclass(frozen=True)
class SnapshotRequest:
    """To the worker: send a SnapshotResponse."""


@dataclass(frozen=True)
class CountTokensRequest:
    """To the worker: forget the last counts, and count the tokens on this mat from now on. If `mat` is None, stop
    counting."""

    mat: Mat | None


@dataclass(frozen=True)
class LivePictureRequest:
    """To the worker: send a LivePictureResponse that shows only these codes. If `codes` is empty, it shows all
    codes."""

    codes: frozenset[str] = frozenset()


@dataclass(frozen=True)
class PublicPictureRequest:
    """To the worker: send a PublicPictureResponse with a picture of this mat that everyone may see.

    `visible`: the codes that the service knows to be on the table. If the camera sees any other code, no picture is
    taken, because the table has changed since the request was made. `public`: the outlines of the components that
    everyone may see, by code; None if the game hides nothing."""

    mat: Mat
    px_per_mm: float
    visible: frozenset[str]
    public: Mapping[str, Outline] | None


@dataclass(frozen=True)
class MarkCornersRequest:
    """To the worker: the corners of a game's mat are at these points of the image (see `MatRegistration.mark`). Each
    point is a share of the image's width and of its height, from 0 to 1. If `corners` is None, only the corner codes
    count again."""

    game: str
    corners: tuple[Point, Point, Point, Point] | None


@dataclass(frozen=True)
class StopRequest:
    """To the worker: close the camera and end the process."""
