"""The key moments of a game: the acts that people can jump to in a replay.

Law: pure. A game may define its own key moments. If it does not, they are computed from its meters: a meter gets worse,
or there is a new leader. Only what a spectator knows is used, so the moments are the same for everyone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from companion.games.game import Game, Meter
from companion.games.rules import SPECTATOR, Names, State
from companion.match.replay import Replay
from companion.match.view_builder import log_entry
from companion.text.messages import Joined, Number, TextLike, TextWithNames, _, joined

LEVELS = ("poor", "fair", "good")
"""The levels of a meter, the worst first."""


@dataclass(frozen=True)
class KeyMoment:
    """A moment to jump to. `step`: the number of acts in force when the moment is reached. `title`: why it is a key
    moment, in a few words. `line`: the first line of the act's log entry, without what the title says."""

    step: int
    title: TextLike
    line: TextLike


def key_moments(replay: Replay) -> tuple[KeyMoment, ...]:
    """The key moments of a game, in order."""
    return tuple(_moments(replay))


def _moments(replay: Replay) -> Iterator[KeyMoment]:
    game, names = replay.history.game, replay.stored.header.names
    before: State = replay.history.start.as_known_to(SPECTATOR)
    for step, act in enumerate(replay.history.done, 1):
        after = act.after.as_known_to(SPECTATOR)
        if titles := tuple(_titles(game, before, after, names)):
            line = log_entry(game, act, SPECTATOR, names).words[0]
            yield KeyMoment(step, joined(" · ", titles), _without(titles, line))
        before = after


def _without(titles: Sequence[TextLike], line: TextLike) -> TextLike:
    """The line without those of its sentences that are titles."""
    if not isinstance(line, Joined):
        return line
    return joined(line.separator, [part for part in line.parts if part not in titles])


def _titles(game: Game[Any], before: State, after: State, names: Names) -> Iterable[TextLike]:
    if game.text.key_moments:
        return game.text.key_moments(before, after, names)
    meters = game.physical.meters
    return titles_from_meters(meters(before), meters(after), names)


def titles_from_meters(before: Sequence[Meter], after: Sequence[Meter], names: Names) -> Iterator[TextLike]:
    """Yields a title for each meter that dropped to a worse level in an act, and a title if a player took the lead."""
    for old, new in zip(before, after, strict=True):
        if LEVELS.index(new.level) < LEVELS.index(old.level):
            yield joined(": ", (TextWithNames(new.name, tuple(names)), Number(new.value)))
    leader = _leader(after)
    if leader is not None and leader != _leader(before):
        yield _("{name} takes the lead", name=names[leader])


def _leader(meters: Sequence[Meter]) -> int | None:
    """The seat with the highest score; None if several have it, or if there are no scores by seat."""
    scores = {meter.seat: meter.value for meter in meters if meter.is_score and meter.seat is not None}
    best = [seat for seat, score in scores.items() if score == max(scores.values())]
    return best[0] if len(best) == 1 else None
