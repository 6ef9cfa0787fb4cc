"""A table with its whole web application, in memory, for one of the two worlds that are compared.

Nothing in it is random and nothing depends on the time, so the answers of two equal services are equal to the byte.
"""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy, deepcopy
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from flask import Flask
from flask.testing import FlaskClient

from companion.commands.service_log import RecentLines
from companion.devices.simulated_box import SimulatedBox
from companion.diagnostics.live_picture_types import LivePicture
from companion.games.game import Game
from companion.match.history import History
from companion.match.journal import Journal
from companion.match.journal_rows import shuffle_column
from companion.match.stored_game import ActRecord, Header
from companion.simulator.simulated_table import SimulatedTable
from companion.table.table import Table
from companion.tabletop.observations import ButtonPressed, DeviceHealth
from tests.pdf_queues import FullQueue
from tests.systems_failing_tables import hasty_clock
from web.access.lobby import Lobby
from web.app import create_app
from web.setup import camera_setup
from web.setup.backups_and_support_page import BackupsAndSupportPage
from web.simulator import page as simulator
from web.tls import ca_page

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
PICTURE = b"\xff\xd8 a picture"
STEP_S = 5.0
"""How much time passes between two requests, in seconds."""


class Clock:
    """The clock of both worlds. It stops while the same request is made in both worlds."""

    def __init__(self) -> None:
        self.elapsed_s = 0.0
        self._tokens = 0

    def step(self) -> None:
        """Lets some time pass."""
        self.elapsed_s += STEP_S

    def now(self) -> str:
        """The date and time, as the journal stores them."""
        return (BEGIN + timedelta(seconds=self.elapsed_s)).isoformat(timespec="seconds")

    def seconds(self) -> float:
        """The time since 1970."""
        return BEGIN.timestamp() + self.elapsed_s

    def token(self, size: int = 16) -> str:
        """A new token. Both worlds get the same tokens, because `rewind` is called before each request."""
        self._tokens += 1
        return Random(f"{self.elapsed_s}/{self._tokens}").randbytes(size).hex()

    def rewind(self) -> None:
        """Makes `token` return the same tokens again."""
        self._tokens = 0

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Replaces the machine's clock and its random tokens by those of this clock while the block runs."""
        with (
            patch.object(secrets, "token_hex", self.token),
            patch.object(secrets, "token_urlsafe", self.token),
            patch.object(secrets, "choice", lambda values: Random(self.token()).choice(values)),
            patch("companion.match.match.now", self.now),
            patch("companion.match.journal.now", self.now),
            patch("companion.table.table.now", self.now),
        ):
            yield


class Log(RecentLines):
    """The service's log in one world, with the times of the worlds' clock. Holds what happens while it is `active`."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self._clock = clock

    def emit(self, record: logging.LogRecord) -> None:
        """Stores the lines of a log record."""
        timed = copy(record)
        timed.created = self._clock.seconds()
        super().emit(timed)

    def become(self, other: Log | None = None) -> None:
        """Replaces the lines by those of another log; without one, by none."""
        self._lines.clear()
        self._lines.extend(other.lines() if other else ())

    @contextmanager
    def active(self) -> Iterator[None]:
        """Stores what the program logs while the block runs."""
        logger = logging.getLogger()
        logger.addHandler(self)
        try:
            yield
        finally:
            logger.removeHandler(self)


class InMemoryService:
    """A table, its lobby and its application with every page that `tablekeeper run` can serve. `prepare` may change the
    application, for tests that plant a leak."""

    def __init__(
        self, game: Game[Any], clock: Clock, prepare: Callable[[InMemoryService], None] = lambda service: None
    ) -> None:
        self.table = Table(Journal(None), hasty_clock())
        self._clock = clock
        self.lobby = self._new_lobby()
        self.box = SimulatedBox()
        self.log = Log(clock)
        self.simulated = self._simulated_table(game)
        self.app: Flask = create_app(
            self.table,
            self.lobby,
            simulator=simulator.blueprint(self._simulator_context()) if self.simulated else None,
            setup=camera_setup.blueprint(self._setup_context()),
            reader=codes_in,
            trusts_own_screen=True,
            disk=lambda: DeviceHealth(device="disk", ok=True, message="There is room."),
            ca_page=ca_page.blueprint(self.table, self.lobby, ca_page.CaInfo(b"der", b"pem", "AA:BB", lambda: 8443)),
            pdf_queue=FullQueue(),
        )
        prepare(self)
        self.environ: dict[str, Any] = {}
        """The WSGI environment of the last request."""
        self.client = self._client()

    def _new_lobby(self) -> Lobby:
        clock = self._clock  # two functions, because a copied method would have a copy of the clock
        return Lobby(self.table, lambda: clock.elapsed_s, lambda: clock.seconds())

    def _client(self) -> FlaskClient:
        answer = self.app.wsgi_app

        def keep_environ(environ: dict[str, Any], start_response: Any) -> Any:
            self.environ = environ
            return answer(environ, start_response)

        self.app.wsgi_app = keep_environ  # type: ignore[method-assign]
        return self.app.test_client(use_cookies=False)

    @property
    def match(self) -> Any:
        """The match in progress."""
        return self.table._game.match

    def _simulated_table(self, game: Game[Any]) -> SimulatedTable | None:
        if game.physical.components.mat is None:
            return None
        return SimulatedTable(game, {}, lambda: None, rng=Random(0), hand_s=0)

    def _simulator_context(self) -> simulator.SimulatorContext:
        board: Any = SimpleNamespace(
            lamp="on", simulated=True, press=lambda button: self.table.observe(ButtonPressed(button=button))
        )
        source: Any = SimpleNamespace(table=self.simulated, pictures=Path("/no-pictures"))
        return simulator.SimulatorContext(
            self.table, self.lobby, source, board, lambda: PICTURE, has_simulated_camera=True, box=self.box
        )

    def _setup_context(self) -> camera_setup.SetupContext:
        live = LivePicture(PICTURE, (4, 3))
        return camera_setup.SetupContext(
            self.table,
            self.lobby,
            lambda codes: live,
            "",
            {},
            True,
            BackupsAndSupportPage(
                self.log.lines, lambda picture: picture or b"", tuple, tuple, lambda name: None, lambda: False
            ),
            mark_corners=lambda game, corners: None,
        )

    def clear(self) -> None:
        """Empties the table, the lobby, the journal and the log."""
        self.log.become()
        table = Table(Journal(None), hasty_clock())
        vars(self.table).update(vars(table))
        vars(self.lobby).update(vars(self._new_lobby()))

    def become(
        self,
        other: InMemoryService,
        history: History,
        records: tuple[ActRecord, ...],
        seed: str,
        codes: Mapping[str, str],
    ) -> None:
        """Becomes a copy of another service in which the game has this history, these records and this seed. `codes`
        maps the code of each card that lies in the other world to the card that lies here instead."""
        match = copy_with_containers(other.match)
        match.header, match.history = with_other_secrets(match.header, seed), history
        match._journal = journal_with(other.table.journal, match, records)
        match._known_copies, match._legal_moves = None, None
        vars(self.table).update(vars(copy_of_table(other.table, match, codes)))
        lobby, lock = self.lobby, self.lobby.phones.lock
        same = {id(other.table): self.table, id(other.lobby): lobby, id(other.lobby.phones.lock): lock}
        vars(lobby).update(deepcopy(vars(other.lobby), same))
        self.box.display = other.box.display
        self.log.become(other.log)
        if self.simulated and other.simulated:
            kept = {"_lock": self.simulated._lock, "_rng": copy(other.simulated._rng)}
            vars(self.simulated).update({**vars(other.simulated), **kept})


def copy_of_table(table: Table, match: Any, codes: Mapping[str, str]) -> Table:
    """A copy of a table with another match and the journal of that match. The codes that the table has seen are
    replaced by other codes."""
    physical, views = table._physical, table._views
    replaced: dict[int, Any] = {
        id(table.journal): match._journal,
        id(table._game.match): match,
        id(table._condition): threading.Condition(threading.RLock()),
        id(physical._clock): physical._clock,
        id(physical.tracked): with_codes(physical.tracked, codes),
        id(physical.early_deals.sightings): with_codes(physical.early_deals.sightings, codes),
        id(views._snapshot): None,
    }
    return deepcopy(table, replaced)


def codes_in(photo: bytes, phone: str) -> frozenset[str]:
    """Returns the codes in a photograph. The lint's photographs are just lists of codes."""
    return frozenset(photo.decode("ascii", "ignore").split())


def with_other_secrets(header: Header, seed: str) -> Header:
    """A header with another seed and other shares, but with the same commitments to them, which everybody knows."""
    if header.shuffle is None:
        return replace(header, seed=seed)
    rounds = tuple(
        replace(each, shares=tuple(replace(share, secret=seed) for share in each.shares))
        for each in header.shuffle.rounds
    )
    return replace(header, seed=seed, shuffle=replace(header.shuffle, rounds=rounds))


def journal_with(original: Journal, match: Any, records: tuple[ActRecord, ...]) -> Journal:
    """A copy of a journal in which the last game has the match's seed and ends with these records."""
    journal = Journal(None)
    original._database._db.backup(journal._database._db)
    shuffle = shuffle_column(match.header)
    write = journal._database.write
    write("UPDATE games SET seed = ?, shuffle = ? WHERE id = ?", (match.header.seed, shuffle, match.id))
    if records:
        write("DELETE FROM acts WHERE game = ? AND version >= ?", (match.id, records[0].version))
    for record in records:
        journal.append(match.id, record)
    return journal


def copy_with_containers(value: Any) -> Any:
    """A shallow copy of an object, with copies of the lists and dictionaries in its attributes."""
    found = copy_of_attributes(value)
    for name, item in vars(found).items():
        if isinstance(item, dict | list):
            vars(found)[name] = copy(item)
    return found


def copy_of_attributes(value: Any) -> Any:
    """A new object of the same class with the same attributes. Locks are shared."""
    found = object.__new__(type(value))
    vars(found).update(vars(value))
    return found


def with_codes(value: Any, codes: Mapping[str, str]) -> Any:
    """A value with each code replaced: a sighting, a tracked table, or a container of codes."""
    match value:
        case str():
            return codes.get(value, value)
        case dict():
            return {with_codes(key, codes): with_codes(item, codes) for key, item in value.items()}
        case frozenset() | tuple() | set() if codes:
            return type(value)(with_codes(item, codes) for item in value)
    if hasattr(value, "__dataclass_fields__") and codes:
        return replace(value, **{name: with_codes(item, codes) for name, item in vars(value).items()})
    return value
