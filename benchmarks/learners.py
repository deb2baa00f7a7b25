"""What the learners come to in the same number of games, with several seeds.

Run with `python -m benchmarks.learners`: every learner against `baseline` and by self-play, then
games without exploration, sides in turn, and its moves and values against the truth. Scores are
of all seeds with 95% intervals; the rest are means over seeds, with the least and the most.
"""

import functools
import itertools
import statistics
import sys

from fourlab.agents.registry import agent
from fourlab.arena.statistics import share_interval
from fourlab.learning.base import Learner
from fourlab.learning.evaluation import Score, against_truth, play_off, truth_positions
from fourlab.learning.registry import LEARNERS, learner
from fourlab.positions.suites import Scored
from fourlab.rules.catalog import game as find_game

GAMES = {"tictactoe": 50_000, "connect:columns=5,rows=4,k=4": 100_000}
OPPONENTS = ("baseline", "self")
SEEDS = (1, 2, 3)
TESTS = ("baseline", "perfect")
TEST_GAMES = 2000  # of each seed against each opponent
OPTIONS = {
    **dict.fromkeys(LEARNERS, "alpha=0.1,epsilon=0.1"),
    "monte-carlo": "gamma=1,win=1,loss=-1,block=0",  # the rewards of the others
    "n-tuple": "alpha=0.01,epsilon=0.1,tuples=15,length=6",
}


def trained(name: str, game: str, opponent: str, seed: int) -> Learner:
    spec = f"{name}:{OPTIONS[name]},opponent={opponent},games={GAMES[game]}"
    made = learner(spec, game, seed)
    for _ in made.steps():
        pass
    return made


@functools.cache
def positions(game: str) -> list[Scored]:
    return truth_positions(find_game(game), "middle")


def share(score: Score) -> str:
    low, high = share_interval(score.wins + score.draws / 2, score.games)
    return f"{(score.wins + score.draws / 2) / score.games:.1%} ({low:.1%} to {high:.1%})"


def row(name: str, game: str, opponent: str) -> str:
    runs = [(seed, trained(name, game, opponent, seed)) for seed in SEEDS]
    cells = [f"`{name}`"]
    for test in TESTS:
        total = Score(0, 0, 0)
        for seed, made in runs:
            total += play_off(made, agent(test, game), TEST_GAMES, seed, "alternating")
        cells.append(share(total))
    truths = [against_truth(made, positions(game)) for _, made in runs]
    for measure, form in (("perfect", ".1%"), ("good", ".1%"), ("value_error", ".2f")):
        found = [truth[measure] for truth in truths]
        cells.append(
            f"{statistics.mean(found):{form}} ({min(found):{form}} to {max(found):{form}})"
        )
    return f"| {' | '.join(cells)} |"


def main(names: list[str]) -> None:
    headings = [*(f"score against `{name}`" for name in TESTS), "perfect", "good"]
    for (game, games), opponent in itertools.product(GAMES.items(), OPPONENTS):
        print(f"\n{game}, {games:,} games, opponent {opponent}, seeds {SEEDS}\n")
        print(f"| learner | {' | '.join(headings)} | values off by |")
        print("|---" * (len(headings) + 2) + "|")
        for name in names or LEARNERS:
            print(row(name, game, opponent), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
