"""The OpenAPI description of the HTTP API, made from the routes below and the types in `web.api.api_types`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, is_typeddict

import msgspec
from msgspec import Struct

from companion.games import GAMES
from companion.games.move_schema import move_records
from companion.games.rules import Json
from web.api import api_types

REFUSALS: Mapping[str, str] = {
    "400": "the request can’t be read",
    "403": "not for this phone: no seat, another’s seat, not the host, or another web site",
    "404": "there is no game, or no such seat",
    "409": "the table has moved on, or the seat is taken",
    "413": "more than 64 KiB; of a photo more than 12 MiB, too many pixels or too slow to read",
    "415": "not JSON; not a picture",
    "422": "the rules do not allow it; code is that of the contract: bad_move, game_over, not_your_turn, illegal_move",
    "429": "too many wrong join codes",
    "503": "it could not be stored, or too many streams or photos are being served; nothing was changed",
}
"""The reason for a refusal, by HTTP status."""


SCHEMA_NAMES: Mapping[str, str] = {
    "ActBody": "Act",
    "SeatResponse": "Seat",
    "ShareBody": "Share",
    "ViewResponse": "View",
}
"""The names that types have in the description, if these differ from the names of the classes."""


@dataclass(frozen=True)
class Route:
    """A route of the API: a GET, or a POST if it has a body.

    `response`: the type of the response; None for any JSON object. `refusals`: the HTTP statuses with which this route
    refuses requests, besides those that all routes have in common. `empty_body`: whether the body may be left out.
    """

    path: str
    summary: str
    response: type[Struct] | None
    refusals: tuple[str, ...] = ()
    body: type[Struct] | None = None
    empty_body: bool = False


_ACT_REFUSALS = ("404", "409", "422", "503")
"""The statuses of the refusals that any act can have."""

ROUTES: tuple[Route, ...] = (
    Route("/healthz", "whether the service is running, and the health of each device", api_types.Health),
    Route("/api/openapi.json", "this description", None),
    Route(
        "/api/view",
        "what this seat may see; without a seat or a cookie, what everyone may see",
        api_types.ViewResponse,
        ("404",),
    ),
    Route(
        "/api/join",
        "takes a seat or watches; sets the cookie that identifies a phone",
        api_types.SeatResponse,
        ("404", "409", "429", "503"),
        api_types.Join,
    ),
    Route(
        "/api/moves",
        "makes a move; one that needs another player’s consent, such as a transfer, counts as consented to: at the "
        "table, or by /api/ask and /api/answer, which make the move themselves",
        api_types.Done,
        _ACT_REFUSALS,
        api_types.MakeMove,
    ),
    Route(
        "/api/correct",
        "makes a move in place of this seat’s last move; if it is refused, the last move stays",
        api_types.Done,
        _ACT_REFUSALS,
        api_types.MakeMove,
    ),
    Route(
        "/api/ignore",
        "ignores a component on the table that has no place in the game, until it is moved",
        api_types.Done,
        ("404", "422"),
        api_types.Ignore,
    ),
    Route("/api/undo", "undoes the last act", api_types.Done, _ACT_REFUSALS, api_types.ActBody, empty_body=True),
    Route(
        "/api/redo", "redoes the act that was undone", api_types.Done, _ACT_REFUSALS, api_types.ActBody, empty_body=True
    ),
    Route(
        "/api/next",
        "lets the companion continue after a pause",
        api_types.Done,
        _ACT_REFUSALS,
        api_types.ActBody,
        empty_body=True,
    ),
    Route(
        "/api/ask", "asks another player for consent to a move", api_types.Done, ("404", "409", "422"), api_types.Ask
    ),
    Route(
        "/api/answer",
        "answers such a question (about `move`, if named); the asker may pass on a spoken yes, or withdraw the "
        "question",
        api_types.Done,
        _ACT_REFUSALS,
        api_types.Answer,
    ),
    Route(
        "/api/start",
        "the host starts a game; `options` and `dealers` as the game names them",
        api_types.ViewResponse,
        ("422", "503"),
        api_types.StartGame,
    ),
    Route(
        "/api/shuffle",
        "the shuffle of a game (query `game`, else the current one): its commitments, and once it is revealed the "
        "seed, the shares and all draws",
        None,
        ("404",),
    ),
    Route(
        "/api/share",
        "a phone adds its share to the shuffle; the event stream with `?shares=1` asks for it",
        api_types.ShareTaken,
        (),
        api_types.ShareBody,
    ),
    Route("/api/seats", "the host frees a seat", api_types.SeatResponse, ("404", "503"), api_types.FreeSeat),
    Route(
        "/api/companion",
        "lets the companion play a seat (`policy`), or takes the seat back (null); for the phone of that seat and for "
        "hosts",
        api_types.HandOver,
        ("404", "422", "503"),
        api_types.HandOver,
    ),
)


@cache
def description() -> dict[str, Json]:
    """The OpenAPI 3.1 document, without the version of Tablekeeper."""
    types = list(dict.fromkeys(filter(None, (kind for r in ROUTES for kind in (r.response, r.body)))))
    moves = {game.name: list(move_records(game)) for game in GAMES.values()}
    positions = [game.rules.position_json for game in GAMES.values() if is_typeddict(game.rules.position_json)]
    schemas_of_other_games = [{"type": "object"}] if len(positions) < len(GAMES) else []
    all_types = [
        *types,
        api_types.PhotoDone,
        api_types.Error,
        *(kind for kinds in moves.values() for kind in kinds),
        *positions,
    ]
    schemas = _schemas(all_types)
    schemas["Move"] = {"description": "a move of the game in progress", "anyOf": _schema_refs(_flatten(moves.values()))}
    schemas["Position"] = {
        "description": "what this seat may know of the position",
        "anyOf": [*_schema_refs(positions), *schemas_of_other_games],
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Tablekeeper",
            "description": "The table as this phone’s seat may see it, and what the seat may do.",
        },
        "paths": {
            **{route.path: _path_item(route) for route in ROUTES},
            "/api/events": _EVENTS_PATH_ITEM,
            "/api/photo": _PHOTO_PATH_ITEM,
        },
        "components": {"schemas": schemas},
    }


def _flatten(lists: Iterable[list[type[Struct]]]) -> list[type[Struct]]:
    return [kind for kinds in lists for kind in kinds]


def _schemas(kinds: Iterable[Any]) -> dict[str, Json]:
    """The JSON Schemas of these types and of all types that they use, by name."""
    schemas = msgspec.json.schema_components(kinds, ref_template="#/components/schemas/{name}")[1]
    for name in schemas.keys() & SCHEMA_NAMES.keys():
        schemas[name]["title"] = SCHEMA_NAMES[name]
    return {SCHEMA_NAMES.get(name, name): schema for name, schema in schemas.items()}


def _schema_ref(kind: Any) -> dict[str, Json]:
    name = SCHEMA_NAMES.get(kind.__name__, kind.__name__)
    return {"$ref": f"#/components/schemas/{name}"}


def _schema_refs(kinds: Iterable[Any]) -> list[Json]:
    return [_schema_ref(kind) for kind in kinds]


def _json_content(schema: Json) -> dict[str, Json]:
    return {"application/json": {"schema": schema}}


def _refusal_responses(*statuses: str) -> dict[str, Json]:
    return {
        status: {"description": REFUSALS[status], "content": _json_content(_schema_ref(api_types.Error))}
        for status in statuses
    }


def _path_item(route: Route) -> Json:
    response = _schema_ref(route.response) if route.response else {"type": "object"}
    done = {"200": {"description": "done" if route.body else "found", "content": _json_content(response)}}
    if route.body is None:
        return {
            "get": {"summary": route.summary, "responses": done | _refusal_responses("403", *route.refusals, "413")}
        }
    return {
        "post": {
            "summary": route.summary,
            "requestBody": {"required": not route.empty_body, "content": _json_content(_schema_ref(route.body))},
            "responses": done | _refusal_responses("400", "403", "413", "415", *route.refusals),
        }
    }


_TEXT_SCHEMA: Json = {"type": "string"}
_EVENTS_PATH_ITEM: Json = {
    "get": {
        "summary": "server-sent events: `act` for every act with version, kind, seat, moves and words; `look` when "
        "anything else has changed. An event’s id is game.version; send the last one to miss nothing",
        "parameters": [
            {
                "name": "Last-Event-ID",
                "in": "header",
                "schema": _TEXT_SCHEMA,
                "description": "the last event that came",
            },
            {
                "name": "last",
                "in": "query",
                "schema": _TEXT_SCHEMA,
                "description": "the same, where headers can’t be set",
            },
            {
                "name": "shares",
                "in": "query",
                "schema": _TEXT_SCHEMA,
                "description": "1: the phone’s page takes part in the shuffle; brings `shuffle` and `shares`",
            },
            {
                "name": "page",
                "in": "query",
                "schema": _TEXT_SCHEMA,
                "description": "the address of the page that the phone shows; brings `page` with its changes",
            },
            {
                "name": "mark",
                "in": "query",
                "schema": _TEXT_SCHEMA,
                "description": "the `data-mark` of that page",
            },
        ],
        "responses": {"200": {"description": "a stream", "content": {"text/event-stream": {"schema": _TEXT_SCHEMA}}}}
        | _refusal_responses("403", "413", "503"),
    }
}
_PHOTO_PATH_ITEM: Json = {
    "post": {
        "summary": "a photograph of a printed card: makes the move that it means, if that is exactly one move of "
        "this seat; else `meant` lists the possible moves. It is neither stored nor logged",
        "parameters": [
            {"name": name, "in": "query", "schema": schema}
            for name, schema in _schemas([api_types.ActBody])["Act"]["properties"].items()
        ],
        "requestBody": {"required": True, "content": {"image/*": {"schema": {**_TEXT_SCHEMA, "format": "binary"}}}},
        "responses": {
            "200": {"description": "done, or to be chosen", "content": _json_content(_schema_ref(api_types.PhotoDone))}
        }
        | _refusal_responses("400", "403", "413", "415", *_ACT_REFUSALS),
    }
}
