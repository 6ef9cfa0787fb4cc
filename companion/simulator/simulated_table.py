"""The simulated table, which people handle in a browser as they would handle a real one. It is one mutable object with
one lock.

The piles have no order: `companion.simulator.draw_from_pile` decides which card is drawn when somebody takes one.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from random import Random, SystemRandom
from typing import Any

from companion.games.game import Game
from companion.games.rules import REFEREE
from companion.simulator.draw_from_pile import EMPTY_LAYOUT, MatchSnapshot, drawn_card
from companion.simulator.scene_contents import Pile, PlacedComponent, Size, TableScene, piles, scene_from_json
from companion.simulator.tidy_arrangement import (
    USUAL_SIZE_MM,
    carried_tokens,
    free_spot,
    placed_tokens,
    placements_on_components,
    spot_for_drawn_card,
    tidy,
    without_hidden,
)
from companion.tabletop.copy_assignment import assign_copies
from companion.tabletop.expected_layout import Layout, TokenPlacement
from companion.text.messages import TextError, _

HAND_S = 0.4
"""How long a hand stays over what it put down, in seconds."""
REST_S = 1.0
"""How long the table must have been left alone before it is tidied, in seconds."""
MAX_LIFT_S = 8.0
"""Tidying waits at most this many seconds for the camera to see that the places of lifted components are empty."""


class InvalidAction(TextError):
    """The error for an action that is impossible on this table. The message says why."""


class SimulatedTable:
    """The simulated table of one game. `sizes`: the width and height of components, in mm. `read_match` returns the
    running match; None if there is none. The scene is saved in the file `path`. `hand_s`: how long a hand stays over a
    component that it has put down, in seconds; 0 if no hands appear."""

    def __init__(
        self,
        game: Game[Any],
        sizes: Mapping[str, Size],
        read_match: Callable[[], MatchSnapshot | None],
        path: Path | None = None,
        rng: Random | None = None,
        hand_s: float = HAND_S,
    ) -> None:
        components = game.physical.components
        if components.mat is None:
            raise ValueError(f"{game.title} has no mat to put components on")
        self.game, self.mat, self.sizes = game, components.mat, sizes
        self.piles: tuple[Pile, ...] = piles(game)
        self._names = {component.id: component.name for component in components.components}
        self._front = {each.reverse: each.id for each in components.components if each.reverse}
        self._read_match, self._path, self._rng, self._hand_s = read_match, path, rng or SystemRandom(), hand_s
        self._lock = threading.RLock()
        self._listener: Callable[[TableScene], None] = lambda scene: None
        self._changes, self._changed_at = 0, 0.0
        self._lifted: frozenset[str] = frozenset()
        self._discrepancies: frozenset[str] = frozenset()
        self._version, self._placements = -1, tuple[TokenPlacement, ...]()
        self._on_fields: Mapping[str, Mapping[str, int]] = {}
        """The tokens that belong on each component with a field, according to the last version of the match."""
        self._game_id, self._scene = self._load()

    @property
    def scene(self) -> TableScene:
        """The current scene: what lies where."""
        return self._scene

    @property
    def changes(self) -> int:
        """How many times people have changed the simulated table so far."""
        return self._changes

    def listen(self, listener: Callable[[TableScene], None]) -> None:
        """Calls `listener` with the scene, now and after every change. The listener must be quick."""
        with self._lock:
            self._listener = listener
            listener(self._scene)

    def put(self, code: str, x: float, y: float, angle: float | None = None) -> None:
        """Puts a component at (x, y), wherever it was before. The tokens on its field move along. Raises InvalidAction
        if there is no such component."""
        with self._lock:
            before = self._scene.find(self._check(code)) or PlacedComponent(code, 0, 0)
            at_x, at_y = self._on_mat(x, y)
            placed = replace(before, x=at_x, y=at_y, angle=before.angle if angle is None else angle)
            scene = self._with_tokens_carried(before, placed)
            self._change(replace(scene.with_placed(placed), hand=(x, y)))

    def _with_tokens_carried(self, before: PlacedComponent, after: PlacedComponent) -> TableScene:
        """The scene after the tokens on a component with a field were carried from `before` to `after`."""
        colors = self.mat.token_colors
        if colors is None or before.code not in colors.fields or self._scene.find(before.code) is None:
            return self._scene
        size = self.sizes.get(before.code, USUAL_SIZE_MM)
        return replace(self._scene, tokens=carried_tokens(self._scene.tokens, before, after, size))

    def put_near(self, code: str, x: float, y: float) -> None:
        """Puts a component near (x, y), at a free spot outside all zones, so that it means nothing in the game yet.
        Raises InvalidAction if there is no such component."""
        with self._lock:
            self.put(code, *free_spot(self.mat, self._scene, (x, y)))

    def rotate(self, code: str, degrees: float) -> None:
        """Rotates a component clockwise, without moving it. Raises InvalidAction if it does not lie on the mat."""
        with self._lock:
            before = self._find(code)
            after = replace(before, angle=(before.angle + degrees) % 360)
            self._change(self._with_tokens_carried(before, after).with_changed(after))

    def flip(self, code: str) -> None:
        """Turns a component over, without moving it. Raises InvalidAction if it does not lie on the mat."""
        with self._lock:
            placed = self._find(code)
            self._change(self._scene.with_changed(replace(placed, face_up=not placed.face_up)))

    def put_away(self, code: str) -> None:
        """Takes a component off the mat and puts it where it belongs in the match: in front of a player, into its pile,
        or into the box. After an undo, a card goes on top of its pile; otherwise it is shuffled in. Raises
        InvalidAction if there is no such component."""
        with self._lock:
            match, found = self._read_match(), self._layout().place_of(self._check(code))
            if found and found[0] not in {zone.name for zone in self.mat.zones}:
                self._change(self._scene.with_off_mat(code))
            else:
                self._change(self._scene.with_at_home(code, on_top=match is not None and match.is_after_undo))

    def draw(self, pile_name: str, x: float, y: float) -> str:
        """Draws the top card of a pile, puts it face up near (x, y) and returns its code. Raises InvalidAction if the
        pile is empty."""
        with self._lock:
            pile = next((pile for pile in self.piles if pile.name == pile_name), None)
            remaining = pile.remaining(self._scene) if pile else ()
            if not remaining:
                raise InvalidAction(_("That pile is empty."))
            tops, layout = self._scene.pile_tops, self._layout()
            code = drawn_card(remaining, tops, self.game, layout, self._read_match(), self._rng)
            self.put(code, *spot_for_drawn_card(self.mat, self._scene, (x, y)))
            return code

    def put_token(self, kind: str, x: float, y: float) -> None:
        """Puts a new token at (x, y). Raises InvalidAction if the game has no tokens of this kind."""
        with self._lock:
            if kind not in self.game.physical.components.tokens:
                raise InvalidAction(_("{game} has no {kind} token.", game=_(self.game.title), kind=repr(kind)))
            self._change(self._scene.with_token(kind, *self._on_mat(x, y)))

    def move_token(self, number: int, x: float, y: float) -> None:
        """Moves a token to (x, y), on top of the others. Raises InvalidAction if there is no such token."""
        with self._lock:
            token = next((token for token in self._scene.tokens if token.number == number), None)
            if token is None:
                raise InvalidAction(_("That token is gone."))
            x, y = self._on_mat(x, y)
            rest = self._scene.without_token(number)
            self._change(replace(rest, tokens=(*rest.tokens, replace(token, x=x, y=y)), hand=(x, y)))

    def take_token(self, number: int) -> None:
        """Takes a token off the table."""
        with self._lock:
            self._change(self._scene.without_token(number))

    def hold_hand(self, x: float, y: float) -> None:
        """Holds a hand over the table, with its tip at (x, y), until `withdraw_hand` is called."""
        with self._lock:
            self._change(replace(self._scene, hand=(x, y)), hand_stays=True)

    def withdraw_hand(self) -> None:
        """Takes the hand away from the table."""
        with self._lock:
            self._change(replace(self._scene, hand=None))

    def tidy(self) -> None:
        """Lays every component where it belongs in the match; without a match, puts all components back into their
        piles or into the box.

        If hands appear over the table, this takes two steps. First, once the table has been left alone for `REST_S`,
        the components that must go out of sight are lifted. Then, once the camera has seen that they are gone, all
        components are put down. If a component were put down too early in the place of a lifted one, the camera would
        think that the lifted one still lies there, under the new one."""
        with self._lock:
            rest_s = max(0.0, REST_S - (time.monotonic() - self._changed_at))
            self.withdraw_hand()
            if self._hand_s and self._codes_to_lift():
                self._later(rest_s, self._lift, self._changes)
            else:
                self._finish_tidying(self._changes)

    def _codes_to_lift(self) -> frozenset[str]:
        """The codes of the components that lie on the mat, but must go out of sight."""
        after = without_hidden(self._scene, self._by_front(self._layout()), self.mat)
        return frozenset(placed.code for placed in self._scene.on_mat if after.find(placed.code) is None)

    def _lift(self, changes: int) -> None:
        with self._lock:
            if changes != self._changes:
                return
            # A component without a discrepancy was never seen there, so the camera need not see it go.
            self._lifted = self._codes_to_lift() & self._discrepancies
            self._listener(without_hidden(self._scene, self._by_front(self._layout()), self.mat))
            self._later(MAX_LIFT_S if self._lifted else 0, self._finish_tidying, changes)

    def set_discrepancies(self, codes: frozenset[str]) -> None:
        """Sets which components lie where they do not belong; `codes` includes those about which people have not been
        told yet. When `codes` contains no component that `tidy` has lifted, the camera has seen that the lifted
        components are gone. Then the second step of `tidy` puts down all components."""
        with self._lock:
            self._discrepancies = codes
            if self._lifted and not self._lifted & codes:
                self._finish_tidying(self._changes)

    def _finish_tidying(self, changes: int) -> None:
        """Tidies the table, unless it was tidied or changed in the meantime. `changes`: the number of changes to the
        table when tidying began."""
        with self._lock:
            self._lifted = frozenset()
            if changes != self._changes:
                return
            match = self._read_match()
            # After an undo, dealt cards go back on top of their piles; otherwise, cards that go back are shuffled in.
            is_after_undo = match is not None and match.is_after_undo
            shuffled = {zone.name for zone in self.mat.zones if zone.order == "pile" or not is_after_undo}
            layout = self._layout()
            codes = {code for codes in layout.cards.values() for code in codes}
            face_down = frozenset(self._front[code] for code in codes if code in self._front)
            wanted, placements = self._by_front(layout), self._token_placements()
            self._change(tidy(self._scene, wanted, self.mat, self.sizes, frozenset(shuffled), face_down, placements))

    def start_game(self, game_id: int) -> None:
        """Clears the table for a new game. Does nothing if `game_id` is the id of the game that is on the table
        already."""
        with self._lock:
            if game_id != self._game_id:
                self._game_id, self._version, self._placements, self._on_fields = game_id, -1, (), {}
                self._change(TableScene())

    def sync_tokens(self, version: int) -> None:
        """Moves the tokens to where they belong, as players who make no mistakes would do after an act that changes the
        tokens on the mat. Does this only once for each `version` of the match; after that, tokens stay where people put
        them."""
        with self._lock:
            if version == self._version or not self.game.physical.components.tokens:
                return
            before, layout = (self._placements, self._on_fields), self._by_front(self._layout())
            fields = self.mat.token_colors.fields if self.mat.token_colors else {}
            self._version, self._placements = version, self._token_placements()
            self._on_fields = {code: held for code in layout.tokens.keys() & fields if (held := layout.tokens_in(code))}
            if (self._placements, self._on_fields) != before:
                # This is not an action of a hand, so a hand over the table stays, and tidying continues.
                on_components = placements_on_components(self._scene, layout, self.sizes)
                tokens = placed_tokens(self._scene.tokens, [*on_components, *self._placements])
                self._set_scene(replace(self._scene, tokens=tokens))

    def _token_placements(self) -> tuple[TokenPlacement, ...]:
        match = self._read_match()
        return self.game.physical.token_placements(match.state) if match else ()

    def _layout(self) -> Layout:
        """The layout of the running match, with a code for every card; empty without a match."""
        match = self._read_match()
        if match is None:
            return EMPTY_LAYOUT
        on_mat = {self._visible_code(each): self.mat.zone_at((each.x, each.y)) for each in self._scene.on_mat}
        zones = dict.fromkeys(self._scene.off_mat) | on_mat
        layout = self.game.physical.layout(match.state, REFEREE)
        return assign_copies(layout, self.game.physical.components, zones, match.known_copies)

    def _visible_code(self, placed: PlacedComponent) -> str:
        other_side = self.game.physical.components.other_side
        return placed.code if placed.face_up else other_side.get(placed.code, placed.code)

    def _by_front(self, layout: Layout) -> Layout:
        """The layout with the code on the front of each component, even if its back is up."""
        cards = {place: tuple(self._front.get(code, code) for code in codes) for place, codes in layout.cards.items()}
        return replace(layout, cards=cards)

    def _check(self, code: str) -> str:
        if code not in self._names:
            raise InvalidAction(_("{game} has no {component}.", game=_(self.game.title), component=repr(code)))
        return code

    def _find(self, code: str) -> PlacedComponent:
        placed = self._scene.find(self._check(code))
        if placed is None:
            raise InvalidAction(_("{component} isn’t on the table.", component=_(self._names[code])))
        return placed

    def _on_mat(self, x: float, y: float) -> tuple[float, float]:
        """The point on the mat that is nearest to (x, y), so that nothing falls off the table."""
        width, height = self.mat.size
        return min(max(x, 0.0), width), min(max(y, 0.0), height)

    def _change(self, scene: TableScene, *, hand_stays: bool = False) -> None:
        """Changes the scene by an action of a hand. The hand then goes away by itself, unless `hand_stays`."""
        if scene.hand and not self._hand_s and not hand_stays:
            scene = replace(scene, hand=None)
        self._lifted = frozenset()
        self._changes += 1
        self._changed_at = time.monotonic()
        self._set_scene(scene)
        if scene.hand and not hand_stays:
            self._later(self._hand_s, self._withdraw_hand_after, self._changes)

    def _set_scene(self, scene: TableScene) -> None:
        self._scene = scene
        self._listener(scene)
        self._save()

    def _later(self, seconds: float, act: Callable[[int], None], changes: int) -> None:
        timer = threading.Timer(seconds, act, (changes,))
        timer.daemon = True
        timer.start()

    def _withdraw_hand_after(self, changes: int) -> None:
        with self._lock:
            if changes == self._changes:
                self.withdraw_hand()

    def _save(self) -> None:
        if self._path is None:
            return
        value = {"played": self._game_id, "game": self.game.name, **self._scene.to_json()}
        new = self._path.with_suffix(".new")
        new.write_text(json.dumps(value), encoding="utf-8")
        os.replace(new, self._path)

    def _load(self) -> tuple[int, TableScene]:
        """The number of the saved game, and the saved scene; 0 and an empty scene if none was saved for this game. The
        scene is saved because a real table also keeps its cards when the power fails."""
        try:
            value = json.loads(self._path.read_text("utf-8")) if self._path else {}
            if value.get("game") == self.game.name:
                return int(value["played"]), scene_from_json(value, frozenset(self._names))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            pass
        return 0, TableScene()
