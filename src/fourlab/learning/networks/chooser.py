"""Moves for very many positions: two forests in turn, as in self-play, one network."""

from __future__ import annotations

import os

import numpy as np

from fourlab.agents.net import oriented, unturned_moves
from fourlab.agents.zero import Zero
from fourlab.core.arrays import Ints
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.core.team import Team
from fourlab.learning.networks.oracle import Desk, Oracle
from fourlab.rules.boards import Boards
from fourlab.search.forest import new_forest, nodes_for
from fourlab.search.serving import new_counter, serve

GROUPS = 2
TREES = 4096  # of each group, where there are as many positions


class Chooser(Zero):
    """The agent `zero` with a fixed number of simulations, made to choose for millions of boards.

    On a GPU the network is a captured graph of one size in bfloat16: what is found for a position
    does not depend on those beside it, but its last bits are not those of the agent elsewhere.
    """

    def use(self, device: str, trees: int = TREES, threads: int = 0) -> Chooser:
        """Set where the network runs, and make room."""
        import torch

        network, rules = self.network, self.rules
        self.oracle = Oracle(rules, network.shape, torch.device(device))
        layers = {name: torch.from_numpy(layer) for name, layer in network.layers.items()}
        self.oracle.put(layers)
        self.team = Team(threads or os.cpu_count() or 1)
        self.desks = [Desk(self.oracle, trees) for _ in range(GROUPS)]
        nodes = nodes_for(self.simulations)
        self.forests = [new_forest(rules, trees, nodes, desk.leaves) for desk in self.desks]
        return self

    def choose(self, boards: Boards, dice: Ints, limit: Limit = NO_LIMIT) -> Ints:
        turned, flipped = oriented(self.rules, boards)
        rows = np.stack(turned[:2], 1)
        halves = [rows[group::GROUPS] for group in range(GROUPS)]
        counters = [
            new_counter(self._puct, forest, self.simulations, half)
            for forest, half in zip(self.forests, halves, strict=True)
        ]
        under_way = [True] * GROUPS
        fresh = [True] * GROUPS
        turn = 0
        while any(under_way):
            group, turn = turn % GROUPS, turn + 1
            if not under_way[group]:
                continue
            desk, counter = self.desks[group], counters[group]
            if not fresh[group]:
                desk.wait()
            fresh[group] = False
            waiting = self.team.share(
                lambda first, stop, counter=counter, desk=desk: serve(  # type: ignore[misc]
                    self.rules, counter, desk.answers, first, stop
                ),
                len(counter.rows),
            )
            under_way[group] = sum(waiting) > 0
            if under_way[group]:
                desk.launch()
        moves = np.empty(len(rows), np.int64)
        for group, counter in enumerate(counters):
            moves[group::GROUPS] = counter.moves
        return unturned_moves(self.rules, moves, flipped)
