"""What the options of a learner mean, however they are written."""

from __future__ import annotations

import math
from collections.abc import Hashable
from contextlib import suppress
from typing import Any

from fourlab.core.errors import FourlabError
from fourlab.core.spec import options_of
from fourlab.learning.base import Learner
from fourlab.learning.opponents import opponents
from fourlab.learning.schedules import schedule
from fourlab.positions.starts import start_of
from fourlab.rules.geometry import Rules
from fourlab.values.knowledge import SELF

SCHEDULES = ("alpha", "epsilon", "rate")


def meaning(field: str, value: Hashable, rules: Rules) -> Hashable:
    """Return what tells the value of an option, by its field, from all that mean something else.

    A text that is none of ours, as of an installed learner, means itself.
    """
    with suppress(FourlabError):
        if isinstance(value, str):
            value = _read(field, value, rules)
    return value


def meaning_of(made: Learner) -> Hashable:
    """Return what tells a learner from all that mean something else, but its game and seed."""
    fields = [option.field for option in options_of(made.Config)]
    return made.name, *(meaning(one, getattr(made.config, one), made.rules) for one in fields)


def _read(field: str, text: str, rules: Rules) -> Any:
    if field in SCHEDULES:
        return schedule(text, field, low=-math.inf, high=math.inf)
    if field == "start":
        return start_of(text)
    if field == "opponent" and text != SELF:
        return opponents(text, rules, games=1).meaning
    if field == "positions":
        from fourlab.learning.networks.sources import sources  # few learners need it

        return tuple(sources(text, rules))
    return text
