"""The commands that a table takes from the broker. Anyone who may publish on the broker can send commands. So commands
can do no more than the buttons at the table can, and a flood of commands is cut off."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Final, Literal, cast, get_args

from companion.games.rules import Json
from companion.match.journal_error import JournalError
from companion.table.table import Table
from companion.tabletop.observations import ButtonPressed
from companion.text.refusal_errors import Refusal

MAX_BYTES: Final = 512
"""The greatest size of a command, in bytes."""
MqttAction = Literal["undo", "redo", "next", "draw"]
ACTIONS: Final[tuple[MqttAction, ...]] = get_args(MqttAction)


class BadCommand(Refusal):
    """The refusal of a command that can't be read."""

    code = "bad_request"


@dataclass(frozen=True)
class MqttCommand:
    """A command. `version`: the version of the match that the sender had seen; None to act on the current version."""

    action: MqttAction
    version: int | None


def parse_command(payload: bytes) -> MqttCommand:
    """The command in a message. Raises BadCommand if the message has another form."""
    if len(payload) > MAX_BYTES:
        raise BadCommand(f"A command has at most {MAX_BYTES} bytes.")
    value = read_object(payload)
    if value is None:
        raise BadCommand('A command is JSON, such as {"do":"undo","version":12}.')
    if unknown := sorted(value.keys() - {"do", "version"}):
        raise BadCommand(f'A command has the keys "do" and "version", not {json.dumps(unknown[0][:20])}.')
    action, version = value.get("do"), value.get("version")
    if action not in ACTIONS:
        raise BadCommand(f'"do" must be one of {", ".join(ACTIONS)}.')
    if version is not None and (not isinstance(version, int) or isinstance(version, bool)):
        raise BadCommand('"version" must be a whole number.')
    return MqttCommand(cast(MqttAction, action), version)


def read_object(payload: bytes) -> dict[str, Json] | None:
    """The JSON object in a message; None if it is anything else."""
    try:
        value = json.loads(payload)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def carry_out(table: Table, payload: bytes) -> Json:
    """Carries out the command in a message. Returns None, or a document that says why the command was refused."""
    command = None
    try:
        command = parse_command(payload)
        _act(table, command)
    except (Refusal, JournalError) as error:
        code = error.code if isinstance(error, Refusal) else "journal_failed"
        return refusal_document(command, code, str(error.message))
    return None


def refusal_document(command: MqttCommand | None, code: str, message: str) -> Json:
    """The document that says why a command was refused. `command`: None if the command could not be read. `code`: the
    name of the refusal, for programs. `message`: the reason, for people."""
    do, version = (command.action, command.version) if command else (None, None)
    return {"do": do, "version": version, "code": code, "message": message}


def _act(table: Table, command: MqttCommand) -> None:
    match command.action:
        case "undo":
            table.undo(None, command.version)
        case "redo":
            table.redo(None, command.version)
        case button:
            table.press(ButtonPressed(button=button), command.version)


@dataclass
class RateLimit:
    """Allows `burst` commands at once, and `per_second` commands a second in the long run."""

    burst: float = 8.0
    per_second: float = 4.0
    _left: float = field(init=False)
    _at: float | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._left = self.burst

    def allows(self, now: float) -> bool:
        """Counts one more command, and returns whether it may be carried out. `now`: seconds of a monotonic clock."""
        passed = 0.0 if self._at is None else max(0.0, now - self._at)
        self._left, self._at = min(self.burst, self._left + passed * self.per_second), now
        if self._left < 1:
            return False
        self._left -= 1
        return True
