"""What visitors can make the server hold, and what an agent that nobody thought of may do."""

import functools
import gc
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest

from fourlab.agents import by_heart, mcts, perfect
from fourlab.agents.base import Agent, Decision
from fourlab.agents.registry import AGENTS, agent
from fourlab.core.errors import NotationError, SpecError
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.core.spec import option
from fourlab.rules import history
from fourlab.rules.catalog import game
from fourlab.rules.formats import from_stones
from fourlab.rules.position import Position
from fourlab.search.solver import SHARED, shared_solver
from fourlab.search.tree import Tree, new_tree
from fourlab.web.limits import MOVE_SECONDS, read_agent, read_game
from fourlab.web.sessions.arena_players import read_players

SMALL = "connect:columns=4,rows=4,k=4"


def too_early(*_: object) -> NoReturn:
    raise AssertionError("every position of a board is scored, which takes seconds")


def test_nobody_scores_a_whole_board_before_games_are_played(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """To read an address, to get ready and to decide once must all be quick."""
    monkeypatch.setattr(perfect, "exact_values", too_early)
    rules = game(SMALL)
    assert read_players(["perfect", "random"], rules) == ["perfect", "random"]
    player = read_agent("perfect", rules)
    player.prepare()
    assert player.decide(rules.start(), np.random.default_rng(0)).move in range(4)


def test_the_scores_of_a_few_whole_boards_are_held() -> None:
    boards = [game(f"connect:columns=2,rows={rows},k=2") for rows in range(2, 3 + by_heart.KEPT)]
    first = weakref.ref(by_heart.exact_values(boards[0]).table.keys)  # type: ignore[union-attr]
    assert by_heart.exact_values(boards[0]).table.keys is first()  # type: ignore[union-attr]
    for rules in boards[1:]:
        assert by_heart.exact_values(rules) is not None
    gc.collect()
    assert first() is None
    assert by_heart.exact_values(game("connect4")) is None


def test_the_solvers_of_a_few_games_are_held() -> None:
    specs = [f"connect:columns=3,rows={rows},k=3" for rows in range(2, 4 + SHARED)]
    first = weakref.ref(shared_solver(read_game(specs[0])).table.words)
    for spec in specs[1:]:
        rules = read_game(spec)
        player = read_agent("perfect", rules)
        assert player.decide(rules.start(), np.random.default_rng(0)).move in range(3)
    gc.collect()
    assert first() is None
    assert shared_solver.cache_info().currsize <= SHARED


def test_boards_without_a_name_share_their_kernels() -> None:
    """However many boards are asked about, nothing is compiled for each."""
    searches = set()
    for rows in range(4, 10):
        rules = game(f"connect:columns=4,rows={rows},k=3")
        for spec in ("mcts:sims=10", "flat:playouts=2"):
            searches.add(agent(spec, rules)._search)  # type: ignore[attr-defined]
        searches.add(shared_solver(rules)._solve)
    assert len(searches) == 3


def test_a_page_holds_no_large_tree_between_two_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = game("connect4")
    trees: list[weakref.ref[object]] = []

    def noted(nodes: int, *args: int) -> Tree:
        tree = new_tree(nodes, *args)
        if nodes > 1000:  # not the one that serves to compile
            trees.append(weakref.ref(tree.stats))
        return tree

    monkeypatch.setattr(mcts, "new_tree", noted)
    for spec, held in (("mcts:sims=1000", 1), ("mcts:sims=100000,nodes=900000", 0)):
        trees.clear()
        player = read_agent(spec, rules)
        for _ in range(2):
            player.decide(rules.start(), np.random.default_rng(0), Limit(stop=lambda: True))
        gc.collect()
        assert sum(tree() is not None for tree in trees) == held


HARD = (3459089427030962184, 1135118694305795591)  # stones that no game leads to


def test_a_hard_board_is_given_up_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = 0

    @functools.wraps(choices := history._choices)
    def counted(*args: object) -> list[int]:
        nonlocal looked
        looked += 1
        return choices(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(history, "_choices", counted)
    with pytest.raises(NotationError, match="no order of moves"):
        from_stones(game("connect:columns=7,rows=8,k=8"), *HARD)
    assert looked < 12_000


@dataclass(frozen=True)
class StrangerConfig:
    """Options of an agent that says nothing of the web."""

    effort: int = option(10, "how hard it thinks", low=1)
    size: int | None = option(None, "how much it holds; none: little", low=1)
    time: float | None = option(None, "seconds a move", low=0.001)
    file: str = option("", "what it reads", positional=True)
    calm: bool = option(False, "whether it is")


class Stranger(Agent):
    """An agent of somebody else."""

    name = "stranger"
    Config = StrangerConfig

    def decide(
        self, position: Position, rng: np.random.Generator, limit: Limit = NO_LIMIT
    ) -> Decision:
        return Decision(position.legal_moves()[0])


@pytest.fixture
def _stranger() -> Iterator[None]:
    AGENTS[Stranger.name] = Stranger
    yield
    del AGENTS[Stranger.name]


@pytest.mark.usefixtures("_stranger")
def test_an_agent_that_the_limits_do_not_name_gets_the_strictest(tmp_path: Path) -> None:
    rules = game("tictactoe")
    assert read_agent("stranger", rules).config.time == MOVE_SECONDS
    assert type(read_agent("stranger:effort=9,time=1", rules)).__name__ == "Guarded"
    for asked in ("effort=11", "size=1", "time=6", "effort=1e9"):
        with pytest.raises(SpecError, match="too much for the web"):
            read_agent(f"stranger:{asked}", rules)
    for path in (str(tmp_path), "/dev/zero", "runs/../x"):
        with pytest.raises(SpecError, match="cannot be set on the web"):
            read_agent(f"stranger:{path}", rules)


@pytest.mark.parametrize(
    "spec",
    ["mcts:nodes=1e8", "mcts:threads=2", "zero:sims=1e6", "flat:playouts=1e6", "net:plies=3"],
)
def test_what_would_take_much_is_refused_before_anything_is_made(spec: str) -> None:
    with pytest.raises(SpecError, match="too much for the web"):
        read_agent(spec, game("connect4"))


@pytest.mark.parametrize("spec", ["q:runs/\0", "random\n", "perfect:ties=first\x7f", "\ud800"])
def test_names_with_unseen_characters_are_refused(spec: str) -> None:
    for read in (read_game, lambda text: read_agent(text, game("connect4"))):
        with pytest.raises(SpecError, match="cannot be seen"):
            read(spec)


def test_who_names_a_file_is_told_how_files_are_offered() -> None:
    with pytest.raises(SpecError, match="--agents FOLDER"):
        read_agent("/home/me/mine.py:Player", game("connect4"))
