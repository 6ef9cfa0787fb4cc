"""The components of a game: everything that is printed with a code, the mat, the tokens, and what people call them.

Law: pure data. A game's art is imported only when something is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Final, Protocol

from companion.drawing.canvas import Canvas
from companion.tabletop.component_outline import Outline
from companion.tabletop.mat import Mat
from companion.tabletop.physical_instructions import Vocabulary
from companion.text.messages import NameInSentence, Text, TextLike, TextWithNames, _, gettext_noop, plural

IN_THE_BOX: Final = gettext_noop("in the box")


@dataclass(frozen=True)
class Component:
    """A component with a code. `id` is the id in its code (`SF-D07`), and `name` is what people call it (`D07`). `home`
    says where it lies while the layout lists no place for it ("face down on top of the disaster deck")."""

    id: str
    name: str
    title: str
    home: str = IN_THE_BOX
    home_zone: str | None = None
    """The zone of the face-down deck that is the component's home; None if its home is beside the mat. Then the
    component is never hidden information."""
    face: str = ""
    """The name of the component's face in the moves that deal it; "" if chance does not deal it."""
    kind: str = ""
    """What equal copies of a card have in common. Layouts list components by kind. "" means that the id is the kind."""
    chance_source: str = ""
    """The chance source from which the component is dealt, if phones can replace the component; otherwise "". As long
    as the companion deals from this source and the camera has seen none of its components, the game can be played
    without them."""
    reverse: str = ""
    """The id of the code on its back; "" if there is none. Layouts list a component that is turned over by its kind
    followed by BACK."""
    outline: Outline | None = None
    """The size of the component, and the usual size and place of the code on its front; None if these are unknown. A
    code on the back is in nearly the same place."""
    only_name: str = ""
    """What people call it where no other component has the same name (`the signal` instead of `a signal`); "" if they
    call it by its name there too."""


BACK: Final = "/back"
"""Appended to the kind of a component that is turned over, if its back has a code too."""


PLURAL_SUFFIX: Final = "s"
"""Appended to the name of a token to form its plural."""

MAX_SEATS: Final = 9
"""The greatest number of seats in any game. The name of a place may mention a seat that does not exist in the current
game; the seat is then called, for example, "player 5"."""


class Art(Protocol):
    """Draws a game's components in millimeters; the origin is at the bottom left of each component."""

    def extras(self) -> tuple[Component, ...]:
        """The components that are printed without a code: a meter card, tokens."""
        ...

    def size(self, component: Component) -> tuple[float, float]:
        """The width and height of a component, in mm."""
        ...

    def largest_code(self, component: Component) -> float:
        """The side length of the largest code that fits on the component's face, in mm and without the quiet zone."""
        ...

    def face(self, canvas: Canvas, component: Component, code_mm: float) -> None:
        """Draws the front, and the code on the front if there is one."""
        ...

    def back(self, canvas: Canvas, component: Component, code_mm: float) -> None:
        """Draws the back, as seen when the component is turned over, and the code on the back if there is one. Cards
        that are shuffled together must have equal backs."""
        ...

    def mat(self, canvas: Canvas) -> None:
        """Draws the mat without its corner codes."""
        ...


@dataclass(frozen=True)
class Stickers:
    """Codes to stick on cards that people own. `art` draws the stickers instead of the cards. It draws all other
    components as the game's own art does. `advice` says how to use the stickers."""

    art: Callable[[], Art]
    advice: tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class ComponentSet:
    """Everything in a game's box that can lie on the table. It is empty for a game that is played only on phones."""

    components: tuple[Component, ...] = ()
    mat: Mat | None = None
    places: Mapping[str, str] = field(default_factory=dict)
    """Maps a place or track to what people call it. A zone of the mat is listed only if people don't call it by its
    title. {0} stands for the first player's name."""
    tokens: Mapping[str, str] = field(default_factory=dict)
    """The name of each kind of token: {"red": "red cube"}."""
    art: Callable[[], Art] | None = None
    """Makes the art; None for default art. It is a function, so that the art is imported only when something is
    drawn."""
    advice: tuple[str, str] | None = None
    """Advice for the first page of the print: a heading and a few sentences."""
    stickers: Stickers | None = None
    """The stickers for people who own the game's cards already; None if there are none."""

    def with_stickers(self) -> ComponentSet | None:
        """The same components, with art and advice for stickers instead of cards; None if the game has no stickers."""
        return replace(self, art=self.stickers.art, advice=self.stickers.advice) if self.stickers else None

    def codes(self) -> tuple[str, ...]:
        """The ids of all printed codes: first the codes of components, then the corner codes of the mat."""
        corners = self.mat.corners if self.mat else ()
        return (*self.kinds, *(corner.id for corner in corners))

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        """Maps each code to the kind of the side that it is printed on: the component's kind for its front, and this
        kind followed by `BACK` for its back."""
        fronts = {each.id: each.kind or each.id for each in self.components}
        return fronts | {each.reverse: fronts[each.id] + BACK for each in self.components if each.reverse}

    @cached_property
    def codes_by_kind(self) -> Mapping[str, Sequence[str]]:
        """Maps each kind to the codes of its copies."""
        codes: dict[str, list[str]] = {}
        for code, kind in self.kinds.items():
            codes.setdefault(kind, []).append(code)
        return codes

    @cached_property
    def faces(self) -> Mapping[str, str]:
        """Maps each kind of component that can be dealt at random to the face by which moves refer to it."""
        return {each.kind or each.id: each.face for each in self.components if each.face}

    @cached_property
    def other_side(self) -> Mapping[str, str]:
        """Maps each code to the code on the component's other side, for components that have a code on each side."""
        backs = {each.id: each.reverse for each in self.components if each.reverse}
        return backs | {back: front for front, back in backs.items()}

    @cached_property
    def piles(self) -> frozenset[str]:
        """The zones of the mat in which components lie on top of each other."""
        return frozenset(zone.name for zone in self.mat.zones if zone.order == "pile") if self.mat else frozenset()

    @cached_property
    def outlines(self) -> Mapping[str, Outline]:
        """Maps each code to the outline of the component that it is printed on, for the components with a known
        outline."""
        return {
            code: each.outline for each in self.components if each.outline for code in (each.id, each.reverse) if code
        }

    @cached_property
    def has_copies(self) -> bool:
        """Whether the kinds in layouts can differ from codes. They can if there are equal copies of a card, or codes on
        backs."""
        return any(code != kind for code, kind in self.kinds.items())

    def vocabulary(self, names: Sequence[str]) -> Vocabulary:
        """The words that people use for the components, places and tokens. `names`: the players' names."""
        by_side = self._components_by_side
        zones = {zone.name: zone.title for zone in self.mat.zones} if self.mat else {}
        players: tuple[TextLike, ...] = (*names, *(_("player {n}", n=n) for n in range(len(names) + 1, MAX_SEATS + 1)))
        fields = self.mat.token_colors.fields if self.mat and self.mat.token_colors else {}
        side_by_side = {zone.name for zone in self.mat.zones if zone.order in ("right", "any")} if self.mat else set()

        def place_name(place: str) -> TextLike:
            return NameInSentence(
                _(by_side[place].name)
                if place in by_side
                else TextWithNames(_(self.places[place]), players)
                if place in self.places
                else _(zones.get(place, place))
            )

        def component_name(code: str, *, is_only: bool = False) -> TextLike:
            if code not in by_side:
                return NameInSentence(_("something that isn’t part of this game ({code})", code=code))
            component = by_side[code]
            return NameInSentence(_((component.only_name if is_only else "") or component.name))

        return Vocabulary(
            component=component_name,
            only_component=partial(component_name, is_only=True),
            place=place_name,
            home=lambda code: _(by_side[code].home if code in by_side else IN_THE_BOX),
            home_zone=lambda code: by_side[code].home_zone if code in by_side else None,
            token=self._token_name,
            is_side_by_side=lambda place: place in side_by_side,
            counting_area=lambda place: (
                NameInSentence(_("the field of {component}", component=place_name(place)))
                if place in fields
                else place_name(place)
            ),
            other_side=lambda side: self._other_side_of_kind.get(side, ""),
            is_back=lambda side: side.endswith(BACK) or self.kinds.get(side, "").endswith(BACK),
        )

    def _token_name(self, kind: str, n: int) -> Text:
        one = self.tokens.get(kind, kind)
        return NameInSentence(plural(one, one + PLURAL_SUFFIX, n))

    @cached_property
    def _other_side_of_kind(self) -> Mapping[str, str]:
        """Maps each kind to the kind of the component's other side, and each code to the code on the other side."""
        kinds = {self.kinds[code]: self.kinds[other] for code, other in self.other_side.items()}
        return {**kinds, **self.other_side}

    @cached_property
    def _components_by_side(self) -> Mapping[str, Component]:
        """Maps the code of each side, and the kind of each side, to the component."""
        fronts = {each.kind or each.id: each for each in self.components}
        backs = {kind + BACK: each for kind, each in fronts.items()}
        return fronts | backs | {code: each for each in self.components for code in (each.id, each.reverse)}
