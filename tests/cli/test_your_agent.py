"""The walk of docs/your-agent.md, command by command."""

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "your-agent.md"


def test_five_commands_lead_to_a_rated_agent_and_its_worst_game(tmp_path: Path) -> None:
    [walk] = re.findall(r"```sh\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    commands = walk.strip().splitlines()
    assert len(commands) == 5
    said = []
    for command in commands:
        program, *arguments = command.split()
        assert program == "fourlab"
        done = subprocess.run(
            [sys.executable, "-m", "fourlab.cli.main", *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{command}: {done.stderr}"
        said.append(done.stdout)
    _, checked, rated, graded, worst = said
    assert checked.endswith("sound\n")
    assert "FAIL" not in checked
    assert re.search(r"my_agent\.py@\w{8} +\d+ +± \d+", rated)
    assert "0 forfeits" in rated or "forfeit" not in rated
    assert re.search(r"all +1000 +\d+% ± \d+", graded)
    assert "+-1--2--3--4--5--6--7-+" in worst
    assert "its costliest move: column" in worst
