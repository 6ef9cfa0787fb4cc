"""The HTTP and HTTPS servers of `tablekeeper run`, and the messages for ports that can't be used."""

from __future__ import annotations

from contextlib import ExitStack, closing
from dataclasses import dataclass

from flask import Flask

from companion.commands import CommandError
from companion.commands.settings_file import HOST, PORT, TLS_PORT, Settings
from companion.installation import is_installed_table
from companion.systemd_notify import passed_socket
from companion.table.table import Table
from web.access.lobby import Lobby
from web.server.http_server import Server, serve
from web.tls import ca_page
from web.tls.certificates import Authority, CertificateError, RenewedTlsContext, local_names


def port_error(port: int, error: OSError, option: str = "port", default: int = PORT) -> tuple[str, str]:
    """A message that says why the pages can't be served on a port, and the remedy. `option`: the name of the setting
    and of the command-line option for the port; `default`: its default value."""
    is_installed = is_installed_table()
    if isinstance(error, PermissionError):
        other = f"{option} = {default} in the settings file" if is_installed else f"--{option} {default}"
        return f"Your user isn’t allowed to use port {port}.", f"Use port 1024 or above: {other}."
    other = f"Write another {option} in the settings file." if is_installed else f"Try --{option} 0."
    return f"Port {port} can’t be used ({error.strerror}).", f"Is Tablekeeper already running? {other}"


def tls_port_error(port: int, error: OSError) -> tuple[str, str]:
    """A message that says why the pages can't be served over HTTPS on a port, and the remedy."""
    return port_error(port, error, "tls", TLS_PORT)


def serve_http(app: Flask, settings: Settings, resources: ExitStack) -> Server:
    """Starts the HTTP server and returns it. The server runs until `resources` are closed. If systemd has opened a
    socket for the service, the server uses that socket. Raises CommandError if the port can't be used."""
    try:
        return resources.enter_context(closing(serve(app, HOST, settings.port, listener=passed_socket())))
    except OSError as error:
        raise CommandError(" ".join(port_error(settings.port, error))) from error


@dataclass(frozen=True)
class HttpsEndpoint:
    """The port of a running HTTPS server, and the fingerprint of the table's certificate authority."""

    port: int
    fingerprint: str


class HttpsServer:
    """The HTTPS server, with a certificate from the table's own authority. `page` explains to players how to make a
    phone trust this authority. Raises CommandError if there is no usable certificate."""

    def __init__(self, settings: Settings, table: Table, lobby: Lobby) -> None:
        self._port = settings.tls or 0
        try:
            self._tls = RenewedTlsContext(Authority(settings.data), local_names)
        except CertificateError as error:
            raise CommandError(str(error)) from error
        root = self._tls.authority.root
        self._fingerprint = root.fingerprint
        self.page = ca_page.blueprint(
            table, lobby, ca_page.CaInfo(*root.public_parts(), root.fingerprint, lambda: self._port)
        )

    def serve(self, app: Flask, resources: ExitStack) -> HttpsEndpoint:
        """Starts the HTTPS server, which runs until `resources` are closed. Raises CommandError if the port can't be
        used."""
        try:
            server = resources.enter_context(closing(serve(app, HOST, self._port, self._tls)))
        except OSError as error:
            raise CommandError(" ".join(tls_port_error(self._port, error))) from error
        self._port = server.port
        return HttpsEndpoint(server.port, self._fingerprint)
