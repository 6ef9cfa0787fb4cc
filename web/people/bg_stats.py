"""Finished games as a file that the app BG Stats imports: JSON with the ending `.bgsplay`.

The app's maker has not described the format, so the keys are those that the app itself writes when it shares a play.
Each play has the same id in every file, so that the app can recognize a play that it has imported before.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from companion.games import GAMES
from companion.text.player_names import clean_name, name_key
from web.people.statistics import PlayedGame, plays_of
from web.results.summaries import GameSummary

ABOUT = (
    "This is a Play file that can be read by Board Game Stats. If you see this text, try to use a share, export or "
    "open-in function to open it with Board Game Stats."
)
"""The text that the app writes into each of its files."""
ANONYMOUS = "Anonymous player"
"""The app's name for players without a name."""


def bg_stats_file(games: Sequence[GameSummary], me: str, is_name: Callable[[str], bool]) -> str:
    """The file with these games. `me`: the key of the person whose app imports the file, see `name_key`; "" for nobody.
    `is_name` returns whether a name belongs to a person; other players are anonymous in the app."""
    names = {name_key(name): clean_name(name) for game in games for name in game.players if is_name(clean_name(name))}
    player_ids = {key: number for number, key in enumerate(names, 1)}
    anonymous_id = len(names) + 1
    game_ids = {name: number for number, name in enumerate(dict.fromkeys(game.name for game in games), 1)}
    changed = max(map(_time, games), default="")
    players = [_player(player_ids[key], key, name, changed) for key, name in names.items()]
    content = {
        "about": ABOUT,
        "players": [*players, {**_player(anonymous_id, "", ANONYMOUS, changed), "isAnonymous": True}],
        "locations": [],
        "games": [
            _game(number, [game for game in games if game.name == name], changed) for name, number in game_ids.items()
        ],
        "plays": [_play(game, game_ids[game.name], lambda key: player_ids.get(key, anonymous_id)) for game in games],
        "userInfo": {"meRefId": player_ids.get(me, 0)},
    }
    return json.dumps(content, ensure_ascii=False, indent=1)


def _time(game: GameSummary) -> str:
    """When a game began, in the app's format."""
    return f"{game.began:%Y-%m-%d %H:%M:%S}"


def _player(number: int, key: str, name: str, changed: str) -> dict[str, Any]:
    return {
        "uuid": _uuid("player", key),
        "id": number,
        "name": name,
        "isAnonymous": False,
        "modificationDate": changed,
        "bggUsername": "",
    }


def _game(number: int, games: Sequence[GameSummary], changed: str) -> dict[str, Any]:
    """The entry for a title such as "Commute". `games`: all finished games with this title; there must be at least one.
    The entry has no BoardGameGeek id."""
    name, plays = games[0].name, [play for game in games for _, play in plays_of(game)]
    return {
        "uuid": _uuid("game", name),
        "id": number,
        "name": GAMES[name].title,
        "modificationDate": changed,
        "cooperative": any(play.is_together for play in plays),
        "highestWins": True,
        "noPoints": not any(play.score for play in plays),
        "usesTeams": False,
        "bggName": "",
        "bggYear": 0,
        "bggId": 0,
    }


def _play(game: GameSummary, game_id: int, player_id: Callable[[str], int]) -> dict[str, Any]:
    when = _time(game)
    return {
        "uuid": _uuid("play", f"{game.id} {game.began.timestamp():.0f}"),
        "modificationDate": when,
        "entryDate": when,
        "playDate": when,
        "usesTeams": False,
        "durationMin": game.minutes,
        "ignored": False,
        "manualWinner": True,
        "rounds": 0,
        "gameRefId": game_id,
        "board": "",
        "scoringSetting": 0,
        "playerScores": [_score(play, player_id(key)) for key, play in plays_of(game)],
    }


def _score(play: PlayedGame, player_id: int) -> dict[str, Any]:
    return {
        "score": f"{play.score.points}" if play.score else "",
        "winner": play.won is True,
        "newPlayer": False,
        "startPlayer": False,
        "playerRefId": player_id,
        "rank": 0,
        "seatOrder": play.seat + 1,
    }


def _uuid(kind: str, key: str) -> str:
    return str(uuid5(NAMESPACE_URL, f"tablekeeper:{kind}/{key}")).upper()
