"""No seat of System WON learns what a player at a real table could not know.

Two games are played side by side that one seat can't tell apart: the moves are the same, but the seat is dealt other
cards. Until one of its own cards is turned up or pointed at, everything that the referee prints and the phones show for
this seat must be the same to the byte.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest

from companion.games import move_json
from companion.games.rules import HOUSE, REFEREE, SPECTATOR, Json, Move, Seat, play
from companion.games.system_won.catalog import catalog
from companion.games.system_won.game import GAME
from companion.games.system_won.moves import Deal, Discard, Hint, Play, PlayOther, PlayTwo, Specify, SpecifyTwo
from companion.games.system_won.rules import State
from companion.games.system_won.unseen_card_statement_rules import matching_slots
from companion.match.json_lines_protocol import JsonLinesProtocol
from companion.text.refusal_errors import Refusal
from tests.repetitions import repetitions
from tests.system_won_positions import act, deal, hand, refused, table, use

NAMES = ["Ann", "Bob", "Cid", "Dot"]
COPIES = dict(zip(catalog().faces, catalog().copies, strict=True))


def answers(state: State, viewer: Seat, line: Json) -> str:
    """Everything that the referee prints for a seat after a line of input, with the legal moves."""
    protocol = JsonLinesProtocol(GAME, len(state.hands), state, None, viewer, legal=True)
    return "\n".join(move_json.dumps(answer) for answer in protocol.judge(move_json.dumps(line)))


def words(before: State, move: Move, after: State, viewer: Seat) -> list[Any]:
    """The position as a seat knows it (on which pages and policies are based), and all texts on the seat's phone."""
    legal = [made for made in after.legal_moves() if made.seat == viewer]
    return [
        after.as_known_to(viewer),
        GAME.text.log_line(before, move, after, viewer, NAMES),
        GAME.text.prompt(after, viewer, NAMES),
        [GAME.text.label(after, made, viewer, NAMES) for made in legal],
        GAME.physical.meters(after),
        [GAME.text.label(after, made, SPECTATOR, NAMES) for made in GAME.dial_moves(after)],
    ]


@dataclass
class Worlds:
    """Two positions that a seat can't tell apart."""

    seat: Seat
    one: State
    two: State
    compared: int = 0

    def tells_apart(self, move: Move) -> bool:
        """Whether a move shows the seat something about its own cards that differs between the worlds."""
        match move:
            case Discard(seat=seat, slot=slot) | Play(seat=seat, slot=slot):
                return seat == self.seat and self._differ(slot)
            case PlayTwo(seat=seat, slots=slots):
                return seat == self.seat and any(map(self._differ, slots))
            case PlayOther(target=target, slot=slot):
                return target == self.seat and self._differ(slot)
            case Specify():
                return self._points_apart(move)
            case SpecifyTwo(hints=hints):
                return any(map(self._points_apart, hints))
        return False

    def _differ(self, slot: int) -> bool:
        faces = [world.hands[self.seat][slot : slot + 1] for world in (self.one, self.two)]
        return faces[0] != faces[1]

    def _points_apart(self, hint: Hint) -> bool:
        hands = [world.hands[self.seat] for world in (self.one, self.two)]
        return hint.target == self.seat and len({matching_slots(hand, hint.value) for hand in hands}) == 2

    def compare(self, line: Json, other: Json = None) -> None:
        """Checks that both worlds give the same answer to a line or, if `other` is given, that each answers its own
        deal to the seat in the same way."""
        both = answers(self.one, self.seat, line), answers(self.two, self.seat, other or line)
        assert both[0] == both[1], line
        self.compared += 1

    def make(self, one: Move, two: Move) -> None:
        """Makes a move in both worlds and checks that all texts are alike."""
        after = play(self.one, one), play(self.two, two)
        both = words(self.one, one, after[0], self.seat), words(self.two, two, after[1], self.seat)
        assert both[0] == both[1]
        self.compare(move_json.to_json(one), move_json.to_json(two))
        self.one, self.two = after


def deals(worlds: Worlds, rng: Random, scanned: float) -> tuple[Move, Move] | None:
    """The next move of the house in both worlds. The seat's own cards often differ."""
    one, two = ({m: w for m, w in world.chances() if w} for world in (worlds.one, worlds.two))
    first = next(iter(one))
    if isinstance(first, Deal) and rng.random() > scanned:
        unseen = Deal(to=first.to, card="?")  # type: ignore[arg-type]
        return unseen, unseen
    if isinstance(first, Deal) and first.to == worlds.seat and rng.random() < 0.6:
        return rng.choice(list(one)), rng.choice(list(two))
    both = [move for move in one if move in two]
    return (move := rng.choice(both), move) if both else None


def probes(worlds: Worlds, rng: Random) -> Iterator[dict[str, Any]]:
    """Yields moves that anybody might send, including nonsensical ones."""
    seats, state = len(worlds.one.hands), worlds.one
    for _ in range(6):
        seat = worlds.seat if rng.random() < 0.7 else rng.randrange(seats)
        target, slot, face = rng.randrange(seats), rng.randrange(-1, 6), rng.choice(catalog().faces)
        said: dict[str, Any] = rng.choice([{"color": rng.choice(catalog().colors)}, {"rank": rng.randrange(0, 7)}])
        if rng.random() < 0.4:
            said |= {"slots": sorted(rng.sample(range(5), rng.randrange(4)))}
        other = {"target": rng.randrange(seats), "rank": rng.randrange(1, 6)}
        named = {"card": face} if rng.random() < 0.5 else {}
        listed = [move_json.to_json(move) for move in state.legal_moves() if move.seat == seat]
        yield {"seat": seat} | rng.choice(
            [
                {"move": "specify", "target": target, **said},
                {"move": rng.choice(["discard", "play"]), "slot": slot, **named},
                {"move": "arrange", "order": rng.sample(range(5), 5)},
                {"move": "ability", "use": "specify_two", "hints": [{"target": target, **said}, other]},
                {"move": "ability", "use": rng.choice(["restore", "recycle", "undo"])},
                {"move": "ability", "use": "play_two", "slots": [slot, rng.randrange(5)]},
                {"move": "ability", "use": "play_two", "slots": rng.sample(range(5), 2), "cards": [face, "R1"]},
                {"move": "ability", "use": rng.choice(["play_from_discard", "play_from_errors"]), "card": face},
                {"move": "ability", "use": "play_other", "target": target, "slot": slot, **named},
                {"move": "ability", "use": "skip", "count": slot},
                {"move": "deal", "to": seat, "card": face},
                {"move": "role", "to": seat, "role": "designer"},
                *(listed or [{"move": "fly"}]),
            ]
        )


def fair(worlds: Worlds, line: dict[str, Any]) -> bool:
    """Whether both worlds must give the same answer to a line. They need not if the rules let the line reveal something
    about the seat's own cards, or if another player, who sees those cards, states the face of an unseen card."""
    try:
        move = move_json.from_json(GAME, len(worlds.one.hands), line)
    except Refusal:
        return True
    if move.seat != worlds.seat and (worlds.one.unseen_in_hands or worlds.two.unseen_in_hands):
        return False
    return not worlds.tells_apart(move)


def side_by_side(seed: int, scanned: float, **setup: Any) -> int:
    """Plays two games until something legitimately distinguishes them. Returns the number of comparisons."""
    rng = Random(seed)
    seats = rng.choice([2, 3, 4])
    start = GAME.rules.begin(seats, setup).state
    worlds = Worlds(Seat(rng.randrange(seats)), start, start)
    while worlds.one.turn is not None:
        for line in probes(worlds, rng):
            if fair(worlds, line):
                worlds.compare(line)
        pair = deals(worlds, rng, scanned) if worlds.one.turn == HOUSE else choice(worlds, rng)
        if not pair:
            break
        worlds.make(*pair)
        if worlds.one.unseen_in_hands != worlds.two.unseen_in_hands:
            break
    return worlds.compared


def choice(worlds: Worlds, rng: Random) -> tuple[Move, Move] | None:
    """A move that is legal in both worlds and does not distinguish them. Unseen cards are turned up in the same way in
    both."""
    legal = [move for move in worlds.one.legal_moves() if not worlds.tells_apart(move)]
    rng.shuffle(legal)
    legal.sort(key=lambda move: move.NAME != "ability" and rng.random() < 0.7)
    for move in legal:
        for full in said_in_full(worlds, move, rng):
            if _goes_on(worlds, full):
                return full, full
    return None


def _goes_on(worlds: Worlds, move: Move) -> bool:
    """Whether both worlds accept a move. If another player, who sees the seat's cards, states the face of an unseen
    one, the statement must be equally true in both worlds."""
    if not (_taken(worlds.one, move) and _taken(worlds.two, move)):
        return False
    known = [play(world, move).unseen_in_hands for world in (worlds.one, worlds.two)]
    return move.seat == worlds.seat or known[0] == known[1]


def said_in_full(worlds: Worlds, move: Move, rng: Random) -> list[Move]:
    """The move, and its variants with faces or slots for unseen cards."""
    value, seats = move_json.to_json(move), len(worlds.one.hands)
    values = [value]
    if not isinstance(move, Specify | SpecifyTwo) and worlds.one.unseen_in_hands:
        faces = rng.sample(catalog().faces, 6)
        key = {"play_two": "cards"}.get(value.get("use", ""), "card")
        values += [value | {key: [face, faces[0]] if key == "cards" else face} for face in faces]
    if isinstance(move, Specify):
        values += [value | {"slots": sorted(rng.sample(range(5), n))} for n in (1, 2, 3)]
    readable = []
    for candidate in values:
        try:
            readable.append(move_json.from_json(GAME, seats, candidate))
        except Refusal:
            continue
    return readable


def _taken(state: State, move: Move) -> bool:
    try:
        play(state, move)
    except Refusal:
        return False
    return True


@pytest.mark.parametrize("seed", range(repetitions(10, at_least=2)))
def test_a_seat_learns_nothing_of_its_own_cards(seed: int) -> None:
    """Views, moves, legal moves, refusals and texts reveal nothing, whether the companion deals or cards are
    scanned."""
    assert side_by_side(seed, scanned=1.0) > 50


@pytest.mark.parametrize("seed", range(repetitions(10, at_least=2)))
def test_a_seat_learns_nothing_where_some_cards_are_unseen(seed: int) -> None:
    """If some cards are unseen, a seat's statements about them are judged only by what that seat may know."""
    assert side_by_side(seed, scanned=0.6, roles="none" if seed % 2 else "all") > 50


def test_side_by_side_notices_a_leak(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison fails if views show a seat its own hand."""
    monkeypatch.setattr("companion.games.system_won.position.hidden_hands", lambda viewer, seats: ())
    with pytest.raises(AssertionError):
        side_by_side(0, scanned=1.0)


def test_a_statement_about_an_own_unseen_card_is_not_checked_against_the_hidden_hand() -> None:
    """Seat 0 holds a card that is recorded as the red 5, but says that an unseen card that it plays is the red 5. This
    is accepted, and the record of seat 0's hand is discarded, because it must be wrong. Only visible cards can refute
    the statement."""
    one, two = (table(f"{face} ? / Y1 Y2") for face in ("R5", "B4"))
    line = {"seat": 0, "move": "discard", "slot": 1, "card": "R5"}
    assert answers(one, Seat(0), line) == answers(two, Seat(0), line)
    after = act(one, "discard", slot=1, card="R5")
    assert (after.discard, hand(after, 0), after.unseen_in_hands) == (("R5",), "?", 1)
    assert hand(act(two, "discard", slot=1, card="R5"), 0) == "B4"
    assert refused(table("? B4 / R5 Y2"), "discard", slot=0, card="R5")


def test_a_card_on_the_deck_refutes_no_statement() -> None:
    """An undo has put a card back on the deck. Its former holder may not know which card it is, so the card does not
    refute anybody's statement."""
    roles = "operations engineer"
    worlds = [table("R1 ? / Y1 Y2", roles=roles) for _ in range(2)]
    worlds = [
        use(deal(act(w, "discard", slot=0), f), "undo", seat=1) for w, f in zip(worlds, ("R5", "B4"), strict=True)
    ]
    for line in ({"seat": 0, "move": "discard", "slot": 1, "card": "R5"}, {"seat": 0, "move": "discard", "slot": 0}):
        assert answers(worlds[0], Seat(0), line) == answers(worlds[1], Seat(0), line)


def test_a_forgotten_hand_can_be_undone() -> None:
    """A discarded record of a hand stays discarded after an undo, and no card exists twice."""
    state = act(table("R5 ? / Y1 Y2", roles="operations engineer"), "discard", slot=1, card="R5")
    state = use(deal(state, "B1"), "undo", seat=1)
    assert (hand(state, 0), state.unseen_in_hands, min(state.unseen_copies) >= 0) == ("? ?", 2, True)
    assert state.deck_size == sum(state.unseen_copies) + 1 - state.unseen_in_hands, (
        "the card on top is the only known one"
    )


def test_deals_are_seen_by_the_others_only() -> None:
    """ "The own cards are `?`": only the other seats see a dealt card; spectators see none."""
    move, state = Deal(to=Seat(0), card="R1"), table()  # type: ignore[arg-type]
    seen = {viewer: move.as_known_to(viewer, state).face for viewer in (Seat(0), Seat(1), SPECTATOR, REFEREE)}  # type: ignore[attr-defined]
    assert seen == {0: "?", 1: "R1", SPECTATOR: "?", REFEREE: "R1"}
    lines = [str(GAME.text.log_line(state, move, state, viewer, NAMES)) for viewer in (Seat(0), Seat(1), SPECTATOR)]
    assert lines == ["Ann gets a card.", "Ann gets a red 1.", "Ann gets a card."]


def test_a_hand_dealt_is_one_line() -> None:
    """The log has one line for all cards that a player gets in a row. It never names these cards to their owner."""
    state, dealt = table(), ((0, "R1"), (0, "Y3"), (1, "B2"))
    steps = [(state, Deal(to=Seat(to), card=card), state) for to, card in dealt]  # type: ignore[arg-type]
    assert GAME.text.log_lines
    lines = {viewer: [*map(str, GAME.text.log_lines(steps, viewer, NAMES))] for viewer in (Seat(0), Seat(1), SPECTATOR)}
    assert lines == {
        Seat(0): ["Ann gets 2 cards.", "Bob gets a blue 2."],
        Seat(1): ["Ann gets 2 cards: red 1 and yellow 3.", "Bob gets a card."],
        SPECTATOR: ["Ann gets 2 cards.", "Bob gets a card."],
    }


def test_a_seat_knows_no_hidden_card() -> None:
    """No field of the known position has a hidden card, not even after an undo or in the position that an undo would
    restore."""
    roles = "operations contractor engineer"
    drawn = deal(act(table(roles=roles), "discard", slot=0), "G1")
    for state in (drawn, use(drawn, "undo", seat=2)):
        for viewer in (Seat(0), Seat(1), SPECTATOR):
            known = state.as_known_to(viewer)
            for position in filter(None, (known, known.undo_position)):
                seen = [seat for seat in range(3) if "?" not in hand(position, seat)]
                assert seen == ([seat for seat in range(3) if seat != viewer] if viewer != SPECTATOR else [])
                assert {*position.deck_top, *position.last_drawn} <= {"?"}
                cards = [card.face for each in position.hands for card in each]
                visible = Counter((*cards, *position.discard, *position.errors))
                assert position.unseen_in_hands == visible.pop("?")
                copies = dict(zip(catalog().faces, position.unseen_copies, strict=True))
                assert all(copies[face] + visible[face] == count for face, count in COPIES.items())


def test_the_referee_knows_all() -> None:
    """The referee's known position is complete. Applying a seat's knowledge twice changes nothing."""
    state = deal(act(table(roles="operations contractor engineer"), "discard", slot=0), "G1")
    assert state.as_known_to(REFEREE) == state
    known = state.as_known_to(Seat(0))
    assert known != state
    assert known.as_known_to(Seat(0)) == known


def test_no_view_shows_the_deck() -> None:
    """No view shows the order or content of the deck, or what an undo put back on it."""
    state = table(roles="operations contractor engineer")
    state = use(deal(act(state, "discard", slot=0), "G1"), "undo", seat=2)
    for viewer in (Seat(0), Seat(1), SPECTATOR, REFEREE):
        assert isinstance(state.as_known_to(viewer).to_json()["deck"], int)
        assert "top" not in state.as_known_to(viewer).to_json()
