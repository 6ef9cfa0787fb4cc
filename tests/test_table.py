"""The table: one lock, one version number, durable acts, undo for everyone, and sightings that count once."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from companion.games import notation
from companion.games.rules import REFEREE, Seat
from companion.games.view import LogEntry
from companion.match.journal import Journal
from companion.match.journal_error import JournalError
from companion.match.match import NotYourSeat
from companion.table.current_game import NoGame
from companion.table.table import Table
from companion.tabletop.observations import ButtonPressed, CardGone, CardSeen, MatSeen
from companion.text.refusals import BadMove, IllegalMove, NotYourTurn, SetupError, Stale
from tests.systems_failing_tables import act, new_table, play_to_the_end, seen

SCAVENGE = {"seat": 0, "move": "scavenge"}
END_TURN = {"seat": 0, "move": "end_turn"}


def card_seen(
    code: str, zone: str | None = "zone-1", change: str = "appeared", mm: tuple[float, float] = (0, 0)
) -> CardSeen:
    return CardSeen(t=0, code=code, zone=zone, mm=mm, angle=0, change=change)  # type: ignore[arg-type]


def table_deals_cards() -> Table:
    return new_table(dealers={"cards": "table", "roles": "companion", "cubes": "companion"})


def lay_start(table: Table) -> None:
    """The camera sees the first escape sequence and four starting disasters worth 7 damage."""
    for code in ("SF-E1", "SF-D06", "SF-D01", "SF-D14", "SF-D23"):
        table.observe(card_seen(code, "escape" if "E" in code else "zone-1"))


def to_phase(table: Table, phase: str) -> None:
    """Both players end their turns and the companion proceeds until `phase` is reached."""
    while (view := seen(table)).state["phase"] != phase:
        if view.choices.pause_label:
            table.proceed(Seat(0))
        else:
            table.submit(view.turn, {"seat": view.turn, "move": "end_turn"})  # type: ignore[arg-type]


def test_a_move_raises_the_version_by_one_with_all_that_follows() -> None:
    """A scavenge and the draws of its two cubes are one version, so the answer to the phone has the next version."""
    table = new_table()
    before = seen(table)
    assert table.submit(Seat(0), SCAVENGE, before.version) == before.version + 1
    assert [len(told.moves) for told in seen(table).log[-1:]] == [3]


def test_a_move_on_an_older_version_is_stale_and_changes_nothing() -> None:
    """A move that was tapped on an outdated page is refused."""
    table = new_table()
    version = table.submit(Seat(0), SCAVENGE, 1)
    with pytest.raises(Stale):
        table.submit(Seat(0), SCAVENGE, 1)
    assert seen(table).version == version


def test_the_same_request_acts_once() -> None:
    """A repeated request, after a lost answer or a double tap, gets the first answer again, also after a restart."""
    journal = Journal(None)
    table = Table(journal)
    table.start("systems-failing", None, {}, {}, (), "s")
    first = table.submit(Seat(0), SCAVENGE, 1, "request-1")
    assert table.submit(Seat(0), SCAVENGE, 1, "request-1") == first
    again = Table(journal)
    assert again.submit(Seat(0), SCAVENGE, 1, "request-1") == first
    assert seen(again).version == first


def test_requests_of_different_seats_are_different() -> None:
    """A request with the same id from another seat is no repetition, so that seat can't learn anything from it."""
    table = new_table()
    table.submit(Seat(0), SCAVENGE, 1, "same")
    with pytest.raises(NotYourTurn):
        table.submit(Seat(1), {"seat": 1, "move": "scavenge"}, 2, "same")


def test_a_seat_moves_only_for_itself() -> None:
    """A phone can neither move for another seat nor report deals of the companion."""
    table = new_table()
    with pytest.raises(NotYourSeat):
        table.submit(Seat(1), SCAVENGE)
    table.submit(Seat(0), SCAVENGE)
    with pytest.raises(NotYourSeat):
        table.submit(Seat(0), {"seat": "house", "move": "reveal", "card": "D01"})


def test_a_refused_move_leaves_everything() -> None:
    """A refused move changes neither the state nor the version nor the journal."""
    journal = Journal(None)
    table = Table(journal)
    table.start("systems-failing", None, {}, {}, (), "s")
    before = table.view(REFEREE)
    for bad, kind in (({"seat": 0, "move": "fly"}, BadMove), ({"seat": 1, "move": "end_turn"}, NotYourTurn)):
        with pytest.raises(kind):
            table.submit(Seat(bad["seat"]), bad)  # type: ignore[arg-type]
    with pytest.raises(IllegalMove):
        table.submit(Seat(0), {"seat": 0, "move": "return", "cubes": []})
    assert before is not None
    assert table.view(REFEREE) == before
    assert len(journal.game(1).records) == 1


def test_a_move_that_can_not_be_stored_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """A move is shown only after it has been stored durably."""
    journal = Journal(None)
    table = Table(journal)
    table.start("systems-failing", None, {}, {}, (), "s")
    before = table.view(REFEREE)

    def full(*_: object) -> None:
        raise JournalError("the disk is full")

    monkeypatch.setattr(journal, "append", full)
    with pytest.raises(JournalError):
        table.submit(Seat(0), SCAVENGE)
    assert table.view(REFEREE) == before


def test_nothing_runs_before_a_game_is_started() -> None:
    """Moves at an empty table are refused because no game is running."""
    table = Table(Journal(None))
    assert table.view() is None
    for call in (lambda: table.submit(Seat(0), SCAVENGE), lambda: table.undo(Seat(0)), lambda: table.proceed(None)):
        with pytest.raises(NoGame):
            call()


@pytest.mark.parametrize(
    ("name", "seats", "setup", "dealers"),
    [
        ("chess", None, {}, {}),
        ("systems-failing", 3, {}, {}),
        ("systems-failing", 2, {"difficulty": "absurd"}, {}),
        ("systems-failing", 2, {}, {"cards": "nobody"}),
        ("systems-failing", 2, {}, {"dice": "table"}),
    ],
)
def test_a_game_that_can_not_begin_is_refused(
    name: str, seats: int | None, setup: dict[str, str], dealers: dict[str, str]
) -> None:
    """Starting a game wrongly is refused, and the previous game goes on."""
    table = new_table()
    before = seen(table)
    with pytest.raises(SetupError):
        table.start(name, seats, setup, dealers, (), "s")
    assert seen(table) == before


def test_a_start_that_can_not_be_stored_leaves_the_previous_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of the old game, the start of the new one and its first deal are stored together or not at all."""
    journal = Journal(None)
    table = Table(journal)
    table.start("systems-failing", None, {}, {}, (), "s")

    def full(*_: object) -> None:
        raise JournalError("the disk is full")

    monkeypatch.setattr(journal, "append", full)
    with pytest.raises(JournalError):
        table.start("systems-failing", None, {}, {}, (), "t")
    assert seen(Table(journal)).id == seen(table).id == 1


def test_a_tap_of_the_last_game_does_nothing_in_the_next() -> None:
    """Versions continue from game to game, also after a restart, so a late tap of the last game is stale."""
    journal = Journal(None)
    table = Table(journal)
    for _ in range(2):
        table.start("systems-failing", None, {}, {}, (), "s")
    with pytest.raises(Stale):
        table.submit(Seat(0), SCAVENGE, 1, "late")
    assert table.submit(Seat(0), SCAVENGE, 2, "fresh") == 3
    again = Table(journal)
    assert (seen(again).version, again.submit(Seat(0), SCAVENGE, 2, "fresh")) == (3, 3)
    assert [told.version for told in again.log_after(Seat(0), 2)] == [3]


def test_an_ended_game_is_gone_from_the_table_and_kept_in_the_journal() -> None:
    """A game that the host has ended stays in the journal and is not resumed."""
    journal = Journal(None)
    table = Table(journal)
    table.start("systems-failing", None, {}, {}, (), "s")
    table.end()
    assert table.view() is None
    assert Table(journal).view() is None
    assert journal.game(1).closed
    with pytest.raises(NoGame):
        table.end()


def test_undo_and_redo_bring_back_the_very_same() -> None:
    """Undo takes back one act with everything that followed from it. Redo draws the same cubes again."""
    table = new_table()
    before = seen(table).state
    table.submit(Seat(0), SCAVENGE)
    after = seen(table).state
    table.undo(Seat(1))
    assert seen(table).state == before
    table.redo(Seat(0))
    assert seen(table).state == after


def test_an_undone_scavenge_draws_the_same_cubes_again() -> None:
    """Undo can't be used to get better cubes: the same ones are drawn again."""
    table = new_table()
    table.submit(Seat(0), SCAVENGE)
    after = seen(table).state
    table.undo(Seat(0))
    table.submit(Seat(0), SCAVENGE)
    assert seen(table).state == after


def test_undo_says_what_to_put_back() -> None:
    """One sentence names the cubes to put back and where they go."""
    table = next(table for table in map(new_table_with, range(20)) if "white" not in drawn(table))
    cubes = drawn(table)
    table.undo(Seat(0))
    (said,) = seen(table).tabletop.physical_instructions
    assert said.endswith("from Ann’s pool to the bag.")
    assert all(cube in said for cube in cubes)


def test_a_log_entry_is_made_once_until_somebody_is_renamed() -> None:
    """A view has up to 200 log entries, each created once per seat. After a player is renamed, all entries have the new
    name."""
    table = new_table()
    table.submit(Seat(0), SCAVENGE, None)

    def last_entry(seat: int) -> LogEntry:
        view = table.view(Seat(seat))
        assert view is not None
        return view.log[-1]

    first = last_entry(0)
    assert last_entry(0) is first
    assert last_entry(1) is not first
    assert "Ann" in str(first.words[0])
    table.rename(Seat(0), "Zoe")
    assert "Zoe" in str(last_entry(0).words[0])


def new_table_with(seed: int) -> Table:
    table = new_table(seed=str(seed))
    table.submit(Seat(0), SCAVENGE)
    return table


def drawn(table: Table) -> list[str]:
    return [move["cube"] for move in seen(table).log[-1].moves if move["move"] == "draw"]


def test_the_first_deal_can_not_be_undone() -> None:
    """The first deal can't be undone, because there is no act before it."""
    table = new_table()
    assert not seen(table).choices.can_undo
    with pytest.raises(IllegalMove):
        table.undo(Seat(0))


def test_a_first_deal_of_one_card_can_not_be_undone() -> None:
    """Where people deal the roles, the companion deals only the escape sequence by itself. That deal can't be undone
    either."""
    table = new_table(dealers={"roles": "table"})
    assert not seen(table).choices.can_undo


def test_the_first_deal_by_people_can_be_undone() -> None:
    """A card that the camera misread during the first deal can be undone, together with the cubes that the companion
    drew after it."""
    table = table_deals_cards()
    table.observe(card_seen("SF-E1", "escape"))
    table.undo(Seat(0))
    assert seen(table).state["escape"]["active"] is None
    table.observe(card_seen("SF-E2", "escape"))
    assert seen(table).state["escape"]["active"] == "E2"


def test_a_new_move_gives_up_what_was_undone() -> None:
    """After a new move, undone acts can no longer be redone."""
    table = new_table()
    table.submit(Seat(0), SCAVENGE)
    table.undo(Seat(0))
    table.submit(Seat(0), END_TURN)
    with pytest.raises(IllegalMove):
        table.redo(Seat(0))


@pytest.mark.parametrize("seed", range(5))
def test_a_resumed_table_is_the_same_table(tmp_path: Path, seed: int) -> None:
    """After any acts and undos, opening the journal again gives the same version, state, log and undo history."""
    table, rng = new_table(tmp_path / "j.sqlite3", seed=str(seed)), Random(seed)
    for _ in range(30):
        if seen(table).turn is None:
            break
        act(table, rng)
        if rng.random() < 0.3 and seen(table).choices.can_undo:
            table.undo(Seat(rng.randrange(2)))
            if rng.random() < 0.5:
                table.redo(Seat(0))
    again, now = seen(Table(Journal(tmp_path / "j.sqlite3"))), seen(table)
    assert (again.version, again.state, again.log) == (now.version, now.state, now.log)
    assert (again.choices.can_undo, again.choices.can_redo, again.names) == (
        now.choices.can_undo,
        now.choices.can_redo,
        now.names,
    )


def a_transfer(table: Table) -> dict[str, object]:
    color = next(iter(seen(table).state["pools"][1]))
    return {"seat": 0, "move": "transfer", "color": color}


def test_the_first_undo_withdraws_an_open_question() -> None:
    """While a player's request waits for an answer, undo withdraws it and takes back no move, on a phone as well as
    with the button at the table. The same HTTP request, sent again, does nothing more. The next undo takes back the
    last move, and redo brings it back."""
    table = new_table()
    table.submit(Seat(0), SCAVENGE)
    before = seen(table)
    for undo in (
        lambda: table.undo(Seat(1), before.version, "a name"),
        lambda: table.observe(ButtonPressed(button="undo")),
    ):
        table.request_consent(Seat(0), a_transfer(table))
        undo()
        after = seen(table)
        assert (after.choices.request, after.version, after.state) == (None, before.version, before.state)
        assert str(after.notice) == "Ann withdrew the request."
    assert table.undo(Seat(1), before.version, "a name") == before.version
    table.undo(Seat(1), before.version, "another name")
    assert seen(table).state != before.state
    table.redo(Seat(1))
    assert seen(table).state == before.state


def test_a_question_before_the_first_move_can_be_withdrawn() -> None:
    """Undo is offered while a request waits for an answer, even if there is no move to take back."""
    table = new_table()
    assert not seen(table).choices.can_undo
    table.request_consent(Seat(0), a_transfer(table))
    assert seen(table).choices.can_undo
    with pytest.raises(Stale):
        table.undo(Seat(0), 0)
    table.undo(Seat(0))
    assert seen(table).choices.request is None


def test_a_transfer_waits_for_the_other_player() -> None:
    """Requesting a transfer changes nothing in the game. The consent of the other player makes the move."""
    table = new_table()
    move, version = a_transfer(table), seen(table).version
    table.request_consent(Seat(0), move, version)
    assert seen(table, 1).choices.request is not None
    assert seen(table).version == version
    with pytest.raises(NotYourSeat):
        table.answer(Seat(2), agreed=True)
    assert table.answer(Seat(1), agreed=True) == version + 1
    assert seen(table).choices.request is None
    assert seen(table).log[-1].moves[0] == move


def test_a_declined_request_changes_nothing() -> None:
    """If the other player declines, the requesting player is told and the game stays as it is."""
    table = new_table()
    before = seen(table).state
    table.request_consent(Seat(0), a_transfer(table))
    table.answer(Seat(1), agreed=False)
    assert seen(table).state == before
    assert "no" in seen(table).notice
    with pytest.raises(IllegalMove):
        table.answer(Seat(1), agreed=True)


def test_a_request_is_withdrawn_when_the_table_moves_on() -> None:
    """A request is withdrawn when the state changes, so consent can't apply to a newer state."""
    table = new_table()
    table.request_consent(Seat(0), a_transfer(table))
    table.submit(Seat(0), SCAVENGE)
    assert seen(table).choices.request is None


def test_only_what_needs_permission_is_asked() -> None:
    """Requesting consent for an illegal move, or for one that needs none, is refused at once."""
    table = new_table()
    with pytest.raises(BadMove):
        table.request_consent(Seat(0), SCAVENGE)
    missing = next(
        c for c in ("red", "blue", "green", "black", "orange", "yellow") if c not in seen(table).state["pools"][1]
    )
    with pytest.raises(IllegalMove):
        table.request_consent(Seat(0), {"seat": 0, "move": "transfer", "color": missing})


def test_cards_dealt_at_the_table_are_recorded_as_they_come_to_rest() -> None:
    """When a disaster card comes to rest on the mat, it is recorded as revealed by the house."""
    table = table_deals_cards()
    lay_start(table)
    view = seen(table)
    assert view.state["phase"] == "actions"
    assert view.state["escape"]["active"] == "E1"
    assert [laid["card"] for laid in view.state["zones"]["1"]] == ["D01", "D06"]


def test_a_card_that_lies_there_before_it_is_due_counts_when_it_is() -> None:
    """A disaster that people put down before anybody pressed Next is recorded once, as soon as it is due."""
    table = table_deals_cards()
    lay_start(table)
    to_phase(table, "advance")
    table.observe(card_seen("SF-D30", "zone-3"))
    assert seen(table).state["deck"] == 31
    table.proceed(Seat(0))
    assert seen(table).state["deck"] == 30
    assert [laid["card"] for laid in seen(table).state["zones"]["3"]] == ["D30"]


def test_a_card_that_slips_into_a_zone_on_a_players_turn_never_counts() -> None:
    """A card that appears in a zone during a player's turn is a discrepancy. It is not recorded when the next disaster
    is due."""
    table = table_deals_cards()
    lay_start(table)
    table.observe(MatSeen(t=0, mat="MAT-SF"))
    table.observe(card_seen("SF-D08", "zone-2"))
    assert any("D08 is in" in discrepancy.message for discrepancy in seen(table).tabletop.discrepancies)
    to_phase(table, "appear")
    assert seen(table).state["deck"] == 31
    assert any("D08 is in" in discrepancy.message for discrepancy in seen(table).tabletop.discrepancies)


def test_a_refused_undo_forgets_no_card() -> None:
    """A phone's late undo is refused, and a card that was put down early still counts."""
    table = table_deals_cards()
    lay_start(table)
    to_phase(table, "advance")
    table.observe(card_seen("SF-D30", "zone-3"))
    with pytest.raises(Stale):
        table.undo(Seat(0), 1)
    table.proceed(Seat(0))
    assert seen(table).state["deck"] == 30


def test_an_undone_card_must_be_put_down_again() -> None:
    """After an undo the card that is still on the mat is a discrepancy. It is not dealt again until it is put down
    again."""
    table = table_deals_cards()
    lay_start(table)
    to_phase(table, "appear")
    table.observe(MatSeen(t=0, mat="MAT-SF"))
    table.observe(card_seen("SF-D30", "zone-3"))
    table.undo(Seat(0))
    assert seen(table).state["deck"] == 31
    assert any("D30" in discrepancy.message for discrepancy in seen(table).tabletop.discrepancies)
    table.observe(card_seen("SF-D30", "zone-3", "moved"))
    assert seen(table).state["deck"] == 30


def test_a_card_laid_between_the_places_is_turned_up_and_to_be_put_right() -> None:
    """A card that was dealt beside its zone counts, and every phone says where to move it."""
    table = table_deals_cards()
    table.observe(MatSeen(t=0, mat="MAT-SF"))
    table.observe(card_seen("SF-E1", None, mm=(490.0, 180.0)))
    assert seen(table).state["escape"]["active"] == "E1"
    assert any(discrepancy.message.startswith("Put E1 ") for discrepancy in seen(table).tabletop.discrepancies)


def test_a_card_of_the_deck_between_zones_is_a_discrepancy() -> None:
    """On a player's turn, a card of the deck between zones is a discrepancy. Beside the mat it is none."""
    table = new_table()
    table.observe(MatSeen(t=0, mat="MAT-SF"))
    spare = next(c for c in ("D01", "D02", "D03", "D04", "D05") if c not in str(seen(table).state["zones"]))
    table.observe(card_seen(f"SF-{spare}", None, mm=(-80.0, 180.0)))
    assert not any(spare in discrepancy.message for discrepancy in seen(table).tabletop.discrepancies)
    table.observe(card_seen(f"SF-{spare}", None, "moved", mm=(490.0, 180.0)))
    assert f"{spare} is next to Ann’s place: put it on top of the disaster deck." in [
        discrepancy.message for discrepancy in seen(table).tabletop.discrepancies
    ]


def test_a_card_on_the_discards_or_off_the_mat_deals_nothing() -> None:
    """A card on the discard pile or beside the mat is not recorded as revealed."""
    table = table_deals_cards()
    for zone in ("discard", "deck", None):
        table.observe(card_seen("SF-E1", zone, mm=(-80.0, 10.0)))
    assert seen(table).state["escape"]["active"] is None


def test_the_camera_does_not_deal_what_the_companion_deals() -> None:
    """If the companion shuffles, a card on the mat is only compared with the layout."""
    table = new_table()
    to_phase(table, "appear")
    before = seen(table).state
    table.observe(card_seen("SF-D30", "zone-3"))
    assert seen(table).state == before


def test_a_misplaced_component_is_reported_and_changes_nothing() -> None:
    """A component in the wrong place is a discrepancy on every phone until it is in place."""
    table = new_table()
    version, state = seen(table).version, seen(table).state
    zones = {n: [laid["card"] for laid in zone] for n, zone in state["zones"].items()}
    laid = [card for cards in zones.values() for card in cards]
    table.observe(MatSeen(t=0, mat="MAT-SF"))
    wrong = zones["1"][0]
    table.observe(card_seen(f"SF-{wrong}", "zone-3", mm=(300, 10)))
    told = [discrepancy.message for discrepancy in seen(table).tabletop.discrepancies]
    assert any(f"{wrong} is in" in says and "put it on top" in says for says in told)
    for n, cards in zones.items():
        for place, card in enumerate(cards):
            table.observe(card_seen(f"SF-{card}", f"zone-{n}", "moved", (0, 100.0 * place)))
    told = [
        discrepancy.message
        for discrepancy in seen(table).tabletop.discrepancies
        if any(card in discrepancy.message for card in laid)
    ]
    assert told == []
    assert seen(table).version == version


def test_a_covered_card_is_not_reported() -> None:
    """If a later card is in the same place, nobody can see whether the earlier one is still below it, so it is not
    mentioned."""
    table = new_table()
    table.observe(MatSeen(t=0, mat="MAT-SF"))
    spare = [c for c in ("D01", "D02", "D03", "D04", "D05", "D06") if c not in str(seen(table).state["zones"])][:2]
    for t, card in enumerate(spare):
        table.observe(CardSeen(t=t, code=f"SF-{card}", zone="core", mm=(100, 100), angle=0, change="appeared"))
    told = " ".join(discrepancy.message for discrepancy in seen(table).tabletop.discrepancies)
    assert spare[0] not in told
    assert spare[1] in told


def test_a_systems_failing_card_may_go_straight_to_the_discards() -> None:
    """Players may turn up a systems-failing card and discard it in one motion."""
    table = table_deals_cards()
    lay_start(table)
    to_phase(table, "appear")
    table.observe(card_seen("SF-S3", "discard"))
    assert seen(table).state["stability"] == 1
    table.observe(card_seen("SF-D30", "discard"))
    assert seen(table).state["deck"] == 30


def test_a_wrong_order_in_a_zone_is_a_discrepancy() -> None:
    """A wrong order of the cards in a zone is a discrepancy, because a surge moves the bottom card."""
    table = new_table()
    first, second = (laid["card"] for laid in seen(table).state["zones"]["1"])
    table.observe(MatSeen(t=0, mat="MAT-SF"))
    table.observe(card_seen(f"SF-{first}", "zone-1", mm=(0, 200)))
    table.observe(card_seen(f"SF-{second}", "zone-1", mm=(0, 100)))
    assert any(
        f"from the top: {first}, {second}" in discrepancy.message for discrepancy in seen(table).tabletop.discrepancies
    )


def test_without_a_mat_in_view_there_is_no_discrepancy() -> None:
    """Without a mat in view there are no discrepancies."""
    table = new_table()
    assert seen(table).tabletop.discrepancies == ()
    table.observe(MatSeen(t=0, mat="MAT-SF"))
    assert seen(table).tabletop.discrepancies
    table.observe(MatSeen(t=1, mat=None))
    assert seen(table).tabletop.discrepancies == ()


def test_components_on_the_last_mat_are_no_discrepancy() -> None:
    """Components that were seen on the last game's mat are no discrepancy: the camera may report only later that they
    are gone. A component of another game on the current mat is one."""
    table = new_table()
    table.observe(MatSeen(t=0, mat="MAT-TC"))
    table.observe(card_seen("TC-SIG03", "east1>B"))
    table.observe(MatSeen(t=1, mat="MAT-SF"))
    assert not any("TC-SIG03" in discrepancy.message for discrepancy in seen(table).tabletop.discrepancies)
    table.observe(card_seen("TC-SIG03", "zone-1", "moved"))
    assert any("TC-SIG03 is in" in discrepancy.message for discrepancy in seen(table).tabletop.discrepancies)


def test_a_card_taken_away_is_missed() -> None:
    """A card that was removed from the table is a discrepancy."""
    table = new_table()
    card = seen(table).state["zones"]["1"][0]["card"]
    table.observe(MatSeen(t=0, mat="MAT-SF"))
    table.observe(card_seen(f"SF-{card}", "zone-1"))
    before = {discrepancy.code for discrepancy in seen(table).tabletop.discrepancies}
    table.observe(CardGone(t=1, code=f"SF-{card}"))
    assert {discrepancy.code for discrepancy in seen(table).tabletop.discrepancies} - before == {f"SF-{card}"}


def test_each_button_has_its_action() -> None:
    """*draw* scavenges, *next* ends the turn, *undo* takes back an act, and *confirm* consents."""
    table = new_table()
    start = seen(table).state
    table.observe(ButtonPressed(button="draw"))
    assert seen(table).state["actions_left"] == 3
    table.observe(ButtonPressed(button="undo"))
    assert seen(table).state == start
    table.request_consent(Seat(0), a_transfer(table))
    table.observe(ButtonPressed(button="confirm"))
    assert seen(table).log[-1].moves[0]["move"] == "transfer"
    table.observe(ButtonPressed(button="next"))
    assert seen(table).turn == 1


def test_undo_that_is_held_says_how_far_it_went() -> None:
    """While *undo* is held, each repetition takes back one more act, and the pages show how many. At the beginning of
    the game nothing more happens."""
    table = new_table()
    start = seen(table).state
    for _ in range(2):
        table.observe(ButtonPressed(button="draw"))
    table.observe(ButtonPressed(button="undo"))
    assert seen(table).notice == ""
    table.observe(ButtonPressed(button="undo", repeats=1))
    assert seen(table).state == start
    assert seen(table).notice == "Holding Undo: 2 steps undone. Let go to stop."
    table.observe(ButtonPressed(button="undo", repeats=2))
    assert "nothing to undo" in seen(table).notice


def test_next_lets_the_companion_go_on() -> None:
    """Where the companion waits for people to finish, *next* tells it that they have."""
    table = new_table()
    to_phase(table, "advance")
    table.observe(ButtonPressed(button="next"))
    assert seen(table).state["phase"] == "appear"


def test_a_refused_button_press_shows_its_reason() -> None:
    """A refused button press shows its reason on the phones and changes nothing."""
    table = new_table()
    version = seen(table).version
    table.observe(ButtonPressed(button="undo"))
    assert seen(table).version == version
    assert "nothing to undo" in seen(table).notice
    table.observe(ButtonPressed(button="confirm"))
    assert seen(table).version == version
    assert seen(table).notice == "There’s nothing to confirm right now."


def test_whoever_waits_is_woken_by_any_change() -> None:
    """A phone's event stream sleeps until there is something new."""
    table = new_table()
    mark, woken = table.revision, threading.Event()
    waiter = threading.Thread(target=lambda: (table.wait(mark, 30), woken.set()))
    waiter.start()
    table.submit(Seat(0), SCAVENGE)
    assert woken.wait(10)
    waiter.join()
    assert table.revision.version == mark.version + 1


def test_waiting_ends_after_a_while() -> None:
    """A waiting event stream wakes up regularly, even if nothing happens."""
    table = new_table()
    assert table.wait(table.revision, 0.01) == table.revision


def test_a_client_that_reconnects_gets_the_later_events() -> None:
    """A client that reconnects gets every event after its version once."""
    table, rng = new_table(), Random(1)
    for _ in range(5):
        act(table, rng)
    assert [told.version for told in table.log_after(Seat(0), 2)] == [3, 4, 5, 6]
    assert table.log_after(Seat(0), 99) == ()


def test_many_threads_make_one_history() -> None:
    """If phones act at the same time, one move is made at each version. All others are stale or refused."""
    table = new_table()

    def press(seat: int) -> None:
        rng = Random(seat)
        for _ in range(20):
            view = seen(table, seat)
            if view.choices.legal:
                with suppress(Stale, NotYourTurn):
                    table.submit(Seat(seat), notation.to_json(rng.choice(view.choices.legal)), view.version)

    threads = [threading.Thread(target=press, args=(seat % 2,)) for seat in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    versions = [told.version for told in table.log_after(Seat(0), 0)]
    assert versions == list(range(1, len(versions) + 1))


def test_a_whole_game_ends_and_stays(tmp_path: Path) -> None:
    """After the end the last state stays, also after a restart, and can still be undone."""
    table = new_table(tmp_path / "j.sqlite3", difficulty="hard")
    play_to_the_end(table, Random(5))
    again = seen(Table(Journal(tmp_path / "j.sqlite3")))
    assert again.state["over"]
    assert again.state == seen(table).state
    assert again.choices.can_undo
