"""What the games' own templates are given besides the view; a game without an entry is shown as it comes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from companion.view import View
from web.boards import systems_failing

BOARDS: Mapping[str, Callable[[View], Any]] = {"systems-failing": systems_failing.board}
