"""Draw how many times as fast robots with alike limbs are when these run side by side.

Usage: python benchmarks/limbs.py --csv docs/figures/limbs.csv
       python docs/figures/limbs.py                 (needs the extra `plot`)
"""

from __future__ import annotations

from figure_style import GREY, panels, read_rows, save

COLOURS = ("#1b6ca8", "#3a9d8f", "#d98324", "#9b6fb0")


def main() -> None:
    """Write limbs.svg beside this file."""
    rows = read_rows("limbs")
    robots = list(dict.fromkeys((row["robot"], row["limbs"]) for row in rows))
    functions = list(dict.fromkeys(row["function"] for row in rows))
    figure, (axes,) = panels(1, 3.0)
    for number, (function, colour) in enumerate(zip(functions, COLOURS, strict=True)):
        own = {
            row["robot"]: float(row["plain_ns"]) / float(row["lanes_ns"]) for row in rows if row["function"] == function
        }
        timed = [(index, own[robot]) for index, (robot, _) in enumerate(robots) if robot in own]
        places = [index + 0.21 * (number - 1.5) for index, _ in timed]
        heights = [height for _, height in timed]
        bars = axes.bar(places, heights, 0.2, color=colour, label=function.replace("_", " "))
        axes.bar_label(bars, [f"{height:.1f}" for height in heights], fontsize=8, padding=1)
    axes.axhline(1.0, color=GREY, linewidth=0.8)
    axes.set_xticks(
        range(len(robots)), [f"{robot.replace('_', ' ')}\n{limbs} limbs" for robot, limbs in robots], fontsize=8
    )
    axes.set_ylabel("time without lanes / in lanes")
    axes.set_ylim(top=axes.get_ylim()[1] * 1.05)
    figure.legend(loc="outside lower center", ncols=4, fontsize=8, frameon=False)
    save(figure, "limbs")


if __name__ == "__main__":
    main()
