"""Draw time per operation over the size of straight machine code, against the instruction cache.

Usage: python benchmarks/layouts.py --csv docs/figures/layouts.csv
       python docs/figures/instruction_cache.py     (needs the extra `plot`)
"""

from __future__ import annotations

from figure_style import GREY, LAYOUT_COLOURS, LAYOUT_MARKERS, panels, read_rows, save

CACHE_KB = 32.768
FILLS = {"0": "full", "3": "none"}


def main() -> None:
    """Write instruction_cache.svg beside this file."""
    rows = [row for row in read_rows("layouts") if row["function"] == "inverse_dynamics"]
    figure, (axes,) = panels(1, 3.2)
    for order, fill in FILLS.items():
        for layout, colour in LAYOUT_COLOURS.items():
            own = [row for row in rows if (row["order"], row["layout"]) == (order, layout)]
            axes.plot(
                [int(row["bytes"]) / 1e3 for row in own],
                [1e3 * float(row["ns"]) / int(row["operations"]) for row in own],
                label=f"{layout}, {order} derivatives",
                color=colour,
                marker=LAYOUT_MARKERS[layout],
                fillstyle=fill,
                markersize=5,
                linewidth=0.8,
                # loops keep their size, and a line between their points would tell nothing
                linestyle="" if layout == "rolled" else "-" if fill == "full" else "--",
            )
    axes.axvline(CACHE_KB, color=GREY, linewidth=0.8)
    axes.annotate(
        "first-level instruction cache",
        (CACHE_KB, 0.03),
        xycoords=("data", "axes fraction"),
        xytext=(-4, 0),
        textcoords="offset points",
        fontsize=8,
        color=GREY,
        ha="right",
        va="bottom",
    )
    axes.set_xscale("log")
    axes.set_ylim(0, 1.08 * axes.get_ylim()[1])
    axes.set_xlabel("machine code and constants, kB (inverse dynamics, trees of growing size)")
    axes.set_ylabel("ps per operation")
    figure.legend(loc="outside lower center", ncols=3, fontsize=8, frameon=False)
    save(figure, "instruction_cache")


if __name__ == "__main__":
    main()
