"""A real server in a process of its own, as visitors meet it."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

from web import tiny_studies


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


class Server:
    """`fourlab serve` on a port; it can be stopped and started again."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.folder = folder  # where it keeps its runs
        self.process: subprocess.Popen[str] | None = None
        self.path = tiny_studies.install(folder / "packages")

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"

    def start(self) -> None:
        """Start it and wait until it says where it is."""
        command = [sys.executable, "-m", "fourlab.cli.main", "serve", "--port", str(self.port)]
        command += ["--keep", str(self.folder / "kept")]
        path = os.pathsep.join(filter(None, [self.path, os.environ.get("PYTHONPATH")]))
        self.process = subprocess.Popen(
            command,
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONPATH": path},
        )
        assert self.process.stdout is not None
        said = []
        for line in self.process.stdout:
            said.append(line)
            if "fourlab is at" in line:
                return
        raise AssertionError("the server did not start:\n" + "".join(said))

    def stop(self) -> None:
        """Stop it as Ctrl-C does, and take its word for it only so long."""
        if self.process is None:
            return
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.process = None
