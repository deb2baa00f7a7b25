"""Many at once on what is shared: a solver, an agent, a learner; nobody gets another answer."""

import itertools
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fourlab.core.limit import Limit
from fourlab.learning.registry import learner
from fourlab.learning.runs import Run, RunConfig
from fourlab.rules.boards import boards_of
from fourlab.rules.catalog import game
from fourlab.rules.position import Position
from fourlab.search.analysis import analyse
from fourlab.search.solver import Solver, shared_solver
from fourlab.values.knowledge import Knowledge
from fourlab.web.sessions.lines import follow
from fourlab.web.sessions.play import PlaySession
from fourlab.web.sessions.truth import score_of, solve_moves
from fourlab.web.workbench import Job
from strategies import random_positions
from web.bench import TestBench

SMALL = "connect:columns=5,rows=4,k=4"
THREADS = 6


def late(rules_spec: str, count: int) -> list[Position]:
    """Positions that are solved in a moment."""
    rules = game(rules_spec)
    least = min(rules.cells // 2, rules.cells - 16)
    return [p for p in random_positions(rules, 400) if p.ply >= least][:count]


@pytest.mark.parametrize("spec", ["connect4", SMALL])
def test_a_solver_asked_by_page_api_and_hint_together_answers_as_alone(spec: str) -> None:
    positions = late(spec, 12)
    alone = {p: Solver(p.rules, table_mb=1).scores(p) for p in positions}
    shared = shared_solver(positions[0].rules)
    shared.clear()

    def page(position: Position, number: int) -> Any:
        """Chips for a page that is left again and again."""
        looks = iter(range(number % 5))
        job = Job(lambda deliver: deliver())
        seen: list[dict[str, Any]] = []

        def listen(overlay: dict[str, Any]) -> None:
            seen.append(overlay)
            if next(looks, None) is None and number % 3 == 0:
                job.cancel()

        solve_moves(job, position, listen, 60.0)
        return dict(seen[-1]["scores"])

    def api(position: Position, number: int) -> Any:
        [*_, found] = analyse(position, shared, Limit(seconds=60.0))
        return {move: found.score(move) for move in found.moves}

    def hint(position: Position, number: int) -> Any:
        score_of(position, Limit(stop=lambda: True))  # called off: what it leaves must be true
        follow(position, position.legal_moves()[0], Limit(nodes=1000))
        return dict(enumerate(shared.scores(position)))

    def ask(number: int) -> bool:
        position = positions[number % len(positions)]
        found = (page, api, hint)[number // len(positions) % 3](position, number)
        known = alone[position]
        return all(score is None or score == known[move] for move, score in found.items())

    with ThreadPoolExecutor(THREADS) as threads:
        assert all(threads.map(ask, range(9 * len(positions))))
    assert [shared.scores(p) for p in positions] == list(alone.values())


@pytest.mark.parametrize("name", ["q", "n-tuple", "monte-carlo"])
def test_a_learner_is_trained_watched_saved_and_played_against_at_once(
    name: str, tmp_path: Path
) -> None:
    """Training is what it is in silence, every file is whole, and every move is legal."""
    settings = "tuples=4,length=3,chunk=2000" if name == "n-tuple" else "chunk=2000"
    spec = f"{name}:{settings},games=20000"
    quiet, busy = learner(spec, SMALL, 1), learner(spec, SMALL, 1)
    positions = random_positions(game(SMALL), 40)
    many = positions * 50
    boards, dice = boards_of(many), np.arange(len(many))
    allowed = [position.legal_moves() for position in positions] * 50
    player = busy.agent()

    def against(number: int) -> bool:
        sound, rng = True, np.random.default_rng(number)
        for position in positions[::3]:
            legal = position.legal_moves()
            chosen = player.choose(boards, dice).tolist()
            sound &= all(m in moves for m, moves in zip(chosen, allowed, strict=True))
            sound &= player.decide(position, rng).move in legal
            sound &= busy.agent().decide(position, rng).move in legal
        return sound

    def train(one: Any, folder: Path) -> None:
        for number, _ in enumerate(one.steps()):
            one.watch()
            if number % 3 == 0:
                one.save(folder / f"{number}.npz")
        one.save(folder / "last.npz")

    with ThreadPoolExecutor(THREADS) as threads:
        players = threads.map(against, range(THREADS))
        train(busy, tmp_path / "busy")
        assert all(players)
    train(quiet, tmp_path / "quiet")
    for path in sorted((tmp_path / "quiet").iterdir()):
        one, other = (Knowledge.load(p)[0] for p in (path, tmp_path / "busy" / path.name))
        for position in positions:
            assert one.move_values(position) == other.move_values(position)
    alone = quiet.agent().choose(boards, dice)
    assert player.choose(boards, dice).tolist() == alone.tolist()


LEARNED = {"q:runs/q": "q:games=200", "n-tuple:runs/n": "n-tuple:games=200,tuples=4,length=3"}
SEARCHING = ("mcts:sims=300", "mcts:sims=300,reuse=yes", "minimax:depth=4", "perfect", "flat")
OPPONENTS = (*SEARCHING, "baseline", *LEARNED)
DEEDS = ("play", "undo", "redo", "hint", "overlay", "flip", "new", "opponent", "look")


@pytest.mark.parametrize("opponent", OPPONENTS)
def test_a_hasty_visitor_with_two_pages_harms_nobody(
    bench: TestBench, opponent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Clicks faster than any answer, on two pages; then both play on as if nothing had been."""
    monkeypatch.chdir(tmp_path)
    for player, trained in LEARNED.items():
        list(Run.start(Path(player.partition(":")[2]), RunConfig(trained, SMALL)).reports())
    rng = random.Random(opponent)  # the same clicks every time
    pages = [PlaySession(bench, {"game": SMALL, "opponent": opponent}, seed=n) for n in range(2)]
    for page in pages:
        page.open()
    for _ in range(60):
        page, deed = rng.choice(pages), rng.choice(DEEDS)
        move, stones = rng.randrange(5), page.line.at
        args: dict[str, list[Any]] = {
            "play": [stones, move],
            "overlay": [rng.choice(["off", "exact", "visits"])],
            "opponent": [rng.choice(OPPONENTS)],
            "look": [rng.randrange(21)],
        }
        page.act(deed, args.get(deed, []))
        for _ in range(rng.randrange(3)):
            if not bench.posts.empty():
                bench.posts.get()()
    for page in pages:
        line = page.line.positions
        assert all(b == a.play(b.moves[-1]) for a, b in itertools.pairwise(line))
        assert page.act("opponent", [opponent])
        assert page.act("overlay", ["off"])
        assert page.act("setup", ["you"])
        assert page.act("play", [0, 2])
        bench.until(lambda page=page: page.line.length == 2)
        assert not page.failure
