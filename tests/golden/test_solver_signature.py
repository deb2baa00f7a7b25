"""How many nodes the exact search takes on 100 fixed positions.

A change of the search changes this figure; whoever changes it names it in the commit message.
"""

from fourlab.positions.suites import phase_positions
from fourlab.rules.catalog import game
from fourlab.search.solver import Solver

SIGNATURE = 3032315


def test_nodes_on_fixed_positions() -> None:
    rules = game("connect4")
    positions = phase_positions(rules, "middle", size=100, seed=1)
    nodes = 0
    for position in positions:
        solver = Solver(rules, table_mb=2)
        nodes += solver.bounds(position).nodes
    assert nodes == SIGNATURE
