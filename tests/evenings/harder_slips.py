"""More slips, for harder evenings: a card from the deck is laid where cards are played, cubes are put on a code, and
people make a move for a seat that the companion plays."""

from __future__ import annotations

from random import Random

from companion.games.rules import HOUSE
from tests.evenings.hand_acts import Lay, Press, Tap
from tests.evenings.hands import Hands
from tests.evenings.slips import Slip, SlipMaker


class _Harder(SlipMaker):
    def any(self) -> Slip | None:
        makers = [self.from_deck, self.cubes_on_code]
        self.rng.shuffle(makers)
        return next((slip for make in makers if (slip := make())), None)

    def from_deck(self) -> Slip | None:
        """The top card of the deck is laid where cards are played or discarded. If nobody has seen the cards of the
        hands, it can't be told from one of them."""
        if self.group.state.turn == HOUSE or not self.world.decks.get("deck"):
            return None
        component = self.world.decks["deck"][-1]
        zones = [zone.name for zone in self.group.mat.zones if zone.name in ("play", "discard")]
        if not zones:
            return None
        zone, unseen = self.rng.choice(zones), "unseen" in self.group.dealers.values()
        return Slip(
            "from the deck",
            lambda: self.do_all([Lay(component, zone)]),
            self.hands,
            may_be_legal=unseen,
            laid=(component,),
        )

    def cubes_on_code(self) -> Slip | None:
        """Cubes that belong on the field of a card stand on its code."""
        if not self.world.fields:
            return None
        cards = [card for card in self.visible_components() if self.world.counted(card)]
        if not cards:
            return None
        card = self.rng.choice(cards)

        def make() -> None:
            self.group.note(f"the cubes on {card} are moved onto its code")
            self.world.under_cubes.add(card)
            self.group.look()

        return Slip("cubes on a code", make, self.hands)


def harder_slip(hands: Hands, rng: Random) -> Slip | None:
    """One of the slips of this module; None if none is possible."""
    return _Harder(hands, rng).any()


def move_for_companion(hands: Hands) -> Slip | None:
    """The hands make a move on the table for the companion's seat, whose turn it is; None if this move can't be made
    without a phone."""
    acts = [act for act in hands.plan(hands.choose()) if not isinstance(act, Tap | Press)]
    if not acts:
        return None
    return Slip("move for the companion", lambda: SlipMaker(hands, hands.rng).do_all(acts), hands)
