"""What is said when something is missing can be done where it is said."""

import shlex
import sys
import tomllib
from pathlib import Path

import pytest

from fourlab.core import errors
from fourlab.core.errors import missing_extra, quoted

ROOT = Path(__file__).parents[2]


def test_an_extra_is_installed_from_the_folder_that_make_installed_from() -> None:
    said = str(missing_extra("it needs torch", "deep"))
    what, _, command = said.partition("; install it: ")
    words = shlex.split(command)
    assert what == "it needs torch"
    assert words[:4] == [sys.executable, "-m", "pip", "install"]
    assert words[4:6] == ["-c", str(ROOT / "constraints.txt")]
    assert words[6:] == ["-e", f"{ROOT}[deep]"]
    known = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "deep" in known["project"]["optional-dependencies"]


def test_elsewhere_an_extra_is_installed_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / "lib" / "python" / "fourlab" / "core" / "errors.py"
    monkeypatch.setattr(errors, "__file__", str(installed))
    assert str(missing_extra("x", "web")).endswith("-m pip install 'fourlab[web]'")


def test_a_long_input_is_shown_by_its_beginning() -> None:
    assert quoted("4455") == "'4455'"
    assert quoted("9" * 5000) == f"'{'9' * 60}'... (5,000 characters)"
