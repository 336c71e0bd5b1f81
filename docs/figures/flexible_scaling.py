"""Draw operations and time of forward dynamics of flexible links in series, beside published counts and the dense way.

Usage: python benchmarks/denoc_counts.py --csv docs/figures/flexible_counts.csv
       python benchmarks/flexible_scaling.py --csv docs/figures/flexible_scaling.csv
       python docs/figures/flexible_scaling.py                 (needs the extra `plot`)
"""

from __future__ import annotations

from figure_style import GREY, panels, read_rows, save

COLOURS = {
    "symdyn, bare": "#1b6ca8",
    "symdyn, dressed": "#3a9d8f",
    "Mohan, Saha": "#d98324",
    "Jain, Rodriguez": "#9b6fb0",
    "Cyril": GREY,
}


def main() -> None:
    """Write flexible_scaling.svg beside this file."""
    figure, (counts, times) = panels(2, 3.0)
    rows = read_rows("flexible_counts")
    for method, colour in COLOURS.items():
        own = [(int(row["links"]), int(row["products"]) + int(row["sums"])) for row in rows if row["method"] == method]
        counts.plot(*zip(*own, strict=True), color=colour, marker="o", markersize=3, label=method)
    counts.set_ylim(0, 32000)
    counts.set_title("products and sums, 2 shapes in each plane")
    counts.set_xlabel("flexible links")
    counts.legend(fontsize=8, frameon=False)
    measured = read_rows("flexible_scaling")
    links, ours = ([float(row[name]) for row in measured] for name in ("links", "ns"))
    dense = [(float(row["links"]), float(row["dense_ns"])) for row in measured if float(row["dense_ns"])]
    times.loglog(links, ours, color="#1b6ca8", marker="o", markersize=3, label="recursive")
    times.loglog(*zip(*dense, strict=True), color="#d98324", marker="s", markersize=3, label="mass matrix and Cholesky")
    times.set_xticks(links, [f"{each:.0f}" for each in links])
    times.minorticks_off()
    times.set_title("time per call [ns]")
    times.set_xlabel("flexible links")
    times.legend(fontsize=8, frameon=False)
    save(figure, "flexible_scaling")


if __name__ == "__main__":
    main()
