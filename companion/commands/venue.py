"""`tablekeeper venue`: the command and its arguments. `companion.commands.run_venue` runs the venue itself, and
`companion.commands.write_broker_accounts` writes its accounts.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from companion.commands import CommandError, UsageError
from companion.commands.command_list import Subparsers, command_parser, subcommand_parser
from companion.mqtt.broker_address import Broker, BrokerError, check_ca, parse_broker
from companion.venue.broker_accounts import BROKER_PORT, VENUE_PORT
from companion.venue.club_tables import MAX_TABLES

BROKER_VARIABLE = "TABLEKEEPER_BROKER"
"""The environment variable with the broker's address, so that its password need not be on the command line."""


def add(subparsers: Subparsers) -> None:
    """Adds the command `venue`, its arguments, and the command `accounts` below it."""
    command = command_parser(
        subparsers,
        "venue",
        "tablekeeper venue accounts 40 --host venue.local -o /etc/mosquitto/tablekeeper\n"
        "         tablekeeper venue --broker mqtts://venue:PASSWORD@venue.local --ca ca.pem --data venue",
    )
    command.add_argument(
        "--broker",
        metavar="URL",
        help=f"the MQTT broker: mqtts://venue:password@host, or mqtt:// without TLS; also read from {BROKER_VARIABLE}",
    )
    command.add_argument(
        "--ca", type=Path, metavar="FILE", help="the CA certificate that signed the broker’s certificate"
    )
    command.add_argument(
        "--port", type=int, default=VENUE_PORT, help=f"the port for the pages ({VENUE_PORT}); 0 for any free one"
    )
    command.add_argument("--data", type=Path, metavar="DIR", help="the folder for the results")
    command.set_defaults(run=run)
    _add_accounts(command.add_subparsers(metavar="accounts", required=False))


def _add_accounts(subparsers: Subparsers) -> None:
    command = subcommand_parser(
        subparsers,
        "accounts",
        "write passwords, access rules, certificate and configuration for Mosquitto, and a slip for each table",
        "tablekeeper venue accounts 40 --host venue.local -o /etc/mosquitto/tablekeeper",
    )
    command.add_argument("tables", type=int, metavar="N", help="the number of tables: table-1 to table-N")
    command.add_argument(
        "--host", required=True, help="the name or the address in the local network at which tables find the broker"
    )
    command.add_argument(
        "--broker-port", type=int, default=BROKER_PORT, metavar="PORT", help=f"the broker’s port ({BROKER_PORT})"
    )
    command.add_argument(
        "--venue-port",
        type=int,
        default=VENUE_PORT,
        metavar="PORT",
        help=f"the port of the venue’s pages ({VENUE_PORT})",
    )
    command.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="the folder for the files")
    command.set_defaults(run=run_accounts)


def run(args: argparse.Namespace) -> int:
    """Runs the venue until Ctrl-C or SIGTERM."""
    broker = broker_of(args)
    if not 0 <= args.port <= 65535:
        raise UsageError(f"--port {args.port}: a port is 1 to 65535, or 0 for any free one.")
    # Imported here, because loading it would slow down the other commands.
    try:
        from companion.commands.run_venue import run_venue
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("paho"):
            raise
        raise CommandError("The venue needs paho-mqtt: pip install 'tablekeeper[mqtt]'.") from error

    return run_venue(broker, args.data, args.port)


def run_accounts(args: argparse.Namespace) -> int:
    """Writes the accounts of the tables at a venue's broker, and the files that the broker needs."""
    if not 1 <= args.tables <= MAX_TABLES:
        raise UsageError(f"A venue has 1 to {MAX_TABLES} tables, not {args.tables}.")
    from companion.commands.write_broker_accounts import write_accounts

    return write_accounts(args.output.absolute(), args.tables, args.host, args.broker_port, args.venue_port)


def broker_of(args: argparse.Namespace) -> Broker:
    """The broker in the arguments or the environment. Raises UsageError if there is none, or if its address or its
    certificate file can't be used."""
    url = args.broker or os.environ.get(BROKER_VARIABLE)
    if not url:
        raise UsageError(f"Name the broker with --broker mqtts://venue:password@host, or in {BROKER_VARIABLE}.")
    try:
        broker = parse_broker(url, args.ca)
        check_ca(broker)
    except BrokerError as error:
        raise UsageError(f"--broker: {error}") from error
    return broker
