"""Renders templates with what the requesting phone may see."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from flask import Response, current_app, g, make_response, request

from companion.games.view import View
from companion.text.guidebook import Entry, guidebook
from companion.text.messages import TextLike, _, joined
from web import addresses
from web.access.phone_session import OWN_REQUEST, PhoneSession
from web.context import AppContext
from web.error_responses import RequestError
from web.events.table_feed import mark_text
from web.graphics.link_qr_codes import qr_code
from web.graphics.token_icons import texts_with_icons
from web.localization import translate, translator
from web.templating.game_pages import page_of, stylesheet_url, template_of
from web.templating.page_head import page_title
from web.templating.sections import completed


def render(
    context: AppContext, template: str, view: View | None, refused: RequestError | None = None, **values: Any
) -> Response:
    """Renders a template for the requesting phone, which may see `view`. `values` are additional template variables. If
    the server itself requests the page, to keep it up to date, the HTML is in `g.html`, with comments that mark its
    sections, and the answer is empty."""
    html = _html(context, template, view, refused, values)
    if OWN_REQUEST in request.environ:
        g.html = html
        return Response(status=refused.status if refused else 200)
    html = completed(html, view.version if view else 0)
    response = make_response(html, refused.status if refused else 200)
    response.headers["Content-Language"] = translator().code
    return response


def _html(
    context: AppContext, template: str, view: View | None, refused: RequestError | None, values: dict[str, Any]
) -> str:
    """The page as HTML, with comments that mark its sections."""
    session = context.session()
    log = tuple(page_of(view.game).log(view, view.log)) if view else ()
    # Not Flask's `render_template`, which does more than these templates need.
    return current_app.jinja_env.get_template(template).render(
        request=request,
        layout="fragment.html" if "X-Fragment" in request.headers else "base.html",
        page=template.removesuffix(".html"),
        view=replace(view, log=log) if view and log != view.log else view,
        revision=mark_text(view, view.revision) if view else mark_text(context.table.view(), context.table.revision),
        content=page_of(view.game).content(view) if view else None,
        page_template=template_of(view.game) if view else None,
        game_style=stylesheet_url(view.game) if view else None,
        words=texts_with_icons(view.game) if view else translate,
        replay_steps=view.replay_steps if view and page_of(view.game).may_look_back(view) else {},
        history=page_of(view.game).group_log(context.lobby.notices.merged_with(log, view.id)) if view else (),
        heads_every_turn=bool(view and page_of(view.game).heads_every_turn),
        session=session,
        lobby=context.lobby,
        profiles=context.profiles,
        shared=context.shared_replay.current(),
        original_of=context.table.journal.original_of,
        has_simulator=context.has_simulator,
        has_setup_page=context.has_setup_page,
        has_ca_page=context.has_ca_page,
        has_print_page=context.has_print_page,
        resume_error=context.table.resume_error,
        refused=refused,
        base_url=addresses.base_url,
        other_addresses=addresses.recent_other_addresses,
        qr=qr_code,
        running=bool(context.table.names),
        rule=_current_rule(view),
        **{"title": _title(view, session), **values},
    )


def _current_rule(view: View | None) -> Entry | None:
    """The guidebook's rule for the current position, if there is one."""
    file = view.game.text.guidebook_file if view else None
    return guidebook(file).rules.get(view.help_topic) if file and view else None


def _title(view: View | None, session: PhoneSession) -> TextLike:
    if view is None:
        return "Tablekeeper"
    title = page_title(_(view.game.title))
    is_turn = session.seat is not None and view.turn == session.seat and session.seat not in view.companion_seats
    return joined(" – ", (_("Your turn"), title)) if is_turn else title
