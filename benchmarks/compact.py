"""A winning strategy that meets few positions, for small networks to learn.

    PYTHONPATH=src python -m benchmarks.compact --data FOLDER --out strategy.npz

The fastest wins of the first player on 7x6 lead through 8 million positions. Here, ply by ply, each
position takes the winning move whose replies cost least: a reply that others lead to already costs
nothing, one after which a win is at hand little, any other the more the further away its win is.
Wins that come up to `--slower` moves later than the fastest are looked at. FOLDER keeps what the
solver says.

    PYTHONPATH=src python -m benchmarks.compact --data FOLDER --like NETWORK --out strategy.npz

lets a network have its way: a move that it finds unlikely costs more (`--weight`), so that a small
one is taught what it finds easy, not what takes fewest positions.

    PYTHONPATH=src python -m benchmarks.compact --within A.npz B.npz --out both.npz

unites strategies: all their positions, and in each every move that leads nowhere else. A network
that answers with any of them wins, and may choose.

    PYTHONPATH=src python -m benchmarks.compact --moves docs/deep/zero-first.moves --out own.npz

writes the strategy of a certificate's moves instead: what a search found, for a network to learn.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fourlab.agents.registry import agent
from fourlab.core.arrays import Array, Floats, Ints
from fourlab.core.bits import popcount
from fourlab.core.jit import kernel
from fourlab.core.storage import load_arrays, save_arrays
from fourlab.core.team import Team
from fourlab.learning.networks.replies import SIDES, at_once, beginning
from fourlab.learning.networks.replies import replies as after_replies
from fourlab.positions.labels import (
    UNKNOWN,
    Labeller,
    Labels,
    joined,
    load_labels,
    save_labels,
    unpacked,
)
from fourlab.rules.boards import Boards
from fourlab.rules.catalog import game, name_of
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import legal_cells, move_cell, move_count, play, winning_cells
from fourlab.rules.keys import board_of, shared_key
from fourlab.search.scores import win_score

KIND, VERSION = "strategy", 2
AT_HAND = 0.3  # cost of a position with a win at hand, against one that must be learned
GROWTH = 3.5  # of costs with each move that the win is further away: 2 and 8 give 10% and 4% more
IMPOSSIBLE = 1e-6  # the least a move's chance counts as
PORTION = 1 << 15  # positions a network is asked about at once
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


def winning(labels: Labels, slower: int) -> Array:
    """Return [positions, moves]: does it win, at most so many moves later than the fastest?"""
    scores, best = labels.scores.astype(np.int64), labels.values.astype(np.int64)
    return (scores > 0) & (scores >= best[:, None] - slower)


class Taste:
    """What a network finds unlikely; none: nothing."""

    def __init__(self, rules: Rules, spec: str, weight: float) -> None:
        self.rules, self.weight = rules, weight
        self.player: Any = agent(spec, rules) if spec else None

    def costs(self, keys: Ints) -> Floats:
        """Return [positions, moves]: what each move costs for being unlikely."""
        found = np.zeros((len(keys), self.rules.move_count))
        if self.player is None:
            return found
        for part in range(0, len(keys), PORTION):
            rows = slice(part, part + PORTION)
            movers, occupied = unpacked(self.rules, keys[rows])
            boards = Boards(movers, occupied, np.zeros((len(movers), 0), np.uint8))
            priors = np.asarray(self.player.evaluate(boards)[0], np.float64)
            found[rows] = -self.weight * np.log(np.maximum(priors, IMPOSSIBLE))
        return found


class Builder:
    """Builds strategies of one game; the labels of positions are kept in a file a ply."""

    def __init__(self, rules: Rules, folder: Path, slower: int, taste: Taste) -> None:
        self.rules, self.folder, self.slower, self.taste = rules, folder, slower, taste
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
        if labels.values.min() <= 0:
            raise SystemExit("this side has no win here: there is no such strategy")
        owners, moves = np.nonzero(winning(labels, self.slower))
        found = replies(rules, keys[owners], moves)
        is_key = np.arange(rules.move_count) < found.counts[:, None]
        ahead = np.unique(found.keys[is_key])
        values = self.labels(stones + 2, ahead, labeller).values.astype(np.float64)
        aside = np.abs(2 * (moves % rules.columns) - rules.columns + 1)
        first = np.searchsorted(owners, np.arange(len(keys) + 1))
        taken, chosen = np.zeros(len(ahead), np.bool_), np.empty(len(keys), np.int64)
        extra = AT_HAND * found.at_hand + CENTRAL * aside
        _choose(
            first,
            np.where(is_key, np.searchsorted(ahead, found.keys), 0),
            found.counts,
            extra + self.taste.costs(keys)[owners, moves],
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


def save(path: Path, name: str, keys: Ints, allowed: Array) -> None:
    """Write positions without a win at hand, and which moves are right there."""
    save_arrays(
        path, KIND, VERSION, {"game": name}, {"keys": keys, "moves": np.packbits(allowed, 1)}
    )


def load(path: Path) -> tuple[Rules, Ints, Array]:
    """Return what `save` wrote."""
    header, arrays = load_arrays(path, KIND, VERSION)
    rules = game(header["game"])
    allowed = np.unpackbits(arrays["moves"], axis=1, count=rules.move_count)
    return rules, arrays["keys"], allowed.astype(np.bool_)


def taught(path: Path) -> Labels:
    """Return the positions of a strategy with its moves alone, and those with a win at hand."""
    rules, keys, allowed = load(path)
    labels = at_once(rules, keys)
    labels.values[:] = labels.scores[allowed] = 1
    owners, moves = np.nonzero(allowed)
    return joined([labels, at_once(rules, replies(rules, keys[owners], moves).won)])


@kernel
def _mark_closed(rules: Rules, keys: Ints, first: int, stop: int, allowed: Array) -> None:
    """Mark the moves after which every reply leads to one of the keys, or to a win at hand."""
    for row in range(first, stop):
        mover, occupied = board_of(rules, keys[row])
        for move in range(move_count(rules)):
            cell = move_cell(rules, occupied, move)
            if cell == 0:
                continue
            theirs, stones = play(mover, occupied, cell)
            replied = legal_cells(rules, stones)
            if replied == 0 or winning_cells(rules, theirs) & replied != 0:
                continue
            allowed[row, move] = True
            for reply in range(move_count(rules)):
                cell = move_cell(rules, stones, reply)
                ours, after = play(theirs, stones, cell)
                if cell == 0 or winning_cells(rules, ours) & legal_cells(rules, after) != 0:
                    continue
                key = shared_key(rules, ours, after)
                place = np.searchsorted(keys, key)
                if place == len(keys) or keys[place] != key:
                    allowed[row, move] = False
                    break


def closed(paths: list[Path]) -> tuple[Rules, Ints, Array]:
    """Return all positions of several strategies, and every move that stays among them.

    Such a move wins: no solver has to say so, since it leads nowhere but to positions that do.
    """
    found = [load(path) for path in paths]
    rules, keys = found[0][0], np.unique(np.concatenate([keys for _, keys, _ in found]))
    allowed = np.zeros((len(keys), rules.move_count), np.bool_)
    team = Team(os.cpu_count() or 1)
    team.share(lambda first, stop: _mark_closed(rules, keys, first, stop, allowed), len(keys))
    team.close()
    return rules, keys, allowed


def freed(labels: Labels, slower: int) -> Labels:
    """Return won positions with every win wanted that is at most so many moves slower."""
    wanted = at_once(labels.rules, labels.keys)
    is_open = wanted.values == UNKNOWN
    wanted.scores[winning(labels, slower) & is_open[:, None]] = 1
    wanted.values[is_open] = 1
    return wanted


def free(folder: Path, slower: int) -> Labels:
    """Return all that is labelled, any winning move wanted, and positions with a win at hand."""
    labels = load_labels(folder)
    some = np.arange(0, len(labels), 3)  # three times as many would be at hand as are not
    first = winning(labels, slower)[some].argmax(1)
    won = replies(labels.rules, labels.keys[some], first).won
    return joined([freed(labels, slower), at_once(labels.rules, won)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", default="connect4")
    parser.add_argument("--side", default="first", choices=SIDES)
    parser.add_argument("--data", type=Path, help="keeps what the solver says")
    parser.add_argument("--moves", type=Path, help="of a certificate; no solver is asked")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--slower", type=int, default=2)
    parser.add_argument("--like", default="", help="net:PATH, whose taste is followed")
    parser.add_argument("--weight", type=float, default=10.0, help="of its taste")
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--within", type=Path, nargs="*", default=[], help="strategies to unite")
    options = parser.parse_args()
    if options.within:
        rules, keys, allowed = closed(options.within)
        print(f"{len(keys):,} positions to learn, {allowed.sum(1).mean():.2f} moves right in each")
        save(options.out, name_of(rules), keys, allowed)
        return
    if options.moves:
        options.game, levels = followed(options.moves)
        rules = game(options.game)
    else:
        rules = game(options.game)
        options.data.mkdir(parents=True, exist_ok=True)
        taste = Taste(rules, options.like, options.weight)
        builder = Builder(rules, options.data, options.slower, taste)
        levels = builder.build(options.side, options.threads)
    won = sum(len(replies(rules, *level).won) for level in levels)
    keys, moves = (np.concatenate(parts) for parts in zip(*levels, strict=True))
    print(f"{len(keys):,} positions to learn, {won:,} with a win at hand")
    save(options.out, options.game, keys, moves[:, None] == np.arange(rules.move_count))


if __name__ == "__main__":
    main()
