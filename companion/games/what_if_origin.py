"""The origin of a what-if. A what-if is a game that continues an earlier game from one of its acts.

Law: pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from companion.games.rules import Json


@dataclass(frozen=True)
class WhatIfOrigin:
    """The origin of a what-if. `game`: the id of the earlier game, in the journal of the Tablekeeper where the what-if
    was started. `started`: when the earlier game was started, in UTC. `acts`: how many acts the what-if has taken over
    from the earlier game."""

    game: int
    started: str
    acts: int

    def to_json(self) -> dict[str, Json]:
        """The origin as JSON, for the journal and for exports."""
        return {"game": self.game, "started": self.started, "acts": self.acts}

    @classmethod
    def from_json(cls, value: Mapping[str, Json]) -> WhatIfOrigin:
        """The origin described by a JSON object from `to_json`. Raises KeyError if a key is missing."""
        return cls(value["game"], value["started"], value["acts"])
