"""What the documentation shows is what happens."""

import doctest
import inspect
import runpy
from pathlib import Path

import pytest

import fourlab
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


def test_every_page_of_a_game_or_an_agent_is_of_one_that_exists() -> None:
    listed = (ROOT / "mkdocs.yml").read_text()
    for kind, names in (("games", [*GAMES, *FAMILIES]), ("agents", AGENTS)):
        pages = [page for page in (ROOT / "docs" / kind).glob("*.md") if page.stem != "index"]
        assert len(pages) > 3
        for page in pages:
            assert page.stem in names
            assert page.read_text().startswith(f"# `{page.stem}`")
            assert f"{kind}/{page.name}" in listed


def test_the_reference_describes_everything_public() -> None:
    reference = runpy.run_path(str(ROOT / "docs" / "reference.py"))
    listed = [name for names in reference["GROUPS"].values() for name in names]
    assert sorted([*listed, "__version__"]) == sorted(fourlab.__all__)
    page = reference["page"]()
    for name in listed:
        thing = getattr(fourlab, name)
        assert f"### `{name}`" in page
        assert inspect.cleandoc(thing.__doc__) in page
        for member, found in reference["members"](thing):
            assert found.__doc__, f"{name}.{member}"
    assert "0x" not in page  # addresses differ from build to build
