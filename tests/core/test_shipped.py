"""What comes with fourlab is found from an archive too, and leaves nothing behind."""

import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import fourlab

PACKAGE = Path(fourlab.__file__).parent
PROGRAM = """
import fourlab
from pathlib import Path
from fourlab.arena.certify.certificate import find_file
from fourlab.core.guardian import guardian
from fourlab.studies.archive import shipped
from fourlab.studies.registry import STUDIES
from fourlab.web.frame import Notice
from fourlab.web.live import STATIC

assert ".zip" in fourlab.__file__
for spec in ("net", "net:own", "net:small", "net:taught"):
    print(fourlab.agent(spec, "connect4").file.stat().st_size)
print(find_file(Path("own-first")).stat().st_size)
print(len(list(STATIC.iterdir())))
print(len(shipped(STUDIES["sizes"]).finished))
guardian.watch(0)
guardian.forget(0)
guardian._process.stdin.close()
print(guardian._process.wait())
"""


def test_networks_certificates_studies_and_pages_are_found_in_an_archive(tmp_path: Path) -> None:
    """The guardian starts from there too."""
    archive, unpacked = tmp_path / "fourlab.zip", tmp_path / "unpacked"
    with ZipFile(archive, "w") as packed:
        for path in PACKAGE.rglob("*"):
            if "__pycache__" not in path.parts:
                packed.write(path, path.relative_to(PACKAGE.parent))
    unpacked.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": str(archive),
            "NUMBA_DISABLE_JIT": "1",
            "TMPDIR": str(unpacked),
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    networks = [f"connect4{name}.safetensors" for name in ("", "-own", "-small", "-taught")]
    sizes = [(PACKAGE / "values" / "shipped" / name).stat().st_size for name in networks]
    certificate = PACKAGE / "arena" / "certify" / "shipped" / "own-first.json"
    pages = len(list((PACKAGE / "web" / "static").iterdir()))
    studies = len(list((PACKAGE / "studies" / "reports" / "sizes" / "results").iterdir()))
    told = [*sizes, certificate.stat().st_size, pages, studies, 0]
    assert [int(line) for line in done.stdout.split()] == told
    assert not list(unpacked.iterdir())
