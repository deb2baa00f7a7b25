from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fourlab.core.errors import SpecError
from fourlab.core.kinds import WORDS, typed


class Pebble:
    pass


@typed
def take(
    count: int = 0,
    share: float = 0.0,
    name: str = "",
    place: Path | str | None = None,
    sure: bool = False,
    rows: Sequence[int] = (),
    call: Callable[[], int] | None = None,
    thing: Pebble | None = None,
    **others: int,
) -> int:
    """Take something."""
    return count + len(others)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"count": 2.0}, "count=2.0: write a whole number$"),
        ({"count": True}, "count=True: write a whole number$"),
        ({"count": np.array([1, 2])}, r"count=array\(\[1, 2\]\): write a whole number$"),
        ({"share": "0.5"}, "share='0.5': write a number$"),
        ({"name": b"x"}, "name=b'x': write text$"),
        ({"place": 3}, "place=3: write a path or text or None$"),
        ({"sure": "no"}, "sure='no': write True or False$"),
        ({"rows": "12"}, "rows='12': write a list$"),
        ({"call": 3}, "call=3: write a function or None$"),
        ({"name": ["x" * 999]}, "^.{,90}: write text$"),
    ],
)
def test_what_is_of_another_kind_is_told_what_to_write(given: Any, says: str) -> None:
    with pytest.raises(SpecError, match=says):
        take(**given)


def test_what_is_of_the_kind_is_taken_however_it_is_given() -> None:
    assert take(np.int64(2), 1, "x", Path("x"), np.True_, [1], len, other="x") == 3  # type: ignore[arg-type, call-arg]
    with pytest.raises(SpecError, match=r"share='x': write a number$"):
        take(1, "x")  # type: ignore[arg-type]
    assert take(thing=3) == 0  # type: ignore[arg-type]  # a kind without words
    assert Pebble.__name__ not in WORDS
    assert take.__name__ == "take"
    assert take.__doc__ == "Take something."
    with pytest.raises(TypeError, match="multiple values"):
        take(1, count=2)  # type: ignore[misc]
