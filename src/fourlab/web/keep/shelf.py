"""`Shelf`: what is kept, as one visitor may use it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fourlab.web.keep.item import Body, Item
from fourlab.web.keep.store import Keep, UnknownItemError


@dataclass(frozen=True)
class Shelf:
    """The items of one visitor; others' are opened by name, never renamed or deleted."""

    keep: Keep
    owner: str

    def add(
        self, kind: str, body: Body, title: str = "", stem: str = "", files: Path | None = None
    ) -> Item:
        """Keep something new of this visitor's; raises FullError where no more may be kept."""
        return self.keep.add(kind, self.owner, body, title, stem, files)

    def open(self, kind: str, name: str) -> Item:
        """Return anybody's item of a kind; raises UnknownItemError if there is none."""
        item = self.keep.open(name)
        if item.kind != kind:
            raise UnknownItemError(f"{name!r} is a {item.kind}, not a {kind}")
        return item

    def put(self, name: str, body: Body) -> Item:
        """Write an item anew."""
        return self.keep.put(name, body)

    def owns(self, item: Item) -> bool:
        """Whether it is this visitor's."""
        return item.owner == self.owner

    def items(self, kind: str = "") -> list[Item]:
        """Return this visitor's items; changed last comes first."""
        return self.keep.items(kind, self.owner)

    def rename(self, name: str, title: str) -> Item:
        """Give an item of this visitor's another title."""
        return self.keep.rename(name, title, self.owner)

    def delete(self, name: str) -> None:
        """Delete an item of this visitor's; `restore` brings it back for UNDO_SECONDS."""
        self.keep.delete(name, self.owner)

    def restore(self, name: str) -> Item:
        """Bring back what this visitor just deleted."""
        return self.keep.restore(name, self.owner)
