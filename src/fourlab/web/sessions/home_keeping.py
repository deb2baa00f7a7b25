"""`StoryKeeper`: where a visitor's story of Home is kept, and found again.

item.json        how far it is, and the games that were played against the learner
checkpoint.npz   what the learner knows, written at every tick
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from fourlab.core.errors import FourlabError
from fourlab.learning.base import Learner
from fourlab.learning.registry import load_own
from fourlab.web.keep.item import Body
from fourlab.web.keep.shelf import Shelf

KIND, TITLE = "story", "Watch it learn"
LOST = "what it had learned cannot be read; it begins anew"


class StoryKeeper:
    """Keeps one story of a visitor's; without a shelf nothing is kept."""

    def __init__(self, shelf: Shelf | None = None) -> None:
        self.shelf = shelf
        self.name = ""  # where it is kept, '' while there is nothing to keep

    def open(self) -> Body:
        """Return what is kept, nothing if there is no story yet."""
        kept = self.shelf.items(KIND) if self.shelf else []
        if self.shelf is None or not kept:
            return {}
        self.name = kept[0].name
        return self.shelf.open(KIND, self.name).body

    def put(self, body: Body) -> None:
        """Write how far the story is."""
        if self.shelf is None:
            return
        with suppress(FourlabError):  # a full laboratory must not stop a story
            if self.shelf.keep.has(self.name):
                self.shelf.put(self.name, body)
            else:
                self.name = self.shelf.add(KIND, body, TITLE).name

    def save(self, learner: Learner) -> None:
        """Write what was learned; called by whoever has the learner."""
        path = self._path(learner)
        if path is not None and self.shelf is not None:
            self.shelf.keep.check()
            learner.save(path)
            self.shelf.keep.measure(self.name)

    def load(self, born: Learner) -> Learner:
        """Return what the learner had become; raises FourlabError if it cannot be read."""
        path = self._path(born)
        if path is None:
            raise FourlabError(LOST)
        try:
            return load_own(path, born.spec, born.rules, born.seed)
        except FourlabError:
            raise FourlabError(LOST) from None

    def _path(self, learner: Learner) -> Path | None:
        if self.shelf is None or not self.shelf.keep.has(self.name):
            return None
        return self.shelf.keep.folder(self.name) / learner.file
