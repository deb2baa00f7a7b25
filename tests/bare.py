"""Programs in a process that has nothing of fourlab."""

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any


def run_bare(
    folder: Path, program: str, packages: list[str], *arguments: str
) -> tuple[dict[str, Any], str]:
    """Run a program with only these packages, whose folder is its first argument.

    Returns the JSON that it prints, and its standard error.
    """
    home = folder / "packages"
    home.mkdir()
    for name in packages:
        package = Path(str(importlib.import_module(name).__file__)).parent
        for found in (package, package.with_name(f"{name}.libs")):
            if found.exists():
                (home / found.name).symlink_to(found)
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, str(home), *arguments],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
    )
    return json.loads(done.stdout), done.stderr
