"""`fourlab check`: whether an agent is sound."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from fourlab.cli.options import AsJson, print_json
from fourlab.core import waiting

PATIENCE = 10.0  # seconds for one move before it counts as hanging
LOAD_SECONDS = 60.0  # to load it on one board, however slowly it imports and compiles
GRACE = 2.0  # seconds in which its process tells where it hangs
KAGGLE_BOARD, ACT_TIMEOUT = "connect4", 2.0


def check(
    agent: Annotated[str, typer.Argument(help="The agent, such as my_agent.py.")],
    game: Annotated[
        list[str] | None, typer.Option(help="A board to try it on; may be repeated.")
    ] = None,
    seconds: Annotated[float, typer.Option(min=1, help="About how long it may take.")] = 30.0,
    kaggle: Annotated[bool, typer.Option("--kaggle", help="Kaggle's limits too.")] = False,
    as_json: AsJson = False,
) -> None:
    """Try an agent out: legal, repeatable, quick; on several boards, in a process of its own.

    Ends with exit code 1 if it is not sound.
    """
    boards = game or ([KAGGLE_BOARD] if kaggle else [])
    findings = []
    with contextlib.ExitStack() as until_first:
        until_first.enter_context(waiting.notice(f"still importing {agent} ..."))
        for found in tried(agent, seconds, boards):
            until_first.close()
            findings.append(found)
            if not as_json:
                show(found)
    sound = bool(findings) and not any("failed" in found for found in findings)
    if kaggle and sound:
        findings.append(submitted(agent, findings))
        sound = "failed" not in findings[-1]
        if not as_json:
            show(findings[-1])
    if as_json:
        print_json({"agent": agent, "sound": sound, "findings": findings})
    else:
        typer.echo("sound" if sound else "not sound")
    if not sound:
        raise typer.Exit(1)


def tried(agent: str, seconds: float, boards: list[str]) -> Iterator[dict[str, Any]]:
    """Yield what checks in a child process find; one that hangs or dies is told where it was."""
    from fourlab.arena.seats import is_ours
    from fourlab.core.errors import quoted
    from fourlab.core.limit import Limit
    from fourlab.core.lines import LineProcess, python_with_fourlab, told_in

    arguments = [agent, str(seconds), str(LOAD_SECONDS), str(PATIENCE), *boards]
    child = LineProcess([*python_with_fourlab("fourlab.agents.check"), *arguments])
    child.restrict(strictly=not is_ours(agent))
    step = {"step": "loads", "where": ""}
    stuck: dict[str, Any] = {}  # where it was a moment ago, if it is there for long
    patience = LOAD_SECONDS
    watch = Limit(patience + GRACE).watch()
    while True:
        try:
            line = child.hear(watch.left)
        except TimeoutError:
            line = stuck.get("stuck", f"no answer within {patience:g} s")
            yield {**_ended(step, line, child.errors()), "trace": stuck.get("trace", "")}
            child.close()
            return
        if line is None:
            printed = child.errors()
            yield _ended(step, f"its process {child.leave(1.0)}", printed)
            return
        said = told_in(line)
        if not said.keys() & {"sound", "step", "starts", "stuck", "failed", "passed"}:
            yield _ended(step, f"it said {quoted(line)} where its check is heard", child.errors())
            child.close()
            return
        if "sound" in said:
            child.close()
            return
        if "stuck" in said:
            stuck = said
            continue
        if "step" in said:
            step, stuck = said, {}
            patience = LOAD_SECONDS if said["step"] == "loads" else PATIENCE
        elif "starts" not in said:
            yield said
        elif step["step"] == "loads":
            continue
        watch = Limit(patience + GRACE).watch()


def _ended(step: dict[str, Any], line: str, printed: str) -> dict[str, Any]:
    return {"failed": step["step"], "line": line, "where": step["where"], "printed": printed}


def submitted(agent: str, findings: list[dict[str, Any]]) -> dict[str, Any]:
    """Return whether Kaggle would take it."""
    from fourlab.adapters.export import export_kaggle
    from fourlab.core.errors import FourlabError

    slowest = max((found.get("slowest", 0.0) for found in findings), default=0.0)
    if slowest > ACT_TIMEOUT:
        line = f"a move took {slowest:.1f} s; Kaggle allows {ACT_TIMEOUT:g} s"
        return {"failed": "kaggle", "line": line, "where": "", "printed": ""}
    try:
        size = len(export_kaggle(agent))
    except FourlabError as error:
        return {"failed": "kaggle", "line": str(error), "where": "", "printed": ""}
    return {"passed": "kaggle", "says": f"in time, and one file of {size:,} bytes"}


def show(found: dict[str, Any]) -> None:
    """Print one finding: the line that failed first, then where, what was printed, and how."""
    if "passed" in found:
        typer.echo(f"ok    {found['passed']}: {found['says']}")
        return
    typer.echo(f"FAIL  {found['failed']}: {found['line']}")
    if found["where"]:
        typer.echo(f"      in {found['where']}")
    for title, text in (("printed", found["printed"]), ("traceback", found.get("trace", ""))):
        if text.strip():
            typer.echo(f"      {title}:")
            for line in text.rstrip().splitlines():
                typer.echo(f"        {line}")
    sys.stdout.flush()
