"""Where compiled kernels are kept: by their sources, not by where those lie.

Numba's own cache notices an edit of the file of a function, not of the modules that it calls, and
is bound to the folder and the time of the file. Here a kernel's folder carries a hash of its module
and of every module that it imports: an edit of any of them starts a fresh one, and a second
installation of the same sources finds everything compiled. A file belongs to one signature and is
written whole, so that several processes may compile at once. A program whose sources are edited
while it runs keeps nothing: it may have imported what they were before.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core import caching

from fourlab.core.files import expanded, user_folder, written_at

PACKAGE = Path(__file__).parent.parent
IMPORT = re.compile(
    rb"^\s*(?:from\s+(fourlab[\w.]*)\s+import\s+(\([^)]*\)|[^\n#]*)|import\s+(fourlab[\w.]*))",
    re.MULTILINE,
)
TICK = 0.02  # seconds by which the time that a file is given may lag behind the clock
BEGAN = time.time() - TICK
DIGEST = hashlib.sha256().digest_size  # bytes at the end of a file: machine code is run unseen
KEPT = 4  # folders of other states of a module worth keeping, for people who switch branches


def base_folder() -> Path:
    """Return where all kernels are kept."""
    named = numba.config.CACHE_DIR
    home = expanded(named) if named else user_folder("XDG_CACHE_HOME", "~/.cache")
    return home / "fourlab" / "kernels"


def _path(module: str) -> Path | None:
    """Return the file of a module of fourlab, None if there is none."""
    package, *names = module.split(".")
    if package != "fourlab" or not names:
        return None
    stem = PACKAGE.joinpath(*names)
    files = (stem.with_suffix(".py"), stem / "__init__.py")
    return next((path for path in files if path.is_file()), None)


@functools.cache
def _source(module: str) -> bytes:
    """Return the source of a module of fourlab, nothing if it is none."""
    path = _path(module)
    return path.read_bytes() if path else b""


def _was_edited(module: str) -> bool:
    """Return whether a source changed since this program began; a clock may be wrong, too."""
    path = _path(module)
    return path is not None and BEGAN < path.stat().st_mtime <= time.time()


@functools.cache
def _imports(module: str) -> frozenset[str]:
    """Return the modules of fourlab that a module names in its imports."""
    found = set()
    for package, names, plain in IMPORT.findall(_source(module)):
        origin = (package or plain).decode()
        found |= {origin, *(f"{origin}.{name}" for name in re.findall(r"\w+", names.decode()))}
    return frozenset(name for name in found if _source(name))


def needed(module: str) -> list[str]:
    """Return a module and all that it imports of fourlab, directly or not, in order."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _imports(name)
    return sorted(found)


@functools.cache
def source_hash(module: str) -> str:
    """Return a hash of a module and of all that it imports of fourlab."""
    digest = hashlib.sha256(f"{numba.__version__} {sys.version_info[:2]}".encode())
    for name in needed(module):
        digest.update(name.encode() + _source(name))
    return digest.hexdigest()[:16]


@functools.cache
def _module_folder(module: str) -> Path | None:
    """Return the writable folder of a module's kernels, or None where there is none."""
    if not _source(module):  # sources that are in no folder, or not ours, are not cached
        return None
    if any(map(_was_edited, needed(module))):
        return None
    base = base_folder()
    folder = base / f"{module.removeprefix('fourlab.')}-{source_hash(module)}"
    try:
        if not folder.exists():
            folder.mkdir(parents=True, mode=0o700)
            _sweep(folder)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return None


def _sweep(folder: Path) -> None:
    """Remove the oldest folders of other states of the same module."""
    stem = folder.name.rpartition("-")[0]
    others = sorted(folder.parent.glob(f"{stem}-*"), key=written_at)
    for stale in others[: -KEPT - 1]:
        shutil.rmtree(stale, ignore_errors=True)


def folder_of(function: Callable[..., Any]) -> Path | None:
    """Return where the compiled forms of a function are kept, None if they are not."""
    return _module_folder(function.__module__)


class _Impl(caching.CompileResultCacheImpl):  # type: ignore[misc]  # numba is untyped to mypy
    """How a compiled form becomes data; where it lies is not its business."""

    def __init__(self) -> None:
        """Look for no place: numba would choose one by the file of the function."""

    def check_cachable(self, cres: Any) -> bool:
        return not cres.library.has_dynamic_globals


def _digest(path: str, contents: bytes) -> bytes:
    """Return a checksum of a compiled form in its place: in that of another it does not fit."""
    place = "/".join(Path(path).parts[-2:])
    return hashlib.sha256(place.encode() + contents).digest()


class _Files(caching.IndexDataCacheFile):  # type: ignore[misc]
    """One file a compiled form, named by its key; there is no index to disagree with."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = name

    def flush(self) -> None:
        """Forget nothing: a file is valid for its sources for ever."""

    def _path(self, key: Any) -> str:
        digest = hashlib.sha256(repr(key).encode()).hexdigest()[:24]
        return str(self._folder / f"{self._name}-{digest}.nbc")

    def save(self, key: Any, data: Any) -> None:
        path, contents = self._path(key), self._dump(data)
        with self._open_for_write(path) as file:
            file.write(contents + _digest(path, contents))  # numba reads to its own end

    def load(self, key: Any) -> Any:
        path = self._path(key)
        try:
            contents = Path(path).read_bytes()
            sound = _digest(path, contents[:-DIGEST]) == contents[-DIGEST:]
            return self._load_data(path) if sound else None
        except Exception:  # there is none, or it is damaged and will be written anew
            return None

    def _data_path(self, name: str) -> str:
        return name


class KernelCache(caching.FunctionCache):  # type: ignore[misc]
    """The compiled forms of one kernel; those of a part, kept by `keep` alone, have an `impl`."""

    def __init__(self, function: Callable[..., Any], folder: Path, impl: Any = None) -> None:
        self._name = repr(function)
        self._py_func = function
        self._impl = impl or _Impl()
        self._is_part = impl is not None
        self._cache_path = str(folder)
        self._cache_file = _Files(folder, function.__name__ + (".part" if impl else ""))
        self.enable()

    def _save_overload(self, sig: Any, data: Any) -> None:
        if not self._is_part:
            self.keep(sig, data)

    def keep(self, sig: Any, data: Any) -> None:
        """Write a compiled form, if the disk allows it."""
        if self._impl.check_cachable(data):
            key = self._index_key(sig, data.codegen)
            with contextlib.suppress(OSError):  # a full disk: compile again next time
                self._cache_file.save(key, self._impl.reduce(data))
