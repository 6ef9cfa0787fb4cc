"""The tests compile each page template only once."""

from __future__ import annotations

import pytest

from tests.web_table import empty_web_table
from web.templating.environment import PageEnvironment


def test_applications_share_compiled_templates(monkeypatch: pytest.MonkeyPatch) -> None:
    """An application compiles no template that another has compiled. Compiling takes longer than most tests of a
    page."""
    assert empty_web_table().host().get("/host").status_code == 200
    monkeypatch.setattr(PageEnvironment, "_generate", lambda *arguments, **more: pytest.fail("compiled again"))
    assert empty_web_table().host().get("/host").status_code == 200
