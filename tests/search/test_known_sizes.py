import pytest

from fourlab.rules.catalog import game
from fourlab.rules.geometry import Rules
from fourlab.search.sizes import PUBLISHED, RECOMPUTED, known
from fourlab.search.solver import Solver


def test_the_published_table_is_read_by_columns_and_rows() -> None:
    assert len(PUBLISHED) == 37
    assert PUBLISHED[7, 6] == 1
    assert PUBLISHED[6, 7] == 1
    assert PUBLISHED[11, 4] == -1
    assert PUBLISHED[4, 11] == 0
    assert (11, 5) not in PUBLISHED


def test_what_was_recomputed_is_what_was_published() -> None:
    assert {size: RECOMPUTED[size][0] for size in RECOMPUTED if size in PUBLISHED} == {
        size: PUBLISHED[size] for size in PUBLISHED if size in RECOMPUTED
    }


@pytest.mark.parametrize("size", [(4, 4), (5, 4), (6, 4), (5, 5), (6, 5), (7, 4), (8, 4)])
def test_known_values_are_what_the_solver_finds(size: tuple[int, int]) -> None:
    rules = Rules(*size, 4)
    found = known(rules)
    assert found is not None
    assert found.outcome == Solver(rules).outcome(rules.start())


def test_only_boards_of_connect_four_are_known() -> None:
    assert known(Rules(4, 4, 3)) is None
    assert known(Rules(6, 6, 4, gravity=False)) is None
    assert known(game("tictactoe")) is None
    assert known(Rules(13, 3, 4)) is None


def test_who_found_it_is_said() -> None:
    found = known(Rules(6, 6, 4))
    assert found is not None
    assert found.words == "the second player wins with perfect play (recomputed by fourlab)"
    published = known(Rules(9, 6, 4))
    assert published is not None
    assert published.words.endswith("(published by J. Tromp)") != ((9, 6) in RECOMPUTED)
