"""The table on a broker: what it publishes, and that a broker can't harm it. The broker is in memory."""

from __future__ import annotations

from random import Random

from companion.games.rules import Seat
from companion.match.journal import Journal
from companion.mqtt.client import STATUS_PAUSE_S
from companion.mqtt.outbox import STATUS_LIFETIME_S, WINDOW
from companion.table.table import Table
from companion.tabletop.observations import ButtonPressed, CardSeen, DeviceHealth, MatSeen
from tests.memory_broker import TOPICS, MemoryLink, PublishedTable
from tests.systems_failing_tables import act, act_some, new_table, play_to_the_end


def test_the_state_is_what_a_spectator_may_see() -> None:
    """The published state is retained. It is the view of a spectator, with the texts that people read in addition."""
    published = PublishedTable(table := new_table())
    view = table.view()
    assert view
    state = published.link.last(TOPICS.state)
    assert state["state"] == view.state
    assert (state["game"], state["version"], state["players"]) == ("systems-failing", view.version, ["Ann", "Bob"])
    assert state["meters"]["stability"]["value"] == view.state["stability"]
    assert (state["matches"], state["result"], state["turn"]) == (True, None, view.turn)
    retained = {message.topic for message in published.link.sent if message.retain}
    assert retained == {TOPICS.state, TOPICS.status, TOPICS.health, TOPICS.wall, TOPICS.discovery}
    assert [m.payload for m in published.link.sent if m.topic == TOPICS.status] == ["online"]


def test_the_status_is_repeated_before_the_broker_deletes_it() -> None:
    """The status is repeated before the broker deletes it. All other documents stay until they change."""
    published = PublishedTable(new_table())
    before = len(published.link.sent)
    published.pass_time(10 * STATUS_LIFETIME_S, rounds=900)
    new = published.link.sent[before:]
    assert {(message.topic, message.payload) for message in new} == {(TOPICS.status, "online")}
    assert len(new) == 10 * STATUS_LIFETIME_S / STATUS_PAUSE_S >= 25
    lifetimes = {message.topic: message.lifetime_s for message in published.link.sent}
    assert lifetimes.pop(TOPICS.status) == STATUS_LIFETIME_S
    assert {*lifetimes.values()} == {None}


def test_a_table_without_a_game_says_so() -> None:
    """The table also publishes a state before the first game and after the last one."""
    published = PublishedTable(table := Table(Journal(None)))
    assert published.link.last(TOPICS.state) == {"version": 0, "game": None}
    assert published.link.last(TOPICS.wall)["game"] is None
    table.start("systems-failing", None, {}, {}, ("Ann", "Bob"), "seed")
    published.pass_time()
    assert published.link.last(TOPICS.state)["game"] == "systems-failing"
    table.end()
    published.pass_time()
    assert published.link.last(TOPICS.state)["game"] is None


def test_each_act_is_one_event() -> None:
    """Each act is published as one event, with the words of the log. Acts from before the service was started are not
    published."""
    table = new_table()
    act_some(table, rng := Random(1), 3)
    published = PublishedTable(table)
    assert published.link.on(TOPICS.event) == []
    act(table, rng)
    table.undo(Seat(1))
    published.pass_time()
    first, second = published.link.on(TOPICS.event)
    view = table.view()
    assert view
    assert [first["version"], second["version"]] == [view.version - 1, view.version]
    assert (second["id"], second["game"], second["kind"], second["seat"]) == (view.id, "systems-failing", "undo", 1)
    assert second["text"].startswith("Bob undid: ")


def test_a_slow_broker_gets_no_more_than_it_can_take() -> None:
    """While the broker acknowledges nothing, only a few messages are sent, however much happens. Afterwards everything
    follows: each event once and in order, and the newest state."""
    published = PublishedTable(table := new_table(), MemoryLink(is_slow=True))
    rng = Random(2)
    for _ in range(100):
        table.undo(None) if rng.random() < 0.3 and published.link.sent and _can_undo(table) else act(table, rng)
        published.pass_time()
    assert len(published.link.sent) <= WINDOW + 5
    published.link.acknowledge_all()
    published.link.is_slow = False
    published.pass_time(rounds=10)
    versions = [event["version"] for event in published.link.on(TOPICS.event)]
    assert versions == [*range(versions[0], table.revision.version + 1)]
    assert len(versions) == 100
    assert published.link.last(TOPICS.state)["version"] == table.revision.version


def _can_undo(table: Table) -> bool:
    view = table.view()
    return view is not None and view.choices.can_undo


def test_nothing_that_happened_without_a_broker_is_lost() -> None:
    """When the broker is back, it gets the events of all games that were played in the meantime, including games that
    are over by then. The retained documents are published again, since the broker may have forgotten them."""
    published = PublishedTable(table := new_table())
    published.link.go_down()
    games = []
    for number in range(3):
        table.start("traffic-congestion", None, {}, {}, (), f"{number}")
        act_some(table, Random(number), 30)
        view = table.view()
        assert view
        games += [view.id] * 30
        published.pass_time()
    assert published.link.on(TOPICS.event) == []
    published.link.sent.clear()
    published.link.come_up()
    published.pass_time(rounds=20)
    events = published.link.on(TOPICS.event)
    assert [event["id"] for event in events] == games
    assert len({event["version"] for event in events}) == 90
    assert {m.topic for m in published.link.sent if m.retain} >= {
        TOPICS.state,
        TOPICS.status,
        TOPICS.wall,
        TOPICS.health,
    }


def test_more_acts_than_a_view_lists_are_published() -> None:
    """Even if more than 200 acts are due, all of them are published. A view lists only the last 200, so the earlier
    ones are read from the journal."""
    published = PublishedTable(table := new_table())
    published.link.go_down()
    act(table, Random(3))
    for _ in range(150):
        table.undo(None)
        table.redo(None)
    published.link.come_up()
    published.pass_time(rounds=20)
    versions = [event["version"] for event in published.link.on(TOPICS.event)]
    assert versions == [*range(2, 2 + 301)]


def test_an_imported_game_is_no_event() -> None:
    """Only acts at this table are published as events, not those of an imported game."""
    other = new_table(seed="other")
    act_some(other, Random(4), 5)
    stored = other.journal.running_game()
    assert stored
    published = PublishedTable(table := new_table())
    table.journal.add(stored)
    table.start("traffic-congestion", None, {}, {}, (), "next")
    act_some(table, Random(5), 2)
    published.pass_time(rounds=3)
    assert {event["game"] for event in published.link.on(TOPICS.event)} == {"traffic-congestion"}


def test_a_broker_that_is_gone_is_reported_after_a_while() -> None:
    """A short interruption is not reported. A long one is, with its reason, and so is its end."""
    published = PublishedTable(new_table())
    assert published.health == "Connected to broker.test:1883."
    published.link.go_down()
    published.pass_time(2, rounds=4)
    published.link.come_up()
    published.pass_time(1)
    assert len(published.reports) == 1
    published.link.go_down("Not authorized")
    published.pass_time(12, rounds=8)
    assert len(published.reports) == 2
    assert "Can’t reach the broker at broker.test:1883 (Not authorized). The game goes on" in published.health
    published.link.come_up()
    published.pass_time()
    assert published.health == "Connected to broker.test:1883."


def test_a_connection_that_breaks_again_and_again_is_reported() -> None:
    """A connection that breaks again and again is reported. This happens if two tables have the same name."""
    published = PublishedTable(new_table())
    for _ in range(3):
        published.link.go_down()
        published.pass_time(1)
        published.link.come_up()
        published.pass_time(1)
    assert "keeps dropping" in published.health
    published.pass_time(60, rounds=6)
    assert published.health.startswith("Connected")


def test_a_broker_that_refuses_messages_is_reported() -> None:
    """The host is told what the broker's access list must allow. For a while, nothing more is sent on refused topics,
    because some brokers close the connection each time. Afterwards everything follows."""
    published = PublishedTable(table := new_table())
    published.link.refuses = {TOPICS.event: "Not authorized", TOPICS.state: "Not authorized"}
    act_some(table, Random(1), 3)
    published.pass_time(rounds=2)
    assert (
        "refuses messages (Not authorized). Allow this table’s user to write to tablekeeper/club-3/#."
        in published.health
    )
    sent = len(published.link.on(TOPICS.event)), len(published.link.on(TOPICS.state))
    act_some(table, Random(2), 5)
    published.pass_time(60, rounds=10)
    assert (len(published.link.on(TOPICS.event)), len(published.link.on(TOPICS.state))) == sent
    published.link.refuses = {}
    published.pass_time(600, rounds=100)
    assert published.health.startswith("Connected")
    assert [event["version"] for event in published.link.on(TOPICS.event)[-5:]] == [5, 6, 7, 8, 9]
    assert published.link.last(TOPICS.state)["version"] == 9


def test_a_broker_that_refuses_the_description_for_home_assistant_is_all_right() -> None:
    """A refused description is not reported as a problem, because a venue's broker may know nothing of Home
    Assistant."""
    link = MemoryLink()
    link.refuses = {TOPICS.discovery: "Not authorized"}
    published = PublishedTable(new_table(), link)
    published.pass_time()
    assert "refuses the description for Home Assistant (Not authorized)" in published.health
    assert [report.ok for report in published.reports if isinstance(report, DeviceHealth)] == [True, True]


def test_the_health_of_devices_is_published() -> None:
    """The published health is the same document as that of /healthz. A missing device does not count as failed."""
    published = PublishedTable(table := new_table())
    table.observe(DeviceHealth(device="box", ok=False, message="No box.", missing=True))
    published.pass_time()
    health = published.link.last(TOPICS.health)
    assert (health["status"], health["devices"]) == ("ok", [{"device": "box", "ok": False, "says": "No box."}])
    table.observe(DeviceHealth(device="camera", ok=False, message="It sends nothing.", remedy="Plug it in."))
    published.pass_time()
    health = published.link.last(TOPICS.health)
    assert (health["status"], health["devices"][1]["says"]) == ("degraded", "It sends nothing. Plug it in.")


def test_a_full_disk_is_published() -> None:
    """A full disk is published. The table checks the disk now and then, because no device reports it."""
    found = [
        DeviceHealth(device="disk", ok=True, message="There is room."),
        DeviceHealth(device="disk", ok=False, message="It is full."),
    ]
    published = PublishedTable(new_table(), disk=lambda: found.pop(0) if len(found) > 1 else found[0])
    assert published.link.last(TOPICS.health)["status"] == "ok"
    published.pass_time(10, rounds=2)
    assert published.link.last(TOPICS.health)["status"] == "degraded"
    assert published.link.last(TOPICS.wall)["needs_help"]


def test_the_wall_shows_the_game() -> None:
    """The table publishes for the wall: the game, its players, its scores and how many seats are free."""
    table = Table(Journal(None))
    table.start("traffic-congestion", 3, {}, {}, ("Ann", "Bob", "Cid"), "seed")
    wall = PublishedTable(table, free_seats=2).link.last(TOPICS.wall)
    assert wall["title"] == "Traffic Congestion"
    assert (wall["players"], wall["scores"], wall["score"], wall["round"]) == (
        ["Ann", "Bob", "Cid"],
        [0, 0, 0],
        None,
        None,
    )
    assert (wall["free_seats"], wall["matches"], wall["needs_help"], wall["over"]) == (2, True, False, False)
    assert wall["started"].endswith("+00:00")
    table.start("system-won", None, {}, {}, (), "seed")
    wall = PublishedTable(table).link.last(TOPICS.wall)
    assert (wall["scores"], wall["score"]) == (None, 0)


def test_a_table_needs_help_if_it_does_not_match_for_long_or_a_device_fails() -> None:
    """A table needs help if a device fails, or if the cards do not match the game for longer than people need to move
    them."""
    table = new_table()
    published = PublishedTable(table)
    table.observe(MatSeen(t=0.0, mat="MAT-SF"))
    table.observe(CardSeen(t=1.0, code="SF-E1", zone="discard", mm=None, angle=0.0, change="appeared"))
    published.pass_time()
    assert "discard" in published.link.last(TOPICS.state)["differences"][0].lower()
    wall = published.link.last(TOPICS.wall)
    assert (wall["matches"], wall["needs_help"]) == (False, False)
    published.pass_time(60, rounds=4)
    assert not published.link.last(TOPICS.wall)["needs_help"]
    published.pass_time(70, rounds=4)
    assert published.link.last(TOPICS.wall)["needs_help"]
    published = PublishedTable(table := new_table())
    table.observe(DeviceHealth(device="camera", ok=False, message="It sends nothing."))
    published.pass_time()
    wall = published.link.last(TOPICS.wall)
    assert wall["needs_help"]
    assert wall["devices"] == [{"device": "camera", "ok": False, "message": "It sends nothing."}]


def test_commands_are_those_of_the_buttons() -> None:
    """The commands undo, redo, next and draw do the same as the buttons at the table."""
    published = PublishedTable(table := new_table())
    begun = table.revision.version
    published.say(TOPICS.command, {"do": "draw", "version": begun})
    assert table.revision.version == begun + 1
    published.say(TOPICS.command, {"do": "undo"})
    published.say(TOPICS.command, {"do": "redo", "version": begun + 2})
    published.say(TOPICS.command, {"do": "next"})
    assert table.revision.version == begun + 4
    assert [event["kind"] for event in published.link.on(TOPICS.event)] == ["move", "undo", "redo", "move"]
    assert published.link.on(TOPICS.refused) == []


def test_a_stale_command_is_refused() -> None:
    """A command for an older version does nothing, and the answer says why."""
    published = PublishedTable(table := new_table())
    begun = table.revision.version
    table.observe(ButtonPressed(button="draw"))
    for action in ("undo", "redo", "next", "draw"):
        published.say(TOPICS.command, {"do": action, "version": begun})
        assert published.link.last(TOPICS.refused) == {
            "do": action,
            "version": begun,
            "code": "stale",
            "message": "The game has moved on. Look again.",
        }
    assert table.revision.version == begun + 1


def test_a_command_that_is_not_possible_now_is_refused() -> None:
    """If a command is not possible now, the answer gives the same reason as the phones."""
    published = PublishedTable(table := Table(Journal(None)))
    published.say(TOPICS.command, {"do": "next"})
    assert published.link.last(TOPICS.refused)["code"] == "no_game"
    table.start("traffic-congestion", None, {}, {}, (), "seed")
    published.say(TOPICS.command, {"do": "draw"})
    refused = published.link.last(TOPICS.refused)
    assert (refused["code"], refused["message"]) == ("illegal_move", "There’s nothing to draw right now.")
    published.say(TOPICS.command, {"do": "undo"})
    assert published.link.last(TOPICS.refused)["message"] == "There’s nothing to undo."


def test_a_flood_of_commands_is_cut_off() -> None:
    """Of many commands at once, the first few are carried out, the next one is refused with an answer, and the others
    get no answer. Then the table stops reading and the host is told. After a while the table reads again."""
    published = PublishedTable(table := new_table())
    begun = table.revision.version
    for _ in range(250):
        published.link.say(TOPICS.command, {"do": "draw"})
    published.pass_time()
    assert table.revision.version <= begun + 8
    assert len([each for each in published.link.on(TOPICS.refused) if each["code"] == "too_many"]) == 1
    assert not published.link.is_reading
    assert "too many commands" in published.health
    published.pass_time(31, rounds=2)
    assert published.link.is_reading
    assert published.health.startswith("Connected")
    published.say(TOPICS.command, {"do": "undo"})
    assert published.link.last(TOPICS.event)["kind"] == "undo"


def test_messages_on_other_topics_do_nothing() -> None:
    """Messages on other topics are ignored, because a broker may send anything."""
    published = PublishedTable(table := new_table())
    begun = table.revision
    for topic in (TOPICS.state, "x", "", TOPICS.result):
        published.say(topic, {"do": "draw"})
    assert table.revision == begun
    play_to_the_end(table, Random(6))


def test_the_description_for_home_assistant_is_sent_alone() -> None:
    """The description is sent by itself, so that no other message is lost if a broker refuses it by closing the
    connection."""
    link = MemoryLink(is_slow=True)
    published = PublishedTable(new_table(), link)
    link.acknowledge_all()
    published.pass_time()
    assert {message.topic for message in link.sent} == {TOPICS.status, TOPICS.state, TOPICS.health, TOPICS.wall}
    link.acknowledge_all()
    published.pass_time()
    assert link.sent[-1].topic == TOPICS.discovery


def test_a_new_connection_starts_with_one_message() -> None:
    """On a new connection, nothing more is sent until the first message is acknowledged. Some brokers close a
    connection when they refuse a message, and their answer is lost if more has been sent in the meantime."""
    link = MemoryLink(is_slow=True)
    published = PublishedTable(table := new_table(), link)
    act_some(table, Random(1), 3)
    published.pass_time(1, rounds=3)
    assert [message.topic for message in link.sent] == [TOPICS.status]
    link.acknowledge_all()
    published.pass_time(1, rounds=2)
    assert TOPICS.event in {message.topic for message in link.sent}
    link.go_down()
    link.come_up()
    link.acknowledge_all()
    sent = len(link.sent)
    published.pass_time()
    assert [message.topic for message in link.sent[sent:]] == [TOPICS.status]


def test_each_refusal_of_a_document_is_heard() -> None:
    """After a refused document, the next one is also sent by itself, so that each refusal is noticed. Events and
    results may still be allowed."""
    link = MemoryLink()
    link.refuses = dict.fromkeys((TOPICS.status, TOPICS.state, TOPICS.health, TOPICS.wall, TOPICS.discovery), "No")
    published = PublishedTable(table := new_table(), link)
    assert len(link.sent) == 3
    published.pass_time(1, rounds=3)
    assert len(link.sent) == 5
    assert "refuses messages (No)" in published.health
    act_some(table, Random(1), 1)
    published.pass_time(1, rounds=2)
    assert {message.topic for message in link.sent[5:]} == {TOPICS.event}
