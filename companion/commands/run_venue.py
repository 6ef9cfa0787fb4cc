"""Runs the venue: opens its database, connects to the broker, serves the pages, waits for the signal to stop."""

from __future__ import annotations

import secrets
import sqlite3
from contextlib import ExitStack, closing
from pathlib import Path

from companion.commands import CommandError
from companion.commands.data_folder import data_folder
from companion.commands.data_folder_lock import exclusive_lock
from companion.commands.http_servers import port_error
from companion.commands.interrupts import stop_signal
from companion.commands.settings_file import HOST
from companion.match.journal_file_access import make_private_file
from companion.mqtt.broker_address import Broker
from companion.venue.broker_accounts import VENUE_PORT
from companion.venue.broker_connection import VenueConnection
from companion.venue.club_tables import ClubTables
from companion.venue.results import FILE, ResultStore
from companion.venue.venue import Venue
from web.addresses import lan_address
from web.people.all_default_names import all_default_names
from web.server.http_server import Server, serve
from web.venue.app import VenueContext, create_venue_app

KEY_FILE = "staff-key"
KEY_BYTES = 12


def run_venue(broker: Broker, data: Path | None, port: int) -> int:
    """Runs the venue until Ctrl-C or SIGTERM."""
    folder = data or data_folder() / "venue"
    with stop_signal() as wait_for_signal, exclusive_lock(folder) as lock, ExitStack() as resources:
        club_tables, connection = ClubTables(), _connection(broker)
        store = resources.enter_context(closing(_open_store(folder)))
        venue = resources.enter_context(closing(Venue(club_tables, store, connection.publish)))
        key = staff_key(folder)
        authority = broker.ca.read_bytes() if broker.ca else None
        server = _serve(VenueContext(club_tables, store, key, authority), port, resources)
        lock.publish_port(server.port)
        connection.start(venue)
        resources.callback(connection.close)
        print(_greeting(broker, folder, server.port, key), flush=True)
        wait_for_signal()
    return 0


def _connection(broker: Broker) -> VenueConnection:
    """Creates the connection to the broker, but does not start it. Raises CommandError if the certificate can't be
    used."""
    try:
        return VenueConnection(broker)
    except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
        raise CommandError(f"The certificate {broker.ca} can’t be used ({error}); check --ca.") from error


def _open_store(folder: Path) -> ResultStore:
    try:
        return ResultStore(folder, all_default_names())
    except (OSError, sqlite3.Error) as error:
        raise CommandError(
            f"The results in {folder / FILE} can’t be opened ({error}); name another folder with --data."
        ) from error


def _serve(context: VenueContext, port: int, resources: ExitStack) -> Server:
    try:
        return resources.enter_context(closing(serve(create_venue_app(context), HOST, port)))
    except OSError as error:
        raise CommandError(" ".join(port_error(port, error, default=VENUE_PORT))) from error


def staff_key(folder: Path) -> str:
    """The key to the staff's page: a new one at the first start, and then always the same."""
    path = folder / KEY_FILE
    make_private_file(path)
    if not (key := path.read_text().strip()):
        key = secrets.token_urlsafe(KEY_BYTES)
        path.write_text(key + "\n")
    return key


def _greeting(broker: Broker, folder: Path, port: int, key: str) -> str:
    address = f"http://{lan_address() or 'localhost'}:{port}"
    return "\n".join(
        (
            "The venue is open. Ctrl-C closes it; the results are kept.",
            f"  wall       {address}/",
            f"  standings  {address}/standings",
            f"  staff      {address}/staff?key={key}",
            f"  broker     {broker.address}",
            f"  data       {folder}",
        )
    )
