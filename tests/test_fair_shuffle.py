"""Shuffles that anyone can check: what the companion promises, and who finds out if it breaks a promise."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from companion.__main__ import main
from companion.games import GAMES, move_json
from companion.games.rules import SPECTATOR, HouseMove, Move, State
from companion.match.chance_player import ChancePlayer
from companion.match.fair_shuffle import FairShuffle, Share, commitment_to, drawn_option, random_index
from companion.match.game_import_export import export_lines, import_lines
from companion.match.history import fold
from companion.match.house_moves import HouseMoves
from companion.match.journal import Journal
from companion.match.journal_error import JournalError
from companion.match.match import Match
from companion.match.new_game_header import new_header
from companion.match.shuffle_verification import companion_draws, wrong_draw, wrong_secret
from companion.table.table import Table
from companion.text.refusal_errors import IllegalMove

SCRIPT = Path(__file__).parent.parent / "docs" / "verify_shuffle.py"
SEED = commitment_to("00" * 32)
CHEATED_SEED = commitment_to("11" * 32)
JOINS = (1, 10, 30)
"""The acts after which phones join in `played`: the first so early that it happens in the shortest game."""


def secret(number: int) -> str:
    """A share or seed, different for each number."""
    return commitment_to(f"{number:064x}")


def shares_of(*seats: int, salt: int = 0) -> list[Share]:
    return [Share(seat, commitment_to(secret(salt + seat)), secret(salt + seat)) for seat in seats]


def fair_table(name: str, journal: Journal | None = None, seats: int | None = None, **dealers: str) -> Table:
    """A table at which a game has begun. The game's shuffle depends on the shares of two phones."""
    shuffle = FairShuffle(commitment_to(SEED)).with_round(shares_of(0, 1), {})
    table = Table(journal or Journal(None))
    table.start(name, seats, {}, dealers, (), SEED, shuffle)
    return table


def match_of(table: Table) -> Match:
    match = table._game.match
    assert match
    return match


def make_random_move(table: Table, rng: Random) -> None:
    match = match_of(table)
    if match.pause_label():
        table.proceed(None)
        return
    legal = [move for move in match.state.legal_moves() if move.seat == match.state.turn]
    legal += match.reports(0) if not legal else ()
    table.submit(None, move_json.to_json(rng.choice(legal)))


def played(name: str, acts: int = 60, **dealers: str) -> Table:
    """A table with a random game, in which moves are undone and redone and phones join during the game."""
    table, rng = fair_table(name, **dealers), Random(name)
    for number in range(acts):
        if match_of(table).state.turn is None:
            break
        make_random_move(table, rng)
        if number % 7 == 3 and match_of(table).can_undo:
            table.undo(None)
            if number % 2:
                table.redo(None)
        if number in JOINS:
            table.shuffle.add_shares(commitment_to(SEED), shares_of(0, 1, 2, salt=number))
    return table


def closed_game(table: Table) -> list[str]:
    """The lines of the exported game after its end."""
    table.end()
    return [*export_lines(table.journal.game(1))]


def verify(lines: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[bool, bool, str]:
    """Three results: whether `tablekeeper verify` accepts an export, whether the script that uses none of our code
    accepts it, and what both print."""
    file = folder / "game.jsonl"
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    ours = main(["verify", str(file)]) == 0
    said = "".join(capsys.readouterr())
    command = [sys.executable, "-I", str(SCRIPT), str(file)]
    theirs = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "Traceback" not in theirs.stderr
    return ours, theirs.returncode == 0, said + theirs.stdout + theirs.stderr


def changed(lines: list[str], **values: Any) -> list[str]:
    """An export with other values in its shuffle."""
    header = json.loads(lines[0])
    header["shuffle"] |= values
    return [json.dumps(header), *lines[1:]]


@pytest.mark.parametrize("name", GAMES)
def test_every_draw_can_be_checked(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In every game, with undos and with phones that join later, all draws follow from the seed and the shares.
    `verify` and the independent script confirm this."""
    lines = closed_game(played(name))
    draws = sum(len(json.loads(line).get("draws", ())) for line in lines)
    shares = len(json.loads(lines[0])["shuffle"]["shares"])
    ours, theirs, said = verify(lines, tmp_path, capsys)
    assert (ours, theirs) == (True, True), said
    assert f"The shuffle is as promised: {draws} draws follow from the seed and {shares} shares." in said
    assert f"Right: {draws} draws follow from the seed and {shares} shares." in said
    assert shares > 2
    assert draws >= 5 or not GAMES[name].rules.chance_sources


def test_a_companion_that_chose_its_seed_after_the_shares_is_caught(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A companion that picks the best of many seeds once it knows the shares, and deals accordingly, shows a seed that
    does not match the commitment that it published before."""
    table = Table(Journal(None))
    shuffle = FairShuffle(commitment_to(SEED)).with_round(shares_of(0, 1), {})
    table.start("system-won", None, {}, {}, (), CHEATED_SEED, shuffle)
    ours, theirs, said = verify(closed_game(table), tmp_path, capsys)
    assert (ours, theirs) == (False, False)
    assert said.count("the seed does not match") == 2


class RiggedDealing(HouseMoves):
    """A chance player that deals by another rule than the published one."""

    def _chance_move(self, state: State, before: Sequence[Move]) -> HouseMove:
        return ChancePlayer("rigged").next_move(state, len(before))


class RiggedMatch(Match):
    """A match in which the companion deals by another rule than the published one."""

    @property
    def house_moves(self) -> HouseMoves:
        return RiggedDealing(self.game, self.header)


def rig_dealing(match: Match) -> None:
    """Makes the companion deal by another rule than the published one from now on."""
    match.__class__ = RiggedMatch


def test_a_draw_that_does_not_follow_is_caught(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A companion that deals by another rule than the published one is caught, although seed and shares match."""
    table = fair_table("systems-failing")
    rig_dealing(match_of(table))
    for number in range(20):
        make_random_move(table, Random(number))
    ours, theirs, said = verify(closed_game(table), tmp_path, capsys)
    assert (ours, theirs) == (False, False)
    assert said.count("does not follow from the seed and the shares") == 2


@pytest.mark.slow
def test_changed_secrets_are_caught(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A share or a seed that was changed afterwards does not match its commitment. A share that was left out, or that
    counts from another draw on, leads to other cards."""
    lines = closed_game(played("systems-failing"))
    shuffle = json.loads(lines[0])["shuffle"]
    shares, rounds = shuffle["shares"], shuffle["rounds"]
    other_share = [shares[0] | {"share": secret(99)}, *shares[1:]]
    own_commitment = [shares[0] | {"share": secret(99), "commitment": commitment_to(secret(99))}, *shares[1:]]
    other_start = [rounds[0], {"first_draws": {"cubes": 10**6, "cards": 10**6}}, *rounds[2:]]
    for value in (
        {"seed": secret(99)},
        {"shares": other_share},
        {"shares": own_commitment},
        {"shares": shares[1:]},
        {"rounds": other_start},
        {"algorithm": "dice"},
    ):
        ours, theirs, said = verify(changed(lines, **value), tmp_path, capsys)
        assert (ours, theirs) == (False, False), (value, said)


@pytest.mark.slow
def test_draws_that_were_changed_are_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The draws in a file must be those of its moves. Only `verify` notices missing draws, because the script does not
    know the rules."""
    lines = closed_game(played("systems-failing"))
    number = max(at for at, line in enumerate(lines) if '"draws"' in line)
    act = json.loads(lines[number])
    draw = act["draws"][0]
    for draws, is_seen_by_script in (
        ([draw | {"face": "none"}, *act["draws"][1:]], True),
        ([draw | {"source": "nowhere"}, *act["draws"][1:]], True),
        ([draw | {"options": [["D01", 1], ["D02", 1]]}, *act["draws"][1:]], True),
        ([], False),
    ):
        changed_act = json.dumps(act | {"draws": draws})
        ours, theirs, said = verify([*lines[:number], changed_act, *lines[number + 1 :]], tmp_path, capsys)
        assert not ours, said
        assert f"at version {act['version']}, its draws do not match its moves" in said
        assert theirs != is_seen_by_script, said
    header = {key: value for key, value in json.loads(lines[0]).items() if key != "shuffle"}
    assert not verify([json.dumps(header), *lines[1:]], tmp_path, capsys)[0]


def test_a_share_that_was_never_sent_counts_for_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A phone that committed to a share and vanished does not block the game, and its commitment stays on record."""
    table = Table(Journal(None))
    absent = Share(2, commitment_to(secret(5)))
    table.start(
        "system-won",
        3,
        {},
        {},
        (),
        SEED,
        FairShuffle(commitment_to(SEED)).with_round([*shares_of(0, 1), absent], {}),
    )
    lines = closed_game(table)
    assert json.loads(lines[0])["shuffle"]["shares"][2] == {
        "seat": 2,
        "commitment": absent.commitment,
        "round": 0,
        "share": None,
    }
    ours, theirs, said = verify(lines, tmp_path, capsys)
    assert (ours, theirs) == (True, True), said
    assert "2 shares" in said


def test_other_moves_after_an_undo_bring_the_same_cubes() -> None:
    """The order of the cubes in the bag is fixed: whatever the players do differently after an undo, the next draw
    gives the same cube."""
    table = fair_table("systems-failing")
    first = cubes_drawn_by(table, "scavenge")
    table.undo(None)
    assert not cubes_drawn_by(table, "end_turn")
    assert first
    assert cubes_drawn_by(table, "scavenge")[: len(first)] == first


def cubes_drawn_by(table: Table, name: str) -> list[str]:
    """The cubes that the companion draws after the first legal move of this name."""
    move = next(move for move in match_of(table).state.legal_moves() if name == move.NAME)
    table.submit(None, move_json.to_json(move))
    steps = match_of(table).history.done[-1].steps
    return [step.move.face for step in steps if isinstance(step.move, HouseMove) and step.move.NAME == "draw"]


@pytest.mark.parametrize("name", GAMES)
def test_nothing_is_revealed_while_the_game_runs(name: str) -> None:
    """An export of a running game contains commitments only: no seed, no share, and no options of a draw."""
    table = played(name, acts=12)
    if match_of(table).state.turn is None:
        pytest.skip("the game has ended")
    text = "".join(export_lines(table.journal.game(1)))
    header = json.loads(text[: text.index("}{") + 1] if "}{" in text else text)
    assert {*header["shuffle"]} == {"algorithm", "commitment", "shares", "rounds"}
    assert all({*share} == {"seat", "commitment", "round"} for share in header["shuffle"]["shares"])
    assert SEED not in text
    assert '"draws"' not in text
    assert not any(share.secret in text for share in shares_of(0, 1))


def test_a_revealed_shuffle_ends_the_game() -> None:
    """After the end, the last move can be undone and the game continued, but only until the shuffle is revealed,
    because then everyone can compute all cards. A running game's shuffle is never revealed."""
    table, rng = fair_table("systems-failing"), Random(2)
    table.shuffle.reveal()
    assert not match_of(table).header.shuffle.opened  # type: ignore[union-attr]
    while match_of(table).state.turn is not None:
        make_random_move(table, rng)
    table.undo(None)
    table.redo(None)
    table.shuffle.reveal()
    view = table.view(SPECTATOR)
    assert view
    assert not view.choices.can_undo
    with pytest.raises(IllegalMove, match="revealed"):
        table.undo(None)
    assert Table(table.journal)._game.match.header == match_of(table).header  # type: ignore[union-attr]


def test_a_shuffle_survives_a_restart(tmp_path: Path) -> None:
    """A game that is resumed after a restart deals the same as without the restart, even if phones added shares during
    the game."""
    journal = Journal(tmp_path / "journal.sqlite3")
    table, other = fair_table("commute", journal), fair_table("commute")
    for number in range(20):
        for each in (table, other):
            if match_of(each).state.turn is not None:
                make_random_move(each, Random(number))
            if number == 7:
                each.shuffle.add_shares(commitment_to(SEED), shares_of(0, 2, salt=50))
        table = Table(journal)
    assert match_of(table).state == match_of(other).state
    assert match_of(table).header.shuffle == match_of(other).header.shuffle


def test_shares_for_another_game_change_nothing() -> None:
    """Shares that arrive when the next game has already begun are dropped."""
    table = fair_table("systems-failing")
    before = match_of(table).header
    table.shuffle.add_shares(commitment_to(CHEATED_SEED), shares_of(0))
    assert match_of(table).header == before


def test_later_shares_change_no_card_that_was_drawn() -> None:
    """A draw that was undone gives the same card again, even if a phone has joined in the meantime. The draws after it
    depend on the new share."""
    table, same = fair_table("systems-failing"), fair_table("systems-failing")
    for each in (table, same):
        for number in range(6):
            make_random_move(each, Random(number))
    made = match_of(table).history
    table.undo(None)
    table.shuffle.add_shares(commitment_to(SEED), shares_of(0, salt=77))
    make_random_move(table, Random(5))
    assert match_of(table).state == made.state
    for number in range(6, 60):
        for each in (table, same):
            if match_of(each).state.turn is not None:
                make_random_move(each, Random(number))
    assert match_of(table).state != match_of(same).state


def test_an_imported_game_can_still_be_verified(tmp_path: Path) -> None:
    """An import keeps the seed and the shares, and a journal row that was changed is caught by verify."""
    lines = closed_game(played("systems-failing"))
    stored = import_lines(lines, "unused")
    journal = Journal(tmp_path / "journal.sqlite3")
    again = journal.game(journal.add(stored))
    assert again.header == stored.header
    assert again.header.shuffle
    draws = companion_draws(fold(again), again.header)
    assert wrong_secret(again.header.seed, again.header.shuffle) == ""
    assert wrong_draw(draws, again.header.seed, again.header.shuffle) is None
    assert wrong_draw(draws, secret(1), again.header.shuffle) in draws


@pytest.mark.parametrize(
    "shuffle",
    [
        "text",
        {"seed": 7},
        {"seed": SEED, "commitment": "x" * 64, "shares": [], "rounds": []},
        {"seed": SEED, "commitment": SEED, "shares": [{"seat": 0, "round": 5, "commitment": SEED}], "rounds": []},
        {"seed": SEED, "commitment": SEED, "shares": [7], "rounds": []},
        {"seed": SEED, "commitment": SEED, "shares": [], "rounds": [7]},
        {"seed": SEED, "commitment": SEED, "shares": [], "rounds": [{"first_draws": {"cards": "many"}}]},
    ],
)
def test_a_damaged_shuffle_is_refused(shuffle: Any) -> None:
    """A header with a shuffle of another form is refused with a message that names line 1."""
    lines = closed_game(fair_table("systems-failing"))
    header = json.loads(lines[0]) | {"shuffle": shuffle}
    with pytest.raises(JournalError, match="Line 1"):
        import_lines([json.dumps(header), *lines[1:]], "s")


def test_all_options_are_equally_likely() -> None:
    """Over many draws, each card comes up about as often as its weight says, and cards of equal weight about equally
    often."""
    counts = Counter(drawn_option(bytes(32), "cards", number, [1, 2, 0, 3]) for number in range(12_000))
    assert counts[2] == 0
    for option, weight in ((0, 1), (1, 2), (3, 3)):
        assert abs(counts[option] - 2000 * weight) < 200
    assert {random_index(bytes(32), "die", number, 6) for number in range(100)} == {*range(6)}


def test_the_derivation_is_the_published_one() -> None:
    """The derivation gives the values of the example in docs/contract.md."""
    shuffle = FairShuffle(commitment_to("00" * 32)).with_round(
        [Share(0, commitment_to("01" * 32), "01" * 32), Share(1, commitment_to("02" * 32), "02" * 32)], {}
    )
    assert random_index(shuffle.key("00" * 32, "cards", 3), "cards", 3, 52) == 28


def test_faces_differ_in_every_draw() -> None:
    """The options of a draw all have different faces, so the face alone says which option was drawn."""
    for name in GAMES:
        for draw in companion_draws((match := match_of(played(name))).history, match.header):
            faces = [face for face, _ in draw.options]
            assert len(faces) == len({*faces})


def test_games_without_a_shuffle_are_as_before() -> None:
    """A game from before shuffles could be checked is dealt from its seed as before, and its export has no shuffle."""
    header = new_header("systems-failing", None, {}, {}, (), "seed")
    match = Match.start(Journal(None), header)
    assert match.header.shuffle is None
    first = match.history.acts[0].steps
    house = ChancePlayer("seed")
    assert [step.move for step in first] == [house.next_move(step.before, ply) for ply, step in enumerate(first)]
