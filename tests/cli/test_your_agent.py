"""The walk of docs/your-agent.md, command by command."""

import re
from pathlib import Path

import command

PAGE = Path(__file__).parents[2] / "docs" / "your-agent.md"


def test_five_commands_lead_to_a_rated_agent_and_its_worst_game(tmp_path: Path) -> None:
    [walk] = re.findall(r"```sh\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    lines = walk.strip().splitlines()
    assert len(lines) == 5
    said = []
    for line in lines:
        program, *arguments = line.split()
        assert program == "fourlab"
        done = command.run(*arguments, folder=tmp_path)
        assert done.returncode == 0, f"{line}: {done.stderr}"
        said.append(done.stdout)
    _, checked, rated, graded, worst = said
    assert checked.endswith("sound\n")
    assert "FAIL" not in checked
    assert re.search(r"my_agent\.py@\w{8} +\d+ +± \d+", rated)
    assert "0 forfeits" in rated or "forfeit" not in rated
    assert re.search(r"all +1000 +\d+% ± \d+", graded)
    assert "+-1--2--3--4--5--6--7-+" in worst
    assert "its costliest move: column" in worst
