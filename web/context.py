"""The context that the pages and the API share: the table, the lobby, and the phone that sent the request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from flask import request

from companion.games.rules import Seat
from companion.games.view import View
from companion.replay_pictures.picture_store import PictureStore
from companion.table.current_game import NoGame, no_game
from companion.table.table import Table
from companion.tabletop.observations import DeviceHealth
from companion.tabletop.photo_interface import PhoneReader, Reader
from companion.text.messages import _
from web import addresses
from web.access.first_host_offer import FirstHostOffer
from web.access.lobby import Lobby
from web.access.phone_cookie import phone_token
from web.access.phone_session import OWN_REQUEST, SESSION, PhoneSession, viewer_of
from web.access.require_host import require_host
from web.error_responses import RequestError
from web.events.live_pages import LivePages
from web.events.shuffle_shares import ShareRounds
from web.events.streams import Streams
from web.people.profiles import Profiles
from web.results.watch_together import SharedReplay
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
    new_table: FirstHostOffer | None = None
    """The offer to set up a new table; None if it is never made."""
    disk: Callable[[], DeviceHealth] | None = None
    """Checks the free space for the journal; None if the journal is kept in memory."""
    pictures: PictureStore | None = None
    """The pictures of past games; None if none are kept here."""
    reader: Reader | None = None
    """Reads the codes in photographs; None if photographs can't be read here."""

    def session(self) -> PhoneSession:
        """The phone that sent the request, as the lobby knows it."""
        session: PhoneSession = request.environ.get(SESSION) or self.lobby.phones.session(phone_token())
        if OWN_REQUEST in request.environ:
            request.environ[SESSION] = session  # so that the session stays the same while the server renders the page
        return session

    def has_camera(self) -> bool:
        """Whether there is a camera, real or simulated. If no camera has reported yet, because the service has just
        started, this says whether a camera is selected."""
        cameras = [device for device in self.table.health() if device.device == "camera"]
        return any(not camera.missing for camera in cameras) if cameras else self.has_setup_page

    def is_own_screen(self) -> bool:
        """Whether the request comes from the table's own screen."""
        return self.trusts_own_screen and addresses.is_local()

    def may_see_join_code(self) -> bool:
        """Whether the requesting phone may see the join code. It may if it has joined, or if it is the table's own
        screen and that screen is trusted."""
        return self.session().has_joined or self.is_own_screen()

    def view(self) -> View | None:
        """The match as the requesting phone may see it; None if there is no game."""
        viewer = viewer_of(self.session())
        view = self.table.view(viewer)
        # If the next game has begun meanwhile, the phone may have another seat, and must not see the old seat's hand.
        return view if viewer_of(self.session()) == viewer else self.view()

    def view_or_refuse(self) -> View:
        """The match as the requesting phone may see it. Raises NoGame if there is no game."""
        view = self.view()
        if view is None:
            raise NoGame(no_game())
        return view

    def seat(self) -> Seat:
        """The requesting phone's seat. Raises NoGame if there is no game, RequestError if the phone has no seat."""
        if not self.table.names:
            raise NoGame(no_game())
        session = self.session()
        if session.seat is None:
            raise RequestError(403, "no_seat", _("This phone has no seat. Join with the code on the table’s screen."))
        return Seat(session.seat)

    def reader_or_refuse(self) -> PhoneReader:
        """The photo reader for the requesting phone. Raises RequestError if photographs can't be read here."""
        reader, phone = self.reader, self.session().key
        if reader is None:
            raise RequestError(404, "no_reader", _("Photos can’t be read here. Tap the card instead."))
        return lambda data: reader(data, phone)

    def check_may_hand_over(self, seat: int) -> None:
        """Checks that the requesting phone may let the companion play this seat, or let people play it again. Only
        hosts and the phone that has the seat may do so. Raises NoGame if there is no game, RequestError if there is no
        such seat or if the phone may not do so."""
        session = self.session()
        if not self.table.names:
            raise NoGame(no_game())
        if not 0 <= seat < len(self.table.names):
            raise RequestError(404, "no_such_seat", _("There’s no such seat in this game."))
        if session.seat != seat and not session.host:
            raise RequestError(403, "not_your_seat", _("Only that seat’s phone or a host can do that."))

    def may_set_up(self) -> bool:
        """Whether the requesting browser may set up a new table and so become its host."""
        return self.new_table is not None and self.new_table.is_made()

    def host(self) -> PhoneSession:
        """The requesting phone, if it is a host; otherwise raises RequestError."""
        return require_host(self.lobby)
