"""Redirects to other pages."""

from __future__ import annotations

from flask import Response, redirect

from web.context import AppContext


def see_other(path: str) -> Response:
    """A redirect that makes the browser request the page at `path` with GET."""
    response = redirect(path, 303)
    assert isinstance(response, Response)
    return response


def redirect_strangers(context: AppContext) -> Response | None:
    """A redirect to the join page if the requesting phone has not joined; otherwise None."""
    return None if context.session().has_joined else see_other("/join")
