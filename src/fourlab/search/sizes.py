"""Who wins on which board: connect 4 from the empty board, both sides playing perfectly."""

from __future__ import annotations

from typing import NamedTuple

from fourlab.rules.geometry import Rules

# John Tromp's table, 2015 to 2026: + first player, - second player, = draw, . not known.
PUBLISHED_TABLE = """
      4  5  6  7  8  9 10 11
11    =  .  .  .  .  .  .  .
10    =  =  .  .  .  .  .  .
 9    =  =  +  .  .  .  .  .
 8    =  =  -  +  -  .  .  .
 7    =  =  +  =  +  .  .  .
 6    =  =  -  +  -  -  .  .
 5    =  =  =  =  +  +  +  .
 4    =  =  -  =  -  -  -  -
"""
SIGNS = {"+": 1, "=": 0, "-": -1}
Size = tuple[int, int]  # columns, rows


def _published() -> dict[Size, int]:
    header, *lines = PUBLISHED_TABLE.strip().splitlines()
    found = {}
    for line in lines:
        rows, *signs = line.split()
        for columns, sign in zip(header.split(), signs, strict=True):
            if sign in SIGNS:
                found[int(columns), int(rows)] = SIGNS[sign]
    return found


PUBLISHED = _published()  # outcomes for the first player

# What fourlab's own solver found: outcome, and the nodes that it took.
RECOMPUTED: dict[Size, tuple[int, int]] = {
    (4, 4): (0, 1_185),
    (4, 5): (0, 2_433),
    (4, 6): (0, 22_409),
    (4, 7): (0, 34_332),
    (4, 8): (0, 312_112),
    (4, 9): (0, 381_146),
    (4, 10): (0, 3_572_768),
    (4, 11): (0, 3_536_974),
    (5, 4): (0, 3_593),
    (5, 5): (0, 41_123),
    (5, 6): (0, 110_809),
    (5, 7): (0, 943_516),
    (5, 8): (0, 2_879_298),
    (5, 9): (0, 21_101_784),
    (5, 10): (0, 75_769_042),
    (6, 4): (-1, 26_316),
    (6, 5): (0, 252_032),
    (6, 6): (-1, 2_603_429),
    (6, 7): (1, 11_392_691),
    (6, 8): (-1, 141_325_352),
    (6, 9): (1, 246_204_730),
    (7, 4): (0, 212_140),
    (7, 5): (0, 2_052_859),
    (7, 6): (1, 26_586_367),
    (8, 4): (-1, 1_838_588),
    (8, 5): (1, 13_900_603),
    (9, 4): (-1, 18_710_181),
    (9, 5): (1, 178_428_495),
    (10, 4): (-1, 204_147_146),
}


class Known(NamedTuple):
    """The value of an empty board for the first player."""

    outcome: int  # 1, 0, -1
    is_recomputed: bool  # by fourlab; else published alone

    @property
    def words(self) -> str:
        """Say it."""
        who = {
            1: "the first player wins",
            0: "a draw",
            -1: "the second player wins",
        }[self.outcome]
        return f"{who} with perfect play ({self.source})"

    @property
    def source(self) -> str:
        """Say who found it."""
        return "recomputed by fourlab" if self.is_recomputed else "published by J. Tromp"


def known(rules: Rules) -> Known | None:
    """Return what is known of an empty board, None if nothing is."""
    if rules.connect != 4 or not rules.gravity:
        return None
    size = rules.columns, rules.rows
    if size in RECOMPUTED:
        return Known(RECOMPUTED[size][0], is_recomputed=True)
    return Known(PUBLISHED[size], is_recomputed=False) if size in PUBLISHED else None
