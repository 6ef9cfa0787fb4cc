"""Starts games: a game that a host has set up, a rematch, or a what-if from a step of an earlier game. Phones are asked
for their shares in the shuffle, and get the seats of their players."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from companion.games import GAMES
from companion.games.rules import Json
from companion.match.fair_shuffle import FairShuffle, commitment_to
from companion.match.new_game import default_name, new_header, unknown_game
from companion.match.replay import Replay
from companion.match.what_if_games import why_not_to_play_on
from companion.table.companion_seats import check_companion_seats, companion_name
from companion.text.messages import _
from companion.text.player_names import name_key
from companion.text.refusals import SetupError
from web.context import AppContext
from web.error_responses import bad_request
from web.localization import translate
from web.people.unnamed_players import unnamed_players


@dataclass(frozen=True)
class GameSetup:
    """The host's choices for a new game. `options` has the chosen value of each option. `dealers` says who deals each
    chance source. `players` are the players' names, by seat. `companions` has the policy of each seat that the
    companion plays. `follows`: the id and version of the game that the host has seen last on the table; both are 0 if
    there was none. If the table has another game or another version by then, the new game is not started: another host
    has started one, or somebody has undone the end. A version of None stands for any version."""

    options: Mapping[str, str]
    dealers: Mapping[str, str]
    players: tuple[str, ...]
    companions: Mapping[int, str] = field(default_factory=dict)
    follows: tuple[int, int | None] | None = None


def start_game(context: AppContext, name: str, seats: int | None, setup: GameSetup) -> int:
    """Starts a game as the host has set it up; returns the game's id. Raises RequestError if the game does not have one
    of the options, SetupError if anything else is wrong with the set-up; otherwise raises the same errors as
    `begin_game`."""
    game = GAMES.get(name)
    if game is None:
        raise SetupError(unknown_game(name))
    option_names = {option.name for option in game.rules.options}
    for option in setup.options:
        if option not in option_names:
            raise bad_request(
                _(
                    "{game} has no option {name}. It has {known}.",
                    game=_(game.title),
                    name=repr(option),
                    known=", ".join(option_names),
                )
            )
    if len(setup.players) > (count := game.rules.seat_count(seats)):
        raise SetupError(
            _(
                "{players} players don’t fit {seats} seats. Leave some out.",
                players=len(setup.players),
                seats=count,
            )
        )
    players = _with_default_names(setup.players, count, setup.companions)
    if twice := _name_given_twice(players):
        raise SetupError(_("Two players are called {name}. Give each a name of their own.", name=twice))
    options, setup = context.boards.with_files(game, setup.options), replace(setup, players=players)
    return begin_game(context, name, options, setup, seats_of_phones(context, players))


def begin_game(
    context: AppContext,
    name: str,
    options: Mapping[str, Json],
    setup: GameSetup,
    moved: Mapping[int, int | None] | None = None,
) -> int:
    """Starts a game in which all players have names; returns the game's id. `options` are the values of the game's
    options, with the texts of board files in place of the names of uploaded boards; the options in `setup` are ignored.
    `moved` maps the old seats of phones to their new ones, or to None if the phones lose their seats. Raises SetupError
    or Refusal if the set-up is wrong, Stale if the game that it follows has changed meanwhile, JournalError if the new
    game can't be stored."""
    # A bad set-up is refused before phones are asked for their shares.
    players = setup.players
    seats = len(players)
    header = new_header(name, seats, options, setup.dealers, players, "")
    check_companion_seats(GAMES[name], header.seats, header.dealers, setup.companions)
    seed, shuffle = _new_shuffle(context, seats, moved or {})
    with context.lobby.reseated(moved or {}) as notes:
        id = context.table.start(
            name, seats, options, setup.dealers, players, seed, shuffle, setup.companions, notes, setup.follows
        )
    context.lobby.renew_code(grace=True)
    context.profiles.remember(players)
    return id


def play_on(context: AppContext, replay: Replay, act: int) -> int:
    """Starts a what-if after the first `act` acts of an earlier game; returns the id of the new game. Phones move to
    the seats that their players had in the earlier game. Raises SetupError if nobody can play on from there,
    JournalError if the new game can't be stored."""
    if problem := why_not_to_play_on(replay, act):
        raise SetupError(problem)  # before phones are asked
    players = replay.stored.header.players
    moved = seats_by_name(_last_players(context), players)
    seed, shuffle = _new_shuffle(context, len(players), moved)
    with context.lobby.reseated(moved) as notes:
        id = context.table.play_on(replay, act, seed, shuffle, notes)
    context.lobby.renew_code(grace=True)
    return id


def _new_shuffle(context: AppContext, seat_count: int, moved: Mapping[int, int | None]) -> tuple[str, FairShuffle]:
    """A seed for a new game, and the shuffle with the shares of the phones. `moved`: as for `begin_game`. Phones that
    lose their seats add no shares."""
    seed = secrets.token_hex(32)
    unseated = {seat for seat, new in moved.items() if new is None}
    shares = context.shares.collect(commitment_to(seed), seat_count=seat_count, unseated=unseated)
    seats = {old: new for old, new in moved.items() if new is not None}
    seated = [replace(share, seat=seats.get(share.seat, share.seat)) for share in shares]
    return seed, FairShuffle(commitment_to(seed)).with_round(seated, {})


def _last_players(context: AppContext) -> Sequence[str]:
    """The players of the running game, or else of the last game; nobody if there was none."""
    journal = context.table.journal
    running = journal.running_game()
    header = running.header if running else journal.last_header()
    return header.players if header else ()


def seats_of_phones(context: AppContext, after: Sequence[str]) -> Mapping[int, int | None]:
    """Maps the seats that phones have to their seats in a new game with the players `after`; None if a phone loses its
    seat, because other people play now.

    A phone follows the name of its player. A phone whose player is not in the new game keeps its seat only if the seat
    has a default name: either in both games, or in one of them while a page of the phone is open.
    """
    before, phones = _last_players(context), context.lobby.phones
    seats, defaults = {name_key(name): seat for seat, name in enumerate(after)}, unnamed_players()
    moved: dict[int, int | None] = {}
    others = []
    for session in phones.all:
        if (old := session.seat) is None:
            continue
        name = before[old] if old < len(before) else session.name
        new = seats.get(name_key(name), seats.get(name_key(session.name)))
        moved[old] = None if new in moved.values() else new
        unnamed = [not name or name in defaults, old >= len(after) or after[old] in defaults]
        if new is None and (all(unnamed) or (any(unnamed) and phones.is_online(session))):
            others.append(old)
    return moved | {seat: seat for seat in others if seat not in moved.values()}


def seats_by_name(before: Sequence[str], after: Sequence[str]) -> Mapping[int, int]:
    """Maps the seats of a game with the players `before` to the seats of the next game, with the players `after`. A
    player who is in both games moves to the seat with the same name; the others move to the seats that are left."""
    once = [name for name in before if before.count(name) == after.count(name) == 1]
    moved = {before.index(name): after.index(name) for name in once}
    left = iter(seat for seat in range(max(len(before), len(after))) if seat not in moved.values())
    return moved | {seat: next(left) for seat in range(len(before)) if seat not in moved}


def _name_given_twice(players: tuple[str, ...]) -> str:
    """The first name that is the same person's as an earlier name (see `name_key`); "" if all are different people."""
    keys = [name_key(name) for name in players]
    return next((name for seat, name in enumerate(players) if keys[seat] in keys[:seat]), "")


def _with_default_names(players: tuple[str, ...], count: int, companions: Mapping[int, str]) -> tuple[str, ...]:
    """The names of `count` players. Players without a name get a default name in the host's language: "Companion" where
    the companion plays, otherwise one such as "Player 1"."""
    given = (*players, *("",) * (count - len(players)))
    unnamed = [seat for seat in sorted(companions) if 0 <= seat < count and not given[seat]]
    return tuple(
        name or translate(companion_name(unnamed.index(seat)) if seat in unnamed else default_name(seat))
        for seat, name in enumerate(given)
    )
