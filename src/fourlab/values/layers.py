"""What a network looks like, and which arrays its layers are."""

from __future__ import annotations

from dataclasses import dataclass

from fourlab.core.errors import SpecError
from fourlab.rules.geometry import Rules

RESIDUAL, STUDY = "residual", "study"
BLOCKS = "blocks."  # how the names of their layers begin
MOST_BITS = 8
RANGES = {
    "width": (1, 512),
    "blocks": (0, 64),
    "head": (1, 512),
    "hidden": (1, 4096),
    "bins": (2, 1025),
    "bits": (0, MOST_BITS),
    "distinct": (0, 64),
    "paired": (0, 1),
}
STUDY_CONVOLUTIONS, STUDY_HIDDEN = 4, 256
VALUE_HEAD = ("value.", "hidden.", "bins.")  # how the names of its layers begin: no move needs them


@dataclass(frozen=True)
class Shape:
    """What a network looks like; of the study's only `width` can be chosen. Raises SpecError."""

    kind: str = RESIDUAL
    width: int = 64  # channels of every convolution
    blocks: int = 6  # of two convolutions, around which the input is carried
    head: int = 32  # channels of each of the two heads
    hidden: int = 128  # units between value head and bins
    bins: int = 65  # of the distribution over -1 to 1
    bits: int = 0  # of a block's weight, a whole number times the scale of its output; 0: real
    distinct: int = 0  # blocks with convolutions of their own, which the others repeat; 0: all
    paired: int = 0  # 1: half of the channels see mirrored what the other half sees

    def __post_init__(self) -> None:
        if self.kind not in (RESIDUAL, STUDY):
            raise SpecError(f"no network is of kind {self.kind!r}; write {RESIDUAL} or {STUDY}")
        for name, (low, high) in RANGES.items():
            value = getattr(self, name)
            if type(value) is not int or not low <= value <= high:
                raise SpecError(f"a network's {name} is {low} to {high}, not {value!r}")
        if self.bits == 1 or (self.bits and self.kind != RESIDUAL):
            raise SpecError("a network's bits are 2 to 8, or 0 for real numbers; the study's are 0")
        if self.distinct and not (self.bits and self.distinct <= self.blocks):
            raise SpecError(
                "a network's distinct blocks are at most its blocks, and need bits=2..8"
            )
        if self.paired and (self.kind != RESIDUAL or self.width % 2 or self.head % 2):
            raise SpecError("a paired network is residual, its width and head are even")

    def layout(self, rules: Rules) -> dict[str, tuple[int, ...]]:
        """Return the shape of every array of layers for a game, in the order of the file."""
        return (
            _residual_layout(self, rules) if self.kind == RESIDUAL else _study_layout(self, rules)
        )

    def bits_of(self, layer: str) -> int:
        """Return the bits of a layer's weights: what lies outside blocks is little and has all."""
        return self.bits if layer.startswith(BLOCKS) or not self.bits else MOST_BITS

    @property
    def has_policy(self) -> bool:
        """Whether it says more of moves than the boards they lead to."""
        return self.kind == RESIDUAL


def _layer(name: str, *sizes: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": sizes, f"{name}.bias": sizes[:1]}


def _residual_layout(shape: Shape, rules: Rules) -> dict[str, tuple[int, ...]]:
    width, flat = shape.width, shape.head * rules.cells
    found = _layer("stem", width, 2, 3, 3)
    for index in range(shape.blocks):
        found |= _layer(f"blocks.{index}.a", width, width, 3, 3)
        found |= _layer(f"blocks.{index}.b", width, width, 3, 3)
    found |= _layer("policy", shape.head, width, 1, 1) | _layer("moves", rules.move_count, flat)
    found |= _layer("value", shape.head, width, 1, 1) | _layer("hidden", shape.hidden, flat)
    return found | _layer("bins", shape.bins, shape.hidden)


def _study_layout(shape: Shape, rules: Rules) -> dict[str, tuple[int, ...]]:
    width, inner = shape.width, (rules.columns - 2, rules.rows - 2)
    if min(inner) < 1:
        raise SpecError(f"the study's network needs 3 columns and 3 rows at least, not {rules}")
    found: dict[str, tuple[int, ...]] = {}
    for index in range(STUDY_CONVOLUTIONS):
        found |= _layer(f"convolutions.{index}", width, width if index else 1, 3, 3)
    found |= _layer("hidden", STUDY_HIDDEN, width * inner[0] * inner[1])
    return found | _layer("worth", 1, STUDY_HIDDEN)
