"""Does a player punish every mistake? What a walk found on a GPU, judged by the solver.

    PYTHONPATH=src python -m benchmarks.strict --moves second.moves --out second.json

The file holds the moves of a player in every position that it can be led to (`fourlab certify
--moves`, or `benchmarks.zero --certify second` on a GPU). It is walked again, and wherever the
player does not win by force the solver says whether its move gave a win or a draw away.

    PYTHONPATH=src python -m benchmarks.strict --agent zero:sims=0 --side second --plies 13

asks an agent itself, and the solver about every move, as far as so many plies: a table of what it
gives away on the way, where the whole walk is too long.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.compact import answers
from fourlab.agents.base import Agent, Decision
from fourlab.agents.registry import agent
from fourlab.arena.certify.certificate import certify
from fourlab.core.arrays import Ints
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.learning.networks.replies import SIDES, beginning, replies
from fourlab.positions.labels import Labeller, packed
from fourlab.rules.boards import Boards, boards_of
from fourlab.rules.catalog import game
from fourlab.rules.position import Position

KEPT = (("wins", 1), ("draws", 0))  # what can be given away


class Follower(Agent):
    """Plays the moves of a file."""

    name = "moves"
    is_deterministic = mirrors_alike = True

    def __init__(self, path: Path) -> None:
        self.header, levels = answers(path)
        super().__init__(game(self.header["game"]))
        self.keys = np.concatenate([level.keys for level in levels])
        order = np.argsort(self.keys)
        self.keys = self.keys[order]
        self.moves = np.concatenate([level.moves for level in levels])[order]

    def choose(self, boards: Boards, dice: Ints) -> Ints:
        keys = packed(self.rules, boards.movers, boards.occupied)
        found: Ints = self.moves[np.searchsorted(self.keys, keys)]
        return found

    def decide(
        self, position: Position, rng: np.random.Generator, limit: Limit = NO_LIMIT
    ) -> Decision:
        return Decision(int(self.choose(boards_of([position]), np.zeros(1, np.int64))[0]))


def judge(player: Agent, side: str, plies: int, threads: int | None) -> None:
    """Print, ply by ply, in how many positions it is asked, and in how many it gives away."""
    rules, keys, ply = player.rules, beginning(player.rules, side), SIDES[side]
    with Labeller(rules, threads) as labeller:
        while ply <= plies and len(keys):
            labels = labeller.label(keys)
            boards = Boards(*labels.boards(), np.zeros((len(keys), 0), np.uint8))
            moves = player.choose(boards, np.zeros(len(keys), np.int64))
            given = ~labels.keeping()[np.arange(len(keys)), moves]
            told = {"ply": ply, "positions": len(keys), "given_away": int(given.sum())}
            lost = {name: int((np.sign(labels.values[given]) == sign).sum()) for name, sign in KEPT}
            print(json.dumps({**told, **lost}), flush=True)
            keys, ply = replies(rules, keys, moves), ply + 2


def main() -> None:
    """Judge what the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--moves", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--agent", default="")
    parser.add_argument("--game", default="connect4")
    parser.add_argument("--side", default="second", choices=SIDES)
    parser.add_argument("--plies", type=int, default=11)
    parser.add_argument("--threads", type=int, default=None)
    options = parser.parse_args()
    if options.agent:
        asked = agent(options.agent, game(options.game))
        judge(asked, options.side, options.plies, options.threads)
        return
    began, player = time.perf_counter(), Follower(options.moves)
    found = certify(player, player.rules, player.header["side"], strict=True, explain=False)
    found.save(options.out)
    told: dict[str, Any] = {"positions": found.positions, **found.results}
    told |= {"given_away": found.refuted, "certified": found.certified}
    print(json.dumps({**told, "seconds": round(time.perf_counter() - began)}))


if __name__ == "__main__":
    main()
