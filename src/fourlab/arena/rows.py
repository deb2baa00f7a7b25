"""Rows of a record as the games they are."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from fourlab.arena.identity import identity
from fourlab.arena.pairing import Pairing
from fourlab.rules.record import GameRecord

OUTCOMES = {1: "first", 0: "draw", -1: "second", 2: "in progress"}
Names = dict[tuple[str, str], str]  # of agents, by spec and checksum
Summary = dict[str, dict[tuple[str, str], tuple[int, int, int]]]  # what `ratings.rate` takes


def game_of(row: tuple[Any, ...], called: Names) -> GameRecord:
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


def added_up(rows: Iterable[tuple[Any, ...]], called: Names) -> Summary:
    """Return the results of each game by first and second player, of rows of `schema.SUMMARY`."""
    found: Summary = {}
    for row in rows:
        a, b = (called.get(known, known[0]) for known in (row[1:3], row[3:5]))
        for pair, counts in (((a, b), row[5:8]), ((b, a), row[8:11])):
            results = found.setdefault(row[0], {})
            before = results.get(pair, (0, 0, 0))
            wins, draws, losses = (x + y for x, y in zip(before, counts, strict=True))
            results[pair] = (wins, draws, losses)
    return found


def same(rows: Iterable[tuple[Any, ...]]) -> dict[int, int]:
    """Return which of the pairings of `schema.MEETINGS` have the same games, each by the first.

    Older records have those of one agent again for every path by which it was named.
    """
    groups: dict[tuple[Any, ...], list[int]] = {}
    for number, a, a_sum, b, b_sum, *conditions in rows:
        key = (identity(a, a_sum), identity(b, b_sum), *conditions)
        groups.setdefault(key, []).append(number)
    return {one: group[0] for group in groups.values() if len(group) > 1 for one in group}
