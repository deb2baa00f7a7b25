"""What a process has started ends with it, also when it is killed."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

LOOPING = """
from fourlab.core.lines import LineProcess
code = "import sys; out = open(sys.argv[1], 'w'); print('up', flush=True)\\nwhile True: pass"
children = [LineProcess([sys.executable, "-c", code, sys.argv[1]]) for _ in range(2)]
assert [child.hear(60) for child in children] == ["up", "up"]
"""
GUARDED_AGAIN = """
import signal
from fourlab.core.guardian import guardian
from fourlab.core.lines import LineProcess
gone = LineProcess(["true"])
guardian._process.kill()
guardian._process.wait()
gone.close()
""" + LOOPING.strip("\n")
WORKING = """
from fourlab.core.workers import Workers
workers = Workers(1, "processes")
assert list(workers.run(hold, sys.argv[1:]))
"""
PROGRAM = """
import os, sys

def hold(path):
    os.open(path, os.O_WRONLY)  # until this process ends
    return path

if __name__ == "__main__":
    {}
    print("up", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("work", [LOOPING, GUARDED_AGAIN, WORKING])
def test_children_end_with_a_process_that_is_killed(tmp_path: Path, work: str) -> None:
    held = tmp_path / "held"  # a pipe that ends with the last process that holds it
    os.mkfifo(held)
    script = tmp_path / "owner.py"
    script.write_text(PROGRAM.format(work.strip().replace("\n", "\n    ")))
    pipe = os.open(held, os.O_RDONLY | os.O_NONBLOCK)
    command = [sys.executable, str(script), str(held)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"up\n"
        heard = select.poll()
        heard.register(pipe, select.POLLIN)
        assert not heard.poll(0)  # it is held
        owner.send_signal(signal.SIGKILL)
        assert heard.poll(20_000) == [(pipe, select.POLLHUP)]
    os.close(pipe)
