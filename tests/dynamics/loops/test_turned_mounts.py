"""Robots with loops on a mount that is turned in the world, and gravity with it: what their joints do stays the same.

Rows that are zero in an aligned robot are what rounding makes of zero in a turned one.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from mpmath import mp
from support.dense_loops import Dense
from support.robots.looped import four_bar, four_bar_closed
from support.robots.shipped_loops import closed_state, found, shipped
from support.robots.turned import TURNS, Angles, turned, turned_robot

from symdyn import api
from symdyn.description.checks.rotation import rotation_from_rpy
from symdyn.description.loops import Loop, LoopKind
from symdyn.description.quantities.placement import Matrix3, Placement, Vector3
from symdyn.description.robot import RobotDescription
from symdyn.dynamics.loops.underactuation import rows_that_move
from symdyn.errors import SymdynWarning
from symdyn.robot.robot import Robot

PLANAR = ("four_bar", "five_bar", "slider_crank", "andrews_squeezer")


@cache
def mounted(name: str, turn: str) -> Robot:
    return turned_robot(shipped(name), TURNS[turn])


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("name", PLANAR)
def test_the_same_rows_hold(name: str, turn: str) -> None:
    aligned = shipped(name)
    assert [loop.dropped for loop in mounted(name, turn).model.loops] == [loop.dropped for loop in aligned.model.loops]


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("name", PLANAR)
def test_motions_and_forces_are_those_of_the_aligned_robot(name: str, turn: str) -> None:
    """To 1e-9 of the largest: near some closed states S has a condition of 1e6."""
    aligned, own, rng = shipped(name), mounted(name, turn), np.random.default_rng(5)
    q, v = closed_state(name, rng)
    tau, a = rng.standard_normal(aligned.nv), rng.standard_normal(aligned.nv)
    asked = {
        "constrained_forward_dynamics": {"q": q, "v": v, "tau": tau},
        "constrained_inverse_dynamics": {"q": q, "v": v, "a": a},
        "impulse_dynamics": {"q": q, "v": a},
        "operational_inertia": {"q": q},
        "constrained_forward_dynamics_partials": {"q": q, "v": v, "tau": tau},
    }
    for function, state in asked.items():
        for one, other in zip(found(aligned, function, **state), found(own, function, **state), strict=True):
            assert other == pytest.approx(one, abs=1e-9 * np.max(np.abs(one)), rel=0), function


def oblique(rpy: Angles) -> RobotDescription:
    """The four-bar with all its vectors turned, so that its common axis is none of x, y and z; no joint is fixed."""
    described, R = four_bar(), np.array(rotation_from_rpy(*rpy))

    def moved(vector: Sequence[float]) -> Vector3:
        x, y, z = (R @ vector).tolist()
        return (x, y, z)

    links = tuple(
        replace(link, inertial=replace(own, placement=Placement(moved(own.placement.translation), _rows(R))))
        if (own := link.inertial) is not None
        else link
        for link in described.links
    )
    joints = tuple(
        replace(joint, placement=Placement(moved(joint.placement.translation)), axis=moved(joint.axis))
        for joint in described.joints
    )
    (pin,) = described.acting
    assert isinstance(pin, Loop)
    first, second = (replace(place, point=moved(place.point)) for place in pin.between)
    pin = replace(pin, between=(first, second), axes=(moved((0.0, 1.0, 0.0)),) * 2)
    return replace(described, links=links, joints=joints, acting=(pin,), gravity=moved((0.0, 0.0, -9.81)))


@pytest.mark.parametrize("turn", TURNS)
def test_an_oblique_axis_without_a_fixed_joint(turn: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        aligned, own = api.from_description(four_bar()), api.from_description(oblique(TURNS[turn]))
    assert [loop.dropped for loop in own.model.loops] == [("z", "tilt_x", "tilt_y")]
    rng = np.random.default_rng(4)
    q = four_bar_closed(0.7)
    v, tau = rng.standard_normal(3), rng.standard_normal(3)
    (a, multipliers), (b, others) = (
        found(robot, "constrained_forward_dynamics", q=q, v=v, tau=tau) for robot in (aligned, own)
    )
    A, B = (found(robot, "constraint_jacobian", q=q)[0] for robot in (aligned, own))
    forces = A.T @ multipliers
    assert b == pytest.approx(a, abs=1e-12 * np.max(np.abs(a)))
    assert B.T @ others == pytest.approx(forces, abs=1e-12 * np.max(np.abs(forces)))
    with mp.workdps(50):
        motion, _ = Dense.at(own, {"q": q.tolist(), "v": v.tolist()}).forward(tau.tolist())
    assert b == pytest.approx(list(map(float, motion)), abs=1e-12 * np.max(np.abs(a)))


@pytest.mark.parametrize("turn", ["", "yaw30", "random2"])
def test_points_that_meet(turn: str) -> None:
    """A spherical loop has three rows, of which one follows."""
    described = four_bar()
    (pin,) = described.acting
    assert isinstance(pin, Loop)
    described = replace(described, acting=(replace(pin, kind=LoopKind.SPHERICAL),))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        own = api.from_description(turned(described, TURNS[turn]) if turn else described)
        pinned_robot = api.from_description(four_bar())
    state = {"q": four_bar_closed(0.7), "v": np.array([0.3, 0.2, -0.1]), "tau": np.array([0.1, 0.2, 0.3])}
    pinned = found(pinned_robot, "constrained_forward_dynamics", **state)[0]
    assert len(own.model.loop_row_names) == 2
    assert found(own, "constrained_forward_dynamics", **state)[0] == pytest.approx(pinned, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("turn", ["yaw30", "random2"])
@pytest.mark.parametrize("name", PLANAR)
def test_the_same_rows_move_without_a_force(name: str, turn: str) -> None:
    aligned, own = shipped(name).model, mounted(name, turn).model
    for actuated in ((), (0,), (1,), (0, 2), (0, 1, 2)):
        assert rows_that_move(own, actuated) == rows_that_move(aligned, actuated)
    assert rows_that_move(own, ()) and not rows_that_move(own, range(own.nv))


def _rows(R: np.ndarray) -> Matrix3:
    first, second, third = R.tolist()
    return (tuple(first), tuple(second), tuple(third))


@pytest.mark.slow
def test_a_soft_finger_on_a_turned_mount() -> None:
    aligned = shipped("fin_ray_finger")
    own, rng = mounted("fin_ray_finger", "rpy123"), np.random.default_rng(6)
    assert own.model.loop_row_names == aligned.model.loop_row_names
    q = aligned.neutral() + 0.01 * rng.standard_normal(aligned.nv)
    state = {"q": q, "v": 0.1 * rng.standard_normal(aligned.nv), "tau": 0.1 * rng.standard_normal(aligned.nv)}
    (a, multipliers), (b, others) = (found(robot, "constrained_forward_dynamics", **state) for robot in (aligned, own))
    A, B = (found(robot, "constraint_jacobian", q=q)[0] for robot in (aligned, own))
    assert b == pytest.approx(a, abs=1e-9 * np.max(np.abs(a)), rel=0)
    forces = A.T @ multipliers
    assert B.T @ others == pytest.approx(forces, abs=1e-9 * np.max(np.abs(forces)), rel=0)


@pytest.mark.parametrize("turn", ["rpy123", "random0"])
def test_a_planar_loop_on_a_free_base(turn: str) -> None:
    """Its ground is a link that flies; the dense equations are solved by the pseudo-inverse."""
    described = replace(four_bar(), floating_base=True)
    ground = replace(described.links[1], name="ground")
    described = replace(described, links=(ground, *described.links[1:]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        own = turned_robot(api.from_description(described), TURNS[turn])
    assert [loop.rows for loop in own.model.loops] == [("x", "y")]
    rng = np.random.default_rng(7)
    q, v = own.random_state(rng)
    tau = rng.standard_normal(own.nv)
    a, multipliers = found(own, "constrained_forward_dynamics", q=q, v=v, tau=tau)
    (A,), (M,) = found(own, "constraint_jacobian", q=q), found(own, "mass_matrix", q=q)
    (bias,), (rest,) = found(own, "constraint_bias", q=q, v=v), found(own, "bias", q=q, v=v)
    K = np.block([[M, -A.T], [A, np.zeros((2, 2))]])
    dense = np.linalg.solve(K, np.concatenate([tau - rest, -bias]))
    assert np.concatenate([a, multipliers]) == pytest.approx(dense, abs=1e-9 * np.max(np.abs(dense)), rel=0)
