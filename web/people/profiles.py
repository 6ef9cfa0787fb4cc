"""The profiles of the people who play at this table: name, sign, language and sounds.

People are identified by their names: spellings that differ only in capital letters mean the same person, in all stored
games. A profile belongs to the phone that chose it last. The journal stores the profiles, with the key of that phone.
Choosing a profile takes only one tap, so it does not by itself allow a phone to rename or delete the person.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Final

from companion.games.rules import Json
from companion.match.journal_error import JournalError
from companion.table.table import Table
from companion.text.messages import TextLike, _
from companion.text.player_names import bidi_isolate, name_key, without_blanks
from web.access.lobby import Lobby
from web.access.phone_session import PhoneSession
from web.access.phones import DAY_S
from web.error_responses import RequestError, bad_request
from web.people.all_default_names import all_default_names

NOTE_KEY = "people"
"""The key of the note in which the journal stores the profiles."""
MAX_PROFILES = 300
"""The maximum number of profiles. Once it is reached, new names get no profile."""
COLORS: Final[Mapping[str, TextLike]] = {
    "red": _("Red"),
    "orange": _("Orange"),
    "yellow": _("Yellow"),
    "green": _("Green"),
    "turquoise": _("Turquoise"),
    "blue": _("Blue"),
    "purple": _("Purple"),
    "pink": _("Pink"),
}
SHAPES: Final[Mapping[str, TextLike]] = {
    "circle": _("Circle"),
    "square": _("Square"),
    "triangle": _("Triangle"),
    "diamond": _("Diamond"),
    "star": _("Star"),
    "hexagon": _("Hexagon"),
    "heart": _("Heart"),
    "drop": _("Drop"),
}
SENSES = ("sound", "buzz", "voice", "awake")
"""The things that a phone may do besides showing pages, such as beeping or vibrating; see phone_feedback.js."""
NOBODY = _("somebody")
"""The name for a deleted person in texts about no particular seat."""


@dataclass(frozen=True)
class Profile:
    """The data that the table remembers about a person. `color` and `shape` make up the person's sign. `language`: the
    code of a language; "" if the person has not chosen one. `senses`: which of SENSES the person has switched on or
    off. `phone`: the key of the phone that has chosen the profile; "" if none has. `last_seen`: the day on which the
    person was last here, counted from 1970-01-01 UTC. `made_by`: the key of the phone on which the name was first
    entered; "" if it was first entered elsewhere, for instance by the host."""

    id: int
    name: str
    color: str
    shape: str
    language: str = ""
    senses: Mapping[str, bool] = field(default_factory=dict)
    phone: str = ""
    last_seen: int = 0
    made_by: str = ""

    @property
    def display_name(self) -> str:
        """The name for use in a sentence (see `bidi_isolate`)."""
        return bidi_isolate(self.name)

    @property
    def key(self) -> str:
        """The key that all spellings of the name have in common (see `name_key`)."""
        return name_key(self.name)


class Profiles:
    """The profiles of everybody who has joined with a name, or who is named in a game. Thread-safe."""

    def __init__(self, table: Table, lobby: Lobby, now: Callable[[], float] = time.time) -> None:
        self._table, self._lobby, self._now = table, lobby, now
        self._lock = threading.RLock()
        self._unnamed = frozenset(map(name_key, all_default_names()))
        stored = table.journal.note(NOTE_KEY) or []
        self._profiles = {each["id"]: Profile(**each) for each in stored if self.is_name(each["name"])}
        for started, players in table.journal.players():
            day = int(datetime.fromisoformat(started).timestamp() // DAY_S)
            self._profiles = self._with_names(players, day)

    def all(self) -> tuple[Profile, ...]:
        """All profiles. Those of the people who were here most recently come first."""
        return tuple(sorted(self._profiles.values(), key=lambda each: (-each.last_seen, each.key)))

    def get(self, id: int) -> Profile:
        """The profile with this id. Raises RequestError if there is none."""
        if id not in self._profiles:
            raise RequestError(404, "no_such_person", _("Nobody here has that number. See the list of people."))
        return self._profiles[id]

    def by_name(self, name: str) -> Profile | None:
        """The profile of the person with this name; None if there is none."""
        return next((each for each in self._profiles.values() if each.key == name_key(name)), None)

    def of_phone(self, session: PhoneSession) -> Profile | None:
        """The profile that a phone has chosen; None if it has chosen none."""
        return next(
            (each for each in self._profiles.values() if session.has_joined and each.phone == session.key), None
        )

    def is_here(self, profile: Profile) -> bool:
        """Whether the phone that has chosen the profile has a page open."""
        return any(
            session.key == profile.phone and self._lobby.phones.is_online(session) for session in self._lobby.phones.all
        )

    def is_name(self, name: str) -> bool:
        """Whether a name is one that a person has given, and not a default such as "Player 1"."""
        return name_key(name) not in ("", *self._unnamed)

    def may_change(self, profile: Profile, session: PhoneSession) -> bool:
        """Whether a phone may change the sign of a profile. Hosts may, and so may the phone that has chosen the
        profile."""
        return session.host or (session.has_joined and session.key == profile.phone)

    def may_delete(self, profile: Profile, session: PhoneSession) -> bool:
        """Whether a phone may rename and delete a person, which changes all kept games. Hosts may, and so may the phone
        that has chosen the profile if the name was first entered on this phone."""
        return session.host or (self.may_change(profile, session) and profile.made_by == session.key)

    @property
    def is_full(self) -> bool:
        """Whether there are MAX_PROFILES profiles. Nobody new then gets one."""
        return len(self._profiles) >= MAX_PROFILES

    def require_free(self, profile: Profile, session: PhoneSession) -> None:
        """Raises RequestError if another phone has chosen this profile and is online."""
        if profile.phone != session.key and self.is_here(profile):
            message = _(
                "{name} is here with another phone. Not you? Enter your own name.",
                name=profile.display_name,
            )
            raise RequestError(409, "person_is_here", message)

    def seat_for(self, profile: Profile, session: PhoneSession) -> int | None:
        """The seat that a phone gets when its player says who they are: its own seat, or else the free seat with the
        person's name; None if there is none."""
        seats = enumerate(self._table.names)
        free = (
            seat for seat, name in seats if name_key(name) == profile.key and self._lobby.phones.holder(seat) is None
        )
        return next(free, None) if session.seat is None else session.seat

    def others(self, session: PhoneSession) -> tuple[Profile, ...]:
        """The people whom the join page offers when the player of a phone says who they are. If the phone has chosen a
        profile, these are all other people. If it has not, people whose name is at a seat are left out, because the
        page shows these seats anyway."""
        own, at_seats = self.of_phone(session), {*map(name_key, self._table.names)}
        return tuple(each for each in self.all() if (each != own if own else each.key not in at_seats))

    @property
    def are_seated(self) -> bool:
        """Whether at least one seat of the current game has a person's name instead of a default name."""
        return any(map(self.is_name, self._table.names))

    def greet(self, session: PhoneSession) -> Profile | None:
        """Links a phone that has just joined to its player's profile: the profile with the name at the phone's seat or,
        if that is no person's name, with the phone's own name. Returns the profile. Returns None if the player has
        none, if the phone already had it, or if another phone that is online has it. Also returns None if the profile
        can't be stored: a full disk is no reason to refuse a phone that already has its seat."""
        try:
            return self._greet(session)
        except JournalError:
            return None

    def _greet(self, session: PhoneSession) -> Profile | None:
        names = self._table.names
        at_seat = without_blanks(names[session.seat]) if session.seat is not None and session.seat < len(names) else ""
        name = at_seat if self.is_name(at_seat) else session.name
        with self._lock:
            is_new = self.by_name(name) is None
            self.remember([name])
            profile, before = self.by_name(name), self.of_phone(session)
            if profile is None or profile == before or (profile.phone != session.key and self.is_here(profile)):
                return None
            given_up = {before.id: replace(before, phone="")} if before else {}
            made_by = session.key if is_new else profile.made_by
            chosen = replace(profile, phone=session.key, last_seen=self._today(), made_by=made_by)
            self._save({**self._profiles, **given_up, chosen.id: chosen})
            return chosen

    def remember(self, names: Iterable[str]) -> None:
        """Makes a profile for each of these names that does not have one yet, and records that these people are here
        today. Raises JournalError if this can't be stored."""
        with self._lock:
            if (profiles := self._with_names(names, self._today())) != self._profiles:
                self._save(profiles)

    def _with_names(self, names: Iterable[str], day: int) -> dict[int, Profile]:
        profiles = dict(self._profiles)
        for name in filter(self.is_name, map(without_blanks, names)):
            known = next((each for each in profiles.values() if each.key == name_key(name)), None)
            if known:
                profiles[known.id] = replace(known, last_seen=max(day, known.last_seen))
            elif len(profiles) < MAX_PROFILES:
                id = max(profiles, default=0) + 1
                profiles[id] = Profile(id, name, *_free_sign(profiles.values()), last_seen=day)
        return profiles

    def _today(self) -> int:
        return int(self._now() // DAY_S)

    def set_sign(self, profile: Profile, color: str, shape: str) -> None:
        """Gives a person another sign. Raises RequestError if there is no such color or shape."""
        if color not in COLORS or shape not in SHAPES:
            raise bad_request(_("Choose one of the colors and one of the shapes on the page."))
        self._change(profile.id, color=color, shape=shape)

    def set_language(self, session: PhoneSession, language: str) -> None:
        """Remembers the language that a phone's player has chosen, if the phone has a profile."""
        if profile := self.of_phone(session):
            self._change(profile.id, language=language)

    def set_sense(self, session: PhoneSession, sense: str, *, on: bool) -> None:
        """Remembers what a phone's player has switched on or off, if the phone has a profile. Raises RequestError if
        `sense` is not one of SENSES."""
        if sense not in SENSES:
            raise bad_request(_("A phone can’t do that. It can do {known}.", known=", ".join(SENSES)))
        if profile := self.of_phone(session):
            self._change(profile.id, senses={**profile.senses, sense: on})

    def _change(self, id: int, **values: object) -> None:
        with self._lock:
            changed = replace(self.get(id), **values)  # type: ignore[arg-type]  # fields of Profile
            self._save({**self._profiles, id: changed})
        self._table.refresh()

    def rename(self, profile: Profile, name: str) -> None:
        """Renames a person in the profile, on the phones and in all games. Raises RequestError if `name` can't be a
        name or is somebody else's, JournalError if the change can't be stored."""
        name = without_blanks(name)
        if not self.is_name(name):
            raise RequestError(422, "no_name", _("Enter a name with a letter or a digit, but not “Player 1”."))
        with self._lock:
            profile = self.get(profile.id)
            if (other := self.by_name(name)) and other.id != profile.id:
                message = _("Somebody here is already called {name}. Choose another name.", name=other.display_name)
                raise RequestError(409, "name_taken", message)
            profiles = {**self._profiles, profile.id: replace(profile, name=name)}
            with self._lobby.renamed(profile.key, name, name) as notes:
                self._replace_in_games(profile, lambda seat: name, profiles, notes)

    def delete(self, profile: Profile, default_name: Callable[[int], str], nobody: str) -> None:
        """Deletes a person: the profile, and the name on the phones and in all games. The games stay. In a game, the
        person is then called `default_name(seat)`; in the notices of the game's log, the person is called `nobody`.
        Raises RequestError if the profile no longer exists, JournalError if the change can't be stored."""
        with self._lock:
            profile = self.get(profile.id)
            profiles = {id: each for id, each in self._profiles.items() if id != profile.id}
            with self._lobby.renamed(profile.key, "", nobody) as notes:
                self._replace_in_games(profile, default_name, profiles, notes)

    def _replace_in_games(
        self,
        profile: Profile,
        new_name: Callable[[int], str],
        profiles: Mapping[int, Profile],
        notes: Mapping[str, Json],
    ) -> None:
        """Renames a person in all games, and stores the profiles and other notes. If any of these changes fails,
        nothing is changed."""

        def renamed(players: Sequence[str]) -> tuple[str, ...]:
            return tuple(new_name(seat) if name_key(name) == profile.key else name for seat, name in enumerate(players))

        self._table.rename_in_all_games(renamed, {**notes, NOTE_KEY: _to_json(profiles.values())})
        self._profiles = dict(profiles)

    def _save(self, profiles: Mapping[int, Profile]) -> None:
        self._table.journal.save_note(NOTE_KEY, _to_json(profiles.values()))
        self._profiles = dict(profiles)


def _to_json(profiles: Iterable[Profile]) -> list[dict[str, object]]:
    return [asdict(profile) for profile in profiles]


def _free_sign(profiles: Collection[Profile]) -> tuple[str, str]:
    """A combination of a color and a shape that no profile in `profiles` has yet. If all combinations are taken, two
    people get the same sign."""
    colors, shapes = [*COLORS], [*SHAPES]
    signs = [
        (colors[n % len(colors)], shapes[(n + n // len(colors)) % len(shapes)])
        for n in range(len(colors) * len(shapes))
    ]
    taken = {(profile.color, profile.shape) for profile in profiles}
    return next((sign for sign in signs if sign not in taken), signs[len(profiles) % len(signs)])
