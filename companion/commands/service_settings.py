"""The settings of the service, from command-line arguments and a settings file."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from companion.commands import CommandError, UsageError
from companion.commands.data_folder import add_data, data_folder
from companion.commands.settings_file import PORT, TLS_PORT, FileSettings, Settings, read_settings, with_mqtt
from companion.mqtt.broker_address import BrokerError
from companion.mqtt.topics import DEFAULT_NAME
from companion.text.messages import TextLike, _, joined

SELECT_A_CAMERA = _(
    "Set camera in the settings file, or start with --camera 0 (or picamera2, or a URL), or --simulate. Without a "
    "camera, players enter the cards on their phones. For a table without a camera, set it to none."
)
NO_CAMERA = _("No camera selected.")
CAMERA_IS_OFF = _("The camera is switched off in the settings.")
FIX_THE_FILE = _("Fix the file, or name another one with --config.")


class DataFolderUnknown(CommandError):
    """The error for a settings file that names a data folder, but in a way that can't be understood. The default folder
    is no substitute: it has another journal, so the game in progress would seem to be lost. `settings`: all settings,
    with default values for those that have an error."""

    def __init__(self, problem: TextLike, settings: Settings) -> None:
        self.message = _("Can’t tell where the games are stored. {why}", why=problem)
        self.settings = settings
        super().__init__(str(self.message))


def add_settings(command: argparse.ArgumentParser) -> None:
    """Adds the arguments that `resolve_settings` reads."""
    command.add_argument("--simulate", action="store_true", help="simulate the hardware that is missing")
    command.add_argument(
        "--port", type=int, metavar="PORT", help=f"the port for the pages ({PORT}); 0 for any free one"
    )
    command.add_argument(
        "--camera",
        metavar="SOURCE",
        help="0, /dev/video0, picamera2, a video, a folder of pictures or a URL; none if there is no camera",
    )
    command.add_argument(
        "--tls",
        type=int,
        nargs="?",
        const=TLS_PORT,
        metavar="PORT",
        help=f"also serve HTTPS, on this port ({TLS_PORT}); the page /trust explains how phones come to trust it",
    )
    command.add_argument(
        "--box", metavar="PATH", help="the serial port of the box, or none if there is no box; found on USB by default"
    )
    command.add_argument(
        "--mqtt",
        metavar="URL",
        help="publish the table on this MQTT broker: mqtt://user:password@host, or mqtts:// with TLS. Other users "
        "of this computer can see a password that is given here; the settings file keeps it private",
    )
    command.add_argument(
        "--mqtt-table", metavar="NAME", help=f"the table’s name on the broker, in its topics ({DEFAULT_NAME})"
    )
    command.add_argument(
        "--mqtt-ca", type=Path, metavar="FILE", help="the CA certificate that signed the broker’s certificate"
    )
    command.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help="settings in TOML; `tablekeeper config check` explains what is wrong with them",
    )
    add_data(command)


def resolve_settings(args: argparse.Namespace) -> tuple[Settings, TextLike]:
    """The settings, and the problems with the settings file ("" if there are none). Arguments override the file; a
    setting with an error keeps its default. Raises UsageError for an invalid port or broker, and DataFolderUnknown if
    the file may name a data folder, but in a way that can't be understood."""
    defaults = Settings(data=data_folder())
    found = read_settings(args.config, defaults) if args.config else FileSettings(defaults)
    settings = found.settings
    settings = replace(
        settings,
        port=settings.port if args.port is None else args.port,
        data=args.data or settings.data,
        camera=args.camera or settings.camera,
        box=args.box or settings.box,
        simulate=args.simulate or settings.simulate,
        tls=settings.tls if args.tls is None else args.tls,
    )
    try:
        settings = with_mqtt(settings, args.mqtt, args.mqtt_table, args.mqtt_ca)
    except BrokerError as error:
        raise UsageError(f"--mqtt: {error}") from error
    for name, port in (("port", settings.port), ("tls", settings.tls or 0)):
        if not 0 <= port <= 65535:
            raise UsageError(f"--{name} {port}: a port is 1 to 65535, or 0 for any free one.")
    problems = list(found.problems)
    if settings.tls and settings.tls == settings.port:
        message = f"--tls {settings.tls}: http uses that port already; name another one."
        if args.tls is not None or args.port is not None:
            raise UsageError(message)
        problems.append(message.removeprefix("--"))
        settings = replace(settings, tls=None)
    if found.data_problem and not args.data:
        raise DataFolderUnknown(found.data_problem, settings)
    return settings, joined(" ", problems)
