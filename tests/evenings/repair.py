"""What the simulated hands do after a slip: they wait, follow the table's list to the letter, and then fix by
themselves what is left."""

from __future__ import annotations

import re
from random import Random

from companion.games.rules import HouseMove, Seat
from companion.text.refusal_errors import Refusal
from tests.evenings.hand_acts import Flip, Take
from tests.evenings.hands import Hands, json_of
from tests.evenings.judge import Judge, described
from tests.evenings.obedient_hands import ObedientHands
from tests.evenings.printed_components import PrintedComponent
from tests.evenings.slips import Slip

MAX_ROUNDS = 14
"""Hands follow at most this many items of the list after one slip."""
ACCEPT_RATE = 0.25
"""How often a player accepts the table instead, if the phone offers a move that explains it."""
TURN_BACK = re.compile(r"turn .* face (up|down) again")
"""How the table asks to turn a component over again to take back a move."""


class RepairAfterSlips:
    """Follows the list of discrepancies after slips. `has_given_up`: whether following the list has failed to put the
    table right at least once."""

    def __init__(self, hands: Hands, judge: Judge) -> None:
        self.hands, self.group, self.judge = hands, hands.group, judge
        self.has_given_up = False
        self._choice = Random(f"accept {judge.seed}")

    def after_slip(self, slip: Slip) -> None:
        """Makes the slip and judges what the table does about it."""
        slips, kind, mark = self.judge.figures.slips, slip.kind, self.judge.mark()
        version = self.group.match.version
        self.judge.fresh = frozenset()
        slip.make()
        self.judge.fresh = frozenset(self._laid_since(slip))
        self.group.rest()
        slips[kind, "slips"] += 1
        self.judge.check_secrets(version, slip.meant, slip.meant_face)
        is_meant = self._judge_acts(slip, mark)
        if not self.judge.acts_since(mark) or is_meant:
            self._judge_table(slip, is_meant=is_meant)
        else:
            self._undo_and_obey(slip, mark)
        self.restore_by_hand()

    def _judge_acts(self, slip: Slip, mark: int) -> bool:
        """Counts each recorded act that nobody meant as a failure. Returns whether the table recorded exactly the move
        that the hands meant."""
        recorded = self.judge.acts_since(mark)
        expected = recorded[slip.own_acts :]
        if not expected:
            return False
        if slip.is_as_meant(expected[0]) and len(expected) == 1:
            return True
        for act in expected:
            if slip.is_as_meant(act):
                continue
            continues = slip.is_pressed_again and isinstance(act.steps[0].move, HouseMove)
            if continues or (slip.may_be_legal and self.judge.is_legal(act)):
                self.judge.figures.slips[slip.kind, "legal"] += 1
                self.group.note(f"   legal, but not meant: {described([act])}")
            else:
                self.judge.fail("wrong acts", f"{described([act])}; meant: {slip.meant}")
        return False

    def _judge_table(self, slip: Slip, *, is_meant: bool) -> None:
        """Compares the world with the match, and follows the list."""
        slips, kind = self.judge.figures.slips, slip.kind
        found = self.group.differences()
        if not any(each.is_visible for each in found):
            if not found:
                self.judge.check_correct_table()
            return
        slips[kind, "visible"] += 1
        said = [line for said in self.judge.everything_said() for line in said.all]
        if not said:
            self.judge.fail("not reported", f"{'; '.join(map(str, found))}")
            self.has_given_up = True
            return
        slips[kind, "reported"] += 1
        self._obey_and_compare(slip)

    def _laid_since(self, slip: Slip) -> list[str]:
        """The components that are not where they were before a slip."""
        now = self.group.world.lying
        return [component for component in now if slip.lying_before.get(component) != now[component]]

    def _obey_and_compare(self, slip: Slip) -> None:
        slips = self.judge.figures.slips
        slips[slip.kind, "obeyed"] += 1
        self._accept()
        mark = self.judge.mark()
        self.obey()
        self.take_back_begun(slip)
        self.obey()
        recorded = self.judge.acts_since(mark)
        if recorded and not all(slip.is_as_meant(act) for act in recorded):
            self.judge.fail("wrong acts", f"while following the list: {described(recorded)}")
            self.take_back(mark)
        left = [each for each in self.group.differences() if each.is_visible]
        if left:
            said = [line for said in self.judge.everything_said() for line in said.all]
            self.judge.fail("not restored", f"{'; '.join(map(str, left))}; said: {said[:3]}")
            self.has_given_up = True
        else:
            slips[slip.kind, "restored"] += 1
            self.judge.check_correct_table()

    def _accept(self) -> None:
        """Now and then, a player says that the table is right, and chooses one of the moves that the phone offers. Not
        while a move is begun, and not in a game in which players do not know their own cards: which card it was would
        be a guess."""
        is_begun = self.group.view().tabletop.begun_move is not None
        if self._choice.random() >= ACCEPT_RATE or is_begun or self.group.name == "system-won":
            return
        players = [viewer for viewer in self.group.viewers if isinstance(viewer, int)]
        offers = [(seat, each) for seat in players for each in self.group.view(seat).choices.explanations]
        if not offers:
            return
        seat, offer = self._choice.choice(offers)
        self.group.note(f"   {seat} accepts: {offer}")
        table, before = self.group.table, self._listed()
        enter = table.correct if offer.replaces_last else table.submit
        enter(Seat(seat), json_of(offer.move))
        self.judge.figures.counts["accepted"] += 1
        self.group.rest()
        if not self._listed() < before:
            self.judge.fail("accepted in vain", f"{offer.label[0]!s}: {before} then {self._listed()} on the list")

    def _listed(self) -> int:
        """The number of items that some viewer reads on the list."""
        return max(len(self.group.view(viewer).tabletop.discrepancies) for viewer in self.group.viewers)

    def _undo_and_obey(self, slip: Slip, mark: int) -> None:
        """Undoes on a phone what the table has recorded, then follows the list."""
        self.take_back(mark + slip.own_acts)
        self.group.rest()
        if any(each.is_visible for each in self.group.differences()):
            self._obey_and_compare(slip)

    def take_back(self, mark: int) -> None:
        """Undoes all acts after the first `mark` ones, on a phone."""
        for _ in range(len(self.group.acts) - mark):
            if self.group.match.history.can_undo:
                self.group.note("undo on a phone")
                self.group.pause(1.0)
                try:
                    self.group.table.undo(Seat(0))
                except Refusal as refusal:  # the act has ended the game, and all cards are open
                    self.group.note(f"refused: {refusal}")
                    return

    def obey(self) -> None:
        """Follows the list, one item after another, until it is empty."""
        obedient = ObedientHands(self.hands)
        seen: list[str] = []
        for _ in range(MAX_ROUNDS):
            items = [item for viewer in self.group.viewers for item in self.group.view(viewer).tabletop.discrepancies]
            fresh = next((item for item in items if seen.count(str(item.message)) < 2), None)
            if fresh is None:
                return
            seen.append(str(fresh.message))
            self.group.note(f"   list: {fresh.message!s}")
            self.group.do_all(obedient.acts(fresh))
            self.group.rest()

    def take_back_begun(self, slip: Slip) -> None:
        """Takes back a move that the table reports as begun: its components go back to where they were, or are turned
        over as the table says. After an undo, they still lie as they did before the slip."""
        begun = self.group.view().tabletop.begun_move
        if begun is None:
            return
        self.group.note(f"   begun: {begun.next_step!s}")
        if begun.places:  # cubes
            self.group.do_all(self.hands.token_acts())
            self.hands.do_field_acts(self.hands.field_acts())
        fronts = {
            code: component for component, printed in self.group.world.components.items() for code in _codes(printed)
        }
        for component in dict.fromkeys(fronts[code] for code in sorted(begun.codes)):
            lying = self.group.world.lying.get(component)
            if lying and lying == slip.lying_before.get(component) and TURN_BACK.search(str(begun.next_step)):
                self.group.do(Flip(component))
            else:
                self._put_back(component, slip)
        self.group.rest()

    def _put_back(self, component: str, slip: Slip) -> None:
        world, before = self.group.world, slip.lying_before.get(component)
        if before is None:
            self.group.do(Take(component, slip.places_before[component]))
        elif component in world.lying and world.lying[component] != before:
            self.group.note(f"{component} is put back to {before.x:.0f},{before.y:.0f}")
            world.lay(component, before)
            self.group.look()

    def restore_by_hand(self) -> None:
        """Puts the table right without the list, using only what the hands know."""
        before = [str(each) for each in self.group.differences()]
        if before:
            self.group.note(f"   by hand: {'; '.join(before)}")
        self.hands.put_right()


def _codes(printed: PrintedComponent) -> tuple[str, ...]:
    return tuple(code.id for code in (printed.front, printed.back) if code)
