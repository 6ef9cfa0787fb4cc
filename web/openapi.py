"""The description of the API, as /api/openapi.json gives it; a test holds it against the application."""

from __future__ import annotations

from companion.games.rules import Json

DESCRIPTION: dict[str, Json] = {"openapi": "3.1.0", "info": {"title": "Tablekeeper"}, "paths": {}}
