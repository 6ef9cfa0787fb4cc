"""Both ends of the box's protocol, connected in memory: numbers that wrap around, full memory, and long silences."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from companion.devices.box_lights_and_buzzer import Display
from companion.devices.box_session import BoxSession
from companion.devices.protocol import Message, decode, encode
from firmware import protocol
from firmware.inputs import DIAL_AT_REST, decode_dial

SHOWN = ("1000", "0:0:1:g", "-", "-", "0")


@pytest.fixture
def host_session(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The firmware's own `host_session` module. It imports its neighbors as top-level modules, because on the board
    there is no package."""
    monkeypatch.setitem(sys.modules, "protocol", protocol)
    monkeypatch.delitem(sys.modules, "firmware.host_session", raising=False)
    from firmware import host_session as module

    return module


@pytest.fixture
def box(host_session: Any) -> Any:
    """The box's end of a session after the host's greeting, which was the host's command number 5."""
    made = host_session.HostSession("b007", lambda *display: display)
    hear(made, Message("HELLO", 5, ("1", "5e55")))
    said(made)
    return made


def hear(box: Any, *lines: Message, now: int = 0) -> None:
    box.receive(b"".join(map(encode, lines)), now)


def said(box: Any) -> list[Message]:
    """The lines that the box has sent since the last call."""
    lines = [decode(data.strip()) for data in box.outgoing]
    box.outgoing.clear()
    return [line for line in lines if line]


def show(seq: int, lamps: str) -> Message:
    return Message("SHOW", seq, (lamps, *SHOWN[1:]))


def presses(lines: Iterable[Message]) -> list[int]:
    return [line.seq for line in lines if line.kind == "PRESS"]


def test_acknowledgments_are_right_after_press_numbers_wrap_around(box: Any) -> None:
    """After the numbers have wrapped around, an acknowledgment of 65535 covers earlier presses but not later ones."""
    box._next_event = 65_534  # two days of pressing
    for _ in range(4):
        assert box.send_event("PRESS", "seat0", 0)
    assert presses(said(box)) == [65_534, 65_535, 0, 1]
    hear(box, Message("ACK", 65_535))
    box.tick(1000)
    assert presses(said(box)) == [0, 1]


def test_several_presses_are_sent_again_at_once(box: Any, host_session: Any) -> None:
    """All unacknowledged presses are sent again together. If they were sent one at a time, a backlog would take one
    pause per press."""
    for _ in range(20):
        box.send_event("PRESS", "seat0", 0)
    said(box)
    box.tick(1000)
    assert presses(said(box)) == list(range(1, 1 + host_session.MAX_EVENTS_PER_RESEND))
    assert host_session.MAX_EVENTS_PER_RESEND > 4


def test_a_host_that_acknowledges_nothing_fills_no_memory(box: Any, host_session: Any) -> None:
    """If the host acknowledges nothing, presses beyond the limit are refused with a low sound, and unread lines do not
    accumulate."""
    taken = [box.send_event("PRESS", "seat0", 0) for _ in range(100)]
    assert taken == [True] * host_session.MAX_PENDING_EVENTS + [False] * (100 - host_session.MAX_PENDING_EVENTS)
    for n in range(100):
        hear(box, Message("PING", 6 + n))
        box.tick(300 * n)
    assert len(box.outgoing) == host_session.MAX_QUEUED_FRAMES


def test_a_late_greeting_lets_no_old_display_in(box: Any) -> None:
    """A HELLO that arrives after newer commands of the same host does not reset the numbering, so an old display is not
    shown."""
    hear(box, show(9, "01000"), Message("HELLO", 6, ("1", "5e55")), show(8, "00001"))
    assert box.display.lamps == "01000"
    hear(box, Message("HELLO", 2, ("1", "another")), show(3, "00100"))
    assert box.display.lamps == "00100"


@pytest.mark.parametrize("kind", ["ACK", "PING"])
def test_a_host_that_only_acknowledges_is_not_lost(box: Any, host_session: Any, kind: str) -> None:
    """A host that only acknowledges presses is not considered lost, even if its own commands are lost on the way."""
    for n in range(20):
        hear(box, Message(kind, n), now=n * 1000)
        box.tick(n * 1000)
        assert box.phase == host_session.READY
    box.tick(30_000)
    assert box.phase == host_session.HOST_LOST


def test_a_quiet_table_stays_connected(host_session: Any) -> None:
    """In two minutes without a press or a change, box and host keep hearing each other."""
    box, host = host_session.HostSession("b007", lambda *display: display), BoxSession("5e55")
    host.on_port_opened(0.0)
    host.show(Display(("on",)))
    back = b""
    for ms in range(0, 120_000, 50):
        host.receive(back, ms / 1000)
        box.receive(host.due(ms / 1000), ms)
        box.tick(ms)
        back = b"".join(box.outgoing)
        box.outgoing.clear()
        if ms >= 1000:
            assert (box.phase, host.state.phase) == (host_session.READY, "ready")


@pytest.fixture
def host() -> BoxSession:
    """The host's end of a session whose greeting was answered at time 0."""
    made = BoxSession("5e55")
    made.on_port_opened(0.0)
    assert [line.kind for line in sends(made, 0.0)] == ["HELLO"]
    made.receive(encode(READY), 0.0)
    assert made.state.phase == "ready"
    return made


READY = Message("READY", 1, ("1", "1.0", "b007", "1", "0"))


def sends(host: BoxSession, now: float) -> list[Message]:
    return [line for data in host.due(now).split(b"\n") if (line := decode(data))]


def heard(host: BoxSession, until_ms: int, wants: Callable[[int], Display]) -> list[tuple[int, str]]:
    """What the host sends to a box that does not answer, with times rounded to 100 ms."""
    sent = []
    for ms in range(0, until_ms, 20):
        host.show(wants(ms))
        sent += [(round(ms, -2), line.kind) for line in sends(host, ms / 1000)]
    return sent


def test_a_port_is_greeted_four_times_a_second() -> None:
    """The host sends four greetings a second until the box answers one of the latest, because a box that was just
    plugged in needs some time."""
    host = BoxSession("5e55")
    host.on_port_opened(0.0)
    first, *more = [line.seq for ms in range(0, 1000, 10) for line in sends(host, ms / 1000)]
    assert len(more) == 3
    host.receive(encode(replace(READY, seq=first)), 1.0)
    assert host.state.phase == "ready"


def test_a_command_that_is_not_answered_is_sent_three_times_more(host: BoxSession) -> None:
    """An unanswered command is repeated three times, a fifth of a second apart, as docs/hardware/box-protocol.md says.
    Then the host greets the box again."""
    sent = heard(host, 1000, lambda ms: Display(("on",)))
    assert sent[:5] == [(0, "SHOW"), (200, "SHOW"), (400, "SHOW"), (600, "SHOW"), (800, "HELLO")]
    assert host.state.phase == "seeking"


def test_a_box_that_says_nothing_for_two_seconds_is_greeted(host: BoxSession) -> None:
    """After two seconds of silence, the host greets the box again, even while the display changes too fast for any
    single command to be given up."""
    sent = heard(host, 2100, lambda ms: Display(beeps=ms // 100))
    assert {kind for ms, kind in sent if ms < 2000} == {"SHOW"}
    assert (2000, "HELLO") in sent


def test_half_a_line_before_an_unplugging_spoils_nothing_after_it(host: BoxSession) -> None:
    """Half a line that was sent before the cable was unplugged spoils nothing afterwards. Opening a port discards
    earlier input, perhaps including a newline, so the next line begins with a newline of its own."""
    host.receive(b"\nPRESS 1 12 sea", 0.1)
    host.on_port_closed()
    host.on_port_opened(1.0)
    (hello,) = sends(host, 1.0)
    host.receive(encode(replace(READY, seq=hello.seq)), 1.1)
    assert host.state.phase == "ready"


def turns(samples: Iterable[int]) -> int:
    """The steps that a dial makes in these samples."""
    dial, steps = DIAL_AT_REST, 0
    for levels in samples:
        dial, step = decode_dial(dial, levels)
        steps += step
    return steps


@pytest.mark.parametrize("way", [1, -1])
def test_a_missed_sample_costs_no_step(way: int) -> None:
    """Two steps count as two even if any one sample is missing, including that of the rest position between them."""
    step = (1, 0, 2, 3) if way > 0 else (2, 0, 1, 3)
    whole = [*step, *step]
    assert turns(whole) == 2 * way
    for missed in range(len(whole) - 1):
        assert turns(whole[:missed] + whole[missed + 1 :]) == 2 * way, missed


def test_a_dial_that_trembles_takes_no_step() -> None:
    """A contact that flickers within a step adds no step."""
    step = [3, 1, 0, 2, 3]
    for before, after in pairwise(step):
        at = step.index(before)
        assert turns([*step[: at + 1], after, before, after, before, *reversed(step[:at])]) == 0


@pytest.mark.parametrize(
    ("firmware", "fix"), [("1.0", ()), ("1.1", ("3:-",)), ("1.10", ("3:-",)), ("2", ("3:-",)), ("?", ())]
)
def test_only_a_box_that_can_show_what_to_fix_is_told(firmware: str, fix: tuple[str, ...]) -> None:
    """Only firmware from 1.1 on gets the part of the display that shows what to fix."""
    host = BoxSession("5e55")
    host.on_port_opened(0.0)
    (hello,) = sends(host, 0.0)
    host.receive(encode(Message("READY", hello.seq, ("1", firmware, "b007", "1", "0"))), 0.0)
    host.show(Display(("on",), fix=(3, None)))
    (show,) = sends(host, 0.0)
    assert show.args[5:] == fix


@pytest.mark.parametrize("fix", ["8:1", "-1:1", "1", "1:2:3", "x:1", ""])
def test_a_fix_outside_the_bars_is_refused(box: Any, fix: str) -> None:
    """The box refuses a display with a column that its bars do not have, like any display that it can't show."""
    hear(box, Message("SHOW", 6, (*SHOWN, *filter(None, [fix]), *([] if fix else ["-:-", "-"]))))
    assert [line.kind for line in said(box)] == ["NAK"]
