"""Whose threads work in a process that agents share: told by who moved when they came to be.

Where the system does not tell of threads, as Linux does in /proc, nobody has any.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

TASKS = Path("/proc/self/task")
NAP = 0.02  # seconds of looking on whether anybody works
SOME = NAP / 10  # seconds of work that are no mere waiting


class Threads:
    """The threads of this process but those that were there before."""

    def __init__(self) -> None:
        self._owners = dict.fromkeys(_alive(), "")

    def belong_to(self, agent: str) -> None:
        """Whatever has come since the last call is this agent's."""
        alive = _alive()
        if self._owners.keys() != alive:
            self._owners = {thread: self._owners.get(thread, agent) for thread in alive}

    def work(self, *agents: str) -> float:
        """Return the seconds of processor time that the threads of agents have had."""
        return sum(_seconds(thread) for thread, one in self._owners.items() if one in agents)

    def are_at_work(self) -> bool:
        """Return whether any agent's threads work while nobody is asked for anything."""
        agents = set(self._owners.values()) - {""}
        before = self.work(*agents)
        if agents:
            time.sleep(NAP)
        return self.work(*agents) - before > SOME


def _alive() -> set[str]:
    with contextlib.suppress(OSError):
        return set(os.listdir(TASKS))  # noqa: PTH208  # after every move: Path takes twice as long
    return set()


def _seconds(thread: str) -> float:
    """Return the processor time of a thread, 0 of one that has ended."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int((TASKS / thread / "schedstat").read_text().split()[0]) / 1e9
    return 0.0
