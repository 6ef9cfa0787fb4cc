"""A phone without a browser: requests with a cookie, and an event stream. Each request opens its own connection, so a
service that was restarted at the same address is found again."""

from __future__ import annotations

import html
import json
import re
import socket
import struct
import threading
from collections.abc import Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any, Self, TypeVar

import msgspec

from companion.drill.response_types import MatchView, MoveResult

T = TypeVar("T")

RESPONSE_TIMEOUT_S = 10.0
STREAM_TIMEOUT_S = 15.0
"""How long an event stream may be silent, in seconds. The service sends a heartbeat every four seconds."""
RESET = struct.pack("ii", 1, 0)
"""The value of SO_LINGER that makes a socket reset its connection when it is closed, as if the phone had lost power."""
NO_CONTENT = 204
NO_TEXT = re.compile(r"<(script|style)\b.*?</\1>|<[^>]*>", re.DOTALL)


class NoResponse(Exception):
    """The error for a request that got no usable answer: no answer came, the answer can't be read, or the connection
    was lost."""


class Refused(Exception):
    """The error for a request that the service refused. `code` is the refusal's name in the API; the message is for
    people."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code = status, code


class Phone:
    """A phone that uses the service at `port` of this machine. `cookie` is the cookie that the service has set; "" for
    none. Every method that sends a request raises Refused if the service refuses it, and NoResponse if no answer
    comes."""

    def __init__(self, port: int) -> None:
        self._port, self.cookie = port, ""
        self._date = ""

    def get(self, path: str) -> Any:
        """The content at `path`: a JSON value, the HTML of a page, or the bytes of a picture."""
        return self._request("GET", path)

    def post(self, path: str, body: object) -> Any:
        """Sends a JSON object and returns the response."""
        return self._request("POST", path, json.dumps(body).encode())

    def post_photo(self, jpeg: bytes) -> Any:
        """Sends a photograph and returns the response."""
        return self._request("POST", "/api/photo", jpeg, "image/jpeg")

    def _request(self, method: str, path: str, body: bytes | None = None, kind: str = "application/json") -> Any:
        connection = HTTPConnection("127.0.0.1", self._port, timeout=RESPONSE_TIMEOUT_S)
        try:
            connection.request(method, path, body, {**self._headers(), "Content-Type": kind})
            return self._content(connection.getresponse())
        except (OSError, HTTPException) as error:
            raise NoResponse(str(error) or type(error).__name__) from error
        finally:
            connection.close()

    def _headers(self) -> Mapping[str, str]:
        return {"Content-Type": "application/json"} | ({"Cookie": self.cookie} if self.cookie else {})

    def _content(self, response: HTTPResponse) -> Any:
        data = response.read()
        self._date = response.headers.get("Date", "")
        if cookie := response.headers.get("Set-Cookie"):
            self.cookie = cookie.partition(";")[0]
        if response.headers.get_content_maintype() == "image" or response.status == NO_CONTENT:
            return data
        text, is_json = data.decode(), response.headers.get_content_type() == "application/json"
        content: Any = json.loads(text) if is_json else text
        if response.status < 400 or (is_json and "error" not in content):  # /healthz answers 503 with its findings
            return content
        error = content["error"] if is_json else {"code": "", "message": page_text(text)}
        raise Refused(response.status, error["code"], error["message"])

    def page(self, path: str) -> str:
        """The visible text of the page at `path`, on one line."""
        return page_text(self.get(path))

    def read(self, path: str, record: type[T]) -> T:
        """The JSON at `path` as a record of this type."""
        return _record(self.get(path), record)

    def view(self) -> MatchView:
        """The match as this phone may know it."""
        return self.read("/api/view", MatchView)

    def move(self, body: object) -> MoveResult:
        """Makes a move, and returns the version that the move has led to."""
        return _record(self.post("/api/moves", body), MoveResult)

    def clock(self) -> float:
        """The time of the service's clock, from the Date header of an answer, in seconds since 1970."""
        self.get("/healthz")
        return parsedate_to_datetime(self._date).timestamp()

    def send_and_vanish(self, path: str, body: object, *, fraction: float = 1.0) -> None:
        """Sends a POST request with only this fraction of its body, then resets the connection without waiting for the
        response."""
        data = json.dumps(body).encode()
        headers = {**self._headers(), "Host": "127.0.0.1", "Content-Length": str(len(data))}
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        with socket.create_connection(("127.0.0.1", self._port), RESPONSE_TIMEOUT_S) as connection:
            connection.sendall(f"POST {path} HTTP/1.1\r\n{head}\r\n".encode() + data[: int(fraction * len(data))])
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)

    def listen(self, last: str = "") -> PhoneEventStream:
        """Opens the phone's event stream. `last` is the id of the last event that the phone has received. Raises
        NoResponse if the service does not open the stream."""
        return PhoneEventStream(self._port, {**self._headers()} | ({"Last-Event-ID": last} if last else {}))


class PhoneEventStream:
    """An open event stream, which is read by a thread. `acts` are the versions of the acts that the stream has
    reported, and `last` is the id of its last event. `ended` is set when the stream has ended."""

    def __init__(self, port: int, headers: Mapping[str, str]) -> None:
        self.acts: list[int] = []
        self.last = ""
        self.ended = threading.Event()
        self._connection = HTTPConnection("127.0.0.1", port, timeout=STREAM_TIMEOUT_S)
        try:
            self._connection.request("GET", "/api/events", headers=dict(headers))
            assert self._connection.sock
            self._socket = self._connection.sock
            self._response = self._connection.getresponse()
        except (OSError, HTTPException) as error:
            self._connection.close()
            raise NoResponse(str(error)) from error
        self._thread = threading.Thread(target=self._read, name="phone-events", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self) -> None:
        with suppress(OSError, HTTPException, ValueError):
            while line := self._response.readline():
                self._take(line.decode().rstrip("\n"))
        self.ended.set()

    def _take(self, line: str) -> None:
        field, _, value = line.partition(": ")
        if field == "id":
            self.last = value
        elif (field, value) == ("event", "act"):
            self.acts.append(int(self.last.partition(".")[2]))

    def close(self) -> None:
        """Resets the connection, like a phone that goes out of range."""
        with suppress(OSError):
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join(STREAM_TIMEOUT_S)
        self._response.close()
        self._connection.close()


def _record(response: Any, record: type[T]) -> T:
    try:
        return msgspec.convert(response, record)
    except msgspec.ValidationError as error:
        raise NoResponse(f"The answer can’t be read: {error}") from error


def page_text(page: str) -> str:
    """The text of a page of HTML, on one line."""
    return " ".join(html.unescape(NO_TEXT.sub(" ", page)).split())
