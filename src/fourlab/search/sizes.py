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
    (4, 4): (0, 1_006),
    (4, 5): (0, 2_181),
    (4, 6): (0, 10_020),
    (4, 7): (0, 14_276),
    (4, 8): (0, 88_448),
    (4, 9): (0, 102_578),
    (4, 10): (0, 789_122),
    (4, 11): (0, 811_357),
    (4, 12): (0, 6_509_851),
    (4, 13): (0, 6_171_277),
    (4, 14): (0, 48_079_209),
    (5, 4): (0, 3_298),
    (5, 5): (0, 22_679),
    (5, 6): (0, 54_689),
    (5, 7): (0, 360_475),
    (5, 8): (0, 1_335_294),
    (5, 9): (0, 10_205_659),
    (5, 10): (0, 33_179_815),
    (5, 11): (0, 139_713_650),
    (6, 4): (-1, 15_639),
    (6, 5): (0, 223_381),
    (6, 6): (-1, 904_167),
    (6, 7): (1, 6_466_322),
    (6, 8): (-1, 45_359_679),
    (6, 9): (1, 245_220_118),
    (7, 4): (0, 121_233),
    (7, 5): (0, 1_633_134),
    (7, 6): (1, 9_842_712),
    (7, 7): (0, 149_413_875),
    (8, 4): (-1, 1_207_061),
    (8, 5): (1, 10_540_729),
    (8, 6): (-1, 477_899_870),
    (9, 4): (-1, 10_160_610),
    (9, 5): (1, 105_666_845),
    (10, 4): (-1, 111_025_971),
    (10, 5): (1, 3_474_584_266),
    (11, 4): (-1, 2_584_837_221),
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
