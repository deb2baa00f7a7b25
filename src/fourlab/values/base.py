"""`Values`: what was learned, whatever holds it, and its file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from fourlab.core.arrays import Floats
from fourlab.core.storage import StorageError, is_folder, peek
from fourlab.rules.boards import Boards
from fourlab.rules.catalog import game
from fourlab.rules.geometry import Rules


class WrongGameError(StorageError):
    """A file of values of another game than the one it was opened for."""

    def __init__(self, path: Path, rules: Rules, wanted: Rules) -> None:
        super().__init__(f"{path} knows {rules}, not {wanted}; play --game {rules} with it")
        self.rules = rules  # the game it knows


class Values(Protocol):
    """Values of one game. `about` says who learned them, and how."""

    rules: Rules
    about: dict[str, Any]

    def worths(self, boards: Boards) -> Floats:
        """Return [boards, moves]: what each move is worth to the side to move.

        1 is a win, 0 a draw, -1 a loss; nan stands for moves that cannot be played or of which
        nothing was learned.
        """
        ...

    def save(self, path: Path) -> None:
        """Write the file; an old one at `path` stays until the new one is complete."""
        ...


def load_values(path: Path | str, rules: Rules | None = None) -> Values:
    """Read values of any kind; raises StorageError, which names the file, for anything else.

    `path` is a file, or a folder that holds one named `checkpoint`. With `rules` the values must be
    of that game.
    """
    from fourlab.values.knowledge import FILE_KIND, Knowledge  # kinds stand on this module
    from fourlab.values.network import KIND, Network

    readers: dict[str, Callable[[Path], Values]] = {
        FILE_KIND: lambda file: Knowledge.load(file, rules)[0],
        KIND: lambda file: Network.load(file, rules),
    }
    file = values_file(Path(path))
    kind = peek(file)["kind"]
    if kind not in readers:
        raise StorageError(f"{file} is a fourlab {kind}; values are one of: {', '.join(readers)}")
    return readers[kind](file)


def read_header(path: Path, kind: str, rules: Rules) -> dict[str, Any]:
    """Return the header of a file of values, whose contents are not looked at.

    Raises StorageError if it is of another kind or another game.
    """
    header = peek(path)
    if header["kind"] != kind:
        raise StorageError(f"{path} is a fourlab {header['kind']}, not a {kind}")
    found = game(str(header.get("game")))
    if found != rules:
        raise WrongGameError(path, found, rules)
    return header


def values_file(path: Path) -> Path:
    """Return the file that a path names: of a run folder, its checkpoint.

    Raises StorageError for a folder without one.
    """
    if not is_folder(path):
        return path
    for found in sorted(path.glob("checkpoint.*")):
        return found
    raise StorageError(
        f"cannot read {path}: no checkpoint is there; "
        "fourlab runs lists what was learned, fourlab train makes one"
    )
