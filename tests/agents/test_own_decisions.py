"""Agents of one's own whose decisions or options are none: told alike by whoever meets them."""

from pathlib import Path

import numpy as np
import pytest

from fourlab.adapters.serving import EngineServer
from fourlab.agents.check import Checks
from fourlab.agents.registry import agent
from fourlab.core.errors import OwnCodeError, SpecError
from fourlab.core.spec import options_of
from fourlab.rules.catalog import game

RULES = game("connect:columns=4,rows=4,k=3")
CLASS = """
from dataclasses import dataclass, field
from fourlab import Agent, Decision
from fourlab.core.limit import NO_LIMIT

@dataclass
class Options:
    depth: int = 1

class Mine(Agent):
    Config = Options
    def decide(self, position, rng, limit=NO_LIMIT):
        return Decision(position.legal_moves()[0])
"""
ANSWER = "Decision(position.legal_moves()[0])"
WRONG = {
    "5": "decide gave 5; return fourlab.Decision(move)",
    "None": "decide gave None; return",
    "Decision(0.0)": "its decision has move '0.0' where whole numbers belong",
    "Decision(0, values=[0.5])": "has values '[0.5]' where 4 numbers belong",
    "Decision(0, values=(float('nan'),) * 4)": "where 4 numbers belong",
    "Decision(0, line='ab')": "has line '\"ab\"' where whole numbers belong",
    "Decision(0, effort='many')": "has effort '\"many\"' where whole numbers belong",
}
OPTIONS = {
    "depth: int": "option depth has no default; write depth: int = 1",
    "table: dict = field(default_factory=dict)": "option table has no default",
    "table: dict = None": "option table has a kind that is no int, float, str or bool",
}
DEFAULTS = {
    "table={}": "option table={} is no number, text or yes/no; write table=1",
    "table=[1]": "option table=[1] is no number",
}


def written(folder: Path, text: str) -> str:
    (folder / "mine.py").write_text(text)
    return str(folder / "mine.py")


@pytest.mark.parametrize("answer", WRONG)
def test_what_is_no_decision_is_found_by_check_and_engine(tmp_path: Path, answer: str) -> None:
    spec = written(tmp_path, CLASS.replace(ANSWER, answer))
    told: list[str] = []
    found: list[dict[str, object]] = []
    assert not Checks(spec, 1.0, found.append, (str(RULES),)).run()
    assert [one for one in found if WRONG[answer] in str(one.get("line"))]
    server = EngineServer(spec, RULES, told.append)
    server.answer("go")
    assert [line for line in told if WRONG[answer] in line and line.startswith("error ")]
    assert not [line for line in told if line.startswith("bestmove")]


def test_an_agent_that_gives_no_decision_is_told_so_by_itself(tmp_path: Path) -> None:
    player = agent(written(tmp_path, CLASS.replace(ANSWER, "3")), RULES)
    with pytest.raises(OwnCodeError, match=r"mine.py@\w+: decide gave 3; return fourlab.Decision"):
        player.decide(RULES.start(), np.random.default_rng(1))


@pytest.mark.parametrize("line", OPTIONS)
def test_options_that_nobody_could_write_are_refused(tmp_path: Path, line: str) -> None:
    with pytest.raises(SpecError) as refused:
        agent(written(tmp_path, CLASS.replace("depth: int = 1", line)), RULES)
    assert OPTIONS[line] in str(refused.value)


@pytest.mark.parametrize("default", DEFAULTS)
def test_defaults_that_nobody_could_write_are_refused(tmp_path: Path, default: str) -> None:
    text = f"def choose(position, rng, {default}):\n    return 0\n"
    with pytest.raises(SpecError) as refused:
        agent(written(tmp_path, text), RULES)
    assert DEFAULTS[default] in str(refused.value)


def test_a_parameter_without_a_value_is_no_option(tmp_path: Path) -> None:
    text = "def choose(position, rng, kept=None, depth=2):\n    return 0 if kept is None else 1\n"
    spec = written(tmp_path, text)
    player = agent(f"{spec}:depth=3", RULES)
    assert [str(one) for one in options_of(player.Config)] == ["depth=2 (whole number)"]
    with pytest.raises(SpecError, match="has no option 'kept'"):
        agent(f"{spec}:kept=1", RULES)


def test_a_number_of_numpy_is_a_default_like_any_other(tmp_path: Path) -> None:
    text = "import numpy as np\ndef choose(position, rng, c=np.sqrt(4)):\n    return int(c)\n"
    spec = written(tmp_path, text)
    for words, move in (("", 2), (":c=1.0", 1)):
        player = agent(spec + words, RULES)
        assert player.decide(RULES.start(), np.random.default_rng(1)).move == move
