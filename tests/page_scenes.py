"""The list of scenes: the pages and states that axe checks and `scripts/screenshot_pages.py` draws."""

from __future__ import annotations

from functools import partial
from typing import Any

from companion.games import GAMES
from companion.games.view import View
from tests.page_states import (
    BOTH,
    JOIN_SECRET,
    SCREEN,
    PageScene,
    PageState,
    Reach,
    Until,
    after,
    asked,
    bare,
    closed,
    out_of_reach,
    over,
    over_months,
    played,
    refused,
    scrolled_to,
    shown,
    tapped,
    traveled,
    watched,
    with_companion,
    with_tile_turned,
)


def card(page: Any) -> None:
    """Taps a card of the hand."""
    box = page.locator("fieldset.hand .choice").first.bounding_box()
    page.mouse.click(box["x"] + 20, box["y"] + 20)


def card_and_place(page: Any) -> None:
    """Taps a card of the hand, then a place to which it leads."""
    card(page)
    page.locator(".stop:visible").first.click(force=True)
    page.locator(".sheet:popover-open").wait_for()


def engineers_card(page: Any) -> None:
    """Taps a card of another player, and chooses to play it."""
    tapped(".holder:not(.own) button.face")(page)
    page.locator(".sheet:popover-open .engineer input").first.check(force=True)
    page.locator(".sheet:popover-open .confirm-two").scroll_into_view_if_needed()


def hand_over(page: Any) -> None:
    """Hands the phone's own seat over to the companion, unless it was handed over before."""
    if page.locator("details.leave").count():
        page.locator("details.leave summary").click()
        page.locator("details.leave button").first.click()
    page.locator("[data-key='handed-over']").wait_for()


def question(kind: str) -> Until:
    """A condition on views: that a player must answer a question of this kind."""
    return lambda view: bool(view.state["pending"]) and view.state["pending"]["kind"] == kind


def by_hand(view: View) -> bool:
    """Whether people deal and must enter what they dealt."""
    return bool(view.choices.reports)


def engineer(view: View) -> bool:
    """Whether it is the Engineer's turn."""
    return isinstance(view.turn, int) and view.state["roles"][view.turn] == "engineer"


def surplus(view: View) -> bool:
    """Whether the seat in turn has too many cubes."""
    return bool(view.state["must_return"])


SYSTEMS_FAILING = partial(played, "systems-failing", options={"difficulty": "easy"})
SYSTEM_WON = partial(played, "system-won", seats=3, options={"aids": "counting"})
TRAFFIC = partial(played, "traffic-congestion", seats=3, options={"u_turns": "false"})
COMMUTE = partial(played, "commute", seats=3, options={"rounds": "2"}, seed="seed1")

DOOR = (
    PageScene(
        "before",
        "Before a game",
        bare,
        (
            PageState(
                "host-before", "The host chooses the game, who plays and who deals.", "/host", "host", looks=BOTH
            ),
            PageState("join-stranger", "A phone that opened the address enters the join code.", "/join", "stranger"),
            PageState("join-waiting", "It has joined and waits for the host.", "/join", "guest"),
            PageState("play-waiting", "Between two games, a phone waits for its seat.", "/play", "guest"),
            PageState("api", "The HTTP API, for people who write programs.", "/api", "stranger"),
            PageState("table-before", "The table's screen shows how to join.", "/table", "guest", looks=("desk",)),
        ),
    ),
    PageScene(
        "print",
        "Printing",
        bare,
        (
            PageState("print", "The host chooses paper, sides, size and ink.", "/print?game=commute", "host"),
            PageState(
                "print-ready",
                "The file is ready: how to print it, and from what height the camera reads it.",
                "/print?game=systems-failing&paper=a4",
                "host",
                looks=(*BOTH, "phone-german", "desk"),
            ),
        ),
    ),
    PageScene(
        "seats",
        "Taking a seat",
        partial(SYSTEM_WON, after(6)),
        (
            PageState("join-seats", "A free seat, a taken one, and one whose phone is offline.", "/join", "guest"),
            PageState(
                "host-running",
                "The host sees who is there and can free a seat.",
                "/host",
                "host",
                looks=("phone", "desk"),
            ),
            PageState(
                "table-with-free-seat",
                "The table's screen waits for the third player.",
                "/table",
                "guest",
                looks=("desk",),
            ),
            PageState(
                "table-stranger", "A phone that has not joined sees the table, but no join code.", "/table", "stranger"
            ),
        ),
        empty={1: "away", 2: "free"},
    ),
    PageScene(
        "empty-chairs",
        "Empty seats",
        lambda: with_companion(SYSTEM_WON(after(6)), 0),
        (
            PageState("chair-host", "The companion plays for Ann.", "/host", "host", looks=("phone", "phone-german")),
            PageState("chair-table", "It is the companion’s turn.", "/table", "guest", looks=("desk",)),
            PageState(
                "chair-leaving",
                "Below the log: a player who has to leave.",
                reach=lambda page: page.locator("details.leave summary").click(),
                who="next",
            ),
            PageState("chair-handed-over", "Until I am back.", reach=hand_over, who="next", looks=BOTH),
        ),
        game="system-won",
        empty={0: "free"},
    ),
    PageScene(
        "help",
        "Help and settings",
        bare,
        (
            *(
                PageState(
                    f"help-{name}", f"The first game of {game.title}, step by step.", f"/help?game={name}", "guest"
                )
                for name, game in GAMES.items()
                if game.text.guidebook_file
            ),
            PageState("help-rules", "All rules.", "/help?game=commute#rules", "guest"),
            PageState(
                "help-words",
                "The list of terms.",
                "/help?game=system-won#words",
                "guest",
                looks=("phone", "phone-german"),
            ),
            PageState("settings", "Language, chime and voice, for this phone only.", "/settings", "guest", looks=BOTH),
            PageState("refusal", "A page that nobody may see, and where to go instead.", "/host", "guest"),
            PageState("nothing-here", "An address that does not exist.", "/nothing-here", "guest"),
            PageState("offline", "The table can't be reached.", "/offline", "guest", looks=BOTH),
        ),
    ),
)

FAILING = (
    PageScene(
        "systems-failing",
        "Systems Failing",
        partial(SYSTEMS_FAILING, after(14, "repair")),
        (
            PageState("sf-mine", "My turn: my moves, the ship, both pools.", looks=(*BOTH, "phone-german", "desk")),
            PageState("sf-other", "The other player's turn.", who="next"),
            PageState(
                "sf-repair", "After tapping a card: the cubes for it.", reach=tapped(".card button.face"), looks=BOTH
            ),
            PageState("sf-rule", "The rule for what is on the screen.", reach=tapped(".rule-button")),
            PageState(
                "sf-refused",
                "Why a move is not allowed, as the rules say it.",
                reach=refused({"move": "repair", "card": "D01", "cubes": ["red"]}),
            ),
            PageState("sf-lost", "The connection is lost: the page is grayed out and says so.", reach=out_of_reach),
            PageState("sf-log", "The log.", "/log"),
            PageState("sf-table", "The table's screen.", "/table", looks=SCREEN),
        ),
        game="systems-failing",
    ),
    PageScene(
        "systems-failing-asked",
        "Systems Failing: a cube from the other player",
        lambda: asked(SYSTEMS_FAILING(after(14, "transfer"))),
        (
            PageState("sf-asking", "I asked for a cube."),
            PageState("sf-asked", "The other player asks me for a cube.", who="next", looks=BOTH),
        ),
        game="systems-failing",
    ),
    PageScene(
        "systems-failing-surplus",
        "Systems Failing: too many cubes",
        partial(SYSTEMS_FAILING, surplus, prefers="scavenge"),
        (PageState("sf-return", "Cubes to return.", reach=tapped(".action.opens")),),
        game="systems-failing",
    ),
    PageScene(
        "systems-failing-discrepancy",
        "Systems Failing: with a camera",
        lambda: watched(SYSTEMS_FAILING(after(14, "repair")), missing=1),
        (
            PageState("sf-discrepancy", "What to fix on the table."),
            PageState("sf-discrepancy-table", "The same on the table's screen.", "/table", looks=("desk",)),
        ),
        game="systems-failing",
    ),
    PageScene(
        "systems-failing-by-hand",
        "Systems Failing: cards dealt by hand",
        partial(SYSTEMS_FAILING, by_hand, dealers={"cards": "table"}),
        (PageState("sf-by-hand", "The card to reveal: photograph it, or enter it.", looks=BOTH),),
        game="systems-failing",
    ),
    PageScene(
        "systems-failing-pause",
        "Systems Failing: between turns",
        partial(SYSTEMS_FAILING, lambda view: bool(view.choices.pause_label)),
        (PageState("sf-pause", "The companion waits for the table."),),
        game="systems-failing",
    ),
    PageScene(
        "systems-failing-won",
        "Systems Failing: escaped",
        partial(SYSTEMS_FAILING, over),
        (
            PageState("sf-won", "Both escape."),
            PageState("sf-won-table", "The table's screen.", "/table", looks=("desk",)),
        ),
        game="systems-failing",
    ),
    PageScene(
        "systems-failing-lost",
        "Systems Failing: exploded",
        partial(SYSTEMS_FAILING, over, seed="7"),
        (PageState("sf-over", "The ship is lost."),),
        game="systems-failing",
    ),
)

WON = (
    PageScene(
        "system-won",
        "System WON",
        partial(SYSTEM_WON, after(16, "specify")),
        (
            PageState(
                "sw-mine",
                "My turn: the systems, the other hands, what I know of mine.",
                looks=(*BOTH, "phone-german", "desk"),
            ),
            PageState("sw-other", "Another player's turn.", who="next"),
            PageState(
                "sw-tell",
                "After tapping another player's card: the hints to give.",
                reach=tapped(".holder:not(.own) button.face"),
                looks=BOTH,
            ),
            PageState("sw-own", "After tapping a card of mine: what it can be.", reach=tapped(".own button.face")),
            PageState("sw-role", "My role's ability.", reach=tapped(".own .role-button")),
            PageState("sw-table", "The table's screen: no hands.", "/table", looks=SCREEN),
        ),
        game="system-won",
    ),
    PageScene(
        "system-won-first",
        "System WON: the first game",
        partial(SYSTEM_WON, after(0)),
        (PageState("sw-first", "The first turn is guided: a tip, and what it points at.", looks=("phone-first",)),),
        game="system-won",
    ),
    PageScene(
        "system-won-engineer",
        "System WON: the Engineer",
        partial(SYSTEM_WON, engineer, options={"roles": "engineer,operations,technician"}),
        (PageState("sw-engineer", "Playing another player's card.", reach=engineers_card),),
        game="system-won",
    ),
    PageScene(
        "system-won-unseen",
        "System WON: unseen cards",
        partial(SYSTEM_WON, after(0), dealers={"cards": "unseen"}),
        (
            PageState("sw-unseen", "When I play it, I say which card it was.", reach=tapped(".own button.face")),
            PageState(
                "sw-unseen-tell",
                "A hint for cards that nobody has seen: pointing at them.",
                reach=tapped(".holder:not(.own) button.face"),
            ),
        ),
        game="system-won",
    ),
    PageScene(
        "system-won-over",
        "System WON: the end",
        partial(SYSTEM_WON, over, seed="3"),
        (
            PageState("sw-over", "The score and its rating."),
            PageState("sw-over-table", "The table's screen.", "/table", looks=("desk",)),
            PageState("past-sw", "The replay: hands, systems and errors, step by step.", "/games/1?at=30"),
        ),
        game="system-won",
    ),
)

CONGESTION = (
    PageScene(
        "traffic-congestion",
        "Traffic Congestion",
        partial(TRAFFIC, after(30, "go")),
        (
            PageState(
                "tc-mine", "My turn: where cars can go, where mine can enter.", looks=(*BOTH, "phone-german", "desk")
            ),
            PageState("tc-other", "Another player's turn.", who="next"),
            PageState(
                "tc-go", "After tapping a lane with a signal: its cars can go.", reach=tapped(".tap.ready"), looks=BOTH
            ),
            PageState(
                "tc-signal",
                "A lane without a signal: the directions in which a signal here may point.",
                reach=tapped(".tap:not(.ready)"),
            ),
            PageState("tc-lanes", "All lanes as a list.", reach=scrolled_to(".lanes")),
            PageState("tc-table", "The table's screen.", "/table", looks=SCREEN),
        ),
        game="traffic-congestion",
    ),
    PageScene(
        "traffic-congestion-large",
        "Traffic Congestion: a larger board",
        partial(TRAFFIC, after(30), options={"board": "grid-3x3", "u_turns": "false"}),
        (PageState("tc-large", "Nine intersections.", looks=("phone", "desk")),),
        game="traffic-congestion",
    ),
    PageScene(
        "traffic-congestion-accept",
        "Traffic Congestion: the table matches",
        lambda: with_tile_turned(TRAFFIC(after(12, "signal"), seats=2)),
        (PageState("tc-accept", "I turned my signal; the move can follow.", who="next", looks=BOTH),),
        game="traffic-congestion",
    ),
    PageScene(
        "traffic-congestion-over",
        "Traffic Congestion: the end",
        partial(TRAFFIC, over),
        (
            PageState("tc-won", "My cars are home first."),
            PageState("tc-lost", "Another player's cars are.", who="next"),
            PageState("tc-over-table", "The table's screen.", "/table", looks=("desk",)),
            PageState("past-tc", "The replay: every car, act by act.", "/games/1?at=60"),
        ),
        game="traffic-congestion",
    ),
)

WAY_TO_WORK = (
    PageScene(
        "commute",
        "Commute",
        partial(COMMUTE, after(22, "travel")),
        (
            PageState("cm-mine", "My turn: the city and my hand.", looks=(*BOTH, "phone-german", "desk")),
            PageState("cm-card", "After tapping a card: the spaces that it reaches.", reach=card, looks=BOTH),
            PageState("cm-end", "After tapping a space: what the way there costs.", reach=card_and_place),
            PageState("cm-other", "Another player's turn.", who="next"),
            PageState("cm-table", "The table's screen.", "/table", looks=SCREEN),
        ),
        game="commute",
    ),
    PageScene(
        "commute-begun",
        "Commute: half a move on the table",
        lambda: traveled(COMMUTE(after(22, "travel")), moves_piece=False),
        (
            PageState("cm-begun", "I have put down a card: now my piece.", looks=BOTH),
            PageState("cm-begun-table", "The same on the table's screen.", "/table", looks=("desk",)),
        ),
        game="commute",
    ),
    PageScene(
        "commute-recorded",
        "Commute: a move recorded from the table",
        lambda: traveled(COMMUTE(after(22, "travel"), seats=2), moves_piece=True),
        (PageState("cm-recorded", "My move was recorded; I can undo it.", who="next", looks=BOTH),),
        game="commute",
    ),
    PageScene(
        "commute-by-hand",
        "Commute: cards dealt by hand",
        partial(COMMUTE, by_hand, dealers={"cards": "table"}),
        (PageState("cm-by-hand", "My new card takes two taps, or a photo."),),
        game="commute",
    ),
    PageScene(
        "commute-choice",
        "Commute: an “Uh-Oh!” card",
        partial(COMMUTE, question("choose"), seats=4, seed="3"),
        (
            PageState("cm-uh-oh", "A card that asks."),
            PageState("cm-uh-oh-table", "The same on the table's screen.", "/table", looks=("desk",)),
        ),
        game="commute",
    ),
    PageScene(
        "commute-bump",
        "Commute: two players on a space",
        partial(COMMUTE, question("bump"), seats=4, seed="4"),
        (PageState("cm-bump", "I send on whoever stands there."),),
        game="commute",
    ),
    PageScene(
        "commute-pause",
        "Commute: everyone has arrived",
        partial(COMMUTE, lambda view: bool(view.choices.pause_label)),
        (PageState("cm-pause", "The results of the morning."),),
        game="commute",
    ),
    PageScene(
        "commute-over",
        "Commute: the end",
        partial(COMMUTE, over),
        (
            PageState("cm-won", "I have the most reputation."),
            PageState("cm-over-table", "The table's screen.", "/table", looks=("desk",)),
            PageState("past-cm", "The replay: every player's way.", "/games/1?at=30"),
        ),
        game="commute",
    ),
)


def followed(step: int) -> Reach:
    """An action that makes a phone share a replay at a step, and then lets the page follow that replay."""

    def reach(page: Any) -> None:
        page.request.post("/games/1", form={"at": str(step), "do": "lead"})
        page.goto("/together")

    return reach


LOOKING_BACK = (
    PageScene(
        "past-failing",
        "Looking back",
        lambda: closed(SYSTEMS_FAILING(over)),
        (
            PageState("host-after", "The game is over; the next one is a tap away.", "/host", "host"),
            PageState("games", "Past games and their results.", "/games", "guest", looks=("phone", "desk-dark")),
            PageState(
                "past-sf",
                "Systems Failing, step by step, with its meters.",
                "/games/1?at=40",
                "guest",
                looks=("phone", "desk"),
            ),
            PageState(
                "together",
                "Watching a replay together: one phone steps, everyone else follows.",
                "/together",
                "host",
                followed(40),
                ("phone", "desk-dark"),
            ),
        ),
    ),
)

PEOPLE = (
    PageScene(
        "people",
        "People",
        lambda: over_months(*(closed(play(over)) for play in (SYSTEMS_FAILING, SYSTEM_WON, TRAFFIC))),
        (
            PageState(
                "join-who",
                "Next week: who are you?",
                f"/join?code={JOIN_SECRET}",
                "stranger",
                looks=(*BOTH, "phone-german"),
            ),
            PageState("people", "Everybody who plays here.", "/people", "guest"),
            PageState(
                "person",
                "A person’s games over months, partners, rivals, and the profile.",
                "/people/1",
                "host",
                looks=("phone", "phone-german", "desk", "desk-dark"),
            ),
        ),
    ),
)

SIMULATED: tuple[PageState, ...] = (
    PageState("trust", "How to make a phone trust the table's own certificates.", "/trust", "host"),
    PageState(
        "simulator",
        "The simulated table, to try everything without a camera.",
        "/simulator",
        "host",
        shown(".piece"),
        ("desk",),
    ),
    PageState(
        "setup",
        "Setting the table up: what the camera sees, step by step.",
        "/setup",
        "host",
        shown(".seen img"),
        ("phone", "desk"),
    ),
)
"""Page states of the real service with its simulated table."""

SCENES: tuple[PageScene, ...] = (*DOOR, *FAILING, *WON, *CONGESTION, *WAY_TO_WORK, *LOOKING_BACK, *PEOPLE)
