"""Play without a page: the session does what the page asks for and shows what is so."""

import re

import pytest

from fourlab.rules.catalog import game
from fourlab.rules.position import position_of
from fourlab.search.book import Book, has_shipped_book, shipped_book
from fourlab.search.scores import words
from fourlab.search.solver import solve
from fourlab.web.sessions.overlays import hint_of
from fourlab.web.sessions.play import PlaySession
from fourlab.web.words import DEFAULT_OPPONENT, opponent_of
from web.bench import TestBench

PICTURE = "4445423633442655"  # the game that the design shows


def play(bench: TestBench, **query: str) -> PlaySession:
    session = PlaySession(bench, query, seed=1)
    session.open()
    return session


def do(session: PlaySession, name: str, *args: object) -> None:
    assert session.act(name, list(args)), session.error


def drop(session: PlaySession, column: int) -> None:
    do(session, "play", session.line.at, column - 1)


def test_a_visitor_gets_a_board_an_opponent_and_one_line_of_instruction(bench: TestBench) -> None:
    view = play(bench).view()
    assert view["canPlay"]
    assert view["game"]["spec"] == "connect4"
    assert view["players"][1]["strength"] == "Strong"
    assert view["status"]["title"] == "Your move"
    assert view["status"]["caption"] == "Four in a row wins. Pick a column."


def test_the_opponent_answers(bench: TestBench) -> None:
    session = play(bench, opponent="mcts:sims=50")
    drop(session, 4)
    assert session.view()["status"]["title"] == "Opponent is thinking"
    assert not session.view()["canPlay"]
    bench.until(lambda: session.line.length == 2)
    assert session.view()["canPlay"]


def test_the_exact_overlay_shows_what_the_solver_says(bench: TestBench) -> None:
    session = play(bench, moves=PICTURE, overlay="exact")
    bench.until(lambda: session.overlay_data and session.overlay_data["done"])
    position = position_of(game("connect4"), PICTURE)
    scores = solve(position)
    best = max(score for score in scores if score is not None)
    for chip, score in zip(session.view()["chips"], scores, strict=True):
        if score is None:
            assert chip["kind"] == "full"
        else:
            said = f"{chip['first']} {chip.get('second', '')}".strip()
            assert said == words(position.rules, position.ply, score)
            assert chip["best"] == (score == best)


def test_the_visits_overlay_shows_what_a_search_tried(bench: TestBench) -> None:
    session = play(bench, moves=PICTURE, overlay="visits")
    bench.until(lambda: session.overlay_data)
    chips = [chip for chip in session.view()["chips"] if chip["kind"] != "full"]
    counts = [int(chip["second"].replace(",", "")) for chip in chips]
    assert len(chips) == 6
    assert sum(counts) == session.overlay_data["simulations"]
    for chip, count in zip(chips, counts, strict=True):
        assert chip["share"] == pytest.approx(count / sum(counts), abs=1e-4)
        assert chip["best"] == (count == max(counts))


SAYS = {
    ("visits", "zero:sims=50"): r"^Move 17 · .*’s visits",
    ("visits", "mcts:sims=300"): r"^Move 17 · .*’s visits",
    ("visits", "minimax:depth=2"): r"^Move 17 · visits of 2,000 simulations",
    ("visits", "human"): r"^Move 17 · visits of 2,000 simulations",
    ("values", "net"): r"^Move 17 · .*’s values, its policy below; expects \d( \d){1,4}$",
    ("values", "minimax:depth=4"): r"^Move 17 · .*’s values, its policy below; expects",
    ("values", "random"): r"^Move 17 · .* tells no values",
}


@pytest.mark.parametrize(("overlay", "opponent"), SAYS)
def test_what_the_opponent_thinks_is_shown(bench: TestBench, overlay: str, opponent: str) -> None:
    session = play(bench, moves=PICTURE, overlay=overlay, opponent=opponent)
    bench.until(lambda: session.overlay_data)
    view = session.view()
    assert re.search(SAYS[overlay, opponent], view["status"]["caption"])
    chips = [chip for chip in view["chips"] if chip["kind"] != "full"]
    assert len(chips) == 6
    assert any(chip["best"] for chip in chips) == (opponent != "random")
    if opponent in ("net", "zero:sims=50"):
        told = [re.search(r"policy (\d+)%", chip["tip"]) for chip in chips]
        assert sum(int(found[1]) for found in told if found) == pytest.approx(100, abs=4)
    if opponent == "net":
        assert all(
            chip["tip"] == f"worth {chip['first']}, policy {chip['second']}" for chip in chips
        )


def test_what_needed_no_search_has_no_visits_to_show(bench: TestBench) -> None:
    session = play(bench, moves="121212", overlay="visits", opponent="mcts:sims=50")
    bench.until(lambda: session.overlay_data)
    view = session.view()
    assert [chip["best"] for chip in view["chips"]] == [True, *[False] * 6]
    assert view["status"]["caption"].endswith(" needed no search")


def test_the_graph_names_the_blunders_of_the_game(bench: TestBench) -> None:
    session = play(bench, moves=PICTURE, overlay="exact")
    bench.until(lambda: session.view()["graph"]["waiting"] == 0)
    found = [(one["move"], one["who"], one["text"]) for one in session.view()["graph"]["blunders"]]
    assert found == [
        (13, "You", "Win in 11 became Loss in 14"),
        (16, "Opponent", "Win in 13 became Loss in 9"),
    ]
    points = session.view()["graph"]["points"]
    assert points[0]["words"] == "Win in 21"
    assert points[13]["height"] < 0 < points[16]["height"]


def test_the_graph_gives_nothing_away_before_the_end(bench: TestBench) -> None:
    session = play(bench, moves="444", opponent="human")
    assert session.view()["graph"] == {"shown": False}
    for column in (1, 5, 1, 5, 1, 5, 1):
        drop(session, column)
    assert session.view()["board"]["over"]
    assert session.view()["graph"]["shown"]
    bench.until(lambda: session.view()["graph"]["waiting"] == 0)
    assert session.view()["status"]["caption"].startswith("10 moves; move ")


def test_undo_returns_to_my_turn_and_redo_goes_forward_again(bench: TestBench) -> None:
    session = play(bench, moves="4455")
    do(session, "undo")
    assert session.line.position.notation == "44"
    assert session.view()["canPlay"]
    do(session, "redo")
    assert session.line.position.notation == "4455"
    do(session, "undo")
    do(session, "undo")
    assert not session.view()["canUndo"]
    do(session, "undo")
    assert session.line.at == 0


def test_as_second_player_undo_never_takes_the_first_move_alone(bench: TestBench) -> None:
    session = play(bench, moves="445", you="second")
    do(session, "undo")
    assert session.line.position.notation == "4"
    assert not session.view()["canUndo"]


def test_two_people_take_back_one_move_at_a_time(bench: TestBench) -> None:
    session = play(bench, moves="445", opponent="human")
    do(session, "undo")
    assert session.line.position.notation == "44"


def test_looking_back_keeps_the_game_and_no_agent_moves(bench: TestBench) -> None:
    session = play(bench, moves="445566")
    do(session, "look", 3)
    assert session.view()["notation"] == "445566"
    assert session.view()["at"] == 3
    assert not session.agent_to_move
    do(session, "look", 4)
    drop(session, 1)
    assert session.line.last.notation == "44551"


@pytest.mark.parametrize(
    "query",
    [
        {"opponent": "mcts:sims=20"},
        {"opponent": "random", "game": "tictactoe"},
        {"opponent": "perfect", "game": "connect:columns=4,rows=4,k=3", "you": "second"},
    ],
)
def test_after_undo_the_same_move_is_answered(bench: TestBench, query: dict[str, str]) -> None:
    session = play(bench, **query)
    first = session.setting.you
    bench.until(lambda: session.line.length == first)
    do(session, "play", session.line.at, 2)
    bench.until(lambda: session.line.length == first + 2)
    do(session, "undo")
    assert session.line.at == first
    do(session, "play", session.line.at, 2)
    assert session.view()["canPlay"]
    do(session, "undo")
    do(session, "play", session.line.at, 3)
    do(session, "undo")  # while the opponent thinks
    do(session, "play", session.line.at, 3)
    bench.until(lambda: session.line.is_at_end and session.line.at == first + 2)
    assert session.view()["canPlay"]


def test_reloading_after_undo_shows_what_was_shown(bench: TestBench) -> None:
    session = play(bench, moves="4455")
    do(session, "undo")
    assert "moves=44&then=55" in session.url
    again = play(bench, **query_of(session.url))
    assert again.line.position.notation == "44"
    assert again.line.last.notation == "4455"
    do(again, "redo")
    assert again.view()["board"]["moves"] == [3, 3, 4, 4]


def query_of(url: str) -> dict[str, str]:
    return dict(part.split("=", 1) for part in url.partition("?")[2].split("&"))


def test_what_was_played_before_undo_is_a_variation(bench: TestBench) -> None:
    session = play(bench, moves="445566", opponent="human")
    do(session, "look", 2)
    drop(session, 1)
    assert session.view()["variations"] == [{"from": 3, "moves": [4, 4, 5, 5]}]
    do(session, "vary", 0)
    assert session.line.last.notation == "445566"
    assert session.view()["variations"] == [{"from": 3, "moves": [0]}]
    assert session.line.at == 3
    assert not session.act("vary", [1])


def test_a_late_click_does_nothing(bench: TestBench) -> None:
    session = play(bench, moves="44", opponent="human")
    do(session, "play", 1, 0)
    assert session.line.length == 2


def test_the_address_restores_everything(bench: TestBench) -> None:
    session = play(
        bench, game="connect:columns=5,rows=4,k=4", moves="3", opponent="perfect", you="second"
    )
    do(session, "overlay", "exact")
    bench.until(lambda: session.overlay_data)
    again = PlaySession(bench, query_of(session.url), seed=2)
    assert again.setting == session.setting
    assert again.line.last == session.line.last


def test_two_agents_play_a_whole_game_while_watched(bench: TestBench) -> None:
    session = play(bench, game="tictactoe", watch="random", opponent="baseline")
    bench.until(lambda: session.line.last.is_over)
    do(session, "new")
    do(session, "run")
    assert not session.view()["running"]
    length = session.line.length
    do(session, "run")
    bench.until(lambda: session.line.length > length)


def test_changing_sides_lets_the_opponent_move(bench: TestBench) -> None:
    session = play(bench, opponent="mcts:sims=20")
    do(session, "flip")
    assert session.view()["you"] == 1
    bench.until(lambda: session.line.length == 1)
    assert session.view()["canPlay"]


def test_leaving_calls_work_off(bench: TestBench) -> None:
    session = play(bench, moves="4", overlay="exact")
    jobs = list(session._jobs.values())
    assert jobs
    session.close()
    assert all(job.cancelled() for job in jobs)


def test_a_hint_is_exact(bench: TestBench) -> None:
    session = play(bench, moves=PICTURE)
    do(session, "hint")
    bench.until(lambda: session.view()["hint"]["moves"])
    assert session.view()["hint"] == {"moves": [4], "text": "Hint: column 5, Win in 9"}


def test_a_hint_that_tells_no_move_from_another_says_so() -> None:
    chips = [{"kind": "unknown", "first": "?"}] * 7
    assert hint_of(position_of(game("connect4"), ""), {"chips": chips})["text"] == (
        "Hint: any column, nothing known yet, not solved"
    )
    chips = [*chips[:6], {"kind": "loss", "first": "Loss"}]
    assert "the best so far" in hint_of(position_of(game("connect4"), ""), {"chips": chips})["text"]


def test_a_hint_weighs_what_is_known_in_part() -> None:
    win_or, draw_or = (
        {"kind": "unknown", "first": first, "second": second}
        for first, second in (("Win or", "draw"), ("Draw or", "loss"))
    )
    draw, loss = {"kind": "draw", "first": "Draw"}, {"kind": "loss", "first": "Loss", "second": ""}
    nothing = {"kind": "unknown", "first": "?"}

    def hint(*chips: dict[str, str]) -> tuple[list[int], str]:
        found = hint_of(position_of(game("connect4"), ""), {"chips": chips})
        return found["moves"], found["text"]

    best = "the best so far, not solved"
    assert hint(draw, win_or, nothing, draw_or) == ([1], f"Hint: column 2, {best}")
    assert hint(draw_or, nothing, draw, loss) == ([2], f"Hint: column 3, {best}")
    assert hint(draw_or, nothing, loss) == ([1], f"Hint: column 2, {best}")
    assert hint(loss, draw_or) == ([1], f"Hint: column 2, {best}")
    assert hint(loss, loss) == ([0, 1], "Hint: any column, Loss, not solved")
    assert hint(win_or, win_or) == ([0, 1], "Hint: any column, Win or draw, not solved")


def test_a_hint_goes_when_another_overlay_comes(bench: TestBench) -> None:
    session = play(bench, moves=PICTURE)
    do(session, "hint")
    bench.until(lambda: session.view()["hint"]["moves"])
    do(session, "overlay", "visits")
    assert session.view()["hint"] is None
    bench.until(lambda: session.overlay_data)
    assert "Hint" not in session.view()["status"]["caption"]


@pytest.mark.parametrize(
    ("moves", "text"),
    [
        ("", "Hint: any column, Draw"),
        ("12", "Hint: columns 1, 3 or 4, Draw"),
    ],
)
def test_a_hint_names_every_move_that_it_marks(bench: TestBench, moves: str, text: str) -> None:
    session = play(bench, game="connect:columns=4,rows=4,k=4", moves=moves)
    do(session, "hint")
    bench.until(lambda: session.view()["hint"]["moves"])
    hint = session.view()["hint"]
    assert hint["text"] == text
    assert hint["text"] in session.view()["announce"]


def test_scores_above_the_columns_are_spoken(bench: TestBench) -> None:
    session = play(bench, moves=PICTURE, overlay="exact")
    bench.until(lambda: session.overlay_data and session.overlay_data["done"])
    assert "column 5 Win in 9, best; column 6 Win in 11;" in session.view()["announce"]


def test_perfect_play_says_where_it_cannot_know(bench: TestBench) -> None:
    large = "connect:columns=9,rows=6,k=5"
    assert play(bench, opponent="perfect").view()["doubt"] == ""
    assert "too large" in play(bench, opponent="perfect", game=large).view()["doubt"]
    assert play(bench, opponent="mcts:sims=10", game=large).view()["doubt"] == ""


def test_an_answer_that_was_not_proven_is_called_a_guess(bench: TestBench) -> None:
    session = play(bench, opponent="perfect:time=0.01", game="connect:columns=9,rows=6,k=5")
    drop(session, 5)
    bench.until(lambda: session.line.length == 2)
    assert "guess" in session.view()["doubt"]


def test_the_self_taught_play_the_board_that_they_learned(bench: TestBench) -> None:
    session = play(bench, opponent="zero:sims=25")
    assert session.view()["players"][1]["title"] == "Self-taught"
    drop(session, 4)
    bench.until(lambda: session.line.length == 2)
    do(session, "game", "tictactoe")
    assert "self-taught" not in [family["name"] for family in session.view()["families"]]
    assert session.setting.opponent == DEFAULT_OPPONENT
    assert session.view()["notice"].startswith("Self-taught cannot play Tic-tac-toe")


def test_an_opponent_from_a_file_is_called_by_its_name() -> None:
    assert opponent_of("q:runs/web/mine")["title"] == "mine"
    assert opponent_of("q:runs/web/mine/checkpoint.npz")["title"] == "mine"
    assert opponent_of("q:runs/web/mine")["detail"] == "Q-learning"


@pytest.mark.parametrize(
    ("name", "args", "part"),
    [
        ("game", ["connect:columns=40,rows=40,k=4"], "too large"),
        ("game", ["../../etc/passwd"], "unknown game"),
        ("game", ["x" * 500], "too long"),
        ("opponent", ["mcts:sims=1000000000"], "too much for the web, at most 100000"),
        ("opponent", ["mcts:threads=64"], "too much"),
        ("opponent", ["<script>alert(1)</script>"], "unknown agent"),
        ("overlay", ["everything"], "no overlay"),
        ("play", [0, 99], "not allowed"),
        ("play", [0, "4"], "not allowed"),
        ("play", [], "does not take"),
        ("look", [None], "not allowed"),
        ("opponent", [{"a": 1}], "does not take"),
        ("close", [], "no action"),
        ("__init__", [], "no action"),
    ],
)
def test_bad_input_is_refused_with_a_reason_and_changes_nothing(
    bench: TestBench, name: str, args: list[object], part: str
) -> None:
    session = play(bench, moves="44")
    before = (session.setting, session.line.last)
    assert not session.act(name, args)
    assert session.error is not None
    assert part in session.error["text"]
    assert (session.setting, session.line.last) == before


def test_who_starts_is_said_of_the_seat_that_is_taken(bench: TestBench) -> None:
    session = play(bench, opponent="random", you="second")
    assert session.view()["starts"] == "opponent"
    do(session, "opponent", "watch")
    do(session, "opponent", "human", 0)
    assert session.setting.players == ("human", "random")
    assert session.view()["starts"] == "you"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("overlay", "overlay 'exakt' is not known; off, exact, visits, values"),
        ("starts", "starts 'exakt' is not known; you, opponent, random"),
        ("you", "you 'exakt' is not known; first, second"),
    ],
)
def test_a_word_of_the_address_that_is_not_known_is_told(
    bench: TestBench, name: str, told: str
) -> None:
    session = play(bench, moves="44", **{name: "exakt"})
    assert session.notice == told
    assert session.setting == play(bench, moves="44").setting


def test_a_bad_address_gives_the_valid_part_and_says_what_was_wrong(bench: TestBench) -> None:
    view = play(bench, moves="44444441", opponent="nobody").view()
    assert view["notation"] == "444444"
    assert "unknown agent 'nobody'" in view["notice"]
    assert "move 7: column 4 is full; open: 1 2 3 5 6 7" in view["notice"]


def test_no_page_waits_until_a_book_is_read(
    bench: TestBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading one takes a moment, and longer while another thread compiles."""

    def read(*_: object) -> None:
        raise AssertionError("read where all pages are served")

    shipped_book.cache_clear()
    monkeypatch.setattr(Book, "read", read)
    try:
        assert PlaySession(bench, {"opponent": "perfect"}).view()
        assert has_shipped_book(game("connect4"))
        assert not has_shipped_book(game("connect:columns=7,rows=8,k=4"))
    finally:
        shipped_book.cache_clear()
