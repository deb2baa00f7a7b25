"""An agent of my own for Kaggle's ConnectX, and for fourlab as it is.

Is it sound?     fourlab check {file} --kaggle
How good?        fourlab arena {file} random baseline minimax:depth=4
Submit it        fourlab export kaggle {file} -o submission.py
"""

import random


def drop(board, column, mark, config):
    """Return the board after a stone of mine or theirs fell into a column, and the row it is in."""
    row = max(r for r in range(config.rows) if board[r * config.columns + column] == 0)
    after = list(board)
    after[row * config.columns + column] = mark
    return after, row


def wins(board, row, column, mark, config):
    """Whether the stone at this place completes a line."""
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        count = 1
        for sign in (1, -1):
            r, c = row + sign * down, column + sign * right
            while (
                0 <= r < config.rows
                and 0 <= c < config.columns
                and board[r * config.columns + c] == mark
            ):
                count += 1
                r, c = r + sign * down, c + sign * right
        if count >= config.inarow:
            return True
    return False


def agent(observation, configuration):
    """Win if I can, block if I must, else any open column."""
    board, mark = observation.board, observation.mark
    columns = [c for c in range(configuration.columns) if board[c] == 0]
    for stone in (mark, 3 - mark):
        for column in columns:
            after, row = drop(board, column, stone, configuration)
            if wins(after, row, column, stone, configuration):
                return column
    return random.choice(columns)  # fourlab seeds it for every move: a seed repeats a game
