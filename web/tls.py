"""TLS for waitress, which has none of its own: a channel that encrypts its connection.

The handshake is non-blocking, in the thread that waits on all sockets, so that a slow phone does not delay the others.
There is no proxy in between, so that the application sees the phones' own addresses.
"""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Callable
from typing import Any

from waitress.channel import HTTPChannel

NEEDS_MORE_DATA = (ssl.SSLWantReadError, ssl.SSLWantWriteError)
"""The errors with which OpenSSL says that it must first read more from the other side, or write more to it."""


class SecureChannel(HTTPChannel):  # type: ignore[misc]  # waitress has no types
    """An encrypted connection. Any of the server's threads may write to it, so a lock guards its TLS socket."""

    def __init__(self, *args: Any, **more: Any) -> None:
        self._ssl_lock = threading.Lock()
        super().__init__(*args, **more)

    def handle_read(self) -> None:
        """Reads everything that has been decrypted, because poll does not report data that OpenSSL has buffered."""
        try:
            with self._ssl_lock:
                data = self.socket.recv(self.adj.recv_bytes)
                while waiting := self.socket.pending():
                    data += self.socket.recv(waiting)
        except NEEDS_MORE_DATA:
            return
        except OSError:  # the phone speaks no TLS, does not trust the certificate, or is gone
            data = b""
        if data:
            self.last_activity = time.time()
            self.received(data)
        else:
            self.handle_close()

    def send(self, data: bytes, do_close: bool = True) -> int:
        """Writes as much of `data` as possible without waiting; returns the number of bytes written. With `do_close`,
        an error closes the connection."""
        try:
            with self._ssl_lock:
                return int(self.socket.send(data))
        except NEEDS_MORE_DATA:
            return 0
        except OSError:
            if do_close:
                self.handle_close()
            return 0


def channel_factory(context: Callable[[], ssl.SSLContext], channel: type[SecureChannel]) -> Callable[..., None]:
    """A function that waitress calls for each accepted connection. It makes an encrypted channel of the connection,
    with the TLS context that `context` returns."""

    def accept(server: Any, connection: Any, address: Any, *args: Any, **more: Any) -> None:
        try:
            connection.setblocking(False)
            tls_socket = context().wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
        except OSError:  # disconnected already; an exception here would close the listening socket
            connection.close()
            return
        channel(server, tls_socket, address, *args, **more)

    return accept
