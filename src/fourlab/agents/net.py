"""The players that ask a network: `net`, and what `zero` shares with it."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fourlab.agents.base import Agent, Decision, Numbers
from fourlab.core.arrays import Array, Floats, Ints
from fourlab.core.errors import SpecError
from fourlab.core.jit import kernel
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.core.shipped import shipped_folder
from fourlab.core.spec import option
from fourlab.core.storage import is_there, reading
from fourlab.rules.boards import Boards, boards_of
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import legal_cells, mirror, mirror_move, move_count, winning_cells
from fourlab.rules.keys import is_reflected
from fourlab.rules.position import Position
from fourlab.search.forest import Evaluator
from fourlab.search.puct import Puct, look, tries_move
from fourlab.values.base import read_header, values_file
from fourlab.values.network import KIND, Network
from fourlab.values.outlook import PORTION, worths_of

PUCT = Puct()  # what is worth trying depends on none of its settings
LINE_PLIES = 8  # how far it says how the game goes on


def shipped_file(rules: Rules, name: str = "") -> Path | None:
    """Return the network of a game that comes with fourlab, None if none does by this name.

    What lies on the disk under the name hides it.
    """
    networks = shipped_folder("fourlab.values", "shipped")
    path = networks / f"{rules}{f'-{name}' if name else ''}.safetensors"
    hidden = name and (is_there(Path(name)) or Path(name).name != name)
    return None if hidden or not is_there(path) else path


@dataclass(frozen=True)
class NetworkConfig:
    """Options of every agent that asks a network."""

    path: str = option(
        "",
        "a run folder or a file of a network; nothing: the one that ships; taught, small or own: "
        "proven ones",
        positional=True,
    )
    device: str = option("cpu", "where it runs: without torch, or with it", choices=("cpu", "cuda"))
    both: bool = option(
        False, "ask about a board and its mirror image, and take the mean: twice the work"
    )


@dataclass(frozen=True)
class NetConfig(NetworkConfig):
    """Options of `net`."""

    rule: bool = option(False, "first take a win, else block, and play under no threat")
    plies: int = option(
        0, "plies to look ahead, to boards it then compares; 0: its policy", low=0, high=4, public=2
    )


class NetworkAgent(Agent):
    """An agent that asks a network, and sees of mirror images one.

    One that is to load `later` has looked at the header of its file, and reads it when it first
    plays.
    """

    def __init__(
        self,
        rules: Rules,
        config: Any = None,
        network: Network | bytes | None = None,
        later: bool = False,
    ) -> None:
        super().__init__(rules, config)
        if isinstance(network, bytes):  # the contents of a file
            network = Network.unpacked(network, Path(self.config.path), rules)
        self._file = self.file if network is None else None
        self.mirrors_alike = self.is_deterministic = True
        if later:
            read_header(self.file, KIND, rules)
        else:
            self.network = self._checked(network or _load(self.file, rules))

    @functools.cached_property
    def network(self) -> Network:
        """What it asks."""
        return self._checked(_load(self.file, self.rules))

    def _checked(self, network: Network) -> Network:
        """Return a network if it can be asked what is needed; raises FourlabError."""
        if self.config.both and network.shape.paired:
            raise SpecError(
                f"{self.config.path} sees mirror images alike by itself; write it without both=yes"
            )
        return network

    @property
    def file(self) -> Path:
        """Where its network lies; raises SpecError if nothing is named and none ships.

        What lies on the disk comes before a name of those that ship.
        """
        path = self.config.path
        shipped = shipped_file(self.rules, path)
        if path and shipped is None:
            return values_file(Path(path))
        if shipped is None:
            raise SpecError(
                f"no network of {self.rules} comes with fourlab; make one with fourlab train zero "
                f"--game {self.rules}, and write {self.name}:PATH, the path of its folder or file"
            )
        return shipped

    def carried(self) -> dict[str, bytes]:
        return {"network": self.network.to_go()}

    def sources(self) -> tuple[Path, ...]:
        return () if self._file is None else (self._file,)

    @functools.cached_property
    def evaluate(self) -> Evaluator:
        """What gives priors and values of boards."""
        evaluate: Evaluator = self.network.evaluate
        if self.config.device != "cpu":
            from fourlab.values.on_torch import TorchEvaluator

            evaluate = TorchEvaluator(self.network, self.config.device)
        return of_both(self.rules, evaluate) if self.config.both else evaluate


@functools.lru_cache(maxsize=8)
def _read(path: Path, _changed: int, rules: Rules) -> Network:
    return Network.load(path, rules)


def _load(path: Path, rules: Rules) -> Network:
    """Return the network of a file, read once for all agents; raises StorageError by its name."""
    with reading(path):
        changed = path.stat().st_mtime_ns
    return _read(path, changed, rules)


class _CalledOffError(Exception):
    """Looking ahead was called off."""


class Net(NetworkAgent):
    """Plays the move that a network likes best, or the best of boards some plies ahead."""

    name = "net"
    Config = NetConfig

    def _checked(self, network: Network) -> Network:
        if self.config.plies and not network.has_values:
            raise SpecError(
                f"net:{self.config.path} was taught moves alone and cannot compare boards; "
                f"write it without plies={self.config.plies}"
            )
        return super()._checked(network)

    def choose(self, boards: Boards, dice: Ints, limit: Limit = NO_LIMIT) -> Ints:
        turned, flipped = oriented(self.rules, boards)
        allowed = self._allowed(turned)
        moves = allowed.argmax(1)
        is_open = np.flatnonzero(allowed.sum(1) > 1)  # an only move needs no network
        asked, chosen = turned.take(is_open), moves[is_open]
        for rows, rest in asked.portions(self.rules, PORTION, limit, chosen):
            merits, _ = self._merits(asked.take(rows), rest, self.config.plies, [])
            chosen[rows] = np.nanargmax(merits, axis=1)
        moves[is_open] = chosen
        return unturned_moves(self.rules, moves, flipped)

    def _allowed(self, boards: Boards) -> Array:
        """Return [boards, moves]: what may be played, by the rule where it is asked for."""
        allowed = np.zeros((len(boards.movers), self.rules.move_count), np.bool_)
        mark_allowed(self.rules, PUCT, self.config.rule, *boards[:2], allowed)
        return allowed

    def _merits(
        self, boards: Boards, limit: Limit, plies: int, asked: list[int]
    ) -> tuple[Floats, int]:
        """Return what speaks for each move, nan where it may not be played, and plies looked ahead.

        Its policy, or its worth where it looks ahead; what is called off does not. How many boards
        the network is asked about is put into `asked`.
        """
        try:
            merits = self._ahead(boards, plies, limit, asked)
        except _CalledOffError:
            merits, plies = self._ahead(boards, 0, NO_LIMIT, asked), 0
        return np.where(self._allowed(boards), merits, np.nan), plies

    def _ahead(self, boards: Boards, plies: int, limit: Limit, asked: list[int]) -> Floats:
        if plies == 0 and self.network.has_policy:
            asked.append(len(boards.movers))
            return self.evaluate(boards)[0]
        watch = limit.watch()
        if watch.is_over():  # where no network need be asked, too
            raise _CalledOffError

        def values(leaves: Boards) -> Floats:
            if watch.is_over():
                raise _CalledOffError
            asked.append(len(leaves.movers))
            return self.evaluate(leaves)[1]

        return worths_of(self.rules, values, boards, max(plies, 1))

    def decide(
        self, position: Position, rng: np.random.Generator, limit: Limit = NO_LIMIT
    ) -> Decision:
        turned, flipped = oriented(self.rules, self.board(position))
        asked: list[int] = []
        (merits,), plies = self._merits(turned, limit, self.config.plies, asked)
        best = int(np.nanargmax(merits))
        shares = np.eye(len(merits))[best]
        is_policy = self.network.has_policy and plies == 0
        if is_policy:
            shares = np.nan_to_num(merits) / np.nansum(merits)
        worths = self._ahead(turned, 1, NO_LIMIT, [])[0] if is_policy else merits
        back = images(self.rules) if flipped[0] else np.arange(len(merits))
        move = int(back[best])
        known = numbers(worths[back]) if self.network.has_values else None
        return Decision(
            move,
            values=known,
            raw=known,
            policy=tuple(shares[back].tolist()),
            line=self._line(position, move),
            effort=sum(asked),
        )

    def _line(self, position: Position, move: int) -> tuple[int, ...]:
        """Return how the game goes on if both sides play by its policy."""
        moves = [move]
        while len(moves) < LINE_PLIES:
            position = position.play(moves[-1])
            if position.is_over:
                break
            turned, flipped = oriented(self.rules, self.board(position))
            best = np.nanargmax(self._merits(turned, NO_LIMIT, 0, [])[0], axis=1)
            moves.append(int(unturned_moves(self.rules, best, flipped)[0]))
        return tuple(moves)

    def prepare(self) -> None:
        boards, asked = boards_of([self.rules.start()]), [0]
        self._merits(oriented(self.rules, boards)[0], NO_LIMIT, min(self.config.plies, 1), asked)


def numbers(row: Floats) -> Numbers:
    """Return a row of what is known of moves as decisions have it."""
    return tuple(None if value != value else value for value in row.tolist())


def images(rules: Rules) -> Ints:
    """Return every move's mirror image."""
    return np.array([mirror_move(rules, move) for move in range(rules.move_count)])


def oriented(rules: Rules, boards: Boards) -> tuple[Boards, Array]:
    """Return boards without their moves, one of two mirror images, and whether it is the image."""
    movers, occupied = boards.movers.copy(), boards.occupied.copy()
    flipped = np.zeros(len(movers), np.bool_)
    _orient(rules, movers, occupied, flipped)
    return Boards(movers, occupied, np.zeros((len(movers), 0), np.uint8)), flipped


def unturned_moves(rules: Rules, moves: Ints, flipped: Array) -> Ints:
    """Return moves on boards that `oriented` gave as moves on the boards that it was given."""
    return np.where(flipped, images(rules)[moves], moves)


def of_both(rules: Rules, evaluate: Evaluator) -> Evaluator:
    """Return an evaluator that takes the mean over a board and its mirror image."""
    back = images(rules)

    def mean(boards: Boards) -> tuple[Array, Array]:
        movers, occupied = boards.movers.copy(), boards.occupied.copy()
        _mirror_all(rules, movers, occupied)
        pairs = Boards(
            np.concatenate([boards.movers, movers]),
            np.concatenate([boards.occupied, occupied]),
            np.zeros((2 * len(movers), 0), np.uint8),
        )
        priors, values = evaluate(pairs)
        here, there = np.split(priors, 2)
        return (here + there[:, back]) / 2, np.mean(np.split(values, 2), axis=0)

    return mean


@kernel
def _mirror(rules: Rules, movers: Ints, occupied: Ints, row: int) -> None:
    movers[row], occupied[row] = mirror(rules, movers[row]), mirror(rules, occupied[row])


@kernel
def _mirror_all(rules: Rules, movers: Ints, occupied: Ints) -> None:
    for row in range(len(movers)):
        _mirror(rules, movers, occupied, row)


@kernel
def _orient(rules: Rules, movers: Ints, occupied: Ints, flipped: Array) -> None:
    for row in range(len(movers)):
        if is_reflected(rules, movers[row], occupied[row]):
            _mirror(rules, movers, occupied, row)
            flipped[row] = True


@kernel
def mark_allowed(
    rules: Rules, puct: Puct, by_rule: bool, movers: Ints, occupied: Ints, allowed: Array
) -> None:
    """Mark the moves that may be played: by the rules of the game, or those worth trying.

    Of several that win at once one is marked: there is nothing to choose.
    """
    for row in range(len(movers)):
        cells = legal_cells(rules, occupied[row])
        if by_rule:
            wins = winning_cells(rules, movers[row]) & cells
            cells = wins & -wins if wins else look(rules, puct, movers[row], occupied[row])[1]
        for move in range(move_count(rules)):
            allowed[row, move] = tries_move(rules, cells, move)
