"""TensorBoard reads what the metrics say, and nobody misses it where it is not installed."""

import errno
from pathlib import Path

import numpy as np
import pytest

from fourlab.learning import tensorboard
from fourlab.learning.runs import Run, RunConfig, read_metrics
from fourlab.learning.tensorboard import EVENTS, scalars


def config() -> RunConfig:
    return RunConfig("q:games=2000,chunk=100", "tictactoe", 5, 500, ("baseline",), 50, "middle")


def test_tensorboard_reads_the_metrics_of_a_run_that_was_interrupted(tmp_path: Path) -> None:
    accumulators = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    chunks = iter(range(9))
    list(Run.start(tmp_path, config()).reports(stop=lambda: next(chunks, None) is None))
    list(Run.resume(tmp_path).reports())
    assert len(list((tmp_path / EVENTS).iterdir())) == 2
    seen = accumulators.EventAccumulator(str(tmp_path / EVENTS))
    seen.Reload()
    lines = read_metrics(tmp_path)
    tags = {tag for line in lines for tag, _ in scalars(line)}
    assert {"wins", "size", "against/baseline/score", "truth/value_error"} <= tags
    assert set(seen.Tags()["tensors"]) == tags
    for tag in tags:
        shown = [(event.step, event.tensor_proto.float_val[0]) for event in seen.Tensors(tag)]
        told = [(line["games"], np.float32(dict(scalars(line))[tag])) for line in lines]
        assert shown == told


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ModuleNotFoundError("No module named 'tensorboard'"), []),
        (TypeError("old"), ["no event files, tensorboard cannot be used: old"]),
    ],
)
def test_without_tensorboard_a_run_is_as_good(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
    told: list[str],
) -> None:
    def refuse(_name: str) -> None:
        raise error

    monkeypatch.setattr(tensorboard, "import_module", refuse)
    lines = list(Run.start(tmp_path, config()).reports())
    assert [line["games"] for line in lines] == [500, 1000, 1500, 2000]
    assert not (tmp_path / EVENTS).exists()
    assert [record.getMessage() for record in caplog.records if "events" in record.name] == told


@pytest.mark.parametrize("full_at", [0, 100])
def test_a_disk_without_room_for_events_stops_no_run(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    full_at: int,
) -> None:
    writer = pytest.importorskip("tensorboard.summary.writer.record_writer").RecordWriter
    written, write = [0], writer.write

    def fill(self: object, data: bytes) -> None:
        if written[0] >= full_at:
            raise OSError(errno.ENOSPC, "No space left on device")
        written[0] += len(data)
        write(self, data)

    monkeypatch.setattr(writer, "write", fill)
    lines = list(Run.start(tmp_path, config()).reports())
    assert [line["games"] for line in lines] == [500, 1000, 1500, 2000]
    told = [record.getMessage() for record in caplog.records if "events" in record.name]
    assert len(told) == 1
    assert "No space left on device" in told[0]
    assert "Traceback" not in capfd.readouterr().err
