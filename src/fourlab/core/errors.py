"""What fourlab says when it cannot do what it was asked: input, position, remedy, in one line."""

SHOWN = 60  # characters of an input that an error repeats


def quoted(text: str) -> str:
    """Return an input as an error shows it: in quotes, and no longer than a line has room for."""
    return repr(text) if len(text) <= SHOWN else f"{text[:SHOWN]!r}... ({len(text):,} characters)"


def why(error: OSError | ValueError) -> str:
    """Say what was wrong with a path or a file, without naming it."""
    return getattr(error, "strerror", None) or str(error)


class FourlabError(ValueError):
    """Base of every error that a user's input can cause; its text is fit to show as it is."""


class GeometryError(FourlabError):
    """A board that cannot exist or does not fit into 63 bits."""


class SpecError(FourlabError):
    """A spec string with an unknown name or option, or a value out of range."""


class IllegalMoveError(FourlabError):
    """A move that the rules do not allow in this position."""


class NotationError(FourlabError):
    """Text or data that does not describe a position of this game."""


class MissingExtraError(FourlabError):
    """A feature whose optional packages are not installed."""
