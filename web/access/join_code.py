"""The join code: a few letters to type, and a longer secret in the QR code.

Wrong codes are counted for each network address, so nobody can lock others out. The secret in the QR code can't be
guessed, so it is always accepted.
"""

from __future__ import annotations

import ipaddress
import math
import secrets
import time
from collections.abc import Callable
from typing import Any

from companion.text.messages import _, plural
from web.error_responses import RequestError

CODE_LETTERS = "ABCDEFGHJKLMNPQRTUVWXYZ"
"""The letters of join codes. There is no I, O or S, because they look like 1, 0 and 5 from across the table."""
CODE_LENGTH = 4
SECRET_BYTES = 15
FREE_TRIES = 5
"""How many wrong codes an address may enter before it must wait."""
FIRST_PAUSE_S, LONGEST_PAUSE_S = 10.0, 600.0
"""The first and the longest pause before an address that has used up its FREE_TRIES may try again, in seconds. The
pause doubles with each further wrong code."""
MEMORY_S = 3600.0
"""The wrong codes of an address are forgotten this many seconds after the last one."""
MAX_ADDRESSES = 4096
GRACE_S = 600.0
"""How long the previous code still works after a game has begun, in seconds. Somebody may be typing it just then."""


class JoinCode:
    """The current join code, and the secret that replaces it in the QR code. `stored` is the result of an earlier
    `to_json`. Not thread-safe."""

    def __init__(self, stored: dict[str, Any], clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.letters: str = stored.get("code") or _random_letters()
        """The code that people type."""
        self.secret: str = stored.get("secret") or secrets.token_urlsafe(SECRET_BYTES)
        """The secret that the QR code contains."""
        self._previous: tuple[str, str] = ("", "")
        self._previous_until = -math.inf
        self._wrong: dict[str, tuple[int, float]] = {}
        """The number of wrong codes from each address, and the time of the last one."""

    def to_json(self) -> dict[str, str]:
        """The code and the secret, to be stored."""
        return {"code": self.letters, "secret": self.secret}

    def renew(self, *, grace: bool) -> None:
        """Replaces the code and the secret. With `grace`, the old ones still work for GRACE_S."""
        self._previous = (self.letters, self.secret)
        self._previous_until = self._clock() + GRACE_S if grace else -math.inf
        self.letters, self.secret = _random_letters(), secrets.token_urlsafe(SECRET_BYTES)

    def check(self, code: str, address: str) -> None:
        """Checks a code that was entered at this network address. Raises RequestError if the code is wrong, or if the
        address must wait."""
        now, network = self._clock(), _network(address)
        if self.is_secret(code):
            return
        if wait := self._pause(network, now):
            raise _must_wait(wait)
        previous = self._previous[0] if now < self._previous_until else ""
        if any(_is_same(code.strip().upper(), letters) for letters in (self.letters, previous)):
            self._wrong.pop(network, None)
            return
        self._count_wrong_code(network, now)
        raise RequestError(403, "wrong_code", _("That’s not the join code. It’s on the host page."))

    def is_secret(self, code: str) -> bool:
        """Whether a code is the secret of the QR code."""
        previous = self._previous[1] if self._clock() < self._previous_until else ""
        return any(_is_same(code.strip(), secret) for secret in (self.secret, previous))

    def _pause(self, network: str, now: float) -> float:
        """How many seconds an address must still wait; 0 if it need not wait."""
        count, last = self._wrong.get(network, (0, 0.0))
        if count < FREE_TRIES:
            return 0.0
        pause = min(FIRST_PAUSE_S * 2.0 ** min(count - FREE_TRIES, 30), LONGEST_PAUSE_S)
        return max(0.0, last + pause - now)

    def _count_wrong_code(self, network: str, now: float) -> None:
        count, last = self._wrong.pop(network, (0, now))
        self._wrong[network] = (count + 1 if now - last < MEMORY_S else 1, now)
        if len(self._wrong) > MAX_ADDRESSES:
            del self._wrong[next(iter(self._wrong))]  # the address whose last wrong code is the oldest


def _random_letters() -> str:
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))


def _is_same(code: str, right: str) -> bool:
    return right != "" and secrets.compare_digest(code.encode("utf-8", "replace"), right.encode())


def _network(address: str) -> str:
    """The part of an address for which wrong codes are counted: the whole of an IPv4 address, or the first 64 bits of
    an IPv6 address, which all devices in a home network share."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(ip, ipaddress.IPv4Address):
        return str(ip)
    return str(ip.ipv4_mapped or ipaddress.ip_network((ip, 64), strict=False))


def _must_wait(seconds: float) -> RequestError:
    count = math.ceil(seconds)
    message = plural(
        "Too many wrong codes from your network. Wait {n} second, or scan the QR code.",
        "Too many wrong codes from your network. Wait {n} seconds, or scan the QR code.",
        count,
    )
    return RequestError(429, "too_many_tries", message)
