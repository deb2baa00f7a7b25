"""`Registry`: things by name. Built in ones are loaded when they are asked for."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator, MutableMapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Generic, TypeVar

from fourlab.core.errors import SpecError
from fourlab.core.spec import unknown

T = TypeVar("T")


class Registry(MutableMapping[str, T], Generic[T]):
    """Things by name, as "module:attribute"; a new one is a line, or `registry[name] = thing`.

    With a `group`, installed packages offer more as entry points of it; with an `attribute`, a
    path that ends in .py names the thing that the file calls so.
    """

    def __init__(
        self, what: str, places: dict[str, str], group: str = "", attribute: str = ""
    ) -> None:
        self.what = what  # names the kind of thing in errors
        self._places = dict(places)
        self._loaded: dict[str, T] = {}
        self._group = group
        self._attribute = attribute

    def find(self, name: str) -> T:
        """Return the thing of a name; raises SpecError, which lists what exists."""
        if name in self._loaded:
            return self._loaded[name]
        if self._attribute and name.endswith(".py"):
            return self._from_file(Path(name))
        places = self._all_places()
        if name not in places:
            raise unknown(self.what, name, self)
        module, _, attribute = places[name].partition(":")
        self._loaded[name] = getattr(importlib.import_module(module), attribute)
        return self._loaded[name]

    def _from_file(self, path: Path) -> T:
        if not path.is_file():
            raise SpecError(f"there is no file {path}; a {self.what} is one of {', '.join(self)}")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None  # noqa: S101  # the name ends in .py
        assert spec.loader is not None  # noqa: S101
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found: Any = getattr(module, self._attribute, None)
        if found is None:
            raise SpecError(f"{path} holds no {self.what}: give it one as {self._attribute} = ...")
        return found  # type: ignore[no-any-return]

    def _all_places(self) -> dict[str, str]:
        offered = entry_points(group=self._group) if self._group else ()
        return {**{point.name: point.value for point in offered}, **self._places}

    def __getitem__(self, name: str) -> T:
        if name not in self:
            raise KeyError(name)
        return self.find(name)

    def __setitem__(self, name: str, thing: T) -> None:
        self._loaded[name] = thing

    def __delitem__(self, name: str) -> None:
        self._loaded.pop(name, None)
        self._places.pop(name, None)

    def __contains__(self, name: object) -> bool:
        return name in self._loaded or name in self._all_places()

    def __iter__(self) -> Iterator[str]:
        yield from dict.fromkeys([*self._places, *self._all_places(), *self._loaded])

    def __len__(self) -> int:
        return len(list(iter(self)))
