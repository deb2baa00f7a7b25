"""People's own code: files known by what is in them, loaded where they lie or carried elsewhere.

`bots/mine.py` is known as `mine.py@3f2a1c9d`: its name and a digest of its contents, with those of
the files beside it that it imports. So the same file is the same thing wherever it lies, and an
edited one is another. A parcel holds all of it and travels to workers of any kind.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import re
import sys
import traceback
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from fourlab.core import home
from fourlab.core.borrowed import undisturbed
from fourlab.core.errors import OwnCodeError, SpecError, one_line
from fourlab.core.files import expanded, text_of
from fourlab.core.home import Home, loading
from fourlab.core.storage import StorageError

SUFFIX = ".py"
DIGITS = 8  # of a digest
MOST_WORDS = 500  # characters of what an error says
MOST_BYTES = 4_000_000  # of one thing that travels


class Parcel(NamedTuple):
    """A file of somebody's own and the files beside it that it imports: plain data."""

    name: str  # mine.py@3f2a1c9d
    path: str  # where it lay when it was read
    texts: tuple[tuple[str, str], ...]  # (file name, contents), itself first


_known: dict[str, Parcel] = {}
_places: dict[str, str] = {}  # names of what was read last, by the path as it was written
_modules: dict[str, ModuleType] = {}
_files: set[str] = set()  # that were run


def is_file(name: str) -> bool:
    """Return whether the name of a spec is a file, as `mine.py` or `mine.py@3f2a1c9d`."""
    return name.partition("@")[0].endswith(SUFFIX)


def is_own(name: str) -> bool:
    """Return whether the name of a spec is a file or a module, as `package.module`."""
    return is_file(name) or ("." in name and name.replace(".", "").isidentifier())


def parcel(place: str) -> Parcel:
    """Return what a path or a known name stands for, read anew; nothing is run.

    Raises SpecError if there is no such file, or if it is another one than its name says.
    """
    if place in _known:
        return _known[place]
    written, _, digest = place.partition("@")
    path = expanded(written)
    texts = _read(path)
    found = Parcel(f"{path.name}@{_digest(texts)}", str(path.resolve()), texts)
    if digest and found.name != f"{path.name}@{digest}":
        raise SpecError(f"{path} is {found.name} now, not {place}; keep a copy that stays as it is")
    _known[found.name] = found
    _places[written] = found.name
    return found


def keep(file: str, text: str) -> Parcel:
    """Make known a file that lies nowhere; where it is run, a copy is put aside."""
    texts = ((file, text),)
    found = Parcel(f"{file}@{_digest(texts)}", "", texts)
    _known[found.name] = found
    return found


def carry(parcels: Iterable[Parcel]) -> None:
    """Make known what was read elsewhere."""
    for one in parcels:
        _known.setdefault(one.name, one)


def notes(*texts: str) -> list[tuple[str, str]]:
    """Return the names of files in texts and where they lay, for a file that will be read again.

    Their contents are put aside in the user's own folder, where `recall` finds them.
    """
    found = mentioned(*texts)
    for one in found:
        _put_aside(one)
    return [(one.name, one.path) for one in found]


def recall(noted: Iterable[Any]) -> None:
    """Make known again what `notes` wrote, as far as it lies unchanged on this machine.

    Nothing that is noted is ever run itself: a file from elsewhere can name code, not bring it.
    """
    for name, path in noted:
        written, _, digest = str(name).partition("@")
        if Path(written).name != written or not digest or name in _known:
            continue
        for place in (Path(path), _aside(name) / written):
            try:
                texts = _read(place)
            except SpecError:
                continue
            if f"{place.name}@{_digest(texts)}" == name:
                _known[name] = Parcel(name, str(place), texts)
                break


def unpacked(data: Iterable[Any]) -> Iterator[Parcel]:
    """Yield parcels that were written as JSON."""
    for name, path, texts in data:
        yield Parcel(name, path, tuple((file, text) for file, text in texts))


def carried() -> tuple[Parcel, ...]:
    """Return all that is known here, for those who work for this process."""
    return tuple(_known.values())


def mentioned(*texts: str) -> tuple[Parcel, ...]:
    """Return what texts name, such as `4 mine.py@3f2a1c9d and 1 minimax`."""
    return tuple(one for one in carried() if any(one.name in text for text in texts))


def settled(text: str) -> str:
    """Return a text with the files that were read named by their contents: `mine.py@3f2a1c9d`.

    An engine's program is another thing: it is started, not read.
    """
    for place, name in sorted(_places.items(), key=lambda one: -len(one[0])):
        alone = rf"(?<![^\s=,:(){{}}]){re.escape(place)}(?![\w@])"
        text = re.sub(alone, name.replace("\\", r"\\"), text)
    return text


def pickle_by_value() -> None:
    """Let functions of files that were run travel to a cluster, which cannot import them."""
    cloudpickle = importlib.import_module("cloudpickle")  # comes with Dask
    for module in _modules.values():
        cloudpickle.register_pickle_by_value(module)


def load(place: str) -> ModuleType:
    """Return the module of a file or of a dotted name, run once.

    Raises SpecError if there is none, OwnCodeError that names the line if it fails.
    """
    if not is_file(place):
        return _imported(place)
    found = parcel(place)
    with loading:
        if found.name not in _modules:
            _try_out(found.name)
            _modules[found.name] = _run(found)
        return _modules[found.name]


def name_of(place: str) -> str:
    """Return the name by which a file or a module is known wherever it lies."""
    return parcel(place).name if is_file(place) else place


def digest_of(name: str) -> str:
    """Return the digest in the name of a file, "" for what has none."""
    return name.partition("@")[2] if is_file(name) else ""


def line_of(error: BaseException) -> str:
    """Return an error with the line of one's own code that raised it, "" if none of it did."""
    if line := line_in(traceback.extract_tb(error.__traceback__), _words(error)):
        return line
    # A StopIteration comes out of a generator of ours as the cause of another error.
    return line_of(error.__cause__) if error.__cause__ is not None else ""


def line_in(frames: Iterable[traceback.FrameSummary], words: str) -> str:
    """Return words behind the innermost line of one's own code, "" if there is none."""
    for frame in reversed(list(frames)):
        if frame.filename in _files:
            said = f" in: {frame.line}" if frame.line else ""
            return f"{Path(frame.filename).name}:{frame.lineno}: {words}{said}"
    return ""


def line_now(thread: int, words: str) -> str:
    """Return words behind the line of one's own code that a thread is in, "" if it is in none."""
    frame = sys._current_frames().get(thread)
    return line_in(traceback.extract_stack(frame), words) if frame else ""


def is_own_frame(text: str) -> bool:
    """Return whether an entry of a traceback is of a file of somebody's own."""
    return any(f'File "{file}"' in text for file in _files)


def told(error: BaseException) -> str:
    """Return an error in one line, that of one's own code first if it was that."""
    return line_of(error) or _words(error)


def _words(error: BaseException) -> str:
    try:
        said = " ".join(str(error).split())
    except Exception as second:  # what an error says is somebody's own code too
        said = f"(and {type(second).__name__} when asked what it is)"
    said = said if len(said) <= MOST_WORDS else f"{said[:MOST_WORDS]} ..."
    said = one_line(said)
    if isinstance(error, OwnCodeError):
        return said
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def _read(path: Path) -> tuple[tuple[str, str], ...]:
    """Return a file and those beside it that it imports, directly or not."""
    texts: dict[str, str] = {}
    waiting = [path]
    while waiting:
        file = waiting.pop(0)
        if file.name not in texts:
            try:
                texts[file.name] = text_of(file)
            except FileNotFoundError:
                raise SpecError(f"there is no file {file}; paths begin at {Path.cwd()}") from None
            except (OSError, UnicodeDecodeError) as error:
                why = getattr(error, "strerror", None) or "it is no text"
                raise SpecError(f"cannot read {file}: {why}") from None
            names = sorted(_imports(texts[file.name]))
            waiting += [p for name in names if (p := path.parent / f"{name}{SUFFIX}").is_file()]
    if sum(len(text) for text in texts.values()) > MOST_BYTES:
        raise SpecError(f"{path} is longer than {MOST_BYTES:,} characters; keep data in files")
    return tuple(texts.items())


def _imports(text: str) -> set[str]:
    """Return the modules that a source names; one that cannot be parsed says so when it runs."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return set()
    found = {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    found |= {n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    return {name for name in found if name.isidentifier()}


def _digest(texts: tuple[tuple[str, str], ...]) -> str:
    """Return a digest of contents; the file's own name stands before it anyway."""
    digest = hashlib.sha256(texts[0][1].encode())
    for name, text in sorted(texts[1:]):
        digest.update(f"\0{name}\0{text}".encode())
    return digest.hexdigest()[:DIGITS]


def _home(path: Path, found: Parcel) -> Path:
    """Return the folder to run it from: its own while it is unchanged there, else a copy."""
    try:
        if _read(path) == found.texts:
            return path.parent
    except SpecError:  # it lies on another machine
        pass
    try:
        return _put_aside(found)
    except StorageError:  # there is no folder of the user's that could be written
        return home.written(home.spare() / found.name, found.texts)


def _aside(name: str) -> Path:
    """Return the folder in which the contents of a file are put aside."""
    from fourlab.core.kernel_cache import base_folder  # needs numba

    return base_folder().parent / "own" / name


def _put_aside(found: Parcel) -> Path:
    """Return the folder with a copy."""
    return home.written(_aside(found.name), found.texts)


def _try_out(name: str) -> None:
    if home.tries_first:
        from fourlab.core.trial import try_out  # imports this module

        try_out(name)


def _run(found: Parcel) -> ModuleType:
    """Run a file as a module of its own; what it imports from beside it is its own too."""
    folder = _home(Path(found.path), found)
    _files.update(str(folder / file) for file, _ in found.texts)
    digest = found.name.partition("@")[2]
    house = Home(folder, tuple(file for file, _ in found.texts), f"own_{digest}_")
    try:
        with undisturbed():
            return house.module(Path(found.texts[0][0]).stem)
    except KeyboardInterrupt:  # of a person who waits
        raise
    except BaseException as error:
        raise OwnCodeError(_first_line(error, found)) from error


def _first_line(error: BaseException, found: Parcel) -> str:
    """Return where a file failed to run, and how."""
    if isinstance(error, SyntaxError) and error.filename:
        where = f"{Path(error.filename).name}:{error.lineno}"
        return f"{where}: {type(error).__name__}: {error.msg} in: {(error.text or '').strip()}"
    return line_of(error) or f"{found.texts[0][0]}: {_words(error)}"


def _imported(place: str) -> ModuleType:
    """Import a module; those of the folder one works in are found as well."""
    if str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))
    if place not in sys.modules:
        _try_out(place)
    try:
        with undisturbed():
            spec = importlib.util.find_spec(place)
            _files.add(str(spec and spec.origin))
            return importlib.import_module(place)
    except KeyboardInterrupt:
        raise
    except ModuleNotFoundError as error:
        if error.name and place.startswith(error.name):
            raise SpecError(
                f"there is no module {place!r} here; install it, or name a file: mine.py"
            ) from None
        raise OwnCodeError(f"{place}: {_words(error)}") from error
    except BaseException as error:
        raise OwnCodeError(line_of(error) or f"{place}: {_words(error)}") from error
