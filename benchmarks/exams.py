"""What a network in training is examined on: exact scores of moves, classes, opening values."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np

from fourlab.arena.statistics import share_interval
from fourlab.core.arrays import Floats, Ints
from fourlab.core.storage import load_arrays
from fourlab.learning.classes import judge, sample
from fourlab.learning.networks.zero import Zero
from fourlab.positions.suites import KIND, UNPLAYABLE, VERSION, Scored, load_suites, suite
from fourlab.rules.boards import Boards, boards_of
from fourlab.rules.geometry import Rules
from fourlab.rules.position import position_of
from fourlab.search.book import shipped_book
from fourlab.search.forest import search

PLIES = range(8, 21)  # of positions that shipped suites are graded on
CLASSES, SEARCHED = 6000, 2000  # UCI positions that the network values, and that are searched
OPENINGS = 3000  # positions of the book
DRAWN = 0.3  # half of what the slowest win is worth: values nearer to 0 say draw
SEED = 20261116


@dataclasses.dataclass
class Exam:
    """Positions with the exact score of every move."""

    name: str
    boards: Boards
    scores: Ints  # [positions, moves], UNPLAYABLE where there is no move

    @classmethod
    def of(cls, name: str, scored: list[Scored]) -> Exam:
        scores = [[UNPLAYABLE if s is None else s for s in one.scores] for one in scored]
        return cls(name, boards_of([one.position for one in scored]), np.array(scores))

    def part(self, count: int) -> Exam:
        rows = np.arange(min(count, len(self.scores)))
        return Exam(self.name, self.boards.take(rows), self.scores[rows])

    def grade(self, moves: Ints) -> tuple[float, float]:
        """Return the shares of moves that are perfect, and that keep win, draw or loss."""
        got, best = self.scores[np.arange(len(moves)), moves], self.scores.max(1)
        good = float((np.sign(got) == np.sign(best)).mean())
        return round(float((got == best).mean()), 4), round(good, 4)


def exams(rules: Rules, files: list[str]) -> list[Exam]:
    """Return what is graded on: the suites that ship, plies 8 to 20, and files."""
    shipped = load_suites(rules)
    suites = shipped or {name: suite(rules, name) for name in ("opening", "middle")}
    found = []
    for name, scored in suites.items():
        fit = [one for one in scored if not shipped or one.position.ply in PLIES]
        if name != "uci" and len(fit) >= 50:
            found.append(Exam.of(name, fit))
    for file in map(Path, files):
        found += read(rules, file)
    return found


def read(rules: Rules, file: Path) -> list[Exam]:
    """Return the positions of a file of benchmarks/scored.py, or of moves and scores a line."""
    if file.suffix != ".npz":
        lines = [line.split() for line in file.read_text().splitlines()]
        positions = [position_of(rules, line[0]) for line in lines]
        scores = np.array([[int(score) for score in line[1:]] for line in lines])
        return [Exam(file.stem, boards_of(positions), scores)]
    found, (_, arrays) = [], load_arrays(file, KIND, VERSION)
    for key in (key for key in arrays if key.endswith("_moves")):
        name = key.removesuffix("_moves")
        positions = [position_of(rules, moves.decode()) for moves in arrays[key]]
        found.append(Exam(name, boards_of(positions), arrays[f"{name}_scores"].astype(np.int64)))
    return found


def examine(learner: Zero, found: list[Exam], sims: tuple[int, ...]) -> dict[str, Any]:
    """Return perfect and good: the bare network, with the rules first (0), and with searches."""
    shop, report = learner.workshop, {}
    for exam in found:
        priors, _ = shop.oracle.evaluate(exam.boards)
        bare = np.where(exam.scores > UNPLAYABLE, priors, -1.0).argmax(1)
        grades = {"bare": exam.grade(bare)}
        for count in sims:
            told = search(
                learner.rules,
                shop.oracle.evaluate,
                exam.boards,
                count,
                learner.config.puct._replace(rule=True),
                team=shop.team,
            )
            grades[str(count)] = exam.grade(told.moves)
        report[exam.name] = grades
    return report


def examine_values(learner: Zero, sims: tuple[int, ...] = (100,)) -> dict[str, Any]:
    """Return how right values are: UCI classes and openings, with 95% intervals; {} elsewhere."""
    book = shipped_book(learner.rules)
    if book is None or str(learner.rules) != "connect4":
        return {}
    data, rng = sample(CLASSES), np.random.default_rng(SEED)
    report: dict[str, Any] = {"uci": {}, "book": {}}
    for count in (0, *sims):
        some = data.take(np.arange(SEARCHED if count else CLASSES))
        found = judge(
            _values(learner, _boards(some.movers, some.occupied), count),
            some.outcomes.astype(np.int64),
        )
        report["uci"][_name(count)] = _share(found.accuracy, found.positions)
    movers, occupied, scores = (
        np.concatenate(parts)
        for parts in (
            [shelf.movers for shelf in book.shelves],
            [shelf.occupied for shelf in book.shelves],
            list(book.scores),
        )
    )
    rows = rng.permutation(len(movers))[:OPENINGS]
    truth, openings = np.sign(scores[rows].astype(np.int64)), _boards(movers[rows], occupied[rows])
    for count in (0, sims[0]):
        values = _values(learner, openings, count)
        said = np.where(np.abs(values) < DRAWN, 0, np.sign(values))
        report["book"][_name(count)] = _share(float((said == truth).mean()), len(truth))
        report["book"][f"{_name(count)}_error"] = round(float(np.abs(values - truth).mean()), 4)
    return report


def _name(sims: int) -> str:
    return str(sims) if sims else "bare"


def _boards(movers: Ints, occupied: Ints) -> Boards:
    return Boards(movers, occupied, np.zeros((len(movers), 0), np.uint8))


def _values(learner: Zero, boards: Boards, sims: int) -> Floats:
    """Return what boards are worth to the side to move: to the network, or after a search."""
    shop = learner.workshop
    if sims == 0:
        return np.asarray(shop.oracle.evaluate(boards)[1], np.float64)
    puct = learner.config.puct._replace(rule=True)
    return search(learner.rules, shop.oracle.evaluate, boards, sims, puct, team=shop.team).worths


def _share(share: float, count: int) -> list[float]:
    """Return a share and its 95% interval."""
    return [round(part, 4) for part in (share, *share_interval(share * count, count))]
