"""What the learners come to in the same number of games: our own comparison, nothing published."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from fourlab.learning.registry import LEARNERS
from fourlab.learning.tables.learner import TableLearner
from fourlab.studies.base import Claim, Evidence, Experiment, Results, Study
from fourlab.studies.bench import Bench
from fourlab.studies.claims import all_of, compare, is_above
from fourlab.studies.findings import (
    Column,
    Curve,
    Findings,
    Measure,
    Row,
    over_known,
    over_seeds,
    value,
)
from fourlab.studies.plots import curves, intervals
from fourlab.studies.schooling import Exam, Schooled, Schooling

REPORTS = 20  # points of a curve
QUICKER = 10  # times fewer games in a quick run
COLUMNS = (
    Column("learner", "learner", "text"),
    Column("baseline", "score against baseline", "percent"),
    Column("perfect", "against perfect", "percent"),
    Column("best", "perfect moves", "percent"),
    Column("good", "good moves", "percent"),
    Column("off", "values off by"),
)
# The same for all, as far as they have it: rewards 1, 0 and -1, gamma 1.
ALIKE = "alpha=0.1,epsilon=0.1"
OPTIONS = {
    "monte-carlo": "gamma=1,win=1,loss=-1,block=0",
    "n-tuple": "alpha=0.01,epsilon=0.1,tuples=15,length=6",
}


@dataclass(frozen=True)
class Board:
    """A game and how many training games it gets."""

    name: str
    game: str
    games: int


TIC_TAC_TOE = Board("tic-tac-toe", "tictactoe", 50_000)
SMALL = Board("5x4", "connect:columns=5,rows=4,k=4", 100_000)
BOARDS = (TIC_TAC_TOE, SMALL)
NEARLY = 0.49  # a score against perfect of who draws nearly every game
MANY = 2_000_000  # games after which `q` knows 5 x 4 far better


def names() -> list[str]:
    """Return the learners that keep tables or n-tuples."""
    return [name for name in LEARNERS if issubclass(LEARNERS.find(name), TableLearner)]


def spec_of(name: str, opponent: str, games: int, more: str = "") -> str:
    """Return a learner with the options that it is compared with."""
    return f"{name}:{OPTIONS.get(name, ALIKE)},opponent={opponent},games={games}{more}"


def _train(bench: Bench, board: Board, spec: str, games: int) -> list[Schooled]:
    exams = tuple(
        Exam(opponent, bench.pick(size, 50), "alternating")
        for opponent, size in (("baseline", 1000), ("perfect", 400))
    )
    return bench.school(
        [
            Schooling(
                spec, board.game, seed, -(-games // REPORTS), exams, often=True, suite="middle"
            )
            for seed in bench.seeds(10)
        ]
    )


def _score(marks: tuple[int, int, int]) -> float:
    wins, draws, losses = marks
    return (wins + draws / 2) / (wins + draws + losses)


def _row(label: str, runs: Sequence[Schooled]) -> Row:
    scores = [[_score(marks) for marks in run.exams[-1]] for run in runs]
    baseline, perfect = (over_seeds(list(values)) for values in zip(*scores, strict=True))
    best, good, off = (
        over_known([run.truth[key] for run in runs]) for key in ("perfect", "good", "value_error")
    )
    scores_of = {"baseline": baseline, "perfect": perfect}
    return {"learner": label, **scores_of, "best": best, "good": good, "off": off}


def side_by_side(bench: Bench, board: Board, opponent: str) -> Findings:
    """Train every learner on a board against an opponent, and examine it all along."""
    rows: list[Row] = []
    lines = []
    games = bench.pick(board.games, board.games // QUICKER)
    for name in names():
        runs = _train(bench, board, spec_of(name, opponent, games), games)
        rows.append(_row(name, runs))
        series = tuple(tuple(_score(exams[0]) for exams in run.exams) for run in runs)
        lines.append(Curve(name, tuple(runs[0].done), series))
    leader = max(rows, key=lambda row: value(row["baseline"]))
    most = value(leader["baseline"])
    note = f"After {games:,} games {leader['learner']} scores most against baseline: {most:.1%}."
    return Findings(COLUMNS, tuple(rows), tuple(lines), (note,))


def more_games(bench: Bench) -> Findings:
    """Train `q` on 5 x 4 by self-play, for as long as all others and far longer."""
    rows = []
    for games in (SMALL.games, MANY):
        played = bench.pick(games, games // (QUICKER * 10))
        label = "many games" if games == MANY else "as many as the others"
        rows.append(_row(label, _train(bench, SMALL, spec_of("q", "self", played), played)))
    return Findings(COLUMNS, tuple(rows))


def keeping(bench: Bench) -> Findings:
    """Train `monte-carlo` against baseline with more and fewer of its stored moves kept."""
    rows = []
    for board in BOARDS:
        games = bench.pick(board.games, board.games // QUICKER)
        for keep in (0.9, 0.99, 1):
            spec = spec_of("monte-carlo", "baseline", games, f",keep={keep:g}")
            rows.append(_row(f"{board.name}, keep={keep:g}", _train(bench, board, spec, games)))
    return Findings(COLUMNS, tuple(rows))


# ---- claims --------------------------------------------------------------------------------------


def _name(board: Board, opponent: str) -> str:
    return f"{board.name}-{opponent}"


def _percent(found: Measure) -> str:
    return f"{found.value:.1%}"


def _beat_baseline(results: Results) -> Evidence:
    parts, words = [], []
    for board in BOARDS:
        found = results[_name(board, "baseline")]
        for row in found.rows:
            score = found.measure(str(row["learner"]), "baseline")
            parts.append(is_above(compare(score, 0.5), ""))
            words.append(f"{row['learner']} {_percent(score)}")
    return all_of(", ".join(words), *parts)


def _draw_with_perfect(*learners: str) -> Callable[[Results], Evidence]:
    def test(results: Results) -> Evidence:
        parts, words = [], []
        for name in learners:
            score = results["tic-tac-toe-self"].measure(name, "perfect")
            parts.append(is_above(compare(score, NEARLY), ""))
            words.append(f"{name} {_percent(score)}, the least {min(score.samples):.1%}")
        return all_of(", ".join(words) + "; 49% is nearly every game drawn", *parts)

    return test


def _learn_one_opponent(results: Results) -> Evidence:
    parts, words = [], []
    for name in ("q", "afterstates", "double-q", "td-lambda", "n-tuple"):
        alone, taught = (
            results[_name(TIC_TAC_TOE, opponent)].measure(name, "perfect")
            for opponent in ("self", "baseline")
        )
        parts.append(is_above(compare(alone, taught), ""))
        words.append(f"{name} {_percent(alone)} and {_percent(taught)}")
    return all_of("after self-play and after baseline: " + ", ".join(words), *parts)


def _ahead(
    where: str, leader: str, others: Sequence[str], column: str
) -> Callable[[Results], Evidence]:
    """Claim: a learner is better than all others in a column."""

    def test(results: Results) -> Evidence:
        first = results[where].measure(leader, column)
        rest = {name: results[where].measure(name, column) for name in others}
        parts = [is_above(compare(first, other), "") for other in rest.values()]
        words = ", ".join(f"{name} {_percent(other)}" for name, other in rest.items())
        return all_of(f"{leader} {_percent(first)}, {words}", *parts)

    return test


def _everywhere(results: Results) -> Evidence:
    """Claim: `double-q` scores less than `q` against baseline in all four tables."""
    tests = [
        _ahead(_name(board, opponent), "q", ("double-q",), "baseline")
        for board in BOARDS
        for opponent in ("baseline", "self")
    ]
    parts = [test(results) for test in tests]
    return all_of("; ".join(part.says for part in parts), *parts)


def _generalises(results: Results) -> Evidence:
    tables = [name for name in names() if name != "n-tuple"]
    parts = [
        _ahead(_name(SMALL, opponent), "n-tuple", tables, column)(results)
        for opponent in ("baseline", "self")
        for column in ("best", "good")
    ]
    return all_of(parts[0].says, *parts)


def _matter_of_games(results: Results) -> Evidence:
    few, many = (
        results["more-games"].measure(row, "baseline")
        for row in ("as many as the others", "many games")
    )
    return is_above(compare(many, few), f"{_percent(few)} and {_percent(many)}")


def _better_keep(other: str) -> Callable[[Results], Evidence]:
    """Claim: `keep=0.99` scores more than another on both boards."""

    def test(results: Results) -> Evidence:
        parts = [
            _ahead(
                "keeping", f"{board.name}, keep=0.99", [f"{board.name}, keep={other}"], "baseline"
            )(results)
            for board in BOARDS
        ]
        return all_of("; ".join(part.says for part in parts), *parts)

    return test


TITLES = {"baseline": "against baseline", "self": "by self-play"}

STUDY = Study(
    name="learners",
    title="The learners side by side",
    game="tic-tac-toe; 5 x 4, connect 4",
    about=(
        "Every learner of tables and n-tuples in the same number of games, against baseline and by "
        "self-play, held against two opponents and against the truth."
    ),
    source="fourlab's own",
    value="both are draws",
    telling="5x4-self",
    experiments=(
        *(
            Experiment(
                _name(board, opponent),
                f"What do the learners come to on {board.name} {title}?",
                partial(side_by_side, board=board, opponent=opponent),
                figure=partial(curves, y="score against baseline"),
                takes=(40, 5),
            )
            for board in BOARDS
            for opponent, title in TITLES.items()
        ),
        Experiment(
            "more-games",
            "Is it a matter of games? Q-learning by self-play on 5 x 4",
            more_games,
            figure=partial(intervals, column="baseline"),
            takes=(60, 2),
        ),
        Experiment(
            "keeping",
            "How often should Monte Carlo control play its stored move?",
            keeping,
            figure=partial(intervals, column="baseline"),
            takes=(20, 3),
        ),
    ),
    claims=(
        Claim("Who trains against baseline scores above half against it.", _beat_baseline),
        Claim("Who trains against baseline loses more to perfect.", _learn_one_opponent),
        Claim(
            "By self-play q and afterstates draw tic-tac-toe against perfect.",
            _draw_with_perfect("q", "afterstates"),
        ),
        Claim(
            "By self-play n-tuple draws tic-tac-toe against perfect.", _draw_with_perfect("n-tuple")
        ),
        Claim(
            "By self-play on 5 x 4, td-lambda is ahead of q, afterstates and double-q.",
            _ahead("5x4-self", "td-lambda", ("q", "afterstates", "double-q"), "baseline"),
        ),
        Claim(
            "With twenty times the games q by self-play is far better on 5 x 4.", _matter_of_games
        ),
        Claim("double-q scores less against baseline than q, in all four tables.", _everywhere),
        Claim(
            "Trained against baseline on 5 x 4, double-q scores less than q.",
            _ahead("5x4-baseline", "q", ("double-q",), "baseline"),
        ),
        Claim("On 5 x 4 n-tuple plays more perfect and good moves than any table.", _generalises),
        Claim(
            "By self-play on tic-tac-toe afterstates plays more good moves than n-tuple.",
            _ahead("tic-tac-toe-self", "afterstates", ("n-tuple",), "good"),
        ),
        Claim("Monte Carlo control plays better with keep=0.99 than 0.9.", _better_keep("0.9")),
        Claim("Monte Carlo control plays better with keep=0.99 than 1.", _better_keep("1")),
    ),
)
