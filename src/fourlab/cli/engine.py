"""`fourlab engine`: an agent that other programs drive."""

import contextlib
import os
import threading
from collections.abc import Iterator
from typing import Annotated

import typer

from fourlab.cli.options import Game


def engine(
    agent: Annotated[str, typer.Argument(help="The agent, such as mcts:sims=1000.")],
    game: Game = "connect4",
    gtp: Annotated[bool, typer.Option("--gtp", help="As OpenSpiel's example server.")] = False,
) -> None:
    """Let other programs drive an agent over standard input and output, as UGI or simpler."""
    from fourlab.adapters.gtp import GtpServer
    from fourlab.adapters.serving import EngineServer, serve
    from fourlab.core import borrowed, home, waiting
    from fourlab.core.lines import own_pipes
    from fourlab.rules.catalog import game as find_game

    lines, pipe = own_pipes()
    here = os.getpid()

    def say(line: str) -> None:
        if os.getpid() != here:
            os._exit(0)  # an agent has forked: one of the two is enough
        try:
            pipe.write(line + "\n")
            pipe.flush()
        except OSError as error:
            error.filename = "standard output"
            raise

    kind, rules = GtpServer if gtp else EngineServer, find_game(game)
    home.tries_first = borrowed.is_shared = False  # this is a process of its own
    with waiting.notice(f"still importing {agent} ..."), _in_time():
        server = kind(agent, rules, say)
    serve(server, lines, lambda: os._exit(0))
    os._exit(0)  # whatever an agent left running


@contextlib.contextmanager
def _in_time() -> Iterator[None]:
    """End this process if somebody's own code does not get ready; ours may compile for longer."""
    from fourlab.core import own, trial

    def give_up() -> None:
        if line := own.line_now(here, f"not ready after {trial.SECONDS:g} s"):
            typer.echo(f"fourlab: {line}", err=True)
            os._exit(2)

    here, timer = threading.get_ident(), threading.Timer(trial.SECONDS, give_up)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
