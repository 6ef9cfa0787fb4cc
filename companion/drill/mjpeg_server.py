"""A camera on the network: a stream of JPEG pictures over HTTP (MJPEG) that can be cut."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PICTURE_INTERVAL_S = 0.15


class MjpegServer:
    """A server whose stream repeats a list of JPEG files. `sent` is the number of files sent since the last call of
    `show`, and `connections` is the number of connections made so far."""

    def __init__(self, files: Sequence[bytes]) -> None:
        self.sent = self.connections = 0
        self._files = files
        self._cut = threading.Event()
        self._server: ThreadingHTTPServer | None = None
        self._port = 0
        self.resume()

    @property
    def url(self) -> str:
        """The address of the stream."""
        return f"http://127.0.0.1:{self._port}/table.mjpeg"

    def show(self, files: Sequence[bytes]) -> None:
        """Makes the stream repeat these JPEG files from now on."""
        self._files, self.sent = files, 0

    def resume(self) -> None:
        """Serves the stream again, at the same address as before."""
        self._cut = cut = threading.Event()
        stream = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                stream.connections += 1
                self.send_response(200)
                self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=picture")
                self.end_headers()
                while not cut.wait(PICTURE_INTERVAL_S):
                    try:
                        self.wfile.write(stream.next_part())
                    except OSError:  # the camera process has closed the connection
                        return

            def log_message(self, *_: object) -> None:
                """Prints nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", self._port), Handler)
        self._port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, name="picture-stream", daemon=True).start()

    def next_part(self) -> bytes:
        """The next picture as a part of the stream."""
        jpeg = self._files[self.sent % len(self._files)]
        self.sent += 1
        return b"--picture\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%s\r\n" % (len(jpeg), jpeg)

    def cut(self) -> None:
        """Closes the stream and stops listening at its address, as if the camera's cable had been pulled."""
        self._cut.set()
        if self._server:
            self._server.shutdown()
            self._server.server_close()

    def close(self) -> None:
        """Ends the stream."""
        self.cut()
