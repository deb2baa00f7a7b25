"""Rows of a record as the games they are."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from fourlab.arena.pairing import Pairing
from fourlab.rules.record import GameRecord

OUTCOMES = {1: "first", 0: "draw", -1: "second", 2: "in progress"}


def game_of(row: tuple[Any, ...], called: dict[tuple[str, str], str]) -> GameRecord:
    """Return the game of a row of `schema.LISTING`; `called` names agents by spec and checksum."""
    pairing, number, game, a, a_sum, b, b_sum, seed, plies, result, moves, a_us, b_us = row[:13]
    forfeit, started, own_seed, told = row[13:17]
    names = [called.get((a, a_sum), a), called.get((b, b_sum), b)]  # new since then: by spec
    times = [a_us / 1e6, b_us / 1e6]
    details = json.loads(told) if told else {}
    said = details.get("said", ["", ""])
    if number % 2:
        for pair in (names, times, said):
            pair.reverse()
        result = -result
    if own_seed is None:
        pairing_of = Pairing(game, a, b, seed, plies, checksums=(a_sum, b_sum))
        own_seed = int(pairing_of.seeds(np.array([number]))[0])
    return GameRecord(
        game=game,
        first=names[0],
        second=names[1],
        seed=own_seed,
        moves=moves,
        outcome=OUTCOMES[result],
        seconds=(times[0], times[1]),
        plies=plies,
        move_seconds=tuple(details.get("move_seconds", ())),
        forfeit=forfeit,
        decisions=tuple(details.get("decisions", ())),
        said=(said[0], said[1]),
        id=f"{pairing}.{number}",
        started=details.get("started", started),
    )
