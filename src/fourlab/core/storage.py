"""Files that are never half-written and never unpickled: arrays with a JSON header, in one .npz.

The header says what kind of file it is, in which format, of which game, and carries a checksum of
the arrays. Whatever is wrong with a file is said in one line that names it.
"""

import contextlib
import glob
import hashlib
import io
import json
import math
import os
import secrets
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy

from fourlab.core.arrays import Array
from fourlab.core.errors import FourlabError, why
from fourlab.core.files import at_once, open_file
from fourlab.version import __version__

HEADER, SUFFIX = "header", ".npy"
MOST_COMPRESSED = 1100  # bytes that one byte can stand for in a zip file
SEAL = "checksum"  # the name of a checksum among the fields that it covers
UNFINISHED = ".tmp"  # how the names of files end that are being written
MARK_BYTES = 4  # at random, before that, as hexadecimal digits
ABANDONED_SECONDS = 3600  # after which a half-written file has no writer any more
FRONT_LIMIT = 1 << 20  # bytes of JSON at the beginning of a file of weights


class StorageError(FourlabError):
    """A file that is missing, damaged, foreign, or cannot be written."""


class AtWorkError(StorageError):
    """Another program is at work in the same place, or was just now."""


def is_there(path: Path) -> bool:
    """Return whether a path leads to something; one that can be none does not."""
    try:
        return path.exists()
    except (OSError, ValueError):  # a name that is too long, or holds a zero byte
        return False


def is_folder(path: Path) -> bool:
    """Return whether a path leads to a folder, as `is_there` does."""
    return is_there(path) and path.is_dir()


def beside(path: Path, ending: str) -> Path:
    """Return the file of the same name with an ending; raises StorageError if it has no name."""
    if not path.name:
        raise StorageError(f"cannot write {path}: it is a folder; name a file")
    return path.with_name(path.name + ending)


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """Say in one line that a file could not be read; text that is none counts as such."""
    try:
        yield
    except FourlabError:
        raise
    except UnicodeDecodeError:
        raise StorageError(f"cannot read {path}: it is no text") from None
    except (OSError, ValueError) as error:
        raise StorageError(f"cannot read {path}: {why(error)}") from None


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Make the folder of a file to be written; say in one line if either cannot be done."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield
    except (OSError, ValueError) as error:
        if isinstance(error, FourlabError):
            raise
        raise StorageError(f"cannot write {path}: {why(error)}") from None


@contextlib.contextmanager
def replacing(path: Path | str, durable: bool = True, private: bool = False) -> Iterator[IO[bytes]]:
    """Open a file to be written in the place of `path`: all of it, or nothing at all.

    What is not `durable` outlives the process but perhaps not the machine, and takes no time. What
    is `private` nobody else may read; of all else that is decided by the user's umask.
    """
    path = Path(path)
    with writing(path):
        if path.exists() and not path.is_file():  # a device would be gone for good
            raise StorageError(f"cannot write {path}: something that is no file is there")
        _clear(path)
        begun = path.parent / f".{path.name}.{secrets.token_hex(MARK_BYTES)}{UNFINISHED}"
        opened = open(begun, "xb", opener=_for_oneself if private else None)  # noqa: SIM115
    try:
        with opened as file:
            yield file
            file.flush()
            if durable:
                os.fsync(file.fileno())
        begun.replace(path)
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}; it is as it was") from None
    finally:
        begun.unlink(missing_ok=True)


def _for_oneself(name: str, flags: int) -> int:
    return os.open(name, flags, 0o600)


def check_place(path: Path) -> None:
    """Raise StorageError if a file could not be written there; makes its folder, and no file."""
    with writing(path):
        place = Path(os.path.realpath(path))  # a link again where links lead in a circle
        if path.exists() or place.is_symlink():
            with open(path, "ab", buffering=0, opener=at_once) as file:  # a path has no opener
                file.write(b"")  # a device that is full takes not even that
        else:
            tempfile.TemporaryFile(dir=place.parent).close()


def check_spare(path: Path, what: str, is_one: Callable[[Path], object]) -> bool:
    """Raise StorageError for a file with something in it that is no `what`: it is not written over.

    Return whether one is there. `is_one` may also raise FourlabError for what is none.
    """
    if not is_there(path) or not path.is_file() or not path.stat().st_size:
        return False
    with contextlib.suppress(FourlabError):
        if is_one(path):
            return True
    raise StorageError(f"{path} is there, and no {what}; name another file, or remove it")


def check_same(path: Path, held: str, made: str) -> None:
    """Raise StorageError if a file of the right kind holds something else than is to be made."""
    if held != made:
        raise StorageError(f"{path} holds {held}, not {made}; name another file, or remove it")


def unfinished(folder: Path, name: str = "*") -> Iterator[Path]:
    """Yield the files of a folder that `replacing` began and did not finish, and none of others."""
    for path in folder.glob(f".{name}.{'[0-9a-f]' * 2 * MARK_BYTES}{UNFINISHED}"):
        if path.is_file() and not path.is_symlink():
            yield path


def _clear(path: Path) -> None:
    """Remove what writers of `path` that were killed left behind; one at work is younger."""
    oldest = time.time() - ABANDONED_SECONDS
    for left in unfinished(path.parent, glob.escape(path.name)):
        with contextlib.suppress(OSError):
            if left.stat().st_mtime < oldest:
                left.unlink()


def seal(fields: dict[str, Any]) -> dict[str, Any]:
    """Return fields fit for JSON with a checksum of them."""
    return {**fields, SEAL: _sum(fields)}


def unseal(sealed: Any, path: Path, must: bool = False) -> dict[str, Any]:
    """Return the fields without their checksum; raises StorageError if it does not fit.

    Where no checksum is there and none `must` be, the fields are of an older file.
    """
    if not isinstance(sealed, dict):
        raise StorageError(f"{path} is damaged: no JSON object")
    fields = {name: value for name, value in sealed.items() if name != SEAL}
    if (SEAL in sealed or must) and sealed.get(SEAL) != _sum(fields):
        raise StorageError(f"{path} is damaged, or was changed by hand: its checksum does not fit")
    return fields


def _sum(fields: dict[str, Any]) -> str:
    text = json.dumps(fields, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def checksum(arrays: dict[str, Array]) -> str:
    """Return a digest of names, types, shapes and contents."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def write_arrays(
    file: IO[bytes],
    kind: str,
    version: int,
    header: dict[str, Any],
    arrays: dict[str, Array],
    level: int = 6,
) -> None:
    """Write arrays and their header into an open file; `level` is of compression, 1 to 9."""
    full = {
        "kind": kind,
        "version": version,
        "fourlab": __version__,
        "checksum": checksum(arrays),
        **header,
    }
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        for name, array in {HEADER: np.array(json.dumps(full)), **arrays}.items():
            with archive.open(f"{name}{SUFFIX}", "w", force_zip64=True) as member:
                npy.write_array(member, np.asanyarray(array), allow_pickle=False)


def save_arrays(
    path: Path,
    kind: str,
    version: int,
    header: dict[str, Any],
    arrays: dict[str, Array],
    level: int = 6,
) -> None:
    """Write arrays and their header; an old file at `path` stays until the new one is complete."""
    with replacing(path) as file:
        write_arrays(file, kind, version, header, arrays, level)


def load_arrays(path: Path, kind: str, version: int) -> tuple[dict[str, Any], dict[str, Array]]:
    """Read what `save_arrays` wrote; raises StorageError if it is anything else."""
    with reading(path), open_file(path) as file:
        return _read_arrays(file, path, kind, version)


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Array:
    """Return an array; raises an error of some kind if the file does not hold what it says.

    No memory is taken for more than that many bytes can be the compressed form of.
    """
    with archive.open(member) as file:
        version = npy.read_magic(file)
        read = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}[version]
        shape, by_columns, kind = read(file)
        size = math.prod(shape) * kind.itemsize
        if kind.hasobject or file.tell() + size != member.file_size:
            raise ValueError("an array of another size")
        if size > MOST_COMPRESSED * (member.compress_size + 1):
            raise ValueError("more than it can hold")
        contents = bytearray(file.read())
        if len(contents) != size:
            raise ValueError("an array that was cut short")
    return np.frombuffer(contents, kind).reshape(shape, order="F" if by_columns else "C")


def _text(array: Array) -> str:
    """Return a text; raises ValueError for what is no character, which numpy would believe."""
    order = "be" if array.dtype.str.startswith(">") else "le"
    return array.tobytes().decode(f"utf-32-{order}").rstrip("\0")


def peek(path: Path | str) -> dict[str, Any]:
    """Return the header of a file of arrays or of weights, whose contents are not looked at."""
    path = Path(path)
    try:
        if path.suffix == ".safetensors":
            with open_file(path) as weights:
                header = header_of(read_front(weights))
        else:
            with open_file(path) as file, zipfile.ZipFile(file) as archive:
                header = json.loads(_text(_member(archive, archive.getinfo(HEADER + SUFFIX))))
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
    return _read_arrays(io.BytesIO(data), path, kind, version)


def _read_arrays(
    file: IO[bytes], path: Path, kind: str, version: int
) -> tuple[dict[str, Any], dict[str, Array]]:
    try:
        with zipfile.ZipFile(file) as archive:
            members = {one.filename.removesuffix(SUFFIX): one for one in archive.infolist()}
            arrays = {name: _member(archive, one) for name, one in members.items()}
        header = json.loads(_text(arrays.pop(HEADER)))
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
