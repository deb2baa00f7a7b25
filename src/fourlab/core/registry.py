"""`Registry`: things by name. Built in ones are loaded when they are asked for."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, MutableMapping
from typing import Generic, TypeVar

from fourlab.core.spec import unknown

T = TypeVar("T")


class Registry(MutableMapping[str, type[T]], Generic[T]):
    """Classes by name, as "module:Class"; a new one is a line, or `registry[name] = Class`."""

    def __init__(self, what: str, places: dict[str, str]) -> None:
        self.what = what  # names the kind of thing in errors
        self._places = dict(places)
        self._loaded: dict[str, type[T]] = {}

    def find(self, name: str) -> type[T]:
        """Return the class of a name; raises SpecError, which lists what exists."""
        if name in self._loaded:
            return self._loaded[name]
        if name not in self._places:
            raise unknown(self.what, name, self)
        module, _, attribute = self._places[name].partition(":")
        self._loaded[name] = getattr(importlib.import_module(module), attribute)
        return self._loaded[name]

    def __getitem__(self, name: str) -> type[T]:
        if name not in self:
            raise KeyError(name)
        return self.find(name)

    def __setitem__(self, name: str, kind: type[T]) -> None:
        self._loaded[name] = kind

    def __delitem__(self, name: str) -> None:
        self._loaded.pop(name, None)
        self._places.pop(name, None)

    def __contains__(self, name: object) -> bool:
        return name in self._places or name in self._loaded

    def __iter__(self) -> Iterator[str]:
        yield from dict.fromkeys([*self._places, *self._loaded])

    def __len__(self) -> int:
        return len({*self._places, *self._loaded})
