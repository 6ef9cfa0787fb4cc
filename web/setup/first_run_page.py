"""The page of the first start: language, the table's name, country and Wi-Fi. Whoever sets up a new table comes here
first. Every field may stay empty and be filled in later on other pages."""

from __future__ import annotations

from flask import Blueprint, make_response, redirect, render_template, request
from werkzeug.wrappers import Response

from companion.hostname_and_country import MachineSettings, MachineSettingsError
from companion.text.translation import LANGUAGES
from web.access.lobby import Lobby
from web.access.require_host import require_host
from web.addresses import machine_name, mdns_name
from web.error_responses import RequestError
from web.localization import set_language_cookie
from web.setup.wifi_page import WifiPage, host_link


class FirstRunPage:
    """The request handlers for the page /setup/first. `wifi` is None if NetworkManager does not manage this machine's
    Wi-Fi. `machine` is None if the machine's name and country can't be changed from here."""

    def __init__(self, lobby: Lobby, wifi: WifiPage | None, machine: MachineSettings | None) -> None:
        self._lobby, self._wifi, self._machine = lobby, wifi, machine

    def add_routes(self, routes: Blueprint) -> None:
        """Adds the routes to the set-up page's blueprint."""
        routes.add_url_rule("/first", view_func=self.page, endpoint="first_run")
        routes.add_url_rule("/first", view_func=self.save, endpoint="save_first_run", methods=["POST"])

    def page(self) -> str:
        """The page with the form. It shows the host link, because a phone that joins a Wi-Fi opens the first page in a
        window that forgets its cookies."""
        require_host(self._lobby)
        return render_template(
            "first_run.html",
            languages=LANGUAGES,
            name=machine_name(),
            country=_country(),
            can_change_machine=self._machine is not None,
            networks=self._wifi.networks() if self._wifi else None,
            link=host_link(self._lobby),
        )

    def save(self) -> Response:
        """Applies what the host has entered. Raises RequestError if something can't be used; in that case, at most the
        machine's name and country have changed."""
        require_host(self._lobby)
        form, address = request.form, mdns_name()
        response = set_language_cookie(make_response(redirect("/host", 303)), form.get("language", ""))
        try:
            name = self._machine.set(form.get("name", ""), form.get("country", "")) if self._machine else ""
        except MachineSettingsError as error:
            raise RequestError(422, "bad_machine", error.message) from error
        if name and address:
            address = f"{name}.local"
        network = form.get("network", "")
        if self._wifi and network:
            page = self._wifi.start_joining(network, form.get("password", ""), address)
            response = set_language_cookie(make_response(page), form["language"])
        return response


def _country() -> str:
    """The country of the browser's language, such as "DE"; "" if the browser names none."""
    regions = (language.partition("-")[2] for language in request.accept_languages.values())
    return next((region.upper() for region in regions if len(region) == 2), "")
