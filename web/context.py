"""The context that the pages and the API share: the table, the lobby, and the phone that sent the request."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from flask import request

from companion.games import GAMES
from companion.games.rules import Json, Seat
from companion.games.view import View
from companion.match.fair_shuffle import FairShuffle, commitment_to
from companion.match.new_game import default_name, new_header, unknown_game
from companion.match.playing_on import why_not_to_play_on
from companion.match.replay import Replay
from companion.table.companion_seats import check_companion_seats, companion_name
from companion.table.current_game import NoGame, no_game
from companion.table.table import Table
from companion.tabletop.observations import DeviceHealth
from companion.tabletop.photo_interface import PhoneReader, Reader
from companion.text.messages import TextLike, _
from companion.text.refusals import SetupError
from web import addresses
from web.access.guests import GUEST, OWN_REQUEST, Guest, viewer_of
from web.access.lobby import Lobby
from web.access.phone_cookie import phone_token
from web.error_responses import RequestError, bad_request
from web.events.live_pages import LivePages
from web.events.share_rounds import ShareRounds
from web.events.streams import Streams
from web.localization import translate
from web.past_games.shared_replay import SharedReplay
from web.people.profiles import Profiles
from web.uploaded_boards import UploadedBoards


@dataclass(frozen=True)
class AppContext:
    """The objects that all request handlers share: the table, the lobby, the event streams and the people's profiles.
    It also says which optional pages exist."""

    table: Table
    lobby: Lobby
    streams: Streams
    shares: ShareRounds
    live_pages: LivePages
    profiles: Profiles
    shared_replay: SharedReplay
    has_simulator: bool
    has_setup_page: bool = False
    has_ca_page: bool = False
    """Whether the table serves https and has a page that explains how to trust its certificate."""
    trusts_own_screen: bool = False
    """Whether a browser on this machine counts as the table's own screen, which may become the first host and sees the
    join code. Behind a reverse proxy on this machine, every phone would count as the table's own screen."""
    has_print_page: bool = False
    boards: UploadedBoards = field(default_factory=lambda: UploadedBoards(None))
    disk: Callable[[], DeviceHealth] | None = None
    """Checks the free space for the journal; None if the journal is kept in memory."""
    reader: Reader | None = None
    """Reads the codes in photographs; None if photographs can't be read here."""

    def guest(self) -> Guest:
        """The phone that sent the request, as the lobby knows it."""
        guest: Guest = request.environ.get(GUEST) or self.lobby.phones.guest(phone_token())
        if OWN_REQUEST in request.environ:
            request.environ[GUEST] = guest  # so that it stays the same while the server renders the page
        return guest

    def has_camera(self) -> bool:
        """Whether there is a camera, a real one or a simulated one. While the camera of a freshly started service has
        not reported yet, whether one is selected."""
        cameras = [device for device in self.table.health() if device.device == "camera"]
        return any(not camera.missing for camera in cameras) if cameras else self.has_setup_page

    def is_own_screen(self) -> bool:
        """Whether the request comes from the table's own screen."""
        return self.trusts_own_screen and addresses.is_local()

    def may_see_join_code(self) -> bool:
        """Whether to show the join code: to phones that have joined, and on this machine's own screen if it is
        trusted."""
        return self.guest().has_joined or self.is_own_screen()

    def view(self) -> View | None:
        """What the requesting phone may see of the match; None if there is no game."""
        viewer = viewer_of(self.guest())
        view = self.table.view(viewer)
        # If the next game has begun meanwhile, the phone may have another seat, and must not see the hand of this one.
        return view if viewer_of(self.guest()) == viewer else self.view()

    def view_or_refuse(self) -> View:
        """What the requesting phone may see of the match. Raises NoGame if there is no game."""
        view = self.view()
        if view is None:
            raise NoGame(no_game())
        return view

    def seat(self) -> Seat:
        """The requesting phone's seat. Raises NoGame if there is no game, RequestError if the phone has no seat."""
        if not self.table.names:
            raise NoGame(no_game())
        guest = self.guest()
        if guest.seat is None:
            raise RequestError(403, "no_seat", _("This phone has no seat. Join with the code on the table’s screen."))
        return Seat(guest.seat)

    def reader_or_refuse(self) -> PhoneReader:
        """The photo reader for the requesting phone; raises RequestError if photographs can't be read here."""
        reader, phone = self.reader, self.guest().key
        if reader is None:
            raise RequestError(404, "no_reader", _("Photos can’t be read here; tap what it is."))
        return lambda data: reader(data, phone)

    def check_may_hand_over(self, seat: int) -> None:
        """Checks that the requesting phone may let the companion play this seat, or take the seat back: it has the
        seat, or it is a host. Raises NoGame, RequestError."""
        guest = self.guest()
        if not self.table.names:
            raise NoGame(no_game())
        if not 0 <= seat < len(self.table.names):
            raise RequestError(404, "no_such_seat", _("There’s no such seat in this game."))
        if guest.seat != seat and not guest.host:
            raise RequestError(403, "not_your_seat", _("Only the phone of that seat or a host may do that."))

    def host(self) -> Guest:
        """The requesting phone, if it is a host; otherwise raises RequestError."""
        return require_host(self.lobby)

    def start(self, name: str, seats: int | None, setup: GameSetup) -> int:
        """Starts a game as the host has set it up; returns the game's id. Raises SetupError, RequestError."""
        game = GAMES.get(name)
        if game is None:
            raise SetupError(unknown_game(name))
        option_names = {option.name for option in game.rules.options}
        for option in setup.options:
            if option not in option_names:
                raise bad_request(
                    _(
                        "{game} has no option {name}; it has {known}.",
                        game=_(game.title),
                        name=repr(option),
                        known=", ".join(option_names),
                    )
                )
        if len(setup.players) > (count := game.rules.seat_count(seats)):
            raise SetupError(
                _(
                    "{players} players can't have {seats} seats; leave some out.",
                    players=len(setup.players),
                    seats=count,
                )
            )
        players = _with_default_names(setup.players, count, setup.companions)
        return self.begin(name, self.boards.with_files(game, setup.options), replace(setup, players=players))

    def begin(
        self, name: str, options: Mapping[str, Json], setup: GameSetup, moved: Mapping[int, int] | None = None
    ) -> int:
        """Starts a game in which all players have names; returns the game's id. `options` are those of `setup`, with
        the boards' files in them. `moved`: the new seat of each seat from which phones move. Raises SetupError,
        JournalError."""
        # A bad set-up is refused before phones are asked for their shares.
        players = setup.players
        seats = len(players)
        header = new_header(name, seats, options, setup.dealers, players, "")
        check_companion_seats(GAMES[name], header.seats, header.dealers, setup.companions)
        seed, shuffle = self._new_shuffle(seats, moved or {})
        with self.lobby.reseated(moved or {}) as notes:
            id = self.table.start(
                name, seats, options, setup.dealers, players, seed, shuffle, setup.companions, notes, setup.follows
            )
        self.lobby.renew_code(grace=True)
        self.profiles.remember(players)
        return id

    def play_on(self, replay: Replay, act: int) -> int:
        """Starts a what-if after the first `act` acts of an earlier game; returns the id of the new game. Phones move
        to the seats that their players had in the earlier game. Raises SetupError, JournalError."""
        if problem := why_not_to_play_on(replay, act):
            raise SetupError(problem)  # before phones are asked
        players = replay.stored.header.players
        last = self.table.journal.running_game()
        header = last.header if last else self.table.journal.last_header()
        moved = seats_by_name(header.players if header else (), players)
        seed, shuffle = self._new_shuffle(len(players), moved)
        with self.lobby.reseated(moved) as notes:
            id = self.table.play_on(replay, act, seed, shuffle, notes)
        self.lobby.renew_code(grace=True)
        return id

    def _new_shuffle(self, seat_count: int, moved: Mapping[int, int]) -> tuple[str, FairShuffle]:
        """A seed for a new game, and the shuffle with the shares of the phones. `moved`: as for `begin`."""
        seed = secrets.token_hex(32)
        shares = self.shares.collect(commitment_to(seed), seat_count=seat_count)
        seated = [replace(share, seat=moved.get(share.seat, share.seat)) for share in shares]
        return seed, FairShuffle(commitment_to(seed)).with_round(seated, {})


def seats_by_name(before: Sequence[str], after: Sequence[str]) -> Mapping[int, int]:
    """The new seat of each seat when a game with the players `after` follows one with the players `before`. Everyone
    who plays in both keeps their name; the others get the seats that are left."""
    once = [name for name in before if before.count(name) == after.count(name) == 1]
    moved = {before.index(name): after.index(name) for name in once}
    left = iter(seat for seat in range(max(len(before), len(after))) if seat not in moved.values())
    return moved | {seat: next(left) for seat in range(len(before)) if seat not in moved}


def _with_default_names(players: tuple[str, ...], count: int, companions: Mapping[int, str]) -> tuple[str, ...]:
    """The names of `count` players. Players without a name get a default name in the host's language, and so do the
    companion's seats."""
    given = (*players, *("",) * (count - len(players)))
    unnamed = [seat for seat in sorted(companions) if 0 <= seat < count and not given[seat]]
    return tuple(
        name or translate(companion_name(unnamed.index(seat)) if seat in unnamed else default_name(seat))
        for seat, name in enumerate(given)
    )


def require_host(lobby: Lobby) -> Guest:
    """Returns the requesting phone if it is a host; otherwise raises RequestError."""
    guest = lobby.phones.guest(phone_token())
    if not guest.host:
        raise RequestError(403, "not_host", _("Only the host’s browser may do that, or one that opens the host link."))
    return guest


def require_full_view(lobby: Lobby, because: TextLike) -> None:
    """Checks that the requesting browser may see everything, and logs that it can. Raises RequestError if the browser
    is not a host, or if the game has hidden information and the browser has seen the cards of a seat.

    `because` says what would give the secrets away, such as "the camera sees all cards".
    """
    lobby.hidden_views.look_at_everything(require_host(lobby), because)


@dataclass(frozen=True)
class GameSetup:
    """The host's choices for a new game. `options` has the chosen value of each option. `dealers` says who deals each
    chance source. `players` are the players' names, by seat. `companions` has the policy of each seat that the
    companion plays. `follows`: the id and version of the finished game that the new one follows, if it must not go on
    meanwhile."""

    options: Mapping[str, str]
    dealers: Mapping[str, str]
    players: tuple[str, ...]
    companions: Mapping[int, str] = field(default_factory=dict)
    follows: tuple[int, int] | None = None
