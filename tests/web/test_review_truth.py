"""Every sentence of a review is true: held against the solver and a plain reading of the board."""

import re
from collections import Counter

import numpy as np
import pytest

from fourlab.core.limit import NO_LIMIT
from fourlab.rules.catalog import game
from fourlab.rules.position import Position
from fourlab.search.scores import sign, words
from fourlab.web.sessions.review import tell
from fourlab.web.sessions.review_words import marked, reason_of, sentence
from fourlab.web.sessions.truth import score_of, solver_of

SIDES = ("Yellow", "Red")
BOARDS = {  # games played on each
    "tictactoe": 150,
    "connect:columns=4,rows=4,k=3": 120,
    "connect:columns=5,rows=4,k=4": 70,
    "connect:columns=6,rows=5,k=4": 24,
    "connect4": 20,
}


def careful_game(spec: str, rng: np.random.Generator) -> list[Position]:
    """A game of two who win and block at once and otherwise move at random."""
    positions = [game(spec).start()]
    while not positions[-1].is_over:
        position = positions[-1]
        moves = position.winning_moves() or threats(position) or position.legal_moves()
        if rng.random() < 0.2:
            moves = position.legal_moves()
        positions.append(position.play(int(rng.choice(moves))))
    return positions


def threats(position: Position) -> tuple[int, ...]:
    """Where the side that is not to move would win, tried stone by stone."""
    found = []
    for move in position.legal_moves():
        cell = landing(position, move)
        if completes(position, 1 - position.to_move, cell):
            found.append(move)
    return tuple(found)


def stones(position: Position, side: int) -> set[tuple[int, int]]:
    """The cells (column, row from the bottom) of a side, from the moves alone."""
    rules, heights = position.rules, [0] * position.rules.columns
    found: tuple[set[tuple[int, int]], ...] = (set(), set())
    for number, move in enumerate(position.moves):
        column = move % rules.columns
        row = heights[column] if rules.gravity else rules.rows - 1 - move // rules.columns
        heights[column] += 1
        found[number % 2].add((column, row))
    return found[side]


def landing(position: Position, move: int) -> tuple[int, int]:
    rules = position.rules
    if not rules.gravity:
        return move % rules.columns, rules.rows - 1 - move // rules.columns
    return move, sum(one == move for one in position.moves)


def completes(position: Position, side: int, cell: tuple[int, int]) -> bool:
    """Whether a stone of a side on a cell would complete a line."""
    own = stones(position, side)
    for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
        length = 1
        for way in (1, -1):
            x, y = cell
            while (x := x + way * dx, y := y + way * dy) in own:
                length += 1
        if length >= position.rules.connect:
            return True
    return False


def check_sentence(said: str, before: Position, move: int, scores: dict[int, int]) -> None:
    found = re.fullmatch(r"(\w+) played (\d+); (column|cell) (\d+) (.+)", said)
    assert found, said
    assert (found[1], int(found[2])) == (SIDES[before.to_move], move + 1)
    score = -score_of(before.play(int(found[4]) - 1))  # type: ignore[operator]
    assert score == max(scores.values()) == score_of(before)
    said_of = {"held the win": "Win in", "held the draw": "Draw", "won at once": "Win in 1"}
    wanted = said_of.get(found[5], found[5].replace("won in", "Win in"))
    assert words(before.rules, before.ply, score).startswith(wanted), said


def check_reason(text: str, before: Position, move: int, line: tuple[int, ...]) -> str:
    """Return the kind of a reason after holding it against the board."""
    after = before.play(move)
    own, other = SIDES[before.to_move], SIDES[1 - before.to_move]
    if found := re.fullmatch(r"(?:Column|Cell)s? ([\d, and]+) completes? (\w+) in a row\.", text):
        named = {int(number) - 1 for number in re.findall(r"\d+", found[1])}
        legal = before.legal_moves()
        assert named == {m for m in legal if completes(before, before.to_move, landing(before, m))}
        return "win"
    if found := re.fullmatch(
        rf"(?:Column|Cell) (\d+) had to be blocked: {other} wins there at once\.", text
    ):
        block = int(found[1]) - 1
        assert after.play(block).outcome.winner == after.to_move
        others = [m for m in before.legal_moves() if m != block]
        assert all(score_of(before.play(m)) > 0 for m in others)  # type: ignore[operator]
        return "block"
    if found := re.fullmatch(rf"{other} wins at once on top of it, in column (\d+)\.", text):
        assert int(found[1]) - 1 == move
        assert after.play(move).outcome.winner == after.to_move
        return "on top"
    if found := re.fullmatch(
        rf"With move (\d+) {other} threatens (?:column|cell)s ([\d, and]+) at once\. "
        rf"{own} can block only one\.",
        text,
    ):
        there = after.play_all(line[: int(found[1]) - after.ply])
        assert there.to_move == before.to_move
        assert {m + 1 for m in threats(there)} == {int(n) for n in re.findall(r"\d+", found[2])}
        for reply in there.legal_moves():
            assert there.play(reply).winning_moves()
        return "two threats"
    found = re.fullmatch(
        rf"{other} gets two winning cells in column (\d+), one above the other\. "
        rf"{own} can fill only one\.",
        text,
    )
    assert found, text
    column, there, seen = int(found[1]) - 1, after, False
    for reply in line:
        there = there.play(reply)
        height = landing(there, column)[1]
        pairs = [(row, row + 1) for row in range(height, before.rules.rows - 1)]
        for pair in pairs:
            seen |= all(completes(there, after.to_move, (column, row)) for row in pair)
    assert seen
    assert score_of(after) > 0  # type: ignore[operator]
    return "one above the other"


@pytest.mark.parametrize("spec", BOARDS)
def test_no_sentence_is_false(spec: str) -> None:
    rng = np.random.default_rng(7)
    kinds: Counter[str] = Counter()
    seen: set[Position] = set()
    for _ in range(BOARDS[spec]):
        positions = careful_game(spec, rng)
        for before in positions[:-1]:
            if before in seen or (spec == "connect4" and before.ply < 14):
                continue
            seen.add(before)
            scores = solver_of(before.rules).scores(before)
            wrong = [
                move
                for move, score in enumerate(scores)
                if score is not None and sign(score) < sign(max(s for s in scores if s is not None))
            ]
            for move in wrong[:2]:  # whether it was played or not
                kinds[checked(before, move)] += 1
    assert len(seen) > (100 if spec == "tictactoe" else 400 if spec != "connect4" else 150)
    assert kinds["win"]
    assert kinds["block"]
    assert kinds["two threats"]
    if game(spec).gravity and game(spec).rows > 4:
        assert kinds["one above the other"]
        assert kinds["on top"]


def checked(before: Position, move: int) -> str:
    after = before.play(move)
    told = tell(before, after, NO_LIMIT)
    assert told is not None
    assert told.is_whole
    assert after.play_all(told.line).is_over
    check_sentence(
        sentence(SIDES[before.to_move], before, move, told.scores), before, move, told.scores
    )
    reason = reason_of(before, move, told.line, lambda side: SIDES[side])
    if not reason.text:
        assert reason.cells == 0
        return "none"
    assert marked(before.rules, reason.cells)
    return check_reason(reason.text, before, move, told.line)
