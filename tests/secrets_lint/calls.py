"""How to call every route of the application: the requests that phones make, and those that nobody should make.

Each route has an entry in ROUTES. The lint fails at a route without one, so that no new route is forgotten.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from werkzeug.routing import MapAdapter, Rule

from companion.games.rules import Json
from companion.text.translation import LANGUAGES
from tests.secrets_lint.service import InMemoryService
from web.access.phone_cookie import COOKIE
from web.events.streams import STREAM

ASKED_LANGUAGES = (None, None, *LANGUAGES, "de-AT,de;q=0.9,en;q=0.1", "fr;q=0.5", "*", "xx;q=nonsense")
EXPIRES = re.compile(r" Expires=[^;]*;")
STRANGE_VALUES: tuple[Json, ...] = (None, True, -1, 0, 3, 10**12, 1.5, "", "x", "?", [], [1, "x"], {}, {"to": 1})


@dataclass(frozen=True)
class Caller:
    """The phone that calls, and what it can know of the game. `moves` are moves of any seat in JSON, `legal` those of
    the phone's own seat. `host_key` and `hands_key` are the valid keys, with which a phone without a seat may see
    everything."""

    rng: Random
    game: str
    seats: int
    id: int
    version: int
    join_code: str
    host_key: str
    hands_key: str
    own_seat: int | None
    moves: Sequence[Json]
    legal: Sequence[Json]
    codes: Sequence[str]
    requests: Sequence[str]
    """The ids of other phones' requests for another view."""

    def move(self) -> Json:
        """A move to try: a legal move, a move from another position or of another seat, or nonsense."""
        known = self.rng.choice(self.legal if self.legal and self.rng.random() < 0.2 else self.moves or [{}])
        value = dict(known)
        kind = self.rng.random()
        if kind < 0.2:
            value["seat"] = self.rng.choice([*range(self.seats), "house"])
        elif kind < 0.75 and self.own_seat is not None:
            value["seat"] = self.own_seat
        if kind < 0.3:
            key = self.rng.choice([*value, "more"])
            value[key] = self.rng.choice(STRANGE_VALUES)
        elif kind > 0.95 and value:
            value.pop(self.rng.choice([*value]))
        return value if kind < 0.97 else self.rng.choice(STRANGE_VALUES)

    def based_on(self) -> Json:
        """The version on which a request is based, usually the current one."""
        return self.rng.choice([self.version] * 8 + [self.version - 1, 0, None, "x"])

    def action_id(self) -> str:
        """An id for a request. Sometimes the id was used before or is invalid."""
        number = self.rng.randrange(10**6) if self.rng.random() < 0.9 else 1
        return f"request-{number}" if self.rng.random() < 0.97 else "\n"

    def seat(self) -> Json:
        return self.rng.choice([*range(self.seats), self.seats, -1, None])

    def code(self) -> str:
        """A join code, usually a wrong one."""
        return self.join_code if self.rng.random() < 0.3 else self.rng.choice(["", "WXYZ", "ä", self.join_code.lower()])

    def component(self) -> str:
        """The code of a component, wherever it is; or what stands for all cubes."""
        return self.rng.choice([*self.codes, "x", "tokens"])

    def key(self, right: str) -> str | None:
        """A key that grants more rights: no key, a wrong key, or the `right` key if the phone has a seat (otherwise an
        empty one)."""
        return self.rng.choice([None, None, "wrong", right if self.own_seat is not None else ""])

    def game_id(self) -> int:
        return self.rng.choice([self.id, self.id, 1, self.id + 1, 0, 10**8])

    def photo(self) -> bytes:
        """A photograph of some components."""
        count = self.rng.choice([0, 1, 1, 1, 2, 5])
        return " ".join(self.rng.sample(self.codes, min(count, len(self.codes)))).encode()


@dataclass(frozen=True)
class Content:
    """The content of a request: `values` for the URL and its query, and one of the bodies."""

    values: Mapping[str, Any] = field(default_factory=dict)
    json: Json = None
    form: Mapping[str, str] = field(default_factory=dict)
    photo: bytes | None = None
    photo_field: str = ""
    """The name of the form's field with the photograph; "" if the photograph is the whole body."""


Make = Callable[[Caller], Content]


def plain(caller: Caller) -> Content:
    return Content()


def with_values(**values: Callable[[Caller], Any]) -> Make:
    """The content of a request with these values in its URL; values that are None are left out."""
    return lambda caller: Content({key: found for key, make in values.items() if (found := make(caller)) is not None})


def with_json(**values: Callable[[Caller], Any]) -> Make:
    """The content of a request with this JSON object as its body."""
    return lambda caller: Content(json={key: make(caller) for key, make in values.items()})


def version_and_id(caller: Caller) -> Content:
    return Content(json=caller.rng.choice([{}, {"version": caller.based_on(), "id": caller.action_id()}]))


def one_of(*values: Any) -> Callable[[Caller], Any]:
    return lambda caller: caller.rng.choice(values)


def played_button(caller: Caller) -> Content:
    """A press of a button on the seat's page in a browser without scripts."""
    rng = caller.rng
    form = {"version": f"{caller.based_on()}", "id": caller.action_id()}
    what = rng.choice(["move", "move", "move", "ask", "do", "do"])
    if what == "do":
        form["do"] = rng.choice(["undo", "redo", "next", "yes", "no", "fly"])
        if rng.random() < 0.3:
            form["asked"] = json.dumps(caller.move())
    else:
        form[what] = rng.choice([json.dumps(caller.move()), json.dumps(caller.move()), "{", "[]"])
        if rng.random() < 0.3:
            form |= {
                rng.choice(["list:slots", "text:card", "texts:cards", "json:hints.0"]): rng.choice(["1", "R1", "{}"])
            }
    return Content(form=form)


def photographed_form(caller: Caller) -> Content:
    """A photograph sent with the form of the seat's page."""
    form = {"version": f"{caller.based_on()}", "id": caller.action_id()}
    if caller.rng.random() < 0.6:
        form["move"] = json.dumps(caller.move())
    name = caller.rng.choice(["photo", "photo:card", "photo:cards", "photo:option"])
    return Content(form=form, photo=caller.photo(), photo_field=name)


def photographed_body(caller: Caller) -> Content:
    values = {"version": caller.based_on(), "id": caller.action_id()}
    return Content({key: value for key, value in values.items() if value is not None}, photo=caller.photo())


def host_form(caller: Caller) -> Content:
    """A form of the host's page. It never ends the game."""
    forms = (
        {"end": f"{caller.id + 1}"},
        {"end": "x"},
        {"free": f"{caller.seats}"},
        {"game": caller.game, "seats": "99"},
        {"game": "chess", "sure": "1"},
        {"game": caller.game, "option-color": "pink", "sure": "1"},
        {"game": caller.game, "dealer-cards": "nobody", "sure": "1"},
        {"game": caller.game},
        {"renew-code": "1"},
        {"remove": "999"},
        {"make-host": "999"},
        {"no-host": "x"},
        {"reopen": f"{caller.based_on()}"},
        {"upload-board": caller.game},
    )
    return Content(form=caller.rng.choice(forms))


def started_game(caller: Caller) -> Content:
    """The start of another game, with something wrong in it."""
    wrong = (
        {"game": "chess"},
        {"seats": 99},
        {"options": {"color": "pink"}},
        {"dealers": {"cards": "nobody"}},
        {"x": 1},
    )
    return Content(json={"game": caller.game} | caller.rng.choice(wrong))


def join_form(caller: Caller) -> Content:
    """A form of the join page. Sometimes it asks for something that only the table or another player can grant."""
    seat = caller.rng.choice([caller.seat(), "all"])
    form = {"code": caller.code(), "seat": "watch" if seat is None else f"{seat}", "name": "Zoe"}
    person = {"code": caller.code(), "person": caller.rng.choice(["1", "2", "99", "x"])}
    return Content(form=caller.rng.choice([form, form, person, {"claim": "1"}, {"withdraw": "1"}]))


def changed_person(caller: Caller) -> Content:
    """A form of a person's page. The phone may not know that person's name."""
    change = caller.rng.choice([{"name": "Zoe"}, {"name": ""}, {"color": "red", "shape": "star"}, {"delete": "1"}])
    return Content({"id": caller.rng.choice([1, 2, 3, 99])}, form={"who": caller.rng.choice(["Zoe", "x"]), **change})


def changed_settings(caller: Caller) -> Content:
    """A form of the settings page, or what its script sends."""
    language = {"language": caller.rng.choice([*LANGUAGES, "xx"])}
    return Content(form=caller.rng.choice([language, {"sense": caller.rng.choice(["sound", "x"]), "on": "true"}]))


def answered_request(caller: Caller) -> Content:
    """An answer to another phone's request for another view."""
    return Content(
        form={"request": caller.rng.choice([*caller.requests, "x"]), "agreed": caller.rng.choice(["yes", "no"])}
    )


def handed_over(caller: Caller) -> Content:
    """A request to hand a seat over to the companion, or to take it back."""
    policy = caller.rng.choice(["careful", "simple", "random", None, None, 1])
    return Content(json={"seat": caller.seat(), "policy": policy})


def replayed_step(caller: Caller) -> Content:
    """A request to show a step of a shared replay, or to become its leader."""
    form = {
        "at": caller.rng.choice(["0", f"{caller.rng.randrange(60)}", "x"]),
        "as": caller.rng.choice(["open", "0", "table"]),
        "do": caller.rng.choice(["lead", "", "", "leave"]),
    }
    return Content({"id": caller.game_id()}, form=form)


def simulator_action(caller: Caller) -> Content:
    hands = ("put", "put-near", "rotate", "flip", "put-away", "draw", "put-token", "hold-hand", "withdraw-hand", "tidy")
    devices = ("press", "press-seat", "turn-dial", "push-dial", "fly")
    rng = caller.rng
    body = {
        "code": rng.choice([*caller.codes, "x"]),
        "pile": rng.choice(["deck", "cards", "x"]),
        "kind": rng.choice(["red", "x"]),
        "x": rng.choice([100, 200, -5, "x"]),
        "y": rng.choice([100, 150]),
        "degrees": 90,
        "button": rng.choice(["next", "draw", "confirm"]),
        "seat": rng.randrange(caller.seats),
        "steps": rng.choice([1, -1]),
    }
    return Content({"name": rng.choice([*hands, *devices])}, json=body)


def ordered_print(caller: Caller) -> Content:
    """A form of the print page, sometimes with something that can't be printed."""
    rng = caller.rng
    form = {"game": rng.choice([caller.game, "commute", "chess"]), "paper": rng.choice(["a4", "letter", "a5"])}
    form |= {"sides": rng.choice(["both", "one", "x"]), "size": rng.choice(["usual", "small"])}
    return Content(form=form | {"option-board": rng.choice(["grid-3x3", "../x"])})


ROUTES: Mapping[tuple[str, str], tuple[int, Make]] = {
    ("GET", "/"): (2, plain),
    ("GET", "/host"): (
        2,
        with_values(key=lambda caller: caller.key(caller.host_key), game=one_of(None, "commute", "chess")),
    ),
    ("GET", "/join"): (2, with_values(code=one_of(None, "ABCD"))),
    ("GET", "/play"): (
        8,
        with_values(
            shown=lambda caller: caller.rng.choice([None, None, ",".join(caller.photo().decode().split())]),
            at=lambda caller: caller.rng.choice([None, caller.version, caller.version - 1]),
        ),
    ),
    ("GET", "/table"): (5, with_values(hands=lambda caller: caller.key(caller.hands_key))),
    ("GET", "/log"): (4, plain),
    ("GET", "/log.txt"): (4, plain),
    ("GET", "/settings"): (1, plain),
    ("GET", "/help"): (1, with_values(game=one_of(None, "system-won", "commute", "chess"))),
    ("POST", "/host"): (1, host_form),
    ("POST", "/join"): (1, join_form),
    ("POST", "/play"): (5, played_button),
    ("POST", "/request"): (2, answered_request),
    ("POST", "/settings"): (1, changed_settings),
    ("POST", "/photo"): (3, photographed_form),
    ("POST", "/api/companion"): (1, handed_over),
    ("GET", "/healthz"): (1, plain),
    ("GET", "/api/view"): (8, plain),
    ("GET", "/api/events"): (
        5,
        with_values(
            last=lambda caller: caller.rng.choice(
                [None, f"{caller.id}.{max(0, caller.version - caller.rng.randrange(9))}", "1.0", "0.0", "x"]
            ),
            shares=one_of(None, "1"),
            page=one_of(
                None, "/play", "/table", "/log", "/join", "/host", "/together", "/play?photo=1", "/simulator", "//["
            ),
            mark=one_of("", "1.2.3"),
        ),
    ),
    ("GET", "/api"): (1, plain),
    ("GET", "/api/openapi.json"): (1, plain),
    ("GET", "/api/shuffle"): (2, with_values(game=lambda caller: caller.rng.choice([None, caller.id, 1, "x"]))),
    ("POST", "/api/share"): (
        1,
        with_json(
            shuffle=one_of("0" * 64, "x"),
            round=one_of(0, "x"),
            commitment=one_of("0" * 64, None),
            share=one_of(None, "1" * 64),
        ),
    ),
    ("POST", "/api/join"): (
        1,
        with_json(code=Caller.code, seat=Caller.seat, name=one_of("", "Zoe", "Ä" * 99)),
    ),
    ("POST", "/api/moves"): (6, with_json(move=Caller.move, version=Caller.based_on, id=Caller.action_id)),
    ("POST", "/api/correct"): (2, with_json(move=Caller.move, version=Caller.based_on, id=Caller.action_id)),
    ("POST", "/api/ignore"): (2, with_json(code=Caller.component)),
    ("POST", "/api/undo"): (1, version_and_id),
    ("POST", "/api/redo"): (1, version_and_id),
    ("POST", "/api/next"): (1, version_and_id),
    ("POST", "/api/ask"): (2, with_json(move=Caller.move, version=Caller.based_on)),
    ("POST", "/api/answer"): (2, with_json(agreed=one_of(True, False, "x"), move=one_of(None, {"move": "x"}))),
    ("POST", "/api/start"): (1, started_game),
    ("POST", "/api/seats"): (1, with_json(seat=one_of(-1, 9, None, "x"))),
    ("POST", "/api/photo"): (3, photographed_body),
    ("GET", "/games"): (1, plain),
    ("GET", "/games/<int:id>"): (
        2,
        with_values(
            id=Caller.game_id,
            at=lambda caller: caller.rng.choice([None, caller.rng.randrange(60), -1, "x"]),
            **{"as": one_of(None, "open", "0", "1", "table", "x")},
        ),
    ),
    ("POST", "/games/<int:id>"): (2, replayed_step),
    ("GET", "/games/<int:id>/table/<int:act>.webp"): (1, with_values(id=Caller.game_id, act=one_of(0, 1, 5, 999))),
    ("POST", "/games/<int:id>/what-if"): (
        1,
        lambda caller: Content({"id": caller.game_id()}, form={"at": caller.rng.choice(["", "0", "9", "x"])}),
    ),
    ("GET", "/together"): (2, plain),
    ("GET", "/games/<int:id>.jsonl"): (2, with_values(id=Caller.game_id)),
    ("GET", "/games/<int:id>.svg"): (2, with_values(id=Caller.game_id)),
    ("GET", "/people"): (1, plain),
    ("GET", "/people/<int:id>"): (1, with_values(id=one_of(1, 2, 3, 99))),
    ("POST", "/people/<int:id>"): (1, changed_person),
    ("GET", "/people/games.csv"): (1, plain),
    ("GET", "/people/games.bgsplay"): (1, plain),
    ("GET", "/people/<int:id>.csv"): (1, with_values(id=one_of(1, 2, 99))),
    ("GET", "/people/<int:id>.bgsplay"): (1, with_values(id=one_of(1, 2, 99))),
    ("GET", "/print"): (
        1,
        with_values(game=one_of(None, "commute", "chess"), paper=one_of(None, "a4", "x"), size=one_of(None, "small")),
    ),
    ("POST", "/print"): (1, ordered_print),
    ("GET", "/print/<key>.pdf"): (1, with_values(key=one_of("0" * 32, "x"), name=one_of(None, "x.pdf", "../x"))),
    ("GET", "/games/<int:id>.png"): (1, with_values(id=Caller.game_id)),
    ("GET", "/manifest.webmanifest"): (1, plain),
    ("GET", "/sw.js"): (1, plain),
    ("GET", "/offline"): (1, plain),
    ("GET", "/apple-touch-icon.png"): (1, plain),
    ("GET", "/static/<path:filename>"): (1, with_values(filename=one_of("style.css", "none.js", "../app.py"))),
    ("GET", "/static/games/<name>.css"): (1, with_values(name=one_of("commute", "system-won", "none"))),
    ("GET", "/simulator"): (1, plain),
    ("GET", "/simulator/components"): (1, plain),
    ("GET", "/simulator/state"): (2, plain),
    ("GET", "/simulator/prints/<image_set>/<name>"): (
        1,
        with_values(image_set=one_of("no-pictures", "x"), name=lambda caller: f"{caller.rng.choice(caller.codes)}.png"),
    ),
    ("GET", "/simulator/camera.jpg"): (1, plain),
    ("POST", "/simulator/do/<name>"): (2, simulator_action),
    ("GET", "/setup"): (1, plain),
    ("GET", "/metrics"): (1, plain),
    ("GET", "/setup/first"): (1, plain),
    ("POST", "/setup/first"): (1, plain),
    ("GET", "/setup/now"): (1, plain),
    ("POST", "/setup/corners"): (1, with_json(corners=one_of(None, [[0.1, 0.1], [0.9, 0.1], [0.9, 0.9], [0.1, 0.9]]))),
    ("GET", "/setup/support"): (1, plain),
    ("POST", "/setup/backup"): (1, plain),
    ("POST", "/setup/damage"): (1, plain),
    ("POST", "/setup/pictures"): (1, lambda caller: Content(form={"do": "keep"})),
    ("POST", "/setup/recordings"): (1, lambda caller: Content(form={"do": "record"})),
    ("GET", "/setup/recordings/<name>"): (1, with_values(name=one_of("1-20300131193000-1.jsonl", "x"))),
    ("POST", "/setup/restore"): (1, plain),
    ("GET", "/setup/restoring"): (1, plain),
    ("GET", "/trust"): (1, plain),
    ("GET", "/trust/tablekeeper.crt"): (1, plain),
    ("GET", "/trust/tablekeeper.pem"): (1, plain),
}
"""By method and route: how often it is called, compared with the other routes, and what its requests carry."""


@dataclass(frozen=True)
class Call:
    """One request. `route` is the key in ROUTES."""

    route: tuple[str, str]
    method: str
    path: str
    headers: Mapping[str, str]
    content: Content

    def answer(self, service: InMemoryService, token: str) -> bytes:
        """The whole answer: the status, the headers in their order, the body, and the first events of a stream.

        Only what depends on the machine's clock is left out: the header Date of static files, and the times at which
        cookies expire. Nothing else is random, because `Clock` makes the tokens and the times in the journal."""
        cookie = {"Cookie": f"{COOKIE}={token}"} if token else {}
        response = service.client.open(
            self.path, method=self.method, headers={**self.headers, **cookie}, buffered=True, **self._body()
        )
        stream = service.environ.get(STREAM)
        events = "".join((stream.feed.new_events(), stream.feed.heartbeat())) if stream else ""
        headers = "".join(f"{name}: {EXPIRES.sub('', value)}\n" for name, value in response.headers if name != "Date")
        response.close()
        body: bytes = response.data
        return f"{response.status}\n{headers}\n".encode() + body + events.encode()

    def _body(self) -> dict[str, Any]:
        content = self.content
        if content.photo is not None and not content.photo_field:
            return {"data": content.photo, "content_type": "image/jpeg"}
        if content.photo is not None:
            picture = (io.BytesIO(content.photo), "photo.jpg", "image/jpeg")
            return {"data": {**content.form, content.photo_field: picture}, "content_type": "multipart/form-data"}
        if content.form:
            return {"data": dict(content.form)}
        return {"json": content.json} if content.json is not None else {}

    def __str__(self) -> str:
        content = self.content
        body = content.photo or content.form or (content.json if content.json is not None else "")
        return f"{self.method} {self.path} {dict(self.headers)} {body!r}"


def routes_of(service: InMemoryService) -> Iterator[tuple[str, str]]:
    """Yields the method and the rule of every route of the application."""
    for rule in service.app.url_map.iter_rules():
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
            yield method, rule.rule


def make_call(service: InMemoryService, route: tuple[str, str], caller: Caller) -> Call:
    """A request for a route. Usually it is one that a phone makes; sometimes it has another method."""
    method, rule = route
    content, rng = ROUTES[route][1](caller), caller.rng
    adapter: MapAdapter = service.app.url_map.bind("localhost")
    endpoint = next(each.endpoint for each in _rules(service) if each.rule == rule and method in (each.methods or ()))
    path = adapter.build(endpoint, dict(content.values), method=method)
    roll = rng.random()
    if method == "GET" and roll < 0.12:
        method = rng.choice(["HEAD", "OPTIONS", "DELETE", "POST"])
    elif roll < 0.04:
        method = rng.choice(["GET", "PUT", "PATCH"])
    return Call(route, method, path, _headers(caller), content)


def _rules(service: InMemoryService) -> Iterator[Rule]:
    return service.app.url_map.iter_rules()


def _headers(caller: Caller) -> dict[str, str]:
    rng = caller.rng
    fragments = (None, None, f"{caller.id}.{caller.version}.0", f"{caller.id - 1}.0.0", "0.0.0", "x")
    values = {
        "Accept-Language": rng.choice(ASKED_LANGUAGES),
        "X-Fragment": rng.choice(fragments),
        "Accept-Encoding": rng.choice([None, None, "gzip"]),
        "Accept": rng.choice([None, "text/html", "application/json"]),
        "Origin": rng.choice([None] * 20 + ["http://example.org"]),
        "Host": rng.choice([None] * 30 + ["example.org"]),
    }
    return {name: value for name, value in values.items() if value is not None}
