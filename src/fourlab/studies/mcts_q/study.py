"""Study `mcts-q`: Monte Carlo tree search, and Q-learning trained against it, on 5 x 6."""

from __future__ import annotations

from functools import partial

from fourlab.studies import plots
from fourlab.studies.base import Experiment, Published, Study
from fourlab.studies.mcts_q import learners, search, sweeps
from fourlab.studies.mcts_q.claims import CLAIMS
from fourlab.studies.mcts_q.figures import rivals

PRINTED = {  # loss, draw: mean moves, and what MC200 made of its games
    "-1, 0": {"moves": 22.03, "losses": 0.1475, "draws": 0.1304, "wins": 0.7221},
    "-0.5, -0.5": {"moves": 21.21, "losses": 0.1921, "draws": 0.0077, "wins": 0.8002},
    "0, 0": {"moves": 19.58, "losses": 0.1921, "draws": 0.0084, "wins": 0.7995},
    "-1, -1": {"moves": 20.71, "losses": 0.1776, "draws": 0.0153, "wins": 0.8071},
    "-1.5, -1.5": {"moves": 20.63, "losses": 0.1938, "draws": 0.0121, "wins": 0.7941},
}
ONLY_DRAWN = "drawn only; "
SILENT = (
    "The study does not tell the steps of epsilon, the side of the learner or the number of games: "
    "here epsilon is 0.9, 0.7, 0.5, 0.3 and 0.1 in turn and the learner is first."
)

EXPERIMENTS = (
    Experiment(
        "rewards",
        "What does MC200 make of MC40, by the rewards of a loss and of a draw?",
        search.rewards,
        Published(PRINTED, "table in section 3.2", games=10_000),
        partial(plots.outcome_bars, title="MC200 against MC40"),
        remarks=(
            "The study kept its tree from move to move; experiment trees does too, and its games "
            "are longer by some of what is missing here. The number of games is not told: the "
            "shares have two decimals, which 10,000 would give. Then -1, -1 is ahead of -0.5, -0.5 "
            "by 0.7 points with an interval of 1.1 to either side: its choice was within noise."
        ),
        takes=(30, 1),
    ),
    Experiment(
        "trees",
        "The same with the tree kept from move to move, or with every new child played out?",
        search.trees,
        Published({f"{name}, kept": row for name, row in PRINTED.items()}, "table in section 3.2"),
        partial(plots.outcome_bars, title="MC200 against MC40, other trees"),
        remarks=(
            "Creating all children at once is not playing them all out: with that, MC200 wins far "
            "more than was published. One playout a simulation is what the study did."
        ),
        takes=(40, 2),
    ),
    Experiment(
        "uct",
        "Does the constant of UCT matter?",
        search.uct,
        Published(
            source="figure in section 3.2",
            said=ONLY_DRAWN + "no drastic change over the constants; 1.4 is kept.",
            games=search.STUDY_GAMES,
        ),
        partial(plots.curves, x="c", title="MC200 against MC40, by reward map"),
        remarks="The study does not tell which constants it tried.",
        takes=(22, 1),
    ),
    Experiment(
        "simulations",
        "What are more simulations worth?",
        search.simulations,
        Published(source="section 3.2", said="More simulations find the best move more often."),
        partial(plots.intervals, column="score", title="Against MC40", line=0.5),
        takes=(12, 3),
    ),
    Experiment(
        "afterstates",
        "Vanilla Q-learning or afterstates, all else equal, against MC20?",
        learners.afterstates,
        Published(
            source="figures in section 4.1",
            said=ONLY_DRAWN
            + "afterstates have the better ratio of games won and lost, vanilla has shorter "
            "games, and both lose far more than they win.",
        ),
        rivals,
        remarks=SILENT,
        takes=(30, 2),
    ),
    Experiment(
        "q-rewards",
        "Which rewards of draw, loss and win serve Q-learning, over five gammas?",
        sweeps.q_rewards,
        Published(source="figures in section 4.2", said=ONLY_DRAWN + "-0.5, -1, 1 wins most."),
        partial(plots.curves, smooth=0.6, title="Training against MC20, mean of five gammas"),
        remarks=(
            "The reward of a draw reaches the table and changes no move: a board on which a game "
            "is drawn is nearly full and is not met again, so that its value is taught once and "
            "never asked for. In 22,500 games as many values differ between the maps as games "
            "were drawn, each taught once, and the runs of one seed are the same game for game. "
            "What the study saw between such maps was probably chance. What a move cost in these "
            "trainings is not told: here it is nothing. " + SILENT
        ),
        takes=(60, 1),
    ),
    Experiment(
        "gamma",
        "Which gamma, and which reward of a move that does not end the game?",
        sweeps.gamma,
        Published(
            source="figure in section 4.2",
            said=ONLY_DRAWN + "gamma 1 and -0.1 are best.",
            games=sweeps.STEPS * sweeps.EACH,
        ),
        lambda found, published: plots.heat(found, "step", "gamma", "training"),
        remarks=SILENT,
        takes=(55, 1),
    ),
    Experiment(
        "opponents",
        "Against which MC_n does Q-learning win, and do more games help?",
        sweeps.opponents,
        Published(
            source="section 4.3",
            said="The fewer simulations the higher the share of wins; more games raise it.",
        ),
        partial(plots.intervals, column="wins", title="After training against MC_n"),
        remarks=SILENT,
        takes=(105, 2),
    ),
    Experiment(
        "training",
        "The final training against MC_0 to MC_25: how does it go, and how large is its file?",
        learners.training,
        Published(
            source="figure in section 4.3, section 5",
            said=ONLY_DRAWN + "about 250,000 games, smoothed by a moving average.",
            took="about 12 hours",
        ),
        partial(plots.curves, smooth=0.6, title="Training, from MC_0 to MC_25"),
        remarks=(
            "Epsilon falls from 0.5 to 0.02 in a straight line. Pickled sizes are calculated; "
            "nothing is pickled here. This file is compressed and holds no counts."
        ),
        takes=(40, 2),
    ),
    Experiment(
        "validation",
        "Without exploration: how does it fare against every opponent of its training?",
        learners.validation,
        Published(
            source="figure in section 4.3",
            said=ONLY_DRAWN + "200 games against each opponent, about 5,000 in all.",
            games=200,
        ),
        partial(plots.outcome_areas, title="Afterstates after the final training"),
        takes=(40, 4),
    ),
    Experiment(
        "sides",
        "Does it matter on which side it learns?",
        sweeps.sides,
        figure=partial(plots.outcome_bars, title="Afterstates against MC20, by side"),
        remarks="The study does not tell the side.",
        takes=(12, 1),
    ),
    Experiment(
        "boards",
        "Five columns and fewer rows?",
        sweeps.boards,
        Published(source="abstract", said="Names boards of 5 columns and r rows, and no figures."),
        partial(plots.outcome_bars, title="Afterstates against MC20, by board"),
        takes=(15, 4),
    ),
)

STUDY = Study(
    "mcts-q",
    "MCTS and afterstates",
    "5 columns x 6 rows, connect 4",
    EXPERIMENTS,
    CLAIMS,
    about=(
        "Tree search with few simulations is tuned by its rewards, then Q-learning, vanilla and "
        "with afterstates, is trained against it."
    ),
    source="S. Dalmia, Training Q-Learning using Monte Carlo Tree Search to play Connect-4, 2021",
    took="about 12 hours for the final training",
    value="a draw",
    telling="validation",
)
