"""`tablekeeper hotspot`: opens the table's own Wi-Fi where there is no known network. On an installed table, a timer
runs it every minute."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence

from companion import wifi
from companion.commands import CommandError
from companion.commands.command_list import Subparsers, command_parser
from companion.commands.data_folder import add_data, data_folder
from companion.match.journal_file_access import make_private_folder
from companion.wifi import Wifi, WifiError, hotspot_password, run_nmcli


def add(subparsers: Subparsers) -> None:
    """Adds the command `hotspot` and its arguments."""
    command = command_parser(
        subparsers,
        "hotspot",
        "tablekeeper hotspot --dry-run\n         sudo tablekeeper hotspot --password",
    )
    choice = command.add_mutually_exclusive_group()
    choice.add_argument("--dry-run", action="store_true", help="print the commands that would open it, and run none")
    choice.add_argument("--password", action="store_true", help="print the name and the password of this Wi-Fi")
    add_data(command)
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Opens the hotspot if this machine is in no network."""
    if args.dry_run:
        Wifi(_print_command).open_hotspot("…")
        return 0
    data = args.data or data_folder()
    make_private_folder(data)
    password = hotspot_password(data)
    if args.password:
        print(f"{wifi.HOTSPOT_NAME}: {password}")
        return 0
    network = Wifi(run_nmcli)
    try:
        if network.needs_hotspot():
            network.open_hotspot(password)
            print(f"In no known network, so the Wi-Fi “{wifi.HOTSPOT_NAME}” is open: http://{wifi.HOTSPOT_ADDRESS}/")
    except WifiError as error:
        raise CommandError(str(error.message)) from error
    return 0


def _print_command(command: Sequence[str], _text: str) -> str:
    """Prints a command, with quotation marks where a shell needs them. Does not print the command's input, which
    contains the password."""
    print(f"+ {shlex.join(command)}")
    return ""
