"""Minimax and tabular Q-learning on tic-tac-toe and Connect 4, held against one baseline."""

from __future__ import annotations

from functools import partial
from typing import Any

from fourlab.learning.mdp.planning import best_response
from fourlab.rules.catalog import game as find_game
from fourlab.rules.position import position_of
from fourlab.studies.base import Experiment, Published, Study
from fourlab.studies.canvas import SECOND, SIZE, is_narrow, page_width, sheet
from fourlab.studies.findings import Findings
from fourlab.studies.minimax_q.claims import CLAIMS
from fourlab.studies.minimax_q.learning import (
    SIDES,
    Course,
    against_baseline,
    head_to_head,
    rematch,
    states,
)
from fourlab.studies.minimax_q.search import reachable, searches, times
from fourlab.studies.plots import curves, intervals, outcome_bars
from fourlab.studies.plots.boards import draw_position

TIC_TAC_TOE = Course(
    name="tic-tac-toe",
    game="tictactoe",
    depth=9,
    opponent="4 baseline and 1 minimax:ties=first",
    epochs=50,
    games=500,
    alpha=(0.8, 0.95),
    epsilon=(0.8, 0.95),
    rewards=(1, 0.5, -1),
    suite="middle",
)
CONNECT_4 = Course(
    name="Connect 4",
    game="connect4",
    depth=6,
    opponent="baseline",
    epochs=100,
    games=5000,
    alpha=(0.9, 0.9),
    epsilon=(1, 0.8),
    rewards=(100, 50, -100),
    suite="opening",
)
COURSES = (TIC_TAC_TOE, CONNECT_4)


def outcomes(wins: int, losses: int, ties: int) -> dict[str, float]:
    """Return a column of table 2 as shares."""
    games = wins + losses + ties
    return {"wins": wins / games, "draws": ties / games, "losses": losses / games}


TABLE_1 = Published(
    {
        "tic-tac-toe X": {"pairs": 4433, "per_game": 0.17},
        "tic-tac-toe O": {"pairs": 4899, "per_game": 0.19},
        "Connect 4 X": {"pairs": 7_378_698, "per_game": 14.75},
        "Connect 4 O": {"pairs": 11_110_631, "per_game": 22.22},
    },
    source="table 1",
)
TABLE_2_TIC_TAC_TOE = Published(
    {
        "minimax X": outcomes(875, 0, 125),
        "minimax O": outcomes(343, 0, 657),
        "Q X": outcomes(737, 36, 227),
        "Q O": outcomes(430, 16, 554),
    },
    source="table 2",
    games=1000,
)
TABLE_2_CONNECT_4 = Published(
    {
        "minimax X": outcomes(100, 0, 0),
        "minimax O": outcomes(99, 0, 1),
        "Q X": outcomes(70, 30, 0),
        "Q O": outcomes(68, 32, 0),
        "Q O, prose": {"wins": 0.3, "losses": 0.7},
    },
    source="table 2",
    games=100,
    said="The text has the Q-player win slightly over 30% as O, where the table has 68%.",
)
MOVE_TIMES = Published(
    {
        "tic-tac-toe X": {"seconds": 0.084},
        "tic-tac-toe O": {"seconds": 0.020},
        "Connect 4 X": {"seconds": 0.140},
        "Connect 4 O": {"seconds": 0.178},
        "tic-tac-toe Q": {"seconds": 0.001},
        "Connect 4 Q": {"seconds": 0.001},
    },
    source="section 5",
    said="A Q-player needs less than a millisecond.",
)
FULL_SEARCH = Published(
    {"exact solver, first move": {"nodes": 67e6, "seconds": 1400 * 86400}},
    source="section 3",
    said=(
        "A search to the end saw 67 million states in its first 30 minutes and was projected to "
        "take 1,400 days for the first move."
    ),
)
HEAD_TO_HEAD = Published(
    {
        "tic-tac-toe, Q X": {"wins": 0, "draws": 1, "losses": 0, "lines": 1},
        "tic-tac-toe, Q O": {"wins": 0, "draws": 1, "losses": 0, "lines": 1},
        "Connect 4, Q X": {"wins": 0, "draws": 0, "losses": 1, "lines": 1},
        "Connect 4, Q O": {"wins": 0, "draws": 0, "losses": 1, "lines": 1},
    },
    source="figures 3 and 4",
    said="Each game repeats itself; in Connect 4 it is much longer where the Q-player begins.",
)


def final_boards(found: Findings, published: Published | None = None) -> Any:
    """Draw the ends of the games in `extra["boards"]`."""
    boards = found.extra["boards"]
    across = 2 if is_narrow() else len(boards)
    down = -(-len(boards) // across)
    figure = sheet(down * (page_width() / across + 10))
    for axes, board in zip(figure.subplots(down, across).ravel(), boards, strict=False):
        draw_position(axes, position_of(find_game(board["game"]), board["moves"]), {})
        axes.set_title(board["title"], loc="left", fontsize=SIZE, color=SECOND)
    return figure


def against_reach(found: Findings, published: Published | None = None) -> Any:
    """Draw what Q-players win as they learn, and the most that anyone can win."""
    lines = []
    for side, place in SIDES.items():
        best = best_response(TIC_TAC_TOE.game, "baseline", place, draw=0)
        lines.append((f"the most as {side}", best.shares.wins))
    return curves(found, y="games won without exploring", lines=tuple(lines))


MIXTURE = (
    "Whether a training game is against baseline or minimax is drawn for 50 games at a time, four "
    "to one; the study played 400 and 100 in each epoch. With 0.5 for a tie 25,000 games are too "
    "few for Q to find the wins that O can have: it settles for ties. With a tie worth 0 it wins "
    "about as often as published, and loses a little: the study's ties may have taught nothing; "
    "its code is not known. As X trainings differ widely, and the published one is one of many. "
    "Minimax as O: see the exact figures of `reachable`."
)
REACH = (
    "Nobody who never loses can win more than 26.0% as O against a player that wins or blocks "
    "where it can: the published 34.3% without a loss in 1,000 games need a weaker baseline. As X "
    "minimax wins exactly 87.5%, the published figure."
)
SWAPPED = (
    "The published table and text contradict each other on Q as O: 68 wins and 32 losses in the "
    "table, a little over 30% wins in the text. In full, trained as described, it wins about a "
    "third: the two figures of the table seem to be exchanged."
)
COUNTED = (
    "A Q-state is a pair of board and move. The study's table takes one up when it is looked at, "
    "and for the best next move all moves of a board are looked at: all legal moves of all boards "
    "that training comes to are counted here."
)
LOTS = (
    "Where Q has seen nothing, or equals, ours draws lots. The study says that its games repeat "
    "themselves: perhaps its player takes the first move there. Minimax plays the first of equals."
)
CLOCK = (
    "Seconds depend on the machine, positions do not. Minimax here deepens step by step, tries "
    "central and remembered moves first, and knows wins and forced blocks without a search."
)
SOLVED = (
    "The exact solver prunes and remembers; the projection was for alpha-beta without a table or "
    "an order of moves, from 4.5 trillion positions at 67 million in half an hour."
)


STUDY = Study(
    name="minimax-q",
    title="Minimax and Q-learning",
    game="tic-tac-toe; 7 x 6, connect 4",
    about=(
        "Minimax with alpha-beta, to the end in tic-tac-toe and six plies deep in Connect 4, and "
        "tabular Q-learning with a table for each side, against a player that wins or blocks where "
        "it can, and against each other."
    ),
    source="Catalin Gheorghiu, assignment in Artificial Intelligence, Trinity College Dublin",
    value="tic-tac-toe is a draw, Connect 4 a win for the first player",
    telling="connect-4",
    experiments=(
        Experiment(
            "tic-tac-toe",
            "What do minimax and Q-players get from baseline in tic-tac-toe?",
            partial(
                against_baseline,
                course=TIC_TAC_TOE,
                matches=(40_000, 400),
                seeds=(40, 2),
                published=TABLE_2_TIC_TAC_TOE,
                ties=(0,),
            ),
            TABLE_2_TIC_TAC_TOE,
            against_reach,
            takes=(100, 5),
            remarks=MIXTURE,
        ),
        Experiment(
            "reachable",
            "What can anyone get from baseline in tic-tac-toe?",
            partial(reachable, course=TIC_TAC_TOE),
            Published(
                {
                    "minimax, X": TABLE_2_TIC_TAC_TOE.rows["minimax X"],
                    "minimax, O": TABLE_2_TIC_TAC_TOE.rows["minimax O"],
                },
                source="table 2",
                games=1000,
            ),
            partial(outcome_bars, title="exact results against baseline"),
            takes=(1, 1),
            remarks=REACH,
        ),
        Experiment(
            "connect-4",
            "What do minimax and Q-players get from baseline in Connect 4?",
            partial(
                against_baseline,
                course=CONNECT_4,
                matches=(4000, 40),
                seeds=(10, 2),
                published=TABLE_2_CONNECT_4,
            ),
            TABLE_2_CONNECT_4,
            partial(curves, y="games won without exploring", names=("Q X", "Q O")),
            takes=(40, 4),
            remarks=SWAPPED,
        ),
        Experiment(
            "states",
            "How many Q-states does training come to?",
            partial(states, courses=COURSES),
            TABLE_1,
            partial(intervals, column="per_game", percent=False, title="new Q-states in a game"),
            takes=(30, 1),
            remarks=COUNTED,
        ),
        Experiment(
            "head-to-head",
            "How do Q-players fare against minimax, and does every game go the same way?",
            partial(head_to_head, courses=COURSES, seeds=(24, 2), told=(20, 4)),
            HEAD_TO_HEAD,
            final_boards,
            takes=(90, 2),
            remarks=LOTS,
        ),
        Experiment(
            "times",
            "How much does minimax search for a move, as X and as O?",
            partial(times, courses=COURSES),
            MOVE_TIMES,
            partial(intervals, column="nodes", percent=False, title="positions a move"),
            takes=(7, 1),
            remarks=CLOCK,
        ),
        Experiment(
            "search",
            "What does pruning save, and what would a search to the end take?",
            partial(searches, courses=COURSES),
            FULL_SEARCH,
            takes=(8, 1),
            remarks=SOLVED,
        ),
        Experiment(
            "rematch",
            "Does training against minimax close the gap?",
            partial(rematch, course=CONNECT_4, games={2: (50_000, 500), 6: (2000, 100)}),
            Published(
                source="section 6", said="Training against minimax may narrow the gap to it."
            ),
            partial(outcome_bars, title="Q as X against minimax"),
            takes=(25, 1),
        ),
    ),
    claims=CLAIMS,
)
