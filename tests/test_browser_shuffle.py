"""Phones in a real browser: they add shares to the shuffle, and find out at the end whether it was as promised."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from random import Random
from typing import Any

import msgspec
import pytest

from companion.match.fair_shuffle import FairShuffle, commitment_to
from companion.match.shuffle_record import DrawRecord
from tests.browser import CHROMIUM, new_page
from tests.test_fair_shuffle import CHEATED_SEED, make_random_move, match_of, rig_dealing
from tests.web_table import WebTable, empty_web_table, served
from web.events.shuffle_shares import ShareRounds

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium"),
]
RIGHT = "The shuffle was fair. "
GAME = {"game": "systems-failing"}
LATER_GAMES = """(count) => {
    const events = window.shuffle.follow(new EventTarget());
    for (let game = 100; game < 100 + count; game++) {
        const data = JSON.stringify({ game, started: "later", commitment: `later ${game}` });
        events.dispatchEvent(new MessageEvent("shuffle", { data }));
    }
}"""
"""Makes a phone believe that some more games have begun on the same evening."""


@contextmanager
def sharing(web_table: WebTable) -> Iterator[int]:
    """Serves the table, and runs its rounds of shares without delays. Yields the port."""
    shares: ShareRounds = web_table.app.extensions["shares"]
    shares._join_delay_s = shares._reveal_delay_s = 0.0
    shares._response_timeout_s = 20.0
    with served(web_table) as server, ExitStack() as resources:
        shares.start()
        resources.callback(shares.close)
        yield server.port


def phone_on(browser: Any, web_table: WebTable, port: int, seat: int) -> Any:
    """The page of a phone that has taken a seat. Waits until events arrive at the page."""
    page = new_page(browser)
    page.goto(f"http://127.0.0.1:{port}/join?code={web_table.lobby.code}")
    page.evaluate(
        "async ([code, seat]) => fetch('/api/join', { method: 'POST', headers: { 'Content-Type': 'application/json' },"
        " body: JSON.stringify({ code, seat }) })",
        [web_table.lobby.code, seat],
    )
    with page.expect_request("**/api/events*"):
        page.goto(f"http://127.0.0.1:{port}/play")
    return page


def wait_for_shares(web_table: WebTable, page: Any, *counts: int) -> None:
    """Waits until the rounds have these numbers of shares."""
    for _ in range(600):
        shuffle = match_of(web_table.table).header.shuffle
        assert shuffle
        if [len(each.shares) for each in shuffle.rounds] == [*counts]:
            assert all(share.secret for each in shuffle.rounds for share in each.shares)
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"the rounds have {[len(each.shares) for each in shuffle.rounds]} shares")


def play_to_the_end(web_table: WebTable) -> None:
    rng = Random(1)
    while match_of(web_table.table).state.turn is not None:
        make_random_move(web_table.table, rng)


def verdict(page: Any) -> tuple[str, str]:
    """The line in which the phone says whether the shuffle was fair, and the line's CSS classes."""
    line = page.locator(".shuffle.right, .shuffle.wrong").first
    line.wait_for()
    return line.inner_text(), line.get_attribute("class")


def test_phones_check_the_shuffle_to_which_they_contributed(browser: Any) -> None:
    """One phone joins during the game, another before the first deal of the next game. After the end, both phones say
    that all draws follow from the shares, even on the page of the past game after ten more games."""
    web_table = empty_web_table()
    with sharing(web_table) as port:
        host = web_table.host()
        assert host.post("/api/start", GAME).status_code == 200
        ann = phone_on(browser, web_table, port, 0)
        wait_for_shares(web_table, ann, 0, 1)
        ben = phone_on(browser, web_table, port, 1)
        wait_for_shares(web_table, ann, 0, 1, 2)
        assert host.post("/api/start", GAME).status_code == 200
        wait_for_shares(web_table, ann, 2)
        for page in (ann, ben):
            page.wait_for_function("""() => localStorage["tablekeeper-shuffle"].includes('"game":"2 ')""")
        play_to_the_end(web_table)
        for page in (ann, ben):
            text, kind = verdict(page)
            assert text.startswith(RIGHT)
            assert "Random numbers from phones: 2" in text
            assert "right" in kind
            assert page.complaints == []
        assert ann.get_by_role("button", name="Undo").count() == 0
        ann.evaluate(LATER_GAMES, 10)
        ann.goto(f"http://127.0.0.1:{port}/games/{match_of(web_table.table).id}")
        assert verdict(ann)[0].startswith(RIGHT)
        screen = new_page(browser)
        screen.goto(f"http://127.0.0.1:{port}/table")
        assert screen.locator(".shuffle").inner_text() == "The shuffle has been revealed."
        assert screen.complaints == []
        stranger = new_page(browser)
        stranger.goto(f"http://127.0.0.1:{port}/host?key={web_table.lobby.host_key}")
        stranger.goto(f"http://127.0.0.1:{port}/games/{match_of(web_table.table).id}")
        stranger.locator(".shuffle", has_text="This phone joined later").wait_for()


BEFORE_SEED = 5
"""The number of arguments of `Table.start` before the seed and the shuffle."""


def other_seed(web_table: WebTable) -> None:
    """A companion that chooses its seed after it knows the shares, and makes a new commitment for it."""
    start = web_table.table.start

    def cheat(*arguments: Any) -> int:
        first, (_seed, shuffle, *rest) = arguments[:BEFORE_SEED], arguments[BEFORE_SEED:]
        return start(*first, CHEATED_SEED, replace(shuffle, commitment=commitment_to(CHEATED_SEED)), *rest)

    web_table.table.start = cheat  # type: ignore[method-assign]


def other_seed_same_commitment(web_table: WebTable) -> None:
    """A companion that chooses its seed after it knows the shares, but keeps its commitment."""
    start = web_table.table.start

    def cheat(*arguments: Any) -> int:
        first, (_seed, *rest) = arguments[:BEFORE_SEED], arguments[BEFORE_SEED:]
        return start(*first, CHEATED_SEED, *rest)

    web_table.table.start = cheat  # type: ignore[method-assign]


def share_left_out(web_table: WebTable) -> None:
    """A companion that leaves out a phone's share."""
    start = web_table.table.start

    def cheat(*arguments: Any) -> int:
        first, (seed, shuffle, *rest) = arguments[:BEFORE_SEED], arguments[BEFORE_SEED:]
        (each,) = shuffle.rounds
        return start(*first, seed, FairShuffle(shuffle.commitment).with_round(each.shares[1:], {}), *rest)

    web_table.table.start = cheat  # type: ignore[method-assign]


def other_draws(web_table: WebTable) -> None:
    """A companion that cheats by dealing the cards that it likes."""
    start = web_table.table.start

    def cheat(*arguments: Any) -> int:
        id = start(*arguments)
        rig_dealing(match_of(web_table.table))
        return id

    web_table.table.start = cheat  # type: ignore[method-assign]


def other_record(web_table: WebTable) -> None:
    """A companion that deals the cards that it likes, and later reports other draws than those that it showed."""
    other_draws(web_table)
    record = web_table.table.shuffle.record
    honest = empty_web_table().table
    kept = list[DrawRecord]()
    lock = threading.Lock()

    def cheat(id: int) -> Any:
        found = record(id)
        if not found or not found.seed:
            return found
        with lock:
            return msgspec.structs.replace(found, draws=draws_of_honest_companion())

    def draws_of_honest_companion() -> Sequence[DrawRecord]:
        if not kept:
            header = match_of(web_table.table).header
            honest.start("systems-failing", None, {}, {}, (), header.seed, header.shuffle)
            rng = Random(1)
            while match_of(honest).state.turn is not None:
                make_random_move(honest, rng)
            honest.shuffle.reveal()
            shown = honest.shuffle.record(1)
            kept.extend(shown.draws)  # type: ignore[union-attr,arg-type]
        return kept

    web_table.table.shuffle.record = cheat  # type: ignore[method-assign]


CHEATS = (
    (other_record, "doesn’t follow"),
    (other_seed_same_commitment, "changed its own random number"),
    (share_left_out, "left it out"),
    (other_draws, "doesn’t follow"),
    (other_seed, "changed its own random number"),
)
"""Ways to cheat, and what a phone says about each. The other record comes first, because its versions are those of a
first game; the other seed last, because a phone remembers the first promise during the next games."""


def test_a_companion_that_cheats_is_caught(browser: Any) -> None:
    """If the companion has cheated, each phone says in red what the companion has done. Each game is cheated in another
    way."""
    web_table = empty_web_table()
    with sharing(web_table) as port:
        host = web_table.host()
        assert host.post("/api/start", GAME).status_code == 200
        phones = [phone_on(browser, web_table, port, 0), phone_on(browser, web_table, port, 1)]
        while len(web_table.app.extensions["streams"].sharing) < len(phones):
            phones[0].wait_for_timeout(50)
        for game, (cheat, why) in enumerate(CHEATS, start=2):
            with pytest.MonkeyPatch.context() as honest:
                for part, method in ((web_table.table, "start"), (web_table.table.shuffle, "record")):
                    honest.setattr(part, method, getattr(part, method))  # as it is afterwards, too
                cheat(web_table)
                assert host.post("/api/start", GAME).status_code == 200
                for page in phones:
                    page.locator(f"[data-game='{game}']").first.wait_for()
                play_to_the_end(web_table)
                said = [verdict(page) for page in phones]
            assert any(why in text for text, _ in said), (cheat, said)
            if cheat is not share_left_out:
                assert all("wrong" in kind for _, kind in said), (cheat, said)


def test_a_phone_that_vanishes_does_not_block_the_deal(browser: Any) -> None:
    """A phone that has committed to its share and then goes silent is left out, and does not block the deal. Its
    commitment stays on record."""
    web_table = empty_web_table()
    with sharing(web_table) as port:
        host = web_table.host()
        assert host.post("/api/start", GAME).status_code == 200
        ann = phone_on(browser, web_table, port, 0)
        wait_for_shares(web_table, ann, 0, 1)
        ben = phone_on(browser, web_table, port, 1)
        wait_for_shares(web_table, ann, 0, 1, 2)
        ben.evaluate(
            "const send = window.fetch; window.fetch = (path, options) =>"
            " options?.body?.includes('\"share\"') ? new Promise(() => {}) : send(path, options)"
        )
        web_table.app.extensions["shares"]._response_timeout_s = 1.0
        assert host.post("/api/start", GAME).status_code == 200
        shuffle = match_of(web_table.table).header.shuffle
        assert shuffle
        assert sorted((share.seat, share.secret != "") for share in shuffle.rounds[0].shares) == [(0, True), (1, False)]
        play_to_the_end(web_table)
        text, _ = verdict(ann)
        assert "Random numbers from phones: 1" in text


def test_the_script_computes_sha_256(browser: Any) -> None:
    """The script's own SHA-256, for pages without https, agrees with Python's for texts of any length."""
    web_table = empty_web_table()
    with served(web_table) as server:
        page = new_page(browser)
        page.goto(f"http://127.0.0.1:{server.port}/join")
        texts = ["00" * n for n in (0, 1, 32, 55, 56, 63, 64, 65, 119, 120, 1000)]
        found = page.evaluate("texts => texts.map(window.shuffle.hashOf)", texts)
        assert found == [hashlib.sha256(bytes.fromhex(text)).hexdigest() for text in texts]
