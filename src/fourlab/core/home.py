"""The modules of one's own file: itself and those beside it, which nobody else sees.

Two files may each have a `helper.py` beside them. So what such a module imports is looked for
beside it first, whenever it does so, and kept under a name of its own.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib.util
import os
import stat
import sys
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from fourlab.core.files import text_of
from fourlab.core.storage import StorageError, replacing, writing

loading = threading.RLock()  # modules are run one after the other
tries_first = False  # whether a process of its own imports code before this one does (`trial.py`)


class Home:
    """Files of a folder as modules; `prefix` begins their names among all modules."""

    def __init__(self, folder: Path, files: tuple[str, ...], prefix: str) -> None:
        self.paths = {Path(file).stem: folder / file for file in files}
        self._folder = str(folder)
        self._prefix = prefix
        self._modules: dict[str, ModuleType] = {}
        self._builtins = {**vars(builtins), "__import__": self._import}

    def module(self, name: str) -> ModuleType:
        """Return the module of a file, run once; what it raises is raised."""
        with loading:
            if name not in self._modules:
                self._run(name)
            return self._modules[name]

    def _import(
        self,
        name: str,
        globals_: Mapping[str, Any] | None = None,
        locals_: Mapping[str, Any] | None = None,
        fromlist: tuple[str, ...] = (),
        level: int = 0,
    ) -> ModuleType:
        """Import as these modules do."""
        asks = (globals_ or {}).get("__name__")
        if level == 0 and name in self.paths and asks != f"{self._prefix}{name}":
            return self.module(name)
        return builtins.__import__(name, globals_, locals_, fromlist, level)

    def _run(self, name: str) -> None:
        known_as = f"{self._prefix}{name}"
        spec = importlib.util.spec_from_file_location(known_as, self.paths[name])
        assert spec is not None  # noqa: S101  # it ends in .py
        assert spec.loader is not None  # noqa: S101
        module = importlib.util.module_from_spec(spec)
        module.__dict__["__builtins__"] = self._builtins
        sys.modules[known_as] = module  # dataclasses look their module up there
        self._modules[name] = module  # two may import each other
        sys.path.insert(0, self._folder)  # for packages that lie there
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[known_as], self._modules[name]
            raise
        finally:
            sys.path.remove(self._folder)


def spare() -> Path:
    """Return a folder for a user who has none; raises StorageError if it is somebody else's.

    It is for all processes of the user: those that end by force could clear none away.
    """
    user = os.getuid()
    folder = Path(tempfile.gettempdir(), f"fourlab-own-{user}")
    with writing(folder), contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != user or found.st_mode & 0o022:
        raise StorageError(f"cannot use {folder}: others may write there; remove it")
    return folder


def written(folder: Path, texts: tuple[tuple[str, str], ...]) -> Path:
    """Write what is missing of some files in a folder, or damaged there; return the folder."""
    for file, text in texts:
        try:
            sound = text_of(folder / file) == text
        except (OSError, UnicodeDecodeError):
            sound = False
        if not sound:
            with replacing(folder / file) as copy:
                copy.write(text.encode())
    return folder
