"""How files are opened and read: nothing that a path leads to is waited for, or fills memory.

A pipe, a device or a file of zeros may stand wherever a person or a folder names a file.
"""

import errno
import io
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO

MOST_TEXT = 1 << 28  # bytes of a file that is read as a whole
NO_HOME = Path("/nonexistent")  # as systems call it
MARKED = "utf-8-sig"  # UTF-8 that may begin with a byte order mark, as editors on Windows write it
LONGEST_LINE = 1 << 24  # bytes of a line where a file of any length is read by lines


def at_once(path: str, flags: int) -> int:
    """Open a path without waiting: a pipe would wait for its other end."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o666)


def expanded(path: str) -> Path:
    """Return a path with somebody's home for a ~; as it is where nobody is called so."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


def user_folder(variable: str, usual: str) -> Path:
    """Return a folder of the user's, as the XDG standard says: paths that are relative are none.

    Who has no home, as a user without a name in a container, gets one that is not there.
    """
    named = os.environ.get(variable, "")
    folder = expanded(named if Path(named).is_absolute() else usual)
    return folder if folder.is_absolute() else NO_HOME / folder.relative_to("~")


def which(path: Path) -> tuple[int, int] | None:
    """Return what tells the file at a path from all others, None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def written_at(path: Path) -> int:
    """Return when something was last written, in nanoseconds; 0 where nothing is, or no longer."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def open_file(path: Path) -> IO[bytes]:
    """Open a file to be read; raises OSError, at once also for what never ends."""
    file = open(path, "rb", opener=at_once)  # noqa: SIM115  # it is handed on
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "it is a pipe or a device; name a file")
    return file


def contents(path: Path, most: int = MOST_TEXT) -> bytes:
    """Return all of a file; raises OSError, before memory is taken, for one that is too long."""
    with open_file(path) as file:
        if os.fstat(file.fileno()).st_size <= most:
            return file.read()
    raise OSError(errno.EFBIG, f"it is longer than {most:,} bytes")


def text_of(path: Path, errors: str = "strict") -> str:
    """Return the text of a file, as `contents` does; every line ends in the same way."""
    return io.TextIOWrapper(io.BytesIO(contents(path)), MARKED, errors).read()


def lines_of(path: Path) -> Iterator[str]:
    """Yield the lines of a file of any length; raises OSError for a line that is too long."""
    with open_file(path) as file:
        coding = MARKED  # of the first line
        while line := file.readline(LONGEST_LINE + 1):
            if len(line) > LONGEST_LINE:
                raise OSError(errno.EFBIG, f"a line is longer than {LONGEST_LINE:,} bytes")
            yield line.decode(coding)
            coding = "utf-8"
