"""The lock on a data folder: only one service can use the folder at a time, and the lock file contains the address of
that service's pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.commands import CommandError
from companion.commands.data_folder_lock import LOCK, LockHolder, exclusive_lock, lock_holder


def test_others_learn_where_the_pages_are(tmp_path: Path) -> None:
    """The lock file contains the address of the running service, whatever an earlier service wrote. A service that is
    refused the lock does not erase the address."""
    assert lock_holder(tmp_path / "nowhere") is None
    for port in (39_735, 80):
        with exclusive_lock(tmp_path) as lock:
            assert lock_holder(tmp_path) == LockHolder(None)
            lock.publish_port(port)
            assert lock.port == port
            with pytest.raises(CommandError, match="Another Tablekeeper is using"), exclusive_lock(tmp_path):
                raise AssertionError
            assert lock_holder(tmp_path) == LockHolder(port)
        assert lock_holder(tmp_path) is None


def test_a_lock_file_without_an_address_gives_none(tmp_path: Path) -> None:
    """A lock file with other content gives no address."""
    with exclusive_lock(tmp_path):
        (tmp_path / LOCK).write_bytes(b"\xff8000")
        assert lock_holder(tmp_path) == LockHolder(None)
