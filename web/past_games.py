"""Past games: a list with what came of them, and each game to step through, with its charts.

A game that was closed is open to all who are in: its hands too. One that is over and not closed can be taken up again
by an undo, so that of it nobody sees more than while it was played; a game that goes on is not looked back on at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean

from flask import Blueprint, Response, make_response, redirect, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from companion.games.rules import REFEREE, SPECTATOR, Viewer
from companion.games.view import Ending
from companion.match.export import export_lines
from companion.match.history import ReplayError
from companion.match.journal import StoredGame
from companion.match.replay import Replay
from companion.text.translation import _, language, number
from web.charts import charts
from web.context import AppContext
from web.refusals import Refused
from web.render import render
from web.seats import viewer_of


@dataclass(frozen=True)
class Played:
    """A game in the list. `ending` None: it was ended before its end, or goes on where it is not `closed`."""

    id: int
    name: str
    title: str
    players: tuple[str, ...]
    began: datetime
    minutes: int
    acts: int
    closed: bool
    ending: Ending | None
    finals: tuple[tuple[str, int], ...]
    """What the meters that are nobody's own showed at the end."""
    ran_out: tuple[tuple[str, int], ...] = ()
    """Those of them that stood at their bad end."""

    @property
    def winners(self) -> tuple[str, ...]:
        """The names of those who won."""
        if self.ending is None:
            return ()
        return self.players if self.ending.won else tuple(self.players[seat] for seat in self.ending.winners)


@dataclass(frozen=True)
class Tally:
    """What came of all finished games of a kind. `together`: how many were won, where all win or lose."""

    title: str
    finished: int
    together: int | None
    minutes: int
    meters: tuple[tuple[str, float, int, int], ...]
    """The mean, the lowest and the highest that a meter showed at the end."""
    players: tuple[tuple[str, int, int], ...]
    """Each name with the games that it finished and won, most wins first."""


class Lookback:
    """The addresses under /games."""

    def __init__(self, context: AppContext) -> None:
        self._context = context
        self._closed: dict[tuple[int, str], Played | None] = {}
        """What was looked at once, in the language in which it was told."""

    def routes(self) -> Blueprint:
        """The addresses."""
        routes = Blueprint("lookback", __name__, url_prefix="/games")
        routes.before_request(self._only_inside)
        routes.app_template_global("came_of")(came_of)
        routes.add_url_rule("", view_func=self.list)
        routes.add_url_rule("/<int:id>", view_func=self.game)
        routes.add_url_rule("/<int:id>.jsonl", view_func=self.file)
        routes.add_url_rule("/<int:id>.svg", view_func=self.picture)
        return routes

    def _only_inside(self) -> AnyResponse | None:
        return None if self._context.guest().known else redirect("/join", 303)

    def list(self) -> Response:
        """Every game, and what came of them all."""
        games = self._context.table.journal.games()
        played = [*filter(None, map(self._played, games))]
        return render(
            self._context,
            "games.html",
            None,
            title=f"{_('Past games')} – Tablekeeper",
            played=played[::-1],
            tallies=tuple(tallies(played)),
            unreadable=len(games) - len(played),
        )

    def game(self, id: int) -> Response:
        """One game, as it stood after `at` acts."""
        past = self._past(id)
        at = min(max(request.args.get("at", past.length, type=int), 0), past.length)
        view, header = past.at(at, self._viewer(past)), past.stored.header
        return render(
            self._context,
            "past.html",
            view,
            title=f"{_('{game}, looking back', game=_(view.game.title))} – Tablekeeper",
            at=at,
            past=past,
            charts=charts(past.curves(), header.players, at),
            waited=[(_who(who, header.names), round(s / 60)) for who, s in past.seconds().items() if s >= 30],
            summary=played(past),
        )

    def file(self, id: int) -> Response:
        """The whole game as it is exported."""
        past = self._past(id)
        if past.stored.closed is None:
            said = _("The file holds what some may not know yet; end the game first.")
            raise Refused(403, "not_closed", said)
        return _download("".join(f"{line}\n" for line in export_lines(past.stored)), f"game-{id}.jsonl", "text/plain")

    def picture(self, id: int) -> Response:
        """The game's charts as one picture."""
        past = self._past(id)
        drawn = charts(past.curves(), past.stored.header.players, past.length)
        svg = render_template("picture.svg", charts=drawn, summary=played(past))
        return _download(svg, f"game-{id}.svg", "image/svg+xml")

    def _past(self, id: int) -> Replay:
        try:
            past = Replay.of(stored := self._context.table.journal.game(id))
        except KeyError as error:
            raise Refused(404, "no_such_game", _("There is no game {number} in the journal.", number=id)) from error
        except ReplayError as error:
            said = _("Game {number} can't be looked at: {why}", number=id, why=error)
            raise Refused(409, "not_replayed", said) from error
        if stored.closed is None and not past.over:
            raise Refused(403, "not_over", _("That game goes on; look back on it when it is over."))
        return past

    def _viewer(self, past: Replay) -> Viewer:
        """Who looks: all of a game is shown only once it is closed."""
        return REFEREE if past.stored.closed else viewer_of(self._context.guest())

    def _played(self, stored: StoredGame) -> Played | None:
        """A game for the list; None if it can't be replayed by these rules."""
        key = (stored.id, language())
        if key not in self._closed:
            try:
                past = Replay.of(stored)
            except ReplayError:
                self._closed[key] = None
                return None
            if not stored.closed:
                return played(past)
            self._closed[key] = played(past)
        return self._closed[key]


def played(past: Replay) -> Played:
    """A past game in short."""
    view, header = past.at(past.length, SPECTATOR), past.stored.header
    meters = [meter for meter in view.meters if meter.seat is None]
    return Played(
        past.stored.id,
        header.game,
        _(view.game.title),
        header.names,
        datetime.fromisoformat(past.stored.started).astimezone(),
        round(sum(past.seconds().values()) / 60),
        past.length,
        past.stored.closed is not None,
        view.ending,
        tuple((meter.name, meter.value) for meter in meters),
        tuple((meter.name, meter.value) for meter in meters if meter.level == "poor" and meter.value >= meter.highest),
    )


def came_of(game: Played) -> str:
    """What came of a game, in a few words."""
    if game.ending is None:
        return _("ended early") if game.closed else _("being played")
    if game.ending.won is not None:
        ended = _("won") if game.ending.won else _("lost")
        return ", ".join((ended, *(f"{name} {number(value)}" for name, value in (game.ran_out or game.finals)[:1])))
    match game.winners:
        case ():
            return _("nobody won")
        case (name,):
            return _("{name} won", name=name)
    return _("{names} won", names=_(" and ").join(game.winners))


def tallies(games: Sequence[Played]) -> Iterator[Tally]:
    """What came of the finished games of each kind."""
    for title in dict.fromkeys(game.title for game in games):
        done = [game for game in games if game.title == title and game.ending]
        if done:
            yield _tally(title, done)


def _tally(title: str, done: Sequence[Played]) -> Tally:
    plays, wins = Counter(p for game in done for p in game.players), Counter(p for game in done for p in game.winners)
    together = [bool(game.ending and game.ending.won) for game in done if game.ending and game.ending.won is not None]
    finals: dict[str, list[int]] = {}
    for name, value in (final for game in done for final in game.finals):
        finals.setdefault(name, []).append(value)
    return Tally(
        title,
        len(done),
        sum(together) if together else None,
        round(fmean(game.minutes for game in done)),
        tuple((name, fmean(values), min(values), max(values)) for name, values in finals.items()),
        tuple(sorted(((name, plays[name], wins[name]) for name in plays), key=lambda row: -row[2])),
    )


def _who(who: int | str, players: Sequence[str]) -> str:
    return players[who] if isinstance(who, int) else _("the table")


def _download(text: str, name: str, mimetype: str) -> Response:
    response = make_response(text)
    response.mimetype = mimetype
    response.headers["Content-Disposition"] = f"attachment; filename={name}"
    return response
