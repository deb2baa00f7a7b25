"""What the Learn page shows of the game that it tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fourlab.rules.position import Position
from fourlab.web.runs.sample import Sample
from fourlab.web.runs.setup import OPPONENTS
from fourlab.web.sessions.play_view import board_view

if TYPE_CHECKING:
    from fourlab.learning.base import Turn
    from fourlab.web.runs.training import Training

PHASES = {
    "episode generation": "It plays the move of the best value, or explores.",
    "episode evaluation": "Each move is taught the return that followed it.",
    "policy improvement": "From now on it prefers what is now worth most.",
}
STORED_PHASES = {  # of a learner that stores its policy
    "episode generation": "It plays by its stored policy; in a state it has not seen, at random.",
    "episode evaluation": "The return of each move, r + γ × what followed, enters its mean.",
    "policy improvement": "For each state of the game the policy stores the best move, "
    "with a chance of {keep}, else a random one.",
}
FULL = "The table is full: this position finds no place in it, and nothing is learned of it."


def told_game(training: Training) -> dict[str, Any]:
    """Return what is shown of the present game, as far as it is told."""
    sample = training.sample
    stones, learned, phase = sample.game.phases[training.frame] if sample else (0, 0, "")
    position = _position(training, stones)
    return {
        "board": board_view(position),
        "late": sample is not None and sample.is_late,
        "phase": _phase(training, phase),
        "number": sample.number if sample else 0,
        "ahead": _is_ahead(training, sample),
        "caption": _caption(training, stones),
        "said": _said(training, sample, position),
        "rows": _rows(sample, stones, learned),
        "changed": _changed(sample, learned),
        "update": _update(training, sample, learned),
    }


def _phase(training: Training, phase: str) -> dict[str, str]:
    config = training.learner.config if training.learner else None
    keep = getattr(config, "keep", 1.0)
    known = STORED_PHASES if training.settings.learner == "monte-carlo" else PHASES
    return {"name": phase, "does": known.get(phase, "").format(keep=f"{keep:.0%}")}


def _position(training: Training, stones: int) -> Position:
    if training.sample is None:
        return training.settings.rules.start()
    return training.sample.positions[stones]


def _caption(training: Training, stones: int) -> str:
    if training.sample is None:
        return "" if training.done else "nothing learned yet"
    if not training.pace.is_slow and training.running:
        return f"1 shown in {training.rate:,}"
    return f"move {stones}"


def _is_ahead(training: Training, sample: Sample | None) -> bool:
    """Return whether the learner has learned from more of this game than is shown."""
    if sample is None or sample.number > training.done:
        return False
    return training.frame + 1 < len(sample.game.phases)


def _said(training: Training, sample: Sample | None, position: Position) -> dict[str, Any] | None:
    """Say the last move and who made it."""
    if sample is None or not position.moves:
        return None
    side = 1 - position.to_move
    own = sample.game.side is None or side == sample.game.side
    who = (
        "The learner"
        if own
        else OPPONENTS.get(training.settings.opponent, training.settings.opponent)
    )
    text = f"{who} chose {training.settings.rules.unit} {position.moves[-1] + 1}"
    if position.is_over:
        text += " and won" if position.line else "; a draw"
    turn = next((one for one in sample.game.turns if one.ply == position.ply - 1), None)
    return {"side": side, "text": text, "why": _why(training, turn) if turn and own else None}


def _why(training: Training, turn: Turn) -> dict[str, Any]:
    """Say what a move was worth when it was made, and why it was chosen."""
    value = turn.before[turn.move]
    known = [one for one in turn.before if one is not None]
    earlier = sum(count or 0 for count in turn.trials) - 1  # this time is counted too
    counted = turn.trials[turn.move] is not None
    best = value is not None and value >= max(known)
    if counted and earlier <= 0:
        word = "random: nothing was known of this state"
    elif training.settings.learner == "monte-carlo":
        word = "policy: the best value" if best else "policy: a random move that it stored"
    else:
        word = "greedy: the best value" if best else "random: it explored"
    return {"value": round(value or 0.0, 4), "word": word}


def _rows(sample: Sample | None, stones: int, learned: int) -> list[dict[str, Any]]:
    """Return the learner's turns of this game, as far as it is shown."""
    if sample is None:
        return []
    rows = []
    for index, turn in enumerate(sample.game.turns):
        if turn.ply > stones:
            break
        values, trials = turn.after, list(turn.trials)
        if index >= learned:  # not learned from yet: as it was before this game
            values = turn.before
            count = trials[turn.move]
            trials[turn.move] = None if count is None else max(0, count - 1)
        rows.append(
            {
                "stones": turn.ply,
                "moves": list(sample.position_of(turn).moves),
                "move": turn.move if turn.ply < stones else None,
                "values": [None if v is None else round(v, 4) for v in values],
                "trials": trials,
                "best": sample.best[index],
            }
        )
    return rows


def _changed(sample: Sample | None, learned: int) -> dict[str, Any] | None:
    if sample is None or learned == 0:
        return None
    turn = sample.game.turns[learned - 1]
    if turn.trials[turn.move] == 0:
        return None
    old, new = turn.before[turn.move] or 0.0, turn.after[turn.move] or 0.0
    return {"row": learned - 1, "move": turn.move, "difference": round(new - old, 4)}


def _update(training: Training, sample: Sample | None, learned: int) -> dict[str, Any] | None:
    """Return the last update, written out."""
    if sample is None or learned == 0:
        return None
    turn = sample.game.turns[learned - 1]
    unit = training.settings.rules.unit
    return {
        "title": f"Move {turn.ply + 1}, {unit} {turn.move + 1}",
        "old": round(turn.before[turn.move] or 0.0, 4),
        "new": round(turn.after[turn.move] or 0.0, 4),
        "formula": FULL if turn.trials[turn.move] == 0 else turn.update,
    }
