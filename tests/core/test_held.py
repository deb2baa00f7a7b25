"""One program is at work in a folder, and what others keep there stays."""

from pathlib import Path

import pytest

from fourlab.core.held import alone
from fourlab.core.storage import StorageError


def test_only_what_was_begun_and_not_finished_is_thrown_away(tmp_path: Path) -> None:
    for name in (".notes.tmp", ".tmp", ".a.12345678.tmp", ".a.1234567g.tmp", "a.12345678.tmp"):
        (tmp_path / name).write_text("precious")
    (tmp_path / ".cache.tmp").mkdir()
    (tmp_path / ".b.12345678.tmp").mkdir()
    (tmp_path / ".c.12345678.tmp").symlink_to("nowhere")
    before = {path.name for path in tmp_path.iterdir()}
    with alone(tmp_path):
        pass
    assert before - {path.name for path in tmp_path.iterdir()} == {".a.12345678.tmp"}


def test_what_is_held_knows_whether_its_path_still_leads_there(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    with alone(place) as held:
        held.check()
        place.rename(tmp_path / "moved")
        with pytest.raises(StorageError, match="place was deleted, moved or replaced"):
            held.check()
        place.mkdir()
        assert held.is_elsewhere
        place.rmdir()
        (tmp_path / "moved").rename(place)
        held.check()
