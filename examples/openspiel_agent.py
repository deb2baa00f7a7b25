"""OpenSpiel's tree search as an agent of fourlab, and an agent of fourlab as a bot of OpenSpiel.

pip install open_spiel
fourlab arena examples/openspiel_agent.py:sims=1000 minimax:depth=4 mcts:sims=1000
python examples/openspiel_agent.py
"""

import functools
import importlib
import importlib.util
from typing import Any

import numpy as np

import fourlab
from fourlab.arena.events import Event
from fourlab.arena.tournament import Tournament
from fourlab.core.workers import Workers

GAMES = 10


@functools.cache
def their_game(rules: fourlab.Rules) -> Any:
    """Return OpenSpiel's Connect Four on this board."""
    pyspiel = importlib.import_module("pyspiel")
    board = {"columns": rules.columns, "rows": rules.rows, "x_in_row": rules.connect}
    return pyspiel.load_game("connect_four", board)


def choose(position: fourlab.Position, rng: np.random.Generator, sims: int = 200) -> int:
    """Let OpenSpiel's MCTSBot decide."""
    pyspiel = importlib.import_module("pyspiel")
    game = their_game(position.rules)
    state = game.new_initial_state()
    for move in position.moves:
        state.apply_action(move)
    seed = int(rng.integers(2**31))
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    return int(pyspiel.MCTSBot(game, evaluator, 2.0, sims, 100, True, seed, False).step(state))


def main() -> None:
    """Play in the arena, then in OpenSpiel."""
    if importlib.util.find_spec("pyspiel") is None:
        print("this example needs OpenSpiel; get it with: pip install open_spiel")
        return
    tournament = Tournament(Event("connect4", (__file__, "minimax:depth=2"), games=GAMES, seed=1))
    with Workers(1) as workers:
        for _ in tournament.run(workers):
            pass
    [pair] = tournament.to_json()["pairs"]
    print("in the arena: {a} against {b}: {wins} won, {draws} drawn, {losses} lost".format(**pair))

    adapter = importlib.import_module("fourlab.adapters.openspiel")
    evaluation = importlib.import_module("open_spiel.python.algorithms.evaluate_bots")
    pyspiel = importlib.import_module("pyspiel")
    game = pyspiel.load_game("connect_four")
    bots = [adapter.Bot("minimax:depth=4", game), pyspiel.make_uniform_random_bot(1, 1)]
    rng = np.random.default_rng(1)
    rounds = [
        evaluation.evaluate_bots(game.new_initial_state(), bots, rng)[0] for _ in range(GAMES)
    ]
    wins = sum(returns > 0 for returns in rounds)
    print(f"in OpenSpiel: minimax:depth=4 won {wins} of {GAMES} games against its random bot")


if __name__ == "__main__":
    main()
