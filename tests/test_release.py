"""What a release is made of: descriptions whose links work, commands that are tried."""

import contextlib
import importlib.util
import inspect
import re
import tarfile
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from fourlab.cli.main import COMMANDS
from fourlab.cli.serve import serve
from fourlab.version import __version__

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def program(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_readme_of_a_package_links_nowhere_or_home() -> None:
    portable = program(ROOT / "hatch_build.py").portable
    relative = re.compile(r"\]\((?!https://)")
    assert relative.search(README)
    bare = portable(README, "")
    assert not re.search(r"\]\(", bare)
    assert "The web laboratory: pages, addresses, limits" in bare
    linked = portable(README, "https://forge.example/fourlab/")
    assert not relative.search(linked)
    assert "[Games](https://forge.example/fourlab/blob/main/docs/games/index.md)" in linked
    assert "(https://forge.example/fourlab/raw/main/docs/pictures/play.png)" in linked


def test_every_link_of_the_readme_leads_to_a_file() -> None:
    paths = re.findall(r"\]\(([^)#]+)\)", README)
    assert len(paths) > 20
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_every_command_of_the_readme_is_tried_and_there_is() -> None:
    release = program(ROOT / ".ci" / "release.py")
    tried = release.commands(README)
    assert len(tried) == len(re.findall(r"^fourlab ", README, re.MULTILINE))
    assert {line.split()[1] for line in tried} <= set(COMMANDS)
    assert all("#" not in line for line in tried)
    assert "fourlab serve" in tried
    known = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert set(release.EXTRAS.split(",")) <= set(known["optional-dependencies"])


def test_the_citation_names_the_version_that_there_is() -> None:
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text()


def test_what_may_be_opened_to_a_network_is_told_as_it_is() -> None:
    told = (ROOT / "SECURITY.md").read_text()
    host = inspect.signature(serve).parameters["host"].default
    assert f"| this machine alone (`{host}`) | `fourlab serve --host 0.0.0.0` |" in told
    for link in re.findall(r"\]\(([^)#:]+)\)", told):
        assert (ROOT / link).exists()


def test_an_sdist_that_lacks_a_file_is_no_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = program(ROOT / ".ci" / "release.py")
    monkeypatch.setattr(release, "run", lambda *_: "kept.py\ntests/kept.py\n.gitignore\n")
    sdist = tmp_path / "made.tar.gz"
    for held, lacks in (("kept.py", True), ("kept.py tests/kept.py", False)):
        with tarfile.open(sdist, "w:gz") as archive:
            for name in held.split():
                archive.add(ROOT / "LICENSE", f"made-1/{name}")
        with (
            pytest.raises(SystemExit, match=r"lacks 1 files: tests/kept\.py")
            if lacks
            else (contextlib.nullcontext())
        ):
            release.check_sdist(sdist)


def test_a_public_forge_checks_every_python_that_is_supported() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    known = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    workflow = (ROOT / ".github" / "workflows" / "check.yml").read_text()
    [tried] = re.findall(r"python: \[(.*)\]", workflow)
    assert known == re.findall(r'"(3\.\d+)"', tried)
    assert re.search(r"run: make .*\bcheck test$", workflow, re.MULTILINE)
