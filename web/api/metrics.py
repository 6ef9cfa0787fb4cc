"""The service's state in the text format of Prometheus. It contains only what everyone may know."""

from __future__ import annotations

from collections.abc import Iterator

from flask import Blueprint, Response

from companion.table.table import Table
from companion.version import product_version

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def blueprint(table: Table) -> Blueprint:
    """The blueprint with the route /metrics."""
    routes = Blueprint("metrics", __name__)
    routes.add_url_rule(
        "/metrics", endpoint="show", view_func=lambda: Response("".join(metrics(table)), content_type=CONTENT_TYPE)
    )
    return routes


def metrics(table: Table) -> Iterator[str]:
    """Yields the metrics, one or more lines at a time."""
    yield "# HELP tablekeeper_info The version of Tablekeeper.\n# TYPE tablekeeper_info gauge\n"
    yield f'tablekeeper_info{{version="{product_version()}"}} 1\n'
    yield "# HELP tablekeeper_can_save Whether moves can be stored.\n# TYPE tablekeeper_can_save gauge\n"
    yield f"tablekeeper_can_save {int(not table.journal.saving_problem())}\n"
    yield "# HELP tablekeeper_seats The number of seats; 0 without a game.\n# TYPE tablekeeper_seats gauge\n"
    yield f"tablekeeper_seats {len(table.names)}\n"
    yield "# HELP tablekeeper_device_ok Whether a device works.\n# TYPE tablekeeper_device_ok gauge\n"
    for health in table.health():
        yield f'tablekeeper_device_ok{{device="{health.device}"}} {int(health.ok)}\n'
