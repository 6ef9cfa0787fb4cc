"""The outcome of a drill: whether the service recovered, how long that took, what people saw, and what worked again."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeVar

T = TypeVar("T")

POLL_S = 0.05
"""The pause between two checks for an expected event, in seconds."""

DrillResult = Literal["ok", "failed", "not tried"]
RESULT_TEXTS: dict[DrillResult, str] = {"ok": "ok", "failed": "FAIL", "not tried": "--"}


class DrillFailed(Exception):
    """The error for a service that did not react to a fault as it should, or did not recover. The message is a
    sentence."""


class NotPossible(Exception):
    """The error for a fault that can't be caused on this machine. The message is a sentence that says why."""


@dataclass(frozen=True)
class RecoveryReport:
    """How a service recovered from a fault: what people saw, what worked again, and how many seconds the recovery took
    after the fault was removed."""

    seen: str
    recovery: str
    seconds: float


@dataclass(frozen=True)
class DrillOutcome:
    """The result of one drill. `fault`: what broke. If the drill succeeded, `seen` says what people saw, `recovery`
    says what worked again, and `seconds` is how long the recovery took after the fault was removed. Otherwise,
    `problem` says why the drill did not succeed."""

    name: str
    result: DrillResult
    fault: str
    seen: str = ""
    recovery: str = ""
    seconds: float | None = None
    problem: str = ""

    def __str__(self) -> str:
        start = f"{RESULT_TEXTS[self.result]:4}  {self.name:14}  {self.fault}"
        if self.result == "ok":
            return f"{start} People saw: {self.seen} Back after {self.seconds:.1f} s: {self.recovery}"
        return f"{start} {'Not tried: ' if self.result == 'not tried' else ''}{self.problem}"

    def to_json(self) -> dict[str, Any]:
        """The outcome as a JSON object."""
        return asdict(self)


def wait_until(found: Callable[[], T], what: str, seconds: float) -> T:
    """Waits until `found` returns a true value, and returns that value. Raises DrillFailed if this takes longer than
    `seconds`; `what` is then the beginning of the error message, such as "The camera"."""
    end = time.monotonic() + seconds
    while not (value := found()):
        if time.monotonic() > end:
            raise DrillFailed(f"{what} did not come within {seconds:.0f} s.")
        time.sleep(POLL_S)
    return value
