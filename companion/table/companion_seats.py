"""The seats that the companion plays, because nobody sits there or somebody had to leave.

The journal stores them beside the game, as a note that names the game. They are not part of the game's acts, so games
replay without them, and the companion still plays its seats after a restart.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from companion.games.game import Game
from companion.match.journal import Journal
from companion.text.messages import Text, _
from companion.text.refusal_errors import Refusal

NOTE_KEY: Final = "companion_seats"
"""The key of the note in which the journal stores the companion's seats."""

MAX_GAMES = 1000
"""The journal stores the companion's seats, and the unplayed seats, for at most this many games: the latest that have
any."""

CompanionSeats = Mapping[int, str]
"""Maps each seat that the companion plays to the name of its policy."""


class NoCompanion(Refusal):
    """The refusal to let the companion play a seat that it can't play."""

    code = "no_companion"


def check_companion_seats(
    game: Game[Any], seats: int, dealers: Mapping[str, str], companions: Mapping[int, str]
) -> CompanionSeats:
    """Returns `companions`, sorted by seat. Raises NoCompanion if the companion can't play these seats of a game."""
    for seat, policy in companions.items():
        if not 0 <= seat < seats:
            raise NoCompanion(_("There’s no seat {n} in this game.", n=seat + 1))
        if policy not in game.policies.for_companion:
            raise NoCompanion(
                _(
                    "The companion can’t play {game} as {policy}. Choose one of {known}.",
                    game=_(game.title),
                    policy=repr(policy),
                    known=", ".join(game.policies.for_companion),
                )
            )
    if companions and len(companions) >= seats:
        raise NoCompanion(_("At least one seat needs a person."))
    if companions and (problem := _hand_problem(game, dealers)):
        raise NoCompanion(problem)
    return dict(sorted(companions.items()))


def _hand_problem(game: Game[Any], dealers: Mapping[str, str]) -> Text | None:
    """The reason why the companion can't play a seat if the cards are dealt in this way: it would not know cards that
    its seat may see. None if it can."""
    for source, title in game.rules.chance_sources.items():
        dealer = dealers.get(source, "companion")
        if dealer == "unseen":
            return _(
                "The companion can’t play a seat if nobody tells it what is dealt. Let it deal: {cards}.",
                cards=_(title),
            )
        if dealer == "table" and any(source == move.CHANCE_SOURCE for move in game.rules.phone_only_moves):
            return _(
                "The companion can’t hold real cards, and nobody else may look at them. Let it deal: {cards}.",
                cards=_(title),
            )
    return None


def stored_companion_seats(journal: Journal, id: int, game: Game[Any]) -> CompanionSeats:
    """The companion's seats in the game with this id: at its end, or now if the game is running."""
    return with_policies_of(game, companion_seats_by_game(journal).get(id, {}))


def last_companion_seats(journal: Journal, game: Game[Any]) -> CompanionSeats:
    """The seats that the companion plays in the running game or, if none is running, played at the end of the last one,
    with policies with which it can play the same seats of `game`."""
    note = journal.note(NOTE_KEY)
    return with_policies_of(game, companion_seats_by_game(journal)[note["game"]]) if note else {}


def with_policies_of(game: Game[Any], seats: CompanionSeats) -> CompanionSeats:
    """The companion's seats with policies of `game`. A policy that is unknown, or that the game does not have, is
    replaced by the game's first policy."""
    known = game.policies.for_companion
    return {seat: policy if policy in known else known[0] for seat, policy in seats.items()}


def companion_seats_by_game(journal: Journal) -> Mapping[int, CompanionSeats]:
    """Maps the ids of games to the seats that the companion played when the game ended, or plays now if the game is
    running. Only the last MAX_GAMES games with such seats are included. A policy is "" if it is unknown, because an
    earlier version stored only the seats."""
    note = journal.note(NOTE_KEY)
    if not note:
        return {}
    by_game = {**note.get("earlier", {}), f"{note['game']}": note["seats"]}
    return {
        int(id): {int(seat): seats[seat] if isinstance(seats, dict) else "" for seat in seats}
        for id, seats in by_game.items()
    }


def store_companion_seats(journal: Journal, id: int, companions: CompanionSeats) -> None:
    """Stores the companion's seats in the game with this id, and keeps those of earlier games. Raises JournalError if
    they can't be stored."""
    by_game = companion_seats_by_game(journal)
    earlier = [(f"{game}", _to_json(seats)) for game, seats in by_game.items() if seats and game != id]
    journal.save_note(NOTE_KEY, {"game": id, "seats": _to_json(companions), "earlier": dict(earlier[-MAX_GAMES:])})


def _to_json(companions: CompanionSeats) -> dict[str, str]:
    return {f"{seat}": policy for seat, policy in companions.items()}
