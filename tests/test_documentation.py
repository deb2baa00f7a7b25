"""What the documentation shows is what happens."""

import doctest
import inspect
import re
import runpy
import shlex
from pathlib import Path

import pytest

import command
import fourlab
from fourlab.agents.registry import AGENTS
from fourlab.core.spec import options_of
from fourlab.learning.mdp.planning import exact_shares
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


def test_the_readme_says_how_good_the_table_is_that_it_trains(tmp_path: Path) -> None:
    page = PAGES[0].read_text()
    told = re.search(r"wins (\d+)% and loses (\d+)% of its games", page)
    begun = re.search(r"fourlab (train q --game (\S+) .*)", page)
    assert told
    assert begun
    assert command.run(*shlex.split(begun[1]), folder=tmp_path).returncode == 0
    table = f"q:{tmp_path}/runs/mine"
    found = [exact_shares(begun[2], table, "baseline", side) for side in ("first", "second")]
    wins, losses = (sum(getattr(one, name) for one in found) / 2 for name in ("wins", "losses"))
    assert (f"{100 * wins:.0f}", f"{100 * losses:.0f}") == (told[1], told[2])


def test_every_page_of_a_game_or_an_agent_is_of_one_that_exists() -> None:
    listed = (ROOT / "mkdocs.yml").read_text()
    for kind, names in (("games", [*GAMES, *FAMILIES]), ("agents", AGENTS)):
        pages = [page for page in (ROOT / "docs" / kind).glob("*.md") if page.stem != "index"]
        assert len(pages) > 3
        for page in pages:
            assert page.stem in names
            assert page.read_text().startswith(f"# `{page.stem}`")
            assert f"{kind}/{page.name}" in listed


@pytest.mark.parametrize("name", sorted({*AGENTS} - {"engine"}))
def test_every_agent_is_listed_and_its_page_names_its_options(name: str) -> None:
    folder = ROOT / "docs" / "agents"
    assert f"`{name}`" in (folder / "index.md").read_text()
    page = folder / f"{name}.md"
    options = [one.name for one in options_of(AGENTS.find(name).Config) if one.name != "path"]
    text = page.read_text() if page.exists() else ""
    assert [one for one in options if f"`{one}=" not in text] == []


def test_the_formulas_of_tree_search_are_those_of_its_page() -> None:
    def bare(text: str) -> str:
        return re.sub(r"[\s·]", "", text)

    [formula] = [one for one in options_of(AGENTS.find("mcts").Config) if one.name == "formula"]
    told = [one.split(": ")[1] for one in formula.help.split("; ") if "sqrt" in one]
    assert len(told) == 3
    page = bare((ROOT / "docs" / "agents" / "mcts.md").read_text())
    assert [one for one in told if bare(one) not in page] == []


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
