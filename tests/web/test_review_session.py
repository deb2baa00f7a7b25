"""The review of a game without a page."""

from fourlab.rules.catalog import game
from fourlab.rules.position import position_of
from fourlab.search.scores import sign
from fourlab.search.solver import shared_solver, solve
from fourlab.web.sessions.play import PlaySession
from web.bench import TestBench

LOST = "2547774731771623655466515533"  # Red wins; turning points 1, 2, 11, 12 and 27
OTHER = "connect:columns=4,rows=4,k=3"


def play(bench: TestBench, **query: str) -> PlaySession:
    session = PlaySession(bench, query, seed=1)
    session.open()
    return session


def judged(bench: TestBench, session: PlaySession) -> None:
    bench.until(lambda: not session.values.missing(session.line.positions))


def test_what_lost_a_game_is_not_said_where_it_may_have_been_given_back(bench: TestBench) -> None:
    session = play(bench, moves="4545454")
    judged(bench, session)
    assert session.view()["status"]["caption"] == "7 moves; move 4 lost the game"
    session.values.add(session.line.positions[5], None)
    assert session.view()["status"]["caption"] == "7 moves"
    del session.values.scores[session.line.positions[5]]
    assert "looking for the move" in session.view()["status"]["caption"]


def test_who_asks_before_all_is_known_is_led_there_when_it_is(bench: TestBench) -> None:
    session = play(bench, moves="4545454")
    assert session.act("review", [])
    assert session.view()["review"]["shown"]["title"] == "Looking for the turning points"
    bench.until(lambda: session.view()["review"]["shown"]["number"])
    assert session.view()["at"] == 4
    bench.until(lambda: session.view()["review"]["shown"]["isTold"])
    shown = session.view()["review"]["shown"]
    assert (shown["title"], shown["played"]) == ("Opponent played 5; column 4 held the draw", 4)
    assert shown["reason"] == ""  # three in a row were not there yet


def test_the_review_is_left_and_reloaded(bench: TestBench) -> None:
    session = play(bench, moves="4545454", opponent="human")
    judged(bench, session)
    session.act("review", [4])
    assert not session.view()["canPlay"]
    assert "moves=4545&then=454" in session.url
    query = dict(part.split("=", 1) for part in session.url.partition("?")[2].split("&"))
    assert play(bench, **query).told.selected == 4
    session.act("leave", [])
    assert session.view()["review"]["shown"] is None
    assert session.line.is_at_end


def test_tallies_are_what_the_solver_says_of_every_move(bench: TestBench) -> None:
    session = play(bench, game=OTHER, moves="12233144112", opponent="human")
    assert session.line.last.is_over
    judged(bench, session)
    wanted = [[0, 0, 0], [0, 0, 0]]
    for before, after in zip(session.line.positions, session.line.positions[1:], strict=False):
        scores = solve(before)
        best = max(score for score in scores if score is not None)
        score = scores[after.moves[-1]]
        assert score is not None
        tally = wanted[before.to_move]
        tally[0] += 1
        tally[1] += sign(score) == sign(best)
        tally[2] += score == best
    found = [[one["of"], one["kept"], one["best"]] for one in session.view()["review"]["sides"]]
    assert found == wanted


def test_every_blunder_is_a_turning_point(bench: TestBench) -> None:
    session = play(bench, moves=LOST)
    judged(bench, session)
    view = session.view()["review"]
    assert [one["move"] for one in view["points"]] == [1, 2, 11, 12, 27]
    assert view["counts"] == "3 yours, 2 of the opponent"
    assert view["title"] == "Opponent won with move 28"
    assert view["asks"] == "What went wrong?"


def test_trying_again_is_always_my_turn(bench: TestBench) -> None:
    session = play(bench, moves=LOST)
    for move, stones in ((27, 26), (12, 12), (11, 10)):
        assert session.act("retry", [move])
        assert session.line.at == stones
        assert session.view()["canPlay"]


def test_what_is_not_solved_in_time_can_be_thought_about_longer(bench: TestBench) -> None:
    session = play(bench, moves=LOST)
    judged(bench, session)
    session.values.scores[session.line.positions[5]] = None
    assert session.view()["review"]["unsolved"] == "Not solved in 20 s"
    assert session.act("think", [])
    judged(bench, session)
    assert session.view()["review"]["unsolved"] == ""


def test_the_line_shown_is_perfect_play(bench: TestBench) -> None:
    session = play(bench, moves=LOST)
    judged(bench, session)
    session.act("review", [12])
    bench.until(lambda: session.view()["review"]["shown"]["isTold"])
    line = session.view()["review"]["shown"]["line"]
    position = position_of(game("connect4"), LOST[:12])
    solver = shared_solver(position.rules)
    for move in line:
        scores = solver.scores(position)
        assert scores[move] == max(score for score in scores if score is not None)
        position = position.play(move)
    assert position.is_over
