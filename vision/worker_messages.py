"""The messages between `CameraProcess`, in the service's process, and `CameraWorker`, in a process of its own.

Law: frozen data only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from companion.diagnostics.findings import LivePicture
from companion.tabletop.mat import Mat
from companion.tabletop.observations import Observation
from companion.text.messages import TextLike


@dataclass(frozen=True)
class ObservationBatch:
    """From the worker: observations, `t` in the source's time. An empty batch is a heartbeat."""

    observations: tuple[Observation, ...] = ()
    t: float = 0.0


@dataclass(frozen=True)
class SnapshotResponse:
    """From the worker: the last frame with the outlines of the tracked codes; no bytes before the first frame."""

    jpeg: bytes


@dataclass(frozen=True)
class LivePictureResponse:
    """From the worker: the last frame and its quality; None before the first frame."""

    picture: LivePicture | None


Response = TypeVar("Response", SnapshotResponse, LivePictureResponse)


@dataclass(frozen=True)
class WorkerEnded:
    """From the worker: it ends because the source has ended, or because of a failure, described for people."""

    failure: TextLike = ""


@dataclass(frozen=True)
class SnapshotRequest:
    """To the worker."""


@dataclass(frozen=True)
class CountTokensRequest:
    """To the worker: start over, counting the tokens on this mat. None counts nothing."""

    mat: Mat | None


@dataclass(frozen=True)
class LivePictureRequest:
    """To the worker: send a live picture, limited to these codes if there are any."""

    codes: frozenset[str] = frozenset()


@dataclass(frozen=True)
class StopRequest:
    """To the worker."""
