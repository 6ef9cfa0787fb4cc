"""The components of a game: printed components with codes, the mat, the tokens, and their names.

Law: pure data. Drawing is imported only when something is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, Protocol

from companion.tabletop.layout import Vocabulary
from companion.tabletop.mat import Mat
from companion.text.messages import Text, TextLike, TextWithNames, _, gettext_noop, plural

if TYPE_CHECKING:
    from companion.drawing.canvas import Canvas


IN_THE_BOX: Final = gettext_noop("in the box")


@dataclass(frozen=True)
class Component:
    """A component with a code. `id` is the id in its code (`SF-D07`), `name` is what people call it (`D07`). `home` is
    its place while the layout has none for it ("on the deck")."""

    id: str
    name: str
    title: str
    home: str = IN_THE_BOX
    home_zone: str | None = None
    """The zone of the face-down deck to which it belongs; None if its home is beside the mat."""
    face: str = ""
    """Its name in the moves that deal it; "" if chance does not deal it."""
    kind: str = ""
    """The name that equal copies of a card share, and that layouts list; "" means the id."""
    chance_source: str = ""
    """The source of chance that deals it, if phones can replace it.

    While the companion deals this source, and the camera has seen none of its components, they need not be on the
    table.
    """
    reverse: str = ""
    """The id of the code on its back, if there is one. Layouts list the kind with BACK for a component that is turned
    over."""


BACK: Final = "/back"
"""Appended to the kind of a component that is turned over, if its back has a code too."""


PLURAL_SUFFIX: Final = "s"
"""Appended to the name of a token for the plural."""

MAX_SEATS: Final = 9
"""The largest number of seats of any game. A game may name the places of seats that nobody has."""


class Art(Protocol):
    """Draws a game's components in millimetres, origin at the bottom left of each."""

    def extras(self) -> tuple[Component, ...]:
        """The components that are printed without a code: a meter card, tokens."""
        ...

    def size(self, component: Component) -> tuple[float, float]:
        """Width and height, mm."""
        ...

    def largest_code(self, component: Component) -> float:
        """The side of the largest code that fits on the face, mm, without the quiet zone."""
        ...

    def face(self, canvas: Canvas, component: Component, code_mm: float) -> None:
        """Draws the front, including the code if there is one."""
        ...

    def back(self, canvas: Canvas, component: Component, code_mm: float) -> None:
        """Draws the back, as seen when the component is turned over, including its code if it has one. The backs of
        cards that are shuffled together are equal."""
        ...

    def mat(self, canvas: Canvas) -> None:
        """Draws the mat without its corner codes."""
        ...


@dataclass(frozen=True)
class Stickers:
    """Codes to stick on cards that people own. `art` draws the stickers in place of those cards, and everything else
    like the game's own art. `advice` says how to use them."""

    art: Callable[[], Art]
    advice: tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class ComponentSet:
    """Everything in a game's box that can be on the table. A game for phones only has nothing."""

    components: tuple[Component, ...] = ()
    mat: Mat | None = None
    places: Mapping[str, str] = field(default_factory=dict)
    """Names of places and tracks that have no zone on the mat, or another name than its title. {0} is the first
    player."""
    tokens: Mapping[str, str] = field(default_factory=dict)
    """The names of the kinds of tokens: {"red": "red cube"}."""
    art: Callable[[], Art] | None = None
    """A function that creates the art, so that drawing is imported only when something is drawn. None for default
    art."""
    advice: tuple[str, str] | None = None
    """Advice for the first page of the print: a heading and a few sentences."""
    stickers: Stickers | None = None
    """Stickers for people who own such cards already."""

    def with_stickers(self) -> ComponentSet | None:
        """The same components with stickers in place of the cards to which they are applied; None if the game has no
        stickers."""
        return replace(self, art=self.stickers.art, advice=self.stickers.advice) if self.stickers else None

    def codes(self) -> tuple[str, ...]:
        """The id of every printed code: those of components, then the corners of the mat."""
        corners = self.mat.corners if self.mat else ()
        return (*self.kinds, *(corner.id for corner in corners))

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        """The kind of each side that has a code, by the code's id."""
        fronts = {each.id: each.kind or each.id for each in self.components}
        return fronts | {each.reverse: fronts[each.id] + BACK for each in self.components if each.reverse}

    @cached_property
    def faces(self) -> Mapping[str, str]:
        """The name, as in moves, of each kind of component that chance deals."""
        return {each.kind or each.id: each.face for each in self.components if each.face}

    @cached_property
    def other_side(self) -> Mapping[str, str]:
        """The code on the other side, for components that have two codes."""
        backs = {each.id: each.reverse for each in self.components if each.reverse}
        return backs | {back: front for front, back in backs.items()}

    @cached_property
    def has_copies(self) -> bool:
        """Whether there are equal copies, so that layouts list kinds."""
        return any(code != kind for code, kind in self.kinds.items())

    def vocabulary(self, names: Sequence[str]) -> Vocabulary:
        """What players with these names call the components, places and tokens."""
        by_side = self._components_by_side()
        zones = {zone.name: zone.title for zone in self.mat.zones} if self.mat else {}
        players: tuple[TextLike, ...] = (*names, *(_("player {n}", n=n) for n in range(len(names) + 1, MAX_SEATS + 1)))
        side_by_side = {zone.name for zone in self.mat.zones if zone.order in ("right", "any")} if self.mat else set()
        return Vocabulary(
            component=lambda code: _(by_side[code].name if code in by_side else code),
            place=lambda place: (
                _(by_side[place].name)
                if place in by_side
                else TextWithNames(_(self.places[place]), players)
                if place in self.places
                else _(zones.get(place, place))
            ),
            home=lambda code: _(by_side[code].home if code in by_side else IN_THE_BOX),
            home_zone=lambda code: by_side[code].home_zone if code in by_side else None,
            token=self._token_name,
            is_side_by_side=lambda place: place in side_by_side,
            other_side=lambda side: self._other_side_of_kind.get(side, ""),
        )

    def _token_name(self, kind: str, n: int) -> Text:
        one = self.tokens.get(kind, kind)
        return plural(one, one + PLURAL_SUFFIX, n)

    @cached_property
    def _other_side_of_kind(self) -> Mapping[str, str]:
        """The other side of each kind, and of each code."""
        kinds = {self.kinds[code]: self.kinds[other] for code, other in self.other_side.items()}
        return {**kinds, **self.other_side}

    def _components_by_side(self) -> Mapping[str, Component]:
        """Every component by the ids and the kinds of its sides."""
        fronts = {each.kind or each.id: each for each in self.components}
        backs = {kind + BACK: each for kind, each in fronts.items()}
        return fronts | backs | {code: each for each in self.components for code in (each.id, each.reverse)}
