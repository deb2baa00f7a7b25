"""Repeat a certificate of fourlab without fourlab: `python check.py MOVES [CERTIFICATE]`.

MOVES is what `fourlab certify SPEC --moves MOVES` wrote: gzip, one line of JSON (game, side, value
claimed), then a byte for each position in which the agent was asked: its move.

A board is two integers, `mover` (stones of the side to move) and `occupied`, column by column from
the bottom with an empty bit above each. The key of a position is mover + occupied + the lowest cell
of every column; without gravity 2^62 + occupied * 2^31 + mover. Positions of a ply come by key,
each once; where mirror images count as one, by the lower key, the move for its board. The digest is
the SHA-256 of all keys of a ply (8 bytes, low first), then of the moves there, ply by ply.
"""

import gzip
import hashlib
import json
import struct
import sys
from pathlib import Path


class Game:
    """The rules. A position is key * 2^64 + occupied: sorted by key, and nothing to decode."""

    def __init__(self, columns, rows, connect, gravity, mirrors):
        if not 0 < columns * (rows + 1) <= (63 if gravity else 31) or not 0 < connect <= 63:
            raise ValueError(f"no board: {columns} x {rows}, {connect} in a row")
        self.columns, self.rows, self.connect, self.gravity = columns, rows, connect, gravity
        self.mirrors, self.height = mirrors, rows + 1
        self.bottom = sum(1 << c * self.height for c in range(columns))
        self.board = self.bottom * ((1 << rows) - 1)
        bits = [1 << b for b in range(columns * self.height) if self.board >> b & 1]
        up = 0 if gravity else 31  # what a stone adds to a key
        self.adds = {b: b << 64 + up | b for b in bits}
        self.mirror_adds = {b: self.adds[self.mirror(b)] for b in bits} if mirrors else self.adds

    def mirror(self, stones):
        found = 0
        for _ in range(self.columns):
            found = found << self.height | stones & (1 << self.height) - 1
            stones >>= self.height
        return found

    def pack(self, mover, occupied):
        key = mover + occupied + self.bottom if self.gravity else 1 << 62 | occupied << 31 | mover
        return key << 64 | occupied

    def board_of(self, position):
        key, occupied = position >> 64, position & (1 << 64) - 1
        return key - occupied - self.bottom if self.gravity else key & (1 << 31) - 1, occupied

    def cell(self, occupied, move):
        """Return the cell that a move fills; raises ValueError if there is none."""
        if self.gravity:
            found = occupied + (1 << move * self.height) & self.board & ~occupied
        else:
            row, column = divmod(move, self.columns)
            found = 1 << column * self.height + self.rows - 1 - row if row < self.rows else 0
        if not found or found & occupied:
            raise ValueError(f"move {move + 1} is not legal")
        return found

    def has_line(self, stones):
        for step in (1, self.height - 1, self.height, self.height + 1):
            run = stones
            for _ in range(self.connect - 1):
                run &= run >> step
            if run:
                return True
        return False

    def replies(self, mover, occupied, found):
        """Add every position after a stone of `mover`, the lower of the two mirror images."""
        cells = occupied + self.bottom & self.board if self.gravity else self.board & ~occupied
        here, waiting = self.pack(mover ^ occupied, occupied), mover ^ occupied
        there = self.pack(self.mirror(waiting), self.mirror(occupied)) if self.mirrors else here
        while cells:
            cell = cells & -cells
            one, two = here + self.adds[cell], there + self.mirror_adds[cell]
            found.add(one if one < two else two)
            cells ^= cell
        return found

    def first_level(self, start, side):
        """Return the positions in which the agent is asked first, and their ply."""
        mover = occupied = 0
        for move in start:
            mover, occupied = mover ^ occupied, occupied | self.cell(occupied, move)
        if len(start) % 2 != side:
            return sorted(self.replies(mover, occupied, set())), len(start) + 1
        one, two = self.pack(mover, occupied), self.pack(self.mirror(mover), self.mirror(occupied))
        return [min(one, two) if self.mirrors else one], len(start)


def walk(file, header):
    """Return the rows (ply, positions, asked, won, drawn, lost) and the digest."""
    game = Game(*(header[name] for name in ("columns", "rows", "connect", "gravity", "mirrors")))
    level, ply = game.first_level(header["start"], ["first", "second"].index(header["side"]))
    digest, rows, full = hashlib.sha256(), [], game.board
    while level:
        digest.update(struct.pack(f"<{len(level)}q", *(position >> 64 for position in level)))
        won, drawn, lost, played, found = 0, 0, 0, bytearray(), set()
        for position in level:
            mover, occupied = game.board_of(position)
            if game.has_line(mover ^ occupied):
                lost += 1
            elif occupied == full:
                drawn += 1
            else:
                played += file.read(1) or b"\xff"  # what is missing is no legal move
                cell = game.cell(occupied, played[-1])
                if game.has_line(mover | cell):
                    won += 1
                elif occupied | cell == full:
                    drawn += 1
                else:
                    game.replies(mover ^ occupied, occupied | cell, found)
        digest.update(played)
        rows.append((ply, len(level), len(played), won, drawn, lost))
        print("ply {:2}: {:9} positions {:9} asked {:9} won {:7} drawn {:7} lost".format(*rows[-1]))
        level, ply = sorted(found), ply + 2
    if file.read(1):
        raise ValueError("the file holds moves for positions that are never reached")
    return rows, digest.hexdigest()


def main(moves="MOVES", certificate=None):
    """Return 0 if the claim holds, and the certificate tells the same; 1 if not; 2 if damaged."""
    reading = told = certificate
    try:
        if certificate:
            told = json.loads(Path(certificate).read_text(encoding="utf-8"))
            told = [tuple(row.values()) for row in told["by_ply"]], told["digest"]
        reading = moves
        with gzip.open(moves) as file:
            header = json.loads(file.readline(1 << 16))
            rows, digest = found = walk(file, header)
        agent, need = header["agent"], {"win": 1, "draw": 0, "loss": -1}[header["value"]]
    except Exception as error:  # a damaged file can be wrong in a dozen ways
        print(f"cannot check {reading}: {error!r}; have it written again", file=sys.stderr)
        return 2
    worst = -1 if any(row[5] for row in rows) else 0 if any(row[4] for row in rows) else 1
    print(f"{sum(row[1] for row in rows)} positions, sha256 {digest}")
    print(f"{agent} as {header['side']}: at least a {header['value']}:", worst >= need)
    if told:
        print("the certificate says the same:", told == found)
    return 0 if worst >= need and told in (None, found) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
