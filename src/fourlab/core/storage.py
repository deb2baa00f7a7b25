"""Files that are never half-written and never unpickled: arrays with a JSON header, in one .npz.

The header says what kind of file it is, in which format, of which game, and carries a checksum of
the arrays. Whatever is wrong with a file is said in one line that names it.
"""

import contextlib
import hashlib
import io
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np

from fourlab.core.arrays import Array
from fourlab.core.errors import FourlabError
from fourlab.version import __version__

HEADER = "header"
FRONT_LIMIT = 1 << 20  # bytes of JSON at the beginning of a file of weights


class StorageError(FourlabError):
    """A file that is missing, damaged, foreign, or cannot be written."""


@contextlib.contextmanager
def replacing(path: Path, durable: bool = True) -> Iterator[IO[bytes]]:
    """Open a file to be written in the place of `path`: all of it, or nothing at all.

    What is not `durable` outlives the process but perhaps not the machine, and takes no time.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}") from None
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            if durable:
                os.fsync(file.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}; it is as it was") from None
    finally:
        Path(name).unlink(missing_ok=True)


def checksum(arrays: dict[str, Array]) -> str:
    """Return a digest of names, types, shapes and contents."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def write_arrays(
    file: IO[bytes], kind: str, version: int, header: dict[str, Any], arrays: dict[str, Array]
) -> None:
    """Write arrays and their header into an open file."""
    full = {
        "kind": kind,
        "version": version,
        "fourlab": __version__,
        "checksum": checksum(arrays),
        **header,
    }
    np.savez_compressed(file, allow_pickle=False, **{HEADER: np.array(json.dumps(full)), **arrays})


def save_arrays(
    path: Path, kind: str, version: int, header: dict[str, Any], arrays: dict[str, Array]
) -> None:
    """Write arrays and their header; an old file at `path` stays until the new one is complete."""
    with replacing(path) as file:
        write_arrays(file, kind, version, header, arrays)


def load_arrays(path: Path, kind: str, version: int) -> tuple[dict[str, Any], dict[str, Array]]:
    """Read what `save_arrays` wrote; raises StorageError if it is anything else."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror}") from None
    return read_arrays(data, path, kind, version)


def peek(path: Path) -> dict[str, Any]:
    """Return the header of a file of arrays or of weights, whose contents are not looked at."""
    try:
        if path.suffix == ".safetensors":
            with path.open("rb") as weights:
                header = header_of(read_front(weights))
        else:
            with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
                header = json.loads(str(file[HEADER]))
        return {**header, "kind": str(header["kind"])}
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror or error}") from None
    except Exception:  # zipfile, zlib and numpy raise a dozen kinds for a damaged file
        raise StorageError(f"{path} is no file of fourlab, or it is damaged") from None


def read_front(file: IO[bytes]) -> dict[str, Any]:
    """Return the JSON object with which a .safetensors file begins; raises ValueError."""
    length = int.from_bytes(file.read(8), "little")
    if not 2 <= length <= FRONT_LIMIT:
        raise ValueError("no JSON")
    text = file.read(length)
    front = json.loads(text, object_pairs_hook=_without_doubles)
    if len(text) < length or not isinstance(front, dict):
        raise ValueError("no JSON object")
    return front


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a name stands twice")
    return dict(pairs)


def header_of(front: dict[str, Any]) -> dict[str, Any]:
    """Return fourlab's own header, a JSON text among the notes of a .safetensors file."""
    header = json.loads(front["__metadata__"]["fourlab"])
    if not isinstance(header, dict):
        raise ValueError("no JSON object")  # as everything that is wrong with a file
    return header


def read_arrays(
    data: bytes, path: Path, kind: str, version: int
) -> tuple[dict[str, Any], dict[str, Array]]:
    """Read the contents of a file that `save_arrays` wrote; `path` names it in errors."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        header = json.loads(str(arrays.pop(HEADER)))
        found = (header["kind"], header["version"], header["checksum"])
    except Exception:  # zipfile, zlib and numpy raise a dozen kinds for a damaged file
        raise StorageError(f"{path} is no fourlab {kind}, or it is damaged") from None
    if found[0] != kind:
        raise StorageError(f"{path} is a fourlab {found[0]}, not a {kind}")
    if found[1] != version:
        raise StorageError(
            f"{path} has format {found[1]} of a {kind}, this fourlab reads format {version}"
        )
    if found[2] != checksum(arrays):
        raise StorageError(f"{path} is damaged: its checksum does not fit")
    return header, arrays
