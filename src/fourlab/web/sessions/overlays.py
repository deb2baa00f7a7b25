"""What stands above the columns apart from exact scores: visits of a search, and hints."""

from __future__ import annotations

from typing import Any

from fourlab.agents.base import Decision
from fourlab.agents.learned import Learned
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position
from fourlab.web import words
from fourlab.web.sessions.review_words import name_moves

FULL = {"kind": "full", "first": "full"}
RANKS = {"win": 5, "draw": 3, "loss": 0, "full": -1}
UNKNOWN = 2  # better than a loss, or a draw at most; a draw for sure is better
LINE_SHOWN = 5  # moves that fit beside what else the caption says


def hint_of(position: Position, overlay: dict[str, Any]) -> dict[str, Any]:
    """Return the moves that an overlay recommends, and a sentence."""
    chips = overlay["chips"]
    unit = position.rules.unit
    best = [move for move, chip in enumerate(chips) if chip.get("best")]
    if not best:
        top = max(_rank(chip) for chip in chips)
        best = [move for move, chip in enumerate(chips) if _rank(chip) == top]
        text = "the best so far, not solved"
    else:
        text = _said(chips[best[0]])
    if len(best) == sum(chip["kind"] != "full" for chip in chips) > 1:
        known = "nothing known yet" if _rank(chips[best[0]]) == UNKNOWN else _said(chips[best[0]])
        text = text.replace("the best so far", known)
        return {"moves": best, "text": f"Hint: any {unit}, {text}"}
    names = name_moves(position.rules, best)
    return {"moves": best, "text": f"Hint: {names.replace(' and ', ' or ')}, {text}"}


def _rank(chip: dict[str, Any]) -> int:
    """Return how good a move is by what is known of it, where that may be little."""
    if chip["kind"] in RANKS:
        return RANKS[chip["kind"]]
    return {"Win or": RANKS["draw"] + 1, "Draw or": RANKS["loss"] + 1}.get(chip["first"], UNKNOWN)


def _said(chip: dict[str, Any]) -> str:
    return f"{chip['first']} {chip.get('second', '')}".strip()


def spoken(rules: Rules, overlay: dict[str, Any]) -> str:
    """Say what stands above the columns, for those who listen."""
    found = [
        f"{rules.unit} {move + 1} {chip['first']} {chip.get('second', '')}".strip()
        + (", best" if chip.get("best") else "")
        for move, chip in enumerate(overlay["chips"])
        if chip["kind"] not in ("full", "wait")
    ]
    return f"{'; '.join(found)}." if found else ""


def visits_overlay(position: Position, decision: Decision, whose: str = "") -> dict[str, Any]:
    """Return the chips that show how often a search tried each move; `whose`, if somebody's."""
    visits = decision.visits or (0,) * position.rules.move_count
    total = max(1, sum(visits))
    legal = position.legal_moves()
    chips: list[dict[str, Any]] = []
    for move, count in enumerate(visits):
        if move not in legal:
            chips.append(FULL)
            continue
        share = count / total
        chips.append(
            {
                "kind": "visits",
                "first": f"{share:.0%}",
                "second": words.count(count),
                "share": round(share, 4),
                "best": count == max(visits) if any(visits) else move == decision.move,
                "tip": _opinion_of(decision, move),
            }
        )
    says = f"{whose}’s visits" if whose else f"visits of {total:,} simulations"
    if not any(visits):
        says = f"{whose or 'the search'} needed no search"
    return {"chips": chips, "done": True, "simulations": total, "says": says + _plan(decision)}


def opinion_overlay(position: Position, decision: Decision, whose: str) -> dict[str, Any]:
    """Return the chips that show what an agent thinks each move is worth, and how it leans."""
    values = decision.values or (None,) * position.rules.move_count
    told = (values[move] for move in position.legal_moves())
    known = [value for value in told if value is not None]
    chips: list[dict[str, Any]] = []
    for move, value in enumerate(values):
        if move not in position.legal_moves():
            chips.append(FULL)
            continue
        leans = "" if decision.policy is None else f"{decision.policy[move]:.0%}"
        chips.append(
            {
                "kind": "values",
                "first": "–" if value is None else _signed(value),
                "second": leans,
                "heat": 0.0 if value is None else round(value, 4),
                "best": value is not None and value == max(known),
                "tip": _opinion_of(decision, move),
            }
        )
    leaning = "" if decision.policy is None else ", its policy below"
    says = f"{whose}’s values{leaning}" if known else f"{whose} tells no values"
    return {"chips": chips, "done": True, "says": says + _plan(decision)}


def values_overlay(position: Position, agent: Learned) -> dict[str, Any]:
    """Return the chips that show what an agent has learned of each move, and how often."""
    known = agent.knowledge
    held, trials = known.move_values(position), known.visits(position)
    counts = -1 not in trials  # a network does not
    best = max(
        (value or 0.0 for value, count in zip(held, trials, strict=True) if count), default=0
    )
    chips: list[dict[str, Any]] = []
    for value, count in zip(held, trials, strict=True):
        if value is None or count is None:
            chips.append(FULL)
            continue
        worth = known.worth(value, position.to_move) if count else None
        chips.append(
            {
                "kind": "values",
                "first": _signed(value) if count else "–",
                "second": words.count(count) if counts else "",
                "heat": round(worth or 0.0, 4),
                "best": count != 0 and value == best,
                "tip": f"learned from {count:,} trials" if counts else "computed by a network",
            }
        )
    says = "learned values, trials below" if counts else "learned values"
    return {"chips": chips, "done": True, "says": says}


def _opinion_of(decision: Decision, move: int) -> str:
    """Say what a decision holds of a move beside what is drawn of it."""
    value = None if decision.values is None else decision.values[move]
    parts = [
        "" if value is None else f"worth {_signed(value)}",
        "" if decision.policy is None else f"policy {decision.policy[move]:.0%}",
        "" if decision.visits is None else f"{decision.visits[move]:,} visits",
    ]
    return ", ".join(filter(None, parts))


def _plan(decision: Decision) -> str:
    """Say how an agent expects the game to go on."""
    moves = " ".join(str(move + 1) for move in decision.line[:LINE_SHOWN])
    return f"; expects {moves}" if len(decision.line) > 1 else ""


def _signed(value: float) -> str:
    return f"{value:z.2f}".replace("-", "−")
