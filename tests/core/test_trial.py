"""Own code that does not come to an end while it is imported is ended, and told by its line."""

import io
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fourlab.core import own, starting, trial, waiting
from fourlab.core.errors import OwnCodeError
from fourlab.core.lines import python_with_fourlab

AGENT = "def choose(position, rng):\n    return position.legal_moves()[0]\n"
FAULTS = {
    "os._exit(0)": "ended with code 0 while it was imported",
    "os.kill(os.getpid(), 11)": "ended with code -11 while it was imported",
    "kept = [bytes(1 << 28) for _ in range(20)]": "mine.py:2: MemoryError in: kept",
    "os.close(1); os.close(2)": "closes a standard stream",
}


@pytest.mark.parametrize("code", FAULTS)
def test_what_would_take_its_importer_down_is_told_in_one_line(tmp_path: Path, code: str) -> None:
    (tmp_path / "mine.py").write_text(f"import os\n{code}\n{AGENT}")
    with pytest.raises(OwnCodeError, match=r"^mine\.py:") as told:
        trial.try_out(own.parcel(str(tmp_path / "mine.py")).name)
    assert FAULTS[code] in str(told.value)


@pytest.mark.parametrize("code", ["print('hello')", "input()", "raise SystemExit", "1/0"])
def test_what_comes_to_an_end_is_left_to_its_importer(tmp_path: Path, code: str) -> None:
    (tmp_path / "mine.py").write_text(f"{code}\n{AGENT}")
    trial.try_out(own.parcel(str(tmp_path / "mine.py")).name)


def test_an_import_that_hangs_is_noticed_and_ended_at_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(waiting, "say", said.append)
    monkeypatch.setattr(waiting, "NOTICE_SECONDS", 0.1)
    (tmp_path / "mine.py").write_text(f"import time\ntime.sleep(3600)\n{AGENT}")
    with pytest.raises(OwnCodeError) as told:
        trial.try_out(own.parcel(str(tmp_path / "mine.py")).name, seconds=3 * starting.EVERY)
    assert str(told.value) == "mine.py:2: still being imported after 3 s in: time.sleep(3600)"
    assert said == ["still importing mine.py, for up to 3 s ..."]


def test_a_command_tries_a_file_out_before_it_imports_it(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("import os\nos._exit(0)\n")
    command = [*python_with_fourlab("fourlab.cli.main"), "grade", "mine.py"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
    )
    line = "fourlab: mine.py: its process ended with code 0 while it was imported\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", line)


def test_an_engine_that_hangs_while_it_is_imported_ends_itself(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("import time\ntime.sleep(3600)\n")
    runs = (
        "import sys; from fourlab.cli.main import main; from fourlab.core import trial\n"
        "trial.SECONDS, sys.argv = 1.0, ['fourlab', 'engine', 'mine.py']; main()"
    )
    command = [sys.executable, "-c", runs]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
    )
    line = "fourlab: mine.py:2: not ready after 1 s in: time.sleep(3600)\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", line)


def test_one_that_forks_is_imported_once(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(f"import os\nos.fork()\n{AGENT}")
    loads = f"from fourlab.core import own; own.load({str(tmp_path / 'mine.py')!r}); print('there')"
    command = [sys.executable, "-c", loads]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "there\n"


def test_ctrl_c_ends_a_command_that_imports_and_all_that_it_started(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    (tmp_path / "mine.py").write_text(f"pipe = open({str(fifo)!r}, 'w')\nwhile True: pass\n")
    command = [*python_with_fourlab("fourlab.cli.main"), "arena", "mine.py", "random"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE) as running:
        with fifo.open() as heard:  # from here on it is being imported
            running.send_signal(signal.SIGINT)
            assert running.wait(60) != 0
            assert not heard.read()  # its end comes when all that held the pipe have ended
        assert running.stderr is not None
        assert b"Traceback" not in running.stderr.read()


def test_nobody_is_asked_for_input_while_a_file_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text(f"name = input()\n{AGENT}")
    typed = io.StringIO("Ann\n")
    monkeypatch.setattr("sys.stdin", typed)
    with pytest.raises(OwnCodeError, match=r"^mine\.py:1: EOFError"):
        own.load(str(tmp_path / "mine.py"))
    assert typed.read() == "Ann\n"
