"""How long a person waits: help, first kernel use ever, first use in a later process.

Run with `python -m benchmarks.startup`.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time

FIRST_KERNEL = "import fourlab; fourlab.game('connect4').start().play_all('4455')"
PLAYOUTS = (
    "from fourlab.search.choices import playouts_on; import fourlab;"
    "playouts_on(fourlab.game('connect4'))(10, 1)"
)
CASES = {
    "fourlab --help": ["-m", "fourlab.cli.main", "--help"],
    "import fourlab": ["-c", "import fourlab"],
    "a position": ["-c", FIRST_KERNEL],
    "playouts": ["-c", PLAYOUTS],
}
REPEATS = 7


def seconds(arguments: list[str], cache: str) -> float:
    environment = {**os.environ, "XDG_CACHE_HOME": cache}
    began = time.perf_counter()
    subprocess.run([sys.executable, *arguments], env=environment, check=True, capture_output=True)
    return time.perf_counter() - began


def main() -> None:
    print("| | first ever | later (median) | spread |\n|---|---|---|---|")
    for name, arguments in CASES.items():
        with tempfile.TemporaryDirectory() as cache:
            cold = seconds(arguments, cache)
            warm = [seconds(arguments, cache) for _ in range(REPEATS)]
        middle = statistics.median(warm)
        spread = (max(warm) - min(warm)) / 2 / middle
        print(f"| {name} | {cold:.2f} s | {middle:.2f} s | ±{spread:.0%} |")


if __name__ == "__main__":
    main()
