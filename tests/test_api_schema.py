"""The OpenAPI document is valid, describes the moves and positions of every game, and rejects everything else."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, is_typeddict

import msgspec
import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from companion.games import GAMES, move_json
from companion.games.game import Game
from companion.games.move_schema import move_records
from companion.games.rules import REFEREE, Move, Seat
from tests.test_contract import every_game, positions, viewers
from web.api import api_types
from web.api.openapi import description
from web.error_responses import RequestError


@cache
def validator(*names: str) -> Draft202012Validator:
    """A validator for any of these components of the document."""
    refs = [{"$ref": f"#/components/schemas/{name}"} for name in names]
    return Draft202012Validator({"anyOf": refs, "components": description()["components"]})


def moves_of(game: Game[Any]) -> Draft202012Validator:
    return validator(*(kind.__name__ for kind in move_records(game)))


def test_the_document_is_valid_openapi() -> None:
    """The OpenAPI project's own validator accepts the document."""
    validate({**description(), "info": {**description()["info"], "version": "1"}})


@every_game
def test_positions_are_as_described(game: Game[Any]) -> None:
    """The JSON of a position matches its schema, for every viewer."""
    if not is_typeddict(game.rules.position_json):
        pytest.skip(f"{game.name} does not describe its positions yet: GameRules.position_json")
    seen = validator(game.rules.position_json.__name__)
    for state, _ in positions(game, every=30):
        for viewer in viewers(state):
            assert [error.message for error in seen.iter_errors(dict(state.as_known_to(viewer).to_json()))] == []


@every_game
def test_moves_are_as_described(game: Game[Any]) -> None:
    """Legal moves and the house's moves match their schemas, for every viewer. Every move that the document describes
    can be read."""
    described, seen = moves_of(game), set()
    for state, made in positions(game, every=15):
        moves: list[Move] = [*list(state.legal_moves())[:20], *[move for move, _ in state.chances()][:20]]
        for move in (*moves, *([made] if made else [])):
            for viewer in (REFEREE, Seat(0)):
                json = move_json.to_json(move.as_known_to(viewer, state))
                assert described.is_valid(json), json
            seen.add(json["move"])
    assert len(seen) >= min(3, len({kind.NAME for kind in game.rules.moves}))


@every_game
def test_invalid_moves_do_not_match_the_schema(game: Game[Any]) -> None:
    """A move with a missing key, an unknown name, or a seat that is a string does not match the schema."""
    described = moves_of(game)
    move = next(made for _, made in positions(game) if made)
    json = move_json.to_json(move)
    for wrong in (
        {**json, "move": "fly"},
        {**json, "seat": "nobody"},
        {key: value for key, value in json.items() if key != "seat"},
        {key: value for key, value in json.items() if key != "move"},
        [json],
    ):
        assert not described.is_valid(wrong), wrong


def test_a_position_matches_no_other_games_schema() -> None:
    """A position of one game does not match the schema of another."""
    described = {name: game for name, game in GAMES.items() if is_typeddict(game.rules.position_json)}
    names = {name: game.rules.position_json.__name__ for name, game in described.items()}
    for name, game in described.items():
        position = dict(next(positions(game))[0].to_json())
        assert [other for other, record in names.items() if validator(record).is_valid(position)] == [name]


def broken(record: type[msgspec.Struct], **values: Any) -> str:
    with pytest.raises(RequestError) as refused:
        api_types.read(record, values)
    assert refused.value.status == 400
    return str(refused.value)


def wrong_values() -> Iterator[tuple[type[msgspec.Struct], dict[str, Any], str]]:
    move = {"move": {}, "version": 1, "id": "a"}
    yield api_types.Join, {"seat": "a"}, '"seat" must be a whole number, or left out to watch.'
    yield api_types.FreeSeat, {"seat": "a"}, '"seat" must be a whole number.'
    yield api_types.HandOver, {"policy": None}, '"seat" must be a whole number.'
    yield api_types.Join, {"name": ["a"]}, '"name" must be text.'
    yield api_types.Join, {"code": "\ud800"}, '"code" must be text.'
    yield api_types.MakeMove, {**move, "version": True}, '"version" must be a whole number, the version of the view'
    yield api_types.MakeMove, {**move, "version": None}, '"version" must be a whole number'
    yield api_types.MakeMove, {"move": {}, "id": "a"}, '"version" must be a whole number'
    yield api_types.MakeMove, {**move, "id": "é"}, '"id" must be text of 1 to 64 plain characters'
    yield api_types.Answer, {}, '"agreed" must be true or false.'
    yield api_types.StartGame, {}, '"game" must be text.'
    yield api_types.StartGame, {"game": "x", "players": [1]}, '"players" must be a list of texts.'
    yield api_types.StartGame, {"game": "x", "options": {"a": 1}}, '"options" must be an object of texts.'
    yield api_types.StartGame, {"game": "x", "dealers": {"\udfff": "a"}}, '"dealers" must be an object of texts.'
    yield api_types.StartGame, {"game": "x", "seats": 1.5}, '"seats" must be a whole number.'
    yield api_types.StartGame, {"game": "x", "weather": "fine"}, '"weather" is unknown; the keys are game, seats'
    yield api_types.FreeSeat, {}, '"seat" must be a whole number'


@pytest.mark.parametrize(("record", "values", "message"), [*wrong_values()])
def test_a_wrong_value_is_refused_by_name(record: type[msgspec.Struct], values: dict[str, Any], message: str) -> None:
    """The refusal of a wrong value names the key and says what its value must be."""
    assert broken(record, **values).startswith(message)


def test_json_has_one_type_of_number() -> None:
    """In a request, 1.0 is accepted as a whole number. In a move it is not, because moves are read by
    `move_json`."""
    made = api_types.read(api_types.MakeMove, {"move": {"slot": 1.0}, "version": 2.0, "id": "a"})
    assert (made.version, type(made.version)) == (2, int)
    assert type(made.move["slot"]) is float


def test_a_missing_move_is_left_to_the_rules() -> None:
    """The rules, not the schema, refuse a request without a move."""
    assert api_types.read(api_types.MakeMove, {"version": 1, "id": "a"}).move is None
