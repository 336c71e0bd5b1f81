"""Draw time per body and machine code over the number of bodies, by layout.

Usage: python benchmarks/layouts.py --csv docs/figures/layouts.csv
       python docs/figures/layouts.py               (needs the extra `plot`)
"""

from __future__ import annotations

from figure_style import GREY, LAYOUT_COLOURS, LAYOUT_MARKERS, legend_by_parts, panels, read_rows, save

SUBJECTS = {
    ("inverse_dynamics", "0"): ("inverse dynamics", "-"),
    ("inverse_dynamics", "3"): ("with three derivatives", "--"),
}


def main() -> None:
    """Write layouts.svg beside this file."""
    rows = read_rows("layouts")
    figure, (times, sizes) = panels(2, 3.2)
    for (function, order), (_, dashes) in SUBJECTS.items():
        for layout, colour in LAYOUT_COLOURS.items():
            own = [row for row in rows if (row["function"], row["order"], row["layout"]) == (function, order, layout)]
            bodies = [int(row["bodies"]) for row in own]
            style = {"color": colour, "linestyle": dashes, "marker": LAYOUT_MARKERS[layout], "markersize": 4}
            per_body = [float(row["ns"]) / count for row, count in zip(own, bodies, strict=True)]
            times.plot(bodies, per_body, **style)
            sizes.plot(bodies, [int(row["bytes"]) / 1e3 for row in own], **style)
    times.set_ylabel("ns per body and call")
    times.set_ylim(bottom=0)
    sizes.set_ylabel("machine code and constants, kB")
    sizes.set_yscale("log")
    sizes.axhline(32.768, color=GREY, linewidth=0.8, zorder=1)
    beside = {"xycoords": ("axes fraction", "data"), "va": "center", "fontsize": 8, "annotation_clip": False}
    sizes.annotate("32 KB\ncache", (1.02, 32.768), color="#6b6b6b", **beside)
    for axes in (times, sizes):
        axes.set_xscale("log")
        axes.set_xlabel("bodies (free base, five chains)")
        counts = sorted({int(row["bodies"]) for row in rows})
        axes.set_xticks(counts, counts, fontsize=8)
        axes.minorticks_off()
    legend_by_parts(figure, dict(SUBJECTS.values()))
    save(figure, "layouts")


if __name__ == "__main__":
    main()
