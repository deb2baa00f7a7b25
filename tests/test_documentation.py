"""What the documentation shows is what happens."""

import doctest
import runpy
from pathlib import Path

import pytest

from fourlab.agents.registry import AGENTS
from fourlab.rules.catalog import FAMILIES, GAMES

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_snippets_print_what_they_say(page: Path) -> None:
    failed, _ = doctest.testfile(str(page), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert failed == 0


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.name)
def test_examples_run(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(example), run_name="__main__")
    assert capsys.readouterr().out


def test_every_game_and_agent_has_its_page() -> None:
    listed = (ROOT / "mkdocs.yml").read_text()
    for kind, names in (("games", [*GAMES, *FAMILIES]), ("agents", AGENTS)):
        for name in names:
            assert (ROOT / "docs" / kind / f"{name}.md").read_text().startswith(f"# `{name}`")
            assert f"{kind}/{name}.md" in listed
