"""Draw what a state costs alone, in a batch of contiguous states, and in interleaved lanes.

Usage: python benchmarks/batches.py --dtype float64 float32 --layouts auto --csv docs/figures/batches.csv
       python docs/figures/batches.py               (needs the extra `plot`)
"""

from __future__ import annotations

from figure_style import panels, read_rows, save

WAYS = {
    "single": ("a call for each state", "#8a8a8a"),
    "batch": ("..._batch: states one after the other in memory", "#7fb2d9"),
    "batch_lanes": ("..._batch_lanes: states interleaved", "#1b6ca8"),
}


def main() -> None:
    """Write batches.svg beside this file."""
    rows = read_rows("batches")
    dtypes = list(dict.fromkeys(row["dtype"] for row in rows))
    figure, axes = panels(len(dtypes), 2.9)
    for place, (axis, dtype) in enumerate(zip(axes, dtypes, strict=True)):
        own = [row for row in rows if row["dtype"] == dtype]
        for number, (way, (label, colour)) in enumerate(WAYS.items()):
            at = [index + 0.27 * (number - 1) for index in range(len(own))]
            times = [float(row[way]) for row in own]
            bars = axis.bar(at, times, 0.26, color=colour, label="" if place else label)
            shares = [time / float(row["single"]) for time, row in zip(times, own, strict=True)]
            texts = [
                f"{time:.0f}" + (f"\n{share:.0%}" if number else "") for time, share in zip(times, shares, strict=True)
            ]
            axis.bar_label(bars, texts, fontsize=8, padding=1, linespacing=1.0)
        names = [row["function"].replace("_", "\n", 1) for row in own]
        axis.set_xticks(range(len(own)), names, fontsize=8)
        axis.grid(False, axis="x")
        axis.margins(y=0.12)
        axis.set_title(
            f"{own[0]['robot'].replace('_', ' ')}, {dtype}, batch of {64 // (8 if dtype == 'float64' else 4)}"
        )
    axes[0].set_ylabel("ns per state")
    words = "on the bars: ns per state, and this as a share of a call for each state"
    figure.legend(
        loc="outside lower center", ncols=3, fontsize=8, frameon=False, title=words, title_fontsize=8, columnspacing=1.2
    )
    save(figure, "batches")


if __name__ == "__main__":
    main()
