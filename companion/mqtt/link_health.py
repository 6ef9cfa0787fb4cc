"""What a host is told about the connection to the broker."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from companion.mqtt.broker import Topics
from companion.tabletop.observations import DeviceHealth
from companion.text.messages import _

NAME = "broker"
GRACE_S = 5.0
"""Interruptions that are shorter than this are not reported."""
RIVAL_S = 60.0
"""For how long it is reported that another program has taken the connection over."""


class LinkState(Protocol):
    """The state of a connection. `error`: why it is not up. `refused`: why the broker does not take what is published;
    "" if it does. `takeovers`: how often another program took the connection over."""

    is_up: bool
    error: str
    refused: str
    takeovers: int


class LinkHealth:
    """Reports the health of the connection to the broker at `address`, whenever it changes."""

    def __init__(self, address: str, topics: Topics) -> None:
        self._address, self._topics = address, topics
        self._down_since: float | None = None
        self._takeovers, self._rival_until = 0, 0.0
        self._reported: DeviceHealth | None = None

    def changes(self, link: LinkState, now: float, *, is_flooded: bool) -> Iterator[DeviceHealth]:
        """Yields the health if it has changed. `now`: seconds of a monotonic clock. `is_flooded`: whether commands are
        not read, because there were too many."""
        if link.is_up:
            self._down_since = None
        elif self._down_since is None:
            self._down_since = now
        if link.takeovers != self._takeovers:
            self._takeovers, self._rival_until = link.takeovers, now + RIVAL_S
        health = self._health(link, now, is_flooded=is_flooded)
        if health and health != self._reported:
            self._reported = health
            yield health

    def _health(self, link: LinkState, now: float, *, is_flooded: bool) -> DeviceHealth | None:
        """The health; None as long as an interruption is short."""
        if now < self._rival_until:
            message = _(
                "Another program is connected to {address} as {table}.", address=self._address, table=self._topics.table
            )
            remedy = _("Give each table a name of its own, with --mqtt-table.")
            return DeviceHealth(device=NAME, ok=False, message=message, remedy=remedy)
        if self._down_since is not None:
            return self._down(link.error) if now - self._down_since >= GRACE_S else None
        if link.refused:
            message = _("The broker at {address} refuses messages ({why}).", address=self._address, why=link.refused)
            remedy = _(
                "Let this table's user write to {topics}.", topics=f"{self._topics.all} {self._topics.discovery}"
            )
            return DeviceHealth(device=NAME, ok=False, message=message, remedy=remedy)
        if is_flooded:
            message = _("Too many commands came from the broker; they are not read for half a minute.")
            return DeviceHealth(device=NAME, ok=False, message=message)
        return DeviceHealth(device=NAME, ok=True, message=_("Connected to {address}.", address=self._address))

    def _down(self, why: str) -> DeviceHealth:
        message = _(
            "The broker at {address} can't be reached ({why}). The game goes on, and the broker gets everything later.",
            address=self._address,
            why=why or "…",
        )
        remedy = _("Check that it runs, its address, and the user and password.")
        return DeviceHealth(device=NAME, ok=False, message=message, remedy=remedy)
