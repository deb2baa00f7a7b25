"""Draw errors against seconds of self-play from the metrics beside this file."""

import json
from pathlib import Path

import matplotlib.pyplot as plt

HERE = Path(__file__).parent
LINES = (("bare", "the bare network", "--"), ("100", "100 simulations", "-"))


def main() -> None:
    """Draw one thin line a run for each way to play, on the positions of strong search."""
    figure, sides = plt.subplots(1, 2, figsize=(8, 3), sharex=True)
    for which, title in enumerate(("not perfect, %", "win, draw or loss given away, %")):
        axes = sides[which]
        for file in sorted(HERE.glob("zero-seed*.jsonl")):
            rows = [json.loads(line) for line in file.read_text().splitlines()]
            for key, label, style in LINES:
                errors = [100 * (1 - row["grades"]["strong"][key][which]) for row in rows]
                axes.plot([row["t"] for row in rows], errors, style, color="0.2", label=label)
        axes.set_title(title, loc="left", fontsize=10)
        axes.set_xlabel("seconds of one H200", fontsize=9)
        axes.set_ylim(bottom=0)
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=8)
    lines, labels = sides[1].get_legend_handles_labels()
    sides[1].legend(lines[: len(LINES)], labels[: len(LINES)], frameon=False, fontsize=8)
    figure.tight_layout()
    figure.savefig(HERE / "errors.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
