"""Compares two worlds that a viewer can't tell apart: the viewer must be told the same in both, to the byte.

A random game is recorded. Where a move is made that a viewer may not know in full, a second world branches off: there
another move was made that looks the same to the viewer. The recorded game goes on in both until the rules show the
viewer a difference, for example when a hidden card is played. A fork is never such a difference: two moves that look
the same must lead to positions that look the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from random import Random
from typing import Any

from companion.games import notation
from companion.games.game import Game
from companion.games.rules import HOUSE, SPECTATOR, HouseMove, Json, Move, Seat, State, Viewer, play
from companion.match.history import History, Step
from companion.match.journal import Header, Journal
from companion.match.referee import Referee
from companion.match.view_builder import view_of_history
from companion.table.table import Table
from companion.tabletop.layout import physical_instructions
from companion.text.translation import Translator
from tests.phones import Home, without_ids
from tests.random_games import fewest_and_most_seats, random_game
from tests.repetitions import repetitions
from web.events import Feed

VIEWERS: tuple[Viewer, ...] = (Seat(0), Seat(1), SPECTATOR)
NAMES = ("Ann", "Bob", "Cid", "Dot", "Eve", "Fay", "Gus", "Hal")
GAMES_PER_VIEWER = repetitions(3)
PLIES_PER_GAME = 300
FORKS_PER_GAME = repetitions(6, at_least=2)
STEPS_PER_FORK = 12
LINES_PER_STEP = 3
PAGES = ("/play", "/table", "/log", "/log.txt", "/api/view", "/api/log")
CHANNELS = ("state", "log", "moves", "refusals", "pages")
"""The channels that are compared: the position, the log, the legal moves, refusals, and everything that a phone
loads."""


@dataclass(frozen=True)
class World:
    """A position and the moves that led to it."""

    state: State
    moves: tuple[Move, ...] = ()

    def after(self, move: Move) -> World:
        return World(play(self.state, move), (*self.moves, move))

    def listed(self, mover: Any) -> list[Move]:
        """The moves that `mover`, a seat or the house, may make."""
        moves = (
            [move for move, weight in self.state.chances() if weight] if mover == HOUSE else self.state.legal_moves()
        )
        return [move for move in moves if move.seat == mover]


@dataclass
class Comparison:
    """Compares what a viewer of a game is told in two worlds. `counts`: by channel, how often both were told the same
    although the worlds differ in what the channel is about."""

    game: Game[Any]
    seats: int
    viewer: Viewer
    rng: Random
    lines: Sequence[dict[str, Json]]
    """Moves for the viewer to try, legal or not."""
    counts: Counter[str]
    pages_due: bool = True
    """Whether pages have yet to be compared. Comparing them is slow, so it is done once."""

    def branch(self, recorded: Sequence[tuple[State, Move | None]], ply: int) -> None:
        """Branches off a second world at this ply and compares both until the viewer can tell them apart."""
        moves = [move for _, move in recorded if move]
        here = World(recorded[ply][0], tuple(moves[:ply]))
        others = [move for move in self._alike(here, here, moves[ply]) if move != moves[ply]]
        if not others:
            return
        pair = self._go_on((here, here), moves[ply], self.rng.choice(others))
        assert self._is_known_the_same(*pair), f"{moves[ply]} and {pair[1].moves[-1]} look the same, what follows not"
        for move in moves[ply + 1 : ply + STEPS_PER_FORK]:
            self._try_lines(*pair)
            alike = self._alike(*pair, move)
            if not alike:
                break
            after = self._go_on(pair, move, move if move in alike else self.rng.choice(alike))
            if not self._is_known_the_same(*after):
                break
            pair = after
        if self.pages_due and pair[0].state != pair[1].state and pair[0].state.turn != HOUSE:
            self._compare_pages(*pair)
            self.pages_due = False

    def _seen(self, move: Move, state: State) -> Move:
        return move.as_known_to(self.viewer, state)

    def _alike(self, one: World, two: World, move: Move) -> list[Move]:
        """The moves of the second world that look to the viewer like `move` in the first."""
        seen = self._seen(move, one.state)
        return [other for other in two.listed(move.seat) if self._seen(other, two.state) == seen]

    def _is_known_the_same(self, one: World, two: World) -> bool:
        known = [world.state.as_known_to(self.viewer) for world in (one, two)]
        return bool(known[0] == known[1])

    def _go_on(self, pair: tuple[World, World], first: Move, second: Move) -> tuple[World, World]:
        """Both worlds after a move. Compares all that the viewer is told, unless the rules show it a difference."""
        one, two = pair[0].after(first), pair[1].after(second)
        if self._is_known_the_same(one, two):
            told = [self._told(world.state, move) for world, move in zip(pair, (first, second), strict=True)]
            for channel, said in told[0].items():
                assert said == told[1][channel], (channel, self.viewer, first, second)
            differ = one.state != two.state
            self.counts["state"] += differ and one.state.to_json() != two.state.to_json()
            self.counts["log"] += first != second
            self.counts["moves"] += differ and any(move.seat == self.viewer for move in one.state.legal_moves())
        return one, two

    def _told(self, before: State, move: Move) -> dict[str, Any]:
        """All that the viewer is told of a move and of the position after it, except by the web."""
        after, names, text, physical = play(before, move), NAMES, self.game.text, self.game.physical
        seat = None if move.seat == HOUSE else Seat(int(move.seat))
        history = History(self.game, self.seats, before).with_act(seat, [Step(before, move, after)])
        view = view_of_history(1, self._header(), history, self.viewer)
        legal = [other for other in after.legal_moves() if other.seat == self.viewer]
        layouts = [physical.layout(state, self.viewer) for state in (before, after)]
        return {
            "view": replace(view, log=()),
            "log": view.log,
            "moves": [(notation.write(other), text.label(after, other, self.viewer, names)) for other in legal],
            "dial": [(other, text.label(after, other, SPECTATOR, names)) for other in self.game.dial_moves(after)],
            "pause": text.pause_label(after),
            "table": (layouts, physical_instructions(*layouts, physical.components.vocabulary(names))),
            "referee": self._answer(before, notation.write(move)),
        }

    def _header(self) -> Header:
        rules = self.game.rules
        return Header(rules.name, rules.version, self.seats, {}, {}, NAMES[: self.seats], "seed")

    def _answer(self, state: State, line: str) -> str:
        """What `tablekeeper play --seat` prints for a line."""
        referee = Referee(self.game, self.seats, state, None, self.viewer, legal=True)
        return "\n".join(notation.dumps(answer) for answer in (*referee.begin(), *referee.judge(line)))

    def _try_lines(self, one: World, two: World) -> None:
        """Checks that each move the viewer tries is accepted in both worlds, or refused in both with the same words."""
        for line in self.rng.sample(self.lines, min(LINES_PER_STEP, len(self.lines))):
            answers = [self._answer(world.state, notation.dumps(line)) for world in (one, two)]
            refused = ['"error":' in answer for answer in answers]
            afters = [] if any(refused) else [self._after_line(world, line) for world in (one, two)]
            if not afters or self._is_known_the_same(*afters):
                assert answers[0] == answers[1], (self.viewer, line)
            self.counts["refusals"] += all(refused) and one.state != two.state

    def _after_line(self, world: World, line: Json) -> World:
        return world.after(notation.from_json(self.game, self.seats, line))

    # The web -------------------------------------------------------------------------------------------

    def _compare_pages(self, one: World, two: World) -> None:
        """Compares pages, the API, the events, and a refusal."""
        homes = [self._home(world) for world in (one, two)]
        homes[1].lobby.join_code, homes[1].lobby.host_key = homes[0].lobby.join_code, homes[0].lobby.host_key
        loaded = [[*self._loaded(home)] for home in homes]
        assert loaded[0] == loaded[1]
        self.counts["pages"] += 1

    def _home(self, world: World) -> Home:
        """A home in which this world is played. The game must be on the shelf."""
        journal = Journal(None)
        history = History(self.game, self.seats, self.game.rules.begin(self.seats, {}).state)
        records = []
        for move in world.moves:
            seat = None if move.seat == HOUSE else int(move.seat)
            history = history.with_act(seat, [Step(history.state, move, play(history.state, move))])
            records.append(history.record(None, "2026-01-01T00:00:00+00:00"))
        journal.open_game(self._header(), records)
        return Home(Table(journal))

    def _loaded(self, home: Home) -> Iterator[bytes]:
        seat = self.viewer if isinstance(self.viewer, int) else None
        phone = home.phone(seat)
        for path in PAGES:
            yield without_ids(phone.get(path).data)
        yield "".join(Feed(home.table, lambda: self.viewer, "1.0", Translator("en")).new_events()).encode()
        for line in self.lines[:3]:
            yield re.sub(rb'"version":\d+', b"", phone.move(line, version=0).data)


def compare_worlds(game: Game[Any]) -> Counter[str]:
    """Compares worlds of a game for every kind of viewer. Returns the number of comparisons by channel.

    Raises AssertionError if a viewer is told something that it may not know, or if nothing could be compared.
    """
    counts: Counter[str] = Counter()
    for seats in sorted(fewest_and_most_seats(game)):
        recorded = [list(islice(random_game(game, seats, seed), PLIES_PER_GAME)) for seed in range(GAMES_PER_VIEWER)]
        for viewer in VIEWERS:
            rng = Random(f"{seats}/{viewer}")
            comparison = Comparison(game, seats, viewer, rng, _lines(recorded, viewer, rng), counts)
            for moves in recorded:
                for ply in _hidden_moves(moves, viewer, rng):
                    comparison.branch(moves, ply)
    for channel in CHANNELS:
        assert counts[channel], f"{game.name} has hidden information, but the {channel} of no two worlds were compared"
    return counts


def _hidden_moves(moves: Sequence[tuple[State, Move | None]], viewer: Viewer, rng: Random) -> list[int]:
    """Some of the plies whose moves the viewer may not know in full."""
    hidden = [ply for ply, (state, move) in enumerate(moves) if move and move.as_known_to(viewer, state) != move]
    return sorted(rng.sample(hidden, min(FORKS_PER_GAME, len(hidden))))


def _lines(
    recorded: Sequence[Sequence[tuple[State, Move | None]]], viewer: Viewer, rng: Random
) -> list[dict[str, Json]]:
    """The seats' moves of these games, as moves of the viewer."""
    made = {notation.write(move) for moves in recorded for _, move in moves if move and not isinstance(move, HouseMove)}
    lines = [notation.loads(line) | {"seat": viewer} for line in sorted(made)] if viewer != SPECTATOR else []
    return rng.sample(lines, len(lines))
