"""The scenes themselves: the list of pages and states that axe reads and `scripts/draw_pages.py` draws."""

from __future__ import annotations

from functools import partial
from typing import Any

from companion.games import GAMES
from companion.match.view import View
from tests.every_page import (
    BOTH,
    SCREEN,
    Scene,
    Sight,
    Until,
    after,
    asked,
    bare,
    closed,
    out_of_reach,
    over,
    played,
    refused,
    scrolled_to,
    shown,
    tapped,
    watched,
)


def card(page: Any) -> None:
    """Taps a card of the hand where it lies."""
    box = page.locator("fieldset.hand .choice").first.bounding_box()
    page.mouse.click(box["x"] + 20, box["y"] + 20)


def card_and_place(page: Any) -> None:
    """Then a place where it leads."""
    card(page)
    page.locator(".stop:visible").first.click(force=True)
    page.locator(".sheet:popover-open").wait_for()


def engineers_card(page: Any) -> None:
    """Taps a card of another, and chooses it to be played."""
    tapped(".holder:not(.own) button.face")(page)
    page.locator(".sheet:popover-open .engineer input").first.check(force=True)
    page.locator(".sheet:popover-open .confirm-two").scroll_into_view_if_needed()


def question(kind: str) -> Until:
    """Somebody must answer this."""
    return lambda view: bool(view.state["pending"]) and view.state["pending"]["kind"] == kind


def by_hand(view: View) -> bool:
    """People deal, and are to say what came."""
    return bool(view.reports)


def engineer(view: View) -> bool:
    """The Engineer's turn."""
    return isinstance(view.turn, int) and view.state["roles"][view.turn] == "engineer"


def surplus(view: View) -> bool:
    """Whoever is in turn holds too many cubes."""
    return bool(view.state["must_return"])


SYSTEMS_FAILING = partial(played, "systems-failing", options={"difficulty": "easy"})
SYSTEM_WON = partial(played, "system-won", seats=3, options={"aids": "counting"})
TRAFFIC = partial(played, "traffic-congestion", seats=3, options={"u_turns": "false"})
COMMUTE = partial(played, "commute", seats=3, options={"rounds": "2"}, seed="seed1")

DOOR = (
    Scene(
        "before",
        "Before a game",
        bare,
        (
            Sight("host-before", "The host chooses the game, who plays and who deals.", "/host", "host", looks=BOTH),
            Sight("join-stranger", "A phone that comes by address types the code.", "/join", "stranger"),
            Sight("join-waiting", "It is in, and waits for the host.", "/join", "guest"),
            Sight("play-waiting", "Between two games a phone waits where its seat will be.", "/play", "guest"),
            Sight("table-before", "The table's screen shows how to come in.", "/table", "guest", looks=("desk",)),
        ),
    ),
    Scene(
        "seats",
        "Taking a seat",
        partial(SYSTEM_WON, after(6)),
        (
            Sight("join-seats", "A seat to take, one that is taken, one whose phone is away.", "/join", "guest"),
            Sight(
                "host-running",
                "The host sees who is there and can free a seat.",
                "/host",
                "host",
                looks=("phone", "desk"),
            ),
            Sight(
                "table-with-free-seat",
                "The table's screen asks for the third player.",
                "/table",
                "guest",
                looks=("desk",),
            ),
            Sight("table-stranger", "Who has not come in sees the table, and no code.", "/table", "stranger"),
        ),
        empty={1: "away", 2: "free"},
    ),
    Scene(
        "help",
        "Help, and this phone's own page",
        bare,
        (
            *(
                Sight(f"help-{name}", f"The first game of {game.title}, step by step.", f"/help?game={name}", "guest")
                for name, game in GAMES.items()
            ),
            Sight("help-rules", "All rules.", "/help?game=commute#rules", "guest"),
            Sight(
                "help-words",
                "What the words mean.",
                "/help?game=system-won#words",
                "guest",
                looks=("phone", "phone-german"),
            ),
            Sight("settings", "Language, chime, voice: for this phone alone.", "/settings", "guest", looks=BOTH),
            Sight("refusal", "What is nobody's to see, and where to go.", "/host", "guest"),
            Sight("nothing-here", "An address that leads nowhere.", "/nothing-here", "guest"),
            Sight("offline", "The table can't be reached.", "/offline", "guest", looks=BOTH),
        ),
    ),
)

FAILING = (
    Scene(
        "systems-failing",
        "Systems Failing",
        partial(SYSTEMS_FAILING, after(14, "repair")),
        (
            Sight("sf-mine", "My turn: what I may do, the ship, both pools.", looks=(*BOTH, "phone-german", "desk")),
            Sight("sf-other", "The other's turn.", who="next"),
            Sight("sf-repair", "A card was tapped: the cubes for it.", reach=tapped(".card button.face"), looks=BOTH),
            Sight("sf-rule", "The rule for what is on the screen.", reach=tapped(".rule-button")),
            Sight(
                "sf-refused",
                "Why not, in the words of the rules.",
                reach=refused({"move": "repair", "card": "D01", "cubes": ["red"]}),
            ),
            Sight("sf-lost", "The connection is lost: the page greys out and says so.", reach=out_of_reach),
            Sight("sf-log", "The log in words.", "/log"),
            Sight("sf-table", "The table's screen.", "/table", looks=SCREEN),
        ),
        game="systems-failing",
    ),
    Scene(
        "systems-failing-asked",
        "Systems Failing: a cube from the other",
        lambda: asked(SYSTEMS_FAILING(after(14, "transfer"))),
        (
            Sight("sf-asking", "I have asked for a cube."),
            Sight("sf-asked", "I am asked for a cube.", who="next", looks=BOTH),
        ),
        game="systems-failing",
    ),
    Scene(
        "systems-failing-surplus",
        "Systems Failing: too many cubes",
        partial(SYSTEMS_FAILING, surplus, prefers="scavenge"),
        (Sight("sf-return", "Cubes to give back.", reach=tapped(".deed.opens")),),
        game="systems-failing",
    ),
    Scene(
        "systems-failing-amiss",
        "Systems Failing: the camera looks on",
        lambda: watched(SYSTEMS_FAILING(after(14, "repair")), missing=1),
        (
            Sight("sf-amiss", "What is to be put right on the table."),
            Sight("sf-amiss-table", "The same on the table's screen.", "/table", looks=("desk",)),
        ),
        game="systems-failing",
    ),
    Scene(
        "systems-failing-by-hand",
        "Systems Failing: cards dealt by hand",
        partial(SYSTEMS_FAILING, by_hand, dealers={"cards": "table"}),
        (Sight("sf-by-hand", "What to turn up; it is photographed, or named.", looks=BOTH),),
        game="systems-failing",
    ),
    Scene(
        "systems-failing-pause",
        "Systems Failing: between the turns",
        partial(SYSTEMS_FAILING, lambda view: bool(view.pause)),
        (Sight("sf-pause", "The companion waits for the table."),),
        game="systems-failing",
    ),
    Scene(
        "systems-failing-won",
        "Systems Failing: escaped",
        partial(SYSTEMS_FAILING, over),
        (
            Sight("sf-won", "Both escape."),
            Sight("sf-won-table", "The table's screen.", "/table", looks=("desk",)),
        ),
        game="systems-failing",
    ),
    Scene(
        "systems-failing-lost",
        "Systems Failing: exploded",
        partial(SYSTEMS_FAILING, over, seed="7"),
        (Sight("sf-over", "The ship is lost."),),
        game="systems-failing",
    ),
)

WON = (
    Scene(
        "system-won",
        "System WON",
        partial(SYSTEM_WON, after(16, "specify")),
        (
            Sight(
                "sw-mine",
                "My turn: what is built, the others' hands, what I know of mine.",
                looks=(*BOTH, "phone-german", "desk"),
            ),
            Sight("sw-other", "Another's turn.", who="next"),
            Sight(
                "sw-tell",
                "A card of another was tapped: what to tell.",
                reach=tapped(".holder:not(.own) button.face"),
                looks=BOTH,
            ),
            Sight("sw-own", "A card of mine was tapped: what it can be.", reach=tapped(".own button.face")),
            Sight("sw-role", "What my role can do.", reach=tapped(".own .role-button")),
            Sight("sw-table", "The table's screen: nobody's hand.", "/table", looks=SCREEN),
        ),
        game="system-won",
    ),
    Scene(
        "system-won-engineer",
        "System WON: the Engineer",
        partial(SYSTEM_WON, engineer, options={"roles": "engineer,operations,technician"}),
        (Sight("sw-engineer", "Playing another's card.", reach=engineers_card),),
        game="system-won",
    ),
    Scene(
        "system-won-unseen",
        "System WON: cards that nobody tells",
        partial(SYSTEM_WON, after(0), dealers={"cards": "unseen"}),
        (
            Sight("sw-unseen", "What it was is said as it is played.", reach=tapped(".own button.face")),
            Sight(
                "sw-unseen-tell",
                "Telling is pointing, where nobody has seen the cards.",
                reach=tapped(".holder:not(.own) button.face"),
            ),
        ),
        game="system-won",
    ),
    Scene(
        "system-won-over",
        "System WON: the end",
        partial(SYSTEM_WON, over, seed="3"),
        (
            Sight("sw-over", "The score, and what it is worth."),
            Sight("sw-over-table", "The table's screen.", "/table", looks=("desk",)),
            Sight("past-sw", "Looking back: hands, systems, errors, step by step.", "/games/1?at=30"),
        ),
        game="system-won",
    ),
)

CONGESTION = (
    Scene(
        "traffic-congestion",
        "Traffic Congestion",
        partial(TRAFFIC, after(30, "go")),
        (
            Sight(
                "tc-mine", "My turn: where cars can go, where mine can enter.", looks=(*BOTH, "phone-german", "desk")
            ),
            Sight("tc-other", "Another's turn.", who="next"),
            Sight("tc-go", "A lane with a signal was tapped: its cars can go.", reach=tapped(".tap.ready"), looks=BOTH),
            Sight("tc-signal", "A lane without one: where a signal may point.", reach=tapped(".tap:not(.ready)")),
            Sight("tc-lanes", "All lanes as a list.", reach=scrolled_to(".lanes")),
            Sight("tc-table", "The table's screen.", "/table", looks=SCREEN),
        ),
        game="traffic-congestion",
    ),
    Scene(
        "traffic-congestion-large",
        "Traffic Congestion: a larger board",
        partial(TRAFFIC, after(30), options={"board": "grid-3x3", "u_turns": "false"}),
        (Sight("tc-large", "Nine intersections.", looks=("phone", "desk")),),
        game="traffic-congestion",
    ),
    Scene(
        "traffic-congestion-over",
        "Traffic Congestion: the end",
        partial(TRAFFIC, over),
        (
            Sight("tc-won", "My cars are home first."),
            Sight("tc-lost", "Another's are.", who="next"),
            Sight("tc-over-table", "The table's screen.", "/table", looks=("desk",)),
            Sight("past-tc", "Looking back: every car, act by act.", "/games/1?at=60"),
        ),
        game="traffic-congestion",
    ),
)

WAY_TO_WORK = (
    Scene(
        "commute",
        "Commute",
        partial(COMMUTE, after(22, "travel")),
        (
            Sight("cm-mine", "My turn: the city, my hand.", looks=(*BOTH, "phone-german", "desk")),
            Sight("cm-card", "A card was tapped: where it leads.", reach=card, looks=BOTH),
            Sight("cm-end", "A place was tapped: what the way costs.", reach=card_and_place),
            Sight("cm-other", "Another's turn.", who="next"),
            Sight("cm-table", "The table's screen.", "/table", looks=SCREEN),
        ),
        game="commute",
    ),
    Scene(
        "commute-by-hand",
        "Commute: cards dealt by hand",
        partial(COMMUTE, by_hand, dealers={"cards": "table"}),
        (Sight("cm-by-hand", "The own card is told in two taps, or photographed."),),
        game="commute",
    ),
    Scene(
        "commute-choice",
        "Commute: an “Uh-Oh!” card",
        partial(COMMUTE, question("choose"), seats=4, seed="3"),
        (
            Sight("cm-uh-oh", "A card that asks."),
            Sight("cm-uh-oh-table", "The same on the table's screen.", "/table", looks=("desk",)),
        ),
        game="commute",
    ),
    Scene(
        "commute-bump",
        "Commute: two on a space",
        partial(COMMUTE, question("bump"), seats=4, seed="4"),
        (Sight("cm-bump", "I send on whoever stands there."),),
        game="commute",
    ),
    Scene(
        "commute-pause",
        "Commute: all have arrived",
        partial(COMMUTE, lambda view: bool(view.pause)),
        (Sight("cm-pause", "What the morning came to."),),
        game="commute",
    ),
    Scene(
        "commute-over",
        "Commute: the end",
        partial(COMMUTE, over),
        (
            Sight("cm-won", "I have the most reputation."),
            Sight("cm-over-table", "The table's screen.", "/table", looks=("desk",)),
            Sight("past-cm", "Looking back: everybody's way.", "/games/1?at=30"),
        ),
        game="commute",
    ),
)

LOOKING_BACK = (
    Scene(
        "past-failing",
        "Looking back",
        lambda: closed(SYSTEMS_FAILING(over)),
        (
            Sight("host-after", "The game is over; the next one is a tap away.", "/host", "host"),
            Sight("games", "Past games, and what came of them.", "/games", "guest", looks=("phone", "desk-dark")),
            Sight(
                "past-sf",
                "Systems Failing, step by step, with its meters.",
                "/games/1?at=40",
                "guest",
                looks=("phone", "desk"),
            ),
        ),
    ),
)

SIMULATED: tuple[Sight, ...] = (
    Sight("trust", "How a phone comes to trust the table's own certificates.", "/trust", "host"),
    Sight(
        "simulator",
        "The simulated table, to try everything without a camera.",
        "/simulator",
        "host",
        shown(".piece"),
        ("desk",),
    ),
    Sight(
        "setup",
        "Setting the table up: what the camera sees, step by step.",
        "/setup",
        "host",
        shown(".seen img"),
        ("phone", "desk"),
    ),
)
"""Pages of the real service with its simulated table."""

SCENES: tuple[Scene, ...] = (*DOOR, *FAILING, *WON, *CONGESTION, *WAY_TO_WORK, *LOOKING_BACK)
