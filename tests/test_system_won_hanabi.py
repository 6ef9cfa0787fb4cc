"""Compares System WON without roles with a well-known engine of the same family of games, move by move.

That engine differs in two ways: an error costs a life and is put on the discard pile, and a discard with all
specifications face up is illegal. So the engine gets enough lives, errors and discards are compared together, and such
discards are not made.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from companion.games import move_json
from companion.games.rules import HOUSE, play
from companion.games.system_won.catalog import RANKS, catalog
from companion.games.system_won.game import GAME
from companion.games.system_won.rules import State
from tests.repetitions import repetitions

pyhanabi = pytest.importorskip(
    "hanabi_learning_environment.pyhanabi",
    reason="hanabi-learning-environment could not be installed; it needs a C++ compiler (see Makefile)",
)

COLORS = "RYGB"
GAMES_EACH = 334


def face(card: Any) -> str:
    """The face of a card of the other engine, in our notation."""
    return f"{COLORS[card.color()]}{card.rank() + 1}"


def their_game(seats: int, seed: int) -> Any:
    """A game in the other engine, with our cards."""
    return pyhanabi.HanabiGame(
        {
            "players": seats,
            "colors": len(COLORS),
            "ranks": len(RANKS),
            "hand_size": catalog().hand_size(seats),
            "max_information_tokens": catalog().specifications,
            "max_life_tokens": 99,
            "seed": seed,
        }
    )


def our_move(theirs: Any, move: Any) -> dict[str, Any]:
    """A move of the other engine as our JSON."""
    kind, seat = move.type(), theirs.cur_player()
    if kind == pyhanabi.HanabiMoveType.PLAY:
        return {"seat": seat, "move": "play", "slot": move.card_index()}
    if kind == pyhanabi.HanabiMoveType.DISCARD:
        return {"seat": seat, "move": "discard", "slot": move.card_index()}
    target = (seat + move.target_offset()) % theirs.num_players()
    if kind == pyhanabi.HanabiMoveType.REVEAL_COLOR:
        return {"seat": seat, "move": "specify", "target": target, "color": catalog().colors[move.color()]}
    return {"seat": seat, "move": "specify", "target": target, "rank": move.rank() + 1}


def compare_counts(ours: State, theirs: Any) -> None:
    """Compares the systems, the specifications, the size of the deck, and whose turn it is. This is quick."""
    assert theirs.fireworks() == list(ours.systems)
    assert theirs.information_tokens() == ours.specifications
    assert theirs.deck_size() == ours.deck_size
    assert theirs.is_terminal() == ours.is_over
    assert ours.is_over or their_turn(theirs) == ours.turn


def their_turn(theirs: Any) -> Any:
    """The seat that must act according to the other engine."""
    return HOUSE if theirs.cur_player() == pyhanabi.CHANCE_PLAYER_ID else theirs.cur_player()


def compare(ours: State, theirs: Any) -> None:
    """Compares everything that both implementations keep track of."""
    shown = ours.as_known_to("referee").to_json()
    assert [[face(card) for card in hand] for hand in theirs.player_hands()] == shown["hands"]
    assert Counter(map(face, theirs.discard_pile())) == Counter(shown["discard"] + shown["errors"])
    assert 99 - theirs.life_tokens() == len(shown["errors"])
    assert theirs.score() == sum(ours.systems)
    if shown["over"]:
        return
    seen = theirs.observation(0)  # must live as long as its knowledge
    for marks, hand in zip(shown["knowledge"], seen.card_knowledge(), strict=True):
        for mark, said in zip(marks, hand, strict=True):
            compare_mark(mark, said)


def compare_mark(mark: dict[str, Any], theirs: Any) -> None:
    """Compares the knowledge of a card. The other engine also infers that a card of one color is not of another
    color."""
    colors = catalog().colors
    assert mark["color"] == (None if theirs.color() is None else colors[theirs.color()])
    assert mark["rank"] == (None if theirs.rank() is None else theirs.rank() + 1)
    if mark["color"] is None:
        assert mark["not_colors"] == [c for n, c in enumerate(colors) if not theirs.color_plausible(n)]
    if mark["rank"] is None:
        assert mark["not_ranks"] == [rank for rank in RANKS if not theirs.rank_plausible(rank - 1)]


def compare_legal(ours: State, theirs: Any) -> None:
    """Compares the legal moves, except for discards that would restore nothing."""
    mine = [move_json.to_json(move) for move in ours.legal_moves()]
    if ours.specifications == catalog().specifications:
        mine = [move for move in mine if move["move"] != "discard"]
    yours = [our_move(theirs, move) for move in theirs.legal_moves()]
    key = move_json.dumps
    assert sorted(map(key, mine)) == sorted(map(key, yours))


@pytest.mark.slow
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_hundreds_of_games_agree(seats: int) -> None:
    """In hundreds of games, both implementations agree on deals, hands, systems, specifications, discards, errors,
    knowledge, legal moves, the last round and the end."""
    completed = 0
    for seed in range(repetitions(GAMES_EACH)):
        rng = Random(f"{seats}/{seed}")
        game = their_game(seats, seed)  # must live as long as its states
        theirs = game.new_initial_state()
        ours: State = GAME.rules.begin(seats, {"roles": "none"}).state
        thorough, skilful = seed % 3 == 0, seed % 12 == 9
        while not theirs.is_terminal():
            if thorough and their_turn(theirs) != HOUSE:
                compare_legal(ours, theirs)
            value = step(theirs, ours, rng, skilful=skilful)
            ours = play(ours, move_json.from_json(GAME, seats, value))
            compare_counts(ours, theirs)
            if thorough:
                compare(ours, theirs)
        compare(ours, theirs)
        completed += min(ours.systems) == RANKS[-1]
    assert completed, "no game built all four systems"


def step(theirs: Any, ours: State, rng: Random, *, skilful: bool) -> dict[str, Any]:
    """Lets the other engine deal, or make a move: a random legal move or, with `skilful`, the move of a player who sees
    all cards. Returns the JSON of the move."""
    if their_turn(theirs) == HOUSE:
        theirs.deal_random_card()
        to = ours.pending_draws[0]
        return {"seat": HOUSE, "move": "deal", "to": to, "card": face(theirs.player_hands()[to][-1])}
    made = rng.choice(best(theirs, ours) if skilful else theirs.legal_moves())
    value = our_move(theirs, made)
    theirs.apply_move(made)
    return value


def best(theirs: Any, ours: State) -> list[Any]:
    """The moves that play a fitting card, or else those that lose no card that is still needed."""
    kinds, legal = pyhanabi.HanabiMoveType, theirs.legal_moves()
    hand = [catalog().cards[card.face] for card in ours.hands[theirs.cur_player()]]
    fitting = [slot for slot, card in enumerate(hand) if card.rank == ours.systems[card.suit] + 1]
    built = [slot for slot, card in enumerate(hand) if card.rank <= ours.systems[card.suit]]
    ways = (
        [move for move in legal if move.type() == kinds.PLAY and move.card_index() in fitting],
        [move for move in legal if move.type() == kinds.DISCARD and move.card_index() in built],
        [move for move in legal if move.type() in (kinds.REVEAL_COLOR, kinds.REVEAL_RANK)],
        [move for move in legal if move.type() == kinds.DISCARD],
    )
    return next(moves for moves in ways if moves)
