"""Analyse without a page."""

import threading

import pytest

from fourlab.agents.branches import Branch
from fourlab.agents.mcts import Thought
from fourlab.rules.catalog import game
from fourlab.rules.formats import write_kaggle, write_text, write_uci
from fourlab.rules.position import position_of
from fourlab.search.solver import shared_solver
from fourlab.web.sessions import analyse_view
from fourlab.web.sessions.analyse import AnalyseSession
from fourlab.web.sessions.notation import read_position
from fourlab.web.sessions.truth import height
from web.bench import TestBench

PICTURE = "4445423633442655"
RULES = game("connect4")


def analyse(bench: TestBench, **query: str) -> AnalyseSession:
    session = AnalyseSession(bench, {"moves": PICTURE, **query})
    session.open()
    return session


def do(session: AnalyseSession, name: str, *args: object) -> None:
    assert session.act(name, list(args)), session.error


def test_it_says_who_wins_and_how_far_the_bar_stands(bench: TestBench) -> None:
    session = analyse(bench)
    bench.until(lambda: session.view()["bar"] is not None and session.exact["done"])
    view = session.view()
    assert view["headline"]["title"] == "Yellow wins in 9"
    assert view["headline"]["caption"] == "Yellow to move, move 17"
    assert view["bar"] == pytest.approx((1 + height(RULES, 5)) / 2, abs=1e-3)


@pytest.mark.parametrize(
    ("size", "title"), [("8,rows=6", "Red wins"), ("7,rows=7", "Draw"), ("7,rows=8", "Yellow wins")]
)
def test_the_value_of_an_empty_board_is_told_before_it_is_solved(
    bench: TestBench, size: str, title: str
) -> None:
    session = AnalyseSession(bench, {"game": f"connect:columns={size},k=4"})
    session.open()
    headline = session.view()["headline"]
    assert headline["title"] == f"{title} with perfect play"
    assert headline["busy"]
    do(session, "play", 0, 3)
    assert session.view()["headline"]["title"] == "Solving"
    session.close()


def test_no_move_is_guessed_at_where_all_are_known_to_lose(
    bench: TestBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analyse_view, "QUICK_SECONDS", 0.0)
    session = AnalyseSession(bench, {"game": "connect:columns=8,rows=6,k=4"})
    session.open()
    bench.until(lambda: session.guesses and session.view()["chips"])
    assert {chip["first"] for chip in session.view()["chips"]} == {"Loss"}
    session.close()


def test_the_best_lines_are_those_of_perfect_play(bench: TestBench) -> None:
    session = analyse(bench)
    bench.until(lambda: session.lines and len(session.lines) == 4)
    lines = session.view()["lines"]
    assert [(line["words"], line["remark"]) for line in lines] == [
        ("Win in 9", "fastest"),
        ("Win in 11", "2 moves slower"),
        ("Draw", "gives up the win"),
        ("Loss in 13", "loses"),
    ]
    for line in lines:  # each move after the first keeps the value
        position = session.position.play(line["moves"][0])
        value = shared_solver(RULES).score(position)
        for move in line["moves"][1:]:
            position = position.play(move)
            if position.is_over:
                break
            value = -value
            assert shared_solver(RULES).score(position) == value


def test_a_text_is_checked_while_it_is_typed_and_the_board_stays(bench: TestBench) -> None:
    session = analyse(bench)
    do(session, "typed", "444444124")
    reading = session.view()["reading"]
    assert reading["error"] == "move 9: column 4 is full; open: 1 2 3 5 6 7"
    assert (reading["start"], reading["end"], reading["stones"]) == (8, 9, 8)
    assert session.position.notation == PICTURE
    do(session, "load", "444444124")
    assert session.position.notation == PICTURE
    assert session.view()["reading"]["error"]
    do(session, "load", "444444124", True)  # as far as it is right
    assert session.position.notation == "44444412"
    assert session.view()["reading"]["error"] == "move 9: column 4 is full; open: 1 2 3 5 6 7"
    do(session, "load", "abc", True)  # nothing of it is right: the board stays
    assert session.position.notation == "44444412"
    assert session.view()["reading"]["error"].startswith("move 1: 'a' is no column")


@pytest.mark.parametrize("write", [write_text, lambda p: str(write_kaggle(p)), write_uci])
def test_boards_in_other_formats_are_read(write: object) -> None:
    position = position_of(RULES, PICTURE)
    found = read_position(RULES, write(position))  # type: ignore[operator]
    assert found.is_good, found.error
    assert found.position == position


@pytest.mark.parametrize("text", ["4455\n66", "4 4\r\n\n5, 5\n6 6\n"])
def test_moves_may_stand_on_many_lines(text: str) -> None:
    assert read_position(RULES, text).position == position_of(RULES, "445566")


@pytest.mark.parametrize("text", ["[0, 1", "[0, 1, 9]", "X.O", "x,o,b", "[[[[", "44a", "9" * 5000])
def test_what_is_no_position_is_told_so(text: str) -> None:
    assert read_position(RULES, text).error


def test_a_board_set_up_by_hand_is_checked(bench: TestBench) -> None:
    session = analyse(bench)
    stones = write_kaggle(position_of(RULES, "4455"))
    do(session, "place", stones)
    assert session.position == position_of(RULES, "4455")
    floating = [0] * 41
    assert not session.act("place", [[1, *floating]])
    assert "floats" in session.error["text"]
    assert session.position == position_of(RULES, "4455")


def test_the_tree_holds_the_visits_and_opens_on_demand(bench: TestBench) -> None:
    session = analyse(bench)
    bench.until(lambda: session.tree)
    tree = session.view()["tree"]
    visits = [child["visits"] for child in tree["children"]]
    assert len(visits) == 6
    assert visits == sorted(visits, reverse=True)
    assert sum(visits) <= 2000
    first = tree["children"][0]
    assert first["hidden"] > 0
    do(session, "expand", first["path"])
    bench.until(lambda: session.view()["tree"]["children"][0]["hidden"] == 0)
    opened = session.view()["tree"]["children"][0]
    assert len(opened["children"]) == len(first["children"]) + first["hidden"]


def test_trees_are_not_drawn_where_all_pages_are_served(
    bench: TestBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tree has up to 70,000 nodes, and what looks at them may have to be compiled first."""
    threads: list[threading.Thread] = []

    def looked_at(thought: Thought, depth: int) -> Branch:
        threads.append(threading.current_thread())
        return branch(thought, depth)

    branch = Thought.branch
    monkeypatch.setattr(Thought, "branch", looked_at)
    session = analyse(bench)
    bench.until(lambda: session.tree)
    first = session.tree
    do(session, "expand", [3])
    bench.until(lambda: session.tree is not first)
    assert len(threads) >= 3
    assert threading.current_thread() not in threads


def test_two_agents_are_compared_on_one_position(bench: TestBench) -> None:
    session = analyse(bench, tab="compare", a="perfect", b="random")
    bench.until(lambda: all(session.view()["opinions"]))
    perfect, random = session.view()["opinions"]
    assert perfect["move"] == 4
    assert perfect["policy"][4] == 1
    assert random["policy"][0] == pytest.approx(1 / 6, abs=1e-3)


def test_cells_that_make_a_line_are_worth_more(bench: TestBench) -> None:
    session = analyse(bench, moves="112233", tab="cells")
    bench.until(lambda: session.cells)
    values = session.view()["cells"]["values"]
    winning = values[5 * 7 + 3]  # yellow has 1, 2, 3 of the bottom row
    assert winning == 1.0
    assert values[5 * 7] is None


def test_stepping_and_mirroring(bench: TestBench) -> None:
    session = analyse(bench, moves="1234")
    do(session, "look", 2)
    do(session, "mirror")
    assert session.position.notation == "76"
    assert session.line.last.notation == "7654"
    assert session.url == "/analyse?game=connect4&moves=7654&at=2"


@pytest.mark.parametrize("number", ["²", "٣", "9" * 5000, "0005000000000", "-1", "1e3", ""])
def test_a_number_in_the_address_that_is_none_changes_nothing(
    bench: TestBench, number: str
) -> None:
    session = analyse(bench, moves="1234", at=number, sims=number)
    assert session.position.notation == "1234"
    assert session.url == analyse(bench, moves="1234").url


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ({"tab": "trees"}, "tab 'trees' is not known; tree, compare, cells"),
        ({"sims": "1e3"}, "sims '1e3' is not known; 500, 2000, 20000"),
    ],
)
def test_a_word_of_the_address_that_is_not_known_is_told(
    bench: TestBench, address: dict[str, str], told: str
) -> None:
    session = AnalyseSession(bench, {"moves": "44", **address})
    assert session.notice == told
    assert (session.active_tab, session.simulations) == ("tree", 2000)


def test_a_name_in_the_address_that_can_be_none_is_dropped(bench: TestBench) -> None:
    assert analyse(bench, kept="\ud800").url == analyse(bench).url
    assert "kept=abc" in analyse(bench, kept="abc").url


def test_a_path_longer_than_any_line_is_refused_before_it_is_kept(bench: TestBench) -> None:
    session = analyse(bench)
    bench.until(lambda: session.tree)
    assert not session.act("expand", [[0] * 10_000])
    assert not session.expanded
    assert session.act("expand", [[0] * 42])
