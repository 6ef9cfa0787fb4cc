"""Loaded by the server process of `tests/forked_python.py`: imports everything that services need, and reads the texts
of all languages. It keeps nothing else, because its memory counts towards the limit of the photo workers it forks."""

from __future__ import annotations

import gc
from importlib import import_module

import vision  # first: sets how many threads NumPy uses, before anything imports it
from companion.commands import run_service, run_venue
from companion.commands.command_list import COMMANDS
from companion.mqtt import paho_connection
from companion.text.translation import LANGUAGES, Translator
from vision import camera_worker, photo_worker
from web.simulator import page

__all__ = ["camera_worker", "page", "paho_connection", "photo_worker", "run_service", "run_venue"]

vision.use_one_thread()
for language in LANGUAGES:
    Translator(language).gettext("Undo")
for command in COMMANDS.values():
    import_module(f"companion.commands.{command.module}")
gc.freeze()
