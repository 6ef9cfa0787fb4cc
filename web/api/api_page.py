"""The page /api: the OpenAPI description of the HTTP API, for people. It is in English, as the description is."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from flask import Blueprint, Response
from markupsafe import Markup, escape

from web.api.openapi import description
from web.context import AppContext
from web.render import render
from web.templating.page_head import page_title

Schema = Mapping[str, Any]


class Field(NamedTuple):
    """A field of an object, or a parameter of a request: its name, its type in words, and its description."""

    name: str
    type: str
    is_required: bool
    description: str


class Operation(NamedTuple):
    """A request that the API answers. `body` and `response` are types in words. `body` is "" if the request has no
    body."""

    method: str
    path: str
    summary: str
    parameters: tuple[Field, ...]
    body: str
    response: str
    refusals: Mapping[str, str]


class Record(NamedTuple):
    """A type: its fields or, if it is not an object, its definition in words."""

    name: str
    description: str
    fields: tuple[Field, ...]
    type: str


def operations(document: Schema) -> Iterator[Operation]:
    """Yields the operations of an OpenAPI document."""
    for path, methods in document["paths"].items():
        for method, found in methods.items():
            responses = found["responses"]
            yield Operation(
                method.upper(),
                path,
                found["summary"],
                tuple(_parameter(each) for each in found.get("parameters", ())),
                _content(found.get("requestBody", {})),
                _content(responses["200"]),
                {status: each["description"] for status, each in responses.items() if status != "200"},
            )


def records(document: Schema) -> Iterator[Record]:
    """Yields the types of an OpenAPI document, in alphabetical order."""
    for name, schema in sorted(document["components"]["schemas"].items()):
        fields = tuple(
            Field(key, type_in_words(each), key in schema.get("required", ()), each.get("description", ""))
            for key, each in schema.get("properties", {}).items()
        )
        yield Record(name, schema.get("description", ""), fields, "" if fields else type_in_words(schema))


def type_in_words(schema: Schema) -> str:
    """A type in words, such as "list of Card or null"."""
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(map(type_in_words, choices))
    if "const" in schema or "enum" in schema:
        return " or ".join(repr(value) for value in schema.get("enum", [schema.get("const")]))
    if "prefixItems" in schema:
        return f"({', '.join(map(type_in_words, schema['prefixItems']))})"
    kind = schema.get("type", "anything")
    if kind == "array" and schema.get("items"):
        return f"list of {type_in_words(schema['items'])}"
    if isinstance(schema.get("additionalProperties"), Mapping):
        return f"object of {type_in_words(schema['additionalProperties'])}"
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def with_links(text: str, types: Collection[str]) -> Markup:
    """`text` as HTML. The names of `types` become links to these types, and text between backticks becomes code."""
    html = re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(text)))
    return Markup(re.sub(r"\w+(\.\w+)*", lambda name: _link(name[0]) if name[0] in types else name[0], html))


def _link(type: str) -> str:
    return f'<a href="#{type}">{type}</a>'


def _parameter(parameter: Schema) -> Field:
    description = parameter.get("description") or parameter["schema"].get("description", "")
    kind = f"{type_in_words(parameter['schema'])}, in the {parameter['in']}"
    return Field(parameter["name"], kind, parameter.get("required", False), description)


def _content(message: Schema) -> str:
    return " or ".join(
        type_in_words(content["schema"]) if kind == "application/json" else kind
        for kind, content in message.get("content", {}).items()
    )


class ApiPage:
    """The handler of the page."""

    def __init__(self, context: AppContext) -> None:
        self._context = context

    def routes(self) -> Blueprint:
        """The blueprint with the route of the page."""
        routes = Blueprint("api_page", __name__)
        routes.add_url_rule("/api", view_func=self.page)
        return routes

    def page(self) -> Response:
        """The page with all operations and types."""
        document = description()
        types = document["components"]["schemas"].keys()
        return render(
            self._context,
            "api.html",
            None,
            title=page_title("HTTP API"),
            with_links=lambda text: with_links(text, types),
            operations=tuple(operations(document)),
            records=tuple(records(document)),
        )
