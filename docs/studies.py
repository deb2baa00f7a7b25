"""Write the reports in docs/studies/ from the full runs that ship with the package.

    python docs/studies.py [FOLDER]

With a folder of full runs (`fourlab study NAME --out FOLDER/NAME`), these are taken into
the package first.
"""

import shutil
import sys
from pathlib import Path

from fourlab.studies.archive import CONFIG, RESULTS, SHIPPED, Archive, shipped
from fourlab.studies.registry import STUDIES
from fourlab.studies.report import write_report

DOCS = Path(__file__).parent / "studies"


def take(runs: Path) -> None:
    """Replace what ships by full runs."""
    for name in STUDIES:
        if (runs / name / CONFIG).exists():
            archive = Archive.open(STUDIES.find(name), runs / name)
            if archive.quick:
                raise SystemExit(f"{runs / name} is a quick run")
            shutil.rmtree(SHIPPED / name, ignore_errors=True)
            (SHIPPED / name).mkdir(parents=True)
            shutil.copy(runs / name / CONFIG, SHIPPED / name)
            shutil.copytree(runs / name / RESULTS, SHIPPED / name / RESULTS)


def main() -> None:
    """Take full runs if there are any, and write all reports."""
    if len(sys.argv) > 1:
        take(Path(sys.argv[1]))
    for name in STUDIES:
        archive = shipped(STUDIES.find(name))
        if archive is not None:
            shutil.rmtree(DOCS / name, ignore_errors=True)
            paths = write_report(archive, DOCS / name, pixels=False)
            size = sum(path.stat().st_size for path in paths)
            sys.stdout.write(f"{name}: {size:,} bytes\n")


if __name__ == "__main__":
    main()
