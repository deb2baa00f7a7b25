"""TensorBoard reads what the metrics say, and nobody misses it where it is not installed."""

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
        assert sorted(shown) == told  # files of one second are read in the order of their names


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ModuleNotFoundError("No module named 'tensorboard'"), []),
        (TypeError("old"), ["no event files, tensorboard cannot be imported: old"]),
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
