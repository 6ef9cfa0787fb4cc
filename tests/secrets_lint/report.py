"""Reports what the lint has compared, and checks that it was enough."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from tests.secrets_lint.calls import routes_of
from tests.secrets_lint.service import InMemoryService

CHANNELS = ("view", "rules", "referee", "broker")
"""What is compared besides the routes: views, which pages and devices show; the dial, labels and layouts; what
`tablekeeper play --seat` prints; and what is published over MQTT."""


@dataclass
class Report:
    """What the lint has done. A position counts if the worlds differed in it."""

    game: str
    games: int = 0
    endings: int = 0
    acts: int = 0
    positions: int = 0
    routes: Counter[tuple[str, str]] = field(default_factory=Counter)
    accepted: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By route: how often the answer was no refusal."""
    phones: Counter[str] = field(default_factory=Counter)
    channels: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)

    @property
    def comparisons(self) -> int:
        """The number of answers and views that were compared."""
        return self.routes.total() + self.channels.total()

    def __str__(self) -> str:
        return (
            f"{self.game}: {self.positions} positions of {self.games} games ({self.endings} to the end), "
            f"{self.comparisons} comparisons, {len(self.differences)} differences"
        )


def check(report: Report, service: InMemoryService) -> None:
    """Raises AssertionError if the lint has found a difference, or if there is a route, a phone or a channel for which
    it compared nothing."""
    assert not report.differences, "\n".join(report.differences)
    assert report.positions, f"{report.game}: the two worlds never differed, so nothing was compared"
    routes = [route for route in routes_of(service) if not report.routes[route]]
    assert not routes, f"{report.game}: nothing was compared of {routes}"
    phones = [name for name in ("spectator", "stranger", "seat 0", "seat 1") if not report.phones[name]]
    assert not phones, f"{report.game}: nothing was compared of {phones}"
    channels = [channel for channel in CHANNELS if not report.channels[channel]]
    assert not channels, f"{report.game}: nothing was compared of {channels}"
