"""What stands above the columns apart from exact scores: visits of a search, and hints."""

from __future__ import annotations

from typing import Any

from fourlab.agents.base import Decision
from fourlab.agents.learned import Learned
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position
from fourlab.web import words
from fourlab.web.sessions.review_words import name_moves


def hint_of(position: Position, overlay: dict[str, Any]) -> dict[str, Any]:
    """Return the moves that an overlay recommends, and a sentence."""
    chips = overlay["chips"]
    unit = position.rules.unit
    best = [move for move, chip in enumerate(chips) if chip.get("best")]
    if not best:
        order = {"win": 3, "draw": 2, "unknown": 1, "wait": 1, "loss": 0, "full": -1}
        top = max(order[chip["kind"]] for chip in chips)
        best = [move for move, chip in enumerate(chips) if order[chip["kind"]] == top]
        text = "the best so far, not solved"
    else:
        chip = chips[best[0]]
        text = f"{chip['first']} {chip.get('second', '')}".strip()
    if len(best) == sum(chip["kind"] != "full" for chip in chips) > 1:
        return {"moves": best, "text": f"Hint: any {unit}, {text}"}
    names = name_moves(position.rules, best)
    return {"moves": best, "text": f"Hint: {names.replace(' and ', ' or ')}, {text}"}


def spoken(rules: Rules, overlay: dict[str, Any]) -> str:
    """Say what stands above the columns, for those who listen."""
    found = [
        f"{rules.unit} {move + 1} {chip['first']} {chip.get('second', '')}".strip()
        + (", best" if chip.get("best") else "")
        for move, chip in enumerate(overlay["chips"])
        if chip["kind"] not in ("full", "wait")
    ]
    return f"{'; '.join(found)}." if found else ""


def visits_overlay(position: Position, decision: Decision) -> dict[str, Any]:
    """Return the chips that show how often a search tried each move."""
    visits = decision.visits or (0,) * position.rules.move_count
    total = max(1, sum(visits))
    legal = position.legal_moves()
    chips: list[dict[str, Any]] = []
    for move, count in enumerate(visits):
        if move not in legal:
            chips.append({"kind": "full", "first": "full"})
            continue
        share = count / total
        value = (decision.values or ())[move] if decision.values else None
        chips.append(
            {
                "kind": "visits",
                "first": f"{share:.0%}",
                "second": words.count(count),
                "share": round(share, 4),
                "best": count == max(visits),
                "tip": "" if value is None else f"average result {value:+z.2f}".replace("-", "−"),
            }
        )
    return {"chips": chips, "done": True, "simulations": total}


def values_overlay(position: Position, agent: Learned) -> dict[str, Any]:
    """Return the chips that show what an agent has learned of each move, and how often."""
    known = agent.knowledge
    rewards = known.about.get("config", {})
    scale = max(abs(rewards.get("win", 1.0)), abs(rewards.get("loss", 1.0)), 1e-9)
    values, trials = known.move_values(position), known.visits(position)
    legal = [value for value in values if value is not None]
    chips: list[dict[str, Any]] = []
    for value, count in zip(values, trials, strict=True):
        if value is None:
            chips.append({"kind": "full", "first": "full"})
            continue
        chips.append(
            {
                "kind": "values",
                "first": f"{value:z.2f}".replace("-", "−"),
                "second": words.count(count or 0),
                "heat": round(value / scale, 4),
                "best": value == max(legal),
                "tip": f"learned from {count or 0:,} trials",
            }
        )
    return {"chips": chips, "done": True}
