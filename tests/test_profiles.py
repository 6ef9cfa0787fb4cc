"""Profiles: who may choose, change and delete them, and what the table remembers and forgets."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import unquote

import pytest

from companion.games import GAMES, move_json
from companion.games.rules import Seat
from companion.match.fair_shuffle import FairShuffle, commitment_to
from companion.match.game_import_export import export_lines, import_lines
from companion.match.history import fold
from companion.match.journal import Journal
from companion.match.journal_error import JournalError
from companion.match.shuffle_verification import companion_draws, wrong_draw
from companion.table.table import Table
from tests.short_games import play_carefully_to_the_end, start_short_game
from tests.systems_failing_tables import act, act_some, hasty_clock, play_to_the_end, seen
from tests.test_fair_shuffle import SEED, shares_of
from tests.web_table import Phone, WebTable, unwrapped
from web.access.lobby import Lobby
from web.people.profile_preferences import SENSES_COOKIE
from web.people.profiles import MAX_PROFILES, Profile, Profiles

FILE = "journal.sqlite3"


def people(web_table: WebTable) -> dict[str, Profile]:
    """The profiles in the journal, by name, as the service would find them after a restart."""
    return {profile.name: profile for profile in Profiles(web_table.table, web_table.lobby).all()}


def start(web_table: WebTable, *names: str, game: str = "systems-failing") -> None:
    body = {"game": game, "players": names, "seats": len(names)}
    assert web_table.host().post("/api/start", body).status_code == 200


def come_in(web_table: WebTable, name: str) -> Phone:
    """A new phone that has joined with a new name and without a seat."""
    phone = web_table.phone()
    answer = phone.client.post("/join", data={"code": web_table.lobby.code, "seat": "watch", "name": name})
    assert answer.status_code == 303
    return phone


def say(web_table: WebTable, phone: Phone, name: str) -> Any:
    """Taps a person on the join page; returns the answer."""
    return phone.client.post("/join", data={"code": web_table.lobby.code, "person": f"{people(web_table)[name].id}"})


def change(web_table: WebTable, phone: Phone, who: str, /, **form: str) -> Any:
    """Sends a form of a person's page; returns the answer."""
    return phone.client.post(f"/people/{people(web_table)[who].id}", data={"who": who, **form})


def cookies(answer: Any) -> dict[str, str]:
    pairs = (line.partition(";")[0].partition("=") for line in answer.headers.getlist("Set-Cookie"))
    return {name: value for name, _, value in pairs}


@pytest.fixture
def web_table() -> WebTable:
    return WebTable(Table(Journal(None), hasty_clock()))


def test_next_week_one_tap_is_enough(web_table: WebTable) -> None:
    """Somebody who has joined once only needs to tap their name next week, on a new phone and after a restart. Name,
    seat, language and sounds are there again."""
    ann = come_in(web_table, "Ann")
    assert ann.client.post("/settings", data={"language": "de"}).status_code == 303
    for sense, on in (("sound", "true"), ("buzz", "false")):
        assert ann.client.post("/settings", data={"sense": sense, "on": on}).status_code == 303
    web_table.use(Lobby(web_table.table))
    start(web_table, "Bob", "ann")
    phone = web_table.phone()
    answer = say(web_table, phone, "Ann")
    assert phone.view()["seat"] == 1
    assert web_table.table.names == ("Bob", "Ann")
    assert cookies(answer)["tablekeeper-language"] == "de"
    assert json.loads(unquote(cookies(answer)[SENSES_COOKIE])) == {"sound": True, "buzz": False}
    assert "Du bist Ann." in phone.get("/settings").text


def test_a_tap_needs_the_join_code(web_table: WebTable) -> None:
    """A phone that has not joined can't choose a person without the right join code, and does not get the list of
    people."""
    come_in(web_table, "Ann")
    phone = web_table.phone()
    refused = phone.client.post("/join", data={"code": "WXYZ", "person": "1"})
    assert refused.status_code == 403
    assert phone.get("/people").headers["Location"] == "/join"


def test_only_those_who_have_joined_or_scanned_the_code_read_who_plays_here(web_table: WebTable) -> None:
    """A phone that has not joined gets no names on the join page, neither without a code nor with a wrong one. Not even
    with the code that people type, because opening the page must not tell whether a guess is right. With the QR code,
    and after joining, it does."""
    come_in(web_table, "Annabella")
    stranger = web_table.phone()
    for path in ("/join", "/join?code=WXYZ", f"/join?code={web_table.lobby.code}"):
        assert "Annabella" not in stranger.get(path).text, path
    assert "Annabella" not in stranger.client.post("/join", data={"code": "WXYZ", "seat": "watch"}).text
    assert "Annabella" in stranger.get(f"/join?code={web_table.lobby.secret}").text
    assert "Annabella" in come_in(web_table, "Ben").get("/join").text


def test_everybody_who_is_named_has_a_profile(web_table: WebTable) -> None:
    """Everybody who is named on the join page, by the host or in a stored game has a profile, with a sign of their own.
    Default names have no profile."""
    web_table.table.start("systems-failing", None, {}, {}, ("Ann", "Person 2"), "s")
    web_table.use(Lobby(web_table.table))
    start(web_table, "Ben", "ANN")
    come_in(web_table, "Cleo")
    web_table.phone().post("/api/join", {"code": web_table.lobby.code, "name": "Dora"})
    found = people(web_table)
    assert {*found} == {"Ann", "Ben", "Cleo", "Dora"}
    assert len({(each.color, each.shape) for each in found.values()}) == 4


def test_a_player_at_a_seat_taps_the_seat(web_table: WebTable) -> None:
    """During a game, the join page shows the seats first. Then it asks who the phone's player is, but leaves out people
    whose seat is already on the page. Tapping such a seat also gives the phone that person's profile."""
    come_in(web_table, "Ann")
    start(web_table, "Ben", "Cleo")
    page = unwrapped(web_table.phone().get(f"/join?code={web_table.lobby.secret}").text)
    assert page.index("free: tap to sit here") < page.index("Not listed? Who are you?")
    assert page.count('name="person"') == 1
    assert say(web_table, web_table.phone(), "Ann").headers["Location"] == "/join"  # to take a free seat
    ben = web_table.phone(0)
    assert "You’re Ben." in ben.get("/join").text
    assert unwrapped(ben.get("/join").text).count('name="person"') == 2


def test_a_person_whose_phone_is_here_can_not_be_chosen(web_table: WebTable) -> None:
    """While Ann's phone has a page open, another phone can't say that it is hers. After Ann's phone has gone, it can,
    and the profile then belongs to the new phone."""
    ann = come_in(web_table, "Ann")
    guest = web_table.lobby.phones.all[0]
    web_table.lobby.phones.arrive(guest)
    other = come_in(web_table, "Zoe")
    refused = say(web_table, other, "Ann")
    assert refused.status_code == 409
    assert "Ann is here with another phone." in refused.text
    web_table.lobby.phones.leave(guest)
    assert say(web_table, other, "Ann").status_code == 303
    assert "You’re Ann." in other.get("/join").text
    assert "You’re Ann." not in ann.get("/join").text


@pytest.mark.parametrize(("person", "status"), [("99", 404), ("x", 400), ("", 404)])
def test_an_unknown_person_is_refused(web_table: WebTable, person: str, status: int) -> None:
    """The number of a person who does not exist is refused, and so is anything that is not a number."""
    data = {"code": web_table.lobby.code, "person": person}
    assert web_table.phone().client.post("/join", data=data).status_code == status


def test_the_list_is_bounded(web_table: WebTable) -> None:
    """When the list of people is full, no further name is added, and the page with the list says so. People can still
    join."""
    phone = come_in(web_table, "Ann")
    profiles = Profiles(web_table.table, web_table.lobby)
    profiles.remember(f"Guest {n}" for n in range(MAX_PROFILES + 5))
    assert len(profiles.all()) == MAX_PROFILES
    web_table.use(web_table.lobby)
    assert "You’re Late." not in come_in(web_table, "Late").get("/join").text
    assert "This list is full" in phone.get("/people").text


def test_a_person_is_renamed_everywhere(web_table: WebTable) -> None:
    """A new name replaces the old one in the profile, on the phone, and in every game, however it was written there."""
    start(web_table, "ANN", "Ben")
    web_table.table.end()
    start(web_table, "Ben", "Ann")
    ann = come_in(web_table, "Ann")
    assert change(web_table, web_table.host(), "ANN", name="Anna").status_code == 303
    assert [stored.header.players for stored in web_table.table.journal.games()] == [("Anna", "Ben"), ("Ben", "Anna")]
    assert web_table.table.names == ("Ben", "Anna")
    assert "You’re Anna." in ann.get("/join").text
    assert {*people(web_table)} == {"Anna", "Ben"}


def test_bad_input_is_refused(web_table: WebTable) -> None:
    """A form is refused if it has no name, a default name, somebody else's name or an unknown sign, or if it is older
    than the last change."""
    ann = come_in(web_table, "Ann")
    come_in(web_table, "Ben")
    for form, status, says in (
        ({"name": " \u200b "}, 422, "Enter a name"),
        ({"name": "Player 1"}, 422, "Enter a name"),
        ({"name": "BEN"}, 409, "Somebody here is already called Ben."),
        ({"color": "beige", "shape": "star"}, 400, "Choose one of the colors"),
        ({}, 400, "Choose one of the colors"),
        ({"who": "Anne", "delete": "1"}, 409, "The name has changed"),
    ):
        refused = change(web_table, ann, "Ann", **form)
        assert (refused.status_code, says in refused.text) == (status, True), form
    assert ann.client.post("/settings", data={"sense": "smell", "on": "true"}).status_code == 400
    assert [ann.get(f"/people/{id}").status_code for id in ("9", "9.csv", "9.bgsplay")] == [404] * 3
    assert {*people(web_table)} == {"Ann", "Ben"}


def test_only_the_host_and_the_own_phone_change_a_profile(web_table: WebTable) -> None:
    """Only the host and the person's own phone can change a profile. Others can neither rename nor delete a person, and
    their pages do not offer it."""
    ann, ben, host = come_in(web_table, "Ann"), come_in(web_table, "Ben"), web_table.host()
    form = {"color": "pink", "shape": "heart"}
    assert 'name="delete"' not in ben.get("/people/1").text
    for refused in (change(web_table, ben, "Ann", **form), change(web_table, ben, "Ann", delete="1")):
        assert refused.status_code == 403
    assert change(web_table, web_table.phone(), "Ann", delete="1").headers["Location"] == "/join"
    for phone in (ann, host):
        assert 'name="delete"' in phone.get("/people/1").text
        assert change(web_table, phone, "Ann", **form).status_code == 303
    assert (people(web_table)["Ann"].color, people(web_table)["Ann"].shape) == ("pink", "heart")


def test_choosing_a_person_does_not_allow_deleting_them(web_table: WebTable) -> None:
    """One tap on a name is enough to choose that person, so a stranger with the join code could do it. Therefore only
    the phone on which the name was first entered may rename or delete the person, and only while it has the profile."""
    ann, stranger = come_in(web_table, "Ann"), web_table.phone()
    web_table.lobby.phones.is_online = lambda session: False  # type: ignore[method-assign]
    assert say(web_table, stranger, "Ann").status_code == 303
    assert change(web_table, stranger, "Ann", color="pink", shape="heart").status_code == 303
    page = stranger.get("/people/1").text
    assert "To rename or delete" in page
    assert 'name="delete"' not in page
    for form in ({"delete": "1"}, {"name": "Zoe"}, {"name": "Zoe", "color": "red", "shape": "star"}):
        for phone in (stranger, ann):
            assert change(web_table, phone, "Ann", **form).status_code == 403
    assert {*people(web_table)} == {"Ann"}
    assert ann.client.post("/join", data={"person": "1"}).status_code == 303
    assert change(web_table, ann, "Ann", delete="1").status_code == 303


def test_a_person_whom_the_host_has_named_is_deleted_by_the_host(web_table: WebTable) -> None:
    """Only the host can delete a person whom the host has named, because the first phone that chooses the name need not
    be that person's."""
    start(web_table, "Ann", "Ben")
    stranger = come_in(web_table, "Ann")
    assert change(web_table, stranger, "Ann", delete="1").status_code == 403
    assert change(web_table, web_table.host(), "Ann", delete="1").status_code == 303


def test_the_name_that_replaces_a_deleted_person_is_offered_to_nobody(web_table: WebTable) -> None:
    """After a person is deleted, the host's form for the next game leaves this seat empty, in every language."""
    start(web_table, "Ann", "Ben")
    host = web_table.host()
    assert change(web_table, host, "Ann", delete="1").status_code == 303
    for code in ("en", "de", "es"):
        page = host.get("/host", headers={"Accept-Language": code}).text
        fields = re.findall(r'<input name="player".*?value="(.*?)"', page, re.DOTALL)
        assert fields[:2] == ["", "Ben"], code


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[WebTable]:
    """A table whose journal is a file. Ann and Ben have finished a game whose shuffle can be verified, and are playing
    another game."""
    table, rng = Table(Journal(tmp_path / FILE), hasty_clock()), Random(1)
    shuffle = FairShuffle(commitment_to(SEED)).with_round(shares_of(0, 1), {})
    table.start("systems-failing", None, {}, {}, ("Annabella", "Ben"), SEED, shuffle)
    play_to_the_end(table, rng)
    table.start("systems-failing", None, {}, {}, ("Ben", "ANNABELLA"), SEED, shuffle)
    act(table, rng)
    web_table = WebTable(table)
    yield web_table
    web_table.table.journal.close()


def test_a_deleted_person_leaves_only_games(kept: WebTable, tmp_path: Path) -> None:
    """After a person is deleted, no file of the journal and no page contains the name in any spelling. The games are
    kept: they can be replayed, their draws still agree with the shuffle, and their exports can be imported."""
    ann, before = kept.phone(1), [fold(stored).state for stored in kept.table.journal.games()]
    kept.lobby.free(1)  # the log says so, by name
    ann.client.post("/join", data={"seat": "1"})
    kept.host().client.post("/games/1", data={"do": "lead", "at": "5"})
    assert "annabella" in ann.get("/table").text.casefold()
    answer = change(kept, kept.host(), "Annabella", delete="1")
    assert answer.headers["Location"] == "/people"
    pages = ("/people", "/join", "/games", "/play", "/table", "/games/1", "/log", "/settings")
    for path in (*pages, "/games/1.jsonl", "/people/games.csv"):
        assert "annabella" not in ann.get(path).text.casefold(), path
    assert kept.table.names == ("Ben", "Player 2")
    for file in tmp_path.iterdir():
        assert b"annabella" not in file.read_bytes().lower(), file
    kept.table.journal.close()
    journal = Journal(tmp_path / FILE)
    assert journal.damage == ""
    games = journal.games()
    assert [stored.header.players for stored in games] == [("Player 1", "Ben"), ("Ben", "Player 2")]
    assert [fold(stored).state for stored in games] == before
    for stored in games:
        shuffle = stored.header.shuffle
        assert shuffle
        assert wrong_draw(companion_draws(fold(stored), stored.header), stored.header.seed, shuffle) is None
    assert fold(import_lines([*export_lines(games[0])], "x")).state == before[0]
    journal.close()


def test_a_full_disk_keeps_the_person(kept: WebTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the journal can't be written when a host deletes or renames a person, nothing changes: the person, the
    profile, the games, and the name on the phones and in the log stay, even after a power cut. Deleting can be tried
    again."""
    host, journal = kept.host(), kept.table.journal
    come_in(kept, "Annabella")
    kept.phone(1)
    kept.lobby.free(1)
    write = journal._database.write

    def fail_at_the_profiles(sql: str, values: tuple[Any, ...] = ()) -> None:
        if "people" in values:
            raise JournalError("disk full")
        write(sql, values)

    with monkeypatch.context() as patched:
        patched.setattr(journal._database, "write", fail_at_the_profiles)
        assert change(kept, host, "Annabella", delete="1").status_code == 503
        assert change(kept, host, "Annabella", name="Cleo").status_code == 503
    for lobby in (kept.lobby, Lobby(kept.table)):
        assert "Annabella" in lobby.phones.player_names
        assert [notice.who for notice in lobby.notices.of_game(2)] == ["ANNABELLA"]
    assert [stored.header.players for stored in journal.games()] == [("Annabella", "Ben"), ("Ben", "ANNABELLA")]
    assert kept.table.names == ("Ben", "ANNABELLA")
    assert {*people(kept)} == {"Annabella", "Ben"}
    assert change(kept, host, "Annabella", delete="1").status_code == 303


def test_a_form_that_comes_late_deletes_the_name_of_now(kept: WebTable) -> None:
    """If a person is renamed after the form to delete them was read, deleting still removes the current name from every
    game."""
    profiles = Profiles(kept.table, kept.lobby)
    before = profiles.by_name("Annabella")
    assert before
    profiles.rename(before, "Anna")
    profiles.delete(before, lambda seat: f"Player {seat + 1}", "somebody")
    assert [stored.header.players for stored in kept.table.journal.games()] == [
        ("Player 1", "Ben"),
        ("Ben", "Player 2"),
    ]


def test_a_full_disk_costs_nobody_the_seat(web_table: WebTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the profile can't be stored, a phone that has taken its seat still gets the cookie that keeps it."""
    start(web_table, "", "")
    phone, save = web_table.phone(), web_table.table.journal.save_note

    def fail_at_the_profiles(key: str, value: Any) -> None:
        if key == "people":
            raise JournalError("disk full")
        save(key, value)

    monkeypatch.setattr(web_table.table.journal, "save_note", fail_at_the_profiles)
    answer = phone.client.post("/join", data={"code": web_table.lobby.code, "seat": "1", "name": "Ann"})
    assert answer.status_code == 303
    assert phone.view()["seat"] == 1


def test_a_journal_overwrites_what_it_deletes(tmp_path: Path) -> None:
    """Deleted data are overwritten in the journal's files, because SQLite is told to do so, however it was built."""
    journal = Journal(tmp_path / FILE, lambda path: _without_secure_delete(path))
    assert journal._database._db.execute("PRAGMA secure_delete").fetchone() == (1,)
    journal.close()


def _without_secure_delete(path: Path | str) -> sqlite3.Connection:
    db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    db.execute("PRAGMA secure_delete = OFF")
    return db


@pytest.mark.parametrize("name", [*GAMES])
def test_a_person_who_is_deleted_while_they_play_plays_on(name: str) -> None:
    """If a person is deleted while they play, the name disappears from the pages of both phones, but the person keeps
    the seat and the game goes on."""
    web_table = start_short_game(name)
    table = web_table.table
    table.rename(Seat(1), "Zacharias")
    ann, zac = (web_table.phone(seat) for seat in range(2))
    zac.post("/api/join", {"code": web_table.lobby.code, "seat": 1, "name": "Zacharias"})
    act_some(table, Random(3), 6)
    assert change(web_table, zac, "Zacharias", delete="1").status_code == 303
    for phone in (ann, zac):
        for path in ("/play", "/table", "/log", "/people"):
            assert "Zacharias" not in phone.get(path).text, path
    assert zac.view()["seat"] == 1
    while seen(table).turn not in (1, None):
        act_some(table, Random(5), 1)
    if seen(table).turn == 1:  # a very short game may be over
        move = seen(table, Seat(1)).choices.legal[0]
        assert zac.move(move_json.to_json(move)).status_code == 200
    play_carefully_to_the_end(table, Random(6))
    assert "Player 2" in unwrapped(ann.get("/play").text)
