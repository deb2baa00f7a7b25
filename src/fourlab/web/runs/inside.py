"""What goes on inside a learner whose games are not told move by move, in words of the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fourlab.learning.base import Learner

FIGURES = {
    "evaluations_per_s": "Boards evaluated a second",
    "lessons_per_s": "Lessons a second",
    "lessons": "Lessons so far",
    "lessons_lacking": "Lessons until it begins to learn",
    "steps": "Steps of training",
    "decisions": "Decisions in its last games",
}
LOSSES = {
    "policy_loss": "Policy, away from what search found",
    "value_loss": "Value, away from what came of it",
    "loss": "Squared error of its values",
    "loss_moves": "Moves, away from the solver’s",
    "loss_values": "Values, away from the solver’s",
}
SHARES = {
    "network_share": "Time for the network",
    "training_share": "Time for training",
    "kernels_share": "Time for tree search",
    "epsilon": "Random moves",
    "held_best": "Best moves where it was not taught",
    "held_kept": "Outcomes kept where it was not taught",
}
SMALL = {"rate": "Step size"}
RESULT = {  # by a learner's best outcome
    "won": "Won in training",
    "first won": "Won by the first player",
    "best": "Best move chosen",
}
UNTOLD = {  # by what a learner counts
    "games": "{} plays many games side by side and tells none move by move",
    "positions": "{}: it is shown positions and told what every move is worth, and plays no games",
}


def tells(kind: type[Learner]) -> bool:
    """Whether a learner can tell a game move by move."""
    return kind.watch is not Learner.watch


def counted(kind: type[Learner], config: Any) -> dict[str, str]:
    """Return what a learner counts, what its successes are called, and why no game is told."""
    why = UNTOLD.get(kind.unit, "{} tells no game move by move").format(kind.title)
    best = kind.results(config)[0]
    return {"unit": kind.unit, "result": RESULT.get(best, best.capitalize()), "untold": why}


def inside(metrics: Mapping[str, float]) -> list[list[str]]:
    """Return what a learner said of itself, each with its name."""
    rows = [[text, f"{metrics[name]:,.0f}"] for name, text in FIGURES.items() if name in metrics]
    rows += [[text, f"{metrics[name]:.2f}"] for name, text in LOSSES.items() if name in metrics]
    rows += [[text, f"{metrics[name]:.0%}"] for name, text in SHARES.items() if name in metrics]
    rows += [[text, f"{metrics[name]:.2g}"] for name, text in SMALL.items() if name in metrics]
    return rows
