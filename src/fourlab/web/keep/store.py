"""`Keep`: the items of a laboratory, by name, on disk.

    FOLDER/items/NAME/item.json   and whatever files its kind puts beside it
    FOLDER/deleted/NAME           until it can no longer be undone; copies that are being made
    FOLDER/damaged/NAME           set aside, because it could not be read
    FOLDER/findings.json          what is known of positions that took long
    FOLDER/secret                 what the visitors' cookies are signed with

All items are in memory too, so that reading one is cheap; what is written is on disk before the
call returns. Any thread may call.
"""

from __future__ import annotations

import contextlib
import json
import re
import secrets
import shutil
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from fourlab.core.errors import FourlabError
from fourlab.core.files import which
from fourlab.core.held import Held
from fourlab.core.storage import StorageError, writing
from fourlab.web.keep.bounds import (
    KINDS,
    MOST_TITLE,
    SPACE_EACH,
    SPACE_IN_ALL,
    UNDO_SECONDS,
    Bound,
)
from fourlab.web.keep.item import NAME, Body, Item, read_item, size_of, write_item

LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none that is taken for another
RANDOM_LETTERS = 8  # 31^8 names: whoever guesses a million a second needs days for one of thousands
DAY = 86_400.0
OPENED_EVERY = 3600.0  # seconds; more often nobody needs to know when an item was opened


class UnknownItemError(FourlabError):
    """Nothing of this name is kept, or no longer."""


class NotYoursError(FourlabError):
    """Only the visitor who made an item may do this."""


class FullError(FourlabError):
    """No more may be kept."""


class Keep:
    """Named items on disk, bounded in number, size and age."""

    def __init__(
        self,
        folder: Path,
        clock: Callable[[], float] = time.time,
        kinds: dict[str, Bound] | None = None,
        space: tuple[int, int] = (SPACE_EACH, SPACE_IN_ALL),
    ) -> None:
        self.root = folder
        self.kinds = KINDS if kinds is None else kinds
        self.problems: list[str] = []  # what could not be read, a sentence each
        self._space = space
        self._clock = clock
        self._lock = threading.RLock()
        self._items: dict[str, Item] = {}
        self._sizes: dict[str, int] = {}
        self._deleted: dict[str, tuple[Item, float]] = {}
        self._read_all()

    def check(self) -> None:
        """Raise StorageError if its folder is elsewhere: nothing is written into another one."""
        if self._place.is_elsewhere:
            raise StorageError(
                "nothing can be kept: the folder of this laboratory was deleted, moved or replaced "
                "while it serves; its owner can start it anew where the folder lies now"
            )

    # One item

    def spare(self) -> Path:
        """Return a folder for files of what is no item yet; what is left there goes at a start."""
        self.check()
        return self.root / "deleted" / _letters()

    def add(
        self,
        kind: str,
        owner: str,
        body: Body,
        title: str = "",
        stem: str = "",
        files: Path | None = None,
    ) -> Item:
        """Keep something new and return it; raises FullError where no more may be kept.

        `stem` is what its name begins with, for people; without a title it has its name for one.
        `files` is a spare folder that becomes the item's.
        """
        with self._lock:
            self.sweep()
            self._make_room(kind, owner)
            start = re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-")[:40]
            name = "-".join(filter(None, (start, _letters())))
            now = self._clock()
            item = Item(name, kind, _title(title) or name, owner, now, now, now, body)
            if files is not None:
                with writing(self.folder(name)):
                    files.replace(self.folder(name))
            return self._write(item)

    def get(self, name: str) -> Item:
        """Return an item; raises UnknownItemError if there is none of that name."""
        with self._lock:
            if name not in self._items:
                raise UnknownItemError(f"nothing is kept under {str(name)[:64]!r}")
            return self._items[name]

    def has(self, name: str) -> bool:
        """Whether there is an item of that name."""
        with self._lock:
            return name in self._items

    def open(self, name: str) -> Item:
        """Return an item that somebody looks at: it begins to age anew."""
        with self._lock:
            item, now = self.get(name), self._clock()
            if now - item.opened < OPENED_EVERY:
                return item
            with contextlib.suppress(StorageError):  # a full disk keeps nobody from looking
                item = self._write(replace(item, opened=now))
            return item

    def put(self, name: str, body: Body) -> Item:
        """Write an item anew; raises UnknownItemError if it is gone."""
        with self._lock:
            now = self._clock()
            return self._write(replace(self.get(name), body=body, changed=now, opened=now))

    def rename(self, name: str, title: str, owner: str) -> Item:
        """Give an item another title; its name, and so its address, stays."""
        with self._lock:
            item = self._own(name, owner)
            if not _title(title):
                raise FourlabError("a title needs a letter or two")
            return self._write(replace(item, title=_title(title)))

    def delete(self, name: str, owner: str) -> None:
        """Delete an item; for UNDO_SECONDS it can be restored."""
        with self._lock:
            item = self._own(name, owner)
            self._move(self.folder(name), "deleted")
            self._deleted[name] = (item, self._clock())
            self._forget(name)

    def restore(self, name: str, owner: str) -> Item:
        """Bring back what was just deleted; raises UnknownItemError if it is too late."""
        with self._lock:
            self.sweep()
            item, _ = self._deleted.get(name, (None, 0.0))
            if item is None:
                raise UnknownItemError(f"{str(name)[:64]!r} can no longer be brought back")
            if item.owner != owner:
                raise NotYoursError("only the browser that deleted it can bring it back")
            self._move(self.root / "deleted" / name, "items")
            del self._deleted[name]
            return self._note(item)

    def folder(self, name: str) -> Path:
        """Return where the files of an item lie."""
        if not NAME.fullmatch(name):
            raise UnknownItemError(f"{str(name)[:64]!r} is no name of anything kept")
        return self.root / "items" / name

    # All of them

    def items(self, kind: str = "", owner: str | None = None) -> list[Item]:
        """Return what is kept of a kind, of a visitor, or all; changed last comes first."""
        with self._lock:
            found = [
                item
                for item in self._items.values()
                if (not kind or item.kind == kind) and (owner is None or item.owner == owner)
            ]
        return sorted(found, key=lambda item: (-item.changed, item.name))

    def space(self, owner: str | None = None) -> int:
        """Return the bytes that a visitor's items take, or all of them."""
        with self._lock:
            return sum(self._sizes[item.name] for item in self.items(owner=owner))

    def measure(self, name: str) -> int:
        """Take note of the files beside an item, and return how much it takes."""
        size = size_of(self.folder(name))
        with self._lock:
            if name in self._items:
                self._sizes[name] = size
        return size

    def has_space(self, owner: str) -> bool:
        """Whether this visitor's items may grow."""
        return self.space(owner) < self._space[0] and self.space() < self._space[1]

    def days_left(self, item: Item) -> float:
        """Return the days until an item goes if nobody opens it."""
        return self.kinds[item.kind].days - (self._clock() - item.opened) / DAY

    def meters(self, owner: str) -> list[dict[str, Any]]:
        """Return how full a visitor's shelf is: kind, used, most."""
        counts = Counter(item.kind for item in self.items(owner=owner))
        found = [
            {"kind": kind, "used": counts[kind], "most": bound.each}
            for kind, bound in self.kinds.items()
        ]
        return [*found, {"kind": "space", "used": self.space(owner), "most": self._space[0]}]

    def sweep(self) -> None:
        """Let go of what is too old, and of what was deleted and can no longer come back."""
        with self._lock:
            if self._place.is_elsewhere:
                return
            now = self._clock()
            for name in [n for n, (_, at) in self._deleted.items() if now - at > UNDO_SECONDS]:
                del self._deleted[name]
                shutil.rmtree(self.root / "deleted" / name, ignore_errors=True)
            for item in [item for item in self._items.values() if self.days_left(item) < 0]:
                self._drop(item.name)

    # How it is done

    def _read_all(self) -> None:
        """Read every item; what was deleted before the last end is gone."""
        try:
            (self.root / "items").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(f"cannot keep anything in {self.root}: {error.strerror}") from None
        self._place = Held(self.root, which(self.root))
        shutil.rmtree(self.root / "deleted", ignore_errors=True)
        for folder in sorted((self.root / "items").iterdir()):
            try:
                item = read_item(folder)
                self._check(item)
            except FourlabError as error:
                self._set_aside(folder, str(error))
            else:
                self._note(item)
        self.sweep()

    def _check(self, item: Item) -> None:
        times = (item.made, item.changed, item.opened)
        sound = (
            item.kind in self.kinds
            and isinstance(item.title, str)
            and isinstance(item.owner, str)
            and isinstance(item.body, dict)
            and all(isinstance(at, int | float) for at in times)
        )
        if not sound:
            raise StorageError(f"{item.name} is damaged: it is no {', '.join(self.kinds)}")

    def _set_aside(self, folder: Path, why: str) -> None:
        """Put what cannot be read where it disturbs nobody, and say so."""
        with contextlib.suppress(StorageError):
            where = self._move(folder, "damaged")
            self.problems.append(f"{why}; it was set aside in {where}")

    def _move(self, folder: Path, place: str) -> Path:
        self.check()
        target = self.root / place / folder.name
        shutil.rmtree(target, ignore_errors=True)
        with writing(target):
            return folder.replace(target)

    def _own(self, name: str, owner: str) -> Item:
        item = self.get(name)
        if item.owner != owner:
            raise NotYoursError("only the browser that made it can rename or delete it")
        return item

    def _make_room(self, kind: str, owner: str) -> None:
        """See to it that one more fits; raises FullError if it does not."""
        if kind not in self.kinds:
            raise FourlabError(f"{kind!r} is no kind of item; {', '.join(self.kinds)}")
        bound, every = self.kinds[kind], self.items(kind)
        own = [item for item in every if item.owner == owner]
        if len(own) >= bound.each:
            if not bound.makes_room:
                raise FullError(f"{bound.each} {kind}s are kept for you; delete one on the shelf")
            self._drop(own[-1].name)
        elif len(every) >= bound.in_all:
            if not bound.makes_room:
                raise FullError(f"this laboratory keeps {bound.in_all} {kind}s; try again later")
            greedy = Counter(item.owner for item in every).most_common(1)[0][0]
            self._drop([item.name for item in every if item.owner == greedy][-1])

    def _write(self, item: Item) -> Item:
        self.check()
        most = self.kinds[item.kind].body
        size = len(json.dumps(item.body))
        if size > most:
            raise FullError(f"{item.title!r} has {size:,} bytes, at most {most:,} are kept")
        write_item(self.folder(item.name), item)
        return self._note(item)

    def _note(self, item: Item) -> Item:
        self._items[item.name] = item
        if item.name not in self._sizes:
            self._sizes[item.name] = size_of(self.folder(item.name))
        return item

    def _drop(self, name: str) -> None:
        self.check()
        self._forget(name)
        shutil.rmtree(self.folder(name), ignore_errors=True)

    def _forget(self, name: str) -> None:
        del self._items[name]
        self._sizes.pop(name, None)


def _letters() -> str:
    return "".join(secrets.choice(LETTERS) for _ in range(RANDOM_LETTERS))


def _title(text: str) -> str:
    """Return a title as one short line."""
    return " ".join(str(text).split())[:MOST_TITLE]
