"""A study in its folder: one JSON file for each experiment that is finished.

study.json            which study, of which size, with which seed
results/NAME.json     an experiment: findings, how it was run, with what, and how long it took
report.html ...       what `report.py` makes of them

What is finished is not done again: that is resuming.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fourlab.core import own
from fourlab.core.errors import FourlabError, MissingExtraError, SpecError
from fourlab.core.files import contents
from fourlab.core.held import Held, alone
from fourlab.core.machine import provenance
from fourlab.core.shipped import shipped_folder
from fourlab.core.storage import StorageError, is_there, replacing, seal, unseal
from fourlab.core.workers import Workers
from fourlab.studies.base import Experiment, Results, Study
from fourlab.studies.bench import Bench, Listener
from fourlab.studies.findings import Findings

FORMAT = 1
CONFIG, RESULTS = "study.json", "results"
REPORT = "report.html", "report.md", "figures"  # what is made of them
SHIPPED = shipped_folder("fourlab.studies", "reports")
REFERENCE_CORES = 2  # on which `Experiment.takes` was measured


@dataclass(frozen=True)
class Finished:
    """An experiment that was run: what came out, and how."""

    name: str
    findings: Findings
    log: tuple[dict[str, Any], ...]  # as `Bench.log`
    seconds: float
    made: dict[str, Any]  # as `machine.provenance`, and when

    def to_json(self) -> dict[str, Any]:
        """Return plain data: `Finished.from_json` backwards."""
        return {**asdict(self), "format": FORMAT, "findings": self.findings.to_json()}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Finished:
        """Return the experiment of plain data; raises KeyError or TypeError if it is none."""
        data = {name: data[name] for name in ("name", "findings", "log", "seconds", "made")}
        return cls(
            **{**data, "findings": Findings.from_json(data["findings"]), "log": tuple(data["log"])}
        )

    @property
    def games(self) -> int:
        """The games that it took."""
        return sum(entry.get("games", 0) for entry in self.log)

    @property
    def distinct(self) -> float | None:
        """The share of different games among those of its matches, None without any."""
        matches = [entry for entry in self.log if entry["kind"] == "match"]
        games = sum(entry["games"] for entry in matches)
        return sum(entry["distinct"] for entry in matches) / games if games else None


class Archive:
    """A study's folder. Iterate over `run` to do what is left."""

    def __init__(self, study: Study, folder: Path, quick: bool = False, seed: int = 0) -> None:
        self.study = study
        self.folder = folder
        self.quick = quick
        self.seed = seed
        self.finished: dict[str, Finished] = {}
        self.missing: dict[str, str] = {}  # experiments that need what is not installed, and what

    @classmethod
    def start(cls, study: Study, folder: Path, quick: bool = False, seed: int = 0) -> Archive:
        """Begin a study in a new folder; raises StorageError if one is there already, or was."""
        if is_there(folder / CONFIG):
            raise StorageError(
                f"{folder} holds a study already; go on with --resume, or name another --out"
            )
        if is_there(folder / RESULTS):
            raise StorageError(
                f"{folder / RESULTS} is left of a study whose {CONFIG} is gone; name another --out"
            )
        for name in REPORT:
            if is_there(folder / name):
                raise StorageError(f"{folder / name} is there, of no study; name another --out")
        archive = cls(study, folder, quick, seed)
        write_json(
            folder / CONFIG, {"format": FORMAT, "study": study.name, "quick": quick, "seed": seed}
        )
        return archive

    @classmethod
    def open(cls, study: Study, folder: Path) -> Archive:
        """Return the study of a folder with what is finished; raises StorageError if it is none."""
        if not is_there(folder / CONFIG):
            raise StorageError(f"{folder} holds no study to go on with; leave out --resume")
        try:
            config = read_json(folder / CONFIG)
            name, quick, seed = config["study"], bool(config["quick"]), int(config["seed"])
        except (KeyError, TypeError, ValueError):
            raise StorageError(f"{folder / CONFIG} is damaged; name another --out") from None
        if name != study.name:
            raise StorageError(f"{folder} holds study {name!r}, not {study.name!r}")
        archive = cls(study, folder, quick, seed)
        for experiment in study.experiments:
            path = archive.path(experiment)
            if path.exists():
                done = archive.finished[experiment.name] = read_finished(path)
                if done.name != experiment.name:
                    raise StorageError(f"{path} is of experiment {done.name!r}; delete it")
                of = done.made.get("quick", quick), done.made.get("seed", seed)
                if of != (quick, seed):  # what was run before it was noted is of any
                    size = "quick" if of[0] else "full"
                    raise StorageError(f"{path} is of a {size} run with seed {of[1]}; delete it")
        return archive

    def path(self, experiment: Experiment) -> Path:
        """Return the file of an experiment."""
        return self.folder / RESULTS / f"{experiment.name}.json"

    @property
    def left(self) -> list[Experiment]:
        """The experiments that were not run yet."""
        return [e for e in self.study.experiments if e.name not in self.finished]

    @property
    def results(self) -> Results:
        """The findings so far."""
        return Results(self.study, {name: done.findings for name, done in self.finished.items()})

    @property
    def outdated(self) -> list[str]:
        """The experiments that were run before one's own file was changed."""
        now = own.digest_of(self.study.spec)
        ran = {name: done.made.get("source", now) for name, done in self.finished.items()}
        return [name for name, digest in ran.items() if digest != now]

    def chosen(self, only: tuple[str, ...]) -> list[Experiment]:
        """Return what is left of the experiments that are named, of all if none is."""
        return [experiment for experiment in self.left if not only or experiment.name in only]

    def estimate(self, cores: int, only: tuple[str, ...] = ()) -> float:
        """Return the seconds that what is left of them will take, judged by what is done."""
        size = int(self.quick)
        known = [
            (e.takes[size], self.finished[e.name].seconds)
            for e in self.study.experiments
            if e.name in self.finished
        ]
        pace = sum(took for _, took in known) / max(sum(told for told, _ in known), 1e-9)
        scale = pace if known else REFERENCE_CORES / min(cores, REFERENCE_CORES)
        return scale * sum(experiment.takes[size] for experiment in self.chosen(only))

    def run(
        self,
        workers: Workers,
        listener: Listener | None = None,
        only: tuple[str, ...] = (),
    ) -> Iterator[Experiment]:
        """Run what is left; yields each experiment before it begins, and keeps it when it ends.

        One that needs an extra which is not installed is passed over and named in `missing`.
        Raises StorageError if another program is at work in the folder.
        """
        with alone(self.folder) as held:
            yield from self._run(held, workers, listener, only)

    def _run(
        self, held: Held, workers: Workers, listener: Listener | None, only: tuple[str, ...]
    ) -> Iterator[Experiment]:
        for experiment in self.chosen(only):
            yield experiment
            held.check()
            bench = Bench(
                workers, self.folder / "work" / experiment.name, self.seed, self.quick, listener
            )
            began = time.perf_counter()
            try:
                findings = experiment.run(bench)
            except MissingExtraError as error:
                self.missing[experiment.name] = str(error)
                continue
            finally:
                bench.leave()
            if not isinstance(findings, Findings):
                raise SpecError(
                    f"experiment {experiment.name!r} returned {findings!r:.60}; "
                    "return Findings(columns, rows)"
                )
            finished = datetime.now(UTC).isoformat(timespec="seconds")
            made = {
                **provenance(),
                "finished": finished,
                "quick": self.quick,
                "seed": self.seed,
                "source": own.digest_of(self.study.spec),
            }
            seconds = time.perf_counter() - began
            done = Finished(experiment.name, findings, tuple(bench.log), seconds, made)
            held.check()
            write_json(self.path(experiment), done.to_json())
            self.finished[experiment.name] = done


def shipped(study: Study) -> Archive | None:
    """Return the full run that comes with the package, None for a study that has none."""
    folder = SHIPPED / study.name
    return Archive.open(study, folder) if (folder / CONFIG).exists() else None


def write_json(path: Path, data: dict[str, Any]) -> None:
    """Write plain data with a checksum, all of it or nothing."""
    plain = json.loads(json.dumps(data, allow_nan=False))  # lists for tuples, as it is read
    with replacing(path) as file:
        file.write(json.dumps(seal(plain)).encode())


def read_json(path: Path) -> dict[str, Any]:
    """Return what `write_json` wrote; raises StorageError if it is anything else.

    What ships was written before there were checksums.
    """
    try:
        data = json.loads(contents(path))
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise StorageError(f"{path} is no file of a study, or it is damaged")
    return unseal(data, path)


def read_finished(path: Path) -> Finished:
    """Return an experiment that was kept; raises StorageError if the file is none."""
    try:
        return Finished.from_json(read_json(path))
    except (KeyError, TypeError, ValueError, AttributeError):
        raise StorageError(f"{path} is damaged; delete it to redo the experiment") from None


def check_only(study: Study, only: tuple[str, ...]) -> None:
    """Raise FourlabError for an experiment that the study does not have."""
    names = [experiment.name for experiment in study.experiments]
    for name in only:
        if name not in names:
            raise FourlabError(
                f"study {study.name} has no experiment {name!r}; it has: {', '.join(names)}"
            )
