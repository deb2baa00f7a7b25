"""People's own files as Kaggle submissions: bundled, as they are, or refused in one line."""

from pathlib import Path

import pytest

from bare import run_bare
from fourlab.adapters.export import export_kaggle
from fourlab.adapters.kaggle import as_kaggle_agent
from fourlab.core.errors import SpecError

# Loads a file as Kaggle's runner does, and plays four moves on an empty board.
PROGRAM = """
import json, sys
sys.path.append(sys.argv[1])
scope = {}
exec(compile(open(sys.argv[2]).read(), sys.argv[2], "exec"), scope)
agent = [value for value in scope.values() if callable(value)][-1]
config = {"columns": 7, "rows": 6, "inarow": 4, "actTimeout": 2}
board, columns = [0] * 42, []
for ply in range(4):
    obs = {"board": board, "mark": 1 + ply % 2, "remainingOverageTime": 600}
    columns.append(agent(obs, config))
    row = max(r for r in range(6) if board[r * 7 + columns[-1]] == 0)
    board[row * 7 + columns[-1]] = 1 + ply % 2
strange = [name for name in sys.modules if name.split(".")[0] == "fourlab"]
print(json.dumps({"columns": columns, "strange": strange}))
"""
CLASS = """
from dataclasses import dataclass
from fourlab import Agent, Decision as Answer
from fourlab.agents.minimax import Minimax

@dataclass(frozen=True)
class Options:
    column: int = 2

class Leaning(Agent):
    Config = Options
    def decide(self, position, rng, limit=None):
        legal = position.legal_moves()
        return Answer(self.config.column if self.config.column in legal else legal[0])

def second(position, rng, depth=1):
    return position.legal_moves()[depth]
"""
KAGGLE = """
def my_agent(observation, configuration):
    return max(c for c in range(configuration["columns"]) if observation["board"][c] == 0)

def helper(x):
    return x
"""


def columns(tmp_path: Path, spec: str) -> list[int]:
    """Return the moves of an exported agent in a process without fourlab, on an empty 7 x 6."""
    file = tmp_path / "submission.py"
    file.write_text(export_kaggle(spec))
    folder = tmp_path / f"bare {spec.rpartition(':')[2].rpartition('/')[2]}"
    folder.mkdir()
    report, errors = run_bare(folder, PROGRAM, ["numpy"], str(file))
    assert errors == ""
    assert report["strange"] == []
    played: list[int] = report["columns"]
    return played


def test_classes_and_functions_are_bundled(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(CLASS)
    assert columns(tmp_path, f"{file}:Leaning,column=5") == [5] * 4
    assert columns(tmp_path, f"{file}:second") == [1] * 4


def test_quotes_of_the_file_itself_are_no_hindrance(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(f"r'''What's in \\ it.'''\n{CLASS}")
    assert columns(tmp_path, f"{file}:second") == [1] * 4


def test_kaggles_function_is_exported_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(KAGGLE)
    assert export_kaggle(str(file)).startswith(KAGGLE)
    assert columns(tmp_path, str(file)) == [6] * 4
    obs = {"board": [0] * 42, "mark": 1, "remainingOverageTime": 60}
    assert as_kaggle_agent(str(file))(obs, {"columns": 7, "rows": 6, "inarow": 4}) == 6


REFUSED = {
    "import helper\n": "mine.py imports helper.py; a submission carries one file: join them",
    "import fourlab\n": "mine.py:1: for Kaggle, write: from fourlab import Agent, Decision",
    "from fourlab import agent\n": "finds nothing by its name; import the class, such as",
    "from fourlab.agents import registry\n": "finds nothing by its name; import the class",
}


@pytest.mark.parametrize("line", REFUSED)
def test_what_does_not_fit_into_one_file_is_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / "helper.py").write_text("")
    file = tmp_path / "mine.py"
    file.write_text(f"{line}\ndef choose(position, rng):\n    return 0\n")
    with pytest.raises(SpecError, match=REFUSED[line]):
        export_kaggle(str(file))
