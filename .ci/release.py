"""Builds wheel and sdist, and tries the wheel as a stranger would: `make release`.

The wheel is installed into an empty environment in a folder away from the repository, and every
command of the README is run there. Those that need what is not installed (torch) are named.
"""

import email
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.request
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
DIST = ROOT / "dist"
EXTRAS = "web,plots"
NEEDS = {"train zero": "torch", "certify zero:runs/toy": "torch"}  # what only --deep installs
PATIENCE = 900  # seconds for one command
PORT = "8089"


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def run(*command: str | Path, cwd: Path = ROOT, typed: str = "") -> str:
    """Run a command and return what it printed; end with its last words if it fails."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        input=typed,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{shlex.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def environment(folder: Path) -> Path:
    """Return the programs' folder of a new environment."""
    venv.create(folder, with_pip=True)
    return folder / ("Scripts" if os.name == "nt" else "bin")


def built(work: Path) -> tuple[Path, Path]:
    """Build both files and return them."""
    tools = environment(work / "tools")
    run(tools / "python", "-m", "pip", "install", "--quiet", "hatchling")
    shutil.rmtree(DIST, ignore_errors=True)
    run(tools / "python", "-m", "hatchling", "build", "-d", DIST)
    [wheel], [sdist] = DIST.glob("*.whl"), DIST.glob("*.tar.gz")
    return wheel, sdist


def check_sdist(sdist: Path) -> None:
    """End unless everything that git knows is in the sdist."""
    known = set(run("git", "ls-files").splitlines())
    with tarfile.open(sdist) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    if lost := sorted(known - held - {".gitignore"}):
        sys.exit(f"{sdist.name} lacks {len(lost)} files: {', '.join(lost[:9])}")


def check_readme(wheel: Path) -> None:
    """End if the description of the package has a link into the repository."""
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        text = email.message_from_bytes(archive.read(name)).get_payload()
    if broken := re.findall(r"\]\((?!https?://|#)[^)]*\)", str(text)):
        sys.exit(f"the description links into the repository: {', '.join(broken[:9])}")


def commands(readme: str) -> list[str]:
    """Return the commands of a README, in their order, without their remarks."""
    blocks = re.findall(r"^```\n(.*?)^```", readme, re.DOTALL | re.MULTILINE)
    lines = [line.partition(" #")[0].strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line.startswith("fourlab ")]


def serve(program: Path, folder: Path) -> None:
    """Start the laboratory, ask for its first page, and end it as a person does."""
    server = subprocess.Popen([program, "serve", "--port", PORT], cwd=folder)
    try:
        for _ in range(PATIENCE):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/", timeout=9) as page:
                    if page.status == 200:
                        return
            except OSError:
                time.sleep(1)
        sys.exit("fourlab serve does not answer")
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(60)


def main(deep: bool) -> None:
    """Build, install elsewhere, try, and say what to upload."""
    work = Path(tempfile.mkdtemp(prefix="fourlab-release-"))
    wheel, sdist = built(work)
    check_sdist(sdist)
    check_readme(wheel)
    say(f"built {wheel.name} and {sdist.name}")
    programs = environment(work / "empty")
    extras = f"{EXTRAS},deep" if deep else EXTRAS
    pins = ["-c", ROOT / "constraints.txt"]
    run(programs / "python", "-m", "pip", "install", "--quiet", *pins, f"{wheel}[{extras}]")
    away = work / "away"
    away.mkdir()
    for line in commands((ROOT / "README.md").read_text(encoding="utf-8")):
        needed = next((what for begin, what in NEEDS.items() if line[8:].startswith(begin)), "")
        if needed and not deep:
            say(f"  needs {needed}, not tried (make release DEEP=1): {line}")
            continue
        say(f"  {line}")
        program, *words = shlex.split(line)
        if words == ["serve"]:
            serve(programs / program, away)
        else:
            run(programs / program, *words, cwd=away, typed="quit\n")
    shutil.rmtree(work)
    say(f"ready to upload: {wheel.relative_to(ROOT)} {sdist.relative_to(ROOT)}")


if __name__ == "__main__":
    main("--deep" in sys.argv)
