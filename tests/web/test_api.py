"""The API: its answers, its refusals, and whatever schemathesis thinks of."""

import zipfile
from pathlib import Path
from typing import Any

import httpx
import pytest

from fourlab.learning.registry import learner
from fourlab.rules.catalog import game
from fourlab.rules.position import position_of
from fourlab.search.solver import solve
from fourlab.web.keep.store import Keep
from web.server import Server

PICTURE = "4445423633442655"


def get(server: Server, path: str, **query: Any) -> httpx.Response:
    return httpx.get(server.url + path, params=query, timeout=60)


def test_analyse_gives_the_exact_scores(server: Server) -> None:
    answer = get(server, "/api/analyse", moves=PICTURE).json()
    assert answer["scores"] == solve(position_of(game("connect4"), PICTURE))
    assert answer["best"] == [5]
    assert answer["outcome"] == "win"


def test_decide_gives_the_same_decision_for_the_same_seed(server: Server) -> None:
    query = {"agent": "mcts:sims=300", "moves": "44", "seed": 3}
    first, second = (get(server, "/api/decide", **query).json() for _ in range(2))
    first.pop("seconds"), second.pop("seconds")
    assert first == second
    assert first["line"][0] == first["move"]
    assert sum(first["visits"]) == 300


def test_two_agents_play_a_game(server: Server) -> None:
    wanted = {"game": "tictactoe", "first": "perfect", "second": "perfect", "seed": 1}
    record = httpx.post(f"{server.url}/api/games", json=wanted, timeout=60).json()
    assert record["outcome"] == "draw"
    assert position_of(game("tictactoe"), record["moves"]).is_over


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("POST", "/api/decide", "GET, HEAD"),
        ("PUT", "/api/games", "GET, HEAD, POST"),
        ("DELETE", "/api", "GET, HEAD"),
        ("OPTIONS", "/api/agents", "GET, HEAD"),
    ],
)
def test_a_wrong_method_is_told_the_right_ones(
    server: Server, method: str, path: str, allowed: str
) -> None:
    answer = httpx.request(method, server.url + path)
    assert answer.status_code == 405
    assert answer.headers["Allow"] == allowed
    assert allowed in answer.json()["detail"]


@pytest.mark.parametrize("path", ["/api/games", "/api", "/play", "/", "/favicon.ico"])
def test_head_is_answered_as_get_without_a_body(server: Server, path: str) -> None:
    answer, full = httpx.head(server.url + path), httpx.get(server.url + path)
    assert (answer.status_code, full.status_code) == (200, 200)
    assert answer.headers["Content-Type"] == full.headers["Content-Type"]
    assert answer.content == b""


@pytest.mark.parametrize(
    ("path", "query", "part"),
    [
        ("/api/analyse", {"moves": "4444444"}, "move 7: column 4 is full"),
        ("/api/analyse", {"game": "connect:columns=99,rows=99"}, "too large"),
        ("/api/decide", {"agent": "mcts:sims=1e9"}, "too much for the web"),
        ("/api/decide", {"agent": "human"}, "is a person"),
        ("/api/decide", {"moves": "1212121"}, "the game is over"),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_reason(
    server: Server, path: str, query: dict[str, str], part: str
) -> None:
    answer = get(server, path, **query)
    assert answer.status_code == 400
    assert part in answer.json()["detail"]


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("gmae=tictactoe", "'gmae' is nothing that can be asked here; game, moves, seconds"),
        ("moves=4&moves=44", "'moves' is said twice"),
    ],
)
def test_what_would_be_passed_over_is_refused(server: Server, query: str, told: str) -> None:
    answer = httpx.get(f"{server.url}/api/analyse?{query}", timeout=60)
    assert answer.status_code == 400
    assert told in answer.json()["detail"]


def test_a_game_with_a_word_that_is_none_is_refused(server: Server) -> None:
    wanted = {"game": "tictactoe", "frist": "random", "second": "random"}
    answer = httpx.post(f"{server.url}/api/games", json=wanted, timeout=60)
    assert answer.status_code == 422
    assert "frist" in answer.text


@pytest.mark.parametrize(
    "body", [b"\xff\xfe", b'{"seed":1e400}', b'{"seed":NaN}', b"[" * 60_000, b'{"seed":"\\ud800"}']
)
def test_a_body_that_cannot_be_sent_back_is_refused(server: Server, body: bytes) -> None:
    for kind in ("application/json", "text/plain"):
        answer = httpx.post(
            f"{server.url}/api/games", content=body, headers={"Content-Type": kind}, timeout=60
        )
        assert answer.status_code in (400, 422), answer.text
        assert answer.json()["detail"]


def test_the_page_describes_every_path(server: Server) -> None:
    page = get(server, "/api").text
    for path in get(server, "/api/openapi.json").json()["paths"]:
        assert path in page
    assert "http://" not in page
    assert "https://" not in page


def test_fuzzing_finds_nothing(server: Server) -> None:
    """Every operation with generated input: no server error, answers as described."""
    schemathesis = pytest.importorskip("schemathesis")
    from hypothesis import HealthCheck, given, settings
    from schemathesis.specs.openapi.checks import positive_data_acceptance

    schema = schemathesis.openapi.from_url(f"{server.url}/api/openapi.json")
    for result in schema.get_all_operations():
        operation = result.ok()

        @given(case=operation.as_strategy())
        @settings(
            max_examples=25,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            derandomize=True,
        )
        def fuzz(case: Any) -> None:
            # No schema says what a spec string may be: a refusal with a reason is right.
            case.call_and_validate(timeout=60, excluded_checks=[positive_data_acceptance])

        fuzz()


def test_of_a_damaged_run_the_name_is_told_and_not_where_it_lies(tmp_path: Path) -> None:
    keep = Keep(tmp_path / "kept")
    run = keep.add("run", "ann", {"agent": "q"})
    made = learner("q:games=50", "tictactoe", 0)
    made.advance(50)
    file = keep.folder(run.name) / made.file
    made.save(file)
    with zipfile.ZipFile(file) as archive:
        place = archive.getinfo("values.npy")
    whole = bytearray(file.read_bytes())
    whole[place.header_offset + 60 + place.compress_size // 2] ^= 0xFF  # the header stays as it is
    file.write_bytes(whole)
    server = Server(tmp_path)
    server.start()
    try:
        answer = get(server, "/api/decide", agent=f"run:{run.name}", game="tictactoe")
    finally:
        server.stop()
    assert answer.status_code == 400
    assert run.name in answer.json()["detail"]
    assert str(tmp_path) not in answer.json()["detail"]
