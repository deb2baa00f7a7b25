"""What somebody's own code does to the process that imports it is undone, or ends with it."""

import subprocess
import sys
from pathlib import Path

import pytest

from fourlab.core.lines import python_with_fourlab

AGENT = "def choose(position, rng):\n    return position.legal_moves()[0]\n"
TAKEN = {
    "folder": "os.chdir(os.path.dirname(os.path.abspath(__file__)))",
    "umask": "os.umask(0o777)",
    "signal": "signal.signal(signal.SIGINT, signal.SIG_IGN)",
    "mask": "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])",
    "alarm": "signal.alarm(3600)",
    "timer": "signal.setitimer(signal.ITIMER_PROF, 3600)",
    "limit": "resource.setrlimit(resource.RLIMIT_NOFILE, (99, most[1]))",
    "errors": "sys.stderr = open(os.devnull, 'w')",
}
ASKS = """
import os, resource, signal, sys
from fourlab.core import own

def state():
    mask = os.umask(0o22)
    os.umask(mask)
    timers = [signal.getitimer(one) for one in (signal.ITIMER_REAL, signal.ITIMER_PROF)]
    signals = signal.getsignal(signal.SIGINT), signal.pthread_sigmask(signal.SIG_BLOCK, ())
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    return os.getcwd(), mask, signals, timers, limits, sys.stderr

before = state()
try:
    own.load(sys.argv[1])
except own.OwnCodeError as error:
    assert "ZeroDivisionError" in str(error)
assert state() == before, (state(), before)
print("as it was")
"""
THREADS = {
    "thread": "threading.Thread(target=threading.Event().wait).start()",
    "pool": "pool = ThreadPoolExecutor(1); pool.submit(threading.Event().wait)",
}
USES = "import threading\nfrom concurrent.futures import ThreadPoolExecutor\n"


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize("taken", TAKEN)
def test_settings_of_the_process_are_as_they_were(tmp_path: Path, taken: str, fails: bool) -> None:
    text = "import os, resource, signal, sys\nmost = resource.getrlimit(resource.RLIMIT_NOFILE)\n"
    (tmp_path / "mine.py").write_text(f"{text}{TAKEN[taken]}\n{'1/0' if fails else AGENT}")
    command = [sys.executable, "-c", ASKS, str(tmp_path / "mine.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("as it was\n", "")


@pytest.mark.parametrize("left", THREADS)
@pytest.mark.parametrize(("asked", "code"), [("agents mine.py", 0), ("arena mine.py nobody", 2)])
def test_a_command_ends_whatever_threads_are_left(
    tmp_path: Path, left: str, asked: str, code: int
) -> None:
    (tmp_path / "mine.py").write_text(f"{USES}{THREADS[left]}\n{AGENT}")
    command = [*python_with_fourlab("fourlab.cli.main"), *asked.split()]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == code, done.stderr
    assert "mine.py" in done.stdout or "nobody" in done.stderr


def test_a_worker_ends_whatever_threads_are_left(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(f"{USES}{THREADS['thread']}\n{AGENT}")
    works = (
        "import sys\nfrom fourlab.core import own, trial\n"
        "from fourlab.core.workers import Workers\n"
        "place = own.parcel(sys.argv[1]).name\n"
        "with Workers(1, 'processes') as workers: print(list(workers.run(trial._fault, [place])))\n"
    )
    command = [sys.executable, "-c", works, str(tmp_path / "mine.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(", '')]\n")
