"""The settings file: TOML that people edit. A setting with an error is reported with its line, and the other settings
are used."""

from __future__ import annotations

import os
import re
import tomllib
import unicodedata
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

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
    without_address,
    wrong_value_message,
)

INSTALLED = Path("/etc/tablekeeper/tablekeeper.toml")
"""The settings file of a table that was installed with install.sh or as a Debian package."""
HOST = "0.0.0.0"
"""The address to listen at: all network interfaces, because phones connect from the home network.
`web.access.request_checks` rejects requests from other web sites."""
PORT = 8000
PI_CAMERA = "picamera2"
WITHOUT_CAMERA = "none"
"""The value of `camera` for a table without a camera, where players enter everything on their phones."""
TLS_PORT = 8443
SECTIONS = ("service", "mqtt", "pins")
MQTT_KEYS = ("broker", "table", "ca")
JOURNAL = "journal.sqlite3"
CUBE_MM = (8, 12)
"""The smallest and the largest cubes that the camera can count, in mm."""
Problems = dict[str, TextLike]
"""Maps each setting of a section that can't be used to a message that says why."""
_WORD = re.compile(r"[\w.-]*")
_HOST_NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")
_KEY_BEFORE_VALUE = re.compile(r"""([\w-]+)["']?\s*=""")


@dataclass(frozen=True)
class Settings:
    """The settings of the service. `camera` is None if no camera is selected. `box` is None if the box is to be found
    by its USB id. `tls`: the port for HTTPS; None for HTTP alone. `hosts`: further names under which the pages may be
    opened, such as that of a reverse proxy. `broker`: the MQTT broker; None for none. `table`: the table's name on the
    broker. `cube_mm`: the edge length of the cubes on the table; None for the size that the mat is made for."""

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
    """The settings that a file contains. `problems`: for each setting that can't be used, a message that says why.
    `data_problem`: a message if an error in the file makes it uncertain which data folder the file names; otherwise
    ""."""

    settings: Settings
    problems: tuple[TextLike, ...] = ()
    data_problem: TextLike = ""


def _flag(table: TomlTable) -> bool:
    value = table.values["simulate"]
    if not isinstance(value, bool):
        table.fail("simulate", wrong_value_message("simulate", value, _("true or false")))
    return value


def _text(table: TomlTable, key: str) -> str:
    """The value of a setting that must be one line of text. If it is not, the error message does not repeat it, because
    it may be an address with a password."""
    try:
        return table.text(key)
    except DataError:
        table.fail(key, wrong_value_message(key, "…", _("one line of text")))


def _camera(table: TomlTable) -> str:
    """The name of the camera. A word that can be neither a camera nor a file must be a mistake. A path to a missing
    file is accepted, because the camera may be plugged in later."""
    value = table.values["camera"]
    kinds = _("picamera2, a number such as 0, a path such as /dev/video0, a URL, or none")
    if not isinstance(value, str) or "\n" in value:
        table.fail("camera", wrong_value_message("camera", "…", kinds))  # the value may contain a password
    if not (value in (PI_CAMERA, WITHOUT_CAMERA) or value.isdecimal() or "/" in value or os.path.exists(value)):
        shown = value if _WORD.fullmatch(value) else "…"  # anything else may be an address with a password
        table.fail("camera", wrong_value_message("camera", shown, kinds))
    return value


def _data(table: TomlTable) -> Path:
    """The data folder, which must not depend on the folder in which Tablekeeper is started."""
    value = table.text("data")
    try:
        folder = Path(value).expanduser()
    except RuntimeError:  # there is no such user
        folder = Path()
    if folder.is_absolute() and "\0" not in value:
        return folder
    what = _("a full path, such as {example}", example="/srv/games")
    raise table.error("data", wrong_value_message("data", value, what))


def _host_names(table: TomlTable) -> tuple[str, ...]:
    try:
        names = table.names("hosts", None, 0, 20)
    except DataError:
        what = _("a list of up to 20 names, such as {example}", example='["table.example.com"]')
        table.fail("hosts", wrong_value_message("hosts", "…", what))  # a value may contain a password
    return tuple(_host_name(table, name) for name in names)


def _host_name(table: TomlTable, text: str) -> str:
    """The host name in `text`, as browsers send it. `text` is a host name or the address of a page."""
    try:
        name = urlsplit(text if "//" in text else f"//{text}").hostname or ""
        name = name.rstrip(".").encode("idna").decode()
    except ValueError:
        name = ""
    if _HOST_NAME.fullmatch(name):
        return name
    shown = without_address(repr(text))
    message = _("hosts contains {value}; write a name such as {example}.", value=shown, example="table.example.com")
    raise table.error("hosts", message)


SERVICE: Mapping[str, Callable[[TomlTable], Any]] = {
    "port": lambda table: table.number("port", 0, 65535),
    "tls": lambda table: table.number("tls", 0, 65535),
    "data": _data,
    "camera": _camera,
    "box": lambda table: _text(table, "box"),
    "simulate": _flag,
    "hosts": _host_names,
    "cube_mm": lambda table: table.number("cube_mm", *CUBE_MM),
}
"""Maps each setting of the section [service] to the function that reads it."""
KEYS: Mapping[str, Collection[str]] = {
    "service": SERVICE,
    "mqtt": MQTT_KEYS,
    "pins": [pin.name for pin in fields(Pins)],
}
"""Maps each section to the names of its settings."""


def read_settings(path: Path, defaults: Settings) -> FileSettings:
    """The settings in the file at `path`. Settings that are missing or have an error get their value from
    `defaults`."""
    try:
        text, broken = _without_broken_lines(path.name, text_of(path))
    except DataError as error:
        return FileSettings(defaults, (error.message,), error.message)
    settings, problems = defaults, [each.message for each in broken.values()]
    data_problem: TextLike = next((each.message for row, each in broken.items() if _may_hide_data(row)), "")
    document, lines = tomllib.loads(text), _line_numbers(text)
    service = document.get("service")
    names_data = isinstance(service, dict) and "data" in service
    for key, value in document.items():
        if key in SECTIONS and isinstance(value, dict):
            continue
        known = listed([f"[{section}]" for section in SECTIONS])
        wrong = _("{key} isn’t a section. The sections are {sections}.", key=without_address(key), sections=known)
        located = located_message(path.name, lines.get((key,), 1), wrong)
        problems.append(located)
        if _is_like_data(key) or _has_key_data(value):
            data_problem = located
    for section in SECTIONS:
        values = document.get(section)
        if not isinstance(values, dict):
            continue
        rows = {key[1]: row for key, row in lines.items() if len(key) == 2 and key[0] == section}
        table = TomlTable(path.name, lines.get((section,), 1), values, rows)
        settings, found = READERS[section](table, settings)
        problems += found.values()
        for key, message in found.items():
            if key == "data" or (not names_data and _is_like_data(key)) or _has_key_data(values[key]):
                data_problem = message
    return FileSettings(settings, tuple(problems), data_problem)


def _service(table: TomlTable, settings: Settings) -> tuple[Settings, Problems]:
    """Applies the section [service] to `settings`. Returns the new settings, and the problems."""
    problems: Problems = {}
    for key in table.values:
        try:
            settings = replace(settings, **{key: _service_value(table, key)})
        except DataError as error:
            problems[key] = error.message
    return settings, problems


def _service_value(table: TomlTable, key: str) -> Any:
    """The value of a setting. Raises DataError if it is wrong, or if there is no such setting."""
    if key not in SERVICE:
        table.fail(key, _unknown_message(key, SERVICE))
    return SERVICE[key](table)


def _pin(table: TomlTable, key: str) -> int:
    """The number of the pin for the part `key`. Raises DataError if the number is wrong, or if there is no such
    part."""
    names = KEYS["pins"]
    if key not in names:
        table.fail(key, _unknown_message(key, names))
    return table.number(key, min(BOARD), max(BOARD))


def _without_broken_lines(source: str, text: str) -> tuple[str, dict[str, TomlSyntaxError]]:
    """Empties each line that is not valid TOML. Returns the new text, and the error for each line that was emptied.
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


def _unknown_message(key: str, known: Collection[str]) -> TextLike:
    """The error message for a key that its section does not have. `known`: the keys that it has."""
    owner = next((section for section, keys in KEYS.items() if key in keys), "")
    if owner:
        return _("{key} belongs in the section {section}.", key=key, section=f"[{owner}]")
    return unknown_key_message(key, known)


def _may_hide_data(row: str) -> bool:
    """Whether this line of the file may name the data folder, or the section that the lines below it belong to. If such
    a line can't be used, the data folder is uncertain."""
    is_setting = "=" in row or '"' in row
    is_like_header = not is_setting and ("[" in row or "]" in row or row.strip().casefold() in SECTIONS)
    keys = _KEY_BEFORE_VALUE.findall(row) or row.split()[:1]
    return is_like_header or _is_like_data(row) or any(map(_is_like_data, keys))


def _is_like_data(key: str) -> bool:
    """Whether a key may have been meant to be `data`: it contains this word, or is similar to it."""
    letters = "".join(each for each in unicodedata.normalize("NFKC", key) if unicodedata.category(each) != "Cf")
    return "data" in letters.casefold() or bool(get_close_matches(letters.casefold(), ["data"]))


def _has_key_data(value: object) -> bool:
    """Whether a value that can't be used may name a data folder, at any depth."""
    if isinstance(value, list):
        return any(map(_has_key_data, value))
    return isinstance(value, dict) and any(_is_like_data(key) or _has_key_data(each) for key, each in value.items())


def _line_numbers(text: str) -> dict[tuple[str, ...], int]:
    """Maps each section, as `(section,)`, and each key, as `(section, key)`, to the number of the line that names it
    first."""
    found, section = dict[tuple[str, ...], int](), tuple[str, ...]()
    for number, row in enumerate(text.splitlines(), 1):
        name = row.strip()
        is_header = name.startswith("[")
        if not is_header and "=" not in name:
            continue
        name = name.strip("[").partition("]")[0] if is_header else name.partition("=")[0]
        path = tuple(part.strip(" \t\"'") for part in name.split("."))
        if is_header:
            section = path
        else:
            path = section + path
        for length in (1, 2):
            found.setdefault(path[:length], number)
    return found


def _pins(table: TomlTable, settings: Settings) -> tuple[Settings, Problems]:
    """Applies the section [pins] to `settings`. Returns the new settings, and the problems."""
    pins, problems = Pins(), Problems()
    for key in table.values:
        try:
            pins = replace(pins, **{key: _pin(table, key)})
        except DataError as error:
            problems[key] = error.message
    for key in table.values:
        used = pins.used()
        if key in used and list(used.values()).count(used[key]) > 1:
            message = _("{pin} shares BCM {n} with another pin. Give each its own.", pin=key, n=used[key])
            problems.setdefault(key, located_message(table.source, table.lines.get(key, table.line), message))
            pins = replace(pins, **{key: getattr(Pins(), key)})
    return replace(settings, pins=pins), problems


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


def _mqtt(table: TomlTable, settings: Settings) -> tuple[Settings, Problems]:
    """Applies the section [mqtt] to `settings`. Returns the new settings, and the problems."""
    problems: Problems = {}
    for key in table.values:
        try:
            settings = _with_mqtt_value(table, key, settings)
        except DataError as error:
            problems[key] = error.message
    return settings, problems


def _with_mqtt_value(table: TomlTable, key: str, settings: Settings) -> Settings:
    """Applies the setting `key` of the section [mqtt] to `settings`, and returns the new settings. Raises DataError if
    there is no such setting, or if its value is wrong; the message never contains the broker's password."""
    if key not in MQTT_KEYS:
        table.fail(key, _unknown_message(key, MQTT_KEYS))
    if key == "broker" and not (isinstance(table.values[key], str) and table.values[key].isprintable()):
        table.fail(key, wrong_address_message())  # the usual message would show the value, and so the password
    value = _text(table, key)
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


READERS: Mapping[str, Callable[[TomlTable, Settings], tuple[Settings, Problems]]] = {
    "service": _service,
    "mqtt": _mqtt,
    "pins": _pins,
}
"""Maps each section to the function that applies it to the settings."""
