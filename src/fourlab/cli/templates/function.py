"""An agent of my own: a function of a position and dice.

Is it sound?     fourlab check {file}
How good?        fourlab arena {file} random baseline minimax:depth=4
Play against it  fourlab play --second {file}
"""


def choose(position, rng, centre=2):
    """Win if I can, block if I must, else stay near the centre.

    `position` is the board with me to move; it never changes, `play` gives a new one. `rng` is the
    only source of chance, so that a seed repeats a game. What comes after them is an option of the
    agent: {file}:centre=1
    """
    legal = position.legal_moves()  # columns from 0; tic-tac-toe: cells from 0
    wins = position.winning_moves()
    if wins:
        return wins[0]
    # What the other side would win with: the board after a move is theirs to look at.
    safe = [move for move in legal if not position.play(move).winning_moves()]
    middle = (position.rules.move_count - 1) / 2
    near = [move for move in safe if abs(move - middle) <= centre]
    return int(rng.choice(near or safe or legal))
