"""Folders of data that come with fourlab, wherever the package lies."""

import functools
import tempfile
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

_unpacked: list[tempfile.TemporaryDirectory[str]] = []  # each goes with this process


@functools.cache
def shipped_folder(package: str, name: str) -> Path:
    """Return a folder of a package; from a package in an archive it is unpacked first."""
    place = files(package) / name
    if isinstance(place, Path):
        return place
    _unpacked.append(tempfile.TemporaryDirectory(prefix="fourlab-"))
    return _copied(place, Path(_unpacked[-1].name) / name)


def _copied(place: Traversable, folder: Path) -> Path:
    folder.mkdir()
    for one in place.iterdir():
        if one.is_dir():
            _copied(one, folder / one.name)
        else:
            (folder / one.name).write_bytes(one.read_bytes())
    return folder
