"""Messages of tables are untrusted. Their types, sizes and characters are checked."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.venue.table_messages import (
    MAX_BYTES,
    BadMessage,
    Topic,
    WallReport,
    parse_topic,
    read_result,
    read_status,
    read_wall,
)
from tests.repetitions import repetitions

RESULT: dict[str, Any] = {
    "id": "a1-1",
    "table": "table-1",
    "game": "commute",
    "seats": 2,
    "players": ["Ann", "Ben"],
    "result": {"won": None, "winners": [0]},
    "scores": [3, 1],
    "started": "2026-01-31T17:00:00+00:00",
    "ended": "2026-01-31T18:00:00+00:00",
    "version": 4,
}


def as_bytes(value: object) -> bytes:
    return json.dumps(value).encode()


@pytest.mark.parametrize(
    ("topic", "expected"),
    [
        ("tablekeeper/table-1/status", Topic("table-1", "status")),
        ("tablekeeper/A_b/wall", Topic("A_b", "wall")),
        ("tablekeeper/table-1/result", Topic("table-1", "result")),
        ("tablekeeper/table-1/result/ack", None),
        ("tablekeeper/table-1/state", None),
        ("tablekeeper//wall", None),
        ("tablekeeper/a b/wall", None),
        (f"tablekeeper/{'x' * 33}/wall", None),
        ("tablekeeper/../wall", None),
        ("other/table-1/wall", None),
        ("wall", None),
    ],
)
def test_topics(topic: str, expected: Topic | None) -> None:
    """Only the three topics of a table with a valid name are read."""
    assert parse_topic(topic) == expected


def test_a_status_is_one_of_two_words() -> None:
    assert (read_status(b"online"), read_status(b"offline")) == (True, False)
    for other in (b"", b"Online", b"online\n", b"1", b"\xff"):
        with pytest.raises(BadMessage):
            read_status(other)


def test_a_wall_is_read() -> None:
    """In a table's message for the wall, all keys are optional, and unknown keys are ignored."""
    assert read_wall(b"{}") == WallReport()
    wall = read_wall(
        as_bytes({"game": "commute", "round": 3, "players": ["Ann"], "started": "2026-01-31T18:00:00Z", "new": [1]})
    )
    assert (wall.game, wall.round, wall.players) == ("commute", 3, ("Ann",))
    assert wall.started == datetime(2026, 1, 31, 18, tzinfo=UTC)


@pytest.mark.parametrize(
    "bad",
    [
        {"game": 1},
        {"round": "3"},
        {"round": True},
        {"round": -1},
        {"round": 1.5},
        {"scores": [1] * 9},
        {"scores": [10**9]},
        {"score": 2**70},
        {"players": ["x" * 25]},
        {"players": ["x"] * 9},
        {"players": "Ann"},
        {"free_seats": 99},
        {"started": "yesterday"},
        {"started": "2026-01-31T18:00:00"},
        {"meters": {str(n): n for n in range(61)}},
        {"meters": [1]},
        {"devices": [{"device": "camera", "ok": "yes", "message": ""}]},
        {"devices": [{"device": "camera", "ok": True, "message": "x" * 1001}]},
        {"devices": [{"device": "camera", "ok": True, "message": ""}] * 21},
        {"title": "x" * 1000},
        [],
        None,
        "x",
    ],
    ids=str,
)
def test_a_wall_with_wrong_values_is_refused(bad: object) -> None:
    with pytest.raises(BadMessage):
        read_wall(as_bytes(bad))


@pytest.mark.parametrize("payload", [b"", b"{", b"\xff\xfe", b"[" * 20000, b'{"game":"' + b"x" * MAX_BYTES + b'"}'])
def test_what_is_not_json_or_too_large_is_refused(payload: bytes) -> None:
    with pytest.raises(BadMessage):
        read_wall(payload)


def test_invisible_characters_are_removed() -> None:
    """No text can break a line, hide something, or reverse the direction of writing."""
    wall = read_wall(as_bytes({"players": ["A\u202enn\n\x00 B\u200b"], "meters": {"Da\x07mage\u2066": 1}}))
    assert wall.players == ("Ann B",)
    assert wall.meters == {"Damage": 1}


def test_a_result_is_read() -> None:
    result = read_result(as_bytes(RESULT), "table-1")
    assert (result.id, result.version, result.result.winners) == ("a1-1", 4, (0,))


def test_a_table_reports_its_own_results_only() -> None:
    with pytest.raises(BadMessage, match="another table"):
        read_result(as_bytes(RESULT), "table-2")


@pytest.mark.parametrize(
    "change",
    [
        {"id": ""},
        {"id": "a b"},
        {"id": "x" * 81},
        {"version": -1},
        {"version": 2**63},
        {"result": None},
        {"result": {"winners": [8]}},
        {"result": {"winners": [-1]}},
        {"ended": None},
        {"players": None},
        {"scores": ["1"]},
    ],
    ids=str,
)
def test_a_result_with_wrong_values_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(BadMessage):
        read_result(as_bytes(RESULT | change), "table-1")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
KEYS = st.sampled_from([*WallReport.__struct_fields__, *RESULT])


@pytest.mark.slow
@given(st.binary(max_size=200) | st.dictionaries(KEYS, JSON, max_size=6).map(as_bytes))
@settings(max_examples=repetitions(200, at_least=66))
def test_any_message_is_read_or_refused(payload: bytes) -> None:
    """Any message is either read or refused. No other error is raised, and the texts that are read contain no invisible
    characters."""
    for read in (read_wall, lambda data: read_result(data, "table-1")):
        try:
            found = read(payload)
        except BadMessage as error:
            assert str(error).isprintable()  # noqa: PT017  # it need not be raised
        else:
            assert all(name.replace("\u200c", "").replace("\u200d", "").isprintable() for name in found.players)
