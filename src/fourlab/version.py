"""The version of fourlab."""

__version__ = "0.1.0"
