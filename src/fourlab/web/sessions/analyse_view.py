"""What the Analyse page shows of its session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fourlab.rules.position import Outcome, Position
from fourlab.search.sizes import known
from fourlab.web import words
from fourlab.web.sessions.analyse_truth import LONGER_SECONDS, QUICK_SECONDS
from fourlab.web.sessions.play_view import board_view, game_view, offered_games
from fourlab.web.sessions.truth import height
from fourlab.web.words import COLOURS

if TYPE_CHECKING:
    from fourlab.web.sessions.analyse import AnalyseSession

SIMULATIONS = (500, 2_000, 20_000)


def analyse_view(session: AnalyseSession) -> dict[str, Any]:
    """Return everything that the page shows."""
    position = session.position
    return {
        "game": game_view(session.rules),
        "games": offered_games(session.rules),
        "board": board_view(position),
        "at": session.line.at,
        "length": session.line.length,
        "notation": position.notation,
        "headline": headline(session),
        "chips": chips(session),
        "thinking": thinking(session),
        "bar": bar(session),
        "lines": session.lines,
        "cost": cost(session),
        "tab": session.active_tab,
        "tree": session.tree,
        "simulations": session.simulations,
        "offered": list(SIMULATIONS),
        "agreement": agreement(session),
        "pair": [words.opponent_of(spec) for spec in session.pair],
        "families": [family.to_json() for family in words.families(session.rules)],
        "strengths": list(words.STRENGTHS),
        "opinions": list(session.opinions),
        "cells": session.cells,
        "text": session.text,
        "reading": reading(session),
        "announce": headline(session)["title"],
        "notice": session.notice,
        "error": session.error,
        "url": session.url,
        "offline": "The board stays as it is; thinking goes on when the connection is back.",
        "regained": regained(session),
        "kept": session.kept,
    }


def chips(session: AnalyseSession) -> list[dict[str, Any]] | None:
    """Return the chips: what is known for certain, and a guess where nothing is yet."""
    if session.exact is None:
        return None
    found: list[dict[str, Any]] = session.exact["chips"]
    shares = session.guesses
    if session.spent < QUICK_SECONDS / 2:
        return found
    if session.position.ply == 0 and (board := known(session.rules)) and board.outcome < 0:
        loss = {"kind": "loss", "first": "Loss", "second": "", "tip": board.source}
        return [loss if chip["kind"] in ("wait", "unknown") else chip for chip in found]
    return [
        guess(chip, shares[move]) if _is_open(chip) and move in shares else chip
        for move, chip in enumerate(found)
    ]


def _is_open(chip: dict[str, Any]) -> bool:
    """Whether nothing at all is known of a move."""
    return chip["kind"] in ("wait", "unknown") and not chip.get("second")


def guess(chip: dict[str, Any], share: float) -> dict[str, Any]:
    """Return the chip of a move of which only the search has an opinion."""
    tip = "not solved; the share of its games that the search wins with this move"
    return {**chip, "kind": "unknown", "first": f"{share:.0%}", "second": "guess", "tip": tip}


def thinking(session: AnalyseSession) -> dict[str, Any] | None:
    """Say how long the solver has thought, None where it was done in a moment."""
    if session.position.is_over or session.known is None or session.spent < QUICK_SECONDS / 2:
        return None
    data = session.exact or {}
    done, of = data.get("solved", 0), data.get("of", 0)
    if done == of:
        return None
    unit = session.rules.unit + ("s" if of != 1 else "")
    return {
        "busy": session.is_thinking,
        "spent": round(session.spent),
        "limit": round(session.allowed),
        "solved": f"{done} of {of} {unit} solved",
        "more": session.can_think_longer,
        "added": round(LONGER_SECONDS),
    }


def regained(session: AnalyseSession) -> str:
    """Say what became of the thinking when the connection is there again."""
    if not session.is_thinking or session.position.is_over:
        return "Nothing was lost."
    if session.spent < QUICK_SECONDS:
        return "The position is as it was, and is thought about anew."
    return f"What was found in {session.spent:.0f} s of thinking is kept."


def headline(session: AnalyseSession) -> dict[str, Any]:
    """Return the verdict, the disc beside it, and whose move it is."""
    position = session.position
    outcome = position.outcome
    if outcome is Outcome.DRAW:
        return {"side": None, "title": "Draw", "caption": f"after {position.ply} moves"}
    if outcome.winner is not None:
        caption = f"after {position.ply} moves"
        return {
            "side": outcome.winner,
            "title": f"{COLOURS[outcome.winner]} has won",
            "caption": caption,
        }
    caption = f"{COLOURS[position.to_move]} to move, move {position.ply + 1}"
    if session.value is None:
        done = not session.is_thinking
        title = _unsolved(session)
        side: int | None = position.to_move
        if position.ply == 0 and (board := known(session.rules)):
            side = {1: 0, 0: None, -1: 1}[board.outcome]
            who = "Draw" if side is None else f"{COLOURS[side]} wins"
            title, caption = f"{who} with perfect play", f"{caption}; {board.source}"
        return {"side": side, "title": title, "caption": caption, "busy": not done}
    said = words.verdict(session.rules, position.ply, session.value)
    winner = position.to_move if session.value > 0 else 1 - position.to_move
    number = said.rpartition(" ")[2]
    title = f"{COLOURS[winner]} wins in {number}" if session.value else "Draw"
    return {"side": winner if session.value else None, "title": title, "caption": caption}


def _unsolved(session: AnalyseSession) -> str:
    """Say what is known of a position whose value is not."""
    known = session.known
    if known is not None and known.moves:
        mover = COLOURS[session.position.to_move]
        if max(bounds.low for bounds in known.moves.values()) > 0:
            return f"{mover} wins"
        complete = len(known.moves) == len(session.position.legal_moves())
        if complete and max(bounds.high for bounds in known.moves.values()) < 0:
            return f"{COLOURS[1 - session.position.to_move]} wins"
    if not session.is_thinking:
        return f"Not solved in {session.spent:.0f} s"
    return "Solving" if session.spent < QUICK_SECONDS / 2 else "Not solved yet"


def bar(session: AnalyseSession) -> float | None:
    """Return yellow's share of the evaluation bar."""
    return share_of(session.position, session.value)


def share_of(position: Position, value: int | None) -> float | None:
    """Return yellow's share of an evaluation bar, from the score seen by the side to move."""
    if value is None:
        return None
    sign = 1 if position.to_move == 0 else -1
    return round((1 + sign * height(position.rules, value)) / 2, 3)


def cost(session: AnalyseSession) -> str:
    """Say what the exact scores took."""
    found = session.exact
    if session.position.is_over:
        return "the game is over"
    if found is None or not found["done"]:
        return "solving"
    if found["source"] == "book":
        return "exact, from the book"
    kind = "exact" if found["value"] is not None else "bounds"
    return f"{kind}, {words.count(found['nodes'])} nodes, {words.seconds(found['seconds'])}"


def agreement(session: AnalyseSession) -> dict[str, Any] | None:
    """Compare the most visited move with the exact best."""
    if session.tree is None or not session.tree["children"]:
        return None
    move = session.tree["children"][0]["path"][0]
    text = ""
    if session.exact is not None and session.exact["value"] is not None:
        best = session.exact["chips"][move].get("best", False)
        text = "also the exact best move" if best else "not the exact best move"
    return {"move": move, "text": text}


def reading(session: AnalyseSession) -> dict[str, Any] | None:
    """Return what is wrong with the text in the field, and where."""
    found = session.reading
    if found is None:
        return None
    return {
        "error": found.error,
        "start": found.start,
        "end": found.end,
        "kind": found.kind,
        "stones": found.position.ply,
    }
