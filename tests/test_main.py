import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from fourlab.__main__ import INTERRUPTED

SCRIPTS = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
MODULE, _, FUNCTION = SCRIPTS["scripts"]["fourlab"].partition(":")
SCRIPT = f"from {MODULE} import {FUNCTION}; {FUNCTION}()"
PRESSED = "import signal; signal.raise_signal(signal.SIGINT)\n"
WHILE_BUILDING = f"import typer.main\ndef get_command(_):\n    {PRESSED}\n"
WHILE_BUILDING += "typer.main.get_command = get_command\n"


@pytest.mark.parametrize("way", [("-m", "fourlab"), ("-c", SCRIPT)])
@pytest.mark.parametrize("name", ["typing", "typer", "numpy"])
def test_ctrl_c_while_modules_are_imported_ends_in_silence(
    tmp_path: Path, way: tuple[str, str], name: str
) -> None:
    (tmp_path / f"{name}.py").write_text(PRESSED)
    program = [sys.executable, *way, "--version"]
    done = subprocess.run(program, capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (INTERRUPTED, "", "")


def test_ctrl_c_before_a_command_begins_ends_in_silence() -> None:
    program = [sys.executable, "-c", f"{WHILE_BUILDING}\n{SCRIPT}", "--version"]
    done = subprocess.run(program, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (INTERRUPTED, "", "")
