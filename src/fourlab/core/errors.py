"""What fourlab says when it cannot do what it was asked: input, position, remedy, in one line."""


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


class OwnCodeError(FourlabError):
    """Somebody's own code that failed; begins with its file and line."""
