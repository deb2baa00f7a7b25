"""A small package that offers an agent by an entry point: built and installed, for a test."""

import subprocess
import sys
import zipfile
from pathlib import Path

NAME = "lefty"
SOURCE = '''
def choose(position, rng, back=1):
    """Plays at the left, or at random."""
    legal = position.legal_moves()
    return int(rng.choice(legal)) if back else legal[0]
'''
INFO = "leftists-1.0.dist-info"
FILES = {
    "leftists/__init__.py": "",
    "leftists/agents.py": SOURCE,
    f"{INFO}/METADATA": "Metadata-Version: 2.1\nName: leftists\nVersion: 1.0\n",
    f"{INFO}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    f"{INFO}/entry_points.txt": f"[fourlab.agents]\n{NAME} = leftists.agents:choose\n",
}


def install(folder: Path) -> Path:
    """Build the package in a folder and install it; return where it lies."""
    wheel, place = folder / "leftists-1.0-py3-none-any.whl", folder / "site"
    record = f"{INFO}/RECORD"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in {**FILES, record: "".join(f"{n},,\n" for n in (*FILES, record))}.items():
            archive.writestr(name, text)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--no-index", "--no-deps", "--target", place, wheel], check=True)
    return place
