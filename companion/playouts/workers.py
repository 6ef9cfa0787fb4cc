"""Plays series of games on the cores of this machine or on a Dask cluster. The results come in the order of the
batches, no matter which worker is faster."""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import CancelledError, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

from companion.playouts.series import Playout, Series
from companion.version import product_version

IN_FLIGHT_PER_WORKER = 4
"""How many batches are submitted in advance for each worker, so that no worker has to wait for its next batch."""
CONNECT_TIMEOUT_S = 10.0
"""The timeout for connecting to a cluster's scheduler, and again for its first worker, in seconds."""
HELD_SIGNALS = {signal.SIGINT, signal.SIGTERM}
RETRIES = 3
"""How many times a cluster plays a batch again after an error in the cluster, such as lost data."""


class WorkersError(Exception):
    """The error for games that the workers can't play. The message says what is wrong, and how to fix it."""


class Batch(NamedTuple):
    """Some games of a series, which one worker plays without interruption."""

    series: Series
    numbers: tuple[int, ...]

    def play(self) -> list[Playout]:
        """Plays the games of the batch. Returns their results in the same order."""
        return self.series.play(self.numbers)


BatchResults = Generator[tuple[Batch, list[Playout]], None, None]
"""Yields each batch with the results of its games, in the order of the batches. Closing this generator makes the
workers stop."""


class _Future(Protocol):
    def result(self) -> Any: ...


def usable_cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def play_on_cores(batches: Iterable[Batch], jobs: int) -> BatchResults:
    """Plays games in `jobs` processes, or in this process if `jobs` is 1. Yields the results in the order of the
    batches. Raises WorkersError if a process is killed."""
    if jobs == 1:
        yield from ((batch, batch.play()) for batch in batches)
        return
    pool = ProcessPoolExecutor(jobs, _process_context(), initializer=_prepare_worker)
    try:
        with _signals_held():
            for _ in range(jobs):
                pool.submit(_start_worker)
        yield from _in_order(lambda batch: pool.submit(Batch.play, batch), batches, jobs)
    except BrokenProcessPool as error:
        message = "A process that played games was ended from outside. Is there enough memory? Try again with --jobs 1."
        raise WorkersError(message) from error
    finally:
        pool.shutdown(cancel_futures=True)


def _process_context() -> Any:
    """How worker processes are started. They are never forks of this process: a fork hangs forever if another thread
    held a lock at that moment. On Linux, they are forks of a server process that has only one thread and has loaded the
    games."""
    context = multiprocessing.get_context("forkserver" if sys.platform == "linux" else "spawn")
    context.set_forkserver_preload([__name__])
    return context


def _prepare_worker() -> None:
    """Makes a worker process ignore Ctrl-C, and end with the main process, even if that is killed. Ctrl-C reaches all
    processes, but only the main process handles it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HELD_SIGNALS)
    threading.Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    """Waits until the main process has ended, and ends this process."""
    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)


def _start_worker() -> None:
    """Does nothing. Workers start when they get their first task."""


@contextmanager
def _signals_held() -> Iterator[None]:
    """Holds Ctrl-C and SIGTERM back until the block ends, also in processes that are started during the block."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, HELD_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def play_on_cluster(batches: Iterable[Batch], address: str) -> BatchResults:
    """Plays games on the Dask cluster whose scheduler has this address. If a worker dies, other workers play its
    batches. Yields the results in the order of the batches. Raises WorkersError if Dask is not installed, if the
    scheduler does not answer, or if no worker is left."""
    try:
        from dask.distributed import Client, KilledWorker
        from distributed.comm.addressing import get_address_host_port
    except ImportError as error:
        raise WorkersError("--cluster needs Dask; install it with: pip install 'tablekeeper[cluster]'") from error
    try:
        server = get_address_host_port(address)
    except ValueError as error:
        message = f"“{address}” is not the address of a Dask scheduler; give one such as tcp://HOST:8786."
        raise WorkersError(message) from error
    try:
        # Dask itself would keep trying for a long time.
        socket.create_connection(server, CONNECT_TIMEOUT_S).close()
        client = Client(address, timeout=CONNECT_TIMEOUT_S, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, OverflowError) as error:
        message = f"No Dask scheduler answers at {address}; start one with `dask scheduler`, and give its address."
        raise WorkersError(message) from error
    with client:
        workers = _count_workers(client, address)
        try:
            yield from _in_order(
                lambda batch: client.submit(Batch.play, batch, pure=False, retries=RETRIES), batches, workers
            )
        except (KilledWorker, CancelledError, OSError) as error:
            raise WorkersError(f"The cluster at {address} lost its workers; start some, then try again.") from error


def _count_workers(client: Any, address: str) -> int:
    """The number of threads in the cluster. Raises WorkersError if the cluster has no workers, or if their version of
    Tablekeeper differs from that of this process."""
    version = product_version()
    try:
        client.wait_for_workers(1, timeout=CONNECT_TIMEOUT_S)
    except TimeoutError as error:
        raise WorkersError(
            f"The cluster at {address} has no workers; start some with `dask worker {address}`."
        ) from error
    try:
        versions = {*client.run(product_version).values()}
    except ImportError as error:
        raise WorkersError(f"The workers of the cluster need Tablekeeper {version}; install it there.") from error
    if versions != {version}:
        others = ", ".join(sorted(versions - {version}))
        raise WorkersError(f"The workers of the cluster have Tablekeeper {others}, not {version}; install the same.")
    return sum(client.nthreads().values())


def _in_order(submit: Callable[[Batch], _Future], batches: Iterable[Batch], workers: int) -> BatchResults:
    """Yields the results in the order of the batches. At most IN_FLIGHT_PER_WORKER batches for each worker are
    submitted in advance."""
    pending = deque[tuple[Batch, _Future]]()
    for batch in batches:
        pending.append((batch, submit(batch)))
        if len(pending) >= IN_FLIGHT_PER_WORKER * workers:
            first, future = pending.popleft()
            yield first, future.result()
    for first, future in pending:
        yield first, future.result()
