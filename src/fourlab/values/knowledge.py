"""What was learned about one game, and its file.

The file is an .npz that numpy reads alone: `keys`, `columns`, `values`, `visits` for a table, one
line for each value that was ever taught, by key; `tuples`, `weights` (and what temporal coherence
remembers) for a network; `header`, a JSON text, says the game, the kind and who learned it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from fourlab.core.arrays import Floats
from fourlab.core.errors import DivergedError
from fourlab.core.storage import StorageError, is_folder, load_arrays, save_arrays
from fourlab.rules.boards import Boards
from fourlab.rules.catalog import game, name_of
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import move_cell
from fourlab.rules.position import FIRST, SECOND, Position
from fourlab.rules.worth import worth
from fourlab.values.base import WrongGameError
from fourlab.values.shape import Arrays, Shape, check_contents, fitting, wanted
from fourlab.values.store import (
    ILLEGAL,
    KINDS,
    LEARNED,
    TUPLES,
    Store,
    knows_ends,
    visits_of,
    weigh,
    weigh_rows,
    with_own_space,
)
from fourlab.values.table import (
    DIVERGED,
    LEFT_OUT,
    USED,
    copied,
    entries,
    fill,
    grown,
    is_crowded,
)
from fourlab.values.tuples import Network, new_network

FILE_KIND, VERSION = "values", 1
CHECKPOINT = "checkpoint.npz"  # what a run folder calls it
REWARDS = ("win", "draw", "loss")
SELF = "self"  # the opponent in the config of a learner that moves for both sides
LEVEL = 1  # of compression: six times as fast as the usual, files a sixth larger


def _is_reward(value: Any) -> bool:
    """Return whether a value of a header is a number; raises OverflowError for one too large."""
    return type(value) in (int, float) and math.isfinite(value)


@dataclass
class Knowledge:
    """Values of one game, with room made as they grow, and a record of who learned them."""

    rules: Rules
    shape: Shape
    values: Store
    about: dict[str, Any] = field(default_factory=dict)  # learner, config, seed, progress

    @classmethod
    def new(cls, rules: Rules, shape: Shape, about: dict[str, Any] | None = None) -> Knowledge:
        """Return knowledge of nothing."""
        return cls(rules, shape, shape.values(rules), about or {})

    def __len__(self) -> int:
        """Return how many rows the table has, or weights the network."""
        if self.values.network is not None:
            return int(self.values.network.weights.size)
        return int(self.values.table.sizes[USED])

    @property
    def left_out(self) -> int:
        """How often a position could not be remembered because the table was full."""
        return int(self.values.table.sizes[LEFT_OUT])

    @property
    def has_diverged(self) -> bool:
        """Whether a value was to be learned that no table can hold."""
        return bool(self.values.table.sizes[DIVERGED])

    @property
    def bytes(self) -> int:
        """The memory it takes."""
        table, network = self.values.table, self.values.network
        rest = sum(array.nbytes for array in network or ()) + table.choices.nbytes
        return int(len(table.keys) * table.row_bytes + rest)

    def make_room(self, newcomers: int) -> None:
        """Let the table grow until so many new rows fit, or it has reached its limit."""
        while is_crowded(self.values.table, newcomers):
            self.values = self.values._replace(table=grown(self.values.table))

    def give_ends(self, won: float, drawn: float) -> None:
        """Set what it is worth to win and to fill the board, where that is given, not learned."""
        if knows_ends(self.values):
            self.shape = replace(self.shape, won=won, drawn=drawn)
            self.values = self.values._replace(won=float(won), drawn=float(drawn))

    def move_values(self, position: Position) -> list[float | None]:
        """Return what each move is worth for the side to move, None where it cannot be played.

        Several threads may ask at once.
        """
        if position.is_over:
            return [None] * self.rules.move_count
        values = with_own_space(self.values)
        weigh(self.rules, values, position.mover, position.occupied)
        worths = values.worths.tolist()
        return [None if worth == ILLEGAL else worth for worth in worths]

    def worths(self, boards: Boards) -> Floats:
        """Return [boards, moves]: what each move is worth, nan where nothing was learned of it."""
        raw = np.empty((len(boards.movers), self.rules.move_count))
        weigh_rows(self.rules, with_own_space(self.values), *boards[:2], raw)
        for side in (FIRST, SECOND):
            rows = np.bitwise_count(boards.occupied) % 2 == side
            scaled = [self.worth(value, side) for value in raw[rows].ravel().tolist()]
            found = np.array(scaled, float).reshape(-1, raw.shape[1])
            raw[rows] = np.where(np.isnan(raw[rows]), np.nan, found)
        return raw

    def worth(self, value: float | None, side: int) -> float | None:
        """Return a side's value on the scale of decisions, by the rewards that it was learned with.

        Alone, a loss was minus the other's win, and a draw was seen by the first player.
        """
        if value is None:
            return None
        config = self.about.get("config", {})
        rewards = {name: config[name] for name in REWARDS if name in config}
        if config.get("opponent") == SELF:
            rewards["loss"] = -rewards.get("win", 1.0)
            rewards["draw"] = rewards.get("draw", 0.0) * (1 if side == FIRST else -1)
        return worth(value, **rewards)

    def visits(self, position: Position) -> list[int | None]:
        """Return how often each move was taught, None where it cannot be played."""
        found: list[int | None] = [None] * self.rules.move_count
        for move in position.legal_moves():
            cell = move_cell(self.rules, position.occupied, move)
            found[move] = visits_of(
                self.rules, self.values, position.mover, position.occupied, move, cell
            )
        return found

    def copy(self) -> Knowledge:
        """Return the same knowledge, which does not change when this does."""
        network = self.values.network
        same = None if network is None else Network._make(array.copy() for array in network)
        values = self.values._replace(
            table=copied(self.values.table), network=same, worths=self.values.worths.copy()
        )
        return Knowledge(self.rules, self.shape, values, dict(self.about))

    def arrays(self) -> Arrays:
        """Return the contents; equal knowledge gives equal arrays."""
        network = self.values.network
        if network is None:
            return entries(self.values.table)
        found: Arrays = {
            "tuples": network.cells[: len(network.cells) // 2],
            "weights": network.weights,
        }
        if self.shape.coherent:
            found |= {"sums": network.sums, "sizes": network.sizes}
        return found

    def save(self, path: Path, extra: Arrays | None = None) -> None:
        """Write the file; an old one at `path` stays until the new one is complete."""
        arrays = self.arrays()
        if self.has_diverged or not all(np.isfinite(array).all() for array in arrays.values()):
            raise DivergedError(f"values have diverged and are not saved; {path} is as it was")
        save_arrays(path, FILE_KIND, VERSION, self.header(), arrays | (extra or {}), LEVEL)

    def header(self) -> dict[str, Any]:
        """Return what the file says about its arrays."""
        shape = {**vars(self.shape), "kind": KINDS[self.shape.kind]}
        if self.shape.won != self.shape.won:  # JSON has no NaN
            shape["won"] = None
        return {
            "game": name_of(self.rules),
            "shape": shape,
            "left_out": self.left_out,
            "about": self.about,
        }

    @classmethod
    def load(cls, path: Path, rules: Rules | None = None) -> tuple[Knowledge, Arrays]:
        """Read a file or a run folder's checkpoint, and the extra arrays beside the values.

        Raises StorageError, which names the file, for anything damaged, foreign, of another game
        than `rules`, or of a shape that does not fit its game.
        """
        path = Path(path) / CHECKPOINT if is_folder(Path(path)) else Path(path)
        return cls.checked(path, *load_arrays(path, FILE_KIND, VERSION), rules)

    @classmethod
    def checked(
        cls, path: Path, header: dict[str, Any], arrays: Arrays, rules: Rules | None
    ) -> tuple[Knowledge, Arrays]:
        """Return what the header and the arrays of a file hold, as `load` does."""
        try:
            found = game(header["game"])
            fields = {**header["shape"], "kind": KINDS.index(header["shape"]["kind"])}
            fields["won"] = LEARNED if fields["won"] is None else fields["won"]
            shape, about = Shape(**fields).check(), dict(header["about"])
            config = about.get("config", {})
            if not isinstance(config, dict):
                raise ValueError("its config is none")
            if not all(_is_reward(config.get(name, 0)) for name in REWARDS):
                raise ValueError("rewards are numbers")
            left_out = max(0, min(int(header["left_out"]), 1 << 62))
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise StorageError(f"{path} is damaged: its header makes no sense ({error})") from None
        if rules is not None and found != rules:
            raise WrongGameError(path, found, rules)
        taken = fitting(path, arrays, wanted(found, shape))
        check_contents(path, found, shape, taken)
        known = cls(found, shape, shape.values(found, taken.get("tuples")), about)
        known._put(taken)
        known.values.table.sizes[LEFT_OUT] = left_out
        return known, arrays

    def take(self, path: Path, arrays: Arrays) -> None:
        """Put arrays from a file in place and out of the dictionary; raises StorageError."""
        taken = fitting(path, arrays, wanted(self.rules, self.shape))
        check_contents(path, self.rules, self.shape, taken)
        self._put(taken)

    def _put(self, taken: Arrays) -> None:
        if self.values.kind != TUPLES:
            self.values = self.values._replace(table=fill(self.values.table, taken))
            return
        network = new_network(self.rules, taken["tuples"], self.shape.coherent)
        for name in taken.keys() - {"tuples"}:
            getattr(network, name)[...] = taken[name]
        self.values = self.values._replace(network=network)
