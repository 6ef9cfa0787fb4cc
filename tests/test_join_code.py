"""The join code: limits for each address, the secret in the QR code, and new codes."""

from __future__ import annotations

import pytest

from tests.manual_clock import ManualClock
from web.access.join_code import FIRST_PAUSE_S, FREE_TRIES, GRACE_S, LONGEST_PAUSE_S, MAX_ADDRESSES, MEMORY_S, JoinCode
from web.error_responses import RequestError

HERE, THERE = "192.168.1.7", "192.168.1.8"


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def code(clock: ManualClock) -> JoinCode:
    return JoinCode({}, clock)


def refusal(code: JoinCode, entered: str, address: str = HERE) -> str:
    """The error code with which a join code is refused; "" if it is accepted."""
    try:
        code.check(entered, address)
    except RequestError as error:
        return error.code
    return ""


def guess(code: JoinCode, count: int, address: str = HERE) -> list[str]:
    return [refusal(code, "XXXXX", address) for _ in range(count)]


def test_the_letters_and_the_secret_are_accepted(code: JoinCode) -> None:
    """The letters are also accepted in lower case and with spaces around them. The secret is accepted only exactly as
    it is."""
    assert refusal(code, f" {code.letters.lower()} ") == ""
    assert refusal(code, code.secret) == ""
    assert refusal(code, code.secret.swapcase()) == "wrong_code"
    assert refusal(code, "") == "wrong_code"
    assert refusal(code, "\ud800") == "wrong_code"


def test_an_address_that_guesses_must_wait_longer_and_longer(code: JoinCode, clock: ManualClock) -> None:
    """Five tries are free. Then the pause doubles with each wrong code, up to ten minutes. The right code is not
    accepted either while the address waits, but no other address has to wait."""
    assert guess(code, FREE_TRIES + 2) == ["wrong_code"] * FREE_TRIES + ["too_many_tries"] * 2
    assert refusal(code, code.letters) == "too_many_tries"
    assert refusal(code, code.letters, THERE) == ""
    for pause in (FIRST_PAUSE_S, 2 * FIRST_PAUSE_S, 4 * FIRST_PAUSE_S):
        clock.now += pause - 0.1
        assert refusal(code, "XXXXX") == "too_many_tries"
        clock.now += 0.2
        assert refusal(code, "XXXXX") == "wrong_code"
    for _ in range(20):
        clock.now += LONGEST_PAUSE_S
        assert refusal(code, "XXXXX") == "wrong_code"
    clock.now += LONGEST_PAUSE_S
    assert refusal(code, code.letters) == ""
    assert guess(code, 1) == ["wrong_code"], "a right code makes the tries free again"


def test_wrong_codes_are_forgotten_after_an_hour(code: JoinCode, clock: ManualClock) -> None:
    guess(code, FREE_TRIES)
    clock.now += MEMORY_S
    assert guess(code, FREE_TRIES) == ["wrong_code"] * FREE_TRIES


def test_the_secret_is_accepted_from_everybody(code: JoinCode) -> None:
    """The secret is accepted even from an address that must wait, because nobody can guess it."""
    guess(code, FREE_TRIES + 1)
    assert refusal(code, code.secret) == ""


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("::ffff:192.168.1.7", "192.168.1.7", True),
        ("fe80::1%eth0", "fe80::2%eth0", True),
        ("192.168.1.7", "192.168.1.8", False),
    ],
)
def test_an_ipv6_network_counts_as_one_address(code: JoinCode, one: str, other: str, same: bool) -> None:
    """All addresses of a 64-bit IPv6 prefix count as one, because a device can take any address of its home network's
    prefix."""
    guess(code, FREE_TRIES, one)
    assert (refusal(code, "XXXXX", other) == "too_many_tries") is same


def test_only_so_many_addresses_are_remembered(code: JoinCode) -> None:
    """Only a limited number of addresses is remembered. The address whose last wrong code is the oldest is forgotten
    first."""
    guess(code, FREE_TRIES)
    for number in range(MAX_ADDRESSES):
        guess(code, 1, f"10.0.{number // 256}.{number % 256}")
    assert guess(code, 1) == ["wrong_code"]


def test_a_new_code_replaces_the_old_one(code: JoinCode, clock: ManualClock) -> None:
    """After a renewal, the old code and its secret are invalid at once. After a renewal with grace, they still work for
    some minutes."""
    old = (code.letters, code.secret)
    code.renew(grace=True)
    assert (code.letters, code.secret) != old
    assert [refusal(code, each) for each in (*old, code.letters, code.secret)] == [""] * 4
    clock.now += GRACE_S
    assert [refusal(code, each) for each in old] == ["wrong_code"] * 2
    old = (code.letters, code.secret)
    code.renew(grace=False)
    assert [refusal(code, each, THERE) for each in old] == ["wrong_code"] * 2


def test_the_code_is_kept(code: JoinCode) -> None:
    kept = JoinCode(code.to_json())
    assert (kept.letters, kept.secret) == (code.letters, code.secret)
