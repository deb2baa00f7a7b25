"""Study `deep-q`: how strong its networks are, bare and with a search over their values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fourlab.agents.base import Agent
from fourlab.agents.deep_q import DeepQAgent
from fourlab.agents.registry import agent
from fourlab.arena.in_step import play_from
from fourlab.core.arrays import Floats
from fourlab.learning.classes import predict
from fourlab.learning.networks.deep_q import DeepQ
from fourlab.positions.starts import draw_boards, starts
from fourlab.rules.boards import Boards
from fourlab.studies.bench import Bench
from fourlab.studies.deep_q.network import LEARNED, RIGHT, spec, trained
from fourlab.studies.findings import Column, Findings, Row, over_seeds, share
from fourlab.values.outlook import worths_of

OPPONENTS = {  # games a seed, in full and quick
    "random": (20_000, 100),
    "baseline": (2_000, 50),
    "minimax:depth=4": (400, 10),
    "mcts:sims=200": (400, 10),
}
AHEAD = "minimax:depth=4"  # whom a search over the values meets
PLIES = {  # games a seed and positions whose class is told, in full and quick
    1: ((400, 10_000), (10, 500)),
    2: ((400, 4_000), (10, 200)),
    4: ((20, 400), (2, 10)),
}
OUTCOMES = ("wins", "draws", "losses")


@dataclass(frozen=True)
class Ahead:
    """The values of a network, some plies ahead, by alpha-beta."""

    made: DeepQ
    plies: int

    def worths(self, boards: Boards) -> Floats:
        """Return what moves are worth to the side to move."""
        return worths_of(self.made.rules, self.made.values, boards, self.plies)


def duel(player: Agent, opponent: Agent, games: int, seed: int) -> tuple[int, int, int]:
    """Play from UCI positions, half of the games on each side; return wins, draws and losses."""
    rng = np.random.default_rng(seed)
    begun = starts("uci", player.rules)
    found = []
    for sign, count in ((1, games - games // 2), (-1, games // 2)):
        boards = draw_boards(player.rules, begun, rng.integers(1 << 62, size=count))
        pair = (player, opponent) if sign > 0 else (opponent, player)
        found.append(sign * play_from(boards, *pair, rng.integers(1 << 62, size=count)))
    results = np.concatenate(found)
    return int((results > 0).sum()), int((results == 0).sum()), int((results < 0).sum())


def played(job: tuple[str, str, int]) -> tuple[int, int, int]:
    """Let the network of a file play; runs in a worker."""
    path, opponent, games = job
    made = DeepQ.load(Path(path))
    return duel(made.agent(), agent(opponent, made.rules), games, made.seed)


def searched(job: tuple[str, int, int, int]) -> tuple[tuple[int, int, int], float]:
    """Let it look ahead: results of games, and the share of classes told; runs in a worker."""
    path, plies, games, positions = job
    made = DeepQ.load(Path(path))
    ahead = Ahead(made, plies)
    player = DeepQAgent(made.rules, None, ahead)
    results = duel(player, agent(AHEAD, made.rules), games, made.seed)
    return results, predict(ahead.worths, positions, made.seed)[0].accuracy


def _outcomes(found: Sequence[tuple[int, int, int]]) -> Row:
    """Return the cells of results, one a seed."""
    counts = np.array(found)
    shares = counts / counts.sum(axis=1, keepdims=True)
    row: Row = {name: over_seeds(shares[:, at].tolist()) for at, name in enumerate(OUTCOMES)}
    return row | {"games": int(counts.sum())}


COLUMNS = (
    Column("wins", "won", "percent"),
    Column("draws", "drawn", "percent"),
    Column("losses", "lost", "percent"),
    Column("games", "games", "whole"),
)


def opponents(bench: Bench) -> Findings:
    """Play 100,000 games against random, and meet better opponents."""
    files = trained(bench, spec(RIGHT, bench.pick(*LEARNED)))
    rows: list[Row] = []
    for opponent, sizes in OPPONENTS.items():
        found = bench.each(played, [(file, opponent, bench.pick(*sizes)) for file in files])
        wins, games = sum(won for won, _, _ in found), sum(map(sum, found))
        rows.append({"opponent": opponent, **_outcomes(found), "all": share(wins, games)})
    everything = Column("all", "won, all games as one", "percent")
    return Findings((Column("opponent", "opponent", "text"), *COLUMNS, everything), tuple(rows))


def search(bench: Bench) -> Findings:
    """Look 1, 2 and 4 plies ahead over the learned values."""
    files = trained(bench, spec(RIGHT, bench.pick(*LEARNED)))
    rows: list[Row] = []
    for plies, sizes in PLIES.items():
        games, positions = bench.pick(*sizes)
        found = bench.each(searched, [(file, plies, games, positions) for file in files])
        row: Row = {"plies": str(plies), **_outcomes([results for results, _ in found])}
        row["accuracy"] = over_seeds([accuracy for _, accuracy in found])
        rows.append(row)
    accuracy = Column("accuracy", "UCI classes told right", "percent")
    return Findings((Column("plies", "plies ahead", "text"), *COLUMNS, accuracy), tuple(rows))
