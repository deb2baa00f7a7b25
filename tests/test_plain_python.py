"""One rule, two speeds: the laws hold for the kernels as plain Python too."""

import os
import subprocess
import sys
from pathlib import Path

LAWS = str(Path(__file__).parent / "laws")


def test_the_laws_hold_without_jit() -> None:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", LAWS],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-3000:]
    assert " passed" in run.stdout
