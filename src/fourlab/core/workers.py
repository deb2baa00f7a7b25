"""Where work is done: threads or processes of this machine, or a Dask cluster.

The interface is the standard library's `concurrent.futures.Executor`. A job is plain data and a
function of a module, so that a worker anywhere needs only fourlab. Jobs may end in any order and
be tried more than once; what they return depends on nothing but themselves.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import multiprocessing
import os
import platform
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import TracebackType
from typing import Any, Literal, TypeVar

from fourlab.core import borrowed, own
from fourlab.core.errors import FourlabError, OwnCodeError, missing_extra
from fourlab.core.spec import counted
from fourlab.version import __version__

MOST_WORKERS = 1024
Item = TypeVar("Item")
Result = TypeVar("Result")

Kind = Literal["threads", "processes"]
ATTEMPTS = 4  # of a job whose worker died under it
CONNECT_SECONDS = 10
OTHER_SOURCES = (
    "has another fourlab than this and would find other results; "
    f"install {__version__} from the same sources there"
)


class ClusterError(FourlabError):
    """A cluster that cannot be reached or does not do its work."""


class Workers:
    """Some workers and their executor; a context manager that ends them.

    Threads serve kernels, which release the GIL; processes serve plain Python. With `cluster`, the
    address of a Dask scheduler, the workers are those of the cluster.
    """

    def __init__(
        self, count: int | None = None, kind: Kind = "threads", cluster: str | None = None
    ) -> None:
        if count is not None:
            count = counted("workers", count, 1, MOST_WORKERS)
        self.kind = kind
        self.cluster = cluster
        self._client: Any = _connect(cluster) if cluster else None
        self.count = _cluster_threads(self._client) if cluster else count or os.cpu_count() or 1
        if cluster:
            _check_sources(self._client)
        self._left = threading.Event()  # nobody waits for what is still at work
        self.executor = self._open()

    def _open(self) -> Executor:
        if self._client is not None:
            executor: Executor = self._client.get_executor(pure=False)
            return executor
        if self.kind == "threads":
            return ThreadPoolExecutor(self.count, initializer=_enter, initargs=(self._left,))
        # Spawned, not forked: a forked child inherits the locks of threads it does not have.
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self.count, context, _settle)

    def _equipped(self, function: Callable[[Item], Result]) -> Callable[[Item], Result]:
        """Return the function with all that it needs where it runs."""
        if self._client is not None:
            own.pickle_by_value()
        function = functools.partial(_with_own, function, own.carried())
        if self.cluster:
            function = functools.partial(same_sources, sources_digest(), function)
        return function

    def run(
        self, function: Callable[[Item], Result], jobs: Iterable[Item]
    ) -> Iterator[tuple[Item, Result]]:
        """Yield jobs with their results as they are done; `jobs` is drawn from as workers free up.

        A job whose worker died is done again. People's own files that are known here travel with
        the jobs.
        """
        function = self._equipped(function)
        waiting: dict[Future[Result], tuple[Item, int]] = {}
        source = iter(jobs)
        try:
            while True:
                self._fill(waiting, function, source)
                if not waiting:
                    return
                again = []
                for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                    job, attempt = waiting.pop(future)
                    try:
                        result = future.result()
                    except Exception as error:
                        if not _worker_died(error) or attempt == ATTEMPTS:
                            raise _named(error) from error
                        again.append((job, attempt + 1))
                    else:
                        yield job, result
                if again:
                    self._revive(waiting, again, function)
        finally:
            for future in waiting:
                future.cancel()

    def _fill(
        self,
        waiting: dict[Future[Result], tuple[Item, int]],
        function: Callable[[Item], Result],
        source: Iterator[Item],
    ) -> None:
        """Keep two jobs a worker under way: one at work, one at hand."""
        while len(waiting) < 2 * self.count:
            try:
                job = next(source)
            except StopIteration:
                return
            waiting[self._submit(function, job)] = (job, 1)

    def _revive(
        self,
        waiting: dict[Future[Result], tuple[Item, int]],
        again: list[tuple[Item, int]],
        function: Callable[[Item], Result],
    ) -> None:
        """Submit jobs anew; a pool of processes that lost one is broken, with all its jobs."""
        if isinstance(self.executor, ProcessPoolExecutor):
            # All other jobs of the pool fail too, except those that were done already.
            for future in list(wait(waiting).done):
                if isinstance(future.exception(), BrokenExecutor):
                    again.append(waiting.pop(future))
            self.executor.shutdown()
            self.executor = self._open()
        for job, attempt in again:
            waiting[self._submit(function, job)] = (job, attempt)

    def _submit(self, function: Callable[[Item], Result], job: Item) -> Future[Result]:
        """Hand a job to the executor; processes that begin with it never hear Ctrl-C.

        They would, before they can ignore it, and each would say so at length.
        """
        if not isinstance(self.executor, ProcessPoolExecutor) or sys.platform == "win32":
            return self.executor.submit(function, job)
        heard = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return self.executor.submit(function, job)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, heard)

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None:
            self._left.set()
            if isinstance(self.executor, ProcessPoolExecutor):
                for worker in multiprocessing.active_children():
                    worker.kill()
        if self._client is None:
            self.executor.shutdown(wait=True, cancel_futures=True)
        else:
            is_gone = self._client.status != "running"
            self.executor.shutdown(wait=False)  # what still runs there is of no use any more
            self._client.close()
            if isinstance(error, Exception) and is_gone:
                raise ClusterError(
                    f"the cluster at {self.cluster} is gone, what was done is kept; start one "
                    "again and repeat the command, arena with --resume"
                ) from None


_here = threading.local()


def _enter(left: threading.Event) -> None:
    """Make this thread a worker; the event says when its owner has left."""
    _here.left = left


def is_left() -> bool:
    """Return whether nobody waits any more for what this worker does."""
    left: threading.Event | None = getattr(_here, "left", None)
    return left is not None and left.is_set()


def _with_own(
    function: Callable[[Item], Result], parcels: tuple[own.Parcel, ...], job: Item
) -> Result:
    """Do a job where people's own files are known; runs in a worker.

    An error in one of these files names its line, which would not travel otherwise.
    """
    own.carry(parcels)
    try:
        return function(job)
    except FourlabError:
        raise
    except Exception as error:
        line = own.line_of(error)
        if not line:
            raise
        raise OwnCodeError(line) from None


def _settle() -> None:
    """Make this process a worker, whose standard output is not the answer of its owner.

    It ends if its owner is killed: it would wait for jobs for ever.
    """
    os.dup2(2, 1)  # what is printed goes where errors go
    _end_in_time()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # its owner is interrupted, and ends it
    owner = multiprocessing.parent_process()
    assert owner is not None  # noqa: S101  # this runs in a worker

    def wait_for_the_end() -> None:
        owner.join()
        os._exit(1)

    threading.Thread(target=wait_for_the_end, daemon=True).start()


@functools.cache
def _end_in_time() -> None:
    """Let nothing that somebody's own code has begun keep this worker from its end."""
    # From 3.13 on a worker waits for threads before anything else that it does at its end.
    threading._register_atexit(borrowed.end_if_threads_are_left, 0)  # type: ignore[attr-defined]


def _connect(address: str) -> Any:
    """Return a client of a Dask scheduler."""
    try:
        from distributed import Client
    except ImportError:
        raise missing_extra("--cluster needs Dask", "cluster") from None
    try:
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # we say it ourselves
        connect: Any = Client
        return connect(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise ClusterError(
            f"no Dask scheduler at {address} ({error}); start one with: dask scheduler"
        ) from None


@functools.cache
def sources_digest() -> str:
    """Return a hash of all sources of fourlab: equal sources give equal results."""
    digest = hashlib.sha256()
    for name, text in sorted(_sources(files("fourlab"), "")):
        digest.update(name.encode() + text)
    return digest.hexdigest()[:16]


def _sources(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    """Yield names and contents of all sources below a folder, which may lie in an archive."""
    for entry in folder.iterdir():
        name = f"{path}/{entry.name}"
        if entry.name.endswith(".py"):
            yield name, entry.read_bytes()
        elif entry.is_dir():
            yield from _sources(entry, name)


def _check_sources(client: Any) -> None:
    """Raise ClusterError if a worker of a cluster has another fourlab than this."""
    try:
        found: dict[str, str] = client.run(sources_digest)
    except Exception as error:  # whatever an older fourlab makes of it
        found = {"one of its workers": f"{type(error).__name__}: {error}"}
    others = [worker for worker, digest in found.items() if digest != sources_digest()]
    if others:
        client.close()
        raise ClusterError(f"{others[0]} {OTHER_SOURCES}")


def same_sources(digest: str, function: Callable[[Item], Result], job: Item) -> Result:
    """Do a job in a worker whose sources are those of a digest; raises ClusterError elsewhere."""
    if sources_digest() != digest:
        raise ClusterError(f"a worker on {platform.node()} {OTHER_SOURCES}")
    _end_in_time()
    return function(job)


def _cluster_threads(client: Any) -> int:
    """Return the number of threads that all workers of a cluster have."""
    threads = sum(client.nthreads().values())
    if not threads:
        client.close()
        raise ClusterError(
            f"the cluster at {client.scheduler.address} has no workers; "
            f"start one with: dask worker {client.scheduler.address}"
        )
    return int(threads)


def _worker_died(error: Exception) -> bool:
    # A cluster's own error for this, told by its name since Dask may not be installed.
    return isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker"


def _named(error: Exception) -> Exception:
    """Return an error fit to show, if a worker died too often; else the error itself."""
    if not _worker_died(error):
        return error
    main = sys.modules["__main__"]
    is_script = main.__spec__ is None and str(getattr(main, "__file__", "")).endswith(".py")
    # Each process runs a script from its top, until there are workers in workers.
    guard = "; in a script, put what is done under: if __name__ == '__main__':" * is_script
    return FourlabError(f"a worker died {ATTEMPTS} times over the same job: {error}{guard}")
