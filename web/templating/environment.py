"""The Jinja environment of the pages. It is faster than Jinja's own, because it does less for each value that a
template prints and for each function that a template calls. A page has hundreds of such values and calls, and is
rendered for each player at every move."""

from __future__ import annotations

from collections.abc import MutableMapping
from functools import lru_cache
from typing import Any

from flask.templating import Environment
from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame, optimizeconst
from markupsafe import Markup, escape

from companion.text.messages import Text
from web.localization import translate

CACHE_SIZE = 8192
"""The number of strings whose HTML is cached."""


class PageCode(CodeGenerator):
    """Compiles templates so that each printed value goes through one function, `PageEnvironment.html`, and so that
    attributes of objects are read, and functions and macros called, directly."""

    @optimizeconst
    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:  # noqa: N802
        """Compiles `function(value, name=value)`. Unlike Jinja, it never passes the template's context."""
        assert not node.dyn_args
        assert not node.dyn_kwargs
        self.visit(node.node, frame)
        self.write("(")
        for value in node.args:
            self.visit(value, frame)
            self.write(", ")
        for keyword in node.kwargs:
            self.visit(keyword, frame)
            self.write(", ")
        self.write("caller=caller)" if forward_caller else ")")

    @optimizeconst
    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:  # noqa: N802  Jinja's own interface
        """Compiles `value.name`. If the value has no such attribute, Jinja looks for an item with that name."""
        self.write("(found if (found := getattr(")
        self.visit(node.node, frame)
        self.write(f", {node.attr!r}, missing)) is not missing else environment.getattr(")
        self.visit(node.node, frame)
        self.write(f", {node.attr!r}))")

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo) -> None:
        if _is_html(frame):
            self.write("environment.html(")
        else:
            super()._output_child_pre(node, frame, finalize)

    def _output_child_post(self, node: nodes.Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo) -> None:
        if _is_html(frame):
            self.write(")")
        else:
            super()._output_child_post(node, frame, finalize)


class PageEnvironment(Environment):
    """The environment of all templates. Texts are printed in the language of the phone that gets the page."""

    code_generator_class = PageCode

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """The global variables of a template. A template without global variables of its own uses those of the
        environment directly, because Jinja's ChainMap is slow."""
        return self.globals if not d else super().make_globals(d)

    def html(self, value: Any) -> str:
        """The value as HTML, as a template prints it."""
        kind = type(value)
        if kind is str:
            return _escaped(value)
        if kind is Markup:
            return value  # type: ignore[no-any-return]
        if kind is int:
            return str(value)
        return _escaped(translate(value)) if isinstance(value, Text) else escape(value)


def compile_templates(environment: Environment) -> None:
    """Compiles all page templates. Otherwise the first page of each kind waits for its template."""
    for name in environment.list_templates(extensions=("html",)):
        environment.get_template(name)


def _is_html(frame: Frame) -> bool:
    """Whether a part of a template certainly renders HTML."""
    return frame.eval_ctx.autoescape and not frame.eval_ctx.volatile


@lru_cache(CACHE_SIZE)
def _escaped(text: str) -> str:
    return str(escape(text))
