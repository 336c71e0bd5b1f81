"""Draw seconds of the C compiler over operations, by layout.

Usage: python benchmarks/layouts.py --csv docs/figures/layouts.csv
       python docs/figures/compile_time.py          (needs the extra `plot`)
"""

from __future__ import annotations

from figure_style import LAYOUT_COLOURS, LAYOUT_MARKERS, panels, read_rows, save

SUBJECTS = {
    ("inverse_dynamics", "0"): "inverse dynamics",
    ("inverse_dynamics", "3"): "with three derivatives",
    ("forward_dynamics", "0"): "forward dynamics",
}


def main() -> None:
    """Write compile_time.svg beside this file."""
    rows = read_rows("layouts")
    figure, axes = panels(len(SUBJECTS), 2.9)
    for place, (axis, ((function, order), title)) in enumerate(zip(axes, SUBJECTS.items(), strict=True)):
        for layout, colour in LAYOUT_COLOURS.items():
            own = [row for row in rows if (row["function"], row["order"], row["layout"]) == (function, order, layout)]
            axis.plot(
                [int(row["operations"]) for row in own],
                [float(row["compile_s"]) for row in own],
                label="" if place else layout,
                color=colour,
                marker=LAYOUT_MARKERS[layout],
                markersize=4,
            )
        axis.set(xscale="log", yscale="log", xlabel="operations of a call", title=title)
        axis.set_ylim(0.05, 100)
    axes[0].set_ylabel("gcc -O3, seconds of processor time")
    figure.legend(loc="outside lower center", ncols=3, fontsize=8, frameon=False)
    save(figure, "compile_time")


if __name__ == "__main__":
    main()
