"""A server offers its owner's agents, runs none of them itself, and loads no path of a visitor."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from fourlab.agents.engine import EngineError
from fourlab.agents.registry import AGENTS, agent
from fourlab.arena.events import Event
from fourlab.arena.match import play
from fourlab.arena.pairing import Stretch
from fourlab.core.errors import SpecError
from fourlab.core.limit import Limit
from fourlab.rules.catalog import game
from fourlab.web import words
from fourlab.web.limits import public_agents, read_agent
from fourlab.web.offered import offer
from fourlab.web.sessions.arena import read_players

RULES = game("connect4")
SMALL = "connect:columns=5,rows=4,k=4"
GOOD = (
    "import os, sys\nopen('ran', 'a').write(f'{os.getpid()} ')\n"
    + """
def choose(position, rng):
    return position.legal_moves()[-1]
"""
)
SEVERAL = """
from fourlab import Agent, Decision

def helper(x):
    return x

def hang(position, rng):
    while True:
        pass

class Left(Agent):
    def decide(self, position, rng, limit=None):
        return Decision(position.legal_moves()[0])
"""


@pytest.fixture
def offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "agents"
    folder.mkdir()
    (folder / "good.py").write_text(GOOD)
    (folder / "several.py").write_text(SEVERAL)
    (folder / "empty.py").write_text("x = 1\n")
    (tmp_path / "secret.py").write_text(GOOD.replace("ran", "secret"))
    agents, families = dict(AGENTS), list(words.FAMILIES)
    yield offer(folder)
    AGENTS.clear()
    AGENTS.update(agents)
    words.FAMILIES[:] = families


def test_what_is_offered_is_listed_and_nothing_was_run(offered: list[str], tmp_path: Path) -> None:
    good, hang, left = offered
    assert good.startswith("good.py@")
    assert (hang.partition(":")[2], left.partition(":")[2]) == ("hang", "Left")
    assert {good, hang.partition(":")[0]} <= set(public_agents())
    assert [family.specs for family in words.FAMILIES[-2:]] == [(good,), (hang, left)]
    assert not (tmp_path / "ran").exists()


def test_an_offered_agent_plays_in_a_process_of_its_own(offered: list[str], tmp_path: Path) -> None:
    player = read_agent(offered[0], RULES)
    assert player.decide(RULES.start(), np.random.default_rng(1)).move == 6
    assert read_agent(offered[2], RULES).decide(RULES.start(), np.random.default_rng(1)).move == 0
    [process] = (tmp_path / "ran").read_text().split()
    assert process != str(os.getpid())
    assert not any(name.endswith("good") for name in sys.modules)


REFUSED = ["secret.py", "agents/good.py", "./secret.py:choose", "os.path:join", "engine:ls"]


@pytest.mark.usefixtures("offered")
@pytest.mark.parametrize("spec", REFUSED)
def test_what_a_visitor_types_is_never_loaded(spec: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"unknown agent|is a program"):
        read_agent(spec, RULES)
    assert not (tmp_path / "secret").exists()
    assert not (tmp_path / "ran").exists()


def test_one_that_hangs_costs_its_own_move(offered: list[str]) -> None:
    hanging = read_agent(offered[1], RULES)
    hanging.prepare()
    with pytest.raises(EngineError, match=r"several.py@\w+:hang: no answer within 0.5 s"):
        hanging.decide(RULES.start(), np.random.default_rng(1), Limit(seconds=0.5))


def test_offered_agents_meet_in_the_arena(offered: list[str], tmp_path: Path) -> None:
    players = read_players([offered[0], offered[2]], game(SMALL))
    assert players == [offered[0], offered[2]]
    [pairing] = Event(SMALL, tuple(players), games=2, plies=0).pairings()
    games = play(Stretch(pairing, 0, 2))
    assert not games.forfeits
    assert games.moves[0, :4].tolist() == [4, 0, 4, 0]
    ran = tmp_path / "ran"  # not there if a process goes on that knew the file before
    assert not ran.exists() or str(os.getpid()) not in ran.read_text().split()


@pytest.mark.usefixtures("troublemakers")
def test_of_agents_that_are_not_ours_nothing_can_be_set() -> None:
    with pytest.raises(SpecError, match=r"agent 'filed': marker cannot be set on the web"):
        read_agent("filed:/etc/passwd", RULES)
    assert type(read_agent("filed", RULES)).__name__ == "Guarded"
    assert type(agent("filed", RULES)).__name__ == "Filed"


def test_a_folder_without_agents_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="no file in it holds an agent"):
        offer(tmp_path)
    with pytest.raises(SpecError, match="there is no such folder"):
        offer(tmp_path / "none")
