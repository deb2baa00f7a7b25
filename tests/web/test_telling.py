"""Errors in words of the page: whatever the core says, no code is read there."""

import re

import pytest

from fourlab.core.errors import FourlabError
from fourlab.web.limits import read_agent, read_game
from fourlab.web.runs.setup import read_setup
from fourlab.web.telling import told


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ({"epsilon": "abc"}, "Explore ε 'abc' is no number; 0 to 1"),
        ({"win": "1e9"}, "Win 1,000,000,000 is out of range; −1,000,000 to 1,000,000"),
        ({"learner": "q:alpha=much"}, "unknown schedule for Rate α 'much'; known"),
        ({"learner": "q:win=1e9"}, "Win '1e9' is not allowed; reward for a win: a number from −1,"),
        ({"learner": "q:epsilon=exp:a"}, "Explore ε schedule 'exp': start 'a' is not allowed"),
        ({"win": "-1e308"}, "Win −1e+308 is out of range"),
        ({"game": "connect:columns=99"}, "99 × 6 is too large"),
        ({"seed": "x"}, "seed 'x' is no number; 0 to 2,147,483,648"),
        ({"epsilon": "x", "win": "x"}, "no number; 0 to 1; Win 'x' is no number"),
    ],
)
def test_fields_by_their_labels_and_numbers_as_people_write_them(
    query: dict[str, str], text: str
) -> None:
    assert text in told(read_setup(query)[1])


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("mcts:sims=1e12", "agent 'mcts': sims '1e12' is not allowed; simulations a move"),
        ("mcts:time=1e9", "a number from 0.001 to 86,400"),
        ("mcts:reuse=x", "yes or no"),
        ("minimax:depth=0", "a whole number from 1 to 62"),
    ],
)
def test_options_of_players(spec: str, text: str) -> None:
    with pytest.raises(FourlabError) as refused:
        read_agent(spec, read_game("connect4"))
    said = told(str(refused.value))
    assert text in said
    assert not re.search(r"\de[+-]?\d|[a-z]=none", said.replace("'1e12'", "").replace("'1e9'", ""))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "column 4 is full in connect4 '444444'; open: 1 2 3 5 6 7",
        "'4444444444444' has 13 moves, of which 6 can be played",
        "a draw 7 moves later; the loss 3 stones later",
        "nothing is kept under 'q-4x4-1e9abc'",
        "in the terminal: fourlab arena --games 40",
        "make one with fourlab train zero --game connect:columns=5,rows=4,k=4, and write net:PATH",
        "not done in 180 s, at ply 5; choose runs/mine-12345",
    ],
)
def test_what_is_said_in_words_stays_as_it_is(text: str) -> None:
    assert told(text) == text


def test_where_the_server_keeps_a_run_is_not_told() -> None:
    why = "cannot read /home/ann b/kept/items/q-5x4-abc/checkpoint.npz; run q:/x/items/q-1"
    assert told(why) == "cannot read q-5x4-abc; run q:q-1"
