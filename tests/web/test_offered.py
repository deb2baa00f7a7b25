"""A server offers its owner's agents, runs none of them itself, and loads no path of a visitor."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fourlab.agents.engine import EngineError
from fourlab.agents.registry import AGENTS, agent
from fourlab.arena.events import Event
from fourlab.arena.match import play
from fourlab.arena.pairing import Stretch
from fourlab.core.errors import SpecError
from fourlab.core.limit import Limit
from fourlab.learning.opponents import opponents
from fourlab.rules.boards import boards_of
from fourlab.rules.catalog import game
from fourlab.rules.position import position_of
from fourlab.web import words
from fourlab.web.limits import public_agents, read_agent
from fourlab.web.offered import left_out, offer
from fourlab.web.sessions.analyse import AnalyseSession
from fourlab.web.sessions.arena_players import read_players
from fourlab.web.sessions.play import PlaySession
from fourlab.web.workbench import ANALYSIS, MOVES, OWNERS, Job
from web.test_fuzz import IdleBench

RULES = game("connect4")
SMALL = "connect:columns=5,rows=4,k=4"
# Names its marker in full: a process that plays may have been started in another folder.
GOOD = """
import os
open(MARKER, "a").write(f"{os.getpid()} ")

def choose(position, rng, back=1, limit=None, book="none", secret=os.sep):
    return position.legal_moves()[-back]
"""
SEVERAL = """
from dataclasses import dataclass
from fourlab import Agent, Decision
from fourlab.core import spec

@dataclass(frozen=True)
class Options:
    far: int | None = None
    step: int = spec.option(0, "how far from the left", low=0, high=6)
    most: float = spec.option(0.5, "in all", public=2)
    side: str = spec.option("left", "from where", choices=("left", "right"))
    turned: bool = False
    odd: int = max(1, 2)

def helper(x):
    return x

def hang(position, rng):
    while True:
        pass

class Left(Agent):
    Config = Options
    def decide(self, position, rng, limit=None):
        step = self.config.step
        return Decision(position.legal_moves()[-1 - step if self.config.side == "right" else step])
"""


@pytest.fixture
def offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "agents"
    folder.mkdir()
    (folder / "good.py").write_text(GOOD.replace("MARKER", repr(str(tmp_path / "ran"))))
    (folder / "several.py").write_text(SEVERAL)
    (folder / "empty.py").write_text("x = 1\n")
    secret = GOOD.replace("MARKER", repr(str(tmp_path / "secret")))
    (tmp_path / "secret.py").write_text(secret)
    agents, families = dict(AGENTS), list(words.FAMILIES)
    yield offer(folder)
    AGENTS.clear()
    AGENTS.update(agents)
    words.FAMILIES[:] = families


def test_what_is_offered_is_listed_and_nothing_was_run(offered: list[str], tmp_path: Path) -> None:
    good, hang, left = offered
    assert good.startswith("good.py@")
    assert (hang.partition(":")[2], left.partition(":")[2]) == ("hang", "Left")
    assert set(offered) <= set(public_agents())
    families = {family.title: family for family in words.FAMILIES[-3:]}
    assert [family.specs for family in families.values()] == [(good,), (hang,), (left,)]
    assert {title: family.details[0] for title, family in families.items()} == {
        "good.py": "back=1 (whole number), book=none (text)",
        "several.py: hang": "of this server's owner",
        "several.py: Left": "far=none (whole number), step=0 (whole number 0 to 6), "
        "most=0.5 (number), side=left (left|right), turned=no (yes|no)",
    }
    assert not (tmp_path / "ran").exists()


def test_an_offered_agent_plays_in_a_process_of_its_own(offered: list[str], tmp_path: Path) -> None:
    player = read_agent(offered[0], RULES)
    assert player.decide(RULES.start(), np.random.default_rng(1)).move == 6
    assert read_agent(offered[2], RULES).decide(RULES.start(), np.random.default_rng(1)).move == 0
    [process] = (tmp_path / "ran").read_text().split()
    assert process != str(os.getpid())
    assert not any(name.endswith("good") for name in sys.modules)


def test_an_offered_agent_that_is_trained_against_sees_the_board(offered: list[str]) -> None:
    member = opponents(offered[0], RULES, 10).stages[0][0].agent
    assert member is not None
    boards = boards_of([position_of(RULES, "777777"), position_of(RULES, "12")])
    assert member.choose(boards, np.arange(2)).tolist() == [5, 6]


SETTINGS = {  # of a visitor: the file's agent by its place, and its first move
    (2, "step=2"): 2,
    (2, "step=2,most=2,side=right,turned=yes"): 4,
    (0, "back=0"): 0,
}


@pytest.mark.parametrize("setting", SETTINGS)
def test_visitors_set_its_options(offered: list[str], setting: tuple[int, str]) -> None:
    place, options = setting
    spec = f"{offered[place]}{',' if place else ':'}{options}"
    player = read_agent(spec, RULES)
    assert player.spec == spec
    start = RULES.start()
    assert player.decide(start, np.random.default_rng(1)).move == SETTINGS[setting]
    players = read_players([spec, "random"], RULES)
    [pairing] = Event("connect4", tuple(players), games=2, plies=0).pairings()
    assert play(Stretch(pairing, 0, 1)).moves[0, 0] == SETTINGS[setting]


TOO_MUCH = {
    (2, "step=7"): "step='7' is not allowed; how far from the left",
    (2, "most=3"): "most=3 is too much for the web, at most 2",
    (2, "side=up"): "side='up' is not allowed",
    (2, "far=1"): "far=1 is too much for the web, at most 0",
    (2, "odd=1"): "has no option 'odd'; options: far=none",
    (1, "step=1"): "it has no options",
    (0, "back=2"): "back=2 is too much for the web, at most 1",
    (0, "book=/etc/passwd"): "book cannot be set on the web",
    (0, "limit=1"): "has no option 'limit'",
    (0, "choose,back=1"): "takes no value 'choose'",
}


@pytest.mark.parametrize("setting", TOO_MUCH)
def test_what_a_visitor_may_not_set_is_refused_and_nothing_is_run(
    offered: list[str], setting: tuple[int, str], tmp_path: Path
) -> None:
    place, options = setting
    with pytest.raises(SpecError, match=TOO_MUCH[setting].replace("/", ".")):
        read_agent(f"{offered[place]}{',' if place else ':'}{options}", RULES)
    assert not (tmp_path / "ran").exists()


REFUSED = ["secret.py", "agents/good.py", "./secret.py:choose", "os.path:join", "engine:ls"]


@pytest.mark.usefixtures("offered")
@pytest.mark.parametrize("spec", REFUSED)
def test_what_a_visitor_types_is_never_loaded(spec: str, tmp_path: Path) -> None:
    with pytest.raises(
        SpecError, match=r"no file that this server offers|unknown agent|is a program"
    ):
        read_agent(spec, RULES)
    assert not (tmp_path / "secret").exists()
    assert not (tmp_path / "ran").exists()


def test_one_that_hangs_costs_its_own_move(offered: list[str]) -> None:
    hanging = read_agent(offered[1], RULES)
    hanging.prepare()
    with pytest.raises(EngineError, match=r"several.py@\w+:hang: no answer within 0.5 s"):
        hanging.decide(RULES.start(), np.random.default_rng(1), Limit(seconds=0.5))


@pytest.mark.usefixtures("offered")
def test_a_move_that_there_is_not_is_told_as_its_own_fault(tmp_path: Path) -> None:
    (tmp_path / "others").mkdir()
    (tmp_path / "others" / "wrong.py").write_text("def choose(position, rng):\n    return 99\n")
    [wrong] = offer(tmp_path / "others")
    with pytest.raises(EngineError, match=rf"{wrong}: column 100 does not exist in connect4 '4';"):
        read_agent(wrong, RULES).decide(position_of(RULES, "4"), np.random.default_rng(1))


def test_offered_agents_meet_in_the_arena(offered: list[str], tmp_path: Path) -> None:
    players = read_players([offered[0], offered[2]], game(SMALL))
    assert players == [offered[0], offered[2]]
    [pairing] = Event(SMALL, tuple(players), games=2, plies=0).pairings()
    games = play(Stretch(pairing, 0, 2))
    assert not games.forfeits
    assert games.moves[0, :4].tolist() == [4, 0, 4, 0]
    assert str(os.getpid()) not in (tmp_path / "ran").read_text().split()


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
    (tmp_path / "broken.py").write_text("def agent(position, rng:\n")
    with pytest.raises(SpecError, match=r"no agent in broken.py \(.*, line 1\); try"):
        offer(tmp_path)


def test_what_holds_no_agent_is_told_beside_what_is_offered(
    offered: list[str], tmp_path: Path
) -> None:
    (tmp_path / "agents" / "typo.py").write_text("x = 1\ndef agent(position, rng) return 3\n")
    said = left_out(tmp_path / "agents")
    assert said == "no agent in empty.py, typo.py (expected ':', line 2)"


def test_agents_of_the_owner_keep_nobody_elses_moves_waiting(offered: list[str]) -> None:
    """Their processes may take a minute to start, or never do."""
    pools: list[str] = []

    class Noting(IdleBench):
        def start(self, work: Any, pool: str = "", failed: Any = None) -> Job:
            pools.append(pool)
            return super().start(work, pool)

    for spec, pool in ((offered[0], OWNERS), ("random", MOVES)):
        session = PlaySession(Noting(), {"opponent": spec, "you": "second"})
        session.open()
        assert pools.pop() == pool
    desk = AnalyseSession(Noting(), {"tab": "compare", "a": offered[0], "b": "random"})
    desk.open()
    assert pools[-2:] == [OWNERS, ANALYSIS]
