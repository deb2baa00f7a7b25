"""What a figure was measured with: the machine, versions, and the commit."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from fourlab.version import __version__


def cpu_name() -> str:
    """Return the processor's name, as far as the system tells."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:  # noqa: PTH123
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def commit() -> str:
    """Return the short name of the commit that runs, '' where it is no checkout.

    A `+` says that files differ from the commit.
    """
    try:
        told = subprocess.run(
            ["git", "describe", "--always", "--dirty=+", "--exclude=*"],  # noqa: S607
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=True,
            timeout=10,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return told.stdout.strip()


def provenance() -> dict[str, str | int]:
    """Return what to write beside a figure that was measured here."""
    found: dict[str, str | int] = {
        "fourlab": __version__,
        "commit": commit(),
        "python": platform.python_version(),
        "cpu": cpu_name(),
        "cores": os.cpu_count() or 1,
        "system": platform.system(),
    }
    for package in ("numpy", "numba"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = ""
    return found
