"""What the Analyse page shows of its session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fourlab.rules.position import Outcome, Position
from fourlab.search.sizes import known
from fourlab.web import words
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
        "chips": None if session.exact is None else session.exact["chips"],
        "bar": bar(session),
        "lines": session.lines,
        "cost": cost(session),
        "tab": session.active_tab,
        "tree": session.tree,
        "simulations": session.simulations,
        "offered": list(SIMULATIONS),
        "agreement": agreement(session),
        "pair": [words.opponent_of(spec) for spec in session.pair],
        "families": [family.to_json() for family in words.FAMILIES],
        "strengths": list(words.STRENGTHS),
        "opinions": list(session.opinions),
        "cells": session.cells,
        "text": session.text,
        "reading": reading(session),
        "announce": headline(session)["title"],
        "notice": session.notice,
        "error": session.error,
        "url": session.url,
    }


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
        done = session.exact is not None and session.exact["done"]
        title = "Not solved in the time given" if done else "Solving"
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
    if not found["nodes"]:
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
