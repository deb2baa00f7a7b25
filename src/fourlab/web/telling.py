"""Texts of the core in the words of the pages.

Fields go by their labels, and numbers are written as people write them. What stands in
quotation marks is what a visitor wrote, and stays as it is.
"""

from __future__ import annotations

import functools
import re

from fourlab.learning.registry import LEARNERS
from fourlab.web.runs.setup import dials

REFUSAL = re.compile(  # of an option, as `core.spec` writes it
    r"(?P<of>\w+ '[^']*': )?(?P<name>[\w-]+)=(?P<value>'[^']*') is not allowed; "
    r"(?P<help>.*?): (?P=name)=\S+ \((?P<allowed>[^()]*)\)"
)
PHRASES = (
    (re.compile(r"columns=(\d+), rows=(\d+), k=\d+: the board is"), r"\1 × \2 is"),
    (
        re.compile(r"columns \* \(rows \+ 1\) is (\d+), at most"),
        r"columns times (rows and one) are \1, at most",
    ),
    (re.compile(r": without gravity columns \* \(rows \+ 1\)"), ": columns times (rows and one)"),
    (re.compile(r"^(start|positions)=(\S+): "), r"\1 \2: "),
    (re.compile(r"\b(\d+) x (\d+)\b"), r"\1 × \2"),
)
PLACE = re.compile(r"/[^'\"]*?/items/([\w-]+)(?:/[\w.-]+)?")  # of what is kept
BOARD = re.compile(r"(?<!--game )\b(connect|mnk):columns=(\d+),rows=(\d+),k=\d+")
NUMBER = re.compile(
    r"(?<![\w=.,/-])-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d+)?(?![\w/]|[.,]\d)"
)
LONG = 5  # digits from which a number is written with commas
LONGEST = 1e15  # from which nobody would count them
GREEK = ("alpha", "gamma", "epsilon", "lambda")  # names that mean nothing else in a sentence


@functools.lru_cache(maxsize=256)
def told(text: str) -> str:
    """Return a text for people who see a page, not the code."""
    if not text:
        return text
    text = REFUSAL.sub(_refused, without_places(text))
    for pattern, words in PHRASES:
        text = pattern.sub(words, text)
    parts = re.split(r"('[^']*')", text)
    parts[::2] = [_plain(part, is_first=at == 0) for at, part in enumerate(parts[::2])]
    return "".join(parts)


def without_places(text: str) -> str:
    """Return a text that names what is kept, and not where on the server it lies."""
    return PLACE.sub(r"\1", text)


def _refused(found: re.Match[str]) -> str:
    name, allowed = found["name"], found["allowed"]
    choices = allowed.split("|")
    if len(choices) > 1:
        allowed = f"{', '.join(choices[:-1])} or {choices[-1]}"
    elif allowed.startswith(("number", "whole")):
        allowed = "a " + re.sub(r"(number) (?=-?[\d.])", r"\1 from ", allowed)
    rest = "" if allowed == "text" else f": {allowed}"
    label = labels().get(name, f"{found['of'] or ''}{name}")
    return f"{label} {found['value']} is not allowed; {found['help']}{rest}"


def _plain(text: str, is_first: bool) -> str:
    """Return a text outside of quotation marks."""
    for name, label in labels().items():
        where = r"\b" if name in GREEK else r"^" if is_first else r"(?<=; )"
        text = re.sub(rf"{where}{re.escape(name)}(?= [-\d]| $|: $| schedule)", label, text)
    text = BOARD.sub(_board, text)
    return NUMBER.sub(lambda found: _written(found[0]), text)


def _board(found: re.Match[str]) -> str:
    free = " without gravity" if found[1] == "mnk" else ""
    return f"{found[2]} × {found[3]}{free}"


def _written(number: str) -> str:
    """Write a number with commas, a true minus, and no powers of ten if people could read it."""
    number = number.replace(",", "")
    is_short = "e" not in number and len(number.lstrip("-").partition(".")[0]) < LONG
    value = float(number)
    if is_short or abs(value) >= LONGEST:
        return number.replace("-", "−")
    if value == int(value):
        return f"{int(value):,}".replace("-", "−")
    return f"{value:,.12f}".rstrip("0").replace("-", "−")


@functools.cache
def labels() -> dict[str, str]:
    """Return what the fields of Learn are called, by the names of their options."""
    return {dial.name: dial.label for name in LEARNERS for dial in dials(name)}
