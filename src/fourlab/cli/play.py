"""`fourlab play`: a game in the terminal, between people, agents, or both."""

from __future__ import annotations

import contextlib
import shlex
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourlab.cli.options import refuse

if TYPE_CHECKING:
    from fourlab.agents.base import Agent, Decision
    from fourlab.agents.play import GameInPlay
    from fourlab.rules.position import Position
    from fourlab.rules.record import GameRecord

HINT_SECONDS = 2.0
DELAY = 0.5  # seconds between two agents' moves
HELP = "{unit} 1-{count}, undo, hint, quit"


def play(
    first: Annotated[str, typer.Option(help="Who begins: human or an agent.")] = "human",
    second: Annotated[str, typer.Option(help="Who answers: human or an agent.")] = (
        "mcts:sims=1000"
    ),
    game: Annotated[str, typer.Option(help="The game, such as connect:columns=5,rows=6,k=4.")] = (
        "connect4"
    ),
    moves: Annotated[str, typer.Option(help="Start from these moves.")] = "",
    seed: Annotated[int | None, typer.Option(min=0, help="Repeat a game.")] = None,
    delay: Annotated[
        float | None, typer.Option(min=0, max=3600, help="Seconds between two agents' moves; 0.5.")
    ] = None,
    show_thinking: Annotated[
        bool, typer.Option("--show-thinking", help="Show what agents think of each move.")
    ] = False,
    save: Annotated[
        Path | None, typer.Option(help="Append the game to this file of lines.")
    ] = None,
    record: Annotated[
        Path | None, typer.Option(help="Keep the game in this record, beside those of the arena.")
    ] = None,
) -> None:
    """Play a game in the terminal, or watch two agents."""
    import numpy as np

    from fourlab.agents.apart import apart
    from fourlab.agents.human import Human
    from fourlab.agents.play import GameInPlay
    from fourlab.agents.registry import agent
    from fourlab.arena.records import Records
    from fourlab.core.storage import check_place, is_there
    from fourlab.rules.catalog import game as find_game
    from fourlab.rules.position import position_of
    from fourlab.rules.record import check_lines, save_games

    rules = find_game(game)
    if save is not None:  # before a game is played that could not be kept
        check_lines(save)
    if record is not None:
        check_place(record)
        if is_there(record):
            Records(record).close()
    if seed is None:
        seed = int(np.random.SeedSequence().generate_state(1)[0])
    one, other = (apart(agent(spec, rules)) for spec in (first, second))
    if any(isinstance(agent, Human) for agent in (one, other)):
        refuse("where a person plays nobody waits", {"--delay": delay is not None})
        delay = 0.0
    match = GameInPlay(rules, one, other, seed, start=position_of(rules, moves))
    TerminalGame(match, DELAY if delay is None else delay, show_thinking).run()
    with _printed_if_lost(match.record()) as played:
        if save is not None:
            save_games(save, [played])
        if record is None:
            return
        with Records(record) as records:
            kept = records.keep(match.record(with_decisions=True))
    again = f"fourlab games {kept} --record {shlex.quote(str(record))}"
    typer.echo(f"kept as {kept} in {record}; see it again: {again}")


@contextlib.contextmanager
def _printed_if_lost(game: GameRecord) -> Iterator[GameRecord]:
    """Print a game that could not be kept, as `fourlab games --import` reads it."""
    from fourlab.core.storage import StorageError

    try:
        yield game
    except StorageError as error:
        typer.echo(game.to_line())
        raise StorageError(
            f"{error}; the game is the line above: put it into a file for fourlab games --import"
        ) from None


class TerminalGame:
    """Where a game is played: shows it, asks people, lets agents move."""

    def __init__(self, match: GameInPlay, delay: float, show_thinking: bool = False) -> None:
        from fourlab.agents.human import Human
        from fourlab.cli.console import console, is_plain, marks

        self.match = match
        self.show_thinking = show_thinking
        self.screen = console()
        self.plain = is_plain(self.screen)
        self.marks = marks(self.plain)
        self.human = [isinstance(agent, Human) for agent in match.agents]
        self.delay = delay

    def run(self) -> None:
        """Play until the game ends or someone leaves."""
        from fourlab.cli.console import result

        names = [agent.spec for agent in self.match.agents]
        rules = self.match.position.rules
        self.screen.print(
            f"{rules}: {self.marks[0]} {names[0]} against {self.marks[1]} {names[1]}"
            f" (seed {self.match.seed})"
        )
        self.show()
        self.prepare()
        try:
            while not self.match.position.is_over:
                if self.human[self.match.position.to_move]:
                    self.ask()
                else:
                    self.watch()
        except (EOFError, KeyboardInterrupt):
            self.screen.print()
        self.screen.print(result(self.match.position, self.plain), style="bold")
        self.screen.print(f"moves: {self.match.position.notation or '(none)'}")

    def prepare(self) -> None:
        """Let agents get ready while the person thinks about the first move."""
        for agent in self.match.agents:
            threading.Thread(target=_make_ready, args=(agent,), daemon=True).start()

    def show(self) -> None:
        """Draw the board."""
        from fourlab.cli.console import board

        self.screen.print(board(self.match.position, self.plain))

    def watch(self) -> None:
        """Let an agent move."""
        before = self.match.position
        side = before.to_move
        decision = self.match.step()
        unit = before.rules.unit
        if self.show_thinking:
            self.think(before, decision)
        self.screen.print(
            f"{self.marks[side]} {self.match.agents[side].spec} plays {unit} {decision.move + 1}"
        )
        self.show()
        time.sleep(self.delay)

    def think(self, position: Position, decision: Decision) -> None:
        """Show what an agent thought of each move of a position, and how it expects to go on."""
        from fourlab.cli.console import board, thoughts
        from fourlab.rules.position import write_moves

        chips = thoughts(position, decision)
        if chips:
            self.screen.print(board(position, self.plain, chips))
        line = write_moves(position.rules, decision.line)
        expects = f"; expects {line}" if line else ""
        self.screen.print(f"looked at {decision.effort:,}{expects}", style="dim")

    def ask(self) -> None:
        """Take one line from a person: a move or a word. Raises EOFError to leave."""
        from fourlab.core.errors import FourlabError
        from fourlab.rules.position import read_moves

        position = self.match.position
        prompt = HELP.format(unit=position.rules.unit, count=position.rules.move_count)
        began = time.perf_counter()
        answer = input(f"{self.marks[position.to_move]} to move ({prompt}): ").strip().lower()
        if not answer:
            return
        if "quit".startswith(answer) or answer == "exit":
            raise EOFError
        if "undo".startswith(answer):
            self.undo()
        elif "hint".startswith(answer):
            self.hint()
        else:
            try:
                [move] = read_moves(position.rules, answer)
                self.match.play(move, time.perf_counter() - began)
            except FourlabError as error:
                self.screen.print(str(error), markup=False)
            except ValueError:  # several moves at once
                self.screen.print(f"one move at a time: {prompt}")
            else:
                self.show()

    def undo(self) -> None:
        """Go back to the person's last turn: past an agent's answer, or one move between people."""
        if not self.match.seconds:
            self.screen.print("nothing to take back")
            return
        self.match.undo(1 if all(self.human) else 2)
        self.show()

    def hint(self) -> None:
        """Say which moves are best, exactly if that can be found in a moment."""
        from fourlab.core.limit import Limit
        from fourlab.search.analysis import analyse
        from fourlab.search.scores import words
        from fourlab.search.solver import shared_solver

        position = self.match.position
        limits = Limit(seconds=HINT_SECONDS)
        [*_, found] = analyse(position, shared_solver(position.rules), limits, quick_first=True)
        top = max((bounds.low, bounds.high) for bounds in found.moves.values())
        good = [m + 1 for m, b in sorted(found.moves.items()) if (b.low, b.high) == top]
        unit, alike = position.rules.unit, len(good) == len(position.legal_moves()) > 1
        moves = f"any {unit}" if alike else f"{unit} {' or '.join(map(str, good))}"
        if top[0] == top[1]:
            verdict = words(position.rules, position.ply, top[0])
        elif top[0] > 0:
            verdict = "Win"
        else:
            verdict = f"{'nothing known yet' if alike else 'the best so far'}, not solved"
        self.screen.print(f"{moves}: {verdict}")


def _make_ready(agent: Agent) -> None:
    """Let an agent get ready; what is wrong with it is told when it has to move."""
    with contextlib.suppress(Exception):
        agent.prepare()
