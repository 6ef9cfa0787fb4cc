"""Takes a picture of the table after each act, for the replay of past games."""

from __future__ import annotations

import logging
from collections.abc import Callable

from companion.games.view import View
from companion.replay_pictures.picture_store import PictureStore
from companion.table.public_table import PublicTable
from companion.table.table import Table

PX_PER_MM = 1.25
"""The scale of the pictures: a mat is 760 to 912 pixels wide."""
TRIES = 6
RETRY_S = 0.5
"""While a hand is in view, up to TRIES attempts are made to take a picture, at most RETRY_S seconds apart. After that,
the next change of the table leads to new attempts."""

TakePicture = Callable[[PublicTable, float], bytes]
"""A function that takes a picture of what everyone may see, with this number of pixels per mm. It returns a WebP file,
or no bytes if none can be taken now."""


class PictureTaker:
    """Takes and keeps the pictures of the game on the table. One thread calls `follow` whenever the table changes."""

    def __init__(self, table: Table, store: PictureStore, take: TakePicture) -> None:
        self._table, self._store, self._take = table, store, take
        self._game = 0
        self._started = ""
        self._acts: set[int] = set()
        self._has_failed = False

    def follow(self, view: View | None) -> None:
        """Takes a picture of the table if the table agrees with the match, and there is no picture of its current state
        yet."""
        if view is None or not self._store.is_on:
            return
        for _attempt in range(TRIES):
            revision, now = self._table.revision, self._table.public_table()
            if now is None or not now.is_right or self._has_picture(now):
                return
            webp = self._take(now, PX_PER_MM)
            if webp and self._table.public_table() == now:  # if not, the picture may show a later table
                self._save(now, webp)
                return
            self._table.wait(revision, RETRY_S)

    def _has_picture(self, now: PublicTable) -> bool:
        if now.game != self._game:
            self._game, self._started = now.game, self._table.journal.game(now.game).started
            self._acts = set(self._store.acts(self._game, self._started))
        return now.act in self._acts

    def _save(self, now: PublicTable, webp: bytes) -> None:
        """Saves a picture. A full disk must not keep anyone from playing: it is only logged, once."""
        try:
            self._store.save(self._game, self._started, now.act, webp)
            self._acts.add(now.act)
        except OSError as error:
            if not self._has_failed:
                logging.getLogger("pictures").warning("The table’s picture can’t be kept: %s", error)
            self._has_failed = True
