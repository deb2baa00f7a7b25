"""Matches: the games of a pairing, each of them determined by the pairing and its number.

Games come in twos: 2i and 2i + 1 begin with the same opening, and in even ones `a` is the first
player. Which worker plays a game, and with which others, makes no difference to it.
"""

from __future__ import annotations

import hashlib
import importlib
import math
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fourlab.agents.base import Agent
from fourlab.agents.players import Player, choose
from fourlab.arena.identity import known_agent
from fourlab.arena.openings import Openings, default_plies, openings
from fourlab.rules.bits import add63, multiply63, popcount
from fourlab.rules.catalog import game as find_game
from fourlab.rules.geometry import Rules
from fourlab.rules.jit import kernel
from fourlab.rules.kernels import cell_move, has_line
from fourlab.rules.position import SINGLE_DIGIT_MOVES, position_of, read_moves, write_moves

BATCH = 4096  # games that go on side by side in one kernel
WIN, DRAW, LOSS = 1, 0, -1
PLAYING = 2

Ints = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]
Results = npt.NDArray[np.int8]


@dataclass(frozen=True)
class Pairing:
    """Two agents and the conditions under which they meet: plain data, fit for any worker."""

    game: str
    a: str
    b: str
    seed: int
    plies: int  # length of the openings
    move_seconds: float | None = None  # for one move; None: as long as nothing seems to hang
    modules: tuple[str, ...] = ()  # to import first: they register agents of their own
    checksums: tuple[str, str] = ("", "")  # of the files that a and b are loaded from

    @property
    def rules(self) -> Rules:
        """The game."""
        return find_game(self.game)

    def seeds(self, numbers: Ints) -> Ints:
        """Return the seeds of games, 63 bits each, by SplitMix64: unrelated for all numbers."""
        text = f"{self.game} {self.a} {self.b} {self.seed}"
        base = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
        z = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(base)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return ((z ^ (z >> np.uint64(31))) >> np.uint64(1)).astype(np.int64)

    def openings(self, numbers: Ints) -> Openings:
        """Return the openings of games."""
        return openings(self.rules, self.plies, self.seed).take(numbers // 2)


@dataclass(frozen=True)
class Job:
    """Games `first` to `first + count - 1` of a pairing."""

    pairing: Pairing
    first: int
    count: int


Watch = Callable[[Job, list[int]], object]
"""Told again and again which games go on side by side, and the moves so far of the first of them;
what it raises ends the job."""


def nobody(games: Job, moves: list[int]) -> None:
    """Watch no game."""


@dataclass(frozen=True)
class Games:
    """Games that were played, one entry each; results and times in the order of the agents."""

    numbers: Ints  # [games]
    results: Results  # [games], WIN, DRAW or LOSS of a
    lengths: Ints  # [games], moves with those of the opening
    moves: Bytes  # [games, cells], counted from 0
    seconds: npt.NDArray[np.float64]  # [games, 2], that a and b thought
    forfeits: dict[int, str] = field(default_factory=dict)  # number: who, where and why

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, rows: npt.NDArray[np.bool_]) -> Games:
        """Return some of the games."""
        numbers = self.numbers[rows]
        return Games(
            numbers,
            self.results[rows],
            self.lengths[rows],
            self.moves[rows],
            self.seconds[rows],
            {n: self.forfeits[n] for n in numbers.tolist() if n in self.forfeits},
        )

    def keys(self) -> Ints:
        """Return a number for each game that says which moves were played."""
        keys = np.empty(len(self), np.int64)
        _line_keys(self.moves, self.lengths, keys)
        return keys

    def notations(self, rules: Rules) -> list[str]:
        """Return the moves as people write them."""
        lengths = self.lengths.tolist()
        if rules.move_count > SINGLE_DIGIT_MOVES:
            rows = self.moves.tolist()
            return [write_moves(rules, row[:n]) for row, n in zip(rows, lengths, strict=True)]
        text = (self.moves + ord("1")).tobytes().decode("ascii", errors="replace")
        return [text[i * rules.cells : i * rules.cells + n] for i, n in enumerate(lengths)]


def moves_array(rules: Rules, notations: list[str]) -> tuple[Bytes, Ints]:
    """Return moves and lengths of games in notation: `Games.notations` backwards."""
    moves = np.zeros((len(notations), rules.cells), np.uint8)
    lengths = np.zeros(len(notations), np.int64)
    for row, text in enumerate(notations):
        if rules.move_count > SINGLE_DIGIT_MOVES:
            line = np.array(read_moves(rules, text), np.uint8)
        else:
            line = np.frombuffer(text.encode("ascii"), np.uint8) - ord("1")
        moves[row, : len(line)], lengths[row] = line, len(line)
    return moves, lengths


@kernel
def _line_keys(moves: Bytes, lengths: Ints, keys: Ints) -> None:
    """Write a 63-bit hash (FNV-1) of each game's moves."""
    for game in range(len(lengths)):
        key = lengths[game]
        for ply in range(lengths[game]):
            key = add63(multiply63(key, 1099511628211), moves[game, ply] + 1)
        keys[game] = key


class Batch(NamedTuple):
    """Games that go on side by side."""

    movers: Ints  # [games]
    occupied: Ints  # [games]
    states: Ints  # [games], of the dice
    results: Results  # [games], of the first player, or PLAYING
    lengths: Ints  # [games]
    moves: Bytes  # [games, cells]


@kernel
def advance(rules: Rules, player: Player, begin: int, batch: Batch) -> int:
    """Let a player move in every second game from `begin` on; return how many moves it made.

    All games move in step: so a call serves one player alone and its time is that player's.
    """
    made = 0
    for game in range(begin, len(batch.results), 2):
        if batch.results[game] != PLAYING:
            continue
        mover, occupied = batch.movers[game], batch.occupied[game]
        cell, batch.states[game] = choose(rules, player, mover, occupied, batch.states[game])
        batch.moves[game, batch.lengths[game]] = cell_move(rules, cell)
        batch.lengths[game] += 1
        batch.movers[game], batch.occupied[game] = mover ^ occupied, occupied | cell
        made += 1
        if has_line(rules, mover | cell):
            batch.results[game] = WIN if popcount(occupied) % 2 == 0 else LOSS
        elif popcount(occupied) + 1 == rules.columns * rules.rows:
            batch.results[game] = DRAW
    return made


def import_modules(modules: Iterable[str]) -> None:
    """Import what registers the agents of a job."""
    for name in modules:
        importlib.import_module(name)


_memory = threading.local()  # a player has work space of its own, so each thread makes its own


def players(pairing: Pairing) -> tuple[Player, Player] | None:
    """Return the jitted forms of both agents for this thread, or None if either has none."""
    if pairing.move_seconds is not None:
        return None
    key = (pairing.game, pairing.a, pairing.b, pairing.checksums)
    if getattr(_memory, "key", None) != key:
        sides = zip((pairing.a, pairing.b), pairing.checksums, strict=True)
        a, b = (known_agent(spec, pairing.game, digest).player() for spec, digest in sides)
        _memory.players = None
        if a is not None and b is not None:
            _memory.players = (a, b)
            nothing = _set_up(pairing, np.zeros(0, np.int64))
            advance(pairing.rules, a, 0, nothing)  # compiled or loaded off the clock
        _memory.key = key
    found: tuple[Player, Player] | None = _memory.players
    return found


def play(job: Job, watch: Watch = nobody) -> Games:
    """Play the games of a job; runs in a worker.

    Agents that have a jitted form meet inside kernels, many games side by side; the others in a
    process of their own, one game after the other.
    """
    from fourlab.arena.seats import play_seated  # seats.py stands on this module

    import_modules(job.pairing.modules)
    pair = players(job.pairing)
    return play_seated(job, watch) if pair is None else _play_jitted(job, pair, watch)


def play_here(a: Agent, b: Agent, games: int, seed: int, plies: int | None = None) -> Games:
    """Play games between two agents in this thread, without a clock: for agents without a file."""
    from fourlab.arena.host import Host
    from fourlab.arena.seats import gathered

    length = default_plies(a.rules) if plies is None else plies
    pairing = Pairing(str(a.rules), a.spec, b.spec, seed, length)
    one, other = a.player(), b.player()
    if one is not None and other is not None:
        return _play_jitted(Job(pairing, 0, games), (one, other))
    numbers = np.arange(games)
    said: list[dict[str, Any]] = []
    host = Host(said.append)
    seeds, lines = pairing.seeds(numbers).tolist(), pairing.openings(numbers).moves.tolist()
    for number in range(games):
        host.play(number, (a, b), seeds[number], position_of(a.rules, lines[number]), math.inf)
    return gathered(pairing, [message for message in said if "result" in message])


def _play_jitted(job: Job, pair: tuple[Player, Player], watch: Watch = nobody) -> Games:
    end = job.first + job.count
    starts = range(job.first, end, BATCH)
    batches = [Job(job.pairing, at, min(BATCH, end - at)) for at in starts]
    return joined([_play_batch(batch, pair, watch) for batch in batches])


def joined(parts: list[Games]) -> Games:
    """Return the games of all parts."""
    if len(parts) == 1:
        return parts[0]
    return Games(
        np.concatenate([part.numbers for part in parts]),
        np.concatenate([part.results for part in parts]),
        np.concatenate([part.lengths for part in parts]),
        np.concatenate([part.moves for part in parts]),
        np.concatenate([part.seconds for part in parts]),
        {number: text for part in parts for number, text in part.forfeits.items()},
    )


def _play_batch(job: Job, pair: tuple[Player, Player], watch: Watch) -> Games:
    """Play games inside kernels, a call for each player and ply."""
    pairing, first = job.pairing, job.first
    numbers = np.arange(first, first + job.count)
    batch = _set_up(pairing, numbers)
    rules, opening = pairing.rules, int(batch.lengths[0])
    spent, made = np.zeros(2), np.zeros(2, np.int64)
    for ply in range(opening, rules.cells):
        for side, player in enumerate(pair):
            began = time.perf_counter()
            begin = (first + ply + side) % 2  # in even games a moves on even plies
            made[side] += advance(rules, player, begin, batch)
            spent[side] += time.perf_counter() - began
        watch(job, batch.moves[0, : batch.lengths[0]].tolist())
        if not (batch.results == PLAYING).any():
            break
    a_begins = numbers % 2 == 0
    seconds = moves_made(numbers, batch.lengths, opening) * (spent / np.maximum(made, 1))
    results = np.where(a_begins, batch.results, -batch.results).astype(np.int8)
    return Games(numbers, results, batch.lengths, batch.moves, seconds)


def moves_made(numbers: Ints, lengths: Ints, opening: int) -> Ints:
    """Return [games, 2]: the moves that a and b chose, those of the opening left out."""
    by_first = (lengths + 1) // 2 - (opening + 1) // 2
    by_second = lengths // 2 - opening // 2
    a_begins = numbers % 2 == 0
    by_a = np.where(a_begins, by_first, by_second)
    return np.stack([by_a, by_first + by_second - by_a], axis=1)


def _set_up(pairing: Pairing, numbers: Ints) -> Batch:
    """Return games that stand after their openings."""
    begun = pairing.openings(numbers)
    count, plies = begun.moves.shape
    moves = np.zeros((count, pairing.rules.cells), np.uint8)
    moves[:, :plies] = begun.moves
    playing = np.full(count, PLAYING, np.int8)
    lengths = np.full(count, plies, np.int64)
    return Batch(begun.movers, begun.occupied, pairing.seeds(numbers), playing, lengths, moves)
