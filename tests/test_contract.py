"""Tests of what every game in `GAMES` must guarantee."""

from __future__ import annotations

import copy
import json
import pickle
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from companion.commands.arguments import begin
from companion.games import GAMES, move_json
from companion.games.game import Game, choose_at_random
from companion.games.rules import (
    HOUSE,
    REFEREE,
    SPECTATOR,
    HouseMove,
    Move,
    Seat,
    State,
    Viewer,
    play,
)
from companion.playouts.series import play_out
from companion.playouts.statistics import summarize
from companion.tabletop.physical_instructions import physical_instructions
from companion.text.refusal_errors import BadMove, GameOver, IllegalMove, NotYourTurn, Refusal, SetupError
from tests.golden_games import golden_games, load
from tests.random_games import fewest_and_most_seats, options, random_game
from tests.repetitions import repetitions

ALL = [pytest.param(game, id=name) for name, game in GAMES.items()]
every_game = pytest.mark.parametrize("game", ALL)
SEEDS = range(repetitions(4))
ENOUGH = repetitions(3000)
"""The number of positions to collect for a seat count. Games that take long at random need fewer games for it."""
MOVES = repetitions(20_000)
"""The number of moves in random games that are only played to their end."""
OF_A_GAME = repetitions(100, at_least=40)
"""The largest number of positions of one game that are examined closely."""


@cache
def games_of(name: str) -> list[list[tuple[State, Move | None]]]:
    """Whole random games with the fewest and with the most seats: each position with the move made in it."""
    return [moves for seats in fewest_and_most_seats(GAMES[name]) for moves in games_with(name, seats)]


@cache
def games_with(name: str, seats: int) -> list[list[tuple[State, Move | None]]]:
    """Whole random games with this many seats."""
    games: list[list[tuple[State, Move | None]]] = []
    for seed in SEEDS:
        if sum(map(len, games)) < ENOUGH:
            games.append(list(random_game(GAMES[name], seats, seed)))
    return games


def positions(game: Game[Any], every: int = 1) -> Iterator[tuple[State, Move | None]]:
    """Yields some positions of some games, with the move made in each."""
    for moves in games_of(game.name):
        yield from moves[:: _step(moves, every)]


def _step(moves: Sequence[Any], every: int) -> int:
    """The distance between the positions to examine. It is `every`, but smaller in a short game, so that at least four
    positions are examined, and larger in a long game, so that at most OF_A_GAME are."""
    return max(1, min(every, len(moves) // 4), -(-len(moves) // OF_A_GAME))


def viewers(state: State) -> tuple[Viewer, ...]:
    """The referee, a spectator, and two seats."""
    return (REFEREE, SPECTATOR, Seat(0), Seat(1))


@every_game
def test_every_listed_move_can_be_played(game: Game[Any]) -> None:
    """Every legal move and every chance can be played and is listed once, under the seat that may make it. A finished
    game lists none."""
    for state, _ in positions(game, every=3):
        legal, chances = list(state.legal_moves()), [move for move, _ in state.chances()]
        assert len(set(legal)) == len(legal)
        assert len(set(chances)) == len(chances)
        assert bool(chances) == (state.turn == HOUSE)
        assert not (legal and state.turn in (HOUSE, None))
        for move in (*legal, *chances):
            play(state, move)


@every_game
def test_every_move_that_is_not_listed_is_refused(game: Game[Any]) -> None:
    """A move from another position is accepted in this position if, and only if, it is among the legal moves or
    chances."""
    rng = Random(1)
    for seats in fewest_and_most_seats(game):
        played = [made for moves in games_with(game.name, seats) for made in moves]
        moves = list({move for _, move in played if move})
        for state, _ in played[:: _step(played, 5)]:
            listed = {*state.legal_moves(), *(move for move, _ in state.chances())}
            for move in rng.sample(moves, min(40, len(moves))):
                assert _taken(state, move) == (move in listed), move


def _taken(state: State, move: Move) -> bool:
    try:
        play(state, move)
    except Refusal as refusal:
        assert str(refusal).endswith(".")  # noqa: PT017  (its words are looked at, whichever it is)
        return False
    return True


@every_game
def test_the_turn_is_judged_before_the_rules(game: Game[Any]) -> None:
    """A house move on a seat's turn, and a seat's move on the house's turn, are refused as out of turn. After the end
    every move is refused because the game is over."""
    for moves in games_of(game.name):
        made = [move for _, move in moves if move]
        house_move = next((move for move in made if isinstance(move, HouseMove)), None)
        seat_move = next(move for move in made if not isinstance(move, HouseMove))
        for state, _ in moves[::10]:
            if state.turn == HOUSE:
                with pytest.raises(NotYourTurn):
                    play(state, seat_move)
            elif state.turn is not None and house_move:
                with pytest.raises(NotYourTurn):
                    play(state, house_move)
        for move in made[::5]:
            with pytest.raises(GameOver):
                play(moves[-1][0], move)


@every_game
def test_a_move_that_is_written_can_be_read_back(game: Game[Any]) -> None:
    """A move that is written and read again is the same. Its keys are `seat`, `move` and the fields of its class."""
    for moves in games_of(game.name):
        seats = game.rules.seats[-1]
        for state, _ in moves[:: _step(moves, 4)]:
            for move in (*state.legal_moves(), *(move for move, _ in state.chances())):
                assert move_json.read(game, seats, move_json.write(move)) == move


@every_game
def test_a_move_with_a_key_too_many_or_too_few_is_bad(game: Game[Any]) -> None:
    """A move of any kind with an extra or a missing key is refused."""
    kinds = {type(move): move for _, move in positions(game) if move}
    for move in kinds.values():
        value = move_json.to_json(move)
        for bad in (value | {"nonsense": 1}, {k: v for k, v in value.items() if k != "seat"}, value | {"seat": True}):
            with pytest.raises(BadMove):
                move_json.from_json(game, game.rules.seats[-1], bad)


@every_game
def test_buttons_tell_legal_moves_apart(game: Game[Any]) -> None:
    """On a phone, each legal move has its own path through the buttons."""
    names = ["Ann", "Bob", "Cid", "Dot", "Eve"]
    for state, _ in positions(game, every=6):
        paths = [(move.seat, game.text.label(state, move, move.seat, names)) for move in state.legal_moves()]
        assert len(set(paths)) == len(paths)
        for seat in (Seat(0), Seat(1)):
            known = [move for move, _ in state.chances() if move.as_known_to(seat, state) == move]
            reports = [game.text.label(state, move, seat, names) for move in known]
            assert len(set(reports)) == len(reports), "what people deal needs labels too"


@every_game
def test_every_view_says_whose_turn_it_is_and_whether_it_is_over(game: Game[Any]) -> None:
    """Every position's JSON has `turn` and `over`, on which pages, bots and scoreboards rely."""
    for state, _ in positions(game, every=4):
        for viewer in viewers(state):
            view = state.as_known_to(viewer).to_json()
            assert view["turn"] == state.turn
            assert view["over"] == (state.turn is None)


@every_game
def test_everything_that_chance_decides_has_a_dealer(game: Game[Any]) -> None:
    """Wherever chance has more than one outcome, the host can choose who deals: the companion or the table."""
    for state, _ in positions(game, every=2):
        dealt = {move.CHANCE_SOURCE for move, _ in state.chances()}
        assert len(dealt) <= 1
        if len([*state.chances()]) > 1:
            assert dealt <= set(game.rules.chance_sources)


@every_game
def test_an_unknown_set_up_key_is_refused(game: Game[Any]) -> None:
    """A misspelled set-up key is reported instead of ignored."""
    with pytest.raises(SetupError):
        game.rules.begin(game.rules.seats[0], {"gaol": 50})


@every_game
def test_the_dial_goes_through_legal_moves(game: Game[Any]) -> None:
    """The dial offers only legal moves of the seat in turn, each once and with a label of its own. In a game without
    hidden information, it offers all of them."""
    for state, _ in positions(game, every=10):
        moves, names = game.dial_moves(state), ["Ann", "Bob", "Cid", "Dot", "Eve"]
        legal = [move for move in state.legal_moves() if move.seat == state.turn]
        assert set(moves) <= set(legal)
        assert len(set(moves)) == len(moves)
        assert len({game.text.label(state, move, SPECTATOR, names) for move in moves}) == len(moves)
        assert game.rules.has_hidden_information or len(moves) == len(legal)


@every_game
def test_a_log_replays_to_the_same_states(game: Game[Any]) -> None:
    """Replaying the moves of a log gives the same states, without any random numbers. Equal states have equal legal
    moves and chances."""
    for moves in games_of(game.name):
        state = moves[0][0]
        for number, ((before, move), (after, _)) in enumerate(pairwise(moves)):
            assert move
            assert state == before
            line = move_json.write(move)
            state = play(state, move_json.read(game, game.rules.seats[-1], line))
            assert state == after
            if number % 5:
                continue
            assert list(state.legal_moves()) == list(after.legal_moves())
            assert list(state.chances()) == list(after.chances())


@every_game
def test_states_are_immutable(game: Game[Any]) -> None:
    """States are immutable: a move, accepted or refused, leaves the position as it was, and no field can be set."""
    for state, _ in positions(game, every=8):
        shown, kept = _json(game, state), copy.deepcopy(state)
        for move in (*state.legal_moves(), *(move for move, _ in state.chances())):
            play(state, move)
        assert _json(game, state) == shown
        assert state == kept
        with pytest.raises(AttributeError):
            state.turn = None  # type: ignore[misc]


@every_game
def test_states_and_moves_can_be_kept_and_sent(game: Game[Any]) -> None:
    """States can be pickled, so that they can be sent to another process. Moves are hashable."""
    for state, move in positions(game, every=20):
        assert pickle.loads(pickle.dumps(state)) == state
        assert hash(move) == hash(pickle.loads(pickle.dumps(move)))


def _json(game: Game[Any], state: State) -> str:
    known = [state.as_known_to(viewer).to_json() for viewer in viewers(state)]
    return json.dumps(known, sort_keys=True)


@every_game
def test_views_are_json_of_one_shape(game: Game[Any]) -> None:
    """All positions of a game, as JSON for a viewer, have the same keys."""
    for moves in games_of(game.name):
        for viewer in viewers(moves[0][0]):
            views = [state.as_known_to(viewer).to_json() for state, _ in moves[::3]]
            assert {frozenset(view) for view in views} == {frozenset(views[0])}
            assert all(json.loads(json.dumps(view)) == view for view in views)
            assert all(view["turn"] == state.turn for view, (state, _) in zip(views, moves[::3], strict=True))


@every_game
def test_a_game_ends_when_nobody_must_act(game: Game[Any]) -> None:
    """A position has an ending if and only if it is nobody's turn. It names seats of the game, or says whether all won
    together."""
    for moves in games_of(game.name):
        assert all((state.ending is None) == (state.turn is not None) for state, _ in moves)
        if ending := moves[-1][0].ending:
            assert set(ending.winners) <= set(range(game.rules.seats[-1]))
            assert ending.won is None or not ending.winners


KEYS: Mapping[str, str] = {
    "system-won": "players turn hands knowledge deck specifications systems discard errors roles roles_used "
    "turns_left pending score over result",
    "systems-failing": "turn first round phase actions_left must_return bag pools zones deck deck_whites discard "
    "escape stability damage region roles difficulty side over result",
    "traffic-congestion": "board driving turn colors lanes signals scores over winner",
    "commute": "round commute turn hands positions minutes reputation arrived deck pending uh_oh closed skips over "
    "winners",
}
"""The keys of each game's state. Other people's programs rely on them and compare states whole."""


@pytest.mark.parametrize("name", KEYS)
def test_a_state_has_the_keys_that_programs_rely_on(name: str) -> None:
    """The JSON of a state has exactly these keys, for every viewer. Anything else that pages need is in the page's own
    content."""
    state = GAMES[name].rules.begin(GAMES[name].rules.seats[0], {}).state
    for viewer in viewers(state):
        assert set(state.as_known_to(viewer).to_json()) == set(KEYS[name].split())


@every_game
def test_without_secrets_everybody_knows_the_whole_position(game: Game[Any]) -> None:
    for state, _ in positions(game, every=4):
        assert game.rules.has_hidden_information or {
            state.as_known_to(viewer) == state for viewer in viewers(state)
        } == {True}


@every_game
def test_without_secrets_everybody_sees_the_same(game: Game[Any]) -> None:
    """A game that does not declare hidden information hides nothing in any view or move."""
    for state, move in positions(game, every=4):
        seen = [move_json.dumps(state.as_known_to(viewer).to_json()) for viewer in viewers(state)]
        if not game.rules.has_hidden_information:
            assert len(set(seen)) == 1
            assert not move or all(move.as_known_to(viewer, state) == move for viewer in viewers(state))


@every_game
def test_random_games_end(game: Game[Any]) -> None:
    """Every random game ends, with an outcome of the same shape. Games that take long at random are played less
    often."""
    start, outcomes, made = game.rules.begin(game.rules.seats[0], options(game.name)), list[Mapping[str, Any]](), 0
    while len(outcomes) < repetitions(1000) and made < MOVES:
        state, moves = play_out(game, start, choose_at_random, f"c/{len(outcomes)}")
        outcomes.append(game.playouts.outcome(state))
        made += moves
    assert len(outcomes) >= repetitions(5)
    assert {frozenset(outcome) for outcome in outcomes} == {frozenset(outcomes[0])}
    assert summarize(outcomes).keys() == outcomes[0].keys()


@pytest.mark.slow
@every_game
def test_every_policy_plays_to_the_end(game: Game[Any]) -> None:
    """Every policy can play a game to its end, using only what the seats know. With the same seed, it plays the same
    game again."""
    for policy in game.policies.by_name.values():
        start = game.rules.begin(game.rules.seats[-1], options(game.name))
        assert play_out(game, start, policy, "p") == play_out(game, start, policy, "p")


@every_game
def test_every_option_can_be_chosen(game: Game[Any]) -> None:
    """A game can begin with each choice of each option, and the default is one of the choices."""
    for option in game.rules.options:
        choices = [choice for choice, _ in option.choices]
        assert not choices or option.default in choices
        for choice in choices:
            begin(game, None, [f"{option.name}={choice}"])


@every_game
def test_the_layout_names_only_components_of_the_game(game: Game[Any]) -> None:
    """A layout names only known components, and no more of a kind than are printed. The difference between two layouts
    can be put into words."""
    words = game.physical.components.vocabulary([f"player {n}" for n in range(game.rules.seats[-1])])
    printed = Counter(game.physical.components.kinds.values())
    for (before, _), (after, _) in pairwise(list(positions(game, every=3))):
        layout = game.physical.layout(after, REFEREE)
        assert Counter(kind for kinds in layout.cards.values() for kind in kinds) <= printed
        assert all(
            str(said).endswith(".")
            for said in physical_instructions(game.physical.layout(before, REFEREE), layout, words)
        )


@every_game
def test_hidden_components_come_from_a_face_down_deck(game: Game[Any]) -> None:
    """Every component whose place is hidden from somebody has a face-down deck as its home. Messages name all other
    components wherever they lie."""
    home_zone = game.physical.components.vocabulary(()).home_zone
    for state, _ in positions(game, every=3):
        whole, public = (game.physical.layout(state, viewer).cards for viewer in (REFEREE, SPECTATOR))
        hidden = Counter(chain(*whole.values())) - Counter(chain(*public.values()))
        assert all(map(home_zone, hidden))


@every_game
def test_components_bear_the_faces_that_chance_deals(game: Game[Any]) -> None:
    """Every card of a deck has a face, no two kinds have the same face, and a house move names the kind together with
    its face."""
    components = game.physical.components
    assert len(set(components.faces.values())) == len(components.faces)
    assert all(component.face for component in components.components if component.home_zone)
    moves = {move for state, _ in positions(game, every=3) for move, weight in state.chances() if weight}
    named = {move: game.physical.component_of(move) for move in moves}
    assert all(components.faces[kind] == move.face for move, kind in named.items() if kind)


@every_game
def test_every_game_has_a_golden_one(game: Game[Any]) -> None:
    """Every game has a golden game; `python -m tests.golden_games GAME NAME` stores one."""
    golden = [path for path in golden_games() if load(path).game is game]
    assert golden, f"keep one: python -m tests.golden_games {game.name} first"


@pytest.mark.parametrize("path", [pytest.param(path, id=f"{path.parent.name}-{path.stem}") for path in golden_games()])
def test_golden_games_replay(path: Path) -> None:
    """Each line of a golden game gives the state that was printed when the game was stored."""
    golden = load(path)
    _, start = begin(golden.game, golden.seats, golden.options)
    state: State = start.state
    for line in golden.lines:
        if "move" in line:
            state = play(state, move_json.from_json(golden.game, golden.seats, line["move"]))
        assert state.to_json() == line["state"], f"ply {line['ply']}"
    with pytest.raises((GameOver, IllegalMove)):
        play(state, move_json.from_json(golden.game, golden.seats, golden.lines[-1]["move"]))
