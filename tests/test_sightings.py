"""Sightings at the table: which become moves, and which become discrepancies."""

from __future__ import annotations

import pytest

from companion.games.rules import Seat
from companion.table.table import Table
from companion.tabletop.observations import CardGone, CardSeen, MatSeen
from companion.text.refusal_errors import Stale
from tests.systems_failing_tables import new_table, seen
from tests.table_acts import card_seen, table_deals_cards, to_phase


def lay_start(table: Table) -> None:
    """Lets the camera see the first escape-sequence card and four starting disasters, whose damage adds up to 7."""
    for code in ("SF-E1", "SF-D06", "SF-D01", "SF-D14", "SF-D23"):
        table.observe(card_seen(code, "escape" if "E" in code else "zone-1"))


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
    """If an undo that comes too late is refused, a card that was put down early still counts."""
    table = table_deals_cards()
    lay_start(table)
    to_phase(table, "advance")
    table.observe(card_seen("SF-D30", "zone-3"))
    with pytest.raises(Stale):
        table.undo(Seat(0), 1)
    table.proceed(Seat(0))
    assert seen(table).state["deck"] == 30


def test_an_undone_card_must_be_put_down_again() -> None:
    """After an undo the card that is still on the mat is a discrepancy. It is not dealt again if it is only pushed. It
    must be picked up and put down again."""
    table = table_deals_cards()
    lay_start(table)
    to_phase(table, "appear")
    table.observe(MatSeen(t=0, mat="MAT-SF"))
    table.observe(card_seen("SF-D30", "zone-3"))
    table.undo(Seat(0))
    assert seen(table).state["deck"] == 31
    assert any("D30" in discrepancy.message for discrepancy in seen(table).tabletop.discrepancies)
    table.observe(card_seen("SF-D30", "zone-3", "moved"))
    assert seen(table).state["deck"] == 31
    table.observe(CardGone(t=2, code="SF-D30"))
    table.observe(card_seen("SF-D30", "zone-3"))
    assert seen(table).state["deck"] == 30


def test_a_card_laid_between_the_places_is_turned_up_and_to_be_put_right() -> None:
    """A card that was put down between the zones counts as revealed, and every phone says where to move it."""
    table = table_deals_cards()
    table.observe(MatSeen(t=0, mat="MAT-SF"))
    table.observe(card_seen("SF-E1", None, mm=(490.0, 180.0)))
    assert seen(table).state["escape"]["active"] == "E1"
    assert any(discrepancy.message.startswith("Put E1 ") for discrepancy in seen(table).tabletop.discrepancies)


def test_a_card_of_the_deck_between_zones_is_a_discrepancy() -> None:
    """On a player's turn, a card of the deck that lies between zones is a discrepancy. Beside the mat it is not."""
    table = new_table()
    table.observe(MatSeen(t=0, mat="MAT-SF"))
    spare = next(c for c in ("D01", "D02", "D03", "D04", "D05") if c not in str(seen(table).state["zones"]))
    table.observe(card_seen(f"SF-{spare}", None, mm=(-80.0, 180.0)))
    assert not any(spare in discrepancy.message for discrepancy in seen(table).tabletop.discrepancies)
    table.observe(card_seen(f"SF-{spare}", None, "moved", mm=(490.0, 180.0)))
    assert f"{spare} is next to Ann’s place: put it face down on top of the disaster deck." in [
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
    messages = [discrepancy.message for discrepancy in seen(table).tabletop.discrepancies]
    assert any(f"{wrong} is in" in says and "put it on top" in says for says in messages)
    for n, cards in zones.items():
        for place, card in enumerate(cards):
            table.observe(card_seen(f"SF-{card}", f"zone-{n}", "moved", (0, 100.0 * place)))
    messages = [
        discrepancy.message
        for discrepancy in seen(table).tabletop.discrepancies
        if any(card in discrepancy.message for card in laid)
    ]
    assert messages == []
    assert seen(table).version == version


def test_a_covered_card_is_not_reported() -> None:
    """If a later card is in the same place, nobody can see whether the earlier one is still below it, so it is not
    mentioned."""
    table = new_table()
    table.observe(MatSeen(t=0, mat="MAT-SF"))
    spare = [c for c in ("D01", "D02", "D03", "D04", "D05", "D06") if c not in str(seen(table).state["zones"])][:2]
    for t, card in enumerate(spare):
        table.observe(CardSeen(t=t, code=f"SF-{card}", zone="core", mm=(100, 100), angle=0, change="appeared"))
    messages = " ".join(discrepancy.message for discrepancy in seen(table).tabletop.discrepancies)
    assert spare[0] not in messages
    assert spare[1] in messages


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
    """Components that were seen on the last game's mat are no discrepancies, because the camera may not have reported
    yet that they are gone. A component of another game on the current mat is a discrepancy."""
    table = new_table()
    table.observe(MatSeen(t=0, mat="MAT-TC"))
    table.observe(card_seen("TC-SIG03", "east1>B"))
    table.observe(MatSeen(t=1, mat="MAT-SF"))
    assert not any("TC-SIG03" in discrepancy.message for discrepancy in seen(table).tabletop.discrepancies)
    table.observe(card_seen("TC-SIG03", "zone-1", "moved"))
    assert any("(TC-SIG03) is in" in discrepancy.message for discrepancy in seen(table).tabletop.discrepancies)


def test_a_card_taken_away_is_missed() -> None:
    """A card that was removed from the table is a discrepancy."""
    table = new_table()
    card = seen(table).state["zones"]["1"][0]["card"]
    table.observe(MatSeen(t=0, mat="MAT-SF"))
    table.observe(card_seen(f"SF-{card}", "zone-1"))
    before = {discrepancy.code for discrepancy in seen(table).tabletop.discrepancies}
    table.observe(CardGone(t=1, code=f"SF-{card}"))
    assert {discrepancy.code for discrepancy in seen(table).tabletop.discrepancies} - before == {f"SF-{card}"}
