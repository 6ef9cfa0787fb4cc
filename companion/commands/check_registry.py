"""The checks of this machine that `doctor`, `support` and the running service share."""

from __future__ import annotations

from collections.abc import Callable

from companion.commands.settings_file import Settings
from companion.diagnostics.findings import Checks


def machine_checks(settings: Settings, port: Callable[[], int]) -> Checks:
    """The checks that open no device, by name. They also work while the service runs. `port` returns the port of the
    pages."""
    from companion.diagnostics import checks, disk_and_service, machine_health
    from vision.decoding.decoder import zbar
    from web.addresses import mdns_name, phone_addresses

    return {
        "zbar": lambda: checks.zbar(zbar()),
        "disk": lambda: checks.disk(settings.data),
        "clock": checks.clock,
        "network": lambda: checks.network(phone_addresses(), mdns_name(), port(), needed=not settings.simulate),
        "rights": checks.device_access,
        "power": machine_health.power,
        "temperature": machine_health.temperature,
        "wifi": machine_health.wifi,
        "disk wear": disk_and_service.disk_wear,
        "service": disk_and_service.service_state,
        "installation": machine_health.installed_packages,
    }
