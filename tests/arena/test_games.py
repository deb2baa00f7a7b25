"""Games are checked before they are written: each move could be made, each ended as it says."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fourlab.agents.learned import QAgent
from fourlab.agents.registry import agent
from fourlab.arena import tournament as tournament_module
from fourlab.arena.events import Event
from fourlab.arena.games import Games
from fourlab.arena.in_step import play_from
from fourlab.arena.match import play_here
from fourlab.arena.records import Records
from fourlab.arena.tournament import Tournament
from fourlab.core.errors import FourlabError
from fourlab.core.workers import Workers
from fourlab.positions.starts import draw_boards, starts
from fourlab.rules.catalog import game
from fourlab.values.knowledge import Knowledge
from fourlab.values.shape import Shape
from fourlab.values.store import ACTIONS, POLICY, store_choice

RULES = game("tictactoe")


def played(count: int = 20) -> Games:
    return play_here(agent("random", RULES), agent("baseline", RULES), count, 3)


def test_games_that_were_played_are_games() -> None:
    played().check(RULES)
    four = game("connect4")
    play_here(agent("random", four), agent("baseline", four), 20, 3).check(four)


@pytest.mark.parametrize("damage", ["twice", "outside", "longer", "shorter", "result"])
def test_what_is_no_game_is_refused(damage: str) -> None:
    games = played()
    games.moves.flags.writeable = True
    row = 7
    if damage == "twice":
        games.moves[row, 1] = games.moves[row, 0]
    elif damage == "outside":
        games.moves[row, games.lengths[row] - 1] = 200
    elif damage == "longer":
        games.lengths[row] += 1
    elif damage == "shorter":
        games.lengths[row] -= 1
    else:
        games.results[row] = {1: 0, 0: -1, -1: 1}[int(games.results[row])]
    if damage == "longer" and games.lengths[row] > RULES.cells:
        pytest.skip("a full board")
    with pytest.raises(FourlabError, match=rf"game {row} is none of tictactoe.*not recorded"):
        games.check(RULES)
    if damage == "shorter":  # who forfeits may do so anywhere
        Games(**{**vars(games), "forfeits": {row: "too slow"}}).check(RULES)


def test_an_impossible_game_is_not_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged(*args: Any, **options: Any) -> Games:
        games = played(2)
        games.results[0] = 7
        return games

    monkeypatch.setattr(tournament_module, "play", damaged)
    with Records(tmp_path / "games.db") as records, Workers(1) as workers:
        tournament = Tournament(Event("tictactoe", ("random", "baseline"), 2), records)
        with pytest.raises(FourlabError, match="not recorded"):
            list(tournament.run(workers))
        assert records.count() == 0


@pytest.mark.parametrize("kind", [ACTIONS, POLICY])
def test_values_that_are_none_still_give_moves_that_can_be_made(kind: int) -> None:
    """They can be neither learned nor loaded; put there by hand they must not break a board."""
    known = Knowledge.new(RULES, Shape(kind, spread=1.0 if kind == ACTIONS else 0.0))
    known.values = known.values._replace(table=known.values.table._replace(spread=float("nan")))
    if kind == POLICY:  # and a policy that plays into the first cell, filled or not
        for first in range(1, 9):
            taken = RULES.start().play_all([0, first])
            store_choice(RULES, known.values, taken.mover, taken.occupied, 0)
    player = QAgent(RULES, None, known)
    boards = draw_boards(RULES, starts("random:plies=5", RULES)._replace(plies=0), np.arange(40))
    results = play_from(boards, player, player, np.arange(40))
    assert set(results.tolist()) <= {-1, 0, 1}
    policies = player.policies(boards)
    assert policies is not None
    assert np.allclose(policies.sum(axis=1), 1)
