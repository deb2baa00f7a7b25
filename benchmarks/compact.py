"""A winning strategy that meets few positions, for small networks to learn.

    PYTHONPATH=src python -m benchmarks.compact --data FOLDER --out strategy.npz

The fastest wins of the first player on 7x6 lead through 8 million positions. Here, ply by ply, each
position takes the winning move whose replies cost least: a reply that others lead to already costs
nothing, one after which a win is at hand little, any other the more the further away its win is.
Wins that come up to `--slower` moves later than the fastest are looked at. FOLDER keeps what the
solver says.

    PYTHONPATH=src python -m benchmarks.compact --moves docs/deep/zero-first.moves --out own.npz

writes the strategy of a certificate's moves instead: what a search found, for a network to learn.
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fourlab.core.arrays import Array, Floats, Ints
from fourlab.core.bits import popcount
from fourlab.core.jit import kernel
from fourlab.core.storage import load_arrays, save_arrays
from fourlab.learning.networks.replies import SIDES, at_once, beginning
from fourlab.learning.networks.replies import replies as after_replies
from fourlab.positions.labels import UNKNOWN, Labeller, Labels, joined, load_labels, save_labels
from fourlab.rules.catalog import game
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import legal_cells, move_cell, move_count, play, winning_cells
from fourlab.rules.keys import board_of, shared_key
from fourlab.search.scores import win_score

KIND, VERSION = "strategy", 1
AT_HAND = 0.3  # cost of a position with a win at hand, against one that must be learned
GROWTH = 3.5  # of costs with each move that the win is further away: 2 and 8 give 10% and 4% more
CENTRAL = 1e-3  # of cost for each half column from the middle: of equals the most central


class Level(NamedTuple):
    """What is played with so many stones on the board."""

    keys: Ints  # sorted
    moves: Ints


class Replies(NamedTuple):
    """What follows moves and every reply to them."""

    keys: Ints  # [moves, replies], without a win at hand
    counts: Ints  # [moves], how many those are
    at_hand: Ints  # [moves], how many have one
    won: Ints  # their keys, each once


@kernel
def _write(rules: Rules, keys: Ints, moves: Ints, after: Ints, counts: Ints, won: Ints) -> int:
    total = 0
    for row in range(len(keys)):
        mover, occupied = board_of(rules, keys[row])
        mover, occupied = play(mover, occupied, move_cell(rules, occupied, moves[row]))
        for reply in range(move_count(rules)):
            cell = move_cell(rules, occupied, reply)
            theirs, stones = play(mover, occupied, cell)
            if cell == 0 or popcount(stones) == rules.columns * rules.rows:
                continue
            key = shared_key(rules, theirs, stones)
            if winning_cells(rules, theirs) & legal_cells(rules, stones) != 0:
                won[total] = key
                total += 1
                counts[row, 1] += 1
            else:
                after[row, counts[row, 0]] = key
                counts[row, 0] += 1
    return total


def replies(rules: Rules, keys: Ints, moves: Ints) -> Replies:
    """Return what follows moves that keep the win."""
    after = np.zeros((len(keys), rules.move_count), np.int64)
    counts, won = np.zeros((len(keys), 2), np.int64), np.empty(after.size, np.int64)
    total = _write(rules, keys, moves, after, counts, won)
    return Replies(after, counts[:, 0], counts[:, 1], np.unique(won[:total]))


@kernel
def _choose(
    first: Ints,
    places: Ints,
    counts: Ints,
    extra: Floats,
    costs: Floats,
    order: Ints,
    taken: Array,
    chosen: Ints,
) -> None:
    """Choose the cheapest option of each position; what one has taken is free for the others."""
    for position in order:
        best, least = -1, np.inf
        for option in range(first[position], first[position + 1]):
            cost = extra[option]
            for reply in range(counts[option]):
                if not taken[places[option, reply]]:
                    cost += costs[places[option, reply]]
            if cost < least:
                best, least = option, cost
        chosen[position] = best
        for reply in range(counts[best]):
            taken[places[best, reply]] = True


class Builder:
    """Builds strategies of one game; the labels of positions are kept in a file a ply."""

    def __init__(self, rules: Rules, folder: Path, slower: int) -> None:
        self.rules, self.folder, self.slower = rules, folder, slower
        self._kept: dict[int, Labels] = {}

    def build(self, side: str, threads: int | None = None) -> list[Level]:
        """Return a strategy, from the first move to the last."""
        keys, stones, levels = beginning(self.rules, side), SIDES[side], []
        with Labeller(self.rules, threads) as labeller:
            while len(keys):
                level, keys = self._level(stones, keys, labeller)
                levels.append(level)
                stones += 2
        return levels

    def _level(self, stones: int, keys: Ints, labeller: Labeller) -> tuple[Level, Ints]:
        """Return what is played in these positions, and those that it leads to."""
        rules, labels = self.rules, self.labels(stones, keys, labeller)
        scores, best = labels.scores.astype(np.int64), labels.values.astype(np.int64)
        if best.min() <= 0:
            raise SystemExit("this side has no win here: there is no such strategy")
        owners, moves = np.nonzero((scores > 0) & (scores >= best[:, None] - self.slower))
        found = replies(rules, keys[owners], moves)
        is_key = np.arange(rules.move_count) < found.counts[:, None]
        ahead = np.unique(found.keys[is_key])
        values = self.labels(stones + 2, ahead, labeller).values.astype(np.float64)
        aside = np.abs(2 * (moves % rules.columns) - rules.columns + 1)
        first = np.searchsorted(owners, np.arange(len(keys) + 1))
        taken, chosen = np.zeros(len(ahead), np.bool_), np.empty(len(keys), np.int64)
        _choose(
            first,
            np.where(is_key, np.searchsorted(ahead, found.keys), 0),
            found.counts,
            AT_HAND * found.at_hand + CENTRAL * aside,
            GROWTH ** (win_score(rules, stones + 2) - values),
            np.argsort(np.diff(first), kind="stable"),  # those without a choice come first
            taken,
            chosen,
        )
        return Level(keys, moves[chosen]), ahead[taken]

    def labels(self, stones: int, keys: Ints, labeller: Labeller) -> Labels:
        """Return positions of one ply labelled; what was labelled before is looked up."""
        path = self.folder / f"labels-{stones:02}.npz"
        if stones not in self._kept and path.exists():
            self._kept[stones] = load_labels(path)
        known = self._kept.get(stones)
        fresh = keys if known is None else keys[~np.isin(keys, known.keys)]
        if len(fresh) or known is None:
            made = labeller.label(fresh)
            known = made if known is None else joined([known, made])
            known = known.take(np.argsort(known.keys))
            save_labels(path, known)
            self._kept[stones] = known
        return known.take(np.searchsorted(known.keys, keys))


def answers(path: Path) -> tuple[dict[str, Any], list[Level]]:
    """Return what the moves of a certificate say, as `save_moves` wrote them, and all of them.

    Mirror images count as one there, and the first question is the first move of the side.
    """
    with gzip.open(path) as file:
        header = json.loads(file.readline())
        played = np.frombuffer(file.read(), np.uint8).astype(np.int64)
    rules = game(header["game"])
    keys, levels, place = beginning(rules, header["side"]), [], 0
    while len(keys):
        if not header["mirrors"] or place + len(keys) > len(played):
            raise SystemExit(f"{path} is damaged, or tells mirror images apart")
        levels.append(Level(keys, played[place : (place := place + len(keys))]))
        keys = after_replies(rules, *levels[-1])
    return header, levels


def followed(path: Path) -> tuple[str, list[Level]]:
    """Return the game and the strategy that the moves of a certificate are."""
    header, levels = answers(path)
    rules, found = game(header["game"]), []
    for keys, moves in levels:
        is_open = at_once(rules, keys).values == UNKNOWN
        found.append(Level(keys[is_open], moves[is_open]))
    return header["game"], found


def save(path: Path, name: str, levels: list[Level]) -> None:
    """Write a strategy: positions without a win at hand, and what it plays there."""
    keys, moves = (np.concatenate(parts) for parts in zip(*levels, strict=True))
    save_arrays(path, KIND, VERSION, {"game": name}, {"keys": keys, "moves": moves.astype("u1")})


def taught(path: Path) -> Labels:
    """Return the positions of a strategy with its move alone, and those with a win at hand."""
    header, arrays = load_arrays(path, KIND, VERSION)
    rules, keys, moves = game(header["game"]), arrays["keys"], arrays["moves"].astype(np.int64)
    labels = at_once(rules, keys)
    labels.values[:] = labels.scores[np.arange(len(keys)), moves] = 1
    return joined([labels, at_once(rules, replies(rules, keys, moves).won)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", default="connect4")
    parser.add_argument("--side", default="first", choices=SIDES)
    parser.add_argument("--data", type=Path, help="keeps what the solver says")
    parser.add_argument("--moves", type=Path, help="of a certificate; no solver is asked")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--slower", type=int, default=2)
    parser.add_argument("--threads", type=int, default=None)
    options = parser.parse_args()
    if options.moves:
        options.game, levels = followed(options.moves)
        rules = game(options.game)
    else:
        rules = game(options.game)
        options.data.mkdir(parents=True, exist_ok=True)
        levels = Builder(rules, options.data, options.slower).build(options.side, options.threads)
    won = sum(len(replies(rules, *level).won) for level in levels)
    learned = sum(len(level.keys) for level in levels)
    print(f"{learned:,} positions to learn, {won:,} with a win at hand")
    save(options.out, options.game, levels)


if __name__ == "__main__":
    main()
