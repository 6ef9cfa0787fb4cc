"""Page templates are compiled before they are needed, and the tests compile each of them only once."""

from __future__ import annotations

import pytest

from tests.web_table import empty_web_table
from web.templating.environment import PageEnvironment, compile_templates


def test_applications_share_compiled_templates(monkeypatch: pytest.MonkeyPatch) -> None:
    """An application compiles no template that another has compiled. Compiling takes longer than most tests of a
    page."""
    assert empty_web_table().host().get("/host").status_code == 200
    monkeypatch.setattr(PageEnvironment, "_generate", lambda *arguments, **more: pytest.fail("compiled again"))
    assert empty_web_table().host().get("/host").status_code == 200


def test_all_templates_are_compiled_before_a_page_needs_them() -> None:
    """After `compile_templates`, the environment holds every page template of the service and of the games."""
    environment = empty_web_table().app.jinja_env
    compile_templates(environment)
    held = {name for _, name in environment.cache}
    assert held >= {"host.html", "games/traffic-congestion/page.html"}
    assert held >= set(environment.list_templates(extensions=("html",)))
