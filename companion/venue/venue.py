"""The venue: passes every message from the broker on to the club's tables or to the database of results.

A result is acknowledged once it is durable. Until then, its table repeats it. A thread of its own stores results, many
in one transaction, so that the wall does not wait for the disk.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Sequence
from queue import Full, Queue
from typing import Final

from companion.text.messages import _
from companion.venue.club_tables import ClubTables
from companion.venue.results import MAX_PER_DAY, ResultStore
from companion.venue.table_messages import (
    BadMessage,
    Result,
    Topic,
    acknowledgment,
    acknowledgment_topic,
    parse_topic,
    read_result,
    read_status,
    read_wall,
)

MAX_WAITING: Final = 2000
"""At most this many results wait to be stored. Further results are dropped; their tables send them again."""
MAX_BATCH: Final = 250
"""At most this many results are stored in one transaction."""

Publish = Callable[[str, bytes], object]
"""A function that publishes a message."""


class Venue:
    """Receives what tables report. `publish` sends acknowledgments."""

    def __init__(self, club_tables: ClubTables, store: ResultStore, publish: Publish) -> None:
        self.club_tables, self.store, self._publish = club_tables, store, publish
        self._waiting: Queue[Result | None] = Queue(MAX_WAITING)
        self._writer = threading.Thread(target=self._write, name="results", daemon=True)
        self._writer.start()

    def close(self) -> None:
        """Stores the results that still wait, and ends the thread."""
        self._waiting.put(None)
        self._writer.join()

    def receive(self, topic: str, payload: bytes, *, is_retained: bool = False, lifetime_s: int | None = None) -> None:
        """Handles a message from the broker. Any thread may call this. `is_retained`: whether this is an earlier
        message that the broker has stored. It may be out of date. `lifetime_s`: for how many seconds the message is
        valid; None if there is no limit."""
        found = parse_topic(topic)
        if found is None:
            return
        try:
            self._take(found, payload, is_retained, lifetime_s)
        except BadMessage as error:
            self.club_tables.set_problem(found.table, _("A message from this table was refused: {why}.", why=error))

    def _take(self, topic: Topic, payload: bytes, is_retained: bool, lifetime_s: int | None) -> None:
        match topic.kind:
            case "status" if not payload:
                self.club_tables.forget(topic.table)
            case "status":
                self.club_tables.set_status(topic.table, is_online=read_status(payload), lifetime_s=lifetime_s)
            case "wall" if payload:
                self.club_tables.set_wall(topic.table, read_wall(payload), is_retained=is_retained)
            case "result" if payload:
                try:
                    self._waiting.put_nowait(read_result(payload, topic.table))
                except Full:
                    return

    def _write(self) -> None:
        is_open = True
        while is_open:
            batch = [self._waiting.get()]
            # Only this thread takes from the queue, so this `get` can't block.
            while len(batch) < MAX_BATCH and not self._waiting.empty():
                batch.append(self._waiting.get())
            is_open = None not in batch
            if results := [result for result in batch if result is not None]:
                self._store(results)

    def _store(self, batch: Sequence[Result]) -> None:
        try:
            stored = self.store.add(batch, self.club_tables.now())
        except sqlite3.Error as error:
            problem = _("Can’t save results ({error}). Is the disk full? The tables keep them and send them again.")
            self.club_tables.set_result_problem(problem.with_values(error=error))
            return
        self.club_tables.set_result_problem("")
        for result in stored:
            self._publish(acknowledgment_topic(result.table), acknowledgment(result))
        for table in {result.table for result in batch if result not in stored}:
            text = _("This table has reported more than {n} results in one day. The rest have to wait.", n=MAX_PER_DAY)
            self.club_tables.set_problem(table, text)
