"""`monte-carlo`: on-policy Monte Carlo control on boards of several sizes, rerun.

The document writes boards as rows x columns, this study as columns x rows: its 6x7 is 7 x 6 here,
and its 5x6 is 6 x 5, whose number of columns is even, as it says. An episode is a game: it is
generated, evaluated, and the policy of its states improved.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from fourlab.studies import plots
from fourlab.studies.base import Experiment, Published, Study
from fourlab.studies.findings import Findings
from fourlab.studies.monte_carlo.claims import CLAIMS
from fourlab.studies.monte_carlo.learning import (
    BOARDS,
    TINY,
    WHOLE,
    boards,
    by_values,
    iterations,
    td,
)
from fourlab.studies.monte_carlo.tables import (
    DEMO,
    MIXED,
    columns,
    demo,
    precision,
    winning,
)

SHOWN = tuple(board for board in BOARDS if board != "5 x 4, connect 3")  # six, to have bands
FEW = tuple(board for board in SHOWN if board != "5 x 5, connect 3")  # with room for a line more

ITERATIONS_PUBLISHED = Published(
    source="first figure",
    said=(
        "Drawn, not printed: 100 test games after each of 8 policy iterations, for several boards "
        "and goals. Boards with a goal of 4 would need far more than 8."
    ),
    games=100,
)
COLUMNS_PUBLISHED = Published(
    source="second figure",
    said=(
        "Drawn, not printed: columns of 2,000 policies on 6x7 (7 x 6 here) favour the centre; on "
        "5x6 (6 x 5 here) there is no pattern."
    ),
)
WINNING_PUBLISHED = Published(
    source="observations", said="Most of the q-values of 200 belong to actions in outer columns."
)
TD_PUBLISHED = Published(source="last section", said="The switch improves the rate slightly.")
PRECISION_PUBLISHED = Published(
    source="observations", said="Q-values seem to become more precise as time passes."
)
DEMO_PUBLISHED = Published(
    rows={MIXED: {"policies": 446, "trials": 53, "value": 0.928, "won": 32 / DEMO}},
    source="the picture of the program",
    games=DEMO,
)

EPISODE_REMARK = (
    "What the document calls a policy iteration is not said. One episode after another, 8 of them "
    "teach nothing to speak of on any board; 8 times 100 episodes, the size of its tests, give "
    "what the text describes: boards with a goal of 3 learn, those with a goal of 4 hardly do. "
    "That reading is taken, and the others stand beside it."
)
KEYS_REMARK = (
    "The study's program kept a move that followed its policy under the board after it, any other "
    "under the board before it, so that no return ever reached a state whose policy was followed: "
    "the first move stored in a state stayed for good. Here it is the board before the move "
    "throughout. Its check of lines also missed diagonals that were completed in the middle."
)


def on_log(found: Findings, published: Published | None, **options: Any) -> Any:
    """Draw curves over episodes of very different numbers."""
    figure = plots.curves(found, published, x="episodes", **options)
    axes = figure.axes[0]
    first, last = found.curves[0].x[0], found.curves[0].x[-1]
    axes.set_xscale("symlog", linthresh=100)
    axes.set_xlim(first, last)
    powers = [10**power for power in range(2, 6)]
    marks = [mark for mark in (0, *powers) if first <= mark <= last / 2]
    axes.set_xticks(marks, [f"{mark:,}" for mark in marks])
    axes.set_xticks([], minor=True)
    return figure


def draw_boards(found: Findings, published: Published | None) -> Any:
    """Draw how boards are learned, below the most that is to be had on the least of them."""
    most = found.measure(TINY, "best").value
    lines = ((f"the most on {TINY.split(',')[0]}", most),)
    return on_log(found, published, names=FEW, y="test games won", lines=lines)


STUDY = Study(
    name="monte-carlo",
    title="Monte Carlo control",
    game="3 x 3 to 7 x 6, connect 3 and 4",
    about=(
        "A table learns against a random opponent in three phases, episode by episode, on boards "
        "of several sizes: how fast, and what the policies and values look like."
    ),
    source="M. Moy, Monte Carlo Connect Four Learner, CS4804 final project",
    value="a win for the first player on 7 x 6; the table of boards has the others",
    telling="boards",
    experiments=(
        Experiment(
            "iterations",
            "How much is learned in 8 policy iterations?",
            iterations,
            ITERATIONS_PUBLISHED,
            partial(plots.curves, names=SHOWN, x="iterations of 100 episodes", y="test games won"),
            takes=(8, 2),
            remarks=EPISODE_REMARK,
        ),
        Experiment(
            "boards",
            "When does each board learn, if it goes on?",
            boards,
            Published(said="Smaller boards and goals improve much faster.", source="observations"),
            draw_boards,
            takes=(35, 6),
        ),
        Experiment(
            "columns",
            "Which columns do 2,000 policies choose?",
            columns,
            COLUMNS_PUBLISHED,
            plots.columns_on_board,
            takes=(13, 2),
            remarks=(
                "A policy is a state with a stored move. Columns fill up, so that even a random "
                "policy is not quite uniform: ours is held against one that draws from the open "
                "columns of the same states. " + KEYS_REMARK
            ),
        ),
        Experiment(
            "winning",
            "Where are the moves whose value is 200?",
            winning,
            WINNING_PUBLISHED,
            plots.columns_on_board,
            takes=(13, 2),
            remarks=(
                "Four of seven columns are outer ones, so that most moves lie there by chance. A "
                "value of 200 is a win, or a block (100) and then a win (half of 200)."
            ),
        ),
        Experiment(
            "td",
            "What does the TD switch bring?",
            td,
            TD_PUBLISHED,
            partial(
                on_log,
                names=tuple(f"{WHOLE}, {how}" for how in ("off", "in training", "on")),
                y=f"test games won on {WHOLE}",
            ),
            takes=(12, 2),
            remarks=(
                "The study's program tests with the switch as it is set. In training alone it "
                "shows what it teaches; in tests it wins and blocks by itself wherever nothing is "
                "stored."
            ),
        ),
        Experiment(
            "by-values",
            "How well does the table play by its values?",
            by_values,
            None,
            partial(plots.intervals, column="gain", line=0.0, title="By values, against stored"),
            takes=(10, 1),
            remarks="Not in the document: a tenth of the stored moves are random at any moment.",
        ),
        Experiment(
            "precision",
            "How precise are the values of the first moves?",
            precision,
            PRECISION_PUBLISHED,
            partial(on_log, y="spread between seeds, of the mean"),
            takes=(7, 2),
            remarks=(
                "True returns are those of the policy as it is by then, nine tenths the most "
                "valued move, exactly computed. A mean of all returns lags behind: it holds those "
                "of worse policies too."
            ),
        ),
        Experiment(
            "demo",
            "What did the study's own keys do?",
            demo,
            DEMO_PUBLISHED,
            None,
            takes=(9, 3),
            remarks=KEYS_REMARK,
        ),
    ),
    claims=CLAIMS,
)
