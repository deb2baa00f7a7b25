"""A run as it goes: how far it is, and the curve of what it reaches."""

from __future__ import annotations

from fourlab.core.notebook import CURVE_STYLE, curves, frame, heading, track
from fourlab.learning.runs import Run, read_metrics

SHOWN = 3  # agents whose curves are drawn


def run_text(run: Run) -> str:
    """Return a run in a line, and below it its last evaluation."""
    learner = run.learner
    parts = [
        learner.spec,
        str(learner.rules),
        f"{learner.done:,} of {learner.total:,} {learner.unit}",
    ]
    for name, points in run_curves(run).items():
        if points:
            parts.append(f"{name} {points[-1][1]:.1%}")
    return " · ".join(parts)


def run_curves(run: Run) -> dict[str, list[tuple[float, float]]]:
    """Return the share of games won in training, and the scores of evaluations, over games."""
    lines = read_metrics(run.folder)
    told = [(float(line["games"]), line["wins"]) for line in lines]
    found = {run.learner.outcomes[0]: run.trail or told}
    for line in lines:
        for agent, score in list(line.get("against", {}).items())[:SHOWN]:
            found.setdefault(f"against {agent}", []).append((float(line["games"]), score["score"]))
    return found


def run_html(run: Run) -> str:
    """Return a run as a bar and curves; drawn again while it trains, it is live."""
    learner = run.learner
    far = f"{learner.done:,} of {learner.total:,} {learner.unit}"
    return frame(
        heading(learner.spec, str(learner.rules), far),
        track(learner.done / max(learner.total, 1)),
        curves(run_curves(run), learner.total, learner.unit),
        style=CURVE_STYLE,
    )
