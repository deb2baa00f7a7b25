"""Many positions through few trees: the moves of as many trees as positions."""

import numpy as np
import pytest
from tests.search.test_forest import hashing
from tests.strategies import random_positions

from fourlab.core.team import Team
from fourlab.rules.boards import Boards, boards_of
from fourlab.rules.geometry import Rules
from fourlab.search.forest import Puct, new_answers, new_forest, nodes_for, search
from fourlab.search.puct import NOBODY, WAITING
from fourlab.search.serving import new_counter, serve

SIMS = 30


@pytest.mark.parametrize("rules", [Rules(4, 4, 3), Rules(3, 3, 3, gravity=False)], ids=str)
@pytest.mark.parametrize(("count", "trees", "threads"), [(50, 7, 1), (50, 7, 3), (5, 8, 1)])
def test_a_tree_that_is_done_takes_the_next_position(
    rules: Rules, count: int, trees: int, threads: int
) -> None:
    boards, team, puct = boards_of(random_positions(rules, count)), Team(threads), Puct()
    forest, answers = new_forest(rules, trees, nodes_for(SIMS)), new_answers(rules, trees)
    for _ in range(2):  # again with trees that were used
        counter = new_counter(puct, forest, SIMS, np.stack(boards[:2], 1))
        while any(team.share(lambda a, b, c=counter: serve(rules, c, answers, a, b), trees)):
            waits = forest.counts[:, WAITING] != NOBODY
            leaves = forest.leaves[waits]
            rows = Boards(leaves[:, 0], leaves[:, 1], np.zeros((len(leaves), 0), np.uint8))
            answers[waits, :-1], answers[waits, -1] = hashing(rules)(rows)
        wanted = search(rules, hashing(rules), boards, SIMS).moves
        assert counter.moves.tolist() == wanted.tolist()
    team.close()
