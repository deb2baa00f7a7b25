"""Hypothesis strategies for games, positions and stones."""

import numpy as np
from hypothesis import strategies as st

from fourlab.rules.geometry import BOARD_BITS, CONNECT_RANGE, Rules
from fourlab.rules.position import Position


@st.composite
def rules(draw: st.DrawFn, largest: int = BOARD_BITS) -> Rules:
    """Any game there is, or any whose board takes at most `largest` bits."""
    columns = draw(st.integers(1, largest // 2))
    rows = draw(st.integers(1, largest // columns - 1))
    longest = min(max(columns, rows), CONNECT_RANGE[-1])
    if longest < CONNECT_RANGE[0]:
        columns, longest = 2, 2
    return Rules(columns, rows, draw(st.integers(2, longest)), draw(st.booleans()))


@st.composite
def positions(draw: st.DrawFn, largest: int = BOARD_BITS) -> Position:
    """Any position that random play reaches, finished ones included."""
    position = draw(rules(largest)).start()
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    for _ in range(draw(st.integers(0, position.rules.cells))):
        moves = position.legal_moves()
        if not moves:
            break
        position = position.play(int(rng.choice(moves)))
    return position


@st.composite
def stones(draw: st.DrawFn) -> tuple[Rules, int]:
    """Any set of cells on any board, reachable or not."""
    game = draw(rules())
    full = sum(
        1 << (column * (game.rows + 1) + row)
        for column in range(game.columns)
        for row in range(game.rows)
    )
    chosen = 0
    for _ in range(draw(st.integers(1, 4))):  # up to dense boards, where long lines are found
        chosen |= draw(st.integers(0, full)) & full
    return game, chosen


def random_positions(rules: Rules, count: int) -> list[Position]:
    """Positions of random games that are not over, always the same ones."""
    rng = np.random.default_rng(7)
    found: list[Position] = []
    while len(found) < count:
        position = rules.start()
        while not position.is_over:
            found.append(position)
            position = position.play(int(rng.choice(position.legal_moves())))
    return found[:count]
