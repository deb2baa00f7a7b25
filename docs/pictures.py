"""Draws the pictures of the documentation: `python docs/pictures.py`."""

import io
import re
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from fourlab.cli.console import board, result
from fourlab.rules.catalog import game
from fourlab.rules.position import position_of

IMAGES = Path(__file__).parent / "images"


def terminal(name: str, title: str, draw: Callable[[Console], None]) -> None:
    """Save what `draw` prints on a terminal as an SVG that asks no other host for a font."""
    screen = Console(record=True, width=44, force_terminal=True, file=io.StringIO())
    draw(screen)
    svg = screen.export_svg(title=title)
    svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    (IMAGES / name).write_text(svg, encoding="utf-8")


def a_won_game(screen: Console) -> None:
    """Print the last board of a game that ends with a diagonal."""
    position = position_of(game("connect4"), "27774722534424533")
    screen.print("[dim]$[/dim] fourlab play --second baseline\n", highlight=False)
    screen.print(board(position, plain=False))
    screen.print(f"\n{result(position, plain=False)}", style="bold", highlight=False)


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    terminal("play.svg", "fourlab", a_won_game)
