"""TLS for waitress, which has none: a channel whose bytes are encrypted on their way.

The handshake is made by and by, as the other side's bytes come, in the thread that waits on all sockets; nobody who is
slow keeps the others waiting. An address stays whose it is: nothing stands between.
"""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Callable
from typing import Any

from waitress.channel import HTTPChannel

NOT_YET = (ssl.SSLWantReadError, ssl.SSLWantWriteError)
"""OpenSSL needs more of the other side first."""


class SecureChannel(HTTPChannel):  # type: ignore[misc]  # waitress has no types
    """A connection that is encrypted. Any of the server's threads writes to it, and OpenSSL suffers one at a time."""

    def __init__(self, *args: Any, **more: Any) -> None:
        self._one_at_a_time = threading.Lock()
        super().__init__(*args, **more)

    def handle_read(self) -> None:
        """Reads all that has been decrypted: of what waits within OpenSSL no poll tells."""
        try:
            with self._one_at_a_time:
                data = self.socket.recv(self.adj.recv_bytes)
                while waiting := self.socket.pending():
                    data += self.socket.recv(waiting)
        except NOT_YET:
            return
        except OSError:  # no TLS, not trusted, gone
            data = b""
        if data:
            self.last_activity = time.time()
            self.received(data)
        else:
            self.handle_close()

    def send(self, data: bytes, do_close: bool = True) -> int:
        """Writes what can be written now; 0 if nothing can."""
        try:
            with self._one_at_a_time:
                return int(self.socket.send(data))
        except NOT_YET:
            return 0
        except OSError:
            if do_close:
                self.handle_close()
            return 0


def accepting(context: Callable[[], ssl.SSLContext], channel: type[SecureChannel]) -> Callable[..., None]:
    """What makes a channel of each connection that is accepted."""

    def accept(server: Any, connection: Any, address: Any, *args: Any, **more: Any) -> None:
        try:
            connection.setblocking(False)
            secured = context().wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
        except OSError:  # it has gone already; what is raised here would close the server's own socket
            connection.close()
            return
        channel(server, secured, address, *args, **more)

    return accept
