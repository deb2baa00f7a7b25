"""Every sentence of a review is true: held against the solver and a plain reading of the board."""

import functools
import re
from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from fourlab.core.limit import NO_LIMIT
from fourlab.positions.suites import load_suites
from fourlab.rules.catalog import game
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position
from fourlab.search.analysis import Analysis
from fourlab.search.scores import Bounds, sign, words
from fourlab.search.solver import shared_solver
from fourlab.web.sessions import review, truth
from fourlab.web.sessions.review import tell
from fourlab.web.sessions.review_words import marked, reason_of, sentence
from fourlab.web.sessions.truth import score_of

SIDES = ("Yellow", "Red")
BOARDS = {  # games played on each, from which ply on, and how many sentences that are at least
    "tictactoe": (1000, 0, 2000),
    "connect:columns=4,rows=4,k=3": (450, 0, 1000),
    "connect:columns=5,rows=4,k=4": (80, 0, 1000),
    "connect:columns=6,rows=5,k=4": (40, 10, 400),
}
SHIPPED = {"end": 1000, "middle": 100}  # positions of connect4 whose scores come with fourlab


class Remembering:
    """The solver, asked once for all moves of a board: lines of perfect play often meet."""

    def __init__(self, rules: Rules) -> None:
        self.solver = shared_solver(rules)
        self.known: dict[tuple[int, int], dict[int, int]] = {}

    def of(self, position: Position) -> dict[int, int]:
        """The exact score of every move."""
        board = (position.mover, position.occupied)
        if board not in self.known:
            after = {move: position.play(move) for move in position.legal_moves()}
            found = {move: -score_at_end(one) for move, one in after.items() if one.is_over}
            open_moves = [move for move in after if move not in found]
            solved = self.solver.score_many([after[move] for move in open_moves])
            found |= {move: -score for move, score in zip(open_moves, solved, strict=True)}
            self.known[board] = found
        return self.known[board]

    def moves(self, position: Position, *_: object) -> Iterator[tuple[int, Bounds]]:
        return ((move, Bounds(score, score)) for move, score in self.of(position).items())

    def bounds(self, position: Position, *_: object) -> Bounds:
        score = max(self.of(position).values())
        return Bounds(score, score)


def score_at_end(position: Position) -> int:
    score = Analysis(position).value
    assert score is not None
    return score


@pytest.fixture
def solver_of(monkeypatch: pytest.MonkeyPatch) -> Callable[[Rules], Remembering]:
    """The solver of the review, quicker."""
    made = functools.cache(Remembering)
    for module in (review, truth):
        monkeypatch.setattr(module, "solver_of", made)
    return made


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
def test_no_sentence_is_false(spec: str, solver_of: Callable[[Rules], Remembering]) -> None:
    rng = np.random.default_rng(7)
    played, first, least = BOARDS[spec]
    games = [careful_game(spec, rng) for _ in range(played)]
    seen = {position for line in games for position in line[first:-1]}
    kinds = kinds_of(sorted(seen, key=lambda one: one.moves), solver_of(game(spec)))
    assert kinds.total() >= least
    assert {"win", "block", "two threats"} <= set(kinds)
    if game(spec).gravity and game(spec).rows > 4:
        assert {"one above the other", "on top"} <= set(kinds)


def test_no_sentence_is_false_where_the_truth_is_shipped(
    solver_of: Callable[[Rules], Remembering],
) -> None:
    suites, solver = load_suites(game("connect4")), solver_of(game("connect4"))
    shipped = [scored for name, count in SHIPPED.items() for scored in suites[name][:count]]
    for scored in shipped:
        known = solver.of(scored.position)
        assert tuple(known.get(move) for move in range(7)) == tuple(scored.scores)
    kinds = kinds_of([scored.position for scored in shipped], solver)
    assert kinds.total() > 1200
    assert {"win", "block", "two threats", "one above the other", "on top"} <= set(kinds)


def kinds_of(positions: list[Position], solver: Remembering) -> Counter[str]:
    """Check what is said of up to two mistakes in each position, whether they were made or not."""
    kinds: Counter[str] = Counter()
    for before in positions:
        scores = solver.of(before)
        best = sign(max(scores.values()))
        wrong = [move for move, score in scores.items() if sign(score) < best]
        kinds.update(checked(before, move) for move in wrong[:2])
    return kinds


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
