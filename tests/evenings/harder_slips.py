"""More slips, for harder evenings: a card from the deck or from the tray is laid where cards are played, a pile is put
back in another order, cubes are put on a code, and people make a move for a seat that the companion plays."""

from __future__ import annotations

from random import Random

from companion.games.rules import HOUSE
from tests.evenings.hand_acts import Lay, Press, Tap
from tests.evenings.hands import TRAY, Hands
from tests.evenings.slips import Slip, SlipMaker


class _Harder(SlipMaker):
    def any(self) -> Slip | None:
        makers = [self.from_deck, self.from_tray, self.pile_reordered, self.cubes_on_code]
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

    def from_tray(self) -> Slip | None:
        """In System WON, while phones hold the hands, a card from the open tray is laid where cards are played or
        discarded: half the time one that is equal to a card of the player to move."""
        if self.group.name != "system-won" or self.group.dealers["cards"] != "companion":
            return None
        if not isinstance(self.group.state.turn, int):
            return None
        faces = self.group.game.physical.components.faces
        tray = [component for component in self.world.components_in(TRAY) if faces.get(component)]
        own = {card.face for card in self.group.state.hands[self.group.state.turn]}
        equal = [component for component in tray if faces[component] in own]
        cards = equal if equal and self.rng.random() < 0.5 else tray
        if not cards:
            return None
        component, zone = self.rng.choice(cards), self.rng.choice(("play", "discard"))
        return Slip("from the tray", lambda: self.do_all([Lay(component, zone)]), self.hands, laid=(component,))

    def pile_reordered(self) -> Slip | None:
        """The cards of a pile are picked up and put back in another order, sometimes after a power cut. The camera sees
        only the result."""
        here = {zone.name: self.world.components_in_zone(zone.name) for zone in self.group.mat.zones}
        piles = [zone.name for zone in self.group.mat.zones if zone.order == "pile" and len(here[zone.name]) > 1]
        if not piles or self.group.state.turn is None:
            return None
        pile, is_cut = self.rng.choice(piles), self.rng.random() < 0.5
        cards = self.rng.sample(here[pile], len(here[pile]))

        def make() -> None:
            if is_cut:
                self.group.cut_power()
                self.group.start_camera()
                self.group.rest()
            self.group.note(f"the cards in {pile} are put back as {cards}")
            places = [self.world.lying[component] for component in here[pile]]
            for component in reversed(here[pile]):
                self.world.take(component, "air")
            for component, lying in zip(cards, places, strict=True):
                self.world.lay(component, lying)
            self.group.look()

        return Slip("pile reordered", make, self.hands)

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
