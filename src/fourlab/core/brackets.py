"""Brackets in specs: what stands inside is one value, whatever signs it holds."""

import itertools

from fourlab.core.errors import SpecError, quoted


def split_items(text: str, whole: str, mark: str = ",") -> list[str]:
    """Split at the marks that stand outside brackets; `whole` names the text in errors."""
    items, depth, start = [], 0, 0
    for index, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth < 0:
            break
        if depth == 0 and text.startswith(mark, index):
            items.append(text[start:index])
            start = index + len(mark)
    if depth != 0:
        raise SpecError(
            f"brackets in {quoted(whole)} do not match; each ( needs a ), also in names of files"
        )
    return [*items, text[start:]]


def unwrapped(value: str) -> str:
    """Return a value without the pair of brackets around the whole of it, if there is one."""
    if not (value.startswith("(") and value.endswith(")")):
        return value
    depths = list(itertools.accumulate((char == "(") - (char == ")") for char in value))
    return value[1:-1] if 0 not in depths[:-1] and depths[-1] == 0 else value


def wrapped(value: str) -> str:
    """Return a value in one pair of brackets: its own, if it has one."""
    return f"({unwrapped(value)})"
