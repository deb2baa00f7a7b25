"""How strong the search agents are: the figures of docs/strength.md.

    python -m benchmarks.strength [variants] [connectx] [minimax] [clock] [grades]

Equal time is processor time: what a decision of each variant costs is measured first, in this
process, and its simulations are chosen so that all cost the same. The games themselves then depend
on the seed alone.
"""

import itertools
import sys
import time

import numpy as np

from benchmarks.mcts import positions
from fourlab.agents.registry import agent
from fourlab.arena.events import Event
from fourlab.arena.grading import grade
from fourlab.arena.tournament import Tournament
from fourlab.core.workers import Workers
from fourlab.positions.suites import load_suites
from fourlab.rules.catalog import game

SEED = 20261115


def match(a: str, b: str, games: int, plies: int | None = None) -> str:
    """Play two agents and return a row: games, wins, draws, losses, score with 95% interval."""
    tournament = Tournament(Event("connect4", (a, b), games, SEED, plies=plies))
    with Workers() as pool:
        for _ in tournament.run(pool):
            pass
    [pair] = tournament.to_json()["pairs"]
    tally = tournament.tallies[0].to_json()
    score, low, high = (100 * pair[name] for name in ("score", "low", "high"))
    counts = f"{pair['wins']:,} / {pair['draws']:,} / {pair['losses']:,}"
    extra = f"{tally['mean_moves']:.1f}" if "mean_moves" in tally else ""
    return f"| `{a}` | `{b}` | {counts} | {score:.1f}% ({low:.1f} to {high:.1f}) | {extra} |"


def header(title: str) -> None:
    print(f"\n### {title}\n")
    print("| a | b | wins / draws / losses of a | score of a | moves |\n|---|---|---|---|---|")


def decision_seconds(spec: str) -> float:
    """Return the processor time of a decision, over positions of random games."""
    player, rng = agent(spec), np.random.default_rng(1)
    player.decide(game("connect4").start(), rng)
    played = positions(300)
    rounds = []
    for _ in range(5):
        began = time.thread_time()
        for position in played:
            player.decide(position, rng)
        rounds.append((time.thread_time() - began) / len(played))
    return float(np.median(rounds))


def at_equal_time(base: str, simulations: int, options: str) -> str:
    """Return the variant of `base` whose decisions cost what those of `base` cost."""
    wanted = decision_seconds(f"{base},sims={simulations}")
    taken = decision_seconds(f"{base},{options},sims={simulations}")
    fair = round(simulations * wanted / taken)
    return f"{base},{options},sims={fair}"


def variants() -> None:
    header("Each variant against `mcts:sims=1000`, equal time")
    for options in (
        "solver=no",
        "minimax=2",
        "playouts=heavy",
        "expand=all",
        "formula=ucb1,c=1",
        "formula=tuned,c=1",
        "formula=puct,c=4",
        "final=score",
        "final=robust",
        "graded=0.5",
        "prune=3",
        "draw=-1",
        "depth=4",
        "c=0.7",
        "c=1",
        "c=2",
    ):
        base = "mcts:nodes=4000000"
        spec = at_equal_time(base, 1000, options).replace("nodes=4000000,", "")
        print(match(spec, "mcts:sims=1000", 2000), flush=True)


def connectx() -> None:
    header("The ablation of study connectx: each step against the one before")
    plain = "mcts:formula=ucb1,c=1,final=score,solver=no"
    steps = [
        f"{plain},sims=500",
        f"{plain},sims=1000",
        f"{plain},sims=1000,reuse=yes",
        f"{plain},sims=1150,reuse=yes",
    ]
    for before, after in itertools.pairwise(steps):
        print(match(after, before, 600), flush=True)
    print(match(steps[-1], steps[0], 600))
    print(match("mcts:sims=1150,reuse=yes,minimax=2", steps[-1], 600))


def minimax() -> None:
    header("minimax against baseline")
    print(match("minimax:depth=6", "baseline", 2000, plies=0))
    print(match("minimax:depth=6", "mcts:sims=1000", 1000))
    print(match("minimax:depth=10", "mcts:sims=10000", 200))


def clock() -> None:
    header("What time buys")
    print(match("mcts:time=1", "mcts:time=0.05", 40))


def grades() -> None:
    suites = load_suites(game("connect4"))
    print("\n### Grades by simulations\n")
    print("| agent | positions a suite | opening: perfect / good | middle | end |")
    print("|---|---|---|---|---|")
    specs = [(f"mcts:sims={10**n}", 400 if n < 5 else 200 if n < 6 else 60) for n in range(2, 7)]
    for spec, count in [("random", 1000), ("baseline", 1000), ("minimax:depth=6", 400), *specs]:
        cells = []
        for name in ("opening", "middle", "end"):
            found = grade(agent(spec), suites[name][:count], SEED).to_json()
            cells.append(" / ".join(share(found, kind) for kind in ("perfect", "good")))
        print(f"| `{spec}` | {count} | {' | '.join(cells)} |", flush=True)


def share(found: dict[str, object], kind: str) -> str:
    low, high = found[f"{kind}_interval"]  # type: ignore[misc]
    return f"{100 * float(found[kind]):.0f} ({100 * low:.0f} to {100 * high:.0f})"  # type: ignore


def main() -> None:
    parts = (variants, connectx, minimax, clock, grades)
    for part in parts:
        if len(sys.argv) == 1 or part.__name__ in sys.argv[1:]:
            part()


if __name__ == "__main__":
    main()
