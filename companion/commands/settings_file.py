"""The settings file: TOML that people edit. A setting with an error is reported with its line, and the other settings
are used."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from companion.devices.pins import BOARD, Pins
from companion.mqtt.broker_address import Broker, BrokerError, check_ca, parse_broker, wrong_address_message
from companion.mqtt.topics import DEFAULT_NAME, check_name
from companion.text.messages import TextLike, _, listed
from companion.text.toml_files import (
    DataError,
    TomlSyntaxError,
    TomlTable,
    located_message,
    parse,
    text_of,
    unknown_key_message,
    wrong_value_message,
)

INSTALLED = Path("/etc/tablekeeper/tablekeeper.toml")
"""The settings file of a table that was installed with install.sh or as a Debian package."""
HOST = "0.0.0.0"
"""The address to listen at: all network interfaces, because phones connect from the home network.
`web.access.origin_check` rejects requests from other web sites."""
PORT = 8000
PI_CAMERA = "picamera2"
TLS_PORT = 8443
SECTIONS = ("service", "mqtt", "pins")
MQTT_KEYS = ("broker", "table", "ca")
JOURNAL = "journal.sqlite3"
CUBE_MM = (8, 12)
"""The smallest and the largest cubes that the camera can count, in mm."""


@dataclass(frozen=True)
class Settings:
    """The settings of the service. `camera` is None if no camera is selected. `box` is None if the box is to be found
    by its USB id. `tls`: the port for HTTPS; None for HTTP alone. `hosts`: further names under which the pages may be
    opened, such as that of a reverse proxy. `broker`: the MQTT broker; None for none. `table`: the table's name on the
    broker. `cube_mm`: the edge of the cubes on the table; None for the size that the mat is made for."""

    port: int = PORT
    data: Path = Path()
    camera: str | None = None
    simulate: bool = False
    pins: Pins = field(default_factory=Pins)
    box: str | None = None
    tls: int | None = None
    hosts: tuple[str, ...] = ()
    broker: Broker | None = None
    table: str = DEFAULT_NAME
    cube_mm: int | None = None

    @property
    def journal(self) -> Path:
        """The path of the journal's file."""
        return self.data / JOURNAL

    @property
    def simulated(self) -> str:
        """A phrase that lists the simulated devices, for the console."""
        missing = "buttons and box that are not connected"
        return f"the camera, and {missing}" if not self.camera else missing


@dataclass(frozen=True)
class FileSettings:
    """The settings that a file contains. `problems`: a message for each setting that is not used. `data_problem`: a
    message if an error in the file makes it impossible to tell which data folder the file names, else ""."""

    settings: Settings
    problems: tuple[TextLike, ...] = ()
    data_problem: TextLike = ""


def _flag(table: TomlTable) -> bool:
    value = table.values["simulate"]
    if not isinstance(value, bool):
        table.fail("simulate", wrong_value_message("simulate", value, _("true or false")))
    return value


def _camera(table: TomlTable) -> str:
    """The name of the camera. A word that can be neither a camera nor a file must be a mistake; a file that is missing
    may appear later, as a camera does when it is plugged in."""
    value = table.text("camera")
    if not (value == PI_CAMERA or value.isdecimal() or "/" in value or os.path.exists(value)):
        kinds = _("picamera2, a number such as 0, a path such as /dev/video0, or a URL")
        table.fail("camera", wrong_value_message("camera", value, kinds))
    return value


def _host_names(table: TomlTable) -> tuple[str, ...]:
    return tuple(name.lower() for name in table.names("hosts", None, 0, 20))


SERVICE: Mapping[str, Callable[[TomlTable], Any]] = {
    "port": lambda table: table.number("port", 0, 65535),
    "tls": lambda table: table.number("tls", 0, 65535),
    "data": lambda table: Path(table.text("data")).expanduser(),
    "camera": _camera,
    "box": lambda table: table.text("box"),
    "simulate": _flag,
    "hosts": _host_names,
    "cube_mm": lambda table: table.number("cube_mm", *CUBE_MM),
}
"""Maps each setting of the section [service] to the function that reads it."""


def read_settings(path: Path, defaults: Settings) -> FileSettings:
    """The settings in the file at `path`. Settings that are missing or have an error get their value from
    `defaults`."""
    try:
        text, broken = _without_broken_lines(path.name, text_of(path))
        document = parse(path.name, text)
    except DataError as error:
        return FileSettings(defaults, (error.message,), error.message)
    settings, problems, unusable = defaults, [each.message for each in broken.values()], set[str]()
    data_problem: TextLike = next((each.message for row, each in broken.items() if _may_hide_data(row)), "")
    for key, value, message in _unknown_sections(path.name, text):
        problems.append(message)
        unusable.add(key)
        if _is_like_data(key) or _names_data(value):
            data_problem = message
    for table in () if "service" in unusable else document.tables.get("service", ()):
        for key in table.values:
            try:
                settings = replace(settings, **{key: _service_value(table, key)})
            except DataError as error:
                problems.append(error.message)
                if key == "data" or ("data" not in table.values and _is_like_data(key)):
                    data_problem = error.message
    for table in () if "mqtt" in unusable else document.tables.get("mqtt", ()):
        settings, mqtt_problems = _mqtt(table, settings)
        problems += mqtt_problems
    for table in () if "pins" in unusable else document.tables.get("pins", ()):
        pins, pin_problems = _pins(table)
        settings = replace(settings, pins=pins)
        problems += pin_problems
    return FileSettings(settings, tuple(problems), data_problem)


def _service_value(table: TomlTable, key: str) -> Any:
    """The value of a setting. Raises DataError if it is wrong, or if there is no such setting."""
    if key not in SERVICE:
        table.fail(key, unknown_key_message(key, SERVICE))
    return SERVICE[key](table)


def _pin(table: TomlTable, key: str) -> int:
    """The number of the pin for the part `key`. Raises DataError if the number is wrong, or if there is no such
    part."""
    names = [pin.name for pin in fields(Pins)]
    if key not in names:
        table.fail(key, unknown_key_message(key, names))
    return table.number(key, min(BOARD), max(BOARD))


def _without_broken_lines(source: str, text: str) -> tuple[str, dict[str, TomlSyntaxError]]:
    """Empties each line that is not valid TOML. Returns the new text, and the errors by the lines that were emptied.
    Raises DataError if that doesn't make the text valid, as when a string never ends."""
    rows, broken = text.splitlines(), dict[str, TomlSyntaxError]()
    while True:
        try:
            parse(source, "\n".join(rows))
        except TomlSyntaxError as error:
            row = rows[error.line - 1] if error.line <= len(rows) else ""
            if not row.strip():
                raise
            broken[row] = error
            rows[error.line - 1] = ""
        else:
            return "\n".join(rows), broken


def _may_hide_data(row: str) -> bool:
    """Whether the data folder is uncertain without this line of the file: it may name the folder, or the section of the
    lines below it."""
    key, is_value, _value = row.partition("=")
    return not is_value or _is_like_data(key.strip())


def _is_like_data(key: str) -> bool:
    """Whether a key was most likely meant to be `data`."""
    return bool(get_close_matches(key.lower(), ["data"]))


def _names_data(value: object) -> bool:
    """Whether a section that can't be used names a data folder."""
    tables = value if isinstance(value, list) else [value]
    return any(isinstance(table, dict) and "data" in table for table in tables)


def _unknown_sections(source: str, text: str) -> Iterator[tuple[str, object, TextLike]]:
    """Yields the key, the value and a message for each entry at the top level of the file `source` that is not a known
    section."""
    for key, value in tomllib.loads(text).items():
        if key not in SECTIONS or not isinstance(value, dict):
            line = next((n for n, row in enumerate(text.splitlines(), 1) if row.strip(" [").startswith(key)), 1)
            known = listed([f"[{section}]" for section in SECTIONS])
            message = _("{key} isn’t a section. The sections are {sections}.", key=key, sections=known)
            yield key, value, located_message(source, line, message)


def _pins(table: TomlTable) -> tuple[Pins, list[TextLike]]:
    """The pins in the section [pins], and a message for each setting there that is not used."""
    pins, problems = Pins(), list[TextLike]()
    for key in table.values:
        try:
            pins = replace(pins, **{key: _pin(table, key)})
        except DataError as error:
            problems.append(error.message)
    for key in table.values:
        used = pins.used()
        if key in used and list(used.values()).count(used[key]) > 1:
            message = _("{pin} shares BCM {n} with another pin. Give each its own.", pin=key, n=used[key])
            problems.append(located_message(table.source, table.lines.get(key, table.line), message))
            pins = replace(pins, **{key: getattr(Pins(), key)})
    return pins, problems


def with_mqtt(settings: Settings, url: str | None, table: str | None, ca: Path | None) -> Settings:
    """The settings with another address of the broker (`url`), another name of the table, or another certificate file
    (`ca`). An argument that is None changes nothing. Raises BrokerError if one of them can't be used."""
    broker = parse_broker(url) if url else settings.broker
    ca = ca or (settings.broker.ca if settings.broker else None)
    if broker and ca:
        broker = replace(broker, ca=ca)
    if broker:
        check_ca(broker)
    return replace(settings, broker=broker, table=check_name(table) if table else settings.table)


def _mqtt(table: TomlTable, settings: Settings) -> tuple[Settings, list[TextLike]]:
    """Applies the section [mqtt] to `settings`. Returns the new settings, and a message for each setting of the section
    that is not used."""
    problems = list[TextLike]()
    for key in table.values:
        try:
            settings = _with_mqtt_value(table, key, settings)
        except DataError as error:
            problems.append(error.message)
    return settings, problems


def _with_mqtt_value(table: TomlTable, key: str, settings: Settings) -> Settings:
    """Applies the setting `key` of the section [mqtt] to `settings`, and returns the new settings. Raises DataError if
    there is no such setting, or if its value is wrong; the message never contains the broker's password."""
    if key not in MQTT_KEYS:
        table.fail(key, unknown_key_message(key, MQTT_KEYS))
    if key == "broker" and not isinstance(table.values[key], str):
        table.fail(key, wrong_address_message())  # the usual message would show the value, and so the password
    value = table.text(key)
    try:
        match key:
            case "broker":
                ca = Path(table.text("ca")).expanduser() if isinstance(table.values.get("ca"), str) else None
                return with_mqtt(settings, value, None, ca)
            case "table":
                return with_mqtt(settings, None, value, None)
    except BrokerError as error:
        table.fail(key, error.message)
    return settings


def settings_text(path: Path | None) -> str:
    """The text of the settings file; "" if there is none or it can't be read."""
    try:
        return path.read_text("utf-8", "replace") if path else ""
    except OSError:
        return ""
