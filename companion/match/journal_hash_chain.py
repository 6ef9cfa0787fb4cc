"""The digests by which damaged rows of the journal are recognized.

Law: pure. Each act carries a chain value: a SHA-256 over the act and the chain value of the act before it. The chain of
a game starts from a digest of its header. So an act that was changed, removed or moved breaks the chain. Games and
notes, which may change, carry a checksum of their own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from companion.match.journal_schema import GAME_COLUMNS

HEADER_LENGTH = len(GAME_COLUMNS) - 3


def hash_of(values: Sequence[object]) -> str:
    """The SHA-256 hash of values from a row, as hexadecimal digits."""
    return hashlib.sha256(json.dumps(values, default=repr).encode()).hexdigest()


def chain_start(game: Sequence[object]) -> str:
    """The chain value before the first act of a game: a hash of the data with which the game was started. `game`: the
    values of GAME_COLUMNS in the game's row."""
    return hash_of(game[:HEADER_LENGTH])


def chain_after(before: str, act: Sequence[object]) -> str:
    """The chain value of an act: a hash of the act and of `before`, the chain value of the act before it. So it depends
    on all acts up to this one. `act`: the values of ACT_COLUMNS in the row of the act."""
    return hash_of((before, *act))
