"""Draw the README's picture from a table that benchmarks/inverse_dynamics.py has printed.

Usage: python benchmarks/inverse_dynamics.py > docs/figures/call_times.txt
       python docs/figures/call_times.py            (needs the extra `plot`)
"""

from __future__ import annotations

import io
import re
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

_HERE = Path(__file__).resolve().parent
_ROW = re.compile(r"(?P<robot>\S+) +(?P<nv>\d+)  (?P<subject>\S.*?) +(?P<ns>[\d.]+) +[\d.]+")
_SUBJECTS = {
    "symdyn unrolled": "#1b6ca8",
    "symdyn split-lanes": "#3a9d8f",
    "CasADi C": "#d98324",
    "Pinocchio C++": "#8a8a8a",
}
_WORDS = {"symdyn unrolled": "symdyn, one line", "symdyn split-lanes": "symdyn, alike limbs in lanes"}


def read_table(path: Path) -> dict[str, dict[str, float]]:
    """Nanoseconds per robot (with its number of velocities) and subject."""
    times: dict[str, dict[str, float]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = _ROW.match(line)
        if row is not None and row["subject"] in _SUBJECTS:
            name = row["robot"].replace("_", "\n") + f"\nnv = {row['nv']}"
            times.setdefault(name, {})[row["subject"]] = float(row["ns"])
    return times


def main() -> None:
    """Write call_times.svg beside this file."""
    times = read_table(_HERE / "call_times.txt")
    # The same file for the same table: no date, no random identifiers, text as text.
    plt.rcParams.update({"svg.hashsalt": "symdyn", "svg.fonttype": "none", "font.size": 9})
    figure, axes = plt.subplots(figsize=(8.4, 3.4), layout="constrained")
    shown = {subject: colour for subject, colour in _SUBJECTS.items() if any(subject in row for row in times.values())}
    width = 0.8 / len(shown)
    for place, (subject, colour) in enumerate(shown.items()):
        timed = [(index, row[subject]) for index, row in enumerate(times.values()) if subject in row]
        at = [index + (place - (len(shown) - 1) / 2) * width for index, _ in timed]
        bars = axes.bar(at, [time for _, time in timed], width, label=_WORDS.get(subject, subject), color=colour)
        axes.bar_label(bars, fmt="%.0f", fontsize=7, padding=1)
    axes.set_yscale("log")
    axes.set_xticks(range(len(times)), times, fontsize=8)
    axes.set_ylabel("ns per call, lower is better")
    axes.set_title("inverse dynamics of one state, one core", fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, ncols=len(shown), fontsize=8, loc="upper left")
    axes.set_ylim(top=axes.get_ylim()[1] * 2.5)
    drawn = io.StringIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
    text = "\n".join(line.rstrip() for line in drawn.getvalue().splitlines()) + "\n"
    (_HERE / "call_times.svg").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
