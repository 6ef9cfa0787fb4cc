"""Which phones keep their seats in a new game: those of the people who play in it."""

from __future__ import annotations

import pytest

from tests.web_table import Phone, WebTable, empty_web_table, unwrapped


def starts(host: Phone, *players: str, seats: int = 2, game: str = "system-won") -> None:
    """Starts a game with these players, as the host does with the form on the host page."""
    form = {"game": game, "seats": f"{seats}", "player": [*players], "material": "phones", "sure": "1"}
    answer = host.client.post("/host", data=form)
    assert answer.status_code == 303, answer.text


def seat_of(phone: Phone) -> int | None:
    seat = phone.view()["seat"]
    return None if seat == "table" else seat  # type: ignore[no-any-return]


def group(*players: str, seats: int = 2) -> tuple[WebTable, Phone, list[Phone]]:
    """A table with a host, and a phone in each seat of a game of these players."""
    web_table = empty_web_table()
    host = web_table.host()
    starts(host, *players, seats=seats)
    return web_table, host, [web_table.phone(seat) for seat in range(seats)]


def opened(web_table: WebTable, phone: Phone) -> None:
    """Opens a page of the phone, so that the phone is online."""
    token = phone.client.get_cookie("tablekeeper")
    assert token
    web_table.lobby.phones.arrive(web_table.lobby.phones.session(token.value))


@pytest.mark.parametrize("ended", [True, False])
def test_phones_of_another_group_lose_their_seats(ended: bool) -> None:
    """A second group finds free seats, whether or not the first game was ended. A phone of the first group is told why
    it has no seat."""
    web_table, host, (ann, bob) = group("Ann", "Bob")
    opened(web_table, ann)
    if ended:
        web_table.table.end()
    starts(host, "Cleo", "Dora")
    assert [seat_of(phone) for phone in (ann, bob)] == [None, None]
    assert "Your seat was freed, or other people play now." in unwrapped(ann.get("/join?unseated").text)
    cleo = web_table.phone(0)
    assert seat_of(cleo) == 0
    assert "?" in cleo.view()["state"]["hands"][0]


def test_phones_follow_the_names_of_their_players() -> None:
    """People who play again get their own seats, however their names are spelled. The other phones lose their seats."""
    _, host, (ann, bob, cleo) = group("Ann", "Bob", "Cleo", seats=3)
    starts(host, "Dora", " cleo", "ANN", seats=3)
    assert [seat_of(phone) for phone in (ann, bob, cleo)] == [2, None, 1]


def test_phones_without_names_keep_their_seats() -> None:
    """If nobody has entered a name, phones keep their seats, because nothing says that other people play."""
    _, host, phones = group()
    starts(host, game="systems-failing")
    assert [seat_of(phone) for phone in phones] == [0, 1]


def test_a_phone_without_a_name_keeps_its_seat_while_it_is_here() -> None:
    """If the host names everybody for the second game, a phone without a name keeps its seat if it has a page open. A
    phone that has left does not."""
    web_table, host, (here, gone) = group()
    opened(web_table, here)
    starts(host, "Ann", "Bob")
    assert [seat_of(phone) for phone in (here, gone)] == [0, None]


def test_nobody_follows_a_name_that_nobody_chose() -> None:
    """A player in the second seat is called Player 1. In the next game nobody enters a name, so Player 1 is the default
    name of the first seat. Both phones keep their seats."""
    web_table, host, (ann, one) = group("Ann", "Player 1")
    opened(web_table, ann)
    starts(host)
    assert [seat_of(phone) for phone in (ann, one)] == [0, 1]


def test_a_phone_of_an_earlier_larger_game_gets_no_stranger_s_seat() -> None:
    """If a phone's seat does not exist in the second game and is somebody else's in the third, the phone does not get
    it back."""
    _, host, phones = group("Ann", "Bob", "Cleo", seats=3)
    starts(host, "Ann", "Bob")
    starts(host, "Ann", "Bob", "Dora", seats=3)
    assert [seat_of(phone) for phone in phones] == [0, 1, None]


def test_the_seats_survive_a_restart() -> None:
    """The seats are stored together with the game."""
    web_table, host, (ann, bob) = group("Ann", "Bob")
    starts(host, "Bob", "Cleo")
    web_table.use(type(web_table.lobby)(web_table.table))
    assert [seat_of(phone) for phone in (ann, bob)] == [None, 0]
