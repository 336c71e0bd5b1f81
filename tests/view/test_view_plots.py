"""Stroboscopic plots, energies and gaps of loops: what is drawn against the robot's own poses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

import symdyn
from symdyn.analysis.simulation.trajectory import Trajectory
from symdyn.analysis.view.build import scene_of
from symdyn.analysis.view.picture import picture, strobe
from symdyn.analysis.view.plots import _spanned, history_figure, motion_figure, plot_residuals, plot_strobe
from symdyn.cli.main import main
from symdyn.errors import RequestError


def test_positions_lie_over_each_other_where_the_pendulum_was() -> None:
    robot = symdyn.load_example("pendulum")
    angles = np.linspace(-1.0, 1.0, 21)
    scene = scene_of(robot, angles[:, None])
    axes = Figure().add_subplot()
    plot_strobe(axes, scene, count=5)
    drawn = [own for own in axes.collections if isinstance(own, PolyCollection)]
    assert (axes.get_xlabel(), axes.get_ylabel(), len(drawn)) == ("x [m]", "z [m]", 5)
    thick = 0.05 * scene.size
    for number, own in zip((0, 5, 10, 15, 20), drawn, strict=True):
        corners = np.concatenate([path.vertices for path in own.get_paths()])
        away = np.linalg.norm(corners - scene.frames["tip"][number, [0, 2], 3], axis=1)
        assert away.min() < thick, "the link reaches its tip in the plane that is drawn"
    shades = [own.get_facecolor()[:, :3].mean() for own in drawn]
    assert shades == sorted(shades, reverse=True), "earlier positions are paler"
    with pytest.raises(RequestError, match="two of x, y and z"):
        plot_strobe(axes, scene, plane="xx")


def test_later_positions_are_painted_over_earlier_ones() -> None:
    """Though the earlier ones are nearer to the eye: where the last one is seen alone, it is seen among all."""
    robot = symdyn.load_example("cable_manipulator")
    q = np.zeros((2, robot.nq))
    q[0, robot.coordinate_names.index("arm.curvature_z[0]")] = 0.3
    q[1, robot.coordinate_names.index("arm.curvature_z[0]")] = -0.3
    scene = scene_of(robot, q)
    for numbers in ([0, 1], [1, 0]):  # one of the two has the nearer one first
        alone, among = (
            np.asarray(painted, dtype=int)
            for painted in (picture(scene, numbers[-1], (240, 180)), strobe(scene, numbers, (240, 180)))
        )
        coloured = np.ptp(alone, axis=-1) > 40
        inner = np.lib.stride_tricks.sliding_window_view(coloured, (5, 5)).all(axis=(2, 3))  # edges are mixed
        assert inner.sum() > 100
        assert np.array_equal(among[2:-2, 2:-2][inner], alone[2:-2, 2:-2][inner])


@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")  # of rows of the loop that follow from others
def test_gaps_of_loops_are_those_of_the_open_chain() -> None:
    """A four-bar of which one crank is turned by 0.01 rad is open by the chord of that turn, at the crank's end."""
    robot = symdyn.load_example("four_bar")
    closed = robot.close(robot.neutral())
    opened = closed.copy()
    row = robot.coordinate_names.index("output")
    opened[row] += 0.01
    scene = scene_of(robot, np.stack([closed, opened]))
    (line,) = (own for own in scene.lines if own.name == "pin/loop")
    axes = Figure().add_subplot()
    plot_residuals(axes, robot, np.array([0.0, 1.0]), np.stack([closed, opened]))
    drawn = {own.get_label(): np.asarray(own.get_ydata()) for own in axes.lines}
    chord = np.linalg.norm(line.points[1, 1] - line.points[1, 0])
    assert chord > 1e-3
    assert drawn["pin [m]"][1] == pytest.approx(chord, rel=1e-9)  # two ways to the same poses
    assert not drawn["pin [m]"][0] > 1e-12


@pytest.mark.slow
@pytest.mark.needs_cc
def test_a_simulation_is_drawn_from_its_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    robot = symdyn.load_example("pendulum")
    motion = symdyn.simulate(robot, [1.0], t=np.linspace(0.0, 0.5, 11))
    motion.save(tmp_path / "run.npz")
    words = ["view", "pendulum", "--trajectory", str(tmp_path / "run.npz"), "--fps", "10", "--strobe", "3"]
    assert main([*words, "--plot", str(tmp_path / "run.svg")]) == 0
    assert "run.svg" in capsys.readouterr().out and (tmp_path / "run.svg").read_text().count("<path") > 100
    figure = motion_figure(robot, scene_of(robot, motion.q, motion.t), motion)
    shown = {own.get_label(): own.get_ydata() for own in figure.axes[1].lines}
    assert np.array_equal(shown["kinetic"], motion.kinetic_energy)
    assert np.array_equal(shown["sum - V(0)"], motion.energy - motion.potential_energy[0])


def test_a_history_has_one_panel_per_unit() -> None:
    """Metres, quaternions and angles apart; of a motion without its robot the units are not known."""
    robot = symdyn.load_example("aerial_manipulator")
    t, q, v = np.arange(3.0), np.tile(robot.neutral(), (3, 1)), np.zeros((3, robot.nv))
    motion = Trajectory(
        *(robot.name, "", "rk4", robot.coordinate_names, robot.velocity_names, (), robot.velocity_names, t, q),
        *(v, v, np.zeros((3, 0)), v, np.array([0.0, 1.0, 2.0]), np.array([50.0, 49.0, 48.0])),
        robot=robot,
    )
    *panels, energy = history_figure(motion).axes
    assert [own.get_ylabel() for own in panels] == [
        *("coordinates [m]", "coordinates [1]", "coordinates [rad]", "velocities [m/s]", "velocities [rad/s]"),
    ]
    names = [[line.get_label() for line in own.lines] for own in panels]
    assert names[0] == ["root.x", "root.y", "root.z"] and len(names[1]) == 4
    assert sorted(name for own in names for name in own) == sorted((*robot.coordinate_names, *robot.velocity_names))
    drawn = {line.get_label(): np.asarray(line.get_ydata()) for line in energy.lines}
    assert drawn["potential - V(0)"].tolist() == [0.0, -1.0, -2.0] and drawn["sum - V(0)"].tolist() == [0.0] * 3
    bare = history_figure(replace(motion, robot=None)).axes
    assert [own.get_ylabel() for own in bare] == ["coordinates", "velocities", "energy [J]"]


def test_a_robot_at_rest_is_a_straight_line() -> None:
    """Rounding of 1e-12 does not fill a panel, and a motion of a millimetre does."""
    for size, least, most in ((1e-12, 1e-6, 1.001e-6), (1e-3, 1e-3, 1.2e-3)):
        axes = Figure().subplots()
        axes.plot([0.0, 1.0, 2.0], [0.3, 0.3 + size, 0.3])
        _spanned(axes)
        low, high = axes.get_ylim()
        assert least * 0.999 <= high - low <= most
        assert low < 0.3 < high
