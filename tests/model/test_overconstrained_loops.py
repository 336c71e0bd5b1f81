"""Loops whose axes a file has with few decimals: closed by least squares, and told to be overconstrained."""

from __future__ import annotations

import numpy as np
import pytest
from support.robots.few_decimals import aligned_four_bar, turned_four_bar
from support.robots.loop_files import BENNETT
from support.robots.looped import four_bar_closed

import symdyn
from symdyn import api, statics
from symdyn.description.loops import LoopKind
from symdyn.errors import RequestError
from symdyn.robot.robot import Robot

START = [0.9, 0.4, 1.4]
GAP = {9: 1e-9, 6: 1e-6}
"""Errors of axes with so many decimals are below this, in lengths below 1 m and turns below 1 rad."""
pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")


def four_bar(decimals: int, kind: LoopKind = LoopKind.REVOLUTE) -> Robot:
    return api.from_description(turned_four_bar(decimals, kind))


@pytest.mark.parametrize("decimals", [9, 6])
def test_they_are_closed_by_least_squares(decimals: int) -> None:
    robot, gap = four_bar(decimals), GAP[decimals]
    q = robot.close(START, hold=["input"], tolerance=gap)
    assert q[0] == START[0]
    assert q == pytest.approx(four_bar_closed(START[0]), abs=10 * gap)
    assert robot.close(q, hold=["input"], tolerance=gap) == pytest.approx(q, abs=1e-15)
    assert robot.mobility == 1


def test_axes_with_six_decimals_are_refused_with_what_would_mend_it() -> None:
    robot = four_bar(6)
    with pytest.raises(RequestError) as told:
        robot.close(START)
    gap = float(str(told.value).split("better than to ")[1].split()[0])
    assert 1e-9 < gap < 1e-6
    assert "are overconstrained: 5 rows of loop 'pin' hold 3 coordinates, 2 independently" in str(told.value)
    assert "take kind: point_on_line for loop 'pin', with which they close" in str(told.value)
    tolerance = float(str(told.value).split("with tolerance=")[1])
    assert gap < tolerance <= 2.0 * gap
    assert robot.close(START, tolerance=tolerance) == pytest.approx(robot.close(START, tolerance=1e-6), abs=1e-15)
    with pytest.raises(RequestError, match="overconstrained"):
        robot.close(START, tolerance=1e-10)


def test_the_kind_that_is_told_closes_to_rounding() -> None:
    robot = four_bar(6, LoopKind.POINT_ON_LINE)
    q = robot.close(START, hold=["input"])
    assert q == pytest.approx(four_bar_closed(START[0]), abs=1e-5)
    assert robot.constraints[0].rows == ("pin.x", "pin.y") and robot.mobility == 1


def test_what_cannot_reach_is_not_overconstrained() -> None:
    """A crank and a coupler of 0.7 m that are to meet a point 3 m away."""
    loaded = symdyn.loads(
        """
name: short
links: {base: , a: {mass: 1, com: [0.1, 0, 0]}, b: {mass: 1, com: [0.1, 0, 0]}}
joints:
  one: {type: revolute, parent: base, child: a, axis: [0, 0, 1]}
  two: {type: revolute, parent: a, child: b, axis: [0, 0, 1], translation: [0.2, 0, 0]}
loops:
  pin: {kind: point_on_line, between: [{link: b, point: [0.5, 0, 0]}, {link: base, point: [3, 0.1, 0]}], close: true}
""",
        "yaml",
    )
    with pytest.raises(RequestError, match=r"do not close from here: .* error of 2\.3 m in row 'pin\.x'; start near"):
        loaded.close([0.1, 0.2], tolerance=1e-3)


@pytest.mark.parametrize("wrong", [-1e-9, float("nan"), float("inf"), "1e-6", True])
def test_tolerances_that_are_none_are_refused(wrong: object) -> None:
    with pytest.raises(RequestError, match=r"tolerance is an error of loops \[m or rad\], a number from 0, got"):
        four_bar(6).close(START, tolerance=wrong)  # type: ignore[arg-type]


def test_velocities_are_those_of_the_aligned_robot() -> None:
    robot, aligned = four_bar(6), api.from_description(aligned_four_bar())
    q, v = robot.project(START, [1.0, -2.0, 0.7], tolerance=1e-6)
    r, w = aligned.project(q, [1.0, -2.0, 0.7])
    assert q == pytest.approx(r, abs=1e-5) and v == pytest.approx(w, abs=1e-4)
    assert np.linalg.norm(v) > 0.1


def test_modes_are_those_of_the_aligned_robot() -> None:
    own, aligned = four_bar(6), api.from_description(aligned_four_bar())
    q = own.close(START, hold=["input"], tolerance=1e-6)
    frequencies = [[mode.frequency for mode in symdyn.modes(robot, q).modes] for robot in (own, aligned)]
    growths = [[mode.growth for mode in symdyn.modes(robot, q).modes] for robot in (own, aligned)]
    assert frequencies[0] == pytest.approx(frequencies[1], abs=1e-4)
    assert growths[0] == pytest.approx(growths[1], abs=1e-4) and len(growths[0]) == len(growths[1])


@pytest.mark.needs_cc
def test_rests_are_those_of_the_aligned_robot() -> None:
    """They start from errors of loops up to 1e-6; the C solver and that in Python find the same."""
    own, aligned = four_bar(6), api.from_description(aligned_four_bar())
    wanted = symdyn.equilibrium(aligned, q0=four_bar_closed(START[0]), prescribed=["input"], target="python")
    for target in ("c", "python"):
        found = symdyn.equilibrium(own, q0=START, prescribed=["input"], target=target)
        assert found.q == pytest.approx(wanted.q, abs=1e-5) and found.stable == wanted.stable
        assert found.forces == pytest.approx(wanted.forces, abs=1e-4)


@pytest.mark.needs_cc
def test_paths_are_those_of_the_aligned_robot() -> None:
    """A torque grows beyond what balances weight in any position: the load turns on the way."""
    paths = []
    for robot in (four_bar(6), api.from_description(aligned_four_bar())):
        begun = symdyn.equilibrium(robot, q0=START, prescribed=["input"], target="python")
        torque = begun.forces
        paths.append(statics.path(robot, 1.5 * torque, q0=begun.q, start=torque, points=15, step=0.3))
    found, wanted = paths
    assert found.q == pytest.approx(wanted.q, abs=1e-5) and found.marks == wanted.marks
    assert found.load_factors == pytest.approx(wanted.load_factors, abs=1e-5)
    assert len(wanted.marked("limit")) == 1


ROUNDED = BENNETT.replace("pi/6", "0.523599").replace("pi/2", "1.570796")
"""Bennett's linkage, which moves by special lengths and angles; these have six decimals."""


def test_a_linkage_of_special_dimensions() -> None:
    robot, exact = symdyn.loads(ROUNDED, "yaml"), symdyn.loads(BENNETT, "yaml")
    start = [0.5, 1.0, 1.0]
    with pytest.raises(RequestError, match="5 rows of loop 'j4' hold 3 coordinates, 2 independently"):
        robot.close(start, hold=["j1"])
    q, r = robot.close(start, hold=["j1"], tolerance=1e-6), exact.close(start, hold=["j1"])
    assert q == pytest.approx(r, abs=1e-6) and robot.mobility == 1
    v, w = (own.project(at, [1.0, 2.0, 3.0], tolerance=1e-6)[1] for own, at in ((robot, q), (exact, r)))
    assert v == pytest.approx(w, abs=1e-5)
    rests = [symdyn.equilibrium(own, q0=start, prescribed=["j1"], target="python") for own in (robot, exact)]
    assert rests[0].q == pytest.approx(rests[1].q, abs=1e-6)
    assert rests[0].forces == pytest.approx(rests[1].forces, abs=1e-5)


@pytest.mark.slow
@pytest.mark.every_case
@pytest.mark.needs_cc
@pytest.mark.parametrize("method", ["dop853", "generalised-alpha", "rk4"])
def test_motions_are_those_of_the_aligned_robot(method: str) -> None:
    """What no move makes less stays; a stepper in C, and solvers in Python."""
    robot, aligned, ends = four_bar(6), api.from_description(aligned_four_bar()), []
    tau = np.array([0.1, 0.0, 0.0])
    for own in (robot, aligned):
        q, v = own.project(own.close(START, hold=["input"], tolerance=1e-6), [0.3, 0.0, 0.0], tolerance=1e-6)
        if method == "rk4":
            module = symdyn.compile(own, ["constrained_forward_dynamics"], steppers=[method])
            ends.append(module.advance_rk4(q, v, tau, times=[0.0, 0.3], h=1e-3).q[-1])
        else:
            ends.append(symdyn.simulate(own, q, v, 0.3, lambda t, q, v: tau, method=method, rtol=1e-8, atol=1e-8).q[-1])
    assert abs(ends[1] - q).max() > 1.0
    assert ends[0] == pytest.approx(ends[1], abs=1e-4)
