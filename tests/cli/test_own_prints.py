"""What people's own code prints never stands in an answer."""

import json
from pathlib import Path

import pytest

import command

LOUD = """
from fourlab import Agent, Decision

print("I am here")

class Loud(Agent):
    is_deterministic = True

    def decide(self, position, rng, limit=None):
        print("{}")
        return Decision(position.legal_moves()[0])
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ("grade", "loud.py"),
        ("certify", "loud.py"),
        ("train", "q", "--opponent", "loud.py", "--games", "20", "--out", "run"),
    ],
)
def test_an_agent_that_prints_leaves_json_alone(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    (tmp_path / "loud.py").write_text(LOUD)
    done = command.run(*arguments, "--game", "tictactoe", "--json", folder=tmp_path)
    assert done.stdout
    assert all(isinstance(json.loads(line), dict) for line in done.stdout.splitlines())
    assert "{}\n" in done.stderr
    assert "{}\n" not in done.stdout
