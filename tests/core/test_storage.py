import contextlib
import errno
import json
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest

from fourlab.core import storage
from fourlab.core.storage import (
    StorageError,
    is_there,
    load_arrays,
    replacing,
    save_arrays,
)

ARRAYS = {"scores": np.arange(-5, 5, dtype=np.int8), "keys": np.arange(4)}


def save(path: Path, kind: str = "book", version: int = 1) -> None:
    save_arrays(path, kind, version, {"game": "connect4"}, ARRAYS)


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "file.npz"
    save(path)
    header, arrays = load_arrays(path, "book", 1)
    assert header["game"] == "connect4"
    assert {name: array.tolist() for name, array in arrays.items()} == {
        name: array.tolist() for name, array in ARRAYS.items()
    }


def test_it_is_readable_by_numpy_alone(tmp_path: Path) -> None:
    save(tmp_path / "file.npz")
    with np.load(tmp_path / "file.npz", allow_pickle=False) as file:
        assert json.loads(str(file["header"]))["kind"] == "book"
        assert file["scores"].tolist() == ARRAYS["scores"].tolist()


@pytest.mark.parametrize("cut", [0, 1, 100, -1])
def test_a_truncated_file_is_refused_by_name(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "file.npz"
    save(path)
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(StorageError, match=r"file.npz is no fourlab book, or it is damaged"):
        load_arrays(path, "book", 1)


def test_any_flipped_byte_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "file.npz"
    save(path)
    data = path.read_bytes()
    for index in range(0, len(data), 7):
        path.write_bytes(data[:index] + bytes([data[index] ^ 0xFF]) + data[index + 1 :])
        try:
            _, arrays = load_arrays(path, "book", 1)
        except StorageError:
            continue
        assert all((arrays[name] == ARRAYS[name]).all() for name in ARRAYS)  # a byte of no meaning


def test_changed_contents_with_a_valid_container_are_noticed(tmp_path: Path) -> None:
    path, other = tmp_path / "file.npz", tmp_path / "other.npz"
    save(path)
    with np.load(path) as file:
        np.savez(other, header=file["header"], scores=file["scores"][::-1], keys=file["keys"])
    with pytest.raises(StorageError, match=r"other.npz is damaged: its checksum"):
        load_arrays(other, "book", 1)


def test_foreign_files_are_refused_by_name(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.npz"
    foreign.write_text("not a zip file")
    with pytest.raises(StorageError, match=r"foreign.npz is no fourlab book"):
        load_arrays(foreign, "book", 1)
    with zipfile.ZipFile(foreign, "w") as archive:
        archive.writestr("hello.txt", "hello")
    with pytest.raises(StorageError, match=r"foreign.npz is no fourlab book"):
        load_arrays(foreign, "book", 1)
    np.savez(foreign, header=np.array([1, 2, 3]))
    with pytest.raises(StorageError, match=r"foreign.npz is no fourlab book"):
        load_arrays(foreign, "book", 1)
    with pytest.raises(StorageError, match=r"cannot read .*missing.npz: No such file"):
        load_arrays(tmp_path / "missing.npz", "book", 1)
    with pytest.raises(StorageError, match="cannot read"):
        load_arrays(tmp_path, "book", 1)


def test_a_pickle_inside_is_never_loaded(tmp_path: Path) -> None:
    path = tmp_path / "evil.npz"
    np.savez(path, header=np.array([{"kind": "book"}], dtype=object))
    with pytest.raises(StorageError, match="no fourlab book"):
        load_arrays(path, "book", 1)


def test_a_header_of_what_is_no_character_is_damage(tmp_path: Path) -> None:
    """numpy makes texts of any number, with which Python itself fails later."""
    path = tmp_path / "file.npz"
    save(path)
    with np.load(path) as file:
        arrays = dict(file)
    codes = np.frombuffer(arrays["header"].tobytes(), np.uint32).copy()
    codes[str(arrays["header"]).index("connect4")] = 0xF0000000
    np.savez(path, **{**arrays, "header": codes.view(arrays["header"].dtype).reshape(())})
    with pytest.raises(StorageError, match="damaged"):
        storage.peek(path)
    with pytest.raises(StorageError, match="damaged"):
        load_arrays(path, "book", 1)


def test_another_kind_or_version_is_said(tmp_path: Path) -> None:
    path = tmp_path / "file.npz"
    save(path, kind="table")
    with pytest.raises(StorageError, match="is a fourlab table, not a book"):
        load_arrays(path, "book", 1)
    save(path, version=7)
    with pytest.raises(StorageError, match="has format 7 of a book, this fourlab reads format 1"):
        load_arrays(path, "book", 1)


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file.npz"
    save(path)
    before = path.read_bytes()

    def full(_handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(storage.os, "fsync", full)
    with pytest.raises(StorageError, match="No space left on device; it is as it was"):
        save(path, version=2)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_an_accident_while_writing_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    with contextlib.suppress(RuntimeError), replacing(path) as file:
        file.write(b"half")
        raise RuntimeError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(StorageError, match="cannot write"):
        save(blocked / "below.npz")


@pytest.mark.parametrize(("umask", "mode"), [(0o077, 0o600), (0o002, 0o664)])
def test_who_may_read_a_file_is_for_the_user_to_say(tmp_path: Path, umask: int, mode: int) -> None:
    before = os.umask(umask)
    try:
        save(tmp_path / "file.npz")
    finally:
        os.umask(before)
    assert (tmp_path / "file.npz").stat().st_mode & 0o777 == mode


def test_what_is_private_never_was_another_way(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with replacing(tmp_path / "secret", private=True):
            [begun] = tmp_path.iterdir()
            assert begun.stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(before)
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600


def test_what_a_killed_writer_left_behind_is_cleared(tmp_path: Path) -> None:
    """One that was abandoned goes; one that may be at work, and other files, stay."""
    names = ("a.12345678.tmp", "a.23456789.tmp", "a", "a.precious.tmp")
    abandoned, young, other, foreign = (tmp_path / f".{name}" for name in names)
    for path in (abandoned, young, other, foreign):
        path.write_text("half")
    os.utime(abandoned, (0, 0))
    os.utime(other, (0, 0))
    os.utime(foreign, (0, 0))
    with replacing(tmp_path / "a") as file:
        file.write(b"whole")
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == [".a", ".a.23456789.tmp", ".a.precious.tmp", "a"]


@pytest.mark.parametrize("name", ["x" * 300, "a\0b", "x/" * 2100, "file/below", "", "."])
def test_a_place_that_cannot_be_is_said_in_one_line(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StorageError, match="cannot write"), replacing(tmp_path / name):
        pass
    assert not is_there(tmp_path / "file" / "below")
    assert not is_there(Path("a\0b"))
    assert not is_there(Path("x" * 300))
