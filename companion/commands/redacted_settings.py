"""Shows settings without secrets, to people who help to find out what is wrong."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from companion.commands.settings_file import KEYS

_LEFT_OUT = "…"
_NAME = re.compile(r"[\w.-]+")
_HEADER = re.compile(r"\[\s*(\w+)\s*\]\s*(#.*)?")
_CAMERA = re.compile(r"/dev/[\w./:+-]*|[\w./~ -]*")
_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[\w.-]+)(:\d+)?")
"""Matches a host, perhaps with a port. Only digits may follow the colon: in an address without a host, a password would
be there."""
_PUBLIC_TEXT = re.compile(r"[\w ./~:-]*")
"""Matches a text that can't be an address with a password."""


def settings_text(path: Path | None) -> str:
    """The text of the settings file without secrets; "" if there is no file, or it can't be read."""
    try:
        return shown_file(path.read_text("utf-8", "replace")) if path else ""
    except OSError:
        return ""


def shown_file(text: str) -> str:
    """The text of a settings file without secrets. Secrets may also be in comments and in lines with mistakes. Lines
    keep their numbers. Comments are removed, except for settings that are commented out."""
    return "".join(f"{_shown_row(row.strip())}\n" for row in text.splitlines())


def _shown_row(row: str) -> str:
    content = row.lstrip("# ")
    sign = "# " if row.startswith("#") else ""
    header = _HEADER.fullmatch(content)
    if header:
        return f"{sign}[{header[1] if header[1] in KEYS else _LEFT_OUT}]"
    try:
        parsed = [] if content.startswith("[") else list(_values(tomllib.loads(content)))
    except (ValueError, RecursionError):
        name = content.partition("=")[0].strip()
        parsed = [(name, None)] if any(name in keys for keys in KEYS.values()) else []
    if parsed:
        return sign + ", ".join(f"{name} = {_shown_value(name.rpartition('.')[2], value)}" for name, value in parsed)
    return (sign or _LEFT_OUT).strip() if row else ""


def _values(table: Mapping[str, object], path: str = "") -> Iterator[tuple[str, object]]:
    """Yields the dotted name and the value of each setting in a table."""
    for key, value in table.items():
        name = path + (key if _NAME.fullmatch(key) else _LEFT_OUT)
        if isinstance(value, dict):
            yield from _values(value, f"{name}.")
        else:
            yield name, value


def _shown_value(key: str, value: object) -> str:
    """The value of the setting `key` in TOML; an ellipsis if there is no such setting, or if the value may contain a
    password."""
    is_known = any(key in keys for keys in KEYS.values())
    if key in ("camera", "broker"):
        is_shown = isinstance(value, str) and (key == "camera" or "://" in value)
        shown = shown_address(str(value)) if is_shown else _LEFT_OUT
        return _LEFT_OUT if shown == _LEFT_OUT else json.dumps(shown, ensure_ascii=False)
    texts = value if isinstance(value, list) else [value]
    is_public = all(isinstance(each, int) or (isinstance(each, str) and _PUBLIC_TEXT.fullmatch(each)) for each in texts)
    if is_known and is_public and not any("://" in str(each) for each in texts):
        return json.dumps(value, ensure_ascii=False)
    return _LEFT_OUT


def shown_address(text: str) -> str:
    """A camera or the address of a broker, without anything that may be a password. A URL is reduced to its scheme,
    host and port or, if it contains a user name, to its scheme."""
    scheme, is_url, _rest = text.partition("://")
    if not is_url:
        return text if _CAMERA.fullmatch(text) else _LEFT_OUT
    scheme = scheme if scheme.isalnum() else _LEFT_OUT
    try:
        host = urlsplit(text).netloc
    except ValueError:
        host = ""
    is_shown = "@" not in text and _HOST.fullmatch(host)
    return f"{scheme}://{host}/{_LEFT_OUT}" if is_shown else f"{scheme}://{_LEFT_OUT}"
