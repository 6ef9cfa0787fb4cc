"""The simulated table: where components are, and that actions on it never contradict the recorded state."""

from __future__ import annotations

import json
import math
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import combinations, pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from companion.games import GAMES, move_json
from companion.games.rules import HOUSE, REFEREE, HouseMove, Seat, State, play
from companion.games.system_won.moves import Play
from companion.match.chance_player import ChancePlayer
from companion.match.journal import Journal
from companion.playouts.series import play_out
from companion.printing import raster
from companion.simulator.card_images import card_images
from companion.simulator.draw_from_pile import MatchSnapshot
from companion.simulator.running_match_reader import RunningMatchReader
from companion.simulator.scene_contents import PlacedComponent, TableScene, piles
from companion.simulator.simulated_table import InvalidAction, SimulatedTable
from companion.simulator.simulated_table_setup import CurrentSimulatedTable
from companion.simulator.tidy_arrangement import bounds, free_spot, tidy
from companion.table.table import Table
from companion.tabletop.discrepancies import discrepancies
from companion.tabletop.observations import CardSeen, MatSeen
from companion.tabletop.tracked_table import TrackedTable
from tests.game_variants import with_components

GAME = GAMES["systems-failing"]
SIZES = {component.id: (63.0, 88.0) for component in GAME.physical.components.components} | {"SF-FIRST": (50.0, 56.0)}
DATA = GAME.rules.card_data() if GAME.rules.card_data else {}


class MatchStub:
    """A match that a test can replace."""

    def __init__(self) -> None:
        self.match: MatchSnapshot | None = None

    def __call__(self) -> MatchSnapshot | None:
        return self.match


@pytest.fixture
def match_stub() -> MatchStub:
    return MatchStub()


@pytest.fixture
def tabletop(match_stub: MatchStub) -> SimulatedTable:
    return SimulatedTable(GAME, SIZES, match_stub, rng=Random(1), hand_s=0)


def states(seed: str) -> list[State]:
    """Every state of a game between careful players."""
    start = GAME.rules.begin(2, {})
    state: State = start.state
    found, house, rng = [state], ChancePlayer(seed), Random(seed)
    while (turn := state.turn) is not None:
        if turn == HOUSE:
            state = play(state, house.next_move(state, len(found)))
        else:
            legal = [move for move in state.legal_moves() if move.seat == turn]
            state = play(state, GAME.policies.by_name["careful"](state.as_known_to(turn), turn, legal, rng))
        found.append(state)
    return found


def as_seen(world: TableScene) -> TrackedTable:
    """What a perfect camera sees: the components that are face up."""
    assert GAME.physical.components.mat
    tracked_table = TrackedTable(mat="MAT-SF")
    for piece in world.on_mat:
        if piece.face_up:
            zone = GAME.physical.components.mat.zone_at((piece.x, piece.y))
            seen = CardSeen(
                t=0, code=piece.code, zone=zone, mm=(piece.x, piece.y), angle=piece.angle, change="appeared"
            )
            tracked_table = tracked_table.after(seen)
    return tracked_table


def test_components_that_are_dealt_form_piles() -> None:
    """The disaster deck and the escape sequences form piles in their zones. Roles are taken out of the box."""
    found = piles(GAME)
    assert [len(pile.codes) for pile in found] == [len(DATA["disasters"]) + len(DATA["failing"]), 6]
    assert [pile.zone for pile in found] == ["deck", "escape"]
    assert not any("SF-FIRST" in pile.codes for pile in found)


def test_put_right_leaves_no_discrepancy() -> None:
    """In every position of whole games, putting everything in place gives the layout without discrepancies."""
    assert GAME.physical.components.mat
    shuffled = frozenset({"discard", "deck", "escape"})
    world = TableScene()
    for seed in ("1", "2"):
        for state in states(seed):
            layout = GAME.physical.layout(state, REFEREE)
            world = tidy(world, layout, GAME.physical.components.mat, SIZES, shuffled)
            assert discrepancies(layout, as_seen(world), GAME.physical.components, ("Ann", "Ben")) == ()


def test_put_right_covers_no_heading_twice() -> None:
    """In a full column the centers of neighbors are more than 90 mm apart, so every card shows its heading."""
    assert GAME.physical.components.mat
    state = GAME.rules.begin(2, {"zones": {"1": ["D01", "D02", "D03"]}}).state
    world = tidy(TableScene(), GAME.physical.layout(state, REFEREE), GAME.physical.components.mat, SIZES, frozenset())
    ys = [piece.y for piece in world.on_mat if piece.code != "SF-FIRST"]
    assert all(b - a > 90 for a, b in pairwise(ys))


def test_cubes_lie_on_their_cards() -> None:
    """The layout's tokens on visible components become cubes on the table. Tokens in the bag do not."""
    assert GAME.physical.components.mat
    for state in states("3"):
        world = tidy(
            TableScene(), GAME.physical.layout(state, REFEREE), GAME.physical.components.mat, SIZES, frozenset()
        )
        held = {h: c for h, c in GAME.physical.layout(state, REFEREE).tokens.items() if world.find(h)}
        assert Counter(t.kind for t in world.tokens) == sum((Counter(c) for c in held.values()), Counter())


def test_a_card_from_a_pile_is_one_that_the_rules_allow(tabletop: SimulatedTable, match_stub: MatchStub) -> None:
    """In a whole game with cards from the simulated piles, no deal is refused and no pile runs out early."""
    state: State = GAME.rules.begin(2, {"difficulty": "medium"}).state
    house, rng, moves = ChancePlayer("4"), Random(4), 0
    while (turn := state.turn) is not None and moves < 400:
        match_stub.match = MatchSnapshot(1, state)
        if turn == HOUSE:
            state = play(state, dealt(tabletop, state) or house.next_move(state, moves))
        else:
            legal = [move for move in state.legal_moves() if move.seat == turn]
            state = play(state, GAME.policies.by_name["careful"](state.as_known_to(turn), turn, legal, rng))
        match_stub.match = MatchSnapshot(1, state)
        tabletop.tidy()
        moves += 1
    assert moves > 50


def dealt(tabletop: SimulatedTable, state: State) -> HouseMove | None:
    """The house move that results from taking a card from the right pile, if a card is due."""
    faces = {"SF-" + move.face: move for move, weight in state.chances() if move.CHANCE_SOURCE == "cards" and weight}
    if not faces:
        return None
    pile = next(pile for pile in tabletop.piles if set(faces) <= set(pile.codes))
    return faces[tabletop.draw(pile.name, 300, 100)]


def test_after_an_undo_the_same_card_comes_again(tabletop: SimulatedTable, match_stub: MatchStub) -> None:
    """A card that returns to the deck by an undo is the next one drawn."""
    state = next(s for s in states("5") if s.turn == HOUSE and s.as_known_to(0).to_json()["phase"] == "appear")  # type: ignore[arg-type]
    for _ in range(5):
        match_stub.match = MatchSnapshot(1, state)
        component = tabletop.draw("pile-1", 300, 100)
        match_stub.match = MatchSnapshot(1, state, is_after_undo=True)
        tabletop.put_away(component)
        assert tabletop.draw("pile-1", 300, 100) == component
        tabletop.put_away(component)
        match_stub.match = MatchSnapshot(1, state)
        tabletop.tidy()
        tabletop.start_game(tabletop.changes + 1000)


def test_a_deck_does_not_come_in_print_order(match_stub: MatchStub) -> None:
    """Two simulated decks are shuffled differently. Without a game, any card may be drawn."""
    order = []
    for seed in (1, 2):
        tabletop = SimulatedTable(GAME, SIZES, match_stub, rng=Random(seed), hand_s=0)
        order.append([tabletop.draw("pile-1", 10, 10) for _ in range(10)])
    assert order[0] != order[1]
    assert order[0] != sorted(order[0])


def test_taking_from_an_empty_pile_is_refused(tabletop: SimulatedTable) -> None:
    """Each card of a pile is drawn once. Then the pile is empty, and taking from it is refused."""
    count = len(tabletop.piles[1].codes)
    assert len({tabletop.draw("pile-2", 10, 10) for _ in range(count)}) == count
    with pytest.raises(InvalidAction):
        tabletop.draw("pile-2", 10, 10)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda t: t.put("XX-1", 1, 1),
        lambda t: t.rotate("SF-D01", 90),
        lambda t: t.flip("SF-D01"),
        lambda t: t.put_away("?"),
        lambda t: t.draw("pile-9", 1, 1),
        lambda t: t.put_token("pink", 1, 1),
        lambda t: t.move_token(7, 1, 1),
    ],
)
def test_an_action_on_a_missing_component_is_refused(tabletop: SimulatedTable, wrong: Any) -> None:
    """An action on a component that is not on the table is refused and changes nothing."""
    before = tabletop.scene
    with pytest.raises(InvalidAction):
        wrong(tabletop)
    assert tabletop.scene == before


def test_components_are_moved_turned_and_flipped(tabletop: SimulatedTable) -> None:
    """A component that is moved keeps its angle, ends up on top, and never falls off the table."""
    tabletop.put("SF-D01", 100, 100, 15)
    tabletop.put("SF-D02", 120, 100)
    tabletop.put("SF-D01", 9999, -5)
    tabletop.rotate("SF-D01", 350)
    tabletop.flip("SF-D01")
    assert tabletop.scene.on_mat == (
        PlacedComponent("SF-D02", 120, 100),
        PlacedComponent("SF-D01", 608, 0, 5, face_up=False),
    )
    tabletop.put_away("SF-D01")
    assert tabletop.scene.find("SF-D01") is None


@pytest.mark.parametrize("game", [name for name, game in GAMES.items() if game.physical.components.mat])
def test_a_component_that_is_brought_lies_in_no_zone(game: str) -> None:
    """A component that is brought to the mat is put between the zones, and not onto others that were brought."""
    tabletop = SimulatedTable(GAMES[game], {}, lambda: None, hand_s=0)
    width, height = tabletop.mat.size
    for n, component in enumerate(GAMES[game].physical.components.components[:4]):
        tabletop.put_near(component.id, width * n / 3, height / 2)
    places = [(piece.x, piece.y) for piece in tabletop.scene.on_mat]
    assert [tabletop.mat.zone_at(place) for place in places] == [None] * 4
    assert all(math.dist(one, other) >= 40 for one, other in combinations(places, 2))


def test_tokens_come_move_and_go(tabletop: SimulatedTable) -> None:
    """Cubes are added, moved and removed. Each is identified by its number."""
    tabletop.put_token("red", 10, 10)
    tabletop.put_token("red", 20, 10)
    tabletop.move_token(1, 30, 10)
    assert [(t.number, t.x) for t in tabletop.scene.tokens] == [(2, 20), (1, 30)]
    tabletop.take_token(2)
    assert [t.number for t in tabletop.scene.tokens] == [1]


def test_a_hand_that_laid_something_goes_away(match_stub: MatchStub) -> None:
    """After a card was put down, the camera sees the hand first and then the card without it."""
    tabletop = SimulatedTable(GAME, SIZES, match_stub, hand_s=0.02)
    hands, gone = [], threading.Event()

    def look(world: TableScene) -> None:
        hands.append(world.hand)
        if len(hands) == 3:
            gone.set()

    tabletop.listen(look)
    tabletop.put("SF-D01", 100, 120)
    assert gone.wait(5)
    assert hands == [None, (100, 120), None]


def test_cards_are_lifted_before_others_take_their_places(
    match_stub: MatchStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cards are lifted before others take their places, because the camera must see a card's place empty first. After
    that, the other cards are moved, and withdrawing the hand in between does not disturb this."""
    later = list[Callable[[], object]]()
    monkeypatch.setattr(
        SimulatedTable, "_later", lambda self, seconds, act, changes: later.append(partial(act, changes))
    )
    tabletop = SimulatedTable(GAME, SIZES, match_stub, hand_s=0.01)
    shown = list[TableScene]()
    match_stub.match = MatchSnapshot(1, GAME.rules.begin(2, {"zones": {"1": ["D02"]}}).state)
    tabletop.put("SF-D01", 157, 76)
    tabletop.put("SF-D02", 157, 180)
    tabletop.listen(shown.append)
    tabletop.set_discrepancies(frozenset({"SF-D01"}))
    tabletop.tidy()
    *hands, lifting = later
    lifting()
    for withdrawal in hands:
        withdrawal()
    assert len(hands) == 2
    assert [(p.code, p.y) for p in shown[-1].on_mat] == [("SF-D02", 180)]
    tabletop.set_discrepancies(frozenset({"SF-D01", "SF-FIRST"}))
    assert tabletop.scene.find("SF-D01")
    tabletop.set_discrepancies(frozenset({"SF-FIRST"}))
    moved = tabletop.scene.find("SF-D02")
    assert moved
    assert moved.y == pytest.approx(76)
    assert tabletop.scene.find("SF-D01") is None


def test_the_table_stays_as_it_was_left(tmp_path: Path, match_stub: MatchStub) -> None:
    """The simulated table survives a power cut. A damaged or foreign file gives an empty table."""
    kept = tmp_path / "table.json"
    tabletop = SimulatedTable(GAME, SIZES, match_stub, kept, hand_s=0)
    tabletop.start_game(7)
    tabletop.put("SF-D01", 100, 120, 30)
    tabletop.put_token("red", 100, 130)
    again = SimulatedTable(GAME, SIZES, match_stub, kept, hand_s=0)
    assert again.scene == tabletop.scene
    again.start_game(7)
    assert again.scene == tabletop.scene
    again.start_game(8)
    assert again.scene == TableScene()
    for text in ("", "[]", '{"game":"systems-failing"}', json.dumps({"game": "other"})):
        kept.write_text(text)
        assert SimulatedTable(GAME, SIZES, match_stub, kept, hand_s=0).scene == TableScene()


def test_playing_out_ends() -> None:
    """The careful players in these tests finish their games."""
    state, _ = play_out(GAME, GAME.rules.begin(2, {}), GAME.policies.by_name["careful"], "1")
    assert state.turn is None


def test_another_game_lays_another_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When a game with other components begins, the table and the camera's view are set up for it, and the table is
    empty."""
    components = replace(GAME.physical.components, components=GAME.physical.components.components[:3], art=None)
    other = replace(with_components(GAME, components), rules=replace(GAME.rules, name="other"))
    monkeypatch.setitem(GAMES, "other", other)  # type: ignore[arg-type]  # GAMES is a dict
    table = Table(Journal(tmp_path / "journal.sqlite3"))
    with closing(CurrentSimulatedTable(tmp_path, tmp_path / "journal.sqlite3")) as simulation:
        shown: list[tuple[Path, int]] = []
        simulation.listen(lambda simulation, world: shown.append((simulation.pictures, len(world.on_mat))))
        simulation.table.put("SF-D01", 50, 50)
        simulation.table.withdraw_hand()
        table.start("other", 2, {}, {}, (), "s")
        simulation.follow(table.view())
        assert simulation.table.game.name == "other"
        assert shown[-1] == (simulation.pictures, 0)
        assert shown[0][0] != simulation.pictures
        assert (simulation.pictures / "SF-D03-front.png").is_file()
        assert not (simulation.pictures / "SF-D04-front.png").exists()


@pytest.mark.slow
def test_the_simulated_table_knows_of_discrepancies_before_people_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """People are told about a misplaced card only after a while. If the simulated table is tidied before that, the card
    is still lifted in view of the camera."""
    table = Table(Journal(tmp_path / "journal.sqlite3"))
    table.start("systems-failing", 2, {}, {}, (), "s")
    table.observe(MatSeen(t=0, mat="MAT-SF"))
    table.observe(CardSeen(t=1, code="SF-D01", zone="discard", mm=(500, 300), angle=0, change="appeared"))
    view = table.view()
    assert view
    assert view.tabletop.discrepancies == ()
    reported: list[frozenset[str]] = []
    with closing(CurrentSimulatedTable(tmp_path, tmp_path / "journal.sqlite3")) as simulation:
        simulation.follow(view)
        monkeypatch.setattr(simulation.table, "set_discrepancies", reported.append)
        simulation.follow(view)
    assert "SF-D01" in reported[-1]


def test_unfinished_pictures_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures that a full disk cut short are removed at once, and those that a power cut left are removed at the next
    start."""

    def cut_short(game: object, folder: Path, *_: object) -> None:
        folder.mkdir()
        (folder / "index.json").write_text("{}")
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(raster, "write_textures", cut_short)
        with pytest.raises(OSError, match="No space left"):
            card_images(GAME, tmp_path)
    assert [*tmp_path.iterdir()] == []
    (tmp_path / f"{GAME.name}-new").mkdir()
    (tmp_path / f"{GAME.name}-new" / "index.json").write_text("{}")
    monkeypatch.setattr(raster, "write_textures", lambda game, folder, _: folder.mkdir())
    made = card_images(GAME, tmp_path)
    assert [*tmp_path.iterdir()] == [made]
    assert [*made.iterdir()] == []


@pytest.mark.slow
def test_a_component_that_belongs_face_down_is_put_right_face_down(tmp_path: Path) -> None:
    """If one specification of System WON is spent, putting everything in its place leaves seven specification cards
    face up and one face down, and there are no discrepancies."""
    game = GAMES["system-won"]
    table = Table(Journal(tmp_path / "journal.sqlite3"))
    table.start("system-won", 2, {"roles": "none"}, {}, (), "s")
    hand = table.view(Seat(0))
    assert hand
    table.submit(Seat(0), {"seat": 0, "move": "specify", "target": 1, "rank": int(hand.state["hands"][1][0][1])})
    with closing(CurrentSimulatedTable(tmp_path, tmp_path / "journal.sqlite3")) as simulation:
        tabletop = simulation.table
        assert tabletop.game.name == game.name
        tabletop._finish_tidying(tabletop.changes)
        lying = {piece.code: piece.face_up for piece in tabletop.scene.on_mat if "SPEC" in piece.code}
        assert Counter(lying.values()) == {True: 7, False: 1}
        table.submit(Seat(1), {"seat": 1, "move": "discard", "slot": 0})
        tabletop._finish_tidying(tabletop.changes)
        assert all(piece.face_up for piece in tabletop.scene.on_mat)


def test_a_card_that_was_dealt_to_a_hand_is_taken_up_into_it() -> None:
    """When the table is tidied, a card that was dealt to a hand is taken up into the hand, not put on the deck. A card
    that was not dealt goes back to the deck."""
    game = GAMES["system-won"]
    state = game.rules.begin(2, {"roles": "none"}).state
    move = next(move for move, _ in state.chances() if move.face == "R4")
    position = MatchSnapshot(1, play(state, move))
    tabletop = SimulatedTable(game, {}, lambda: position, hand_s=0)
    for component in ("SW-R4A", "SW-B5A"):
        tabletop.put(component, 300, 200)
        tabletop.put_away(component)
    assert [*tabletop.scene.off_mat] == ["SW-R4A"]


def test_the_laid_copy_is_put_right_and_not_one_in_a_hand() -> None:
    """If a yellow 3 in Play was an error and another yellow 3 is in a hand, the copy in Play goes to the errors, in
    whatever order the cards beside the table are listed."""
    game = GAMES["system-won"]
    state = game.rules.begin(2, {"roles": "none"}).state
    for face in ("Y3", "B2", "Y2", "G1", "G2", "Y3", "B5", "R5", "G3", "R2"):
        state = play(state, next(move for move, _ in state.chances() if move.face == face))
    laid = next(move for move in state.legal_moves() if isinstance(move, Play) and move.slot == 0)
    match_stub = MatchStub()
    for mine, other in (("A", "B"), ("B", "A")):
        match_stub.match = MatchSnapshot(1, state)
        tabletop = SimulatedTable(game, {}, match_stub, hand_s=0)
        for component in (f"SW-Y3{mine}", f"SW-Y3{other}"):
            tabletop.put(component, 300, 200)
            tabletop.put_away(component)
        assert len(tabletop.scene.off_mat) == 2
        tabletop.put(f"SW-Y3{mine}", 199, 180)
        match_stub.match = MatchSnapshot(1, play(state, laid))
        assert match_stub.match.state.to_json()["errors"] == ["Y3"]
        tabletop._finish_tidying(tabletop.changes)
        assert tabletop.scene.find(f"SW-Y3{mine}")
        assert f"SW-Y3{other}" in tabletop.scene.off_mat


def test_the_copy_that_the_companion_saw_is_put_right(tmp_path: Path) -> None:
    """The copy that the companion saw is put into its place. If another copy were put there, the companion would always
    report it as wrong."""
    table = Table(Journal(tmp_path / "journal"))
    table.start("system-won", 2, {"roles": "none"}, {"cards": "unseen"}, ("Ann", "Ben"), "s")
    table.observe(MatSeen(t=0, mat="MAT-SW"))
    table.observe(CardSeen(t=1, code="SW-R1C", zone="discard", mm=(121, 180), angle=0, change="appeared"))
    view = table.view(Seat(0))
    assert view
    table.submit(Seat(0), move_json.to_json(view.choices.possible_moves[0]))
    with closing(RunningMatchReader(Journal(tmp_path / "journal"))) as reader:
        tabletop = SimulatedTable(GAMES["system-won"], {}, lambda: reader.snapshot("system-won"), hand_s=0)
        tabletop._finish_tidying(tabletop.changes)
    assert [piece.code for piece in tabletop.scene.on_mat if "SPEC" not in piece.code] == ["SW-R1C"]


def test_cards_that_are_taken_onto_others_hide_none(tabletop: SimulatedTable) -> None:
    """Cards in one zone lie a little apart, in the zone's order with the newest on top. On a pile they are slightly
    rotated, so that only the top card is read."""
    mat = tabletop.mat
    zone_1, discard = (mat.zone(name) for name in ("zone-1", "discard"))
    for left, top, right, bottom in (bounds(zone_1), bounds(discard)):
        for _ in range(3):
            tabletop.draw("pile-1", (left + right) / 2, (top + bottom) / 2)
    for x, y in [free_spot(mat, TableScene(), (0, 0))]:
        for _ in range(3):
            tabletop.draw("pile-1", x, y)
    column, pile, nowhere = (tabletop.scene.on_mat[n : n + 3] for n in (0, 3, 6))
    assert all(mat.zone_at((piece.x, piece.y)) == "zone-1" for piece in column)
    assert all(a.y - b.y > 15 for a, b in pairwise(column))
    assert all(mat.zone_at((piece.x, piece.y)) == "discard" for piece in pile)
    for cards, least, most in ((pile, 2, 8), (nowhere, 15, 60)):
        apart = [math.dist((a.x, a.y), (b.x, b.y)) for a, b in combinations(cards, 2)]
        assert least < min(apart) <= max(apart) < most
