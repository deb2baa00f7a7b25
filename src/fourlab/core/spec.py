"""Spec strings: the one grammar by which games, agents and learners are named.

    name
    name:option=value,option=value
    name:path,option=value

A value may hold all of these signs inside brackets: `opponent=(minimax:depth=4,eval=windows)`, and
so may a path: `q:(runs/a,b)`. Brackets around the whole of a spec or value mean nothing else. The
options of a name are the fields of its config dataclass, declared with `option`.
"""

import dataclasses
import difflib
import functools
import math
import operator
import typing
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import NoneType
from typing import Any, TypeVar

from fourlab.core.brackets import split_items, unwrapped
from fourlab.core.errors import SHOWN, SpecError, quoted

T = TypeVar("T")

YES_NO = {"yes": True, "true": True, "on": True, "1": True}
YES_NO |= {"no": False, "false": False, "off": False, "0": False}
LONGEST = 10_000  # characters of a spec string: paths and nested opponents fit
WHOLE_LIMIT = 2**63  # what kernels and databases count with
DIGITS = 18  # below it, whatever they are
POSITIONAL = ""  # the option name under which a leading value without "=" is kept


@dataclass(frozen=True)
class Spec:
    """A parsed spec string: nothing is known yet of what the name or its options mean."""

    name: str
    options: dict[str, str]


@dataclass(frozen=True)
class Option:
    """One settable field of a config dataclass, as people see it."""

    field: str
    name: str
    kind: Any
    default: Any
    low: float | None
    high: float | None
    choices: tuple[str, ...]
    positional: bool
    help: str
    label: str  # what a page calls it, the name if nothing is said
    live: bool  # may be changed while a learner learns
    public: float | None  # the most that a visitor of the web may ask for
    fixed: bool  # stays at its default: what it would set does not exist here

    @property
    def is_free_text(self) -> bool:
        """Whether it takes any text."""
        return self.kind is str and not self.choices

    @property
    def allowed(self) -> str:
        """The values it takes, in words."""
        if self.choices:
            return "|".join(self.choices)
        if self.kind is bool:
            return "yes|no"
        noun = {int: "whole number", float: "number", str: "text"}[self.kind]
        style = ",.0f" if self.kind is int else ",.10g"
        if self.low is not None and self.high is not None:
            return f"{noun} {self.low:{style}} to {self.high:{style}}"
        return noun if self.low is None else f"{noun} from {self.low:{style}}"

    def __str__(self) -> str:
        """Return what an error says of the option."""
        return f"{self.name}={show_value(self.default)} ({self.allowed})"


def option(
    default: T,
    help: str,  # noqa: A002  # the word every command-line library uses
    *,
    name: str = "",
    low: float | None = None,
    high: float | None = None,
    choices: Iterable[str] = (),
    positional: bool = False,
    label: str = "",
    live: bool = False,
    public: float | None = None,
    fixed: bool = False,
) -> T:
    """Declare a config field with its default, meaning, spelling in a spec string, and range.

    A default of None makes the value optional; `none` then spells it. `label` is what a page calls
    it, `live` that it may change while a learner learns, `public` the most that a visitor of the
    web may ask for, `fixed` that a kind of config has inherited it and cannot set it.
    """
    details = {
        "name": name,
        "low": low,
        "high": high,
        "choices": tuple(choices),
        "positional": positional,
        "help": help,
        "label": label,
        "live": live,
        "public": public,
        "fixed": fixed,
    }
    return dataclasses.field(default=default, metadata=details)


_UNTOLD: Any = option(None, "")  # what is known of a field without `option`


def options_of(config: type[Any]) -> list[Option]:
    """Return the options of a config dataclass in the order of its fields."""
    return list(_options(config))  # type: ignore[arg-type]  # mypy doubts that a class has a hash


@functools.lru_cache(maxsize=256)  # types are looked up slowly, and pages ask very often
def _options(config: type[Any]) -> tuple[Option, ...]:
    hints = typing.get_type_hints(config)
    found = []
    for field in dataclasses.fields(config):
        kinds = [kind for kind in typing.get_args(hints[field.name]) if kind is not NoneType]
        details = {**_UNTOLD.metadata, **field.metadata}
        name = details.pop("name") or field.name.replace("_", "-")
        kind = kinds[0] if kinds else hints[field.name]
        details["label"] = details["label"] or name
        if not details["fixed"]:
            found.append(Option(field.name, name, kind, field.default, **details))
    return tuple(found)


def parse(text: str) -> Spec:
    """Split a spec string into its name and options; raises SpecError if it is no spec string."""
    if not isinstance(text, str):
        raise SpecError(f"{text!r} is no text; write name, or name:option=value,option=value")
    if len(text) > LONGEST:
        raise SpecError(f"{quoted(text)} is too long for a spec; at most {LONGEST:,}")
    if any("\ud800" <= mark <= "\udfff" for mark in text):  # no record could hold it as a name
        raise SpecError(f"{quoted(text)} holds bytes that are no text; rename the file or folder")
    name, colon, rest = unwrapped(text.strip()).strip().partition(":")
    if not name or (colon and not rest):
        raise SpecError(
            f"{quoted(text)} is no spec; write a name, or name:option=value,option=value"
        )
    options: dict[str, str] = {}
    for index, item in enumerate(split_items(rest, text) if rest else []):
        key, equals, value = item.partition("=")
        if index == 0 and (not equals or item.lstrip().startswith("(")):
            key, value = POSITIONAL, item
        elif not equals or not key.strip() or not value.strip():
            raise SpecError(f"{quoted(item)} in {quoted(text)} is no option; write option=value")
        if key.strip() in options:
            raise SpecError(f"option {key.strip()!r} stands twice in {quoted(text)}; give it once")
        options[key.strip()] = unwrapped(value.strip())
    return Spec(name.strip(), options)


def nameable(text: str) -> str:
    """Return a spec string that tables and records can hold as a name; raises SpecError."""
    if not text.strip().isprintable():
        raise SpecError(
            f"{quoted(text)} holds what cannot be shown; leave it out, or rename the file"
        )
    return text


def configure(config: type[T], spec: Spec, what: str) -> T:
    """Build the config dataclass from a spec's options; `what` names the thing in errors."""
    options = options_of(config)
    by_name = {option.name: option for option in options}
    by_name |= {POSITIONAL: option for option in options if option.positional}  # noqa: B035
    values = {}
    for name, text in spec.options.items():
        if name not in by_name:
            stray = f"has no option {quoted(name)}"
            stray = f"takes no value {quoted(text)}" if name == POSITIONAL else stray
            raise SpecError(f"{what} {spec.name!r} {stray}; {_listing(options)}")
        values[by_name[name].field] = _convert(by_name[name], text, f"{what} {spec.name!r}")
    for needed in options:
        if needed.default is dataclasses.MISSING and needed.field not in values:
            raise SpecError(f"{what} {spec.name!r} needs {needed.name}; {_listing(options)}")
    return config(**values)


def needs(config: Any, field: str, *, used: bool, why: str) -> None:
    """Raise SpecError if an option was set that is not used; `why` tells in which case.

    For the `__post_init__` of configs: nothing that does nothing is accepted.
    """
    [option] = (option for option in options_of(type(config)) if option.field == field)
    value = getattr(config, field)
    if not used and value != option.default:
        said = f"{option.name}={show_value(value):.80}"
        raise SpecError(f"{said} does nothing {why}; leave it out")


def checked(config: T) -> T:
    """Return a config that a file gave, if a spec string could have; raises SpecError."""
    for field in dataclasses.fields(typing.cast(Any, config)):
        if field.metadata["fixed"] and getattr(config, field.name) != field.default:
            raise SpecError(f"{field.name} is {getattr(config, field.name)!r}")
    for option in options_of(type(config)):
        value = getattr(config, option.field)
        whole = option.kind is not int or not isinstance(value, float)
        typed = isinstance(value, float if option.kind is float else option.kind) or (
            option.kind is float and type(value) is int
        )
        if value is None and option.default is None:
            continue
        if not typed or not whole or isinstance(value, bool) != (option.kind is bool):
            raise SpecError(f"{option.name} is {value!r}; it is a {option.allowed}")
        _convert(option, show_value(value) if option.kind is bool else str(value), "config")
    return config


def _convert(option: Option, text: str, what: str) -> Any:
    """Turn an option's text into its value; raises SpecError with what is allowed."""
    refusal = SpecError(
        f"{what}: {option.name}={quoted(text)} is not allowed; "
        f"{option.help or 'it takes'}: {option}"
    )
    if text == "none" and option.default is None:
        return None
    try:
        value = _number(option.kind, text) if option.kind in (int, float) else text
    except ValueError:
        raise refusal from None
    if option.kind is bool:
        if text.lower() not in YES_NO:
            raise refusal
        return YES_NO[text.lower()]
    if option.choices and text not in option.choices:
        raise refusal
    too_low = option.low is not None and typing.cast(float, value) < option.low
    too_high = option.high is not None and typing.cast(float, value) > option.high
    if too_low or too_high:
        raise refusal
    return value


def _number(kind: type[int] | type[float], text: str) -> int | float:
    number = float(text)
    if not math.isfinite(number) or (kind is int and number != int(number)):
        raise ValueError
    if kind is int and abs(number) >= WHOLE_LIMIT:
        raise ValueError
    if kind is float:
        return number
    return int(text) if text.replace("_", "").lstrip("+-").isdigit() else int(number)


def whole_number(text: str) -> int | None:
    """Return the number that up to 18 plain digits spell, None for any other text."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= DIGITS else None


def counted(name: str, number: Any, low: int, high: int = WHOLE_LIMIT - 1) -> int:
    """Return a whole number, of whichever kind it is; raises SpecError that says the range."""
    try:
        found = operator.index(number)
    except TypeError:
        found = low - 1
    if isinstance(number, bool) or not low <= found <= high:
        most = f"{high:,}" if high < WHOLE_LIMIT - 1 else "less than 2**63"
        raise SpecError(f"{name}={number!r:.{SHOWN}}: write a whole number, {low} to {most}")
    return found


def _listing(options: list[Option]) -> str:
    if not options:
        return "it has no options"
    return "options: " + ", ".join(str(option) for option in options)


def unknown(what: str, name: str, known: Iterable[str]) -> SpecError:
    """Return the error for a name that does not exist, with the nearest one that does."""
    names = list(known)
    near = difflib.get_close_matches(name[:SHOWN], names, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    if what == "agent" and "/" in name:
        hint = "a run is written learned:PATH, a file of one's own PATH.py with no ':' in it; "
    return SpecError(f"unknown {what} {quoted(name)}; {hint}known: {', '.join(names)}")


def spelled(value: Any) -> str:
    """Return a value as text."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)


def show_value(value: Any) -> str:
    """Return a value as a spec string spells it."""
    text = spelled(value)
    bare = text == text.strip() and not (text.startswith("(") and text.endswith(")"))
    return text if bare and not any(mark in text for mark in ",=") else f"({text})"


def on_path(name: str, path: Path | str) -> str:
    """Return the spec string of what reads a file or folder."""
    return f"{name}:{show_value(str(path))}"


def write(name: str, config: Any) -> str:
    """Return the shortest spec string that gives this config: options at their default stay out."""
    parts = []
    for option in options_of(type(config)):
        value = getattr(config, option.field)
        if value != option.default:
            text = show_value(value)
            # After `mine.py:Name` a value needs its option's name.
            bare = option.positional and ":" not in name
            parts.append(text if bare else f"{option.name}={text}")
    return f"{name}{',' if ':' in name else ':'}{','.join(parts)}" if parts else name
