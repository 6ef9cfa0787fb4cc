"""The companion plays empty seats. It knows only what its seat knows, waits before it acts, and never acts on an old
position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from companion.device_supervisor import DeviceSource, DeviceSupervisor
from companion.games import GAMES, move_json
from companion.games.game import choose_at_random
from companion.games.rules import HOUSE, Move, Seat
from companion.games.systems_failing.moves import Transfer
from companion.games.view import View
from companion.match.journal import Journal
from companion.match.journal_error import JournalError
from companion.table.companion_player import (
    HANDS_PAUSE_S,
    MOVE_PAUSE_S,
    NAME,
    UNDO_PAUSE_S,
    CompanionPlayer,
    CompanionTask,
)
from companion.table.companion_seats import NoCompanion
from companion.table.table import Table
from companion.tabletop.observations import ButtonPressed, DeviceHealth
from companion.text.refusal_errors import IllegalMove
from tests.repetitions import repetitions, thorough_except
from tests.running_service import until
from tests.secrets_lint.lint import Lint
from tests.systems_failing_tables import SEED, hasty_clock, seen

SPY = "spy"
SHORT: Mapping[str, Mapping[str, str]] = {
    "commute": {"rounds": "0.5"},
    "systems-failing": {"difficulty": "easy"},
    "system-won": {"roles": "none"},
}
WITH_SECRETS = [name for name, game in GAMES.items() if game.rules.has_hidden_information]


class Evening:
    """A table with the companion in some seats, and a clock that the test sets."""

    def __init__(
        self,
        game: str = "systems-failing",
        companions: Mapping[int, str] | None = None,
        path: Path | None = None,
        dealers: Mapping[str, str] | None = None,
        seed: str = SEED,
    ) -> None:
        self.now = 100.0
        self.table = Table(Journal(path), lambda: self.now)
        seats = GAMES[game].rules.seats[0]
        chosen = {1: "careful"} if companions is None else companions
        self.table.start(game, seats, SHORT.get(game, {}), dealers or {}, (), seed, companions=chosen)
        self.table.set_phones_only(phones_only=True)
        self.player = CompanionPlayer(self.table, lambda: self.now, Random(1))

    @property
    def view(self) -> View:
        return seen(self.table)

    def wait(self, seconds: float) -> None:
        """Lets the companion look, then lets time pass, then lets it act."""
        self.player.step()
        self.now += seconds
        self.player.step()

    def until_turn(self, seat: int) -> None:
        """Plays at random until it is a seat's turn."""
        rng = Random(2)
        while self.view.turn != seat:
            act_for_people(self.table, rng)


def act_for_people(table: Table, rng: Random) -> None:
    """Makes a random move for the seat in turn, or lets the companion go on after a pause."""
    view = table.view(Seat(0))
    assert view
    if view.choices.pause_label:
        table.proceed(Seat(0))
    elif isinstance(view.turn, int):
        view_in_turn = table.view(Seat(view.turn))
        assert view_in_turn
        legal = [move for move in view_in_turn.choices.legal if move.consenting_seat() is None]
        table.submit(Seat(view.turn), move_json.to_json(rng.choice(legal)))


class RecordingPolicy:
    """A policy that records what it is given. It chooses like one of the game's other policies, each in turn."""

    def __init__(self, game: str) -> None:
        policies = GAMES[game].policies.by_name
        self._policies = [policies[name] for name in GAMES[game].policies.for_companion] or [choose_at_random]
        self.given: list[tuple[object, ...]] = []

    def __call__(self, known: Any, seat: Seat, legal: Sequence[Move], rng: Random) -> Move:
        self.given.append((known, seat, tuple(legal)))
        return self._policies[len(self.given) % len(self._policies)](known, seat, legal, rng)


@pytest.fixture
def recording_policies(monkeypatch: pytest.MonkeyPatch) -> Mapping[str, RecordingPolicy]:
    """Adds a recording policy to the policies of each game."""
    found = {name: RecordingPolicy(name) for name in GAMES}
    for name, spy in found.items():
        monkeypatch.setitem(GAMES[name].policies.by_name, SPY, spy)
    return found


@pytest.mark.parametrize("name", GAMES)
def test_a_policy_is_given_the_position_as_its_seat_knows_it(
    name: str, recording_policies: Mapping[str, RecordingPolicy]
) -> None:
    """In whole games of every kind, a policy gets the position as its seat knows it, the seat, and its legal moves. In
    a game with hidden information, this is less than the match knows."""
    evening, rng, hidden = Evening(name, {1: SPY}), Random(3), 0
    for _ in range(repetitions(200, at_least=120)):
        match = evening.table._game.match
        assert match is not None
        state = match.state
        if state.turn is None or GAMES[name].playouts.is_stuck(state):
            evening = Evening(name, {1: SPY}, seed=f"{rng.random()}")
            continue
        if state.turn != 1:
            act_for_people(evening.table, rng)
            continue
        legal = tuple(move for move in state.legal_moves() if move.seat == 1 and move.consenting_seat() is None)
        before = len(recording_policies[name].given)
        evening.wait(MOVE_PAUSE_S)
        for known, seat, offered in recording_policies[name].given[before:]:
            assert (known, type(known), seat) == (state.as_known_to(Seat(1)), type(state), 1)
            assert {*legal} <= {*offered}  # type: ignore[misc]
            assert all(move.seat == 1 for move in offered)  # type: ignore[attr-defined]
            hidden += known != state
        if evening.view.choices.request:
            evening.table.answer(Seat(0), agreed=True)
    assert len(recording_policies[name].given) >= 10
    assert (hidden > 0) == GAMES[name].rules.has_hidden_information


@pytest.mark.slow
@pytest.mark.parametrize("name", thorough_except(WITH_SECRETS, "commute"))
def test_it_chooses_alike_in_two_worlds_that_its_seat_cannot_tell_apart(
    name: str, recording_policies: Mapping[str, RecordingPolicy], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In two worlds that its seat can't tell apart, a policy gets equal arguments, and therefore makes the same
    move."""
    for calls in ("CALLS_PER_POSITION", "VIEWS_PER_POSITION", "BROKER_SHARE"):  # other tests compare these
        monkeypatch.setattr(f"tests.secrets_lint.lint.{calls}", 0)
    lint, compared = Lint(GAMES[name], "companion"), 0

    def compare(report: object) -> None:
        nonlocal compared
        pair = lint.pair
        turn = pair.state.turn
        if not isinstance(turn, int) or turn not in pair.alike or not pair.differ:
            return
        task, choices = CompanionTask(0, 0, Seat(turn), SPY, None), []
        before = len(recording_policies[name].given)
        for service in (pair.one, pair.two):
            recording_policies[name].given.append(())  # so that both worlds ask the same policy
            choices.append(CompanionPlayer(service.table, rng=Random(4))._choose(seen(service.table, turn), task))
        first, second = recording_policies[name].given[before + 1], recording_policies[name].given[before + 3]
        assert first == second
        assert choices[0] == choices[1]
        compared += 1

    lint.run(repetitions(100, at_least=60), compare)
    assert compared >= 5


def test_it_waits_a_visible_moment() -> None:
    """The companion moves when its pause is over, not earlier, and says when it must be called again."""
    evening = Evening("traffic-congestion")
    evening.until_turn(1)
    version = evening.view.version
    assert evening.player.step() == MOVE_PAUSE_S
    evening.now += MOVE_PAUSE_S - 0.5
    assert evening.player.step() == 0.5
    assert evening.view.version == version
    evening.now += 0.5
    evening.player.step()
    assert evening.view.version == version + 1
    assert evening.view.log[-1].seat == 1


def test_people_who_rearrange_their_hands_do_not_keep_it_from_acting() -> None:
    """The companion acts after its usual pause, even if others rearrange their hands all the while."""
    evening = Evening("system-won")
    evening.until_turn(1)
    evening.player.step()
    for order in ([1, 0, 2, 3, 4], [0, 1, 2, 3, 4]):
        evening.now += MOVE_PAUSE_S / 2
        evening.table.submit(Seat(0), {"seat": 0, "move": "arrange", "order": order})
        if evening.view.turn == 1:
            evening.player.step()
    assert evening.view.turn != 1


def test_people_have_time_for_the_real_table() -> None:
    """While people still have something to do on the table, the companion waits longer."""
    evening = Evening("traffic-congestion")
    evening.table.set_phones_only(phones_only=False)
    evening.until_turn(1)
    assert evening.view.tabletop.physical_instructions
    assert evening.player.step() == HANDS_PAUSE_S


def test_people_can_undo_more_than_its_move() -> None:
    """After an undo, the companion waits long enough for people to undo more."""
    evening = Evening("traffic-congestion")
    evening.until_turn(1)
    evening.wait(MOVE_PAUSE_S)
    evening.table.undo(Seat(0))
    version = evening.view.version
    evening.wait(UNDO_PAUSE_S - 1)
    assert evening.view.version == version
    evening.wait(1)
    assert evening.view.version == version + 1


class InterruptedPolicy:
    """A policy that calls a function while it is thinking, as if something else happened at the table."""

    def __init__(self, evening: Evening, act: Any) -> None:
        self._evening, self._act = evening, act

    def __call__(self, known: Any, seat: Seat, legal: Sequence[Move], rng: Random) -> Move:
        self._act(self._evening.table)
        return legal[0]


def start_without_acts(table: Table) -> None:
    """Starts a game whose first version is the last version of the previous game."""
    table.start("traffic-congestion", 2, {}, {}, (), SEED, companions={1: "careful"})


@pytest.mark.parametrize(
    "act",
    [
        lambda table: table.take_back(Seat(1)),
        lambda table: table.undo(Seat(0)),
        lambda table: table.end(),
        start_without_acts,
    ],
)
def test_it_never_acts_on_an_old_position(act: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """If somebody acts, takes the seat back, ends the game or starts another game while the companion is thinking, its
    move does not count."""
    evening = Evening(companions={1: "careful"})
    evening.until_turn(1)
    monkeypatch.setitem(GAMES["systems-failing"].policies.by_name, "careful", InterruptedPolicy(evening, act))
    evening.wait(MOVE_PAUSE_S)
    view = evening.table.view()
    assert view is None or not view.log or view.log[-1].kind == "undo" or view.log[-1].seat != 1


def test_it_leaves_house_moves_and_other_seats_alone() -> None:
    """The companion does nothing on the house's turn, or on a person's."""
    evening = Evening()
    assert evening.view.turn in (0, HOUSE)
    version = evening.view.version
    evening.wait(1000)
    assert evening.view.version == version


def test_it_plays_a_whole_game_against_a_person_who_only_ends_turns() -> None:
    """If a person only ends turns, the game still ends, and nothing waits for the companion forever."""
    evening, rng = Evening("system-won", {1: "simple"}), Random(5)
    for _ in range(300):
        if evening.view.turn is None:
            break
        if evening.view.turn == 1:
            evening.wait(UNDO_PAUSE_S)
        else:
            act_for_people(evening.table, rng)
    assert evening.view.turn is None


def transfer_of(table: Table, seat: int) -> Move | None:
    """A transfer that this seat may ask for now."""
    return next((move for move in seen(table, seat).choices.legal if isinstance(move, Transfer)), None)


def test_it_agrees_when_a_player_asks_it() -> None:
    """The companion gives a cube when it is asked for one, because the players of Systems Failing win or lose
    together."""
    evening, rng = Evening(), Random(7)
    while evening.view.turn != 0 or (move := transfer_of(evening.table, 0)) is None:
        act_for_people(evening.table, rng)
    evening.table.request_consent(Seat(0), move_json.to_json(move))
    evening.wait(MOVE_PAUSE_S)
    assert evening.view.choices.request is None
    assert evening.view.log[-1].moves[0] == move


def take_cubes(known: Any, seat: Seat, legal: Sequence[Move], rng: Random) -> Move:
    """A policy that takes a cube from the other player whenever this is legal."""
    return next((move for move in legal if isinstance(move, Transfer)), legal[0])


@pytest.mark.parametrize("agreed", [True, False])
def test_it_asks_people_and_takes_no_for_an_answer(agreed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """For moves that need consent, the companion asks, waits for the answer, and never asks again for what was
    declined."""
    evening, rng = Evening(), Random(7)
    while evening.view.turn != 1 or transfer_of(evening.table, 1) is None:
        act_for_people(evening.table, rng)
    monkeypatch.setitem(GAMES["systems-failing"].policies.by_name, "careful", take_cubes)
    evening.wait(MOVE_PAUSE_S)
    request = evening.view.choices.request
    assert request is not None
    assert request.asked == 0
    evening.wait(1000)
    assert evening.view.choices.request == request  # it waits
    evening.table.answer(Seat(0), agreed=agreed)
    if not agreed:
        evening.wait(MOVE_PAUSE_S)
        assert evening.view.choices.request is None or evening.view.choices.request.move != request.move
    assert (evening.view.log[-1].moves[0] == request.move) == agreed


def test_a_request_is_withdrawn_when_the_seat_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """When a player takes the seat back, the companion's pending request is withdrawn, and nobody is left waiting for
    an answer."""
    evening, rng = Evening(), Random(7)
    while evening.view.turn != 1 or transfer_of(evening.table, 1) is None:
        act_for_people(evening.table, rng)
    monkeypatch.setitem(GAMES["systems-failing"].policies.by_name, "careful", take_cubes)
    evening.wait(MOVE_PAUSE_S)
    evening.table.take_back(Seat(1))
    assert evening.view.choices.request is None


def test_the_careful_player_goes_on_if_cubes_are_declined() -> None:
    """If the transfers that its plan needs are declined, the careful policy makes another legal move, in any
    position."""
    evening, rng, policy = Evening(), Random(8), GAMES["systems-failing"].policies.by_name["careful"]
    declined = 0
    for _ in range(repetitions(150)):
        view = evening.view
        if view.turn is None:
            break
        if isinstance(view.turn, int):
            known = seen(evening.table, view.turn)
            legal = [move for move in known.choices.legal if not isinstance(move, Transfer)]
            declined += isinstance(policy(known.position, Seat(view.turn), known.choices.legal, rng), Transfer)
            assert policy(known.position, Seat(view.turn), legal, rng) in legal
        act_for_people(evening.table, rng)
    assert declined


@pytest.mark.parametrize(
    ("companions", "dealers", "says"),
    [
        ({0: "careful", 1: "careful"}, {}, "At least one seat"),
        ({2: "careful"}, {}, "no seat 3"),
        ({1: "random"}, {}, "Choose one of careful"),
        ({1: "careful"}, {"cards": "unseen"}, "nobody tells it what is dealt"),
        ({1: "careful"}, {"cards": "table"}, "hold real cards"),
    ],
)
def test_it_refuses_seats_that_it_cannot_play(
    companions: Mapping[int, str], dealers: Mapping[str, str], says: str
) -> None:
    """The companion refuses a seat that it can't play, both at the start and during a game. The message says what would
    work."""
    with pytest.raises(NoCompanion, match=says):
        Evening("commute", companions, dealers=dealers)
    evening = Evening("commute", {}, dealers=dealers)
    *first, (seat, policy) = companions.items()
    for other, policy_there in first:
        evening.table.hand_over(Seat(other), policy_there)
    with pytest.raises(NoCompanion, match=says):
        evening.table.hand_over(Seat(seat), policy)


def test_real_cards_that_the_companion_may_not_see_are_no_obstacle() -> None:
    """The companion can also play with real cards in System WON: people show the cards that they draw to the camera,
    and put up the companion's cards so that all can see them."""
    assert Evening("system-won", dealers={"cards": "table"}).table.companion_seats == {1: "careful"}


def test_cards_that_nobody_has_shown_are_refused() -> None:
    """While the companion plays a seat, a card that was drawn but not shown to the camera is refused. While a hand has
    such a card, the companion takes no seat. If a redo restores such a card, the companion stops playing."""
    unseen = {"seat": "house", "move": "deal", "to": 0, "card": "?"}
    evening = Evening("system-won", dealers={"cards": "table"})
    with pytest.raises(IllegalMove, match="Show drawn cards"):
        evening.table.submit(None, unseen)
    evening.table.take_back(Seat(1))
    evening.table.submit(None, unseen)
    with pytest.raises(NoCompanion, match="Show drawn cards"):
        evening.table.hand_over(Seat(1), "careful")
    evening.table.undo(None)
    evening.table.hand_over(Seat(1), "careful")
    assert evening.table.active_companion_seats == {1: "careful"}
    evening.table.redo(None)
    assert evening.table.active_companion_seats == {}


def test_a_game_is_stored_with_its_companion_seats_or_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the power fails before the companion's seats are stored, the previous game is still running, on the table and
    in the journal."""
    table = Evening().table

    def cut(*_: object) -> None:
        raise JournalError("The disk is full.")

    monkeypatch.setattr(table.journal, "save_note", cut)
    with pytest.raises(JournalError):
        table.start("systems-failing", 2, {}, {}, (), SEED, companions={0: "careful"})
    stored = table.journal.running_game()
    assert stored
    assert stored.id == seen(table).id == 1
    assert table.companion_seats == {1: "careful"}


def test_a_seat_stays_with_it_over_a_restart_and_no_longer_than_the_game(tmp_path: Path) -> None:
    """After a power cut, the companion still plays its seat. In the next game, it plays a seat only if the host says
    so."""
    path = tmp_path / "journal.sqlite3"
    evening = Evening(companions={}, path=path)
    evening.table.hand_over(Seat(0), "careful")
    evening.table.journal.close()
    again = Table(Journal(path))
    assert again.companion_seats == {0: "careful"}
    view = again.view()
    assert view is not None
    assert view.companion_seats == {0: "careful"}
    again.start("system-won", 2, {}, {}, (), SEED)
    assert again.companion_seats == {}
    again.end()
    assert Table(again.journal).companion_seats == {}


def test_the_service_runs_it() -> None:
    """The service runs the companion in a separate thread, like a device, until the service is closed."""
    table = Table(Journal(None))
    table.start("traffic-congestion", 2, {}, {}, (), SEED, companions={0: "careful"})
    player = CompanionPlayer(table, hasty_clock())
    service = DeviceSupervisor(table, [DeviceSource(NAME, player.open)])
    service.start()
    until(lambda: seen(table).turn == 1)
    service.close()
    assert not any(thread.is_alive() for thread in service._threads)
    assert table.health() == ()


def test_a_failure_is_reported_and_ends_with_the_next_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """After an error, the failure is reported and the service starts the companion again. With its next move, the
    companion reports that it works."""
    evening = Evening("traffic-congestion")
    policies: Any = GAMES["traffic-congestion"].policies.by_name
    evening.until_turn(1)
    careful = policies["careful"]
    monkeypatch.setitem(policies, "careful", lambda *arguments: 1 / 0)
    evening.player.step()
    evening.now += MOVE_PAUSE_S
    with pytest.raises(ZeroDivisionError):
        next(iter(evening.player.open()))
    evening.player.close()
    monkeypatch.setitem(policies, "careful", careful)
    health = next(iter(evening.player.open()))
    assert isinstance(health, DeviceHealth)
    assert health.ok
    assert evening.view.log[-1].seat == 1


def test_a_button_makes_no_move_for_the_companion() -> None:
    """If the players press a button once too often, the companion's turn has begun. It still moves by itself."""
    evening = Evening()
    evening.until_turn(1)
    version = evening.view.version
    with pytest.raises(IllegalMove, match="It moves by itself"):
        evening.table.press(ButtonPressed(button="draw"))
    assert evening.view.version == version
