"""The settings of the service, from command-line arguments and a TOML file."""

from __future__ import annotations

import argparse
import tomllib
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from companion.commands import UsageError
from companion.commands.journal import add_data, data_folder
from companion.devices.gpio import BOARD, Pins
from companion.mqtt.broker import (
    DEFAULT_NAME,
    Broker,
    BrokerError,
    check_ca,
    check_name,
    parse_broker,
    wrong_address_message,
)
from companion.text.data_files import DataError, TomlTable, load, located_message, wrong_value_message
from companion.text.messages import TextLike, _, listed

HOST = "0.0.0.0"
"""The address to listen at: all network interfaces, because phones connect from the home network. `web.origin_check`
rejects requests from other web sites."""
PORT = 8000
TLS_PORT = 8443
SECTIONS = ("service", "mqtt", "pins")
JOURNAL = "journal.sqlite3"
SELECT_A_CAMERA = _(
    "Use --camera 0 (or picamera2, or a URL), or --simulate. Without a camera, players report dealt cards on their "
    "phones."
)
NO_CAMERA = _("No camera is selected.")
FIX_THE_FILE = _("Fix the file, or name another one with --config.")


@dataclass(frozen=True)
class Settings:
    """The settings of the service. `camera` None: no camera is selected. `box` None: the box is found by its USB id.
    `tls`: the port for HTTPS, None for HTTP alone. `broker`: the MQTT broker, None for none; `table`: the table's name
    there."""

    port: int = PORT
    data: Path = Path()
    camera: str | None = None
    simulate: bool = False
    pins: Pins = field(default_factory=Pins)
    box: str | None = None
    tls: int | None = None
    broker: Broker | None = None
    table: str = DEFAULT_NAME

    @property
    def journal(self) -> Path:
        """The path of the journal's file."""
        return self.data / JOURNAL

    @property
    def simulated(self) -> str:
        """A phrase that lists the simulated devices, for the console."""
        missing = "buttons and box that are not connected"
        return f"the camera, and {missing}" if not self.camera else missing


def add_settings(command: argparse.ArgumentParser) -> None:
    """Adds the arguments that `resolve_settings` reads."""
    command.add_argument("--simulate", action="store_true", help="simulate the hardware that is missing")
    command.add_argument(
        "--port", type=int, metavar="PORT", help=f"the port for the pages ({PORT}); 0 for any free one"
    )
    command.add_argument(
        "--camera", metavar="SOURCE", help="0, /dev/video0, picamera2, a video, a folder of pictures or a URL"
    )
    command.add_argument(
        "--tls",
        type=int,
        nargs="?",
        const=TLS_PORT,
        metavar="PORT",
        help=f"also serve https, on this port ({TLS_PORT}); the page /trust explains how phones come to trust it",
    )
    command.add_argument(
        "--box", metavar="PATH", help="the serial port of the box, or none if there is no box; found on USB by default"
    )
    command.add_argument(
        "--mqtt",
        metavar="URL",
        help="publish the table on this MQTT broker: mqtt://user:password@host, or mqtts:// with TLS. Others on this "
        "machine can read it here; in the settings file they can't",
    )
    command.add_argument(
        "--mqtt-table", metavar="NAME", help=f"the table's name on the broker, in its topics ({DEFAULT_NAME})"
    )
    command.add_argument(
        "--mqtt-ca", type=Path, metavar="FILE", help="the certificate of the authority that the broker's is from"
    )
    command.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help="settings in TOML: [service] port, tls, data, camera, box, simulate; [mqtt] broker, table, ca; [pins]",
    )
    add_data(command)


def resolve_settings(args: argparse.Namespace) -> tuple[Settings, TextLike]:
    """The settings, and the problem with the settings file ("" if there is none). Arguments override the file; a file
    with an error is ignored. Raises UsageError for an invalid port or broker."""
    found = Settings(data=data_folder())
    problem: TextLike = ""
    if args.config:
        try:
            found = read_config(args.config, found)
        except DataError as error:
            problem = _("The configuration is not used: {why} The service runs with its defaults.", why=error)
    found = replace(
        found,
        port=found.port if args.port is None else args.port,
        data=args.data or found.data,
        camera=args.camera or found.camera,
        box=args.box or found.box,
        simulate=args.simulate or found.simulate,
        tls=found.tls if args.tls is None else args.tls,
    )
    try:
        found = _with_mqtt(found, args.mqtt, args.mqtt_table, args.mqtt_ca)
    except BrokerError as error:
        raise UsageError(f"--mqtt: {error}") from error
    for name, port in (("port", found.port), ("tls", found.tls or 0)):
        if not 0 <= port <= 65535:
            raise UsageError(f"--{name} {port}: a port is 1 to 65535, or 0 for any free one.")
    if found.tls and found.tls == found.port:
        raise UsageError(f"--tls {found.tls}: http uses that port already; name another one.")
    return found, problem


def read_config(path: Path, defaults: Settings) -> Settings:
    """The settings in the TOML file at `path`; `defaults` for those that the file does not have. Raises DataError,
    which names the line."""
    document = load(path)
    _reject_unknown_sections(path)
    found = defaults
    for service in document.tables.get("service", ()):
        found = _with_service_table(service, found)
    for mqtt in document.tables.get("mqtt", ()):
        found = _with_mqtt_table(mqtt, found)
    for pins in document.tables.get("pins", ()):
        found = replace(found, pins=_parse_pins(pins))
    return found


def _with_mqtt(found: Settings, url: str | None, table: str | None, ca: Path | None) -> Settings:
    """The settings with those of these that are given. Raises BrokerError."""
    broker = parse_broker(url) if url else found.broker
    ca = ca or (found.broker.ca if found.broker else None)
    if broker and ca:
        broker = replace(broker, ca=ca)
    if broker:
        check_ca(broker)
    return replace(found, broker=broker, table=check_name(table) if table else found.table)


def _with_mqtt_table(table: TomlTable, found: Settings) -> Settings:
    if not isinstance(table.values.get("broker", ""), str):
        table.fail("broker", wrong_address_message())  # the usual message would show the value, and so the password
    texts = {key: table.text(key) for key in ("broker", "table", "ca") if key in table.values}
    table.read_keys.update(("broker", "table", "ca"))
    table.done()
    ca = Path(texts["ca"]).expanduser() if "ca" in texts else None
    for key, values in (("table", (None, texts.get("table"), None)), ("broker", (texts.get("broker"), None, ca))):
        try:
            found = _with_mqtt(found, *values)
        except BrokerError as error:  # has no password in its message
            table.fail(key, error.message)
    return found


def _reject_unknown_sections(path: Path) -> None:
    """Raises DataError, which names the line, if the file has anything outside the known sections."""
    text = path.read_text("utf-8")
    for key, value in tomllib.loads(text).items():
        if key not in SECTIONS or not isinstance(value, dict):
            line = next((n for n, row in enumerate(text.splitlines(), 1) if row.strip(" [").startswith(key)), 1)
            known = listed([f"[{section}]" for section in SECTIONS])
            message = _("{key} is not a section; the sections are {sections}.", key=key, sections=known)
            raise DataError(located_message(path.name, line, message))


def _with_service_table(table: TomlTable, found: Settings) -> Settings:
    if "port" in table.values:
        found = replace(found, port=table.number("port", 0, 65535))
    if "tls" in table.values:
        found = replace(found, tls=table.number("tls", 0, 65535))
    if "data" in table.values:
        found = replace(found, data=Path(table.text("data")).expanduser())
    if "camera" in table.values:
        found = replace(found, camera=table.text("camera"))
    if "box" in table.values:
        found = replace(found, box=table.text("box"))
    if "simulate" in table.values:
        table.read_keys.add("simulate")
        if not isinstance(table.values["simulate"], bool):
            table.fail("simulate", wrong_value_message("simulate", table.values["simulate"], _("true or false")))
        found = replace(found, simulate=table.values["simulate"])
    table.read_keys.update(("port", "tls", "data", "camera", "box", "simulate"))
    table.done()
    return found


def _parse_pins(table: TomlTable) -> Pins:
    pins = Pins()
    names = [pin.name for pin in fields(Pins)]
    for name in names:
        if name in table.values:
            pins = replace(pins, **{name: table.number(name, min(BOARD), max(BOARD))})
    table.read_keys.update(names)
    table.done()
    used = pins.used()
    numbers = list(used.values())
    if twice := next((name for name in table.values if numbers.count(used[name]) > 1), None):
        message = _(
            "{pin} shares BCM {n} with another; each needs a pin of its own.", pin=twice, n=getattr(pins, twice)
        )
        table.fail(twice, message)
    return pins
