"""Positions with the exact score of every move, for `benchmarks/zero.py --positions`.

python benchmarks/scored.py --files FILE ... --out suites.npz    (a move string a line)
python benchmarks/scored.py --strong 500 --out strong.npz        (games of strong search)
python benchmarks/scored.py --random 1000 --out random.npz       (games of random moves)
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from fourlab.agents.base import Agent
from fourlab.agents.registry import agent
from fourlab.positions.suites import Scored, read_positions, save_suites, score_positions
from fourlab.rules.catalog import game as find_game
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position

PLIES = range(8, 21)
PLAYER = "mcts:sims=2000,expand=all,playouts=heavy"
SEED = 20261116


def met(rules: Rules, count: int, player: Agent, opening: int) -> list[Scored]:
    """Return positions of a player's games against itself, begun at random, one a game."""
    rng = np.random.default_rng(SEED)
    found: dict[int, Position] = {}
    while len(found) < count:
        position = rules.start()
        for _ in range(int(rng.integers(0, opening))):
            position = position.play(int(rng.choice(position.legal_moves())))
        wanted = int(rng.choice(PLIES))
        while not position.is_over and position.ply < wanted:
            position = position.play(player.decide(position, rng).move)
        if not position.is_over:
            found[position.shared_key] = position
    return list(score_positions(found.values()))


def main() -> None:
    """Write what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="connect4")
    parser.add_argument("--files", nargs="*", default=[])
    parser.add_argument("--limit", type=int, default=300, help="positions of a file")
    parser.add_argument("--strong", type=int, default=0)
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    rules = find_game(args.game)
    suites = {}
    if args.strong:
        suites["strong"] = met(rules, args.strong, agent(PLAYER, rules), 4)
    if args.random:
        suites["random"] = met(rules, args.random, agent("random", rules), 1)
    for file in map(Path, args.files):
        positions = [one for one in read_positions(rules, file) if not one.is_over]
        suites[file.stem] = list(score_positions(positions[: args.limit]))
    save_suites(Path(args.out), rules, suites)


if __name__ == "__main__":
    main()
