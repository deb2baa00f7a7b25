"""An engine of my own: reads lines, answers lines; docs/engines.md has the protocol.

Is it sound?     fourlab check engine:{file}
How good?        fourlab arena engine:{file} random baseline
"""

import random
import sys

COLUMNS, ROWS = 7, 6


def main():
    """Serve until standard input ends."""
    moves = []
    for line in sys.stdin:
        word, *rest = line.split() or [""]
        if word == "fourlab":
            print("id name {file}")
            print("ready")
        elif word == "game" and rest[:4] != ["columns", "7", "rows", "6"]:
            print("error I play on 7 columns and 6 rows")
        elif word == "isready":
            print("readyok")
        elif word == "position":  # all moves so far, columns from 1
            moves = [int(column) for column in "".join(rest)]
        elif word == "seed":
            random.seed(int(rest[0]))
        elif word == "go":
            open_columns = [c for c in range(1, COLUMNS + 1) if moves.count(c) < ROWS]
            print(f"bestmove {random.choice(open_columns)}")
        elif word == "quit":
            break
        sys.stdout.flush()


main()
