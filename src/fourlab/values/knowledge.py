"""What was learned about one game, and its file.

The file is an .npz that numpy reads alone: `keys`, `columns`, `values`, `visits` for a table, one
line for each value that was ever taught, by key; `tuples`, `weights` (and what temporal coherence
remembers) for a network; `header`, a JSON text, says the game, the kind and who learned it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fourlab.core.arrays import Array, Floats
from fourlab.core.errors import FourlabError
from fourlab.core.storage import StorageError, is_folder, load_arrays, save_arrays
from fourlab.rules.boards import Boards
from fourlab.rules.catalog import game, name_of
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import move_cell
from fourlab.rules.keys import check_size
from fourlab.rules.position import Position
from fourlab.rules.worth import worth
from fourlab.values.base import WrongGameError
from fourlab.values.store import (
    AFTERSTATES,
    DOUBLE,
    ILLEGAL,
    KINDS,
    LEARNED,
    POLICY,
    TUPLES,
    Store,
    visits_of,
    weigh,
    weigh_rows,
    with_own_space,
)
from fourlab.values.table import LEFT_OUT, USED, copied, entries, fill, grown, is_crowded, new_table
from fourlab.values.tuples import MARKS, SIDES, Network, new_network, random_tuples

FILE_KIND, VERSION = "values", 1
CHECKPOINT = "checkpoint.npz"  # what a run folder calls it
Arrays = dict[str, Array]


@dataclass(frozen=True)
class Shape:
    """What values look like before anything is learned."""

    kind: int
    symmetric: bool = True
    megabytes: float = 1024
    spread: float = 0.0
    seed: int = 0
    won: float = LEARNED
    drawn: float = 0.0
    tuples: int = 0
    length: int = 0
    coherent: bool = False

    def values(self, rules: Rules) -> Store:
        """Return values of this shape, nothing learned yet."""
        table_width = 1
        network: Network | None = None
        if self.kind == TUPLES:
            walks = random_tuples(rules, self.tuples, self.length, self.seed)
            network = new_network(rules, walks, self.coherent)
        else:
            check_size(rules)
            if self.kind != AFTERSTATES:
                table_width = rules.move_count * (2 if self.kind == DOUBLE else 1)
        table = new_table(table_width, self.megabytes, self.spread, self.seed, self.kind == POLICY)
        worths = np.zeros(rules.move_count)
        return Store(self.kind, self.symmetric, self.won, self.drawn, table, network, worths)


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
    def bytes(self) -> int:
        """The memory it takes."""
        table, network = self.values.table, self.values.network
        rest = sum(array.nbytes for array in network or ()) + table.choices.nbytes
        return int(len(table.keys) * table.row_bytes + rest)

    def make_room(self, newcomers: int) -> None:
        """Let the table grow until so many new rows fit, or it has reached its limit."""
        while is_crowded(self.values.table, newcomers):
            self.values = self.values._replace(table=grown(self.values.table))

    def move_values(self, position: Position) -> list[float | None]:
        """Return what each move is worth for the side to move, None where it cannot be played.

        Several threads may ask at once.
        """
        values = with_own_space(self.values)
        weigh(self.rules, values, position.mover, position.occupied)
        worths = values.worths.tolist()
        return [None if worth == ILLEGAL else worth for worth in worths]

    def worths(self, boards: Boards) -> Floats:
        """Return [boards, moves]: what each move is worth, nan where nothing was learned of it."""
        raw = np.empty((len(boards.movers), self.rules.move_count))
        weigh_rows(self.rules, with_own_space(self.values), *boards[:2], raw)
        scaled = [self.worth(value) for value in raw.ravel().tolist()]
        return np.where(np.isnan(raw), np.nan, np.array(scaled, float).reshape(raw.shape))

    def worth(self, value: float | None) -> float | None:
        """Return a value on the scale of decisions, by the rewards that it was learned with."""
        if value is None:
            return None
        config = self.about.get("config", {})
        rewards = {name: config[name] for name in ("win", "draw", "loss") if name in config}
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
        save_arrays(path, FILE_KIND, VERSION, self.header(), self.arrays() | (extra or {}))

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
        path = path / CHECKPOINT if is_folder(path) else path
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
            known = cls.new(found, Shape(**fields), header["about"])
            left_out = int(header["left_out"])
        except (KeyError, TypeError, ValueError, FourlabError) as error:
            raise StorageError(f"{path} is damaged: its header makes no sense ({error})") from None
        if rules is not None and found != rules:
            raise WrongGameError(path, found, rules)
        known.take(path, arrays)
        known.values.table.sizes[LEFT_OUT] = left_out
        return known, arrays

    def take(self, path: Path, arrays: Arrays) -> None:
        """Put arrays from a file in place and out of the dictionary."""
        taken: Arrays = {}
        for name, (kind, shape) in self._wanted().items():
            array = arrays.pop(name, None)
            if array is None or array.dtype != kind or not _fits(array.shape, shape):
                what = "nothing" if array is None else f"{array.dtype} of shape {array.shape}"
                raise StorageError(
                    f"{path} is damaged: {what} for {name}, {np.dtype(kind)} of {shape} expected"
                )
            taken[name] = array
        if self.values.kind == TUPLES:
            network = new_network(self.rules, taken.pop("tuples"), self.shape.coherent)
            for name, array in taken.items():
                getattr(network, name)[...] = array
            self.values = self.values._replace(network=network)
        else:
            self._check_entries(path, taken)
            self.values = self.values._replace(table=fill(self.values.table, taken))

    def _check_entries(self, path: Path, taken: Arrays) -> None:
        lengths = {len(taken[name]) for name in ("keys", "columns", "values", "visits")}
        columns, width = taken["columns"], self.values.table.width
        inside = not len(columns) or 0 <= columns.min() <= columns.max() < width
        if "choices" in taken:
            lengths_fit = len(taken["choices"]) == len(taken["choice_keys"])
            inside = inside and lengths_fit and bool((taken["choices"] < width).all())
        if len(lengths) != 1 or not inside or bool((taken["keys"] <= 0).any()):
            raise StorageError(f"{path} is damaged: its entries do not fit {self.rules}")

    def _wanted(self) -> dict[str, tuple[type[Any], tuple[int | None, ...]]]:
        """Return type and shape of every array of the file; None is any length."""
        if self.values.kind != TUPLES:
            wanted: dict[str, tuple[type[Any], tuple[int | None, ...]]] = {
                "keys": (np.int64, (None,)),
                "columns": (np.int16, (None,)),
                "values": (np.float32, (None,)),
                "visits": (np.int32, (None,)),
            }
            if self.values.kind == POLICY:
                wanted |= {"choice_keys": (np.int64, (None,)), "choices": (np.int32, (None,))}
            return wanted
        length = min(self.shape.length, self.rules.cells)
        weights = (SIDES, self.shape.tuples, MARKS**length)
        wanted = {
            "tuples": (np.int64, (self.shape.tuples, length)),
            "weights": (np.float32, weights),
        }
        if self.shape.coherent:
            wanted |= {"sums": (np.float32, weights), "sizes": (np.float32, weights)}
        return wanted


def _fits(shape: tuple[int, ...], wanted: tuple[int | None, ...]) -> bool:
    return len(shape) == len(wanted) and all(
        want is None or have == want for have, want in zip(shape, wanted, strict=True)
    )
