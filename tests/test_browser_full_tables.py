"""Full tables with long names: on a phone, each player sees everything that a turn needs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import pytest

from companion.games import GAMES
from companion.games.rules import Seat
from companion.table.table import Table
from tests.browser import CHROMIUM, new_page
from tests.off_screen import SIZES, hidden
from tests.page_scenes import FAILING as FAILING_SCENES
from tests.page_states import (
    LANGUAGES,
    PageScene,
    PageState,
    Who,
    after,
    after_or_over,
    in_each_language,
    opened,
    played,
)
from tests.repetitions import is_thorough, one_by_turns, thorough_except
from tests.systems_failing_tables import seen
from tests.test_generic_page import BROKEN_WORDS

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium"),
]

NAMES = ("Großmutter", "Maximiliane", "Christopher", "Bartholomäus", "Anne-Catherine")
COMMUTE = partial(played, "commute", seats=5, names=NAMES)
SEATS: Mapping[str, tuple[Who, ...]] = {
    "commute": ("0", "1", "2", "3", "4"),
    "traffic-congestion": ("0", "1", "2", "3"),
    "systems-failing": ("0", "1"),
    "system-won": ("0", "1", "2"),
}
WHO: tuple[Who, ...] = ("turn", "next")
TRAFFIC = partial(played, "traffic-congestion", seats=4, names=NAMES)
FAILING = partial(played, "systems-failing", seats=2, names=NAMES)
WON = partial(played, "system-won", names=NAMES)


def on_cardboard_for_the_companion() -> Table:
    """A table on which the companion has just moved cars, and people must move them on the board."""
    table = TRAFFIC(after(21), seed="1")
    table.hand_over(Seat(0), seen(table).game.policies.for_companion[0])
    assert seen(table).log[-1].seat == 0
    assert seen(table).tabletop.physical_instructions
    return table


SCENES = {
    "an Uh-Oh! card of another player": PageScene("uh-oh", "", partial(COMMUTE, after(9), seed="9"), (), "commute"),
    "an Uh-Oh! card with a long text": PageScene("long", "", partial(COMMUTE, after(34), seed="34"), (), "commute"),
    "news and a closed line": PageScene("news", "", partial(COMMUTE, after(20), seed="20"), (), "commute"),
    "long names": PageScene("names", "", partial(TRAFFIC, after(15), seed="15"), (), "traffic-congestion"),
    "a full zone and instructions": PageScene("zone", "", partial(FAILING, after(42), seed="8"), (), "systems-failing"),
    "too many cubes": PageScene("cubes", "", partial(FAILING, after(46), seed="3"), (), "systems-failing"),
    "many known cards": PageScene("known", "", partial(WON, after(27), seats=3, seed="1"), (), "system-won"),
    "instructions for the companion": PageScene(
        "instructions", "", on_cardboard_for_the_companion, (), "traffic-congestion", {0: "free"}
    ),
}
SHORT_SCENES = (
    "an Uh-Oh! card with a long text",
    "long names",
    "a full zone and instructions",
    "many known cards",
    "instructions for the companion",
)
"""The scenes that are checked unless the run is thorough: at least one of each game."""

QUESTIONS: Mapping[str, tuple[int, int]] = {
    "a metro line": (5, 56),
    "one of two options": (5, 37),
    "one of four players": (5, 20),
    "a card to give away": (5, 32),
    "a question in a game of two": (2, 17),
}
"""Questions of "Uh-Oh!" cards of Commute: for how many players, and after how many acts."""
SHORT_QUESTIONS = ("a metro line", "one of two options")
"""The questions that are checked unless the run is thorough: one with each kind of answer."""
CRAMPED_ANSWERS = """() => [...document.querySelectorAll(".answer")].filter((answer) => {
  const label = answer.querySelector("span:not(.tok, .bullet, .pcard)");
  const isBroken = (word) => {
    const range = document.createRange();
    range.setStart(label.firstChild, word.index);
    range.setEnd(label.firstChild, word.index + word[0].length);
    return range.getClientRects().length > 1;
  };
  const isLow = answer.getBoundingClientRect().height < 44 || answer.getBoundingClientRect().width < 44;
  const isSmall = parseFloat(getComputedStyle(answer).fontSize) < 12.8;
  return isLow || isSmall || (label && [...label.textContent.matchAll(/\\S+/g)].some(isBroken));
}).map((answer) => answer.textContent.trim())"""
"""The answers that are too small for a thumb, too small to read, or have a broken word."""


def test_the_short_lists_name_a_scene_of_each_game_and_questions() -> None:
    """SHORT_SCENES has scenes of all games, and SHORT_QUESTIONS only names of questions."""
    assert {SCENES[name].game for name in SHORT_SCENES} == {*GAMES}
    assert {*SHORT_QUESTIONS} <= {*QUESTIONS}


@pytest.mark.parametrize(
    ("question", "look"),
    [
        pytest.param(*each, marks=() if each[0] in SHORT_QUESTIONS else pytest.mark.thorough)
        for each in in_each_language([*QUESTIONS])
    ],
)
def test_a_question_is_answered_with_the_map_and_the_hand_in_view(browser: Any, question: str, look: str) -> None:
    """Whoever must answer the question of an "Uh-Oh!" card sees the map, their hand and all answers, in any language.
    The answers are large enough for a thumb, and no word in them is broken. Unless the run is thorough, each question
    is checked in one language, by turns."""
    seats, acts = QUESTIONS[question]
    page, found = new_page(browser), []
    scene = PageScene("question", "", partial(COMMUTE, after(acts), seats=seats, seed="1"), (), "commute")
    with opened(browser, scene, page) as open_page:
        open_page(PageState("question", ""), look)
        assert page.locator(".answer").count() > 1
        found += hidden(page, "commute")
        for size in SIZES:
            page.set_viewport_size(size)
            found += page.evaluate(CRAMPED_ANSWERS)
    assert found == []
    assert page.complaints == []
    page.context.close()


@pytest.mark.parametrize("name", thorough_except([*SCENES], *SHORT_SCENES))
def test_every_seat_sees_everything_that_a_turn_needs(browser: Any, name: str) -> None:
    """Nothing that a turn needs is off the screen or covered, at any seat, in any language; unless the run is thorough,
    at the seat in turn and the next one."""
    page, found, scene = new_page(browser), [], SCENES[name]
    with opened(browser, scene, page) as open_page:
        seats = [who for who in SEATS[scene.game] if int(who) not in scene.empty] if is_thorough() else WHO
        for who, look in one_by_turns(seats, LANGUAGES if is_thorough() else LANGUAGES[:2]):
            open_page(PageState("full", "", who=who), look)
            assert page.locator("main.play").count(), "a phone without a seat is sent to another page"
            found += [f"seat {who}, {look}: {each}" for each in hidden(page, scene.game)]
    assert found == []
    assert page.complaints == []
    page.context.close()


TEXT_UNDER_ARROW = """() => [...document.querySelectorAll(".dock [data-count='5'] > .opens")].filter((button) => {
  const words = document.createRange(), arrow = getComputedStyle(button, "::after");
  words.selectNodeContents(button);
  const room = parseFloat(arrow.width) + parseFloat(arrow.right);
  return words.getBoundingClientRect().right > button.getBoundingClientRect().right - room;
}).map((button) => button.textContent.trim())"""
"""The buttons whose text reaches the arrow at their right edge."""


def test_the_arrow_of_a_button_touches_no_text(browser: Any) -> None:
    """With five buttons in the dock of Systems Failing, the arrow that says that a button opens a menu is beside the
    text, in every language."""
    scene = PageScene("five", "", partial(FAILING, after(14, "transfer"), seed="1"), (), "systems-failing")
    page = new_page(browser)
    with opened(browser, scene, page) as open_page:
        for look in LANGUAGES:
            open_page(PageState("five", ""), look)
            assert page.locator(".dock [data-count='5'] > .opens").count() == 2
            for size in SIZES:
                page.set_viewport_size(size)
                assert page.evaluate(TEXT_UNDER_ARROW) == [], (look, size)
    assert page.complaints == []
    page.context.close()


COVERED_BUTTONS = """() => {
  const boxes = [...document.querySelectorAll(".dock :is(label, button)")].filter((one) => one.checkVisibility())
    .map((one) => one.getBoundingClientRect()).filter((box) => box.width > 0);
  const meet = (one, other) =>
    one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
  return boxes.filter((box, n) => boxes.slice(0, n).some((other) => meet(box, other))).length;
}"""


def test_the_button_for_a_photo_has_room_beside_the_others(browser: Any) -> None:
    """Where people deal the cards of Systems Failing, the button for a photo, the button to enter the card, Undo and
    Redo are beside each other."""
    scene = next(scene for scene in FAILING_SCENES if scene.page_states[0].name == "sf-by-hand")
    page = new_page(browser)
    with opened(browser, scene, page) as open_page:
        open_page(scene.page_states[0], "phone-german")
        assert page.locator(".dock .photo").is_visible()
        for size in SIZES:
            page.set_viewport_size(size)
            assert page.evaluate(COVERED_BUTTONS) == 0, size
    page.context.close()


LONG_NAMES = ("Bartholomäuschen", "Konstantinopolitanerin", "Wilhelmina Friederike", "Maximilianechen", "Hieronymus")
CUT_NAMES = """() => [...document.querySelectorAll(".board .player-name")]
    .filter((name) => name.checkVisibility() && name.scrollWidth > name.clientWidth && !name.title)
    .map((name) => name.textContent)"""


@pytest.mark.parametrize("name", thorough_except([*GAMES], "commute"))
def test_no_name_is_broken_on_a_small_phone(browser: Any, name: str) -> None:
    """On the board and the buttons of a small phone, no word of a name is broken, however long it is. What ends with an
    ellipsis has the whole name in its title. A game of fewer than 14 acts is shown at its end."""
    seats = GAMES[name].rules.seats[-1]
    scene = PageScene("long", "", partial(played, name, after_or_over(14), seats=seats, names=LONG_NAMES), (), name)
    page = new_page(browser)
    with opened(browser, scene, page) as open_page:
        for who, look in one_by_turns(WHO, ("phone-german", "phone")):
            open_page(PageState("names", "", who=who), look)
            page.set_viewport_size({"width": 360, "height": 640})
            broken = {word for word in page.evaluate(BROKEN_WORDS) if any(word in each for each in LONG_NAMES)}
            assert broken == set()
            assert page.evaluate(CUT_NAMES) == []
    assert page.complaints == []
    page.context.close()
