"""Files of every kind, damaged: refused in one line, or read as if nothing had happened."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import nasty
from fourlab.arena.certify.certificate import Certificate, certify
from fourlab.arena.match import play
from fourlab.arena.pairing import Pairing, Stretch
from fourlab.arena.records import Records
from fourlab.core.errors import FourlabError
from fourlab.core.storage import HEADER, StorageError, peek, save_arrays
from fourlab.learning.registry import learner
from fourlab.learning.run_files import RunConfig, add_metrics, read_metrics
from fourlab.positions.labels import label, load_labels, save_labels
from fourlab.positions.suites import read_positions
from fourlab.rules.catalog import game
from fourlab.rules.game_files import pgn, read_games
from fourlab.rules.record import load_games, save_games
from fourlab.search.book import Book
from fourlab.search.bookmaking import UNSOLVED, Build
from fourlab.search.solver import Solver
from fourlab.studies.archive import Finished, read_finished, write_json
from fourlab.studies.findings import Column, Findings
from fourlab.values.base import load_values
from fourlab.values.knowledge import Knowledge
from fourlab.values.layers import Shape
from fourlab.values.network import KIND, VERSION
from fourlab.values.weights import load_weights, save_weights
from fourlab.web.keep.item import Item, read_item, write_item
from nets import random_network

RULES = game("connect:columns=4,rows=3,k=3")
FEW_BITS = Shape(width=6, blocks=3, head=2, hidden=3, bins=4, bits=3, distinct=2)
TRIES, FEW = 60, 25  # damages of one file and seed; without the slow tests


def _book(path: Path) -> None:
    making = Build(RULES, 3, path)
    making.scores[:] = 1
    making.finish()


def _progress(path: Path) -> None:
    making = Build(RULES, 3, path.with_suffix(""))
    for at in range(0, making.total, 4):
        making._append({"at": at, "scores": [1] * len(making.scores[at : at + 4])})


def _learned(spec: str) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        made = learner(spec, RULES, seed=1)
        next(made.steps())
        made.save(path)

    return make


def _record(path: Path) -> None:
    pairing = Pairing(str(RULES), "random", "baseline", 1, 2)
    with Records(path) as records:
        games = play(Stretch(pairing, 0, 10))
        records.add(records.pairing(pairing), games, games.notations(RULES))
        records.add_run({"seed": 1})


def _read_record(path: Path) -> Any:
    with Records(path, to_read=True) as records:
        return [list(records.listing()), records.summary(), records.last_run()]


def _labels(path: Path) -> None:
    save_labels(path, label(RULES, np.array([RULES.start().key], np.int64), Solver(RULES)))


def _lines(path: Path) -> None:
    record = path.with_name("lines.db")
    _record(record)
    save_games(path, _read_record(record)[0])


def _pgn(path: Path) -> None:
    record = path.with_name("pgn.db")
    _record(record)
    path.write_text("".join(map(pgn, _read_record(record)[0])))


LINES = [{"games": games, "wins": 0.5, "against": {"random": [1, 2]}} for games in (10, 20)]


def _metrics(path: Path) -> None:
    for line in LINES:
        add_metrics(path.parent, line)


def _read_metrics(path: Path) -> bool:
    """Return whether all lines are believed that are right, and no other."""
    found = read_metrics(path.parent)
    if len(found) < len(LINES):
        raise StorageError("lines are passed over")
    return found == LINES


def _finished(path: Path) -> None:
    found = Findings((Column("a", "a"),), ({"a": 1.5},))
    write_json(path, Finished("demo", found, (), 1.0, {"by": "me"}).to_json())


def _plain(value: Any) -> Any:
    """Return what was read as plain data that can be compared."""
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    return repr(value)


def _knowledge(path: Path) -> Any:
    known, extra = Knowledge.load(path)
    values = known.move_values(known.rules.start())
    return [known.shape, known.about, values, len(known), known.bytes, extra]


def _scores(path: Path) -> bool:
    """Return whether all that a book's progress is believed to know is right."""
    return set(Build(RULES, 3, path.with_suffix("")).scores.tolist()) <= {UNSOLVED, 1}


# kind: how it is made, how it is read into something that can be compared
SEALED: dict[str, tuple[Callable[[Path], None], Callable[[Path], Any]]] = {
    "book.npz": (_book, lambda path: Book.load(path).scores),
    "book.npz.progress": (_progress, _scores),
    "table.npz": (_learned("q:games=200"), _knowledge),
    "tuples.npz": (_learned("n-tuple:games=200,tuples=3,length=3"), _knowledge),
    "net.safetensors": (
        lambda path: random_network(RULES).save(path),
        lambda path: load_values(path).layers,  # type: ignore[attr-defined]
    ),
    "few.safetensors": (
        lambda path: random_network(RULES, FEW_BITS).save(path),
        lambda path: load_values(path).layers,  # type: ignore[attr-defined]
    ),
    "labels.npz": (_labels, lambda path: load_labels(path).scores),
    "certificate.json": (
        lambda path: certify("perfect:ties=first", str(RULES)).save(path),
        Certificate.load,
    ),
    "games.db": (_record, _read_record),
    "config.json": (
        lambda path: RunConfig("q:games=200", str(RULES), 3).save(path.parent),
        lambda path: RunConfig.load(path.parent),
    ),
    "metrics.jsonl": (_metrics, _read_metrics),
    "finished.json": (_finished, read_finished),
    "item.json": (
        lambda path: write_item(path.parent, Item("here", "game", "mine", "me", 1.0, 2.0, 3.0)),
        lambda path: read_item(path.parent),
    ),
}
# Text that people write themselves has no checksum: what is read may differ, and nothing else.
OPEN: dict[str, tuple[Callable[[Path], Any], Callable[[Path], Any]]] = {
    "games.jsonl": (_lines, lambda path: list(load_games(path))),
    "games.pgn": (_pgn, read_games),
    "positions.txt": (
        lambda path: path.write_text("12\n3 won\n\nempty\n41\n"),
        lambda path: read_positions(RULES, path),
    ),
}
HEADED = ("book.npz", "labels.npz", "table.npz", "tuples.npz", "net.safetensors", "few.safetensors")
STRANGE = (0, -1, 2**31, 2**62, 10**300, 1e300, -0.5, True, None, "", "x" * 300, [], {}, [0], "q")


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a sound file of every kind."""
    folder = tmp_path_factory.mktemp("samples")
    for name, (make, _) in {**SEALED, **OPEN}.items():
        make(folder / name)
    return folder


def read(name: str, data: bytes, folder: Path) -> Any:
    """Return what is read of a file with these contents, None if it is refused."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / name).write_bytes(data)
    try:
        return _plain({**SEALED, **OPEN}[name][1](folder / name))
    except FourlabError:
        return None


@pytest.mark.parametrize("name", [*SEALED, *OPEN])
def test_what_is_nested_without_end_is_refused(name: str, tmp_path: Path) -> None:
    assert read(name, b"[" * 200_000, tmp_path / "here") is None


def check(name: str, seed: int, samples: Path, folder: Path, tries: int = TRIES) -> None:
    whole = (samples / name).read_bytes()
    truth = read(name, whole, folder)
    dice = Random(f"{name} {seed}")
    refused = 0
    for number in range(tries):
        data = nasty.damaged(dice, whole)
        try:
            found = read(name, data, folder)
        except Exception as error:
            pytest.fail(f"{name}, seed {seed}, number {number}: {error!r}")
        refused += found is None
        if name in SEALED and found is not None:
            assert found == truth, (name, seed, number)
    assert refused > 0


@pytest.mark.parametrize("name", [*SEALED, *OPEN])
def test_a_damaged_file_is_refused_or_changes_nothing(
    name: str, samples: Path, tmp_path: Path
) -> None:
    check(name, 0, samples, tmp_path / "here", FEW)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("name", [*SEALED, *OPEN])
def test_files_damaged_often_are_refused_or_change_nothing(
    name: str, seed: int, samples: Path, tmp_path: Path
) -> None:
    check(name, seed, samples, tmp_path / "here")


def crafted(dice: Random, path: Path) -> None:
    """Change one value of a header, with a checksum that fits."""
    save: Callable[..., None] = save_weights
    if path.suffix == ".safetensors":
        header, arrays = load_weights(path, KIND, VERSION)
    else:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        header, save = json.loads(str(arrays.pop(HEADER))), save_arrays
        del header["checksum"]
    del header["fourlab"]
    place = header
    name = dice.choice(sorted(place))
    while isinstance(place[name], dict) and place[name] and dice.random() < 0.9:
        place = place[name]
        name = dice.choice(sorted(place))
    place[name] = dice.choice(STRANGE)
    save(path, header.pop("kind"), header.pop("version"), header, arrays)


def craft(name: str, seed: int, samples: Path, folder: Path, tries: int = TRIES) -> None:
    dice = Random(f"{name} {seed}")
    folder.mkdir()
    for number in range(tries):
        shutil.copy(samples / name, folder / name)
        crafted(dice, folder / name)
        try:
            read(name, (folder / name).read_bytes(), folder)
        except Exception as error:
            header = peek(folder / name)
            pytest.fail(f"{name}, seed {seed}, number {number}: {error!r}: {header}")


@pytest.mark.parametrize("name", HEADED)
def test_a_header_that_lies_is_refused_or_harmless(
    name: str, samples: Path, tmp_path: Path
) -> None:
    craft(name, 0, samples, tmp_path / "here", FEW)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("name", HEADED)
def test_headers_that_lie_are_refused_or_harmless(
    name: str, seed: int, samples: Path, tmp_path: Path
) -> None:
    craft(name, seed, samples, tmp_path / "here")
