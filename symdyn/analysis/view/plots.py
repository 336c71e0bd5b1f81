"""Figures of motions by matplotlib: stroboscopic pictures in metres, energies, and how far loops are open."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from symdyn.analysis.view.scene import Array, Scene, Surface, evenly
from symdyn.errors import RequestError, one_line
from symdyn.robot.loop_closure.gaps import gap_plan, gaps_over
from symdyn.robot.robot import Robot

if TYPE_CHECKING:
    from symdyn.analysis.simulation.trajectory import Trajectory

_AXES = "xyz"
_CORNERS, _MOST_STATES, _MOST_NAMES, _NARROW = 12, 240, 26, 0.5
_LEAST = 1e-6
"""Least span of an axis [m, rad, their rates, or J]: a robot at rest is a straight line, and not its rounding."""
_STYLES, _COLOURS, _ROWS = ("-", "--", ":", "-."), 10, 13


def plot_strobe(axes: Any, scene: Scene, count: int = 8, plane: str | None = None) -> None:
    """Draw some frames of a scene over each other as seen along a line of sight without end, earlier ones paler.

    Parameters
    ----------
    axes
        Of matplotlib; they become equal, in metres.
    count
        Number of frames, evenly spread from the first to the last.
    plane
        The axes of the world to the right and upwards, such as ``"xz"``; by default those of the largest extent.

    Raises
    ------
    RequestError
        Not two different axes.
    """
    chosen = _widest(scene) if plane is None else plane
    if len(set(chosen)) != 2 or len(chosen) != 2 or not set(chosen) <= set(_AXES):
        raise RequestError(f"plane: expected two of x, y and z, such as 'xz', got '{chosen}'")
    right, up = (np.eye(3)[_AXES.index(letter)] for letter in chosen)
    across = np.stack([right, up], axis=-1)
    eye = scene.centre + 1e4 * scene.size * np.cross(right, up)
    polygons = importlib.import_module("matplotlib.collections").PolyCollection
    numbers = evenly(scene.length, count)
    if scene.walls:
        standing, _, shades = _seen(scene.walls, eye)
        # with edges, as what is seen from the side has no area
        axes.add_collection(polygons(standing @ across, facecolors=shades, edgecolors=shades, linewidths=0.6))
    for rank, number in enumerate(numbers, 1):
        pale = 0.75 * (1.0 - rank / len(numbers))
        corners, depth, colours = _seen(scene.surfaces(number, _CORNERS), eye)
        order = np.argsort(-depth)
        colours[:, :3] += pale * (1.0 - colours[:, :3])
        shades = colours[order]
        own = polygons(corners[order] @ across, facecolors=shades, edgecolors=shades, linewidths=0.15, zorder=rank)
        axes.add_collection(own)
        for line in scene.lines:
            colour = np.array(line.colour) / 255.0
            drawn = line.points[number] @ across
            axes.plot(*drawn.T, color=colour + pale * (1.0 - colour), linewidth=0.8, zorder=rank)
    axes.set_aspect("equal")
    axes.autoscale_view()
    axes.grid(alpha=0.3)
    axes.set_xlabel(f"{chosen[0]} [m]")
    axes.set_ylabel(f"{chosen[1]} [m]")
    wide, high = np.ptp(axes.get_xlim()), np.ptp(axes.get_ylim())
    axes.locator_params(
        axis="x", nbins=int(np.clip(10.0 * wide / high, 2.0, 10.0))
    )  # narrow pictures have room for few
    if wide < _NARROW * high:
        axes.tick_params(axis="x", rotation=90)  # and numbers beside each other would meet


def plot_energies(axes: Any, motion: Trajectory) -> None:
    """Draw kinetic energy, potential energy V above that at the start, and their sum over time.

    The zero of V is arbitrary, and may be so far off that nothing else would be seen.
    """
    first = motion.potential_energy[0]
    energies = {"sum - V(0)": motion.energy - first, "potential - V(0)": motion.potential_energy - first}
    _lines(axes, motion.t, {"kinetic": motion.kinetic_energy, **energies}, "energy [J]")
    # Where two are equal both are seen: broad lines below, narrow and dashed ones above.
    for line, width, style in zip(axes.lines, (2.0, 3.5, 1.2), ("-", "-", "--"), strict=True):
        line.set(linewidth=width, linestyle=style, alpha=0.5 if width > 3.0 else 1.0)
    axes.lines[1].set_zorder(1.5)
    _spanned(axes)
    _beside(axes, len(axes.lines))


def plot_residuals(axes: Any, robot: Robot, t: Array, q: Array) -> None:
    """Draw over time how far apart the places of each loop are, where it holds them together.

    Distances and angles are told from poses, not from the errors that solvers see. Values of 0 are left out, as the
    axis is logarithmic.

    Parameters
    ----------
    axes
        Of matplotlib.
    t, q
        (n,) [s] and (n, nq); of many, some 240 are drawn.
    """
    plan, p = gap_plan(robot.model), np.nan_to_num(robot.runtime_defaults, nan=1.0).tolist()
    numbers = evenly(len(t), _MOST_STATES)
    found = gaps_over(robot.model, plan, q[numbers], p)
    columns: dict[str, Array] = {}
    for place, gap in enumerate(found[0]):
        for kind, values in (
            ("m", [own[place].shift for own in found]),
            ("rad", [own[place].angle for own in found]),
        ):
            if max(values) > 0.0:
                columns[f"{gap.loop.name} [{kind}]"] = np.where(np.array(values) > 0.0, values, np.nan)
    _lines(axes, t[numbers], columns, "gaps of loops")
    axes.set_yscale("log")


def history_figure(motion: Trajectory) -> Any:
    """A figure of coordinates, velocities and energies over time, with gaps of loops where there are some.

    Coordinates have one panel per unit, and velocities too. Units and gaps need the robot, with which
    :func:`symdyn.simulate` gives trajectories and :meth:`symdyn.Trajectory.load` may.
    """
    robot = motion.robot
    looped = robot is not None and gap_plan(robot.model) is not None
    units = ("", "") if robot is None else (robot.coordinate_units, robot.velocity_units)
    groups = [
        *_by_unit("coordinates", motion.coordinate_names, units[0], motion.q),
        *_by_unit("velocities", motion.velocity_names, units[1], motion.v),
    ]
    figure, panels = _figure([1.0] * (len(groups) + 1 + looped))
    for axes, (label, columns) in zip(panels, groups, strict=False):
        _lines(axes, motion.t, columns, label)
        _spanned(axes)
    plot_energies(panels[len(groups)], motion)
    if robot is not None and looped:
        plot_residuals(panels[-1], robot, motion.t, motion.q)
    return _over_time(figure, panels)


def _by_unit(
    what: str, names: Sequence[str], units: Sequence[str], values: Array
) -> list[tuple[str, dict[str, Array]]]:
    """A label and its columns per unit, in the order in which units come; all together where none are known."""
    found: dict[str, dict[str, Array]] = {}
    for name, unit, column in zip(names, units or [""] * len(names), values.T, strict=True):
        found.setdefault(unit, {})[name] = column
    return [(f"{what} [{unit}]" if unit else what, columns) for unit, columns in found.items()]


def motion_figure(
    robot: Robot, scene: Scene, motion: Trajectory | None = None, count: int = 8, plane: str | None = None
) -> Any:
    """A figure as in papers: a stroboscopic picture, energies of a simulation, and gaps of loops.

    Parameters
    ----------
    robot, scene
        The robot, and what :func:`symdyn.analysis.view.build.scene_of` makes of it and its motion.
    motion
        The simulation, for its energies.
    count, plane
        As for :func:`plot_strobe`.
    """
    looped = scene.length > 1 and gap_plan(robot.model) is not None
    figure, panels = _figure([2.6] + [1.0] * ((motion is not None) + (motion is not None and looped)))
    plot_strobe(panels[0], scene, count, plane)
    if motion is not None:
        plot_energies(panels[1], motion)
        if looped:
            plot_residuals(panels[2], robot, motion.t, motion.q)
        _over_time(figure, panels[1:])
    return figure


def _figure(heights: Sequence[float]) -> tuple[Any, list[Any]]:
    size = (7.2, 2.0 * sum(heights) + 0.6)
    figure = importlib.import_module("matplotlib.figure").Figure(figsize=size, layout="constrained")
    return figure, list(figure.subplots(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0])


def _over_time(figure: Any, panels: Sequence[Any]) -> Any:
    """One axis of time below all."""
    for own in panels[:-1]:
        own.sharex(panels[-1])
        own.tick_params(labelbottom=False)
    panels[-1].set_xlabel("t [s]")
    return figure


def _lines(axes: Any, t: Array, columns: dict[str, Array], label: str) -> None:
    for row, (name, values) in enumerate(columns.items()):
        axes.plot(t, values, _STYLES[row // _COLOURS % len(_STYLES)], label=_plain(name))
    axes.set_ylabel(label)
    axes.grid(alpha=0.3)
    _beside(axes, len(columns))


def _spanned(axes: Any) -> None:
    """Let an axis span what is more than rounding."""
    low, high = axes.get_ylim()
    if high - low < _LEAST:
        middle = (low + high) / 2.0
        axes.set_ylim(middle - _LEAST / 2.0, middle + _LEAST / 2.0)


def _beside(axes: Any, count: int) -> None:
    """Names of the lines to the right of a panel; none where they would be more than fit there."""
    if 0 < count <= _MOST_NAMES:
        beside = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.02), "ncols": 1 + (count - 1) // _ROWS}
        axes.legend(fontsize=6, labelspacing=0.15, borderaxespad=0.3, **beside)


def _plain(name: str) -> str:
    """A name from a file, which matplotlib neither sets as a formula nor hides."""
    text = one_line(name).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def _widest(scene: Scene) -> str:
    """The two axes along which most is seen; the one further down the alphabet points upwards."""
    points = [surface.points for number in evenly(scene.length, 8) for surface in scene.surfaces(number, _CORNERS)]
    extent = np.ptp(np.concatenate(points), axis=0) if points else np.array([1.0, 0.0, 1.0])
    least = int(np.argmin(extent + 1e-9 * np.array([1.0, 0.0, 2.0]) * scene.size))
    return _AXES.replace(_AXES[least], "")


def _seen(surfaces: Iterable[Surface], eye: Array) -> tuple[Array, Array, Array]:
    """Corners (k, 3, 3) [m], depths (k,) [m] and colours (k, 4) from 0 to 1 of all faces seen from far off."""
    return _joined(_one(surface.shaded(eye), surface.opacity) for surface in surfaces)


def _one(shaded: tuple[Array, Array, Array], opacity: float) -> tuple[Array, Array, Array]:
    corners, depth, colours = shaded
    return corners, depth, np.column_stack([np.clip(colours / 255.0, 0.0, 1.0), np.full(len(colours), opacity)])


def _joined(found: Iterator[tuple[Array, Array, Array]]) -> tuple[Array, Array, Array]:
    corners, depth, colours = [np.zeros((0, 3, 3))], [np.zeros(0)], [np.zeros((0, 4))]
    for own in found:
        corners.append(own[0])
        depth.append(own[1])
        colours.append(own[2])
    return np.concatenate(corners), np.concatenate(depth), np.concatenate(colours)
