"""The state of the current game's shuffle, for the part of the program that collects shares and informs phones."""

from __future__ import annotations

from dataclasses import dataclass

from companion.match.match import Match


@dataclass(frozen=True)
class ShuffleStatus:
    """The state of a game's shuffle. `started`: when the game was started, in UTC. `commitment`: the SHA-256 of the
    seed, which commits the companion to it. `is_open`: whether the seed has been revealed."""

    game: int
    started: str
    version: int
    commitment: str
    round_count: int
    is_over: bool
    is_open: bool

    @classmethod
    def of(cls, match: Match) -> ShuffleStatus | None:
        """The state of a match's shuffle; None for an old game without a checkable shuffle."""
        if (shuffle := match.header.shuffle) is None:
            return None
        return cls(
            match.id,
            match.started,
            match.version,
            shuffle.commitment,
            len(shuffle.rounds),
            match.state.turn is None,
            shuffle.opened != "",
        )
