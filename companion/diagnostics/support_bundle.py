"""The support bundle: a file for people who help to find out what is wrong with a table. It contains no names
of players and no secrets, and no cards or faces unless the host adds a picture of the camera."""

from __future__ import annotations

import io
import json
import platform
import re
import sys
import zipfile
from collections.abc import Iterable, Sequence
from importlib.metadata import distributions

from companion.diagnostics.findings import Finding
from companion.version import product_version

_KEY = (
    r"(?:pas|pass|password|passwd|passphrase|passcode|pwd|pw|secret|token|psk|auth|credentials?|api[_-]?key|"
    r"private[_-]?key|session[_-]?id|passwort|kennwort|contraseña|clave)[\"']?\s*"
)
_QUOTED = r"(?:\"(?:\\.|[^\"\\\n])*\"|'[^'\n]*')"
SECRETS = (
    (re.compile(r"(-----BEGIN [^\n-]+-----)(?:.*?-----END [^\n-]+-----|.*)", re.DOTALL), r"\1…"),
    (re.compile(rf"(?i)((?:authorization|cookie)[\"']?\s*[=:]\s*)(?:{_QUOTED}|.+)"), r"\1…"),
    (re.compile(r"(?i)\b(bearer\s+)[^\s\"']+"), r"\1…"),
    # A password may contain any character, so everything up to the line's last @ may belong to it. If a query comes
    # before that @, what follows the @ may belong to the password too.
    (re.compile(r"(\w+://)(?=[^\n]*[?#=&][^\n]*@).*@\S*"), r"\1…"),
    (re.compile(r"(\w+://).*@"), r"\1…@"),
    (re.compile(r"([?&](?:key|code|hands)=)[^&\s\"']+"), r"\1…"),
    (re.compile(rf"(?i)({_KEY}[=:]\s*){_QUOTED}"), r"\1…"),
    (re.compile(rf"(?i)({_KEY}:\s*)(?!…)[^\s].*"), r"\1…"),
    (re.compile(rf"(?i)({_KEY}=\s*)(?!…)[^&\s]*[^&\s\"',;)}}\]]"), r"\1…"),
)
"""Patterns for secrets, such as the key in the host's link or the password of a camera, each with its replacement. An
unquoted secret after a colon may contain spaces, so it is taken to end with the line."""


def without_secrets(text: str) -> str:
    """The text with an ellipsis (…) in place of each key and password."""
    for pattern, replacement in SECRETS:
        text = pattern.sub(replacement, text)
    return text


def support_bundle(
    findings: Iterable[Finding], log: Sequence[str], settings: str, picture: bytes | None = None
) -> bytes:
    """The support bundle as a ZIP archive: versions, findings, log and settings, all without secrets. `log`: the lines
    of the log. `settings`: the text of the settings file without secret values. `picture`: what the camera sees, as a
    JPEG; None to leave it out."""
    told = [
        {key: without_secrets(value) if isinstance(value, str) else value for key, value in finding.to_json().items()}
        for finding in findings
    ]
    files = {
        "versions.txt": "\n".join(_versions()),
        "doctor.json": json.dumps(told, indent=1, ensure_ascii=False),
        "log.txt": "\n".join(log),
        "settings.toml": settings,
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, without_secrets(text))
        if picture:
            archive.writestr("camera.jpg", picture)
    return buffer.getvalue()


def _versions() -> Iterable[str]:
    yield f"Tablekeeper {product_version()}"
    yield f"Python {sys.version.split()[0]}"
    yield f"{platform.platform()}"
    yield ""
    yield from sorted({f"{each.metadata['Name']} {each.version}" for each in distributions()})
