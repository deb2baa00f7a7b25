"""Draw errors against seconds of self-play, and write tables of trials.

python docs/deep/curve.py                          errors.svg, from zero-seed*.jsonl beside it
python docs/deep/curve.py --runs A B --out X.svg   from the metrics of other runs, one a seed
python docs/deep/curve.py --trials trials.json     a table of what benchmarks.zero --ablate left
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from fourlab.arena.statistics import compare_shares, share_interval

HERE = Path(__file__).parent
LINES = (("bare", "the bare network", "--"), ("100", "100 simulations", "-"))
PERFECT, GOOD = range(2)
BASE = "base"
Run = list[dict[str, Any]]  # lines of metrics, one after the other


def errors(run: Run, exam: str, key: str, which: int) -> tuple[list[float], list[float]]:
    """Return the seconds at which a run was examined, and its errors in percent."""
    rows = [row for row in run if key in row.get("grades", {}).get(exam, {})]
    return [row["t"] for row in rows], [100 * (1 - row["grades"][exam][key][which]) for row in rows]


def band(runs: list[Run], exam: str, key: str, which: int) -> tuple[Any, Any, Any]:
    """Return seconds, and the least and largest error of the seeds that were under way then."""
    curves = [errors(run, exam, key, which) for run in runs]
    times = np.unique(np.concatenate([seconds for seconds, _ in curves]))
    rows = np.array([np.interp(times, *curve, np.nan, np.nan) for curve in curves])
    several = (~np.isnan(rows)).sum(axis=0) > 1
    rows = rows[:, several]
    return times[several], np.nanmin(rows, axis=0), np.nanmax(rows, axis=0)


def draw(runs: list[Run], exam: str, out: Path) -> None:
    """Draw one thin line a seed for each way to play, and how far the seeds lie apart."""
    import matplotlib.pyplot as plt

    figure, sides = plt.subplots(1, 2, figsize=(8, 3), sharex=True)
    for which, title in enumerate(("not perfect, %", "win, draw or loss given away, %")):
        axes = sides[which]
        for key, label, style in LINES:
            for run in runs:
                axes.plot(*errors(run, exam, key, which), style, color="0.2", lw=0.8, label=label)
            if len(runs) > 1:
                axes.fill_between(*band(runs, exam, key, which), color="0.2", alpha=0.15, lw=0)
        axes.set_title(title, loc="left", fontsize=10)
        axes.set_xlabel("seconds of one H200", fontsize=9)
        axes.set_ylim(bottom=0)
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=8)
    lines, labels = sides[1].get_legend_handles_labels()
    once = dict(zip(labels, lines, strict=True))
    sides[1].legend(once.values(), once.keys(), frameon=False, fontsize=8)
    figure.tight_layout()
    figure.savefig(out, metadata={"Date": None})


def table(trials: Run, exam: str) -> str:
    """Return a Markdown table of variants: means over seeds, 95% intervals, and against `base`.

    A seed's moves count as trials of their own: the intervals say nothing of other positions, and
    the spread between seeds stands beside them.
    """
    by_name: dict[str, Run] = {}
    for trial in trials:
        by_name.setdefault(trial["name"], []).append(trial)
    base = by_name.get(BASE)
    rows = ["| variant | seeds | bare | 100 simulations | seeds apart | good, less `base` |"]
    rows.append("|---|---|---|---|---|---|")
    for name, seeds in by_name.items():
        bare, searched = (
            " / ".join(_told(seeds, exam, key, which) for which in (PERFECT, GOOD))
            for key, _, _ in LINES
        )
        found = [trial["grades"][exam]["100"][GOOD] for trial in seeds]
        apart = f"{100 * (max(found) - min(found)):.1f}"
        less = ""
        if base and name != BASE:
            other = compare_shares(
                *_hits(seeds, exam, "100", GOOD), *_hits(base, exam, "100", GOOD)
            )
            points = [100 * part for part in (other.difference, other.low, other.high)]
            less = "{:+.1f} ({:+.1f} to {:+.1f})".format(*points)
        rows.append(f"| {name} | {len(seeds)} | {bare} | {searched} | {apart} | {less} |")
    return "\n".join(rows)


def _hits(seeds: Run, exam: str, key: str, which: int) -> tuple[float, int]:
    """Return the right moves of all seeds, and all of their moves."""
    count = seeds[0]["positions"][exam]
    return sum(round(one["grades"][exam][key][which] * count) for one in seeds), count * len(seeds)


def _told(seeds: Run, exam: str, key: str, which: int) -> str:
    hits, count = _hits(seeds, exam, key, which)
    low, high = share_interval(hits, count)
    return f"{100 * hits / count:.1f} ({100 * low:.1f} to {100 * high:.1f})"


def main() -> None:
    """Do what the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--runs", nargs="*", type=Path, default=sorted(HERE.glob("zero-seed*.jsonl"))
    )
    parser.add_argument("--out", type=Path, default=HERE / "errors.svg")
    parser.add_argument("--trials", type=Path)
    parser.add_argument("--exam", default="strong", help="the positions")
    args = parser.parse_args()
    if args.trials:
        print(table(json.loads(args.trials.read_text()), args.exam))  # noqa: T201
        return
    files = [run / "metrics.jsonl" if run.is_dir() else run for run in args.runs]
    runs = [[json.loads(line) for line in file.read_text().splitlines()] for file in files]
    draw(runs, args.exam, args.out)


if __name__ == "__main__":
    main()
