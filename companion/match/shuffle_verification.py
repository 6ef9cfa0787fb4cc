"""The draws of a game: what was dealt, from which options, and whether that follows from the game's shuffle.

Law: pure. A draw is a house move that had alternatives. Undone draws are included, because people saw them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from companion.games.rules import HouseMove, Move
from companion.match.fair_shuffle import FairShuffle, commitment_to, draw_options, drawn_option
from companion.match.history import Act, History
from companion.match.stored_game import Header

Options = tuple[tuple[str, int], ...]
"""The possible results of a draw: each face with its weight, for example the number of cards with this face that are
left."""


@dataclass(frozen=True)
class ChanceDraw:
    """A draw: a house move whose outcome was left to chance. `version`: the version of the match after the act with the
    draw. `source`: the chance source, such as a deck. `number`: the number of earlier house moves that drew from the
    same source. `options`: what could have been drawn, in the order of `draw_options`. `face`: what was drawn."""

    version: int
    source: str
    number: int
    options: Options
    face: str


def count_draws(moves: Iterable[Move]) -> Mapping[str, int]:
    """Maps each chance source to the number of house moves that draw from it."""
    return Counter(move.CHANCE_SOURCE for move in moves if isinstance(move, HouseMove))


def companion_draws(history: History, header: Header) -> tuple[ChanceDraw, ...]:
    """The draws that the companion made, in order. The draws that a what-if has taken from an earlier game are left
    out: they follow from the shuffle of that game."""
    taken = header.what_if.acts if header.what_if else 0
    draws = _draws(history, lambda source: header.dealers.get(source, "companion") == "companion")
    return tuple(draw for draw in draws if draw.version > taken)


def draws_by_hand(history: History, dealers: Mapping[str, str]) -> tuple[ChanceDraw, ...]:
    """The draws that people made and reported, in order."""
    return tuple(_draws(history, lambda source: dealers.get(source) == "table"))


def next_draws(history: History) -> dict[str, int]:
    """Maps each chance source to the number, from 0, of its first draw that nobody has seen yet. Draws that were made
    and later undone have been seen."""
    most: Counter[str] = Counter()
    for before, act in _acts_with_counts(history):
        most |= before + _counts(act)
    return dict(most)


def _draws(history: History, is_wanted: Callable[[str], bool]) -> Iterator[ChanceDraw]:
    sources = {source for source in history.game.rules.chance_sources if is_wanted(source)}
    for before, act in _acts_with_counts(history):
        numbers = Counter(before)
        for step in act.steps:
            if not isinstance(step.move, HouseMove):
                continue
            source = step.move.CHANCE_SOURCE
            if source in sources and len(options := draw_options(step.before)) > 1:
                faces = tuple((move.face, weight) for move, weight in options)
                yield ChanceDraw(act.version, source, numbers[source], faces, step.move.face)
            numbers[source] += 1


def _acts_with_counts(history: History) -> Iterator[tuple[Counter[str], Act]]:
    """Yields (counts, act) for each act that is neither an undo nor a redo. `counts`: for each chance source, the
    number of draws from it that are in force before the act."""
    before, done, undone = Counter[str](), list[Act](), list[Act]()
    for act in history.acts:
        match act.kind:
            case "undo":
                undone.append(done.pop())
                before -= _counts(undone[-1])
            case "redo":
                done.append(undone.pop())
                before += _counts(done[-1])
            case _:
                yield before, act
                done.append(act)
                undone.clear()
                before += _counts(act)


def _counts(act: Act) -> Counter[str]:
    return Counter(count_draws(step.move for step in act.steps))


def wrong_draw(draws: Iterable[ChanceDraw], seed: str, shuffle: FairShuffle) -> ChanceDraw | None:
    """The first draw that does not follow from the seed and the shares; None if all do."""
    for draw in draws:
        key = shuffle.key(seed, draw.source, draw.number)
        option = drawn_option(key, draw.source, draw.number, [weight for _, weight in draw.options])
        if draw.options[option][0] != draw.face:
            return draw
    return None


def wrong_secret(seed: str, shuffle: FairShuffle) -> str:
    """Compares the seed and every share with their commitments. Returns a sentence about the first one that does not
    match; "" if all match."""
    if commitment_to(seed) != shuffle.commitment:
        return "the seed does not match the commitment to it"
    for each in shuffle.rounds:
        for share in each.shares:
            if share.secret and commitment_to(share.secret) != share.commitment:
                return f"the share of seat {share.seat} does not match the commitment to it"
    return ""
