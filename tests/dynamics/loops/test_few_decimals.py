"""Planar loops whose axes and points a file has with few decimals: dynamics are those of exact ones, to that many.

Some rows then follow from others but for 1e-6, and would lock the robot, or be half met. They have no multiplier.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from support.robots.looped import four_bar, four_bar_closed
from support.robots.shipped_loops import found

import symdyn
from symdyn import api
from symdyn.description.checks.rotation import rotation_from_rpy
from symdyn.description.loops import Loop, LoopKind
from symdyn.description.quantities.placement import Placement
from symdyn.dynamics.loops.underactuation import _positions as supported_positions
from symdyn.dynamics.loops.underactuation import rows_that_move
from symdyn.errors import RequestError, SymdynWarning
from symdyn.robot.robot import Robot


@cache
def made(decimals: int, kind: LoopKind, size: float = 1.0) -> tuple[Robot, list[str]]:
    """The four-bar with all vectors turned obliquely and written with so many decimals, each axis off by itself.

    Then it is made larger.
    """
    described, R, rng = four_bar(), np.array(rotation_from_rpy(0.1, 0.2, 0.3)), np.random.default_rng(0)

    def moved(vector: Any) -> Any:
        return tuple((size * np.round(R @ vector, decimals)).tolist())

    def axis() -> Any:
        rough = R @ [0.0, 1.0, 0.0] + rng.uniform(-0.5, 0.5, 3) * 10.0**-decimals
        return tuple((rough / np.linalg.norm(rough)).tolist())

    turn: Any = tuple(map(tuple, R.tolist()))
    links = [
        replace(link, inertial=replace(own, placement=Placement(moved(own.placement.translation), turn)))
        if (own := link.inertial) is not None
        else link
        for link in described.links
    ]
    joints = [
        replace(joint, placement=Placement(moved(joint.placement.translation)), axis=axis())
        for joint in described.joints
    ]
    (pin,) = described.acting
    assert isinstance(pin, Loop)
    first, second = (replace(place, point=moved(place.point)) for place in pin.between)
    pin = replace(pin, between=(first, second), kind=kind, axes=(axis(), axis()))
    gravity = tuple((R @ [0.0, 0.0, -9.81]).tolist())
    described = replace(described, links=tuple(links), joints=tuple(joints), acting=(pin,), gravity=gravity)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", SymdynWarning)
        robot = api.from_description(described)
    return robot, [str(own.message) for own in heard]


@cache
def exact() -> Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        return api.from_description(four_bar())


Q = four_bar_closed(0.7)
CASES = [(decimals, kind) for decimals in (12, 9, 8, 7, 6) for kind in (LoopKind.REVOLUTE, LoopKind.SPHERICAL)]


@pytest.mark.parametrize(("decimals", "kind"), CASES)
def test_dynamics_are_those_of_exact_axes(decimals: int, kind: LoopKind) -> None:
    """Errors of positions by 1e-6 change the linkage by as much, times the condition of its position, about ten."""
    own, _ = made(decimals, kind)
    v = 2.0 * np.linalg.svd(found(exact(), "constraint_jacobian", q=Q)[0])[2][2]
    state = {"q": Q, "v": v, "tau": np.array([0.1, 0.2, 0.3]), "a": np.array([1.0, 2.0, 3.0])}
    for function in ("constrained_forward_dynamics", "constrained_inverse_dynamics", "impulse_dynamics"):
        given = {**state, "v": state["a"]} if function == "impulse_dynamics" else state
        wanted, values = found(exact(), function, **given)[0], found(own, function, **given)[0]
        assert values == pytest.approx(wanted, abs=100 * 10.0**-decimals * np.max(np.abs(wanted)))
    assert rows_that_move(own.model, (0,)) == rows_that_move(own.model, (2,)) == ()
    assert rows_that_move(own.model, ()) == (0, 1, 2)


def test_it_is_told() -> None:
    told = made(6, LoopKind.REVOLUTE)[1]
    assert any("rows z, tilt_x, tilt_y follow from others but for the decimals of axes" in own for own in told), told
    assert made(6, LoopKind.REVOLUTE)[0].model.loop_row_names[2:] == ("pin.z", "pin.tilt_x", "pin.tilt_y")
    assert any("row z follows from others but for the decimals" in own for own in made(7, LoopKind.SPHERICAL)[1])
    assert made(9, LoopKind.REVOLUTE)[0].model.loop_row_names == ("pin.x", "pin.y")


@pytest.mark.parametrize("decimals", [6, 4])
def test_decimals_are_those_of_the_size_of_the_loop(decimals: int) -> None:
    """In a linkage of 100 m, errors of 1e-4 m are those of six decimals."""
    (own,), (larger,) = (made(decimals, LoopKind.REVOLUTE, size)[0].model.loops for size in (1.0, 100.0))
    assert larger.near_rows == own.near_rows and larger.slight_rows == own.slight_rows
    assert own.near_rows or own.slight_rows


def test_slopes_are_measured_by_what_they_would_be_if_nothing_cancelled() -> None:
    """Rows over the square roots of masses, which are far from one here, are at most of length one, and not short."""
    lengths = np.array([np.linalg.norm(A, axis=1) for A, _ in supported_positions(exact().model)])
    assert 0.1 < lengths.max() < 1.0 + 1e-12


def test_a_small_crank_holds() -> None:
    """A crank of 2 micrometres on a coupler of half a metre: its rows are short, but its errors are not decimals."""
    described = four_bar()
    joints = tuple(
        replace(joint, placement=Placement((2e-6, 0.0, 0.0))) if joint.name == "elbow" else joint
        for joint in described.joints
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        own = api.from_description(replace(described, joints=joints))
    (loop,) = own.model.loops
    assert loop.rows == ("x", "y") and not loop.near_rows


def test_loops_that_such_rows_follow_from_cannot_be_let_go() -> None:
    """A point on the coupler that a second loop holds again, off by 1e-7: it would hold nothing without the first."""
    described = four_bar()
    (pin,) = described.acting
    assert isinstance(pin, Loop)
    first, second = pin.between
    off = replace(first, point=(first.point[0] + 1e-7, 0.0, 0.0))
    again = replace(pin, name="again", between=(off, second), kind=LoopKind.SPHERICAL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        own = api.from_description(replace(described, acting=(pin, again)))
    assert [loop.near_rows for loop in own.model.loops] == [(), ("x", "z")]
    with pytest.raises(RequestError, match=r"switched loop 'pin' cannot be let go: loop 'again' does without"):
        api.float_recursion(own, "constrained_forward_dynamics", switched=["pin"])


@pytest.mark.needs_cc
def test_motions_are_those_of_exact_axes() -> None:
    """Over 0.1 s, by steppers in C and from Python: errors of positions by 1e-6 grow about tenfold."""
    own, _ = made(6, LoopKind.REVOLUTE)
    v = 2.0 * np.linalg.svd(found(exact(), "constraint_jacobian", q=Q)[0])[2][2]
    q, v = own.project(Q, v, tolerance=1e-6)
    start, times, still = exact().project(q, v), [0.0, 0.1], np.zeros(3)
    steppers = {"dop853": {"rtol": 1e-9, "atol": 1e-10}, "generalised-alpha": {"h": 1e-3}}
    modules = [symdyn.compile(own, ["constraint_error"], lanes=False, steppers=[*steppers]) for own in (own, exact())]
    for method, chosen in steppers.items():
        advance = [getattr(own, f"advance_{method.replace('-', '_')}") for own in modules]
        one, other = advance[0](q, v, still, times=times, **chosen), advance[1](*start, still, times=times, **chosen)
        assert one.code == other.code == 0
        assert one.q[-1] == pytest.approx(other.q[-1], abs=1e-5)
    assert symdyn.simulate(own, q, v, times).q[-1] == pytest.approx(one.q[-1], abs=1e-5)


@pytest.mark.parametrize(
    ("decimals", "kind"), [(5, LoopKind.REVOLUTE), (4, LoopKind.REVOLUTE), (5, LoopKind.SPHERICAL)]
)
def test_rows_that_may_lock_are_told(decimals: int, kind: LoopKind) -> None:
    """Fewer decimals leave so much of rows that these might be meant: they hold, and one line names loop and kind."""
    own, told = made(decimals, kind)
    (loop,) = own.model.loops
    assert loop.slight_rows and {*loop.slight_rows, *loop.near_rows} == {*loop.rows[2:]}
    taken = "kind point_on_line" if kind is LoopKind.REVOLUTE else "a kind such as point_on_line"
    (line,) = [line for line in told if "may lock the robot" in line]
    assert "loop 'pin'" in line and f"kind {kind.value} may lock the robot" in line and f"take {taken}" in line
    line = next(line for line in own.warnings if "but for 1e-3 or less" in line)
    assert ", ".join(loop.slight_rows) in line and f"take {taken}" in line


def test_the_kind_that_is_told_moves_as_exact_axes() -> None:
    own, told = made(5, LoopKind.POINT_ON_LINE)
    assert not any("lock" in line for line in told) and not own.model.loops[0].slight_rows
    state = {"q": Q, "v": np.zeros(3), "tau": np.array([0.1, 0.2, 0.3])}
    wanted, values = (found(robot, "constrained_forward_dynamics", **state)[0] for robot in (exact(), own))
    assert values == pytest.approx(wanted, abs=1e-3 * np.max(np.abs(wanted)))
