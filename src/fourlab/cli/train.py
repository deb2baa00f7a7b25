"""`fourlab train`: let a learner learn."""

import shlex
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fourlab.cli.options import as_folder, as_text, print_json

if TYPE_CHECKING:
    from fourlab.learning.base import Learner, Progress
    from fourlab.learning.runs import Run

INTERRUPTED = 130
INDENT = " " * 6  # of what goes on from the line above


def train(
    learner: Annotated[
        str, typer.Argument(help="A learner and its options: q, afterstates:alpha=0.2, n-tuple.")
    ] = "",
    game: Annotated[
        str | None, typer.Option(help="The game; connect4 if none is named.", parser=as_text)
    ] = None,
    opponent: Annotated[
        str | None, typer.Option(help='Such as "4 baseline and 1 minimax", "random then frozen".')
    ] = None,
    games: Annotated[int | None, typer.Option(min=1, help="Games to play.")] = None,
    side: Annotated[str | None, typer.Option(help="first, second or alternating.")] = None,
    options: Annotated[
        list[str] | None, typer.Option("--set", help="Another option of the learner: alpha=0.1.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The run folder.", parser=as_folder)
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out.")] = False,
    seed: Annotated[
        int | None, typer.Option(min=0, max=(1 << 63) - 1, help="Repeat a run.")
    ] = None,
    every: Annotated[
        int | None, typer.Option(min=0, help="Games between reports; 0: a tenth.")
    ] = None,
    against: Annotated[
        list[str] | None, typer.Option(help="An agent to evaluate against; may be repeated.")
    ] = None,
    evaluation_games: Annotated[
        int | None, typer.Option(min=1, help="Games of an evaluation; 1000 if none are named.")
    ] = None,
    truth: Annotated[
        str | None,
        typer.Option(help="A suite to hold it against: middle, end, ...", parser=as_text),
    ] = None,
    until_certified: Annotated[
        str | None,
        typer.Option(
            metavar="SIDE", help="Until no reply of the other side beats it: first.", parser=as_text
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print reports as JSON lines.")] = False,
) -> None:
    """Train a learner in a run folder; Ctrl-C saves, --resume goes on."""
    from fourlab.core.errors import SpecError
    from fourlab.learning.circle import check
    from fourlab.learning.runs import Run, RunConfig, agreed_length
    from fourlab.learning.training import free_folder

    given = {"every": every, "evaluation_games": evaluation_games, "truth": truth}
    looks: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    looks |= {"against": tuple(against)} if against else {}
    text = _text(learner, opponent, games, side, options or [])
    if resume:
        if out is None:
            raise SpecError("--resume goes on with a run: name its folder with --out")
        length = agreed_length(out, text, game, seed)
        run = Run.resume(out, length, **looks)
        _check_evaluation(evaluation_games, run.config.against)
        if until_certified:
            check(run.learner, until_certified)
        if length is not None and (changed := run.learner.follows_length):
            typer.echo(
                f"{' and '.join(changed)} went by the length of the run, now {length:,} "
                f"{run.learner.unit}: this is no longer the run it would have been",
                err=True,
            )
    else:
        made = _named(text, game or "connect4")
        if until_certified:
            check(made, until_certified)
        config = RunConfig(made.spec, str(made.rules), seed or 0, **looks)
        _check_evaluation(evaluation_games, config.against)
        run = Run.again(out or free_folder(learner), config)
    if run.is_over:
        _tell_again(run, as_json, until_certified)
    else:
        _remark(run)
        _follow(run, as_json, until_certified)


def _check_evaluation(games: int | None, against: tuple[str, ...]) -> None:
    """Raise SpecError for the length of an evaluation where there is none."""
    from fourlab.core.errors import SpecError

    if games is not None and not against:
        raise SpecError(f"--evaluation-games {games}: against nobody; name agents with --against")


def _text(
    learner: str, opponent: str | None, games: int | None, side: str | None, options: list[str]
) -> str:
    """Return the learner's spec with all that was given, behind a colon if it was not named."""
    from fourlab.core.brackets import unwrapped, wrapped
    from fourlab.core.errors import SpecError

    given = {"opponent": opponent, "games": games, "side": side}
    extra = [f"{name}={wrapped(str(value))}" for name, value in given.items() if value is not None]
    for item in options:
        name, equals, value = item.partition("=")
        if not equals:
            raise SpecError(f"--set {item!r} is no option; write --set alpha=0.1")
        extra.append(f"{name}={wrapped(value)}")
    named = unwrapped(learner.strip()).strip()
    return named + ("," if ":" in named else ":") + ",".join(extra) if extra else named


def _named(text: str, game: str) -> "Learner":
    """Return the learner of a spec; raises SpecError."""
    from fourlab.core.errors import SpecError
    from fourlab.learning.registry import LEARNERS
    from fourlab.learning.registry import learner as new_learner

    if not text or text.startswith(":"):
        raise SpecError(f"name a learner: {', '.join(LEARNERS)}")
    return new_learner(text, game)


@contextmanager
def _stopping(run: "Run") -> Iterator[list[bool]]:
    """Turn Ctrl-C into a wish: the list is no longer empty.

    Before anything was learned, and the second time, it is obeyed at once.
    """
    wished: list[bool] = []

    def wish(*_: object) -> None:
        if wished or run.last is None:
            raise KeyboardInterrupt
        wished.append(True)

    before = signal.signal(signal.SIGINT, wish)
    try:
        yield wished
    finally:
        signal.signal(signal.SIGINT, before)


def _follow(run: "Run", as_json: bool, until_certified: str | None = None) -> None:
    """Train with a progress bar and a line for each report."""
    from fourlab.cli.console import each_apart
    from fourlab.cli.curve import Speedometer, curve_bar

    total = run.learner.total
    with _stopping(run) as wished, curve_bar() as bar:
        task = bar.add_task(run.learner.name, total=total, said="")
        bar.update(task, completed=run.learner.done)
        speedometer = Speedometer()

        def watch(progress: "Progress") -> None:
            kind = run.learner
            said = f"{kind.outcomes[0]} {progress.wins / max(progress.played, 1):.0%}"
            if "size" in progress.metrics:
                said += f" · {progress.metrics['size']:,.0f} {kind.size_unit}"
            speed = speedometer.read(progress.done)
            said += "" if speed is None else f" · {speed:,.0f} {kind.unit}/s"
            bar.update(task, completed=progress.done, said=said)

        for line in each_apart(run.reports(watch, lambda: bool(wished))):
            if as_json:
                print_json(line)
            elif bar.console.is_terminal:  # above the bar
                told = report(line, run.learner, bar.console.width)
                bar.console.print(told, highlight=False)
                bar.points = _errors(run)
            else:
                typer.echo(report(line, run.learner))
            speedometer.pause(line["games_per_s"])
            if until_certified and _is_certified(run, until_certified):
                return
    if run.learner.done < run.learner.total:  # less than before, where its seconds are over
        typer.echo(
            f"stopped after {run.learner.done:,} of {total:,} {run.learner.unit}, all saved; "
            f"go on with: {run.to_go_on}",
            err=True,
        )
        raise typer.Exit(INTERRUPTED)
    _say_done(run, as_json)


def _remark(run: "Run") -> None:
    if run.remark:
        typer.echo(run.remark, err=True)


def _say_done(run: "Run", as_json: bool) -> None:
    """Say where it lies and how to play against it; first of all if nothing was learned."""
    _remark(run)
    if as_json:
        return
    from fourlab.cli.console import console
    from fourlab.core.spec import on_path

    board = "" if run.config.game == "connect4" else f" --game {run.config.game}"
    player = shlex.quote(on_path(run.learner.agent().name, run.folder))
    console().print(f"done: {run.folder}; play it with fourlab play --second {player}{board}")


def _tell_again(run: "Run", as_json: bool, until_certified: str | None) -> None:
    """Print the reports of a run that has come to its end, and say how to make it longer."""
    from fourlab.learning.runs import read_metrics

    typer.echo(
        f"this run of {run.learner.done:,} {run.learner.unit} came to its end before; "
        f"go on with: {run.to_go_on}",
        err=True,
    )
    for line in read_metrics(run.folder):
        if as_json:
            print_json(line)
        else:
            typer.echo(report(line, run.learner))
    if until_certified:
        _is_certified(run, until_certified)
    _say_done(run, as_json)


def _errors(run: "Run") -> list[tuple[float, float]]:
    """Return what it threw away on exactly scored positions, by the seconds it had learned."""
    from fourlab.learning.runs import read_metrics

    lines = read_metrics(run.folder)
    timed = [line for line in lines if "truth" in line and "seconds" in line]
    return [(line["seconds"], 1 - line["truth"]["good"]) for line in timed]


def _is_certified(run: "Run", side: str) -> bool:
    """Play against every reply and say what came of it."""
    from fourlab.learning.circle import CERTIFICATE, examine

    found = examine(run, side)
    words = f"{found.positions:,} positions against every reply as {side}"
    if found.certified:
        typer.echo(f"certified: {words}; {run.folder / CERTIFICATE}", err=True)
    else:
        typer.echo(f"{words}: {found.refuted:,} ends below the value", err=True)
    return found.certified


def report(
    line: dict[str, Any],
    kind: "Learner | type[Learner] | None" = None,
    width: int | None = None,
) -> str:
    """Return a line of metrics as people read it, in the words of a learner.

    With a width it is folded between what it tells, and evaluations begin a line.
    """
    from fourlab.learning.base import Learner

    kind = kind or Learner
    shares = (line["wins"], line["draws"], line["losses"])
    results = zip(kind.outcomes, shares, strict=True)
    trained = [
        f"{line['games']:>11,} {kind.unit}",
        " ".join(f"{word} {share:.1%}" for word, share in results),
        f"{line['size']:,} {kind.size_unit}",
        f"{line['games_per_s']:,} {kind.unit}/s",
    ]
    if line.get("steps") == 0:
        lacking = line.get("lessons_lacking")
        so_far = "" if lacking is None else f": {lacking:,} more lessons are needed"
        trained.append(f"nothing learned yet{so_far}")
    if "seconds" in line:
        trained.append(f"{line['seconds']:,.1f} s")
    if "held_kept" in line:
        trained.append(f"of those set aside {line['held_kept']:.1%} kept")
    if line.get("left_out"):
        trained.append(f"{line['left_out']:,} left out: memory-mb is reached")
    parts = []
    for agent, score in line.get("against", {}).items():
        half = (score["high"] - score["low"]) / 2
        counts = f"{score['wins']}/{score['draws']}/{score['losses']}"
        parts.append(f"vs {agent} {score['score']:.1%} ± {half:.1%} ({counts})")
    if "truth" in line:
        truth = line["truth"]
        error = truth["value_error"]
        off = "" if error is None else f", values off by {error:.2f}"
        moves = f"of its moves {truth['perfect']:.1%} perfect, {truth['good']:.1%} good"
        parts.append(moves + off)
        if classes := truth.get("classes"):
            parts.append(f"{classes['accuracy']:.1%} of classes told")
    if width is None:
        return " · ".join(trained + parts)
    parts[:1] = [INDENT + part for part in parts[:1]]
    return "\n".join(folded(trained, width) + folded(parts, width))


def folded(parts: list[str], width: int) -> list[str]:
    """Return rows of a width that parts fill; those after the first are indented."""
    rows = parts[:1]
    for part in parts[1:]:
        longer = f"{rows[-1]} · {part}"
        rows = [*rows[:-1], longer] if len(longer) <= width else [*rows, INDENT + part]
    return rows
