"""What HTTPS enables in a real browser that trusts the table's certificate authority."""

from __future__ import annotations

import base64
from contextlib import closing
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.hashes import Hash
from playwright.sync_api import Error

from tests.browser import CHROMIUM, SMALL, chromium, new_page
from tests.systems_failing_tables import new_table
from tests.test_accessibility import complaints
from tests.web_table import WebTable
from web.app import create_app
from web.server.http_server import serve
from web.tls import ca_page
from web.tls.certificates import SERVER_FILE, TLS_FOLDER, Authority, RenewedTlsContext

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium"),
]

NAME = "table.local"
"""A host name, because browsers trust localhost more than a name in the network."""
ABLE = "() => ({ secure: isSecureContext, awake: 'wakeLock' in navigator, app: 'serviceWorker' in navigator })"


def trusted(file: Path) -> str:
    """The flag that makes Chromium trust the certificate in this file."""
    spki = serialization.PublicFormat.SubjectPublicKeyInfo
    certificate = x509.load_pem_x509_certificate(file.read_bytes())
    key = certificate.public_key().public_bytes(serialization.Encoding.DER, spki)
    digest = Hash(hashes.SHA256())
    digest.update(key)
    return f"--ignore-certificate-errors-spki-list={base64.b64encode(digest.finalize()).decode()}"


def test_https_enables_the_wake_lock_and_the_service_worker(tmp_path: Path) -> None:
    """Over HTTP the wake lock and the service worker are missing, and the page says how to get them. Over HTTPS both
    work, and the phone has the seat that it took before over HTTP. A browser that does not trust the table's
    certificate refuses the connection."""
    web_table, authority, ports = WebTable(new_table()), Authority(tmp_path), [0]
    known = ca_page.CaInfo(*authority.root.public_parts(), authority.root.fingerprint, lambda: ports[0])
    app = create_app(
        web_table.table, web_table.lobby, ca_page=ca_page.blueprint(web_table.table, web_table.lobby, known)
    )
    tls = RenewedTlsContext(authority, lambda: ((NAME,), (IPv4Address("127.0.0.1"),)))
    resolve = f"--host-resolver-rules=MAP {NAME} 127.0.0.1"
    with closing(serve(app, "127.0.0.1", 0)) as http, closing(serve(app, "127.0.0.1", 0, tls)) as https:
        ports[0] = https.port
        plain, secure = f"http://{NAME}:{http.port}", f"https://{NAME}:{https.port}"
        with chromium(resolve, trusted(tmp_path / TLS_FOLDER / SERVER_FILE)) as browser:
            page = new_page(browser, SMALL, service_workers="allow", permissions=["screen-wake-lock"])
            page.goto(f"{plain}/join?code={web_table.lobby.code}")
            page.locator("button[name=seat][value='0']").click()
            page.locator("main.play").wait_for()
            assert page.evaluate(ABLE) == {"secure": False, "awake": False, "app": False}
            page.goto(f"{plain}/settings")
            page.get_by_role("link", name="HTTPS for this table").click()
            page.get_by_role("heading", name="HTTPS for this table").wait_for()
            assert complaints(page) == []
            assert page.evaluate("document.documentElement.scrollWidth") == SMALL["width"]
            page.get_by_role("link", name=secure).click()
            page.locator("main.play").wait_for()
            assert page.evaluate(ABLE) == {"secure": True, "awake": True, "app": True}
            assert (
                page.evaluate("navigator.serviceWorker.ready.then(({ active }) => new URL(active.scriptURL).pathname)")
                == "/sw.js"
            )
            assert page.evaluate("navigator.wakeLock.request('screen').then((lock) => lock.type)") == "screen"
            assert page.complaints == []
        with chromium(resolve) as browser:
            page = new_page(browser)
            with pytest.raises(Error, match="ERR_CERT_AUTHORITY_INVALID"):
                page.goto(secure)
