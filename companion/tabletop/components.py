"""What of a game lies on a table: printed things, the mat, tokens, and how people call them.

Law: pure data; drawing is imported by whoever draws.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, Protocol

from companion.tabletop.layout import Vocabulary
from companion.tabletop.mat import Mat
from companion.text.translation import _, later, plural

if TYPE_CHECKING:
    from companion.drawing.canvas import Canvas


IN_THE_BOX: Final = later("in the box")


@dataclass(frozen=True)
class Component:
    """Something printed with a code. `id` is the code's (`SF-D07`), `name` what people call it (`D07`), `home`
    where it is while it lies in no place of the layout: in a zone of the mat (a deck), where `home_zone` names it."""

    id: str
    name: str
    title: str
    home: str = IN_THE_BOX
    home_zone: str | None = None
    """The zone of the mat in which it is at home: a face-down deck's."""
    face: str = ""
    """What the moves that deal it call it; "" for what chance does not deal."""
    kind: str = ""
    """What layouts list, where several things are as good as one another: the copies of a card. Its id otherwise."""
    chance_source: str = ""
    """What chance deals it as, where a phone can stand in for it: while the companion deals that, and the camera has
    seen none of it, nobody misses it on the table."""
    reverse: str = ""
    """The id of the code on its back, where it has one. Layouts list the turned thing as its kind with BACK."""


BACK: Final = "/back"
"""Of a thing with a code on either side: what lies with its back up."""


MANY: Final = "s"
"""What the name of a token ends in where there are several of it."""

MAX_SEATS: Final = 9
"""No game seats more. A game may name the places of seats that nobody has."""


class Art(Protocol):
    """Draws a game's printed things in millimetres, origin at the thing's bottom left."""

    def extras(self) -> tuple[Component, ...]:
        """What is printed without a code: a meter card, tokens."""
        ...

    def size(self, component: Component) -> tuple[float, float]:
        """Width and height, mm."""
        ...

    def largest_code(self, component: Component) -> float:
        """The largest side of a code's 21 modules that the face has room for, mm."""
        ...

    def face(self, canvas: Canvas, component: Component, code_mm: float) -> None:
        """The front, with `canvas.code` for what has a code."""
        ...

    def back(self, canvas: Canvas, component: Component, code_mm: float) -> None:
        """The back, as seen when the thing is turned over, with its own code if it has one; equal for all that are
        shuffled together."""
        ...

    def mat(self, canvas: Canvas) -> None:
        """The mat; its corner codes are put on it afterwards."""
        ...


@dataclass(frozen=True)
class Stickers:
    """Codes to stick on cards that people own. `art` draws these stickers, and all else as the game's own art does;
    `advice` says how to use them."""

    art: Callable[[], Art]
    advice: tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class ComponentSet:
    """Everything of a game that can lie on a table. A game for phones only has none of it."""

    components: tuple[Component, ...] = ()
    mat: Mat | None = None
    places: Mapping[str, str] = field(default_factory=dict)
    """What people call the layout's places and tracks, where the mat's title would not do; {0} is the first player."""
    tokens: Mapping[str, str] = field(default_factory=dict)
    """The names of the layout's kinds of tokens: {"red": "red cube"}."""
    art: Callable[[], Art] | None = None
    """How it looks in print; a function, so that drawing is imported only by who draws."""
    advice: tuple[str, str] | None = None
    """What the print's first page says besides: a heading and a few sentences."""
    stickers: Stickers | None = None
    """For people who own such cards already."""

    def with_stickers(self) -> ComponentSet | None:
        """The equipment with stickers in place of the cards that they go on, if there are any."""
        return replace(self, art=self.stickers.art, advice=self.stickers.advice) if self.stickers else None

    def codes(self) -> tuple[str, ...]:
        """The id of every printed code: the things', then the mat's corners."""
        corners = self.mat.corners if self.mat else ()
        return (*self.kinds, *(corner.id for corner in corners))

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        """The kind of every coded side, by the code's id."""
        fronts = {thing.id: thing.kind or thing.id for thing in self.components}
        return fronts | {thing.reverse: fronts[thing.id] + BACK for thing in self.components if thing.reverse}

    @cached_property
    def faces(self) -> Mapping[str, str]:
        """What moves call each kind of component that chance deals."""
        return {thing.kind or thing.id: thing.face for thing in self.components if thing.face}

    @cached_property
    def other_side(self) -> Mapping[str, str]:
        """The code on the other side, of things that have two."""
        turned = {thing.id: thing.reverse for thing in self.components if thing.reverse}
        return turned | {back: front for front, back in turned.items()}

    @cached_property
    def has_copies(self) -> bool:
        """Whether some things are as good as others, so that layouts name kinds."""
        return any(code != kind for code, kind in self.kinds.items())

    def words(self, names: Sequence[str]) -> Vocabulary:
        """How players of these names call these things and places."""
        things = self._named()
        zones = {zone.name: zone.title for zone in self.mat.zones} if self.mat else {}
        players = (*names, *(_("player {n}", n=n) for n in range(len(names) + 1, MAX_SEATS + 1)))
        side_by_side = {zone.name for zone in self.mat.zones if zone.order in ("right", "any")} if self.mat else set()
        return Vocabulary(
            thing=lambda thing: _(things[thing].name if thing in things else thing),
            place=lambda place: (
                _(things[place].name)
                if place in things
                else _(self.places[place]).format(*players)
                if place in self.places
                else _(zones.get(place, place))
            ),
            home=lambda thing: _(things[thing].home if thing in things else IN_THE_BOX),
            home_zone=lambda thing: things[thing].home_zone if thing in things else None,
            token=self._token,
            beside=lambda place: place in side_by_side,
            turned=lambda side: self._turned.get(side, ""),
        )

    def _token(self, kind: str, n: int) -> str:
        one = self.tokens.get(kind, kind)
        return plural(one, one + MANY, n)

    @cached_property
    def _turned(self) -> Mapping[str, str]:
        """The kind or the code of the other side, by those of a side."""
        kinds = {self.kinds[code]: self.kinds[other] for code, other in self.other_side.items()}
        return {**kinds, **self.other_side}

    def _named(self) -> Mapping[str, Component]:
        """Every thing by the ids and the kinds of its sides."""
        sides = {thing.kind or thing.id: thing for thing in self.components}
        turned = {kind + BACK: thing for kind, thing in sides.items()}
        return sides | turned | {code: thing for thing in self.components for code in (thing.id, thing.reverse)}
