"""Positions to grade agents on: made by seed, every move exactly scored.

For `connect4` the suites ship with fourlab; for other games they are made when asked for.
"""

from __future__ import annotations

import functools
import importlib.resources
import itertools
import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fourlab.core.errors import FourlabError, SpecError
from fourlab.core.files import text_of
from fourlab.core.storage import is_there, load_arrays, reading, save_arrays
from fourlab.positions.uci import uci
from fourlab.positions.walks import wander
from fourlab.rules.catalog import name_of
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position, checked_position, position_of
from fourlab.search.solver import shared_solver

log = logging.getLogger("fourlab.positions")

KIND, VERSION = "suite", 1
UNPLAYABLE = -128
SIZE = 1000
SEED = 20261115
EMPTY = "empty"  # the empty board, in a file of positions as where games begin

# Phases of a game, as shares of the board that is filled.
PHASES = {"opening": (0.1, 0.25), "middle": (0.25, 0.6), "end": (0.6, 0.95)}
NAMES = (*PHASES, "uci")


@dataclass(frozen=True)
class Scored:
    """A position and the exact score of every move in it, None where it cannot be played."""

    position: Position
    scores: tuple[int | None, ...]

    @property
    def best(self) -> int:
        """The score of the best move."""
        return max(score for score in self.scores if score is not None)


def score_positions(positions: Iterable[Position]) -> Iterator[Scored]:
    """Solve positions one by one."""
    for position in positions:
        yield Scored(position, tuple(shared_solver(position.rules).scores(position)))


def all_scored(positions: Iterable[Scored | Position]) -> Iterator[Scored]:
    """Solve those positions that are not scored."""
    for one in positions:
        yield one if isinstance(one, Scored) else next(score_positions([checked_position(one)]))


def in_phase(rules: Rules, name: str, patience: int = SIZE, seed: int = SEED) -> Iterator[Position]:
    """Yield distinct positions of a phase, reached by random moves and not over.

    `patience` games in a row that bring none end it.
    """
    low, high = PHASES[name]
    plies = range(round(low * rules.cells), max(round(high * rules.cells), 1))
    rng = np.random.default_rng([seed, NAMES.index(name)])
    found: set[int] = set()
    in_vain = 0
    while in_vain < patience:
        position = wander(rules.start(), rng, int(rng.choice(plies)))[-1]
        in_vain += 1
        if not position.is_over and position.shared_key not in found:
            found.add(position.shared_key)
            in_vain = 0
            yield position


def phase_positions(rules: Rules, name: str, size: int = SIZE, seed: int = SEED) -> list[Position]:
    """Return the first positions of a phase; small boards have fewer than were asked for."""
    return list(itertools.islice(in_phase(rules, name, size, seed), size))


def make_suite(rules: Rules, name: str) -> list[Position]:
    """Return the positions of a suite."""
    if name == "uci":
        rng = np.random.default_rng([SEED, NAMES.index(name)])
        rows = rng.choice(len(uci().movers), SIZE, replace=False)
        return uci().take(np.sort(rows)).positions()
    return phase_positions(rules, name)


def shipped_path(rules: Rules) -> Path:
    """Return where the suites of a game ship, if they do."""
    folder = importlib.resources.files("fourlab.positions") / "suites"
    return Path(str(folder / f"{name_of(rules).replace(':', '-')}.npz"))


def save_suites(path: Path, rules: Rules, suites: dict[str, list[Scored]]) -> None:
    """Write suites of one game."""
    arrays = {}
    for name, scored in suites.items():
        arrays[f"{name}_moves"] = np.array([entry.position.notation for entry in scored], bytes)
        arrays[f"{name}_scores"] = np.array(
            [[UNPLAYABLE if s is None else s for s in entry.scores] for entry in scored], np.int8
        )
    save_arrays(path, KIND, VERSION, {"game": name_of(rules), "seed": SEED}, arrays)


@functools.cache
def load_suites(rules: Rules) -> dict[str, list[Scored]]:
    """Return the suites that ship for a game, none if there are none."""
    path = shipped_path(rules)
    if not path.exists():
        return {}
    _, arrays = load_arrays(path, KIND, VERSION)
    return {
        name: [
            Scored(
                position_of(rules, moves.decode()),
                tuple(None if score == UNPLAYABLE else score for score in scores),
            )
            for moves, scores in zip(
                arrays[f"{name}_moves"], arrays[f"{name}_scores"].tolist(), strict=True
            )
        ]
        for name in NAMES
        if f"{name}_moves" in arrays
    }


def read_positions(rules: Rules, path: Path) -> list[Position]:
    """Read a file of positions: a move string a line, `empty` for the empty board.

    What follows a blank is passed over, and so are lines without anything: that is said of those
    before a position, where one could mean the empty board. Raises FourlabError that names the
    line, and for a file without a position.
    """
    positions, passed = _read(rules, path)
    if not positions:
        raise FourlabError(
            f"{path} holds no position; write a move string a line, {EMPTY} for the empty board"
        )
    if passed:
        lines = "1 empty line" if passed == 1 else f"{passed:,} empty lines"
        _say_once(f"{path}: {lines} passed over; write {EMPTY} for the empty board")
    return positions


def is_of_positions(rules: Rules, path: Path) -> bool:
    """Return whether a file holds positions, or empty lines alone; raises FourlabError if not."""
    _read(rules, path)
    return True


def _read(rules: Rules, path: Path) -> tuple[list[Position], int]:
    """Return the positions of a file, and how many empty lines stand before one of them."""
    with reading(path):
        lines = text_of(path).rstrip().splitlines()
    positions = []
    for number, line in enumerate(lines, start=1):
        try:
            for moves in line.split()[:1]:
                positions.append(position_of(rules, "" if moves == EMPTY else moves))
        except FourlabError as error:
            raise FourlabError(f"{path}, line {number}: {error}") from None
    return positions, len(lines) - len(positions)


@functools.cache  # a command reads its file more than once
def _say_once(words: str) -> None:
    log.warning(words)


def position_lines(starts: Iterable[str]) -> bytes:
    """Return move strings as the file that `read_positions` reads."""
    return "".join(f"{moves or EMPTY}\n" for moves in starts).encode()


def names(rules: Rules) -> tuple[str, ...]:
    """Return the suites that a game has."""
    return NAMES if name_of(rules) == "connect4" else tuple(PHASES)


def check_name(rules: Rules, name: str) -> None:
    """Raise SpecError if `suite` could not find what is named so; nothing is solved."""
    if name not in names(rules):
        _of_file(rules, name)


def _of_file(rules: Rules, name: str) -> list[Position]:
    if not is_there(Path(name)):
        raise SpecError(f"no suite or file {name!r}; suites of {rules}: {', '.join(names(rules))}")
    found = read_positions(rules, Path(name))
    if all(position.is_over for position in found):
        raise SpecError(f"{name} holds no position in which there is a move to make")
    return found


_made: dict[tuple[Rules, str], list[Scored]] = {}  # suites that were made in this process
Reporter = Callable[[Iterable[Position], int], Iterable[Position]]


def suite(
    rules: Rules, name: str, watch: Reporter = lambda positions, _: positions
) -> list[Scored]:
    """Return a named suite, or the positions of a file, with exact scores.

    `watch` sees the positions go by as they are solved, for a progress bar.
    """
    if name in load_suites(rules):
        return load_suites(rules)[name]
    if (rules, name) in _made:
        return _made[rules, name]
    is_named = name in names(rules)
    positions = make_suite(rules, name) if is_named else _of_file(rules, name)
    going_on = [position for position in positions if not position.is_over]
    scored = list(score_positions(watch(going_on, len(going_on))))
    if is_named:
        _made[rules, name] = scored
    return scored
