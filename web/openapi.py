"""The description of the API, as /api/openapi.json gives it; a test holds it against the application."""

from __future__ import annotations

from companion.games.rules import Json


def _object(needed: tuple[str, ...] = (), **properties: Json) -> dict[str, Json]:
    return {"type": "object", "properties": properties, **({"required": list(needed)} if needed else {})}


def _list(of: Json) -> dict[str, Json]:
    return {"type": "array", "items": of}


def _ref(name: str) -> dict[str, Json]:
    return {"$ref": f"#/components/schemas/{name}"}


def _content(schema: Json) -> dict[str, Json]:
    return {"application/json": {"schema": schema}}


TEXT: Json = {"type": "string"}
NUMBER: Json = {"type": "integer"}
TRUTH: Json = {"type": "boolean"}
SEAT: Json = {"type": ["integer", "null"], "minimum": 0, "description": "a seat from 0; null watches"}
VERSION: Json = {"type": "integer", "minimum": 0, "description": "counts the acts at this table"}
REQUEST_ID: Json = {
    "type": "string",
    "minLength": 1,
    "maxLength": 64,
    "pattern": "^[ -~]+$",
    "description": "a name for this request; the same twice acts once",
}

_VIEW: dict[str, Json] = {
    "version": VERSION,
    "game": TEXT,
    "seat": SEAT,
    "state": {"type": "object", "description": "what this seat may see, as in the contract"},
    "legal": _list(_ref("Move")),
    "reports": _list({**_ref("Move"), "description": "what may be reported of chance where the table deals"}),
}

SCHEMAS: dict[str, Json] = {
    "Error": _object(("error",), error=_object(("code", "message"), code=TEXT, message=TEXT)),
    "Move": {"type": "object", "description": "a move as in the contract", "required": ["seat", "move"]},
    "View": _object(tuple(_VIEW), **_VIEW),
    "Done": {
        **_object(("version",), **_VIEW, words=_list(TEXT)),
        "description": "the version that the act made; the view and `words`, what hands must do on the real table, "
        "only if that version is still the present one (it is not when an older request is answered again)",
    },
    "Photo": {
        **_object(("version",), **_VIEW, words=_list(TEXT), meant=_list(_ref("Move"))),
        "description": "as Done; with `meant` nothing was done, and one of these moves may be made",
    },
    "Health": _object(
        ("status", "version", "devices"),
        status=TEXT,
        version=TEXT,
        devices=_list(_object(("device", "ok", "says"), device=TEXT, ok=TRUTH, says=TEXT)),
    ),
    "Seat": _object(("seat",), seat=SEAT, name={"type": ["string", "null"]}),
}

REFUSALS: dict[str, str] = {
    "400": "the request can't be read",
    "403": "not for this phone: no seat, another's seat, not the host, or another web site",
    "404": "there is no game, or no such seat",
    "409": "the table has moved on, or the seat is taken",
    "413": "more than 64 KiB; of a photo more than 12 MiB, or too many pixels",
    "415": "not JSON; not a picture",
    "422": "the rules do not allow it; code is that of the contract: bad_move, game_over, not_your_turn, illegal_move",
    "429": "too many wrong join codes",
    "503": "it could not be written down, or too many streams or photos are being served; nothing was changed",
}


def _refused(*codes: str) -> dict[str, Json]:
    return {code: {"description": REFUSALS[code], "content": _content(_ref("Error"))} for code in codes}


def _get(summary: str, schema: Json, *refusals: str) -> Json:
    ok = {"200": {"description": "so it is", "content": _content(schema)}}
    return {"get": {"summary": summary, "responses": ok | _refused("403", *refusals, "413")}}


def _post(summary: str, answer: str, body: Json, *refusals: str, needed: bool = True) -> Json:
    ok = {"200": {"description": "done", "content": _content(_ref(answer))}}
    return {
        "post": {
            "summary": summary,
            "requestBody": {"required": needed, "content": _content(body)},
            "responses": ok | _refused("400", "403", "413", "415", *refusals),
        }
    }


_EVENTS: Json = {
    "get": {
        "summary": "server-sent events: `act` for every act with version, kind, seat, moves and words; `look` when "
        "anything else has changed. An event's id is game.version; send the last one to miss nothing",
        "parameters": [
            {"name": "Last-Event-ID", "in": "header", "schema": TEXT, "description": "the last event that came"},
            {"name": "last", "in": "query", "schema": TEXT, "description": "the same, where headers can't be set"},
        ],
        "responses": {"200": {"description": "a stream", "content": {"text/event-stream": {"schema": TEXT}}}}
        | _refused("403", "413", "503"),
    }
}

_ONCE = _object(version=VERSION, id=REQUEST_ID)
_ACT = ("404", "409", "422", "503")

PATHS: dict[str, Json] = {
    "/healthz": _get("whether the service runs, and how each device fares", _ref("Health")),
    "/api/openapi.json": _get("this description", {"type": "object"}),
    "/api/view": _get("what this seat may see; without a seat or a cookie, what everyone may see", _ref("View"), "404"),
    "/api/events": _EVENTS,
    "/api/join": _post(
        "takes a seat or watches; sets the cookie by which a phone is known",
        "Seat",
        _object(code=TEXT, seat=SEAT, name=TEXT),
        "404",
        "409",
        "429",
        "503",
    ),
    "/api/moves": _post(
        "makes a move; one that needs another player's word, such as a transfer, counts as consented to: at the table, "
        "or by /api/ask and /api/answer, which make the move themselves",
        "Done",
        _object(("move", "version", "id"), move=_ref("Move"), version=VERSION, id=REQUEST_ID),
        *_ACT,
    ),
    "/api/photo": {
        "post": {
            "summary": "a photograph of a printed card: what it means is done if that is one move of this seat; else "
            "`meant` has the moves of which one may be meant. It is neither kept nor logged",
            "parameters": [
                {"name": name, "in": "query", "schema": schema}
                for name, schema in (("version", VERSION), ("id", REQUEST_ID))
            ],
            "requestBody": {
                "required": True,
                "content": {"image/*": {"schema": {"type": "string", "format": "binary"}}},
            },
            "responses": {"200": {"description": "done, or to be chosen", "content": _content(_ref("Photo"))}}
            | _refused("400", "403", "413", "415", *_ACT),
        }
    },
    "/api/undo": _post("takes the last act back", "Done", _ONCE, *_ACT, needed=False),
    "/api/redo": _post("does again what was taken back", "Done", _ONCE, *_ACT, needed=False),
    "/api/next": _post("lets the companion go on after a pause", "Done", _ONCE, *_ACT, needed=False),
    "/api/ask": _post(
        "asks another player's permission for a move",
        "Done",
        _object(("move",), move=_ref("Move"), version=VERSION),
        "404",
        "409",
        "422",
    ),
    "/api/answer": _post(
        "answers such a question (about `move`, if named); who asked passes on a yes said aloud or takes it back",
        "Done",
        _object(("agreed",), agreed=TRUTH, move=_ref("Move")),
        *_ACT,
    ),
    "/api/start": _post(
        "the host begins a game; `options` and `dealers` as the game names them",
        "View",
        {"additionalProperties": False}
        | _object(
            ("game",),
            game=TEXT,
            seats={"type": ["integer", "null"], "description": "the game's smallest number if left out"},
            players=_list(TEXT) | {"description": "names by seat, not more than seats"},
            options={"type": "object", "additionalProperties": TEXT},
            dealers={"type": "object", "additionalProperties": {"enum": ["companion", "table", "unseen"]}},
        ),
        "422",
        "503",
    ),
    "/api/seats": _post("the host frees a seat", "Seat", _object(("seat",), seat=NUMBER), "404", "503"),
}

DESCRIPTION: dict[str, Json] = {
    "openapi": "3.1.0",
    "info": {"title": "Tablekeeper", "description": "The table as this phone's seat may see it, and what it may do."},
    "paths": PATHS,
    "components": {"schemas": SCHEMAS},
}
