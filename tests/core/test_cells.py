"""What was written in cells travels with all that it names, or says what cannot."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fourlab
from cells import notebook
from fourlab.agents.registry import AGENTS, spec_of
from fourlab.arena.events import Event
from fourlab.core import own
from fourlab.core.errors import SpecError

Run = Callable[[str], dict[str, Any]]


@pytest.fixture
def run() -> Iterator[Run]:
    """Return what runs a cell and returns all names."""
    with notebook() as book:

        def run_cell(text: str) -> dict[str, Any]:
            book.run(text)
            return book.names

        yield run_cell


IMPORTS = """
import random as dice
from random import choice
import numpy as np
from fourlab.core.limit import NO_LIMIT
from fourlab import Agent, Decision
ORDER = (3, 2, 4)
"""
FUNCTION = '''
def nearest(position):
    return [move for move in ORDER if move in position.legal_moves()]

def mine(position, rng, stay: int = 1):
    """Prefer the middle."""
    found = nearest(position)
    return found[0] if found and stay else choice(position.legal_moves())

raise_here = 1 / 1  # cells do more than define
'''
AGENT = """
from dataclasses import dataclass

@dataclass(frozen=True)
class Options:
    depth: int = 2

class Base(Agent):
    name = "base"

class Deep(Base):
    Config = Options
    name = "deep"

    def decide(self, position, rng, limit=NO_LIMIT):
        return Decision(min(position.legal_moves()) if self.config.depth < 3 else max(ORDER))
"""


def test_a_function_takes_along_what_it_names(run: Run) -> None:
    run(IMPORTS)
    mine = run(FUNCTION)["mine"]
    spec = spec_of(mine)
    ((_, text),) = own.parcel(spec.partition(":")[0]).texts
    assert "def nearest" in text
    assert "ORDER = (3, 2, 4)" in text
    assert "from random import choice as choice" in text
    assert "numpy" not in text
    assert "raise_here" not in text
    position = fourlab.game("connect4").start()
    assert fourlab.agent(mine).decide(position, np.random.default_rng(0)).move == 3
    assert fourlab.agent(f"{spec},stay=0").decide(position, np.random.default_rng(0)).move in range(
        7
    )


def test_who_it_is_follows_what_it_uses(run: Run) -> None:
    run(IMPORTS)
    mine = run(FUNCTION)["mine"]
    before = spec_of(mine)
    assert spec_of(mine) == before
    run("ORDER = (0, 1)")
    assert spec_of(mine) != before


def test_a_class_takes_along_its_bases_and_options(run: Run) -> None:
    run(IMPORTS)
    deep = run(AGENT)["Deep"]
    position = fourlab.game("connect4").start()
    asked = (position, np.random.default_rng(0))
    assert fourlab.agent(deep).decide(*asked).move == 0
    made = deep(position.rules, run("")["Options"](depth=5))
    assert spec_of(made).endswith(":Deep,depth=5")
    assert fourlab.agent(spec_of(made)).decide(*asked).move == made.decide(*asked).move == 4


def test_what_lives_in_the_session_alone_is_named(run: Run) -> None:
    run("import numpy as np\nTABLE = np.zeros(3)\n")
    mine = run("def mine(position, rng):\n    return int(TABLE[0])\n")["mine"]
    with pytest.raises(SpecError, match=r"mine uses TABLE, a ndarray .*%%writefile mine\.py"):
        fourlab.agent(mine)
    unread = {"__name__": "__main__"}
    exec("def mine(position, rng):\n    return 0\n", unread)
    with pytest.raises(SpecError, match="source cannot be read"):
        fourlab.agent(unread["mine"])  # type: ignore[arg-type]
    for other in (3, int):
        with pytest.raises(SpecError, match="is no agent; write a function"):
            fourlab.agent(other)  # type: ignore[arg-type]


def test_it_plays_in_a_process_of_its_own(run: Run) -> None:
    run(IMPORTS)
    mine = run(FUNCTION)["mine"]
    played = fourlab.tournament(mine, "random", game="tictactoe", games=2, workers=1)
    assert played.played == 2
    assert not any(tally.forfeits for tally in played.tallies)


def test_it_teaches(run: Run, tmp_path: Path) -> None:
    mine = run("def mine(position, rng):\n    return position.legal_moves()[0]\n")["mine"]
    done = fourlab.train("q", "tictactoe", out=tmp_path / "run", opponent=mine, games=50)
    assert spec_of(mine).partition(":")[0] in done.config.learner


def test_one_that_is_only_registered_says_what_to_do(run: Run) -> None:
    run(IMPORTS)
    AGENTS["deep"] = run(AGENT)["Deep"]
    try:
        with pytest.raises(SpecError, match=r"give .* its class"):
            Event("connect4", ("deep", "random"))
    finally:
        del AGENTS["deep"]
