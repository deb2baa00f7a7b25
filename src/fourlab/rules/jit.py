"""The `kernel` decorator: compiled once, cached on disk, the GIL released.

Numba's own cache notices an edit of the function it compiled, not of the functions that one calls
in other modules. Therefore all kernels of one state of the sources share a cache folder whose name
carries a hash of those sources: any edit starts a fresh folder. Under `NUMBA_DISABLE_JIT=1`, or
where numba cannot be imported, every kernel is the plain Python function.

Integers are signed 64-bit. Numba tells LLVM that signed arithmetic never overflows, and LLVM
believes it: use `bits.multiply63` wherever a product may wrap.
"""

import hashlib
import logging
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

try:
    import numba
    from numba.core import event
except ImportError:  # not installed, or it refuses the numpy that is
    numba = None

F = TypeVar("F", bound=Callable[..., Any])

log = logging.getLogger("fourlab.kernels")

PACKAGE = Path(__file__).parent.parent
# Kernels allocate nothing, so that arrays need not be counted when they are handed on: a tree
# search runs 1.3 times as fast as with reference counts, learning several times.
PLAIN = {"nogil": True, "_nrt": False}
COMPILED = numba is not None and not numba.config.DISABLE_JIT
SLOWNESS = 1 if COMPILED else 256  # how much longer a kernel takes, for those who watch the clock
KEPT_FOLDERS = 4  # caches of other source states worth keeping, for people who switch branches


def source_hash() -> str:
    """Hash every source file of the package that defines or serves kernels."""
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(PACKAGE.rglob("*.py")):
        source = path.read_bytes()
        if b"kernel" in source:
            digest.update(path.name.encode() + source)
    return digest.hexdigest()[:16]


def _cache_folder() -> Path | None:
    """Return the writable folder for this state of the sources, or None where there is none."""
    if not COMPILED or not PACKAGE.is_dir():  # sources that are in no folder cannot be cached
        return None
    user_cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    base = Path(numba.config.CACHE_DIR or user_cache).expanduser() / "fourlab"
    folder = base / f"kernels-{source_hash()}"
    try:
        if not folder.exists():
            folder.mkdir(parents=True)
            others = sorted(base.glob("kernels-*"), key=lambda path: path.stat().st_mtime)
            for stale in others[: -KEPT_FOLDERS - 1]:
                shutil.rmtree(stale, ignore_errors=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return None


CACHE_FOLDER = _cache_folder()


def kernel(function: F) -> F:
    """Compile `function` on first use; keep the machine code on disk where the disk allows it.

    A kernel becomes part of the kernels that call it. That is how a factory that closes over
    `rules` turns the geometry into constants: the exact search runs 1.7 times as fast.
    """
    if not COMPILED:
        return function
    configured = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(CACHE_FOLDER)
    try:
        cache = CACHE_FOLDER is not None
        compiled: F = numba.njit(forceinline=True, cache=cache, **PLAIN)(function)
    finally:
        numba.config.CACHE_DIR = configured
    return compiled


def body(function: F) -> F:
    """Make `function` part of the kernels that call it, without a compiled form of its own.

    For large kernels with one caller: what is compiled once need not be compiled again inside.
    """
    if not COMPILED:
        return function
    compiled: F = numba.njit(inline="always", **PLAIN)(function)
    return compiled


def _announce_compilation() -> None:
    """Log one line when the first kernel of this process really has to be compiled."""

    class Notice(event.Listener):  # type: ignore[misc]  # numba is untyped to mypy
        given = False

        def on_start(self, event: Any) -> None:
            if not self.given and event.data["dispatcher"].py_func.__module__.startswith("fourlab"):
                self.given = True
                log.info("compiling (once)")

        def on_end(self, event: Any) -> None:
            """Nothing to say when it ends."""

    event.register("numba:compile", Notice())


if COMPILED:
    _announce_compilation()
