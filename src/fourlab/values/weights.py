"""Files of weights: .safetensors, written and read here, with fourlab's header in its notes.

Eight bytes of length, a JSON text that gives each array's type, shape and place, then the arrays.
Everything that the text claims is checked before memory is taken for it, and a checksum covers the
header and the arrays. Whatever is wrong with a file is said in one line that names it.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
from pathlib import Path
from typing import IO, Any

import numpy as np

from fourlab.core.arrays import Array
from fourlab.core.files import open_file
from fourlab.core.storage import StorageError, checksum, header_of, read_front, replacing
from fourlab.version import __version__

TYPES = {"F32": "<f4", "F16": "<f2", "I64": "<i8", "U8": "|u1"}
NOTES = "__metadata__"
ALIGNMENT = 8  # of the first array in the file
DIMENSIONS = 8  # an array has no more
Places = dict[str, tuple[np.dtype[Any], tuple[int, ...], int, int]]  # type, shape, begin, end


def write_weights(
    file: IO[bytes], kind: str, version: int, header: dict[str, Any], arrays: dict[str, Array]
) -> None:
    """Write arrays and their header into an open file; they are of one of `TYPES`."""
    names = {np.dtype(code): name for name, code in TYPES.items()}
    full = {"kind": kind, "version": version, "fourlab": __version__, **header}
    full["checksum"] = _digest(full, arrays)
    front: dict[str, Any] = {NOTES: {"fourlab": json.dumps(full)}}
    end = 0
    for name, array in arrays.items():
        begin, end = end, end + array.nbytes
        front[name] = {
            "dtype": names[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [begin, end],
        }
    text = json.dumps(front).encode()
    text += b" " * (-len(text) % ALIGNMENT)
    file.write(len(text).to_bytes(8, "little") + text)
    for array in arrays.values():
        file.write(np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")).tobytes())


def save_weights(
    path: Path, kind: str, version: int, header: dict[str, Any], arrays: dict[str, Array]
) -> None:
    """Write arrays and their header; an old file at `path` stays until the new one is complete."""
    with replacing(path) as file:
        write_weights(file, kind, version, header, arrays)


def load_weights(path: Path, kind: str, version: int) -> tuple[dict[str, Any], dict[str, Array]]:
    """Read what `save_weights` wrote; raises StorageError if it is anything else."""
    try:
        with open_file(path) as file:
            return _read(file, path, kind, version)
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror}") from None


def read_weights(
    data: bytes, path: Path, kind: str, version: int
) -> tuple[dict[str, Any], dict[str, Array]]:
    """Read the contents of a file that `save_weights` wrote; `path` names it in errors."""
    return _read(io.BytesIO(data), path, kind, version)


def _read(
    file: IO[bytes], path: Path, kind: str, version: int
) -> tuple[dict[str, Any], dict[str, Array]]:
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    try:
        front = read_front(file)
        header = header_of(front)
        found = (header["kind"], header["version"], header.pop("checksum"))
        places = _places(front, size - file.tell())
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise StorageError(f"{path} is no fourlab {kind}, or it is damaged") from None
    if found[0] != kind:
        raise StorageError(f"{path} is a fourlab {found[0]}, not a {kind}")
    if found[1] != version:
        raise StorageError(
            f"{path} has format {found[1]} of a {kind}, this fourlab reads format {version}"
        )
    data = file.read()
    arrays: dict[str, Array] = {
        name: np.frombuffer(data[begin:end], type_).astype(type_.newbyteorder("=")).reshape(shape)
        for name, (type_, shape, begin, end) in places.items()
    }
    if found[2] != _digest(header, arrays):
        raise StorageError(f"{path} is damaged: its checksum does not fit")
    return header, arrays


def _places(front: dict[str, Any], size: int) -> Places:
    """Return where the arrays lie among `size` bytes; raises ValueError unless they fill them."""
    places: Places = {}
    for name, entry in front.items():
        if name == NOTES:
            continue
        type_, shape = np.dtype(TYPES[entry["dtype"]]), entry["shape"]
        begin, end = entry["data_offsets"]
        numbers = [begin, end, *shape]
        if any(type(number) is not int or number < 0 for number in numbers):
            raise ValueError(f"{name}: sizes are whole numbers")
        if len(shape) > DIMENSIONS or end - begin != math.prod(shape) * type_.itemsize:
            raise ValueError(f"{name}: its shape does not fit its place")
        places[name] = (type_, tuple(shape), begin, end)
    reached = 0
    for _, _, begin, end in sorted(places.values(), key=lambda place: place[2:]):
        if begin != reached:
            raise ValueError("arrays overlap, or leave a gap")
        reached = end
    if reached != size:
        raise ValueError("arrays do not fill the file")
    return places


def _digest(header: dict[str, Any], arrays: dict[str, Array]) -> str:
    """Return a digest of the header, without its checksum, and of the arrays."""
    text = json.dumps(header, sort_keys=True) + checksum(arrays)
    return hashlib.sha256(text.encode()).hexdigest()
