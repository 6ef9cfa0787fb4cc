"""The claim of a browser that wants to be the first host. It is granted when somebody presses a button at the table."""

from __future__ import annotations

import math
from collections.abc import Callable

CLAIM_TIMEOUT_S = 60.0
"""How long a browser waits for somebody to press a button at the table, in seconds. After that, the button no longer
makes the browser the host."""


class HostClaim:
    """The latest request by a browser to become the host. A new request replaces the previous one. Not thread-safe."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._key, self._until = "", -math.inf

    def request(self, key: str) -> None:
        """Makes the browser with this key wait for somebody to press a button at the table. A browser that was waiting
        before no longer waits."""
        self._key, self._until = key, self._clock() + CLAIM_TIMEOUT_S

    def is_waiting(self, key: str) -> bool:
        """Whether the browser with this key is waiting to become the host."""
        return key == self._key and self._clock() < self._until

    def take(self) -> str | None:
        """Ends the wait, and returns the key of the browser that was waiting; None if no browser was."""
        key = self._key if self._clock() < self._until else None
        self._key, self._until = "", -math.inf
        return key
