"""Makes acts at a table while its broker is restarted again and again: `python -m tests.broker_restarts` (`make
broker-restarts`).

A listener must receive each act, in order, and the retained state must always be the newest one. An act may arrive
twice, with the same game and version, if the broker was stopped before it could acknowledge the act.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from random import Random

from companion.games import GAMES, move_json
from companion.games.rules import Seat
from companion.match.journal import Journal
from companion.mqtt.broker_address import parse_broker
from companion.mqtt.client import MqttClient
from companion.mqtt.topics import Topics
from companion.table.table import Table
from tests.mosquitto import Listener, Mosquitto, retained
from tests.running_service import until

ACTS_PER_GAME = 150
DOWN_S = 0.5
"""For how long the broker is away each time."""
CATCH_UP_S = 120
MAX_BACKLOG = 2000
"""How many acts ahead of the broker the players may be. Real players are slower."""


@dataclass
class Outcome:
    """The acts of a run, and what the listener received about them. `repeated`: how many events arrived more than once.
    `steps_back`: how often a state first arrived after a newer state. A restarted broker may repeat states, since it
    can't know which ones arrived before (MQTT, quality of service 1)."""

    acts: int
    restarts: int
    seconds: float
    heard: int = 0
    repeated: int = 0
    missing: list[tuple[int, int]] = field(default_factory=list)
    out_of_order: int = 0
    states: int = 0
    steps_back: int = 0
    is_last_state_right: bool = False

    @property
    def ok(self) -> bool:
        """Whether nothing was lost, all events arrived in order, and the last state is the newest one."""
        return not self.missing and not self.out_of_order and not self.steps_back and self.is_last_state_right

    def __str__(self) -> str:
        return (
            f"{self.acts} acts, {self.restarts} restarts, {self.seconds:.0f} s: {len(self.missing)} events lost, "
            f"{self.repeated} heard twice, {self.out_of_order} out of order; {self.states} states, {self.steps_back} "
            f"steps back, the last one {'right' if self.is_last_state_right else 'WRONG'}"
        )


@contextmanager
def published(table: Table, broker: Mosquitto, name: str = "test") -> Iterator[MqttClient]:
    """Publishes the table on the broker during the block, as the service does."""
    device = MqttClient(table, parse_broker(broker.url), name).open()
    thread = threading.Thread(target=lambda: [table.observe(each) for each in device], daemon=True)
    thread.start()
    try:
        yield device
    finally:
        device.close()
        thread.join(60)


class RandomPlayers:
    """Players who act at random, and play one game after another."""

    def __init__(self, table: Table, rng: Random) -> None:
        self._table, self._rng = table, rng
        self.acts: list[tuple[int, int]] = []
        """The game and the version of each act."""
        self._left = 0
        self._game = 0

    def act(self) -> None:
        """Makes one act: a move, an undo or a redo."""
        view = self._table.view()
        if view is None or view.turn is None or not self._left:
            self._start()
            return
        self._left -= 1
        if view.choices.can_undo and self._rng.random() < 0.4:
            self._note(self._table.undo(None))
        elif view.choices.can_redo and self._rng.random() < 0.7:
            self._note(self._table.redo(None))
        elif view.choices.pause_label:
            self._note(self._table.proceed(None))
        else:
            assert isinstance(view.turn, int)
            own = self._table.view(Seat(view.turn))
            assert own
            move = self._rng.choice(own.choices.legal)
            self._note(self._table.submit(Seat(view.turn), move_json.to_json(move)))

    def _start(self) -> None:
        name = self._rng.choice(["traffic-congestion", "systems-failing"])
        before = self._table.revision.version
        seats = GAMES[name].rules.seats[0]
        self._game = self._table.start(name, seats, {}, {}, (), f"{self._rng.random()}")
        self._left = ACTS_PER_GAME
        view = self._table.view()
        assert view
        if view.log:
            self._note(view.version)
        assert view.version >= before

    def _note(self, version: int) -> None:
        self.acts.append((self._game, version))


def run(acts: int, restarts: int, seed: str = "") -> Outcome:
    """Makes this many acts with this many restarts in between, then waits until the broker has caught up."""
    topics, began = Topics("test"), time.monotonic()
    with tempfile.TemporaryDirectory() as folder, Mosquitto(Path(folder)) as broker, Listener(broker) as listener:
        table = Table(Journal(None))
        players, restart = RandomPlayers(table, Random(seed)), None
        with published(table, broker) as device:
            listener.wait(topics.state)
            stops = {acts * n // (restarts + 1) for n in range(1, restarts + 1)}
            while len(players.acts) < acts:
                players.act()
                device.show(None)
                if len(players.acts) in stops:
                    stops.discard(len(players.acts))
                    if restart:
                        restart.join()
                    restart = _restart(broker)
                elif len(players.acts) % 100 == 0:
                    _wait_for_broker(listener, topics, len(players.acts) - MAX_BACKLOG)
            last = players.acts[-1]
            until(lambda: (event := listener.last(topics.event)) and event["version"] == last[1], "events", CATCH_UP_S)
            until(lambda: listener.last(topics.state)["version"] == last[1], "the last state", CATCH_UP_S)
            outcome = _judge(players.acts, listener, topics, restarts, time.monotonic() - began)
            outcome.is_last_state_right = retained(broker, topics.state)["version"] == last[1]
    return outcome


def _restart(broker: Mosquitto) -> threading.Thread:
    """Starts a thread that restarts the broker while the players go on; returns the thread."""

    def restart() -> None:
        broker.stop()
        time.sleep(DOWN_S)
        broker.start()

    thread = threading.Thread(target=restart, daemon=True)
    thread.start()
    return thread


def _wait_for_broker(listener: Listener, topics: Topics, count: int) -> None:
    until(lambda: listener.count(topics.event) >= count, "events", CATCH_UP_S)


def _judge(acts: list[tuple[int, int]], listener: Listener, topics: Topics, restarts: int, seconds: float) -> Outcome:
    outcome = Outcome(len(acts), restarts, seconds)
    heard: dict[tuple[int, int], None] = {}
    newest = (0, 0)
    for event in listener.heard(topics.event):
        key = event["id"], event["version"]
        outcome.repeated += key in heard
        outcome.out_of_order += key not in heard and key < newest
        heard[key], newest = None, max(newest, key)
    outcome.heard = len(heard)
    outcome.missing = [each for each in acts if each not in heard]
    assert len(heard) == len(acts) or outcome.missing, "events of acts that nobody made"
    versions = [state["version"] for state in listener.heard(topics.state)]
    outcome.states = len(versions)
    outcome.steps_back = sum(later < earlier for earlier, later in pairwise(dict.fromkeys(versions)))
    return outcome


def main() -> int:
    """Runs the test; the exit status is 1 if anything was lost."""
    parser = argparse.ArgumentParser(prog="broker_restarts", description="Restarts a broker under a table.")
    parser.add_argument("--acts", type=int, default=100_000)
    parser.add_argument("--restarts", type=int, default=10)
    parser.add_argument("--seed", default="")
    args = parser.parse_args()
    outcome = run(args.acts, args.restarts, args.seed)
    print(outcome)
    return 0 if outcome.ok else 1


if __name__ == "__main__":
    sys.exit(main())
