"""Loaded by the server process of `tests/forked_python.py`: imports everything that services need, and reads the texts
of all languages."""

from __future__ import annotations

import gc
from contextlib import redirect_stdout, suppress
from io import StringIO

import vision  # first: sets how many threads NumPy uses, before anything imports it
from companion.__main__ import main
from companion.commands import run_service, run_venue
from companion.mqtt import paho_connection
from companion.text.translation import LANGUAGES, Translator
from vision import camera_worker, photo_worker
from web.simulator import page

__all__ = ["camera_worker", "page", "paho_connection", "photo_worker", "run_service", "run_venue"]

vision.use_one_thread()
for language in LANGUAGES:
    Translator(language).gettext("Undo")
with redirect_stdout(StringIO()), suppress(SystemExit):
    main(["--version"])  # loads every command
gc.freeze()
