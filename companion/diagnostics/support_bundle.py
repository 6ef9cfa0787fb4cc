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

SECRETS = (
    (re.compile(r"([?&](?:key|code|hands|token)=)[^&\s\"']+"), r"\1…"),
    (re.compile(r"(\w+://)[^\s\"]*@"), r"\1…@"),
    (
        re.compile(
            r"""(?i)((?:pass(?:word|wd|phrase)?|pwd|secret|token|psk|auth|api_?key)["']?\s*[=:]\s*)"""
            r"""("[^"\n]*"|'[^'\n]*'|[^&\s"']+)"""
        ),
        r"\1…",
    ),
)
"""Patterns for secrets, such as the key in the host's link or the password of a camera, each with its replacement."""


def without_secrets(text: str) -> str:
    """The text with dots in the place of keys and passwords."""
    for pattern, replacement in SECRETS:
        text = pattern.sub(replacement, text)
    return text


def support_bundle(
    findings: Iterable[Finding], log: Sequence[str], settings: str, picture: bytes | None = None
) -> bytes:
    """The support bundle as a ZIP archive: versions, findings, log and settings, all without secrets. `log`: the lines
    of the log. `settings`: the text of the settings file. `picture`: what the camera sees, as a JPEG; None to leave
    it out."""
    told = [finding.to_json() for finding in findings]
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
