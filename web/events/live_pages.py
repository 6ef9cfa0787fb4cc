"""Pages that the server keeps up to date. What changes on a page is sent over the phone's event stream, so the phone
need not fetch the page again.

After each change, a page is rendered once, by the same handlers that answer the phone's own requests. All spectators
get the same rendering. A part of the page that is the same as before is replaced by an empty element with the attribute
`data-same`.
"""

from __future__ import annotations

import re
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from typing import NamedTuple

from flask import Flask, Response, g, request

from companion.games.rules import Json
from web.access.phone_session import OWN_REQUEST, SESSION, SPECTATING, STRANGER, PhoneSession
from web.addresses import PROXY_HEADERS
from web.error_responses import as_request_error
from web.localization import LANGUAGE_COOKIE, preferred_language
from web.templating.sections import Section, sections_of

LIVE_PATHS = {
    **{path: f"{path[1:]}.page" for path in ("/play", "/table", "/log", "/join", "/host")},
    "/print": "prints.page",
    "/together": "replay.together",
}
"""The pages that can be kept up to date, each with the name of its handler."""
SHARED_PATHS = ("/table", "/log")
"""The pages that are the same for all spectators."""
KEPT_MARKS = 3
"""How many renderings of each page are kept, to be compared with the next one."""
MAX_PAGES = 100
"""The maximum number of pages whose renderings are kept; more would take too much memory. If no earlier rendering of a
page is kept, the whole page is sent."""
REQUEST_KEYS = (
    "SCRIPT_NAME",
    "SERVER_NAME",
    "SERVER_PORT",
    "SERVER_PROTOCOL",
    "REMOTE_ADDR",
    "wsgi.url_scheme",
    "HTTP_HOST",
    *(f"HTTP_{name.upper().replace('-', '_')}" for name in PROXY_HEADERS),
)
"""The keys of a request's WSGI environment on which a page depends, apart from its address, its cookies and its
language."""
PAGE_MARK = re.compile(r'data-mark="([0-9.]+)"')


class PageChange(NamedTuple):
    """A change to a page that a phone shows. Normally `mark` and `since` are the marks of the page after and before the
    change. If `since` is "", `html` is the whole page. If `mark` is "", the phone must fetch the page."""

    mark: str
    since: str = ""
    html: str = ""

    def to_json(self) -> dict[str, Json]:
        """The change as JSON."""
        return {"mark": self.mark, "since": self.since, "html": self.html}


@dataclass(frozen=True)
class Rendered:
    """A rendered page: the HTML before its first section, and its sections."""

    mark: str
    before: str
    sections: tuple[Section, ...]

    def change_since(self, before: Rendered | None) -> PageChange:
        """The change from an earlier rendering of the page to this one. If `before` is None, the change contains the
        whole page."""
        known = before.html_by_stub if before else {}
        parts = [self.before]
        for stub, html, after in self.sections:
            parts += (stub if known.get(stub) == html else html, after)
        return PageChange(self.mark, before.mark if before else "", "".join(parts))

    @property
    def html_by_stub(self) -> dict[str, str]:
        """The HTML of each section, by the section's stub."""
        return {stub: html for stub, html, _after in self.sections}


@dataclass(frozen=True)
class LivePage:
    """A page that a phone shows. `request`: the items of the phone's WSGI environment on which the page depends.
    `session`: the spectator's session for which the page is rendered, if all spectators share the page; None for a page
    that belongs to one phone."""

    request: frozenset[tuple[str, str]]
    session: PhoneSession | None

    @property
    def is_shared(self) -> bool:
        """Whether all spectators see the same page."""
        return self.session is not None


class LivePages:
    """The latest renderings of the pages that phones show. Thread-safe."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._lock = threading.Lock()
        self._rendered: OrderedDict[LivePage, dict[str, Rendered]] = OrderedDict()

    def change_since(self, page: LivePage, mark: str) -> PageChange:
        """Renders a page, and returns what has changed on it since it had this mark."""
        now = self._render(page, mark)
        if now is None:
            return PageChange("")
        with self._lock:
            kept = self._rendered.setdefault(page, {})
            self._rendered.move_to_end(page)
            before = kept.get(mark)
            now = kept.setdefault(now.mark, now)
            while len(kept) > KEPT_MARKS:
                del kept[next(iter(kept))]
            while len(self._rendered) > MAX_PAGES:
                self._rendered.popitem(last=False)
        return now.change_since(before)

    def rendered(self, page: LivePage, mark: str) -> Rendered:
        """The page as it was when it had this mark. Raises KeyError if it was not kept."""
        with self._lock:
            return self._rendered[page][mark]

    def _render(self, page: LivePage, mark: str) -> Rendered | None:
        """Renders a page for a phone whose page has this mark. Returns None if the phone would now get an error or be
        redirected, or if rendering fails."""
        environ = {
            **dict(page.request),
            "HTTP_X_FRAGMENT": mark or "1",
            "wsgi.input": BytesIO(),
            "wsgi.errors": sys.stderr,
            SESSION: page.session,
            OWN_REQUEST: True,
        }
        with self._app.request_context(environ):
            try:
                response = self._app.view_functions[LIVE_PATHS[request.path]]()
            except Exception as error:
                if as_request_error(error).status >= 500:
                    self._app.logger.exception("A page broke: %s", request.path)
                return None
            if not isinstance(response, Response) or response.status_code != 200:
                return None
            html: str = g.html
        found = PAGE_MARK.search(html)
        return Rendered(found[1], *sections_of(html)) if found else None


class ShownPage(NamedTuple):
    """The page that a phone shows. `page` returns the live page that the phone would get now; None if the server does
    not keep that page up to date. `mark` is the mark that the page had when the phone loaded it."""

    pages: LivePages
    page: Callable[[], LivePage | None]
    mark: str

    def change_since(self, page: LivePage | None, mark: str) -> PageChange:
        """The change to `page` since it had this mark. If `page` is None, the change says that the phone must fetch the
        page."""
        return self.pages.change_since(page, mark) if page else PageChange("")


def live_page(
    address: str, session: Callable[[], PhoneSession], *, is_own_screen: bool
) -> Callable[[], LivePage | None]:
    """Makes a function that returns the live page at an address, such as "/table", for the phone that sent the current
    request. The function returns None if the server does not keep pages at this address up to date.

    The function may return another page once the phone gets or loses a seat. It calls `session` to look up the phone in
    the lobby. `is_own_screen`: whether the phone is the table's own screen.
    """
    path, _, query = address.partition("?")
    if path not in LIVE_PATHS or not query.isascii():
        return lambda: None
    environ = {key: str(request.environ[key]) for key in REQUEST_KEYS if key in request.environ}
    environ |= {"REQUEST_METHOD": "GET", "PATH_INFO": path, "QUERY_STRING": query}
    own_environ = environ.copy()
    for key in ("HTTP_COOKIE", "HTTP_ACCEPT_LANGUAGE"):
        own_environ[key] = request.environ.get(key, "")
    own = LivePage(frozenset(own_environ.items()), None)
    if path not in SHARED_PATHS or query or is_own_screen:
        return lambda: own
    language = f"{LANGUAGE_COOKIE}={preferred_language(request)}"
    shared = frozenset({**environ, "REMOTE_ADDR": "", "HTTP_COOKIE": language}.items())

    def page_now() -> LivePage:
        phone = session()
        if phone.seat is not None or phone.host:
            return own
        return LivePage(shared, SPECTATING if phone.has_joined else STRANGER)

    return page_now
