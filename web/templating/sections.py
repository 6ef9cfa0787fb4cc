"""A Jinja extension for the sections of a page. When something changes, only the sections that have changed are sent to
phones, and only those whose inputs have changed are rendered.

    {% section "map", content.city, content.goal %}<div data-key="map">…</div>{% endsection %}

The first expression is the section's key. A section is one element, with this key as its `data-key`. Sections are not
nested. The other expressions, if there are any, are the section's inputs: all values on which it depends, apart from
the language. Inputs must be hashable. A section without inputs is rendered each time.

    {% cache entry, seat %}…{% endcache %}

A `cache` part of a page is also rendered again only when one of its inputs has changed, but it is not sent by itself.
It may consist of several elements or of none, and may contain sections.
"""

from __future__ import annotations

import re
import secrets
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from jinja2 import Environment, nodes
from jinja2.ext import Extension
from jinja2.parser import Parser
from markupsafe import Markup

from web.localization import translator

CACHE_SIZE = 2048
"""The number of rendered parts of pages that are cached."""
BORDER = "<!--section-->"
"""Stands before and after each section of a rendered page, and after the section's stub, which comes first: border,
stub, border, section, border."""
TAG = re.compile(r"<([a-z]+)")
VERSION, ACTION_ID = "<!--version-->", "<!--id-->"
"""Placeholders for the version of the match and the id of the next action. A cached section may be older than the
page, so the placeholders are filled in only when the page is sent. Scripts don't use these fields: they take the
version from the page, and make the id themselves."""
FORM_FIELDS = Markup(
    f'<input type="hidden" name="version" value="{VERSION}"><input type="hidden" name="id" value="{ACTION_ID}">'
)
"""The hidden fields of a form that makes a move."""


Section = tuple[str, str, str]
"""A rendered section of a page: its stub, its HTML, and the HTML that follows until the next section. The stub is an
empty element with the section's key. It is sent in place of the section to a page that already shows the section."""


def sections_of(html: str) -> tuple[str, tuple[Section, ...]]:
    """Splits a page: returns the HTML before its first section, and its sections. `html` is the page, with borders
    around each section."""
    before, *rest = html.split(BORDER)
    return before, tuple(zip(rest[::3], rest[1::3], rest[2::3], strict=True))


def completed(html: str, version: int) -> str:
    """Makes a page ready to send: removes the borders and stubs of its sections, and fills in the hidden fields of its
    forms with the `version` of the match and a new action id."""
    parts = html.split(BORDER)
    del parts[1::3]
    return "".join(parts).replace(VERSION, str(version)).replace(ACTION_ID, secrets.token_hex(12))


class Slot:
    """The place in the cache for a rendered part of a page. `key`: the key of the section; "" if the part is not a
    section. `html`: the rendered part, with borders around it if it is a section; None until the part is rendered."""

    __slots__ = ("html", "key")

    def __init__(self, key: str) -> None:
        self.key = key
        self.html: Markup | None = None


class SectionTag(Extension):
    """The Jinja extension for two tags. `section` marks a part of a page that is sent to phones by itself, `cache` a
    part that is not. Rendered parts are cached; there is one cache for each Jinja environment."""

    tags = {"section", "cache"}  # noqa: RUF012  Jinja's own interface

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self._rendered: OrderedDict[tuple[Any, ...], Slot] = OrderedDict()
        environment.filters["slot"] = self._slot

    def parse(self, parser: Parser) -> list[nodes.Node]:
        """Compiles a `section` or `cache` tag to Jinja nodes. They output the tag's contents from the cache, or render
        the contents if the cache does not have them."""
        tag = next(parser.stream)
        inputs = [parser.parse_expression()]
        while parser.stream.skip_if("comma"):
            inputs.append(parser.parse_expression())
        key = inputs.pop(0) if tag.value == "section" else nodes.Const("")
        body = parser.parse_statements((f"name:end{tag.value}",), drop_needle=True)
        if not inputs:
            return [nodes.CallBlock(self.call_method("_anew", [key]), [], [], body).set_lineno(tag.lineno)]
        slot = parser.free_identifier(tag.lineno)
        tag_position = nodes.Const(f"{parser.name}:{tag.lineno}")
        # A filter is the fastest way to call a function.
        found = nodes.Filter(key, "slot", [tag_position, nodes.Tuple(inputs, "load")], [], None, None)
        html = nodes.Getattr(slot, "html", "load")
        render = nodes.CallBlock(self.call_method("_render", [slot]), [], [], body)
        is_new = nodes.Test(html, "none", [], [], None, None)
        statements = [nodes.Assign(slot, found), nodes.If(is_new, [render], [], [nodes.Output([html])])]
        return [statement.set_lineno(tag.lineno) for statement in statements]

    def _slot(self, key: str, tag_position: str, inputs: tuple[Any, ...]) -> Slot:
        """The slot for a part with these inputs, in the current language. `tag_position`: the template and the line of
        the tag."""
        known = (tag_position, key, translator().code, inputs)
        if (slot := self._rendered.get(known)) is None:
            slot = self._rendered[known] = Slot(key)
            while len(self._rendered) > CACHE_SIZE:
                self._rendered.popitem(last=False)
        return slot

    def _render(self, slot: Slot, caller: Callable[[], str]) -> Markup:
        """Renders a part, and caches it in its slot."""
        html = caller()
        slot.html = _marked(slot.key, html) if slot.key else Markup(html)
        return slot.html

    def _anew(self, key: str, caller: Callable[[], str]) -> Markup:
        """Renders a section that has no inputs. Nothing is cached."""
        return _marked(key, caller())


def _marked(key: str, html: str) -> Markup:
    html = html.strip()
    found = TAG.match(html)
    tag = found[1] if found else "i"
    stub = f'<{tag} data-key="{key}" data-same></{tag}>'
    return Markup(f"{BORDER}{stub}{BORDER}{html}{BORDER}")
