"""Judges what the table records, says and reveals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from companion.games.commute.components import CARDS, card_component, piece_component
from companion.games.commute.moves import Bump, Choose, Travel
from companion.games.rules import HouseMove, Move, Viewer
from companion.games.system_won.components import PREFIX as WON
from companion.games.system_won.moves import Discard, Play
from companion.games.traffic_congestion.moves import Go, Redirect, Signal
from companion.games.view import View
from companion.match.history import Act
from tests.evenings.figures import Failure, Figures
from tests.evenings.hands import Hands, json_of
from tests.evenings.meant_moves import face_of


@dataclass(frozen=True)
class Said:
    """What the table says to one viewer: the discrepancies, the notice, and the next step of a begun move."""

    discrepancies: tuple[str, ...]
    notice: str
    begun: tuple[str, ...]

    @property
    def all(self) -> tuple[str, ...]:
        return (*self.discrepancies, *((self.notice,) if self.notice else ()), *self.begun)


class Judge:
    """Judges what one group's table does, and counts failures."""

    def __init__(self, hands: Hands, figures: Figures, seed: str) -> None:
        self.hands, self.group, self.figures, self.seed = hands, hands.group, figures, seed
        self.step = 0
        self.kind = "no slip"
        self._open_cards: set[str] = set()
        self._held_cards: dict[str, set[str]] = {}
        """The cards that have ever been in each hand."""
        self._noted_acts = 0
        self._shown_acts: set[int] = set()
        """The versions of the acts that the cardboard showed when they were recorded."""

    def fail(self, figure: str, detail: str) -> None:
        """Counts a failure, and describes it in the trace."""
        self.figures.counts[figure] += 1
        self.group.note(f"!! {figure}: {detail}")
        found = Failure(figure, self.group.name, self.seed, self.step, self.kind, detail)
        self.figures.failures.append(found)

    def said(self, viewer: Viewer) -> Said:
        view = self.group.view(viewer)
        return said_in(view)

    def everything_said(self) -> tuple[Said, ...]:
        return tuple(self.said(viewer) for viewer in self.group.viewers)

    def some_viewers(self) -> tuple[Viewer, ...]:
        """The spectators and one player, who between them see most of the texts. Checking only these takes much less
        time than checking every viewer."""
        viewers = self.group.viewers
        return (viewers[0], self.group.rng.choice(viewers[1:])) if len(viewers) > 1 else viewers

    def check_correct_table(self) -> None:
        """Counts a failure if the table reports a discrepancy or a begun move although it is at rest and agrees with
        the match."""
        if self.group.differences():
            return
        self.figures.counts["correct tables"] += 1
        for viewer in self.some_viewers():
            said = self.said(viewer)
            if said.discrepancies or said.begun:
                self.fail("false messages", f"to {viewer}: {'; '.join((*said.discrepancies, *said.begun))}")
                return

    def mark(self) -> int:
        """The number of acts so far."""
        return len(self.group.acts)

    def acts_since(self, mark: int) -> Sequence[Act]:
        return self.group.acts[mark:]

    def is_legal(self, act: Act) -> bool:
        """Whether the cardboard on the table shows the move of an act, or did so when the act was recorded. If it does,
        recording the act was right, even if the hands meant another move."""
        return act.version in self._shown_acts or self.is_shown(act)

    def is_shown(self, act: Act) -> bool:
        """Whether the cardboard on the table now shows the move of an act."""
        if act.kind in ("undo", "redo"):
            return False
        move, before, world = act.steps[0].move, act.steps[0].before, self.group.world
        position: Any = before
        match move:
            case Travel(card=card, to=to) | Bump(card=card, to=to):
                target = position.bump.target if isinstance(move, Bump) else int(move.seat)
                piece = piece_component(position.board, target, position.houses[target])
                return self._lies_in(card_component(card), "discard") and self._lies_in(piece, to)
            case Play() | Discard():
                face = face_of(move, position.hands[int(move.seat)])
                played = ("play", "errors", *(z for z in _zones(self) if "sys" in z))
                zones = ("discard",) if isinstance(move, Discard) else played
                alike = (t for t in world.lying if self.hands.kinds.get(t) == WON + face)
                return any(world.zone_of(t) in zones and t in self.fresh for t in alike)
            case Signal(lane=lane, to=to) | Go(lane=lane, then=Redirect(to=to)):
                bearing = self.hands.bearing(to)  # type: ignore[attr-defined]  # hands of Traffic Congestion
                components = world.components_in_zone(lane)
                return any(abs((world.lying[t].angle - bearing + 180) % 360 - 180) <= 31 for t in components)
            case HouseMove() if move.face in self.group.game.physical.components.faces.values():
                kinds, faces = self.hands.kinds, self.group.game.physical.components.faces
                drawn = (t for t in world.lying if faces.get(kinds.get(t, "")) == move.face)
                return any(self.group.origins.get(t, "").startswith(("deck", "tray", "box", "hand")) for t in drawn)
        return False

    fresh: frozenset[str] = frozenset()
    """The components that the hands have laid in the current slip."""

    def _lies_in(self, component: str, zone: str) -> bool:
        return component in self.group.world.lying and self.group.world.zone_of(component) == zone

    def note_look(self) -> None:
        """Remembers which cards are face up now, because from now on everybody may know them, and which cards are in
        which hand. Also remembers which of the acts that have just been recorded the cardboard shows."""
        new, self._noted_acts = self.group.acts[self._noted_acts :], len(self.group.acts)
        self._shown_acts |= {act.version for act in new if self.is_shown(act)}
        self._open_cards |= {code.id for _, code in self.group.world.visible_codes()}
        for component, place in self.group.world.elsewhere.items():
            if place.startswith("hand-"):
                self._held_cards.setdefault(place, set()).add(component)

    def check_secrets(self, since: int, meant: Move | None, face: str = "") -> None:
        """Counts a failure if any text names a card that is hidden from its reader. A text may name a card that has
        ever been face up, the card of the move that was `meant`, and the dealt card with this `face`. Log entries are
        checked only if they are newer than version `since`."""
        if not self.group.game.rules.has_hidden_information:
            return
        for viewer in self.group.viewers:
            hidden = self._hidden_names(viewer) - self._named_by(meant, face)
            view = self.group.view(viewer)
            lines = [str(line) for entry in view.log if entry.version > since for line in entry.words]
            offers = [str(words) for each in view.choices.explanations for words in each.label]
            texts = [*said_in(view).all, *lines, *offers]
            for text in texts:
                named = [name for name in hidden if name.lower() in text.lower()]
                if named:
                    self.fail("secrets", f"{viewer} reads {text!r}, which names {named[0]}")
                    return

    def _named_by(self, meant: Move | None, face: str) -> set[str]:
        """The name of the card that the hands meant to play, to give away or to deal."""
        card = meant.card if isinstance(meant, Travel | Bump | Play | Discard) and meant.card else face
        card = str(meant.option) if isinstance(meant, Choose) else card
        return {each.name for each in self.group.game.physical.components.components if card and each.face == card}

    def _hidden_names(self, viewer: Viewer) -> set[str]:
        """The names of the cards that a viewer may not know."""
        components, world = self.group.game.physical.components, self.group.world
        by_id = {each.id: each for each in components.components}
        own, hidden, known = f"hand-{viewer}", set[str](), set[str]()
        for id, component in by_id.items():
            if not component.face or (id not in CARDS and self.group.name == "commute"):
                continue
            place = world.place_of(id)
            in_hand = place.startswith("hand-")
            if self.group.name == "system-won":
                is_hidden = place == own or place.startswith("deck") or (in_hand and viewer == "spectator")
            else:
                was_held = id in self._held_cards.get(own, ())
                is_hidden = (place.startswith("deck") or (in_hand and place != own)) and not was_held
            (hidden if is_hidden and id not in self._open_cards else known).add(component.name)
        return hidden - known


def said_in(view: View) -> Said:
    """What a view says about the real table."""
    begun = view.tabletop.begun_move
    return Said(
        tuple(str(item.message) for item in view.tabletop.discrepancies),
        str(view.notice),
        (str(begun.next_step),) if begun else (),
    )


def _zones(judge: Judge) -> list[str]:
    return [zone.name for zone in judge.group.mat.zones]


def described(acts: Sequence[Act]) -> str:
    """Describes acts in words."""
    return ", ".join(f"{act.kind} {json_of(act.steps[0].move)}" for act in acts)
