"""A table and a venue together: the venue reads what the table publishes, and the table stops repeating a result once
the venue has acknowledged it."""

from __future__ import annotations

from contextlib import closing
from random import Random

import pytest

from companion.games import GAMES
from companion.match.journal import Journal
from companion.mqtt.result_reports import LONGEST_PAUSE_S
from companion.table.table import Table
from companion.tabletop.observations import DeviceHealth
from companion.venue.club_tables import ClubTables
from companion.venue.results import ResultStore
from companion.venue.table_messages import acknowledgment_topic
from companion.venue.venue import Venue
from tests.memory_broker import NAME, TOPICS, PublishedMessage, PublishedTable
from tests.page_states import act
from tests.running_service import until
from tests.systems_failing_tables import seen
from web.venue.table_cards import card_of

LONG_NAMES = tuple(f"{letter}{'ö' * 23}" for letter in "ABCDE")


def play_to_the_end(table: Table) -> None:
    """Lets careful players play until the game is over."""
    rng = Random(1)
    while seen(table).turn is not None:
        act(table, "", rng)


class TableAndVenue:
    """A table and a venue. `exchange` delivers the messages of each to the other."""

    def __init__(self, table: Table) -> None:
        self.club_tables, self.store = ClubTables(), ResultStore(None)
        self.acknowledged: list[tuple[str, bytes]] = []
        self.venue = Venue(
            self.club_tables, self.store, lambda topic, payload: self.acknowledged.append((topic, payload))
        )
        self.published = PublishedTable(table)
        self._passed = 0

    def exchange(self) -> list[PublishedMessage]:
        """Delivers all new messages of the table to the venue, and then the acknowledgments to the table. Returns the
        messages of the table."""
        new = self.published.link.sent[self._passed :]
        self._passed += len(new)
        results = sum(message.topic == TOPICS.result for message in new)
        before = len(self.acknowledged)
        for message in new:
            self.venue.receive(message.topic, message.payload.encode(), is_retained=False)
        until(lambda: len(self.acknowledged) == before + results, "the acknowledgments", 20)
        for topic, payload in self.acknowledged[before:]:
            self.published.say(topic, payload)
        return new

    def close(self) -> None:
        self.venue.close()
        self.store.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_a_venue_shows_and_stores_what_a_table_plays(name: str) -> None:
    """A venue shows and stores what a table plays, even with the largest number of players and the longest names that
    are allowed."""
    table, seats = Table(Journal(None)), GAMES[name].rules.seats[-1]
    options = {"rounds": "0.5"} if name == "commute" else {}
    table.start(name, seats, options, {}, LONG_NAMES[:seats], "seed")
    table.observe(DeviceHealth(device="camera", ok=False, message="The camera sees nothing.", remedy="Uncover it."))
    with closing(TableAndVenue(table)) as joined:
        joined.exchange()
        (state,) = joined.club_tables.all()
        assert (state.name, state.is_online, state.problem) == (NAME, True, "")
        card = card_of(state)
        assert (card.state, card.game, len(state.wall.players)) == ("playing", name, seats)
        assert [str(line.label) for line in card.lines][:seats] == list(LONG_NAMES[:seats])
        assert [device.device for device in state.wall.devices if not device.ok] == ["camera"]
        play_to_the_end(table)
        joined.published.pass_time()
        joined.exchange()
        assert card_of(joined.club_tables.all()[0]).state == "over"
        (stored,) = joined.store.all()
        assert (stored.result.game, stored.result.players) == (name, LONG_NAMES[:seats])
        assert [topic for topic, _ in joined.acknowledged] == [acknowledgment_topic(NAME)] == [TOPICS.acknowledgment]
        joined.published.pass_time(2 * LONGEST_PAUSE_S, rounds=20)
        assert TOPICS.result not in {message.topic for message in joined.exchange()}


def test_a_result_is_repeated_until_a_venue_is_there() -> None:
    """If the venue starts after the end of a game, the table has repeated the result in the meantime, and the venue
    stores it once."""
    table = Table(Journal(None))
    table.start("systems-failing", 2, {}, {}, ("Ann", "Ben"), "seed")
    with closing(TableAndVenue(table)) as joined:
        play_to_the_end(table)
        joined.published.pass_time(100, rounds=50)
        assert len(joined.published.link.on(TOPICS.result)) > 2
        joined.exchange()
        assert joined.store.count() == 1


def test_a_table_without_a_game_is_idle() -> None:
    with closing(TableAndVenue(Table(Journal(None)))) as joined:
        joined.exchange()
        (state,) = joined.club_tables.all()
        assert (card_of(state).state, state.problem) == ("idle", "")
