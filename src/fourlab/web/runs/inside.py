"""What goes on inside a learner whose games are not told move by move, in words of the page."""

from __future__ import annotations

from collections.abc import Mapping

from fourlab.learning.base import Learner

FIGURES = {
    "evaluations_per_s": "Boards evaluated a second",
    "lessons_per_s": "Lessons a second",
    "lessons": "Lessons so far",
    "steps": "Steps of training",
}
LOSSES = {
    "policy_loss": "Policy, away from what search found",
    "value_loss": "Value, away from what came of it",
    "loss": "Loss",
}
SHARES = {
    "network_share": "Time for the network",
    "training_share": "Time for training",
    "kernels_share": "Time for tree search",
}


def tells(kind: type[Learner]) -> bool:
    """Whether a learner can tell a game move by move."""
    return kind.watch is not Learner.watch


def inside(metrics: Mapping[str, float]) -> list[list[str]]:
    """Return what a learner said of itself, each with its name; losses once it has trained."""
    trained = metrics.get("steps", 1) > 0
    rows = [[text, f"{metrics[name]:,.0f}"] for name, text in FIGURES.items() if name in metrics]
    if trained:
        rows += [[text, f"{metrics[name]:.2f}"] for name, text in LOSSES.items() if name in metrics]
    rows += [[text, f"{metrics[name]:.0%}"] for name, text in SHARES.items() if name in metrics]
    return rows
