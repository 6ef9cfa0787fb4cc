"""Starts games: a game that a host has set up, a rematch, or a what-if from a step of an earlier game. Phones are asked
for their shares in the shuffle, and get the seats of their players."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from companion.games import GAMES
from companion.games.rules import Json
from companion.match.fair_shuffle import FairShuffle, commitment_to
from companion.match.new_game_header import new_header, unknown_game
from companion.match.replay import Replay
from companion.match.what_if_games import why_not_to_play_on
from companion.table.companion_seats import check_companion_seats, companion_seats_by_game
from companion.text.default_names import companion_name, default_name
from companion.text.messages import _
from companion.text.player_names import name_key
from companion.text.refusal_errors import SetupError
from web.context import AppContext
from web.error_responses import bad_request
from web.people.all_default_names import all_default_names


@dataclass(frozen=True)
class GameSetup:
    """The host's choices for a new game. `options` has the chosen value of each option. `dealers` says who deals each
    chance source. `players` are the players' names, by seat. `companions` has the policy of each seat that the
    companion plays. `follows`: the id and version of the game that the host last saw on the table; both are 0 if there
    was none. If the table now has another game or another version, the new game is not started: another host has
    started a game, or somebody has undone the end of the last one. A version of None matches any version."""

    options: Mapping[str, str]
    dealers: Mapping[str, str]
    players: tuple[str, ...]
    companions: Mapping[int, str] = field(default_factory=dict)
    follows: tuple[int, int | None] | None = None


def start_game(context: AppContext, name: str, seats: int | None, setup: GameSetup) -> int:
    """Starts a game as the host has set it up; returns the game's id. Raises RequestError if the game does not have one
    of the options, SetupError if anything else is wrong with the set-up. Also raises the errors of `begin_game`."""
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
                "There are {players} players but only {seats} seats. Leave some out.",
                players=len(setup.players),
                seats=count,
            )
        )
    chosen = (*setup.players, *("",) * (count - len(setup.players)))
    players = _with_default_names(chosen, setup.companions)
    if twice := _name_given_twice(players):
        raise SetupError(_("Two players are called {name}. Give each a name of their own.", name=twice))
    options, setup = context.boards.with_files(game, setup.options), replace(setup, players=players)
    return begin_game(context, name, options, setup, _seats_of_phones(context, chosen))


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
    or Refusal if the set-up is wrong, Stale if the game that it follows has changed in the meantime, JournalError if
    the new game can't be stored."""
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
    the seats that their players had in the earlier game. Raises SetupError if the game can't be continued from there,
    JournalError if the new game can't be stored."""
    if problem := why_not_to_play_on(replay, act):
        raise SetupError(problem)  # before phones are asked
    players = replay.stored.header.players
    companions = companion_seats_by_game(context.table.journal).get(replay.stored.id, ())
    moved = _seats_of_phones(context, players, are_all_seated=True, companions=companions)
    seed, shuffle = _new_shuffle(context, len(players), moved)
    with context.lobby.reseated(moved) as notes:
        id = context.table.play_on(replay, act, seed, shuffle, notes)
    context.lobby.renew_code(grace=True)
    return id


def _new_shuffle(context: AppContext, seat_count: int, moved: Mapping[int, int | None]) -> tuple[str, FairShuffle]:
    """A seed for a new game, and the shuffle with the shares of the phones. `moved`: see `begin_game`. Phones that lose
    their seats add no shares."""
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


def _seats_of_phones(
    context: AppContext,
    after: Sequence[str],
    *,
    are_all_seated: bool = False,
    companions: Collection[int] = (),
) -> Mapping[int, int | None]:
    """Maps the seats that phones have now to their seats in a new game. Parameters and result are those of
    `seats_in_next_game`."""
    phones = context.lobby.phones
    seated = {session.seat: session for session in phones.all if session.seat is not None}
    names = {seat: session.name for seat, session in seated.items()}
    online = {seat for seat, session in seated.items() if phones.is_online(session)}
    return seats_in_next_game(
        _last_players(context), after, names, online, are_all_seated=are_all_seated, companions=companions
    )


def seats_in_next_game(
    before: Sequence[str],
    after: Sequence[str],
    phones: Mapping[int, str],
    online: Collection[int],
    *,
    are_all_seated: bool = False,
    companions: Collection[int] = (),
) -> Mapping[int, int | None]:
    """Maps the seats that phones have now to their seats in a new game, or to None if a phone loses its seat because
    other people will play. `before` are the names of the last game's players, by seat. `after` are the names chosen for
    the new game, by seat; "" for a seat without a name. `phones` maps seats to the names of their phones. `online`
    contains the seats whose phone has a page open.

    A phone follows the name of its player. A phone whose player is not in the new game keeps its seat only if the seat
    has a default name: either in both games, or in one of them while a page of the phone is open. With
    `are_all_seated`, such a phone gets one of the remaining seats instead, and a seat of the companion only if no other
    seat remains. `companions` are the seats that the companion plays in the new game.
    """
    keys, defaults = [name_key(name) for name in after], all_default_names()
    seats = {key: seat for seat, key in enumerate(keys) if key and keys.count(key) == 1}
    taken = {seats.get(name_key(name)) for name in before} if are_all_seated else set()
    moved: dict[int, int | None] = {}
    others = []
    for old, phone_name in sorted(phones.items()):
        name = before[old] if old < len(before) else phone_name
        new = seats.get(name_key(name), seats.get(name_key(phone_name)))
        moved[old] = None if new in moved.values() else new
        unnamed = [not name or name in defaults, old >= len(after) or not after[old] or after[old] in defaults]
        if are_all_seated or (new is None and (all(unnamed) or (any(unnamed) and old in online))):
            others.append(old)
    by_preference = sorted(range(max(len(before), len(after))), key=lambda seat: seat in companions)
    left = (seat for seat in by_preference if seat not in taken | {*moved.values()})
    for old in others:
        if moved[old] is None:
            is_seated = are_all_seated and old < len(before)
            moved[old] = next(left, None) if is_seated else None if old in moved.values() else old
    return moved


def _name_given_twice(players: tuple[str, ...]) -> str:
    """The first name that belongs to the same person as an earlier name (see `name_key`); "" if there is none."""
    keys = [name_key(name) for name in players]
    return next((name for seat, name in enumerate(players) if keys[seat] in keys[:seat]), "")


def _with_default_names(names: tuple[str, ...], companions: Mapping[int, str]) -> tuple[str, ...]:
    """The names by seat. Players whose name is "" get a default name: "Companion" where the companion plays, otherwise
    one such as "Player 1"."""
    unnamed = [seat for seat in sorted(companions) if 0 <= seat < len(names) and not names[seat]]
    return tuple(
        name or str(companion_name(unnamed.index(seat)) if seat in unnamed else default_name(seat))
        for seat, name in enumerate(names)
    )
