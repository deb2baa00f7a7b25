"""`fourlab new`: a beginning to write on from."""

import shlex
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

TEMPLATES = files("fourlab.cli") / "templates"  # the package may lie in an archive
ENGINES = {"python": "engine.py", "c": "engine.c", "js": "engine.js"}

app = typer.Typer(help="Begin something of your own from a template that plays.")


@app.callback()
def new() -> None:
    """Begin something of your own from a template that plays."""


@app.command("agent")
def agent(
    file: Annotated[Path, typer.Argument(help="The file to write, such as my_agent.py.")],
    function: Annotated[
        bool, typer.Option("--function", help="A function (position, rng): the shortest.")
    ] = False,
    kaggle: Annotated[
        bool, typer.Option("--kaggle", help="Kaggle's agent(observation, configuration).")
    ] = False,
    engine: Annotated[str, typer.Option(help="A program that speaks lines: python, c or js.")] = "",
) -> None:
    """Write an agent that plays, with comments: a class, unless another kind is asked for."""
    from fourlab.core.errors import SpecError, quoted
    from fourlab.core.spec import nameable, on_path, parse
    from fourlab.core.storage import StorageError, is_there, replacing

    if engine and engine not in ENGINES:
        raise SpecError(f"no engine in {engine!r}; write one of: {', '.join(ENGINES)}")
    if function + kaggle + bool(engine) > 1:
        raise SpecError("--function, --kaggle and --engine are different agents; take one")
    name = ENGINES.get(engine) or ("function.py" * function) or ("kaggle.py" * kaggle) or "agent.py"
    suffix = Path(name).suffix
    if file.suffix != suffix:
        better = file.with_suffix(suffix) if file.name else f"my_agent{suffix}"
        raise SpecError(f"{file} would hold {suffix[1:]}; name it {better}")
    program = f"./{file.stem}" if suffix == ".c" else str(file)
    spec = on_path("engine", shlex.quote(program)) if engine else str(file)
    if parse(nameable(spec)).name != ("engine" if engine else spec):
        raise SpecError(f"{quoted(spec)} cannot be an agent's name; leave out colons and spaces")
    if is_there(file):
        raise StorageError(f"{file} is there already and stays as it is; name another")
    text = (TEMPLATES / name).read_text(encoding="utf-8").replace("{file}", shlex.quote(file.name))
    with replacing(file) as made:
        made.write(text.encode())
    spec = f"{shlex.quote(spec)} --kaggle" if kaggle else shlex.quote(spec)
    first = shlex.join(["cc", "-O2", "-o", file.stem, str(file)]) + " && " if suffix == ".c" else ""
    typer.echo(f"{file}: it plays already; see whether it is sound: {first}fourlab check {spec}")
