"""Commands from a broker: whatever is sent, the table answers in words and keeps working."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.mqtt.commands import MAX_BYTES, BadCommand, MqttAction, MqttCommand, RateLimit, carry_out, parse_command
from tests.repetitions import repetitions
from tests.systems_failing_tables import new_table


@pytest.mark.parametrize("action", ["undo", "redo", "next", "draw"])
def test_a_command_has_an_action_and_perhaps_a_version(action: MqttAction) -> None:
    assert parse_command(json.dumps({"do": action}).encode()) == MqttCommand(action, None)
    assert parse_command(json.dumps({"do": action, "version": 3}).encode()) == MqttCommand(action, 3)


@pytest.mark.parametrize(
    ("payload", "why"),
    [
        (b"", "A command is JSON"),
        (b"undo", "A command is JSON"),
        (b"[]", "A command is JSON"),
        (b"\xff\xfe", "A command is JSON"),
        (b"[" * 400, "A command is JSON"),
        (b"{}", '"do" must be one of undo, redo, next, draw.'),
        (b'{"do":"end"}', '"do" must be one of'),
        (b'{"do":["undo"]}', '"do" must be one of'),
        (b'{"do":"undo","seat":0}', 'not "seat"'),
        (b'{"do":"undo","version":"1"}', "a whole number"),
        (b'{"do":"undo","version":true}', "a whole number"),
        (b'{"do":"undo","version":1.0}', "a whole number"),
        (b'{"do":"undo"}' + b" " * MAX_BYTES, "at most 512 bytes"),
    ],
)
def test_a_bad_command_is_refused_in_words(payload: bytes, why: str) -> None:
    with pytest.raises(BadCommand) as refused:
        parse_command(payload)
    assert why in str(refused.value)
    refusal = carry_out(table := new_table(), payload)
    assert (refusal["code"], refusal["message"]) == ("bad_request", str(refused.value))
    assert table.revision.version == 1


@given(
    payload=st.binary(max_size=600)
    | st.dictionaries(
        st.sampled_from(["do", "version", "x"]),
        st.sampled_from(["undo", "draw", None, 1, -1, 10**400, "x", [], {}, 1.5]),
    ).map(lambda value: json.dumps(value).encode())
)
def test_no_message_breaks_anything(payload: bytes) -> None:
    """Each message is carried out or refused, and the answer is JSON."""
    refusal: Any = carry_out(SHARED, payload)
    assert refusal is None or (json.dumps(refusal) and refusal["message"])


SHARED = new_table()


def test_a_limit_lets_a_few_through_and_recovers() -> None:
    limit = RateLimit(burst=3, per_second=2)
    assert [limit.allows(10.0) for _ in range(4)] == [True, True, True, False]
    assert [limit.allows(10.5) for _ in range(2)] == [True, False]
    assert [limit.allows(9.0) for _ in range(2)] == [False, False]  # a clock may be set back
    assert sum(limit.allows(100.0 + n / 100) for n in range(repetitions(500, at_least=100))) < 20
