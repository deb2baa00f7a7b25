"""`fourlab engine`: an agent that other programs drive."""

import os
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
    from fourlab.core.lines import own_pipes
    from fourlab.rules.catalog import game as find_game

    lines, pipe = own_pipes()
    here = os.getpid()

    def say(line: str) -> None:
        if os.getpid() != here:
            os._exit(0)  # an agent has forked: one of the two is enough
        pipe.write(line + "\n")
        pipe.flush()

    kind = GtpServer if gtp else EngineServer
    serve(kind(agent, find_game(game), say), lines, lambda: os._exit(0))
    os._exit(0)  # whatever an agent left running
