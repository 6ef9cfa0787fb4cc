"""The JSON documents that a table publishes. They are made from a spectator's view only.

Law: pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from companion.games.game import Meter
from companion.games.rules import Json
from companion.games.view import LogEntry, View
from companion.tabletop.observations import DeviceHealth
from companion.text.player_names import clean_name
from companion.version import product_version

MAX_DIFFERENCES = 20
"""At most this many differences between the table and the game are listed."""


@dataclass(frozen=True)
class Event:
    """An act, with the id and the name of the game to which it belongs."""

    id: int
    game: str
    entry: LogEntry

    def to_json(self) -> Json:
        found = self.entry.to_json()
        return {"id": self.id, "game": self.game, **found, "text": " ".join(found["words"])}


def state_document(view: View | None, version: int) -> Json:
    """The document with what a spectator may see. `version`: the table's version, which is used only if there is no
    game (`view` is None)."""
    if view is None:
        return {"version": version, "game": None}
    discrepancies = view.tabletop.discrepancies
    return {
        "version": view.version,
        "game": view.game.name,
        "id": view.id,
        "title": view.game.title,
        "seat": None,
        "players": players(view),
        "turn": view.turn,
        "prompt": str(view.prompt),
        "meters": {meter.key: _meter_json(meter) for meter in view.meters},
        "matches": not discrepancies,
        "differences": [str(each.message) for each in discrepancies[:MAX_DIFFERENCES]],
        "result": result_json(view),
        "what_if": view.what_if is not None,
        "state": view.state,
    }


def players(view: View) -> list[str]:
    """The players' names by seat."""
    return [clean_name(name) for name in view.names]


def _meter_json(meter: Meter) -> Json:
    return {
        "name": str(meter.name),
        "value": meter.value,
        "lowest": meter.lowest,
        "highest": meter.highest,
        "level": meter.level,
        "seat": meter.seat,
    }


def result_json(view: View) -> Json:
    """The result of a game; None while the game goes on."""
    if view.ending is None:
        return None
    own = view.state.get("result")
    return {
        **(own if isinstance(own, Mapping) else {}),
        "won": view.ending.won,
        "winners": [*view.ending.winners],
        "score": shared_score(view.meters),
    }


def scores(meters: Collection[Meter]) -> list[int] | None:
    """The players' scores by seat; None if the game has none."""
    return [meter.value for meter in meters if meter.is_score and meter.seat is not None] or None


def shared_score(meters: Collection[Meter]) -> int | None:
    """The score that all players have in common; None if the game has none."""
    return next((meter.value for meter in meters if meter.is_score and meter.seat is None), None)


def health_document(health: Iterable[DeviceHealth]) -> Json:
    """The document with the health of the service, similar to the answer of /healthz."""
    found = [*health]
    is_ok = all(each.ok or each.missing for each in found)
    devices = [{"device": each.device, "ok": each.ok, "says": str(each.message_with_remedy)} for each in found]
    return {"status": "ok" if is_ok else "degraded", "version": product_version(), "devices": devices}


def wall_document(
    view: View | None, started: str | None, free_seats: int, health: Iterable[DeviceHealth], *, needs_help: bool
) -> Json:
    """The document about this table for the wall, a screen that shows many tables."""
    devices = [
        {"device": each.device, "ok": each.ok or each.missing, "message": str(each.message_with_remedy)}
        for each in health
    ]
    common = {"needs_help": needs_help, "devices": devices}
    if view is None:
        return {"game": None, "title": None, "players": [], "free_seats": 0, "matches": True, **common}
    return {
        "game": view.game.name,
        "title": view.game.title,
        "id": view.id,
        "version": view.version,
        "round": view.state.get("round"),
        "scores": scores(view.meters),
        "score": shared_score(view.meters),
        "meters": {str(meter.name): meter.value for meter in view.meters},
        "players": players(view),
        "turn": view.turn,
        "free_seats": free_seats,
        "started": started,
        "over": view.ending is not None,
        "matches": not view.tabletop.discrepancies,
        **common,
    }
