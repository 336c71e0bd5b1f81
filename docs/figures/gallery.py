"""Draw the systems of the papers in motion, and write the table of times of docs/gallery.md.

Usage: python examples/papers/NAME.py --out FOLDER/NAME.npz          (for each system)
       python docs/figures/gallery.py --motions FOLDER               (keeps some positions of each in gallery.csv)
       python docs/figures/gallery.py                                (draws gallery_NAME.svg; needs the extra `plot`)

Times are those of gallery_times.csv, which `benchmarks/papers.py --csv` writes.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from figure_style import HERE, panels, read_rows, save
from matplotlib.collections import PolyCollection
from matplotlib.ticker import MaxNLocator
from scipy.spatial import ConvexHull

from symdyn.analysis.view.build import scene_of
from symdyn.analysis.view.scene import Scene, colour_of, evenly
from symdyn.errors import SymdynWarning

sys.path.insert(0, str(HERE.parents[1] / "examples" / "papers"))

Outline = tuple[float, np.ndarray, tuple[int, int, int], float]
FRAMES, RINGS = 7, 15
WIDE, HIGH = 4.4, 3.6
"""Largest size of a picture, in inches."""
SLIM = 2.4
"""Most height per width."""
PAGE = HERE.parent / "gallery.md"
MARKS = tuple(
    (f"<!-- {name}, written by docs/figures/gallery.py -->\n", f"<!-- end of {name} -->\n")
    for name in ("times", "other times")
)
SYSTEMS = (
    *("cable_manipulator", "serial_robot", "parallel_robot", "fin_ray_finger", "cylinder_contact"),
    *("underwater_vehicle", "variable_radius_arm", "gaussian_tentacle", "five_bar", "aerial_manipulator", "canadarm"),
)
LARGE = ("underwater_vehicle", "fin_ray_finger")
"""Systems of many parts, of which few positions tell more."""
WITH_TIMES = SYSTEMS[:6]
"""Systems of which the paper tells times."""


def main() -> None:
    """Take positions from motions where a folder is named, and draw all that are known."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--motions", type=Path, help="a folder of files that examples/papers/*.py --out wrote")
    asked = parser.parse_args()
    warnings.simplefilter("ignore", SymdynWarning)
    if asked.motions is not None:
        keep_positions(asked.motions)
    rows = read_rows("gallery")
    for name in SYSTEMS:
        own = [row for row in rows if row["system"] == name]
        if own:
            draw(name, np.array([[float(x) for x in row["q"].split()] for row in own]))
    write_table()


def keep_positions(folder: Path) -> None:
    """Write some positions of each motion in a folder to gallery.csv; those of other systems stay."""
    kept = {(row["system"], row["t"]): row["q"] for row in read_rows("gallery")}
    for name in SYSTEMS:
        path = folder / f"{name}.npz"
        if not path.exists():
            continue
        kept = {key: q for key, q in kept.items() if key[0] != name}
        with np.load(path, allow_pickle=False) as held:
            t, q = held["t"], held["q"]
        for number in evenly(len(t), 3 if name in LARGE else FRAMES):
            kept[name, f"{t[number]:.6g}"] = " ".join(f"{x:.7g}" for x in q[number])
    with (HERE / "gallery.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(("system", "t", "q"))
        ordered = sorted(kept.items(), key=lambda row: (SYSTEMS.index(row[0][0]), float(row[0][1])))
        table.writerows((name, t, q) for (name, t), q in ordered)


def draw(name: str, q: np.ndarray) -> None:
    """Write gallery_<name>.svg: positions over each other, earlier ones paler."""
    scenario = importlib.import_module(name).scenario()
    scene = scene_of(scenario.robot, q)
    right, up = (np.eye(3)["xyz".index(letter)] for letter in scenario.plane)
    across, sight = np.stack([right, up], axis=-1), np.cross(right, up)
    figure, (axes,) = panels(1, HIGH)
    for wall in scene.walls:
        axes.fill(*around(wall.points @ across).T, color=wall.colours[0] / 255.0, alpha=wall.opacity, linewidth=0.0)
    for number in range(scene.length):
        pale = 0.8 * (1.0 - (number + 1) / scene.length)
        parts = sorted(outlines(scene, number, across, sight), key=lambda part: part[0])
        shades = [np.append(np.array(colour) / 255.0, opacity) for _, _, colour, opacity in parts]
        paled = [shade + pale * (1.0 - shade) * (1.0, 1.0, 1.0, 0.0) for shade in shades]
        polygons = [corners for _, corners, *_ in parts]
        axes.add_collection(
            PolyCollection(polygons, facecolors=paled, edgecolors="face", linewidths=0.2, zorder=number + 2)
        )
        for line in scene.lines:
            colour = np.array(line.colour) / 255.0
            points = line.points[number][:: max(1, len(line.points[number]) // 16)] @ across
            axes.plot(*points.T, color=colour + pale * (1.0 - colour), linewidth=0.5, zorder=number + 2)
    frame(figure, axes, scenario.plane)
    save(figure, f"gallery_{name}")


def frame(figure: Any, axes: Any, plane: str) -> None:
    """Equal axes in metres, and a picture of the shape of what it shows."""
    axes.autoscale_view()
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    shape = (high - low) / (right - left)
    if shape > SLIM:
        middle, shape = (left + right) / 2.0, SLIM
        axes.set_xlim(middle - (high - low) / SLIM / 2.0, middle + (high - low) / SLIM / 2.0)
    wide = min(WIDE, HIGH / shape)
    figure.set_size_inches(wide + 0.8, wide * shape + 0.6)
    axes.set_aspect("equal")
    axes.xaxis.set_major_locator(MaxNLocator(max(2, int(1.8 * wide)), steps=[1, 2, 5, 10], min_n_ticks=1))
    axes.yaxis.set_major_locator(MaxNLocator(max(2, int(2.5 * wide * shape)), steps=[1, 2, 5, 10]))
    axes.set_xlabel(f"{plane[0]} [m]")
    axes.set_ylabel(f"{plane[1]} [m]")


def outlines(scene: Scene, number: int, across: np.ndarray, sight: np.ndarray) -> list[Outline]:
    """Nearness, corners (k, 2) [m], colour and opacity of flat outlines: one per solid and per piece of a tube.

    Solids are convex, and shapes of inertia are left out where a link has another one. A piece of a tube is the outline
    of the two rings at its ends.
    """
    found: list[Outline] = []
    clear = {solid.frame for solid in scene.solids if solid.opacity == 1.0}
    for solid in scene.solids:
        if solid.opacity < 1.0 and solid.frame in clear:
            continue
        pose = scene.frames[solid.frame][number]
        points = solid.vertices @ pose[:3, :3].T + pose[:3, 3]
        found.append((float(points.mean(axis=0) @ sight), around(points @ across), solid.colour, solid.opacity))
    for tube in scene.tubes:
        kept = evenly(len(tube.sides), RINGS if len(scene.tubes) < 7 else 7)
        rings, values = tube.surface(number, 8)[kept], tube.values[number, kept]
        for low, high, value in zip(rings[:-1], rings[1:], (values[1:] + values[:-1]) / 2.0, strict=True):
            points = np.concatenate([low, high])
            found.append(
                (float(points.mean(axis=0) @ sight), around(points @ across), colour_of(float(value)), tube.opacity)
            )
    return found


def around(points: np.ndarray) -> np.ndarray:
    """The convex outline of points (n, 2)."""
    return points[ConvexHull(points).vertices]


def write_table() -> None:
    """Write the rows of gallery_times.csv into the page."""
    rows = {row["system"]: row for row in read_rows("gallery_times")}
    first = [
        "| system | coordinates | method | at the paper's tolerances | at 1e-6 | methods differ | C stepper | paper |"
    ]
    second = ["| system | coordinates | method | time |"]
    first.append("|---|" + 7 * "---|")
    second.append("|---|" + 3 * "---|")
    for name in SYSTEMS:
        row = rows.get(name, {})
        begin = f"| {name.replace('_', ' ')} | {row.get('coordinates', '')} | {row.get('method', '')} |"
        if row.get("step_s") or name in WITH_TIMES:
            took = row.get("stepper", "").removesuffix(", DONE")
            step = f"at {1e3 * float(row['step_s']):g} ms: {took}" if row.get("step_s") else ""
            cells = (seconds(row.get("loose_s")), seconds(row.get("own_s")), row.get("differ") or "-", step or "-")
            first.append(f"{begin} {' | '.join(cells)} | {row.get('paper', '')} |")
        else:
            second.append(f"{begin} {seconds(row.get('own_s'))} |")
    page = PAGE.read_text(encoding="utf-8")
    for marks, lines in zip(MARKS, (first, second), strict=True):
        before, rest = page.split(marks[0])
        _, after = rest.split(marks[1])
        page = before + marks[0] + "\n".join(lines) + "\n" + marks[1] + after
    PAGE.write_text(page, encoding="utf-8")


def seconds(figure: str | None) -> str:
    """A time, or a stroke where none was measured."""
    return f"{figure} s" if figure else "-"


if __name__ == "__main__":
    main()
