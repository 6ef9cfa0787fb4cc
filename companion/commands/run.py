"""`tablekeeper run`: its arguments, its settings, what it prints. The wiring itself stands in `companion.__main__`."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from companion.commands import UsageError
from companion.commands.arguments import Subparsers, parser
from companion.commands.journal import add_data, data_folder
from companion.devices.gpio import BOARD, Pins
from companion.table.table import Table
from companion.tabletop.observations import DeviceHealth
from companion.text.data_files import DataError, TomlTable, in_line, load, must_be
from companion.text.translation import _, in_each, later

PORT = 8000
TLS_PORT = 8443
SECTIONS = ("service", "pins")
JOURNAL = "journal.sqlite3"
NAME_A_CAMERA = later(
    "tablekeeper run --camera 0 (or picamera2, or a URL), or --simulate. "
    "The game goes on without one; phones report what is dealt."
)
NO_CAMERA = later("No camera is named.")
MEND_THE_FILE = later("Mend the file, or name another one with --config.")


@dataclass(frozen=True)
class Settings:
    """What the service runs with. `camera` None: no camera was named. `box` None: found by its USB identity. `tls`: the
    port of https, None for http alone."""

    port: int = PORT
    data: Path = Path()
    camera: str | None = None
    simulate: bool = False
    pins: Pins = field(default_factory=Pins)
    box: str | None = None
    tls: int | None = None

    @property
    def journal(self) -> Path:
        """The journal's file."""
        return self.data / JOURNAL

    @property
    def simulated(self) -> str:
        """What is not real, in words."""
        missing = "buttons and box where there are none"
        return f"the camera, and {missing}" if not self.camera else missing


def add(subparsers: Subparsers, run: Callable[[argparse.Namespace], int]) -> None:
    """The command's arguments; `run` is the wiring."""
    made = parser(
        subparsers,
        "run",
        "run the service: camera, buttons, journal and the pages for phones",
        "tablekeeper run --simulate\n         tablekeeper run --camera 0 --config table.toml\n"
        "         tablekeeper run --camera 0 --tls",
    )
    add_settings(made)
    made.set_defaults(run=run)


def add_settings(made: argparse.ArgumentParser) -> None:
    """The arguments that `settle` reads."""
    made.add_argument("--simulate", action="store_true", help="stand in for the hardware that is missing")
    made.add_argument("--port", type=int, metavar="PORT", help=f"where phones find it ({PORT}); 0 takes any free one")
    made.add_argument(
        "--camera", metavar="SOURCE", help="0, /dev/video0, picamera2, a video, a folder of pictures or a URL"
    )
    made.add_argument(
        "--tls",
        type=int,
        nargs="?",
        const=TLS_PORT,
        metavar="PORT",
        help=f"https too, on this port ({TLS_PORT}), by the table's own certificate; the page /trust tells phones how",
    )
    made.add_argument("--box", metavar="PATH", help="the box's serial port, or none; it is found over USB without")
    made.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help="settings in TOML: [service] port, tls, data, camera, box, simulate; [pins]",
    )
    add_data(made)


# Settings ---------------------------------------------------------------------------------------------


def settle(args: argparse.Namespace) -> tuple[Settings, str]:
    """The settings, arguments before the file, and what is wrong with the file; a bad file means defaults."""
    found, problem = Settings(data=data_folder()), ""
    if args.config:
        try:
            found = read_config(args.config, found)
        except DataError:
            why = in_each(lambda: _wrong_with(args.config))
            problem = later("The configuration is not used: {why} The service runs with its defaults.", why=why)
    found = replace(
        found,
        port=found.port if args.port is None else args.port,
        data=args.data or found.data,
        camera=args.camera or found.camera,
        box=args.box or found.box,
        simulate=args.simulate or found.simulate,
        tls=found.tls if args.tls is None else args.tls,
    )
    for name, port in (("port", found.port), ("tls", found.tls or 0)):
        if not 0 <= port <= 65535:
            raise UsageError(f"--{name} {port}: a port is 1 to 65535, or 0 for any free one.")
    if found.tls and found.tls == found.port:
        raise UsageError(f"--tls {found.tls}: that is the port of http already; name another one.")
    return found, problem


def _wrong_with(path: Path) -> str:
    """What is wrong with a file, in the language that is spoken; nothing where it was mended meanwhile."""
    try:
        read_config(path, Settings())
    except DataError as error:
        return str(error)
    return ""


def read_config(path: Path, defaults: Settings) -> Settings:
    """The settings of a file; raises DataError that names the line."""
    document = load(path)
    _refuse_strangers(path)
    found = defaults
    for service in document.tables.get("service", ()):
        found = _service(service, found)
    for pins in document.tables.get("pins", ()):
        found = replace(found, pins=_pins(pins))
    return found


def _refuse_strangers(path: Path) -> None:
    """Raises DataError for what stands outside of the sections."""
    text = path.read_text("utf-8")
    for key, value in tomllib.loads(text).items():
        if key not in SECTIONS or not isinstance(value, dict):
            line = next((n for n, row in enumerate(text.splitlines(), 1) if row.strip(" [").startswith(key)), 1)
            said = _("{key} means nothing there; there are [service] and [pins].", key=key)
            raise DataError(in_line(path.name, line, said))


def _service(table: TomlTable, found: Settings) -> Settings:
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
        table.read.add("simulate")
        if not isinstance(table.values["simulate"], bool):
            table.fail("simulate", must_be("simulate", table.values["simulate"], _("true or false")))
        found = replace(found, simulate=table.values["simulate"])
    table.read.update(("port", "tls", "data", "camera", "box", "simulate"))
    table.done()
    return found


def _pins(table: TomlTable) -> Pins:
    pins = Pins()
    names = [pin.name for pin in fields(Pins)]
    for name in names:
        if name in table.values:
            pins = replace(pins, **{name: table.number(name, min(BOARD), max(BOARD))})
    table.read.update(names)
    table.done()
    used = pins.used()
    numbers = list(used.values())
    if twice := next((name for name in table.values if numbers.count(used[name]) > 1), None):
        said = _("{pin} shares BCM {n} with another; each needs a pin of its own.", pin=twice, n=getattr(pins, twice))
        table.fail(twice, said)
    return pins


# The service's surroundings ---------------------------------------------------------------------------


def complain(table: Table, settings: Settings, trouble: str) -> None:
    """Says what is not as it should be, on the console and in every health report."""
    missing = "" if settings.camera or settings.simulate else NO_CAMERA
    for device, says, mend in (
        ("configuration", trouble, MEND_THE_FILE),
        ("journal", table.resume_error, ""),
        ("camera", missing, NAME_A_CAMERA),
    ):
        if says:
            health = DeviceHealth(device=device, ok=False, says=says, mend=mend)
            table.observe(health)
            print(f"tablekeeper: {health.words}", file=sys.stderr, flush=True)


def port_trouble(port: int, error: OSError, option: str = "port", usual: int = PORT) -> tuple[str, str]:
    """Why the pages can't be served, and the mend."""
    if isinstance(error, PermissionError):
        return f"Port {port} needs more rights.", f"Take one from 1024 up: --{option} {usual}."
    return f"Port {port} can't be had ({error.strerror}).", f"Is Tablekeeper running already? Try --{option} 0."


def tls_trouble(port: int, error: OSError) -> tuple[str, str]:
    """The same of https."""
    return port_trouble(port, error, "tls", TLS_PORT)


@contextmanager
def stopping() -> Iterator[threading.Event]:
    """An event that Ctrl-C and SIGTERM set."""
    stop = threading.Event()
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@dataclass(frozen=True)
class Https:
    """Where https is served, and the fingerprint by which people know the table's authority."""

    port: int
    fingerprint: str


def greeting(settings: Settings, port: int, address: str | None, host_key: str, https: Https | None = None) -> str:
    """What people at the table read first."""
    here = f"http://localhost:{port}"
    lines = [
        "Tablekeeper is running. Ctrl-C stops it; the game is kept.",
        f"  phones     http://{address or 'localhost'}:{port}/",
        f"  host       {here}/host?key={host_key}",
        f"  data       {settings.data}",
    ]
    if https:
        lines += [
            f"  https      https://{address or 'localhost'}:{https.port}/",
            f"  trust      http://{address or 'localhost'}:{port}/trust tells how a phone comes to trust it",
            f"             SHA-256 {https.fingerprint[:47]}",
            f"                     {https.fingerprint[48:]}",
        ]
    if settings.simulate:
        lines.append(f"  SIMULATED  {settings.simulated}: {here}/simulator")
    return "\n".join(lines)
