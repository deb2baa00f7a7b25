"""What is kept, kept: laws of the store against a plain model of it."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fourlab.core.errors import FourlabError
from fourlab.core.storage import StorageError
from fourlab.web.keep import store
from fourlab.web.keep.bounds import UNDO_SECONDS, Bound
from fourlab.web.keep.item import FILE
from fourlab.web.keep.shelf import Shelf
from fourlab.web.keep.store import DAY, FullError, Keep, NotYoursError, UnknownItemError

KINDS = {
    "run": Bound(each=3, in_all=5, body=200, days=30),
    "game": Bound(each=3, in_all=5, body=200, days=90, makes_room=True),
}


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def keep_in(folder: Path, clock: Clock | None = None) -> Keep:
    return Keep(folder, clock or Clock(), KINDS)


class Model:
    """A store as plain dictionaries, beside the real one."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.clock = folder, Clock()
        self.keep = keep_in(folder, self.clock)
        self.kept: dict[str, tuple[str, str, str, int]] = {}  # name: kind, owner, title, number
        self.deleted: dict[str, tuple[tuple[str, str, str, int], float]] = {}

    def add(self, kind: str, owner: str, number: int) -> None:
        try:
            item = self.keep.add(kind, owner, {"number": number})
            self.kept[item.name] = (kind, owner, item.name, number)
        except FullError:
            assert kind == "run"
        left = {item.name for item in self.keep.items()}
        assert all(self.kept[name][0] == "game" for name in set(self.kept) - left)
        self.kept = {name: value for name, value in self.kept.items() if name in left}

    def put(self, _: str, __: str, number: int) -> None:
        if name := self.some(number):
            self.keep.put(name, {"number": number})
            self.kept[name] = (*self.kept[name][:3], number)

    def rename(self, _: str, owner: str, number: int) -> None:
        name, title = self.some(number), f"title {number}"
        if name and self.may(name, owner, lambda: self.keep.rename(name, title, owner)):
            kind, owner, _, value = self.kept[name]
            self.kept[name] = (kind, owner, title, value)

    def delete(self, _: str, owner: str, number: int) -> None:
        name = self.some(number)
        if name and self.may(name, owner, lambda: self.keep.delete(name, owner)):
            self.deleted[name] = (self.kept.pop(name), self.clock.now)

    def restore(self, _: str, __: str, number: int) -> None:
        if not self.deleted:
            return
        name = sorted(self.deleted)[number % len(self.deleted)]
        value, at = self.deleted.pop(name)
        if self.clock.now - at > UNDO_SECONDS:
            with pytest.raises(UnknownItemError):
                self.keep.restore(name, value[1])
        else:
            self.keep.restore(name, value[1])
            self.kept[name] = value

    def wait(self, _: str, __: str, number: int) -> None:
        self.clock.now += number

    def reopen(self, _: str, __: str, ___: int) -> None:
        """Begin anew as after kill -9: the old one is not told that it ends."""
        self.keep, self.deleted = keep_in(self.folder, self.clock), {}

    def some(self, number: int) -> str:
        return sorted(self.kept)[number % len(self.kept)] if self.kept else ""

    def may(self, name: str, owner: str, change: Callable[[], object]) -> bool:
        if self.kept[name][1] == owner:
            change()
            return True
        with pytest.raises(NotYoursError):
            change()
        return False


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["add", "put", "rename", "delete", "restore", "reopen", "wait"]),
        st.sampled_from(["run", "game"]),
        st.sampled_from(["ann", "bob"]),
        st.integers(0, 9),
    ),
    max_size=40,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=STEPS)
def test_any_order_of_actions_leaves_what_a_plain_model_says(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, str, int]]
) -> None:
    model = Model(tmp_path_factory.mktemp("kept"))
    for action, *args in steps:
        model.clock.now += 1
        getattr(model, action)(*args)
        items = model.keep.items()
        assert {i.name: (i.kind, i.owner, i.title, i.body["number"]) for i in items} == model.kept
    assert {item.name for item in keep_in(model.folder).items()} == set(model.kept)
    assert model.keep.problems == []


def test_bounds_hold_for_one_and_for_all(tmp_path: Path) -> None:
    clock = Clock()
    keep = keep_in(tmp_path, clock)
    runs = [keep.add("run", "ann", {}) for _ in range(3)]
    with pytest.raises(FullError, match="3 runs are kept for you"):
        keep.add("run", "ann", {})
    keep.add("run", "bob", {}), keep.add("run", "bob", {})
    with pytest.raises(FullError, match="keeps 5 runs"):
        keep.add("run", "cid", {})
    games = []
    for _ in range(4):
        clock.now += 1
        games.append(keep.add("game", "ann", {}))
    assert [game.name for game in keep.items("game")] == [game.name for game in games[:0:-1]]
    with pytest.raises(FullError, match="at most 200"):
        keep.put(runs[0].name, {"long": "x" * 300})
    assert keep.get(runs[0].name).body == {}


def test_what_nobody_opens_goes_and_what_is_opened_stays(tmp_path: Path) -> None:
    clock = Clock()
    keep = keep_in(tmp_path, clock)
    old, seen = keep.add("run", "ann", {}), keep.add("run", "ann", {})
    clock.now += 29 * DAY
    keep.open(seen.name)
    assert keep.days_left(keep.get(old.name)) == pytest.approx(1)
    clock.now += 2 * DAY
    keep = keep_in(tmp_path, clock)
    assert [item.name for item in keep.items()] == [seen.name]
    assert not keep.folder(old.name).exists()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(path.read_bytes()[:-20]),
        lambda path: path.write_bytes(path.read_bytes().replace(b'"number": 7', b'"number": 8')),
        lambda path: path.write_bytes(b"[1, 2]"),
        lambda path: path.write_bytes(b"\xff\x00"),
        lambda path: path.unlink(),
        lambda path: path.parent.rename(path.parent.parent / "other-name"),
    ],
)
def test_a_damaged_item_is_set_aside_and_told(tmp_path: Path, spoil) -> None:  # type: ignore[no-untyped-def]
    keep = keep_in(tmp_path)
    bad, good = keep.add("run", "ann", {"number": 7}), keep.add("run", "ann", {"number": 1})
    spoil(keep.folder(bad.name) / FILE)
    keep = keep_in(tmp_path)
    assert [item.name for item in keep.items()] == [good.name]
    [problem] = keep.problems
    assert "set aside" in problem
    assert len(list((tmp_path / "damaged").iterdir())) == 1
    assert keep_in(tmp_path).problems == []  # told once


@pytest.mark.parametrize("name", ["..", "../x", "a/b", "", "A" * 90, "items", "x\x00y"])
def test_no_name_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    keep = keep_in(tmp_path)
    for call in (keep.get, keep.open, lambda name: keep.put(name, {})):
        with pytest.raises(UnknownItemError):
            call(name)


def test_names_begin_with_their_stem_and_are_never_alike(tmp_path: Path) -> None:
    keep = Keep(tmp_path)
    names = {keep.add("game", "ann", {}, stem="Q on 5x4").name for _ in range(50)}
    assert len(names) == 50
    assert all(name.startswith("q-on-5x4-") for name in names)


def test_what_is_kept_can_be_looked_at_on_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    keep = keep_in(tmp_path, clock)
    item = keep.add("run", "ann", {"number": 1})
    clock.now += DAY

    def fail(*_: object) -> None:
        raise StorageError("No space left on device")

    monkeypatch.setattr(store, "write_item", fail)
    assert keep.open(item.name) == item


def test_space_counts_the_files_beside_an_item(tmp_path: Path) -> None:
    keep = Keep(tmp_path, space=(5000, 10**9))
    item = keep.add("run", "ann", {})
    assert 0 < keep.space("ann") < 1000
    assert keep.space("bob") == 0
    (keep.folder(item.name) / "checkpoint.npz").write_bytes(b"x" * 6000)
    assert keep.measure(item.name) > 6000
    assert not keep.has_space("ann")
    assert keep.has_space("bob")
    assert Keep(tmp_path).space("ann") == keep.space("ann")


def test_a_shelf_opens_what_others_made_and_changes_only_its_own(tmp_path: Path) -> None:
    keep = keep_in(tmp_path)
    ann, bob = Shelf(keep, "ann"), Shelf(keep, "bob")
    item = ann.add("run", {})
    assert bob.open("run", item.name) == item
    assert bob.items() == []
    with pytest.raises(UnknownItemError, match="is a run, not a game"):
        bob.open("game", item.name)
    for change in (bob.delete, lambda name: bob.rename(name, "mine")):
        with pytest.raises(NotYoursError):
            change(item.name)
    with pytest.raises(FourlabError, match="a title needs"):
        ann.rename(item.name, "  ")
    assert ann.rename(item.name, " two\n words ").title == "two words"


KILLED = """
import sys, pathlib
from fourlab.web.keep.store import Keep
keep = Keep(pathlib.Path(sys.argv[1]))
item = keep.add("game", "ann", {"moves": 0})
number = 0
while True:
    number += 1
    keep.put(item.name, {"moves": number})
    print(number, flush=True)
"""


def test_kill_9_loses_nothing_that_was_answered(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    for line in process.stdout:
        if int(line) > 200:
            break
    os.kill(process.pid, signal.SIGKILL)
    told = [int(line), *(int(one) for one in process.stdout.read().splitlines() if one)][-1]
    process.wait()
    process.stdout.close()
    keep = Keep(tmp_path)
    [item] = keep.items()
    assert item.body["moves"] >= told
    assert keep.problems == []


def test_what_was_taken_away_from_the_disk_is_told_in_words(tmp_path: Path) -> None:
    keep = keep_in(tmp_path)
    gone = keep.add("game", "me", {})
    shutil.rmtree(tmp_path / "items" / gone.name)
    with pytest.raises(FourlabError, match="No such file or directory"):
        keep.delete(gone.name, "me")
    deleted = keep.add("game", "me", {})
    keep.delete(deleted.name, "me")
    shutil.rmtree(tmp_path / "deleted")
    with pytest.raises(FourlabError, match="No such file or directory"):
        keep.restore(deleted.name, "me")


def test_nothing_is_written_into_a_folder_that_took_the_place_of_its_own(tmp_path: Path) -> None:
    place, clock = tmp_path / "kept", Clock()
    keep = keep_in(place, clock)
    item, gone = (keep.add("game", "me", {"number": number}) for number in (1, 2))
    keep.delete(gone.name, "me")
    place.rename(tmp_path / "moved")
    shutil.copytree(tmp_path / "moved", place)
    copied = {path: path.is_file() and path.read_bytes() for path in place.rglob("*")}
    for change in (
        lambda: keep.add("game", "me", {}),
        lambda: keep.put(item.name, {}),
        lambda: keep.rename(item.name, "other", "me"),
        lambda: keep.delete(item.name, "me"),
        lambda: keep.restore(gone.name, "me"),
        keep.spare,
    ):
        with pytest.raises(StorageError, match="deleted, moved or replaced") as refused:
            change()
        assert str(tmp_path) not in str(refused.value)
    clock.now += 100 * DAY
    keep.sweep()
    assert {path: path.is_file() and path.read_bytes() for path in place.rglob("*")} == copied
    assert keep.open(item.name).body == {"number": 1}  # what is known can be looked at
