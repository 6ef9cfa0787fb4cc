"""The checks of this machine that `doctor`, `support` and the running service share."""

from __future__ import annotations

from collections.abc import Callable

from companion.commands.settings_file import Settings
from companion.diagnostics.findings import Checks


def machine_checks(settings: Settings, port: Callable[[], int]) -> Checks:
    """The checks that open no device, by name. They also work while the service runs. `port` returns the port of the
    pages."""
    from companion.diagnostics import computer_checks, device_checks, network_checks, service_checks, storage_checks
    from vision.decoding.decoder import zbar
    from web.addresses import mdns_name, phone_addresses

    return {
        "zbar": lambda: computer_checks.zbar(zbar()),
        "disk": lambda: storage_checks.disk(settings.data),
        "clock": computer_checks.clock,
        "network": lambda: network_checks.network(phone_addresses(), mdns_name(), port(), needed=not settings.simulate),
        "rights": device_checks.device_access,
        "power": computer_checks.power,
        "temperature": computer_checks.temperature,
        "wifi": network_checks.wifi,
        "disk wear": storage_checks.disk_wear,
        "service": service_checks.service_state,
        "backups": storage_checks.automatic_backups,
        "installation": computer_checks.installed_packages,
    }
