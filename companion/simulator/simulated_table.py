"""The simulated table as one mutable object with one lock, worked on by hands in a browser.

No pile has an order: which card comes off it is settled when it is taken, by what the book holds possible, so a
deck shuffled by hand never contradicts the book, not even after an undo.
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
from companion.simulator.draw_pile import EMPTY_MAT, Position, top_of
from companion.simulator.scene import Piece, Pile, Size, World, as_json, from_json, piles
from companion.simulator.tidy import free, lifted, onto, put_right, stood
from companion.tabletop.instances import assign_instances
from companion.tabletop.layout import Layout, TokenPlacement
from companion.text.translation import _

HAND_S = 0.4
"""How long a hand stays over what it laid."""
REST_S = 1.0
"""How long things rest before the table is put right."""
LIFT_S = 8.0
"""How long a table that is being put right waits at most for the camera to see the places empty."""


class NotThere(Exception):
    """The table has no such thing there; the message says what is wrong."""


class Tabletop:
    """The table of one game. `read` gives the book, None while nothing is played; `kept` is where the table is kept."""

    def __init__(
        self,
        game: Game[Any],
        sizes: Mapping[str, Size],
        read: Callable[[], Position | None],
        kept: Path | None = None,
        rng: Random | None = None,
        hand_s: float = HAND_S,
    ) -> None:
        if game.physical.components.mat is None:
            raise ValueError(f"{game.title} has no mat to lay things on")
        self.game, self.mat, self.sizes = game, game.physical.components.mat, sizes
        self.piles: tuple[Pile, ...] = piles(game)
        self._names = {thing.id: thing.name for thing in game.physical.components.components}
        self._front = {thing.reverse: thing.id for thing in game.physical.components.components if thing.reverse}
        self._read, self._kept, self._rng, self._hand_s = read, kept, rng or SystemRandom(), hand_s
        self._guard = threading.RLock()
        self._listener: Callable[[World], None] = lambda world: None
        self._changes, self._changed_at = 0, 0.0
        self._lifted: frozenset[str] = frozenset()
        self._amiss: frozenset[str] = frozenset()
        self._version, self._standing = -1, tuple[TokenPlacement, ...]()
        self._played, self._world = self._load()

    @property
    def world(self) -> World:
        """What lies where now."""
        return self._world

    @property
    def changes(self) -> int:
        """Counts up with every change."""
        return self._changes

    def follow(self, listener: Callable[[World], None]) -> None:
        """Tells the listener the world now and at every change; it must be quick."""
        with self._guard:
            self._listener = listener
            listener(self._world)

    # Hands -----------------------------------------------------------------------------------------

    def lay(self, thing: str, x: float, y: float, angle: float | None = None) -> None:
        """Lays a thing there, wherever it was; raises NotThere."""
        with self._guard:
            was = self._world.piece(self._known(thing))
            piece = was or Piece(thing, x, y)
            piece = replace(piece, x=x, y=y, angle=piece.angle if angle is None else angle)
            self._show(replace(self._world.with_piece(self._inside(piece)), hand=(x, y)))

    def bring(self, thing: str, x: float, y: float) -> None:
        """Lays a thing near there, but where it means nothing yet; raises NotThere."""
        with self._guard:
            self.lay(thing, *free(self.mat, self._world, (x, y)))

    def turn(self, thing: str, degrees: float) -> None:
        """Turns a thing clockwise where it lies; raises NotThere."""
        with self._guard:
            piece = self._lying(thing)
            self._show(self._world.with_changed(replace(piece, angle=(piece.angle + degrees) % 360)))

    def flip(self, thing: str) -> None:
        """Turns a thing over; raises NotThere."""
        with self._guard:
            piece = self._lying(thing)
            self._show(self._world.with_changed(replace(piece, face_up=not piece.face_up)))

    def put_away(self, thing: str) -> None:
        """Takes a thing up: in front of whoever holds it by the book, else back home (after an undo on top of its pile,
        else it is shuffled in). Raises NotThere."""
        with self._guard:
            match, found = self._read(), self._layout().place_of(self._known(thing))
            if found and found[0] not in {zone.name for zone in self.mat.zones}:
                self._show(self._world.put_beside(thing))
            else:
                self._show(self._world.at_home(thing, on_top=match is not None and match.undone))

    def take(self, pile: str, x: float, y: float) -> str:
        """Takes the top card of a pile, lays it face up and says which it is; raises NotThere."""
        with self._guard:
            found = next((p for p in self.piles if p.name == pile), None)
            waiting = found.waiting(self._world) if found else ()
            if not waiting:
                raise NotThere(_("That pile is empty."))
            thing = top_of(waiting, self._world.tops, self.game, self._layout(), self._read(), self._rng)
            self.lay(thing, *onto(self.mat, self._world, (x, y)))
            return thing

    def put_token(self, kind: str, x: float, y: float) -> None:
        """Puts a token there; raises NotThere."""
        with self._guard:
            if kind not in self.game.physical.components.tokens:
                raise NotThere(_("{game} has no token {kind}.", game=_(self.game.title), kind=repr(kind)))
            self._show(self._world.with_token(kind, *self._near(x, y)))

    def move_token(self, number: int, x: float, y: float) -> None:
        """Moves a token; raises NotThere."""
        with self._guard:
            token = next((t for t in self._world.tokens if t.number == number), None)
            if token is None:
                raise NotThere(_("That token is gone."))
            x, y = self._near(x, y)
            moved = replace(self._world.without_token(number), hand=(x, y))
            self._show(replace(moved, tokens=(*moved.tokens, replace(token, x=x, y=y))))

    def take_token(self, number: int) -> None:
        """Takes a token off the table."""
        with self._guard:
            self._show(self._world.without_token(number))

    def hold_hand(self, x: float, y: float) -> None:
        """Holds a hand over the table until it is withdrawn."""
        with self._guard:
            self._show(replace(self._world, hand=(x, y)), stays=True)

    def withdraw_hand(self) -> None:
        """Takes the hand away."""
        with self._guard:
            self._show(replace(self._world, hand=None))

    def put_right(self) -> None:
        """Lays everything where the book wants it; without a game, everything goes home.

        As hands do: what is to go out of sight is lifted first, once the last thing laid has rested a while; the
        rest follows when the camera has seen the places empty, else it would take what comes there for a cover.
        """
        with self._guard:
            rest = max(0.0, REST_S - (time.monotonic() - self._changed_at))
            self.withdraw_hand()
            if self._hand_s and self._to_lift():
                self._later(rest, self._lift, self._changes)
            else:
                self._lay_right(self._changes)

    def _to_lift(self) -> frozenset[str]:
        """What the book wants out of sight."""
        up = lifted(self._world, self._things(self._layout()), self.mat)
        return frozenset(p.thing for p in self._world.lying if up.piece(p.thing) is None)

    def _lift(self, changes: int) -> None:
        with self._guard:
            if changes != self._changes:
                return
            self._lifted = self._to_lift() & self._amiss  # what the camera has not seen need not be seen to go
            self._listener(lifted(self._world, self._things(self._layout()), self.mat))
            self._later(LIFT_S if self._lifted else 0, self._lay_right, changes)

    def hear(self, discrepancies: frozenset[str]) -> None:
        """What the companion finds amiss; once it has seen what was lifted go, the rest of the table is put right."""
        with self._guard:
            self._amiss = discrepancies
            if self._lifted and not self._lifted & discrepancies:
                self._lay_right(self._changes)

    def _lay_right(self, changes: int) -> None:
        """The rest of putting right, unless it has been done, or other hands were quicker."""
        with self._guard:
            self._lifted = frozenset()
            if changes != self._changes:
                return
            match = self._read()
            # After an undo what was dealt goes back on top; else what goes home is shuffled in.
            shuffles = [zone.name for zone in self.mat.zones if zone.order == "pile" or not (match and match.undone)]
            layout = self._layout()
            turned = frozenset(self._front[code] for code in _codes(layout) if code in self._front)
            wanted, standing = self._things(layout), self._stands()
            self._show(put_right(self._world, wanted, self.mat, self.sizes, frozenset(shuffles), turned, standing))

    def begin(self, game: int) -> None:
        """Packs everything up when another game has begun than the one that lies here."""
        with self._guard:
            if game != self._played:
                self._played, self._version, self._standing = game, -1, ()
                self._show(World())

    def keep_up(self, version: int) -> None:
        """Moves the tokens that stand on the mat whenever the book has moved them, as players would who never err; in
        between they stay where hands put them."""
        with self._guard:
            if version == self._version or not self.game.physical.components.tokens:
                return
            before, self._version, self._standing = self._standing, version, self._stands()
            if self._standing != before:
                # No hand did it: one that is over the table stays, and what is being put right goes on.
                self._make_so(replace(self._world, tokens=stood(self._world.tokens, self._standing)))

    def _stands(self) -> tuple[TokenPlacement, ...]:
        match = self._read()
        return self.game.physical.token_placements(match.state) if match else ()

    def _layout(self) -> Layout:
        match = self._read()
        if match is None:
            return EMPTY_MAT
        lying = {self._code(piece): self.mat.zone_at((piece.x, piece.y)) for piece in self._world.lying}
        where = dict.fromkeys(self._world.beside) | lying
        return assign_instances(
            self.game.physical.layout(match.state, REFEREE), self.game.physical.components, where, match.known
        )

    def _code(self, piece: Piece) -> str:
        """The code that a thing shows."""
        return piece.thing if piece.face_up else self.game.physical.components.other_side.get(piece.thing, piece.thing)

    def _things(self, layout: Layout) -> Layout:
        """A layout of codes as one of things, whichever side is up."""
        places = layout.cards.items()
        return replace(layout, cards={at: tuple(self._front.get(code, code) for code in codes) for at, codes in places})

    # Within ----------------------------------------------------------------------------------------

    def _known(self, thing: str) -> str:
        if thing not in self._names:
            raise NotThere(_("{game} prints no {thing}.", game=_(self.game.title), thing=repr(thing)))
        return thing

    def _lying(self, thing: str) -> Piece:
        piece = self._world.piece(self._known(thing))
        if piece is None:
            raise NotThere(_("{thing} does not lie on the table.", thing=_(self._names[thing])))
        return piece

    def _inside(self, piece: Piece) -> Piece:
        x, y = self._near(piece.x, piece.y)
        return replace(piece, x=x, y=y)

    def _near(self, x: float, y: float) -> tuple[float, float]:
        """Nothing falls off the table."""
        width, height = self.mat.size
        return min(max(x, 0.0), width), min(max(y, 0.0), height)

    def _show(self, world: World, *, stays: bool = False) -> None:
        """Makes it so, tells it, and keeps it; a hand that only laid something goes away by itself."""
        if world.hand and not self._hand_s and not stays:
            world = replace(world, hand=None)
        self._lifted = frozenset()
        self._changes += 1
        self._changed_at = time.monotonic()
        self._make_so(world)
        if world.hand and not stays:
            self._later(self._hand_s, self._withdraw_after, self._changes)

    def _make_so(self, world: World) -> None:
        self._world = world
        self._listener(world)
        self._keep()

    def _later(self, seconds: float, act: Callable[[int], None], changes: int) -> None:
        timer = threading.Timer(seconds, act, (changes,))
        timer.daemon = True
        timer.start()

    def _withdraw_after(self, changes: int) -> None:
        with self._guard:
            if changes == self._changes:
                self.withdraw_hand()

    def _keep(self) -> None:
        if self._kept is None:
            return
        value = {"played": self._played, "game": self.game.name, **as_json(self._world)}
        new = self._kept.with_suffix(".new")
        new.write_text(json.dumps(value), encoding="utf-8")
        os.replace(new, self._kept)

    def _load(self) -> tuple[int, World]:
        """The table as it was left: a real one keeps its cards when the power goes, too."""
        try:
            value = json.loads(self._kept.read_text("utf-8")) if self._kept else {}
            if value.get("game") == self.game.name:
                return int(value["played"]), from_json(value, frozenset(self._names))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            pass
        return 0, World()


def _codes(layout: Layout) -> frozenset[str]:
    return frozenset(code for codes in layout.cards.values() for code in codes)
