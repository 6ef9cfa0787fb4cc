"""The log on the pages of Systems Failing."""

from __future__ import annotations

import re
from itertools import pairwise

from tests.page_states import played
from tests.web_table import WebTable, unwrapped


def test_the_log_has_a_heading_for_each_turn_and_a_line_for_each_phase() -> None:
    """The cards that are revealed in a round share a line, which opens the replay at the last of them. Each turn has a
    heading, even if the player did a single thing."""
    web_table = WebTable(played("systems-failing", lambda view: view.turn is None, prefers="end_turn"))
    phone = web_table.phone(0)
    for path in ("/log", "/play"):
        items = re.findall(r"<li data-key=\"v\d+\".*?</li>", unwrapped(phone.get(path).text), re.DOTALL)
        assert len(items) >= 6
        reveals = ["appears in Zone" in item for item in items]
        assert any(item.count("appears in Zone") + item.count("systems failing:") >= 3 for item in items)
        assert not any(both == (True, True) for both in pairwise(reveals))
        assert all("’s turn</b>" in item for item in items if "ends the turn" in item)
