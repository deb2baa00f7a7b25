"""What fourlab says when it cannot do what it was asked: input, position, remedy, in one line."""

import sys
from pathlib import Path

SHOWN = 60  # characters of an input that an error repeats


def quoted(text: str) -> str:
    """Return an input as an error shows it: in quotes, and no longer than a line has room for."""
    return repr(text) if len(text) <= SHOWN else f"{text[:SHOWN]!r}... ({len(text):,} characters)"


def one_line(text: str) -> str:
    """Return a text with escapes for line breaks and whatever else steers a terminal."""
    return "".join(mark if mark.isprintable() else ascii(mark)[1:-1] for mark in text)


def why(error: OSError | ValueError) -> str:
    """Say what was wrong with a path or a file, without naming it."""
    return getattr(error, "strerror", None) or str(error)


class FourlabError(ValueError):
    """Base of every error that a user's input can cause; its text is fit to show as it is."""


class GeometryError(FourlabError):
    """A board that cannot exist or does not fit into 63 bits."""


class SpecError(FourlabError):
    """A spec string with an unknown name or option, or a value out of range."""


class DivergedError(FourlabError):
    """Learning that has left the numbers; what was saved before stays as it was."""


class IllegalMoveError(FourlabError):
    """A move that the rules do not allow in this position."""


class NotationError(FourlabError):
    """Text or data that does not describe a position of this game."""


class MissingExtraError(FourlabError):
    """A feature whose optional packages are not installed."""


class OwnCodeError(FourlabError):
    """Somebody's own code that failed; begins with its file and line."""


def missing_extra(what: str, extra: str) -> MissingExtraError:
    """Return the error for an extra that is not installed, with the command that does it here.

    Where fourlab lies in the folder of its sources, as `make` installs it, it is taken from there.
    """
    source = Path(__file__).parents[3]
    package = f"'fourlab[{extra}]'"
    if (source / "pyproject.toml").is_file() and (source / "constraints.txt").is_file():
        package = f"-c '{source / 'constraints.txt'}' -e '{source}[{extra}]'"
    return MissingExtraError(f"{what}; install it: {sys.executable} -m pip install {package}")
