"""The lint: plays random games in two worlds, and compares everything that is shown to a viewer who can't tell them
apart."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from typing import Any

from companion.games import move_json
from companion.games.game import Game
from companion.games.rules import HOUSE, SPECTATOR, Json, Move, Seat, Viewer
from companion.games.view import View
from companion.match.json_lines_protocol import JsonLinesProtocol
from companion.tabletop.observations import ButtonPressed, CardGone, DialTurned
from companion.text.refusal_errors import Refusal, SetupError
from tests.secrets_lint import broker_messages
from tests.secrets_lint.calls import ROUTES, Call, Caller, make_call, routes_of
from tests.secrets_lint.other_history import Leak
from tests.secrets_lint.paired_worlds import PairedWorlds, Phone, is_over
from tests.secrets_lint.report import Report
from tests.secrets_lint.service import InMemoryService
from tests.secrets_lint.sightings import any_sighting, dealt_card

CALLS_PER_POSITION = 5
VIEWS_PER_POSITION = 2
BROKER_SHARE = 0.25
"""The share of the positions in which the messages to a broker are compared."""
MAX_ACTS = 250
"""A game that has not ended is abandoned after this many acts."""
MAX_EQUAL_POSITIONS = 20
"""A game in which nothing is hidden from anyone, because people deal face down, is abandoned after this many
positions."""
EQUAL_POSITIONS = 2
"""If no other hidden cards were found for the second world, the lint looks for them again after this many positions."""
POSITIONS_PER_WORLD = 12
"""After this many positions a new second world is made, for another viewer."""
POSITIONS_AT_END = 6
"""The number of positions that are compared after the end of a game; some of them follow an undo."""
MAX_BARREN_GAMES = 8
"""The lint gives up after this many games in a row in which it has compared nothing."""
SHORT_SETUPS = {"commute": {"rounds": ("0.5", "1")}}
"""Set-ups with which random games end within MAX_ACTS."""
EXCERPT_BYTES = 60
"""How many bytes of two different answers are shown before and after the first difference."""


class Lint:
    """Compares two worlds of a game, until enough positions have been compared or too many differences have been found.
    `prepare` may change the application, so that tests can plant a leak."""

    def __init__(
        self,
        game: Game[Any],
        seed: str = "",
        prepare: Callable[[InMemoryService], None] = lambda service: None,
        most_differences: int = 1,
    ) -> None:
        self.game, self.rng = game, Random(f"{game.name}/{seed}")
        self.report = Report(game.name)
        self.pair = PairedWorlds(game, self.rng, prepare)
        self._most_differences = most_differences
        self._routes: list[tuple[str, str]] = []
        self._moves: deque[Json] = deque(maxlen=200)
        self._world_age = 0
        self._skill = 0.0
        """How often the seats make good moves instead of random ones."""
        unknown = sorted({*routes_of(self.pair.one)} - ROUTES.keys())
        if unknown:
            raise AssertionError(
                f"The lint does not know how to call {unknown}; add them to tests/secrets_lint/calls.py."
            )

    def run(self, positions: int, progress: Callable[[Report], None] = lambda report: None) -> Report:
        """Compares this many positions; up to twice as many if nothing has been compared for some route yet. Returns
        the report."""
        report, barren = self.report, 0
        with self.pair.clock.installed():
            while not self._is_done(positions) and barren < MAX_BARREN_GAMES:
                before = report.positions
                try:
                    for _ in self._game():
                        progress(report)
                        if self._is_done(positions):
                            break
                except Leak as leak:
                    report.differences.append(f"rules: {leak}")
                barren = barren + 1 if report.positions == before else 0
        return report

    def _is_done(self, positions: int) -> bool:
        if self._is_hopeless or self.report.positions >= 2 * positions:
            return True
        return self.report.positions >= positions and all(self.report.routes[each] for each in routes_of(self.pair.one))

    @property
    def _is_hopeless(self) -> bool:
        return len(self.report.differences) >= self._most_differences

    def _game(self) -> Iterator[None]:
        """Plays one game, and compares each position."""
        self.report.games += 1
        seats = self.rng.choice([*self.game.rules.seats])
        self.pair.start(seats, self._setup(), self._dealers())
        self._skill = self.rng.choice([0.0, 0.5, 0.95])
        last = 0
        for acts in range(MAX_ACTS):
            before = self.report.positions
            self._compare_position()
            yield
            if acts > MAX_EQUAL_POSITIONS and self.report.positions == before and not self.pair.has_hidden_moves:
                return
            self._act()
            self.report.acts += 1
            last += is_over(self.pair.one.match.history)
            self.report.endings += last == 1 and is_over(self.pair.one.match.history)
            if last > POSITIONS_AT_END:
                return

    def _setup(self) -> dict[str, str]:
        """Values for the options that have choices. A game that is long by default is short in most cases."""
        if (short := SHORT_SETUPS.get(self.game.name)) and self.rng.random() < 0.8:
            return {key: self.rng.choice(values) for key, values in short.items()}
        choices = {option.name: [value for value, _ in option.choices] for option in self.game.rules.options}
        chosen = {name: self.rng.choice(values) for name, values in choices.items() if values}
        try:
            self.game.rules.begin(self.game.rules.seats[-1], self.game.rules.resolve_setup(chosen))
        except SetupError:
            return {}
        return chosen

    def _dealers(self) -> dict[str, str]:
        """Who deals each source of chance. In half of the games it is always the companion; in the others it may be
        people, who sometimes deal face down."""
        rules = self.game.rules
        if self.rng.random() < 0.5 or not self.game.can_be_dealt_by_people:
            return {}
        unseen = {source: "unseen" for source in rules.face_down_sources if self.rng.random() < 0.05}
        return {source: self.rng.choice(["table", "table", "companion"]) for source in rules.chance_sources} | unseen

    def _act(self) -> None:
        """Makes something happen at both tables, mostly a move."""
        roll = self.rng.random()
        if roll < 0.05:
            self._undo_or_redo()
        elif roll < 0.12:
            self._show_component()
        elif roll < 0.15:
            self._use_device()
        elif roll < 0.16:
            self._send_command()
        elif roll < 0.2:
            self._ask_or_answer()
        elif roll < 0.23:
            self._photograph_hidden_card()
        else:
            self._move_on()

    def _move_on(self) -> None:
        state, pair = self.pair.state, self.pair
        if pair.one.match.pause_label():
            self._attempt(lambda service: service.table.proceed(None))
        elif deals := pair.due_deals():
            self._deal(deals)
        elif state.turn not in (HOUSE, None):
            move = self._chosen_move()
            self._moves.append(move_json.to_json(move))
            self._make(move)
        else:
            self._undo_or_redo()

    def _chosen_move(self) -> Move:
        """A legal move. In some games it is usually a good move, because these games would not end otherwise."""
        state = self.pair.state
        legal = list(state.legal_moves())
        policy = self.game.policies.by_name.get("careful")
        if policy is None or not isinstance(state.turn, int) or self.rng.random() >= self._skill:
            return self.rng.choice(legal)
        seat = Seat(state.turn)
        in_turn = [move for move in legal if move.seat == seat]
        return policy(state.as_known_to(seat), seat, in_turn or legal, self.rng)

    def _make(self, move: Move) -> None:
        """Makes a move in both worlds. If the phone of the move's seat can't tell the worlds apart, it makes the move
        on that phone."""
        phone = self.pair.phones[int(move.seat)] if move.seat != HOUSE else None
        if phone and self.pair.is_blind(phone) and self.pair.viewer(phone) == move.seat:
            content = {"move": move_json.to_json(move), "version": self.pair.one.match.version}
            self._exchange(phone, ("POST", "/api/moves"), content)
            return
        other = self.pair.counterpart(move)
        seat = None if move.seat == HOUSE else Seat(int(move.seat))
        self._attempt(
            lambda service: service.table.submit(seat, move_json.to_json(move)),
            lambda service: service.table.submit(seat, move_json.to_json(other)) if other else None,
        )

    def _deal(self, deals: list[Any]) -> None:
        """Deals a card by hand: shown to the camera, reported on a phone, or entered at the table."""
        pair, roll = self.pair, self.rng.random()
        move = self.rng.choice(deals)
        if roll < 0.3 and (reporting := [phone for phone in pair.phones if self._reports(phone)]):
            phone = self.rng.choice(reporting)
            report = self.rng.choice(self._reports(phone))
            content = {"move": move_json.to_json(report), "version": pair.one.match.version}
            self._exchange(phone, ("POST", "/api/moves"), content)
        elif roll < 0.8 and (seen := next(dealt_card(pair.one, move, pair.clock.elapsed_s), None)):
            other = pair.counterpart(move)
            copies = [*dealt_card(pair.two, other, pair.clock.elapsed_s)] if other else []
            copy = next((each for each in copies if each.code == seen.code), None)
            if other != move and copy is None:
                copy = next((each for each in copies if each.code not in pair.codes), None)
            if copy and copy.code != seen.code:
                pair.codes |= {seen.code: copy.code, copy.code: seen.code}
            self._attempt(
                lambda service: service.table.observe(seen),
                lambda service: service.table.observe(copy) if copy else None,
            )
            if copy and self.rng.random() < 0.7:
                gone = [CardGone(t=each.t + 1, code=each.code) for each in (seen, copy)]
                pair.both(
                    lambda service: service.table.observe(gone[0]), lambda service: service.table.observe(gone[1])
                )
        else:
            self._make(move)

    def _reports(self, phone: Phone) -> Any:
        viewer = self.pair.viewer(phone)
        is_blind = isinstance(viewer, int) and self.pair.is_blind(phone)
        return self.pair.one.match.reports(viewer) if is_blind else ()

    def _undo_or_redo(self) -> None:
        action = self.rng.choice(["undo", "redo"])
        self._exchange(self.rng.choice(self.pair.phones), ("POST", f"/api/{action}"), {})

    def _show_component(self) -> None:
        """Shows a component to the camera, or takes one away. Whether this results in a move must not depend on what is
        hidden from the seat in turn. It may depend on that seat's own hand, as the move of a piece does."""
        pair = self.pair
        visible = [*pair.one.table._physical.tracked.visible]
        if visible and self.rng.random() < 0.4:
            code = self.rng.choice(visible)
            gone = [CardGone(t=pair.clock.elapsed_s, code=each) for each in (code, pair.codes.get(code, code))]
            pair.both(lambda service: service.table.observe(gone[0]), lambda service: service.table.observe(gone[1]))
            return
        seen = any_sighting(pair.one, pair.two, self.rng, pair.clock.elapsed_s)
        if seen and seen.code not in pair.codes:
            acting = {pair.state.turn, SPECTATOR} if pair.state.turn in (HOUSE, None) else {pair.state.turn}
            is_blind = not acting.isdisjoint(pair.alike)
            pair.both(lambda service: service.table.observe(seen))
            if is_blind and not pair.is_in_step:
                self._differ(f"{seen} makes a move in one world only")

    def _use_device(self) -> None:
        event: Any = self.rng.choice(
            [
                DialTurned(steps=1),
                DialTurned(steps=-1),
                ButtonPressed(button="next"),
                ButtonPressed(button="undo"),
                ButtonPressed(button="confirm"),
                ButtonPressed(button="draw", seat=0),
            ]
        )
        was_alike = self.pair.alike
        self.pair.both(lambda service: service.table.observe(event))
        if was_alike and not self.pair.is_in_step:
            self._differ(f"{event} acts in one world only")

    def _ask_or_answer(self) -> None:
        """Asks on a phone for another player's consent, or answers such a request."""
        pair = self.pair
        asking = [move for move in pair.state.legal_moves() if move.consenting_seat() is not None]
        phone = self.rng.choice(pair.phones)
        if pair.one.table._prompts.request or not asking:
            self._exchange(phone, ("POST", "/api/answer"), {"agreed": self.rng.random() < 0.6})
            return
        move = self.rng.choice(asking)
        self._exchange(pair.phones[int(move.seat)], ("POST", "/api/ask"), {"move": move_json.to_json(move)})

    def _photograph_hidden_card(self) -> None:
        """Sends a photograph of a hidden card from a phone that can't tell the worlds apart. In each world it shows the
        card that is there, and the answers must be the same."""
        pair, kinds = self.pair, self.pair.one.match.game.physical.components.kinds
        hands = [dict(service.match.game.physical.hands(service.match.state)) for service in (pair.one, pair.two)]
        codes = [
            [next((code for code, kind in kinds.items() if kind == hand.get(number)), None) for hand in hands]
            for number in hands[0]
            if hands[0][number] != hands[1].get(number)
        ]
        blind = [phone for phone in pair.phones if pair.is_blind(phone) and isinstance(pair.viewer(phone), int)]
        if not blind or not (both := [pair for pair in codes if None not in pair]):
            return
        route = self.rng.choice([("POST", "/photo"), ("POST", "/api/photo")])
        phone, photos = self.rng.choice(blind), self.rng.choice(both)
        call = self._call(phone, route)
        one, two = (replace(call, content=replace(call.content, photo=f"{code}".encode())) for code in photos)
        answers = pair.both(
            lambda service: one.answer(service, phone.token), lambda service: two.answer(service, phone.token)
        )
        if pair.is_blind(phone):
            self._compare(f"{phone.name}: {one} or {photos[1]}", *answers)

    def _attempt(
        self, act: Callable[[InMemoryService], object], other: Callable[[InMemoryService], object] | None = None
    ) -> None:
        """Calls `act` directly on the tables of both worlds, not through a phone. Refusals are ignored."""

        def attempt(made: Callable[[InMemoryService], object]) -> Callable[[InMemoryService], None]:
            def run(service: InMemoryService) -> None:
                try:
                    made(service)
                except Refusal:
                    return

            return run

        self.pair.both(attempt(act), attempt(other or act))

    def _compare_position(self) -> None:
        pair = self.pair
        self._world_age += 1
        is_same_world = self._world_age > EQUAL_POSITIONS and not pair.differ and pair.has_hidden_moves
        if pair.is_renewal_due or is_same_world or self._world_age > POSITIONS_PER_WORLD:
            pair.renew()
            self._world_age = 0
        self.report.positions += self._counts
        for viewer in self.rng.sample(sorted(pair.alike, key=str), min(VIEWS_PER_POSITION, len(pair.alike))):
            self._compare_views(viewer)
        self._compare_service_log()
        if self.rng.random() < BROKER_SHARE:
            self._compare_broker()
        for _ in range(CALLS_PER_POSITION):
            blind = [phone for phone in pair.phones if pair.is_blind(phone)]
            if blind:
                self._exchange(self.rng.choice(blind), self._next_route())

    def _compare_service_log(self) -> None:
        """Compares the service's log. People who help with a table read it, so it must be the same in both worlds if
        there is any viewer who can't tell them apart."""
        pair = self.pair
        if pair.alike:
            self._compare("service log", *("\n".join(each.log.lines()).encode() for each in (pair.one, pair.two)))

    def _compare_broker(self) -> None:
        """Compares what the tables publish on a broker. Everyone may read it, so it must be the same in both worlds if
        there is any viewer who can't tell them apart."""
        pair = self.pair
        told = pair.both(lambda service: broker_messages.published(service, pair.clock.elapsed_s))
        if pair.alike:
            self._compare("broker", *told)
            self.report.channels["broker"] += self._counts

    def _send_command(self) -> None:
        """Sends a command over the broker."""
        command, was_alike = broker_messages.random_command(self.rng), self.pair.alike
        answers = self.pair.both(lambda service: broker_messages.answered(service, command))
        if was_alike and not self.pair.is_in_step:
            self._differ(f"broker: {command!r} acts in one world only", *answers)
        elif self.pair.alike:
            self._compare(f"broker: {command!r}", *answers)

    @property
    def _counts(self) -> bool:
        """Whether a comparison in this position counts: in a game with hidden information, the hidden cards of the
        worlds must differ. In other games the seeds always differ."""
        return self.pair.differ or not self.game.rules.has_hidden_information

    def _next_route(self) -> tuple[str, str]:
        """A random route. Routes for which nothing has been compared yet come first. After that, ROUTES says how often
        each is chosen."""
        if not self._routes:
            found = set(routes_of(self.pair.one))
            self._routes = [route for route, (weight, _) in ROUTES.items() if route in found for _ in range(weight)]
            missing = [route for route in ROUTES if route in found and not self.report.routes[route]]
            for routes in (self._routes, missing):
                self.rng.shuffle(routes)
            self._routes += missing
        return self._routes.pop()

    def _exchange(self, phone: Phone, route: tuple[str, str], body: Json = None) -> None:
        """Makes the same request of a phone in both worlds. The answers must be the same, unless the request itself
        shows the phone a difference that the rules allow. `body`: the request's JSON; without it, the request is
        random."""
        pair, before = self.pair, self.pair.alike
        was_blind = pair.is_blind(phone)
        call = self._call(phone, route)
        if body is not None:
            call = Call(
                route, route[0], route[1], {}, type(call.content)(json={"id": f"x{pair.clock.elapsed_s}"} | body)
            )
        answers = pair.both(lambda service: call.answer(service, phone.token))
        if not was_blind:
            return
        if not pair.is_in_step and before:
            self._differ(f"{phone.name}: {call} is accepted in one world only", *answers)
        elif pair.is_blind(phone):
            self._compare(f"{phone.name}: {call}", *answers)
            status = int(answers[0][:3])
            if status >= 500 and status != 503:
                self._differ(f"{phone.name}: {call} fails", answers[0], b"")
            if self._counts:
                self.report.routes[route] += 1
                self.report.accepted[route] += status < 400
                self.report.phones[phone.name] += 1

    def _call(self, phone: Phone, route: tuple[str, str]) -> Call:
        pair, match = self.pair, self.pair.one.match
        viewer = pair.viewer(phone)
        caller = Caller(
            rng=self.rng,
            game=self.game.name,
            seats=match.header.seats,
            id=match.id,
            version=match.version,
            join_code=pair.one.lobby.code,
            host_key=pair.one.lobby.host_key,
            hands_key=pair.one.lobby.hidden_information.hands_key(match.id),
            own_seat=viewer if isinstance(viewer, int) else None,
            moves=self._moves,
            legal=[move_json.to_json(move) for move in match.state.legal_moves() if move.seat == viewer]
            if route[0] == "POST"
            else (),
            codes=match.game.physical.components.codes() or ("SF-D01",),
            requests=[request.id for request in pair.one.lobby.hidden_information.requests_for(pair.session(phone))],
        )
        return make_call(pair.one, route, caller)

    def _compare_views(self, viewer: Viewer) -> None:
        pair = self.pair
        views = [told_view(service.table.view(viewer)) for service in (pair.one, pair.two)]
        rules = [self._rules(service, viewer) for service in (pair.one, pair.two)]
        for channel, (one, two) in (("view", views), ("rules", rules)):
            if one != two:
                self._differ(f"{channel} of {viewer}", *(f"{each!r}".encode() for each in (one, two)))
            self.report.channels[channel] += self._counts
        if isinstance(viewer, int) and self._moves:
            self._compare_referees(viewer, self.rng.choice(self._moves) | {"seat": viewer})

    def _compare_referees(self, viewer: Viewer, move: Json) -> None:
        """Compares what `play --seat` prints for a move, unless the rules then show the viewer a difference."""
        protocols = [self._protocol(service, viewer) for service in (self.pair.one, self.pair.two)]
        line = move_json.dumps(move)
        said = ["\n".join(map(move_json.dumps, protocol.judge(line))) for protocol in protocols]
        known = [protocol.state.as_known_to(viewer) for protocol in protocols]
        if known[0] == known[1] or any('"error":' in each for each in said):
            self._compare(f"play --seat {viewer}: {line}", *(each.encode() for each in said))
            self.report.channels["referee"] += self._counts

    def _rules(self, service: InMemoryService, viewer: Viewer) -> Any:
        """What the rules tell a viewer, and the players at the dial, in addition to the view."""
        game, state = service.match.game, service.match.state
        names = service.match.names
        dial = [(move, game.text.label(state, move, "spectator", names)) for move in game.dial_moves(state)]
        return dial, game.text.pause_label(state), game.physical.layout(state, viewer)

    def _protocol(self, service: InMemoryService, viewer: Viewer) -> JsonLinesProtocol:
        match = service.match
        return JsonLinesProtocol(match.game, match.header.seats, match.state, None, viewer, legal=True)

    def _compare(self, what: str, one: bytes, two: bytes) -> None:
        if one != two:
            self._differ(what, one, two)

    def _differ(self, what: str, one: bytes = b"", two: bytes = b"") -> None:
        at = next((i for i, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
        begin = max(0, at - EXCERPT_BYTES)
        excerpts = f"{one[begin : at + EXCERPT_BYTES]!r} / {two[begin : at + EXCERPT_BYTES]!r}"
        self.report.differences.append(f"{self.game.name} game {self.report.games}: {what}: {excerpts}")


def told_view(view: Any) -> View:
    """A view without the codes of its discrepancies. Nobody is told these codes. They only help to tidy the simulated
    table, which needs to know which of several equal copies is missing."""
    found = tuple(replace(each, code="", fix=replace(each.fix, codes=())) for each in view.tabletop.discrepancies)
    told: View = replace(view, tabletop=replace(view.tabletop, discrepancies=found))
    return told
