"""Knowledge made small: what was taught often, and what playing needs, as the bytes of a file."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import numpy as np

from fourlab.core.errors import SpecError
from fourlab.core.storage import read_arrays, write_arrays
from fourlab.rules.geometry import Rules
from fourlab.values.knowledge import FILE_KIND, REWARDS, SELF, VERSION, Knowledge
from fourlab.values.store import POLICY, TUPLES
from fourlab.values.table import fill


def often_taught(known: Knowledge, visits: int) -> Knowledge:
    """Return what was taught at least so many times; the rest is as if never seen.

    Raises SpecError for a network, which does not count.
    """
    if known.values.kind == TUPLES:
        raise SpecError("a network does not count how often it was taught; leave out visits=")
    arrays = known.arrays()
    kept = arrays["visits"] >= visits
    taken = {name: arrays[name][kept] for name in ("keys", "columns", "values", "visits")}
    if known.values.kind == POLICY:
        chosen = np.isin(arrays["choice_keys"], taken["keys"])
        taken |= {name: arrays[name][chosen] for name in ("choice_keys", "choices")}
    fresh = Knowledge.new(known.rules, known.shape, dict(known.about))
    fresh.values = fresh.values._replace(table=fill(fresh.values.table, taken))
    return fresh


def packed(known: Knowledge) -> bytes:
    """Return a file for playing alone: no counts, and nothing to go on with.

    Of how it was learned it tells what values mean, and on which boards; no other player's name.
    """
    arrays = known.arrays()
    for name in ("sums", "sizes"):
        arrays.pop(name, None)
    if "visits" in arrays:
        arrays["visits"] = np.ones_like(arrays["visits"])
    config = known.about.get("config", {})
    kept = {name: config[name] for name in (*REWARDS, "start") if name in config}
    kept |= {"opponent": SELF} if config.get("opponent") == SELF else {}
    about = {"learner": known.about.get("learner"), "seed": known.about.get("seed"), "config": kept}
    bare = replace(known, shape=replace(known.shape, coherent=False), about=about)
    file = io.BytesIO()
    write_arrays(file, FILE_KIND, VERSION, bare.header(), arrays)
    return file.getvalue()


def unpacked(data: bytes, path: Path, rules: Rules) -> Knowledge:
    """Return what a file's contents hold; `path` names it in errors, which are those of `load`."""
    return Knowledge.checked(path, *read_arrays(data, path, FILE_KIND, VERSION), rules)[0]


def visits_to_keep(known: Knowledge, share: float) -> int | None:
    """Return how often values must have been taught for at most a share of them to be kept.

    None for a network, of which nothing can be left out.
    """
    if known.values.kind == TUPLES:
        return None
    return int(np.quantile(known.arrays()["visits"], 1 - share, method="higher")) + 1
