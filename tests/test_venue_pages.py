"""The pages of a venue: what they show, who may see them, and what open pages are sent."""

from __future__ import annotations

import json
import re
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from flask.testing import FlaskClient

from companion.text.translation import Translator
from companion.venue.club_tables import LINGER, ClubTables
from companion.venue.results import ResultStore
from companion.venue.table_messages import read_wall
from tests.running_service import until
from tests.test_venue_results import result
from tests.venue_scene import KEY, NOW, club_tables_with, store_with, wall_document
from web.server.http_server import serve
from web.venue.app import COOKIE, VenueContext, create_venue_app, result_text
from web.venue.event_feeds import NOTHING, RUN, Screen, StaffFeed, WallFeed, parse_screen, revision_of
from web.venue.free_seats import summary_of
from web.venue.staff_report import staff_report
from web.venue.table_cards import CardPictures, card_of

HOSTILE = '<script>alert("x")</script>'


class VenueWithPages:
    """A venue's application with its club's tables and database."""

    def __init__(self, tables: int = 0) -> None:
        self.club_tables, self.store = club_tables_with(tables), ResultStore(None)
        self.context = VenueContext(self.club_tables, self.store, KEY, b"a certificate", lambda: date(2026, 1, 31))
        self.app = create_venue_app(self.context)
        self.client: FlaskClient = self.app.test_client()

    def get(self, path: str, **more: Any) -> str:
        """The text of the page at a path. Checks that the page exists."""
        response = self.client.get(path, **more)
        assert response.status_code == 200, response.text
        return response.text

    def show(self, table: str, **document: object) -> None:
        """Lets the venue receive what a table shows. The table is online."""
        self.club_tables.set_status(table, is_online=True)
        self.club_tables.set_wall(table, read_wall(json.dumps(document).encode()), is_retained=False)

    def wall_feed(self, screen: str = "", received: int = NOTHING) -> WallFeed:
        return WallFeed(
            self.app, self.club_tables, CardPictures(self.app), Translator("en"), parse_screen(screen), received
        )

    def close(self) -> None:
        self.store.close()


@pytest.fixture
def club() -> Iterator[VenueWithPages]:
    with closing(VenueWithPages()) as made:
        yield made


def event_of(text: str) -> tuple[str, Any]:
    """The kind and the data of an event."""
    lines = dict(line.split(": ", 1) for line in text.strip().splitlines())
    return lines["event"], json.loads(lines["data"])


def keys(html: str) -> list[str]:
    return re.findall(r'data-key="(table-\d+)"', html)


def test_the_wall_shows_what_tables_play(club: VenueWithPages) -> None:
    club.show(
        "table-7",
        game="commute",
        title="Whatever",
        round=3,
        scores=[4, 9],
        players=["Ann", "Ben"],
        free_seats=2,
        started=(NOW - timedelta(minutes=42)).isoformat(),
    )
    html = club.get("/")
    for text in ("table-7", "Commute", "Round 3", "Ann", "Ben", "2 free seats"):
        assert text in html
    assert re.search(r'class="player leads">\s*<bdi>Ben</bdi>\s*<b>9</b>', html)
    assert f'data-since="{int(NOW.timestamp()) - 42 * 60}"' in html
    assert "Whatever" not in html


@pytest.mark.parametrize("began", [NOW - timedelta(days=8), NOW + timedelta(hours=2)])
def test_a_table_whose_clock_is_wrong_shows_no_time(club: VenueWithPages, began: datetime) -> None:
    club.show("table-1", game="commute", round=1, started=began.isoformat())
    assert "data-since" not in club.get("/")


def test_it_is_in_the_language_of_the_browser(club: VenueWithPages) -> None:
    club.show("table-1", game="systems-failing", round=2, meters={"Stability": 4}, free_seats=1)
    html = club.get("/", headers={"Accept-Language": "de"})
    for text in ("Runde 2", "Stabi\u00adlität", "1 freier Platz", '<html lang="de"'):
        assert text in html


def test_names_from_tables_are_escaped_everywhere(club: VenueWithPages) -> None:
    """Names are escaped on the wall, the staff's page, the standings and in events."""
    device = {"device": HOSTILE[:24], "ok": False, "message": HOSTILE}
    club.show(
        "table-1",
        game=HOSTILE,
        title=HOSTILE[:24],
        players=[HOSTILE[:24]],
        meters={HOSTILE[:24]: 1},
        needs_help=True,
        devices=[device],
    )
    club.store.add([result(players=[HOSTILE[:24], "{x} %s"], game=HOSTILE)], NOW)
    club.client.set_cookie(COOKIE, KEY)
    events = club.wall_feed().new_events() + StaffFeed(club.app, club.club_tables, Translator("en")).new_events()
    for text in (club.get("/"), club.get("/staff"), club.get("/standings"), events):
        assert "&lt;script&gt;" in text
        assert "<script>" not in text


def test_a_card_says_in_which_state_a_table_is() -> None:
    club_tables = club_tables_with(8)
    states = {table.name: card_of(table).state for table in club_tables.on_wall()}
    assert (states["table-1"], states["table-5"], states["table-6"], states["table-8"]) == (
        "playing",
        "over",
        "idle",
        "offline",
    )
    offline = next(table for table in club_tables.all() if table.name == "table-8")
    assert card_of(offline).free_seats == 0


def test_free_seats_are_summed_up() -> None:
    club_tables = club_tables_with(0)
    for n, (free, over) in enumerate(((1, False), (0, False), (2, True), (3, False)), 1):
        document = wall_document(n, free_seats=free, over=over)
        club_tables.set_status(f"table-{n}", is_online=True)
        club_tables.set_wall(f"table-{n}", read_wall(json.dumps(document).encode()), is_retained=False)
    summary = summary_of(club_tables.on_wall())
    assert (summary.playing, summary.free_seats, summary.named) == (3, 4, (("table-1", 1), ("table-4", 3)))


@pytest.mark.parametrize("count", [0, 1, 7, 200])
@pytest.mark.parametrize("screens", [1, 2, 3, 9])
def test_screens_share_all_tables(count: int, screens: int) -> None:
    """Each table is on exactly one screen, and the numbers of tables on the screens differ by at most one."""
    tables = club_tables_with(count).all()
    parts = [Screen(n, screens).own(tables) for n in range(1, screens + 1)]
    assert [table for part in parts for table in part] == [*tables]
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


@pytest.mark.parametrize(("text", "screen"), [("2of3", (2, 3)), ("4of3", (1, 1)), ("0of3", (1, 1)), ("x", (1, 1))])
def test_a_screen_is_read_from_the_address(text: str, screen: tuple[int, int]) -> None:
    assert parse_screen(text) == screen


def test_a_wall_is_sent_the_cards_that_have_changed(club: VenueWithPages) -> None:
    for n in range(1, 6):
        club.show(f"table-{n}", round=1, game="commute")
    feed = club.wall_feed()
    kind, data = event_of(feed.new_events())
    assert (kind, data["shown"], keys(data["html"])) == ("wall", *[[f"table-{n}" for n in range(1, 6)]] * 2)
    club.show("table-4", round=2, game="commute")
    assert feed.is_due(club.club_tables.revision)
    _, data = event_of(feed.new_events())
    assert (data["shown"], keys(data["html"])) == (None, ["table-4"])
    assert "Round 2" in data["html"]
    assert not feed.is_due(club.club_tables.revision)


def test_a_wall_learns_which_tables_come_and_go(club: VenueWithPages) -> None:
    club.show("table-1")
    feed = club.wall_feed(received=club.club_tables.revision)
    club.show("table-2")
    assert event_of(feed.new_events())[1]["shown"] == ["table-1", "table-2"]
    club.club_tables.forget("table-1")
    assert event_of(feed.new_events())[1]["shown"] == ["table-2"]


def test_walls_that_show_the_same_share_their_events(club: VenueWithPages) -> None:
    """Pages that show the same part of the wall get the same events, so each change is rendered only once for all of
    them."""
    first, second, other = club.wall_feed(), club.wall_feed(), club.wall_feed("1of2")
    assert first.audience() == second.audience() != other.audience()


def test_a_mark_of_an_earlier_run_is_ignored() -> None:
    """A page that was open before a restart gets everything again, because revisions of different runs can't be
    compared."""
    assert revision_of(f"{RUN}.17") == 17
    for mark in ("0000.17", "17", "", f"{RUN}.-1", f"{RUN}.17\n"):
        assert revision_of(mark) == NOTHING


def test_the_staff_is_not_told_of_moves(club: VenueWithPages) -> None:
    club.show("table-1", round=1, game="commute")
    feed = StaffFeed(club.app, club.club_tables, Translator("en"))
    assert event_of(feed.new_events())[0] == "staff"
    club.show("table-1", round=2, game="commute")
    assert event_of(feed.new_events())[0] == "look"
    club.show("table-1", round=2, game="commute", needs_help=True)
    kind, data = event_of(feed.new_events())
    assert kind == "staff"
    assert "The table needs help." in data["html"]


def test_a_page_over_the_network_is_kept_up_to_date(club: VenueWithPages) -> None:
    """A change at a table arrives over the event stream of a real server."""
    club.show("table-1", round=1, game="commute")
    with closing(serve(club.app, "127.0.0.1", 0)) as server:
        request = urllib.request.urlopen(f"http://127.0.0.1:{server.port}/events?page=wall", timeout=20)
        lines: list[str] = []
        with request as stream:
            reader = threading.Thread(target=lambda: lines.extend(line.decode() for line in stream), daemon=True)
            reader.start()
            until(lambda: any("Round 1" in line for line in lines), "the first event")
            club.show("table-1", round=2, game="commute")
            until(lambda: any("Round 2" in line for line in lines), "the second event")
            server.close()
            reader.join(10)


def test_the_staff_needs_the_key(club: VenueWithPages) -> None:
    """The staff's page and its events need the key. The key in the address becomes a cookie, so that it does not stay
    in the address bar of a screen."""
    for path in ("/staff", "/staff?key=wrong", "/staff?key=", "/staff?key=ä", "/events?page=staff"):
        assert club.client.get(path).status_code == 403
    response = club.client.get(f"/staff?key={KEY}")
    assert (response.status_code, response.location) == (303, "/staff")
    assert {"HttpOnly", "SameSite=Lax"} <= {*response.headers["Set-Cookie"].split("; ")}
    assert "No table needs help." in club.get("/staff")
    assert KEY not in club.get("/staff")


def test_the_staff_sees_what_is_wrong() -> None:
    club_tables = club_tables_with(14)
    club_tables.set_problem("table-3", "nonsense")
    club_tables.set_status("table-20", is_online=False)
    report = staff_report(club_tables)
    assert [(row.table, str(row.says)) for row in report.help] == [
        ("table-2", "The table doesn’t match the game."),
        ("table-5", "A device has failed."),
    ]
    assert [(row.table, row.what) for row in report.devices] == [("table-5", "camera")]
    assert [(row.table, row.seen) for row in report.offline] == [("table-8", NOW), ("table-20", None)]
    assert [row.table for row in report.refused] == ["table-3"]
    assert report.notices == ()
    club_tables.set_broker_problem("gone")
    club_tables.set_result_problem("full")
    club_tables.turned_away = 3
    assert [str(notice) for notice in staff_report(club_tables).notices][:2] == ["gone", "full"]
    assert "250 tables" in str(staff_report(club_tables).notices[2])


def test_standings_can_be_those_of_one_game() -> None:
    club = VenueWithPages()
    club.store.close()
    with closing(store_with(8)) as store:
        app = create_venue_app(VenueContext(club_tables_with(0), store, KEY, today=lambda: date(2026, 1, 31)))
        client = app.test_client()
        everything, commute = client.get("/standings").text, client.get("/standings?game=commute").text
        lines = client.get("/standings.csv?game=commute&weeks=2").text.splitlines()
        assert 'aria-current="true">All games' in everything
        assert 'aria-current="true">Commute' in commute
        assert everything.count('<svg class="curves"') == 1
        assert lines[0] == "place,player,games,won,won in week of 2026-01-19,won in week of 2026-01-26"
        assert client.get("/standings?game=nonsense&weeks=x").status_code == 200
        assert len(client.get("/results.csv").text.splitlines()) > store.count()


def test_an_empty_venue_has_pages(club: VenueWithPages) -> None:
    assert "No table is online." in club.get("/")
    assert "No results yet." in club.get("/standings")
    assert club.get("/ca.pem") == "a certificate"


def test_health(club: VenueWithPages) -> None:
    club.show("table-1")
    assert club.client.get("/healthz").json == {
        "status": "ok",
        "version": club.client.get("/healthz").json["version"],  # type: ignore[index]
        "problems": [],
        "tables": 1,
        "results": 0,
    }
    club.club_tables.set_result_problem("The disk is full.")
    assert club.client.get("/healthz").json["status"] == "degraded"  # type: ignore[index]


def test_strangers_are_refused(club: VenueWithPages) -> None:
    """Requests under another site's host name (DNS rebinding), for an unknown address, or with a method that changes
    something are refused."""
    assert club.client.get("/", headers={"Host": "evil.example"}).status_code == 403
    assert club.client.get("/nothing-here").status_code == 404
    assert club.client.post("/").status_code == 405


def test_a_table_leaves_the_wall_some_time_after_it_has_left_the_broker() -> None:
    """A table that has left the broker leaves the wall some time later. Open pages of the wall are updated then,
    without any message from a table."""
    now = [NOW]
    club_tables = ClubTables(lambda: now[0])
    club_tables.set_status("table-1", is_online=True)
    club_tables.set_status("table-1", is_online=False)
    app = create_venue_app(VenueContext(club_tables, ResultStore(None), KEY))
    feed = WallFeed(app, club_tables, CardPictures(app), Translator("en"), Screen(1, 1), club_tables.revision)
    now[0] += LINGER
    assert feed.is_due(club_tables.wait(club_tables.revision, 0))
    assert event_of(feed.new_events())[1]["shown"] == []


def test_a_common_score_is_neither_won_nor_lost() -> None:
    """If all players share one score, the text of the result gives the score and does not say that anyone has won or
    lost."""
    ended = result(game="system-won", result={"won": False, "winners": [], "score": -3})
    assert str(result_text(ended)).endswith(": −3 points")
