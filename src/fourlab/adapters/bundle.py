"""A package in memory: modules and data that a file carries in itself.

An exported file begins with a copy of this module, so it imports nothing of fourlab.
"""

import sys
from importlib.abc import SourceLoader
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from typing import Any


class Bundle(SourceLoader):
    """Serves `package` from `files`: contents by path, such as `package/rules/bits.py`."""

    def __init__(self, package: str, files: dict[str, bytes]) -> None:
        self.package = package
        self.files = files

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Find a module of the package."""
        return spec_from_loader(fullname, self) if self._path(fullname) else None

    def get_filename(self, fullname: str) -> str:
        """Return the path of a module."""
        return self._path(fullname)

    def get_data(self, path: Any) -> bytes:
        """Return the contents of a path; raises OSError if there is none."""
        if path not in self.files:
            raise FileNotFoundError(path)
        return self.files[path]

    def _path(self, fullname: str) -> str:
        stem = fullname.replace(".", "/")
        return next((p for p in (f"{stem}.py", f"{stem}/__init__.py") if p in self.files), "")


def install(package: str, files: dict[str, bytes]) -> None:
    """Make the package importable; a second time changes nothing."""
    if all(getattr(finder, "package", None) != package for finder in sys.meta_path):
        sys.meta_path.append(Bundle(package, files))


def plain_copy(package: str, name: str, files: dict[str, bytes]) -> dict[str, bytes]:
    """Return the files of a package under another name, in which numba is never found."""
    own, other = package.encode(), name.encode()
    copy = {
        path.replace(package, name): data.replace(own, other) if path.endswith(".py") else data
        for path, data in files.items()
    }
    copy[f"{name}/core/jit.py"] = copy[f"{name}/core/jit.py"].replace(
        b"import numba\n", b"raise ImportError\n"
    )
    return copy
