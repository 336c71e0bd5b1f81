"""Draw what a state costs alone, in a batch of contiguous states, and in interleaved lanes.

Usage: python benchmarks/batches.py --dtype float64 float32 --layouts auto --csv docs/figures/batches.csv
       python docs/figures/batches.py               (needs the extra `plot`)
"""

from __future__ import annotations

from figure_style import panels, read_rows, save

WAYS = {
    "single": ("one call", "#8a8a8a"),
    "batch": ("in _batch", "#7fb2d9"),
    "batch_lanes": ("in _batch_lanes", "#1b6ca8"),
}
"""Labels that begin with an underscore are left out of legends."""


def main() -> None:
    """Write batches.svg beside this file."""
    rows = read_rows("batches")
    dtypes = list(dict.fromkeys(row["dtype"] for row in rows))
    figure, axes = panels(len(dtypes), 2.9)
    for place, (axis, dtype) in enumerate(zip(axes, dtypes, strict=True)):
        own = [row for row in rows if row["dtype"] == dtype]
        for number, (way, (label, colour)) in enumerate(WAYS.items()):
            at = [index + 0.27 * (number - 1) for index in range(len(own))]
            bars = axis.bar(at, [float(row[way]) for row in own], 0.25, color=colour, label="" if place else label)
            shares = [float(row[way]) / float(row["single"]) for row in own]
            texts = [
                f"{float(row[way]):.0f}" if way == "single" else f"{s:.2f}" for row, s in zip(own, shares, strict=True)
            ]
            axis.bar_label(bars, texts, fontsize=7, padding=1)
        names = [row["function"].replace("_", "\n", 1) for row in own]
        axis.set_xticks(range(len(own)), names, fontsize=8)
        axis.set_title(
            f"{dtype}, {own[0]['robot'].replace('_', ' ')}, batch of {64 // (8 if dtype == 'float64' else 4)}"
        )
    axes[0].set_ylabel("ns per state")
    figure.legend(loc="outside lower center", ncols=3, fontsize=8, frameon=False)
    save(figure, "batches")


if __name__ == "__main__":
    main()
