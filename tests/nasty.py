"""Values that nobody should type, and everybody does: what the fuzzes draw from."""

from random import Random
from typing import Any

from fourlab.core.registry import Registry
from fourlab.core.spec import options_of

NUMBERS = (
    "0", "1", "-1", "2", "3", "7", "64", "99", "0.5", "1e3", "1e300", "inf", "-inf", "nan", "",
    "2147483647", "2147483648", str(2**63 - 1), str(2**63), str(2**64), "-" + str(2**63),
    "9" * 400, "9" * 5000, "0" * 5000, "1_0", "0x10", "１", "²", "1.", "+5", "five",
)  # fmt: skip
NAMES = (
    "", " ", ".", "file", "folder", "file/below", "absent",
    "absent/deep/x", "x" * 300, "x/" * 2100, "a\0b", "\udce9", "ü", "~", "-", "--", "file.py",
    "folder.py", "empty.py", "[red]", "[/red]", "{}", "%s", "file.npz", "folder.npz", "games.db",
    "x.png", "x.svg", "x.json", "x.jsonl", "x.pgn", "absent/x.png", "run", "run/config.json",
)  # fmt: skip
GAMES = (
    "connect4", "tictactoe", "connect:columns=4,rows=4,k=3", "connect:columns=3,rows=3,k=3",
    "mnk:columns=3,rows=2,k=2",
)  # fmt: skip
FEW = ("1", "2", "3", "4", "10", "0.5")  # what a number is when all is well


def specs(registry: Registry[Any]) -> tuple[str, ...]:
    """Return patterns of specs: every name alone, and with every option that it has."""
    found = []
    for name in registry:
        options = options_of(registry[name].Config)
        found += [name, f"{name}:{{}}", *(f"{name}:{option.name}={{}}" for option in options)]
    return (*found, "{}", "{}:{}={}")


MOVES = ("", "4", "4455", "1,2,3", "8", "0", "44444444", "12 3", "٣", "x", "-1", "1" * 60)
GRIDS = (
    "mcts:sims={{1,2}}", "mcts:sims={{0..2147483648}}", "flat:playouts={{{},{}}}", "a={{1,2}}",
    "q:alpha={{{},{}}}", "mcts:c={{1,{}}},sims={{1,2}}", "={{1}}", "mcts:c={{,}}", "{{{}}}",
    "mcts:c={{{{1}}}}", "{}",
)  # fmt: skip


def filled(dice: Random, pattern: str) -> str:
    """Put something where a pattern leaves room, half of it nasty."""
    count = pattern.replace("{{", "").count("{}")
    return pattern.format(
        *(dice.choice(FEW if dice.random() < 0.5 else (*NUMBERS, *NAMES)) for _ in range(count))
    )


def number(dice: Random) -> str:
    """Return a number, half of them nasty."""
    return dice.choice(FEW if dice.random() < 0.5 else NUMBERS)


def spec(dice: Random, patterns: tuple[str, ...]) -> str:
    """Return a spec string: as it should be, with nasty values, or with letters changed."""
    text = filled(dice, dice.choice(patterns))
    if dice.random() < 0.15:
        text = mutated(dice, text)
    return text


def mutated(dice: Random, text: str) -> str:
    """Return a text with a few characters put in, taken out or doubled."""
    marks = list(text[:200])
    for _ in range(dice.randint(1, 4)):
        at = dice.randint(0, len(marks))
        how = dice.randrange(3)
        if how == 0:
            marks.insert(at, dice.choice(":,=(){}. \t\n-+0123456789eE_xé\0"))
        elif how == 1 and marks:
            del marks[at : at + dice.randint(1, 5)]
        else:
            marks[at:at] = marks[at : at + dice.randint(1, 5)]
    return "".join(marks)


def damaged(dice: Random, data: bytes) -> bytes:
    """Return the bytes of a file as a bad disk or a careless hand leaves them."""
    how = dice.randrange(5)
    at = dice.randrange(len(data)) if data else 0
    if how == 0:
        return data[:at]
    if how == 1:
        return data[:at] + dice.randbytes(dice.randint(1, 64)) + data[at:]
    if how == 2:
        return data[:at] + bytes(dice.randint(1, 64)) + data[at + 64 :]
    changed = bytearray(data)
    for _ in range(dice.choice((1, 1, 1, 5, 50))):
        if changed:
            place = dice.randrange(len(changed))
            changed[place] ^= 1 << dice.randrange(8)
    return bytes(changed)
