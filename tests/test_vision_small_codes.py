"""Codes that are smaller than the corner codes of the mat, such as those on the signals of a large street grid."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from companion.tabletop.observations import CardSeen
from tests.evenings.rendered_camera import RenderedGroup
from tests.evenings.simulated_group import center_of
from tests.evenings.traffic_hands import SUPPLY
from tests.evenings.world import Lying

REST_S = 2.0
SPOTS = (("TC-SIG22", "west3>G", 178.0), ("TC-SIG02", "west3>G", 178.0), ("TC-SIG30", "west3>G", 272.0))
"""Signals in places where zxing-cpp does not read them."""


CASES = [pytest.param(*spot, marks=pytest.mark.thorough if n else ()) for n, spot in enumerate(SPOTS)]
"""One spot is enough to see that small codes are read before any other code."""


@pytest.mark.slow
@pytest.mark.parametrize(("signal", "lane", "angle"), CASES)
def test_the_first_signal_on_a_large_board_is_read(signal: str, lane: str, angle: float, tmp_path: Path) -> None:
    """A signal of the largest board, whose code is 0.63 times as large as the corner codes of the mat, is read at rest
    although no other signal was read before."""
    group = RenderedGroup("traffic-congestion", 2, {"board": "grid-3x3"}, {}, "small codes", tmp_path)
    colors = group.mat.token_colors
    assert colors
    group.world.tokens = {place: Counter() for place in (*colors.areas, SUPPLY)}
    group.start_camera()
    group.world.lay(signal, Lying(*center_of(group.mat.zone(lane)), angle))
    start = group.clock.now
    seen = [each for at, each in group.rendered.look(start) if isinstance(each, CardSeen) and at < start + REST_S]
    assert [each.code for each in seen] == [signal]
    group.journal.close()
