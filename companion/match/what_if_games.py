"""What-ifs: games that take over the first acts of an earlier game, and play on from there with a shuffle of their own.

Law: pure. The acts that are taken over become part of the first deal, so nobody can undo them. The what-if is played
on phones: the companion deals everything, and what is still to be drawn depends only on the new seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from companion.games import move_json
from companion.games.rules import UNSEEN, HouseMove
from companion.games.what_if_origin import WhatIfOrigin
from companion.match.fair_shuffle import FairShuffle
from companion.match.history import digest
from companion.match.replay import Replay
from companion.match.stored_game import ActRecord, Header
from companion.text.messages import TextLike, _
from companion.text.refusal_errors import SetupError


def why_not_to_play_on(replay: Replay, act: int) -> TextLike:
    """Why nobody can play on after the first `act` acts of a game; "" if people can."""
    done = replay.history.done[:act]
    if replay.state_at(act).turn is None:
        return _("The game is over here. Go back to an earlier turn to play on.")
    moves = (step.move for each in done for step in each.steps)
    if any(isinstance(move, HouseMove) and move.face == UNSEEN for move in moves):
        return _("Cards were dealt face down here, and nobody knows which. The game can’t go on without them.")
    return ""


def start_of_what_if(
    replay: Replay, act: int, seed: str, shuffle: FairShuffle | None, at: str
) -> tuple[Header, tuple[ActRecord, ...]]:
    """The header of the what-if that plays on after the first `act` acts of a game, and new records of these acts for
    its journal. `at`: the time to store in the new records, in ISO format. Raises SetupError if nobody can play on
    after these acts."""
    if problem := why_not_to_play_on(replay, act):
        raise SetupError(problem)
    stored = replay.stored
    what_if = WhatIfOrigin(stored.id, stored.started, act)
    header = replace(stored.header, dealers={}, seed=seed, shuffle=shuffle, what_if=what_if)
    return header, tuple(_records(replay, act, at))


def _records(replay: Replay, act: int, at: str) -> Iterator[ActRecord]:
    for version, each in enumerate(replay.history.done[:act], 1):
        lines = tuple(move_json.write(step.move) for step in each.steps)
        yield ActRecord(version, "deal", each.seat, None, lines, digest(each.after), at)


def differs_from_original(what_if: Replay, original: Replay) -> bool:
    """Whether a what-if begins differently from `original`, the game that its header names as the origin of its first
    acts."""
    origin = what_if.stored.header.what_if
    assert origin
    taken, acts = what_if.history.done[: origin.acts], original.history.done[: origin.acts]
    return [each.after for each in taken] != [each.after for each in acts] or len(acts) < origin.acts
