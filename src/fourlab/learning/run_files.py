"""The files of a run folder besides what was learned: what the run is, and its metrics."""

from __future__ import annotations

import json
import logging
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from fourlab.core import own
from fourlab.core.errors import FourlabError, SpecError
from fourlab.core.files import contents, written_at
from fourlab.core.spec import WHOLE_LIMIT, counted, parse
from fourlab.core.storage import SEAL, StorageError, is_there, replacing, seal, unseal

CONFIG, METRICS = "config.json", "metrics.jsonl"
REMEDY = "put a copy in its place, or remove the folder and train anew"
MOST_EVALUATION = 1_000_000  # games of an evaluation, which are all under way at once


@dataclass(frozen=True)
class RunConfig:
    """What a run is: everything that decides what it learns, and how it is looked at."""

    learner: str  # spec string
    game: str
    seed: int = 0
    every: int = 0  # games between two evaluations; 0: a tenth of the run
    against: tuple[str, ...] = ()  # agents it is evaluated against
    evaluation_games: int = 1000
    truth: str = ""  # a suite to hold its moves and values against

    def __post_init__(self) -> None:
        given: Any = self.against
        if isinstance(given, str):  # its letters would be agents
            raise SpecError(f"against={given!r}: write a tuple, such as ('random',)")
        for name, low, high in (
            ("seed", 0, WHOLE_LIMIT - 1),
            ("every", 0, WHOLE_LIMIT - 1),
            ("evaluation_games", 1, MOST_EVALUATION),
        ):
            object.__setattr__(self, name, counted(name, getattr(self, name), low, high))

    def save(self, folder: Path) -> None:
        """Write it into a run folder, with the names of people's own files in it."""
        fields = asdict(self)
        if named := own.notes(self.learner, *self.against):
            fields["own"] = named
        fields = json.loads(json.dumps(fields))
        with replacing(folder / CONFIG) as file:
            file.write(json.dumps(seal(fields), indent=2).encode() + b"\n")

    def settled(self) -> RunConfig:
        """Return it with files named by their contents, so that it can be gone on with as it is."""
        for spec in self.against:
            if own.is_file(parse(spec).name):
                own.parcel(parse(spec).name)
        against = tuple(own.settled(spec) for spec in self.against)
        return replace(self, learner=own.settled(self.learner), against=against)

    @classmethod
    def load(cls, folder: Path) -> RunConfig:
        """Read it from a run folder; raises StorageError if there is none."""
        path = folder / CONFIG
        try:
            fields = unseal(json.loads(contents(path)), path)
            own.recall(fields.pop("own", ()))
            found = cls(**{**fields, "against": tuple(fields["against"])})
        except OSError as error:
            raise StorageError(f"{folder} is no run folder: {CONFIG}: {error.strerror}") from None
        except StorageError as error:
            raise StorageError(f"{error}; {REMEDY}") from None
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise StorageError(f"{path} is damaged: {error}; {REMEDY}") from None
        texts = (found.learner, found.game, found.truth, *found.against)
        if not all(type(text) is str for text in texts):
            raise StorageError(f"{path} is damaged: its entries make no sense; {REMEDY}")
        return found


def add_metrics(folder: Path, line: dict[str, Any]) -> None:
    """Write a line of metrics behind the others."""
    try:
        with (folder / METRICS).open("a", encoding="utf-8") as file:
            file.write(json.dumps(seal(line)) + "\n")
    except OSError as error:
        raise StorageError(f"cannot write {folder / METRICS}: {error.strerror}") from None


def read_metrics(folder: Path) -> list[dict[str, Any]]:
    """Return the lines of metrics of a run, in the order of their games.

    A last line that was cut short is passed over; so is one that is damaged, or of games that an
    earlier one told of: of these a notice is given.
    """
    path = folder / METRICS
    try:
        text = contents(path).decode("utf-8", errors="replace")
    except OSError:
        return []
    lines = text.split("\n")
    sealed = any(f'"{SEAL}": "' in line for line in lines)  # the first fourlab wrote no checksums
    found: dict[int, dict[str, Any]] = {}
    for number, line in enumerate(lines, start=1):
        try:
            read = unseal(json.loads(line), path, must=sealed)
            if type(read["games"]) is not int or read["games"] in found:
                raise ValueError  # as everything that is wrong with a line
            found[read["games"]] = read
        except (ValueError, KeyError, RecursionError):
            if number < len(lines):  # the last one ends the file: empty, or cut short
                logging.getLogger("fourlab").warning("%s: line %d is damaged", path, number)
    return [found[games] for games in sorted(found)]


def drop_metrics_after(folder: Path, games: int) -> None:
    """Keep the lines of metrics that a checkpoint has reached."""
    kept = [seal(line) for line in read_metrics(folder) if line["games"] <= games]
    if (folder / METRICS).exists():
        with replacing(folder / METRICS) as file:
            file.write("".join(json.dumps(line) + "\n" for line in kept).encode())


def find_runs(root: Path) -> list[Path]:
    """Return the run folders below a folder, the latest last."""
    if not is_there(root):
        return []
    found = [path.parent for path in root.rglob(CONFIG) if _is_run(path)]
    return sorted(found, key=lambda folder: written_at(folder / CONFIG))


def _is_run(path: Path) -> bool:
    try:
        RunConfig.load(path.parent)
    except FourlabError:
        return False
    return True
