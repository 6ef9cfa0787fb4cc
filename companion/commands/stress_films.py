"""Films of a simulated table for `tablekeeper bench vision --stress`, and what a watcher should report about them.

Law: no I/O, no clock; a film depends only on its seed. Sixteen cards lie still. Then one is moved, one turned, one
taken away and one added, in random order. Hands reach in.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from companion.tabletop.mat import Point
from vision.simulated_camera import PlacedPrint, Scene
from vision.tracking.tracker import EventKind, TrackEvent

FPS = 12.0
FRAME_SIZE = (1366, 768)
"""The width and height of a frame, in pixels. With a mat of 608 mm, codes of 25 mm have 2.4 px per module."""
CARDS = 16
COLUMNS_MM, ROWS_MM = np.linspace(82, 526, 6), np.linspace(60, 282, 3)
"""The x and y coordinates of the places for cards on the mat."""
MAX_ANGLE_DEG = 10.0
PAUSE_FRAMES = 36
"""The number of frames from the start of the film to the first action, and from one action to the next."""
REACH_FRAMES, GLIDE_FRAMES = 5, 5
"""How many frames a hand takes to come or go, and how many a card takes to reach its place."""
MAX_DELAY_FRAMES = 24
"""An event that comes more than this many frames after the card has come to rest does not count as right."""
ARM_MM = 260.0
"""The distance of a hand from the card before the hand reaches in."""
REPORTED_AS: dict[str, tuple[EventKind, ...]] = {
    "move": ("moved",),
    "turn": ("turned", "moved"),
    "leave": ("left",),
    "add": ("appeared",),
}
"""The kinds of events that are right for each action."""


@dataclass(frozen=True)
class CardAction:
    """A change to a card, such as a move. It begins in frame `start`. From frame `rest` on, nothing moves any more."""

    kind: str
    id: str
    start: int
    rest: int


@dataclass(frozen=True)
class StressFilm:
    """A film: its scenes, one for each frame; the actions in it; and the ids of the cards that are there from the
    start."""

    scenes: Sequence[Scene]
    actions: Sequence[CardAction]
    first_ids: frozenset[str]


@dataclass(frozen=True)
class FilmScore:
    """How good a watcher's reports about a film were. `appeared`: of the cards that are on the table at the start, the
    fraction that was reported before the first action. `delays`: for each action, its kind and the delay of the right
    event, in frames from the end of the action; the delay is None if that event did not come. `false`: the number of
    wrong events."""

    appeared: float
    delays: Sequence[tuple[str, int | None]]
    false: int


def stress_film(ids: Sequence[str], seed: int) -> StressFilm:
    """The film for a seed, with cards from `ids`."""
    rng = np.random.default_rng(seed)
    chosen = [ids[n] for n in rng.permutation(len(ids))[: CARDS + 1]]
    cells = [(float(x), float(y)) for x in COLUMNS_MM for y in ROWS_MM]
    places = [cells[n] for n in rng.permutation(len(cells))]
    cards = [_placed(rng, card, place) for card, place in zip(chosen[:CARDS], places, strict=False)]
    scenes, actions = [Scene(tuple(cards))] * PAUSE_FRAMES, list[CardAction]()
    victims = [cards[n] for n in rng.permutation(CARDS)[:3]]
    changes: list[tuple[str, PlacedPrint | None, PlacedPrint | None]] = [
        ("move", victims[0], _placed(rng, victims[0].id, places[CARDS])),
        ("turn", victims[1], _turned(victims[1], float(rng.choice([-1, 1]) * rng.uniform(15, 30)))),
        ("leave", victims[2], None),
        ("add", None, _placed(rng, chosen[CARDS], places[CARDS + 1])),
    ]
    for n in rng.permutation(len(changes)):
        kind, before, after = changes[n]
        others = [card for card in cards if card is not before]
        by_hand = kind in ("leave", "add") or rng.random() < 0.5
        steps = list(_action_scenes(others, before, after, by_hand=by_hand))
        cards = [*others, *([after] if after else [])]
        rest = len(scenes) + len(steps)
        actions.append(CardAction(kind, (before or after or cards[0]).id, len(scenes), rest))
        scenes += [*steps, *[Scene(tuple(cards))] * (PAUSE_FRAMES - len(steps))]
    return StressFilm(scenes, actions, frozenset(chosen[:CARDS]))


def _placed(rng: np.random.Generator, card: str, place: Point) -> PlacedPrint:
    """The card at a place, upright or upside down and a little askew."""
    return PlacedPrint(card, *place, 180.0 * rng.integers(2) + rng.uniform(-MAX_ANGLE_DEG, MAX_ANGLE_DEG))


def _turned(card: PlacedPrint, degrees: float) -> PlacedPrint:
    """The card, turned about the center of its code. The code's center is 19 mm below the card's center."""
    before, after = (np.radians(angle) for angle in (card.angle, card.angle + degrees))
    x = card.x_mm + 19 * (math.sin(after) - math.sin(before))
    y = card.y_mm - 19 * (math.cos(after) - math.cos(before))
    return replace(card, x_mm=x, y_mm=y, angle=card.angle + degrees)


def _action_scenes(
    others: list[PlacedPrint], before: PlacedPrint | None, after: PlacedPrint | None, *, by_hand: bool
) -> Iterator[Scene]:
    """Yields the scenes in which a card gets from `before` to `after`. If one of them is None, the card comes from or
    goes to a place outside the frame, on the hand's side."""
    card = before or after
    assert card is not None
    start, end = before or _outside(card), after or _outside(card)
    reaching = [k / REACH_FRAMES for k in range(1, REACH_FRAMES + 1)] if by_hand else []
    for share in reaching if before else ():
        yield Scene((*others, start), hand=_hand_at(start, (1 - share) * ARM_MM))
    for k in range(1, GLIDE_FRAMES + 1):
        share = k / GLIDE_FRAMES
        now = _between(start, end, share * share * (3 - 2 * share))
        yield Scene((*others, now), hand=_hand_at(now, 0.0) if by_hand else None)
    for share in reaching if after else ():
        yield Scene((*others, end), hand=_hand_at(end, share * ARM_MM))


def _outside(card: PlacedPrint) -> PlacedPrint:
    """The card, moved beyond the nearer long edge of the frame."""
    return replace(card, y_mm=card.y_mm - _side(card) * ARM_MM)


def _side(card: PlacedPrint) -> float:
    """1 if the hand comes from the top edge of the frame, -1 if from the bottom."""
    return 1.0 if card.y_mm <= ROWS_MM[1] else -1.0


def _hand_at(card: PlacedPrint, away_mm: float) -> Point:
    """The position of a hand's fingertips: at the card if `away_mm` is 0. Otherwise the hand is that far away, on its
    way in or out."""
    side = _side(card)
    return card.x_mm, card.y_mm - side * (30 + away_mm)


def _between(a: PlacedPrint, b: PlacedPrint, share: float) -> PlacedPrint:
    turn = (b.angle - a.angle + 180) % 360 - 180
    x, y = (p + (q - p) * share for p, q in ((a.x_mm, b.x_mm), (a.y_mm, b.y_mm)))
    return replace(a, x_mm=x, y_mm=y, angle=b.angle if share == 1 else a.angle + turn * share)


def score(film: StressFilm, events: Iterable[TrackEvent]) -> FilmScore:
    """How well the events match what happens in the film."""
    told = [(round(event.t * FPS), event) for event in events]
    early = [event.id for frame, event in told if event.kind == "appeared" and event.id in film.first_ids]
    in_time = {event.id for frame, event in told if event.kind == "appeared" and frame < PAUSE_FRAMES}
    delays, right = list[tuple[str, int | None]](), set[int]()
    for action in film.actions:
        limit = action.rest + MAX_DELAY_FRAMES
        matching = [
            (n, max(0, frame - action.rest))
            for n, (frame, event) in enumerate(told)
            if event.id == action.id and event.kind in REPORTED_AS[action.kind] and action.start <= frame <= limit
        ]
        right.update(n for n, _ in matching[:1])
        delays.append((action.kind, matching[0][1] if matching else None))
    false = len(told) - len(right) - len(set(early))
    return FilmScore(len(in_time & film.first_ids) / len(film.first_ids), delays, false)
