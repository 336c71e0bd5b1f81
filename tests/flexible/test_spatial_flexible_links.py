"""Chains, trees and floating bases with flexible links against Lagrange's equations from the positions of points."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support.oracles.flexible_lagrangian import LagrangeRobot
from support.robots.flexible import branched, satellite, two_links
from support.robots.small import loaded

from symdyn import api
from symdyn.description.robot import RobotDescription
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
TOLERANCE = 1e-9
GRAVITY = (1.0, -2.0, -9.0)
"""Along no axis, so that every component is felt."""

FIXED: dict[str, Callable[[], RobotDescription]] = {
    "two_links": two_links,
    "two_links_stiffened": partial(two_links, stiffening=True),
    "branched": branched,
}
ALL = {**FIXED, "satellite": satellite}


@cache
def robot(name: str) -> Robot:
    return loaded(ALL[name](), gravity=GRAVITY)


@cache
def lagrange(name: str) -> LagrangeRobot:
    return LagrangeRobot(ALL[name](), robot(name).velocity_names, GRAVITY)


def states(name: str, count: int = 3) -> list[tuple[Array, Array, Array, Any]]:
    """q as symdyn wants it, v, a, and the base as rotation and position."""
    rng = np.random.default_rng(11)
    small = np.array([0.1 if "[" in row else 1.0 for row in robot(name).velocity_names])
    found = []
    for _ in range(count):
        dv, v, a = (rng.standard_normal(robot(name).nv) for _ in range(3))
        q = robot(name).integrate(robot(name).neutral(), dv * small)
        base = None
        if name == "satellite":
            x, y, z, w = q[3:7]
            turn = [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
            base = (np.array(turn), q[:3])
        found.append((q, v * np.sqrt(small), a, base))
    return found


def chart(q: Array, base: Any) -> Array:
    """The reference's coordinates: a free base is where ``base`` says."""
    return q if base is None else np.concatenate([np.zeros(6), q[7:]])


def called(name: str, function: str, external: str | None = None, **inputs: Array) -> Any:
    asked = {} if external is None else {"external_wrenches": external}
    flat = {key: value.ravel() for key, value in inputs.items()}
    return np.array(next(iter(api.float_recursion(robot(name), function, **asked)(flat).values())))


def close(found: Any, expected: Any, tolerance: float = TOLERANCE) -> None:
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * np.abs(expected).max())


@pytest.mark.parametrize("name", ALL)
def test_tau(name: str) -> None:
    for q, v, a, base in states(name):
        expected = lagrange(name).inverse_dynamics(chart(q, base), v, a, base)
        close(called(name, "inverse_dynamics", q=q, v=v, a=a), expected)


@pytest.mark.parametrize("name", ALL)
def test_mass_matrix(name: str) -> None:
    q, _, _, base = states(name)[0]
    nv = robot(name).nv
    close(called(name, "mass_matrix", q=q).reshape(nv, nv), lagrange(name).mass_matrix(chart(q, base), base))


@pytest.mark.parametrize("name", ALL)
def test_forward_dynamics(name: str) -> None:
    for q, v, a, base in states(name):
        tau = lagrange(name).inverse_dynamics(chart(q, base), v, a, base)
        close(called(name, "forward_dynamics", q=q, v=v, tau=tau), a, 1e-8)


@pytest.mark.parametrize("name", ALL)
def test_gravity_and_bias(name: str) -> None:
    q, v, _, base = states(name)[0]
    still = np.zeros(robot(name).nv)
    weightless = LagrangeRobot(ALL[name](), robot(name).velocity_names, (0.0, 0.0, 0.0))
    springs = weightless.inverse_dynamics(chart(q, base), still, still, base)
    held = lagrange(name).inverse_dynamics(chart(q, base), still, still, base)
    assert np.abs(springs).max() > 1e-2
    close(called(name, "gravity", q=q), held - springs)
    close(called(name, "bias", q=q, v=v), lagrange(name).inverse_dynamics(chart(q, base), v, still, base))


@pytest.mark.parametrize("name", ["two_links", "two_links_stiffened", "satellite"])
def test_energies(name: str) -> None:
    (q, v, _, base), (other, _, _, elsewhere) = states(name, 2)
    kinetic, potential = lagrange(name).energies(chart(q, base), v, base)
    close(called(name, "kinetic_energy", q=q, v=v)[0], kinetic)
    found = [called(name, "potential_energy", q=each)[0] for each in (q, other)]
    # its constant is its own
    close(found[0] - found[1], potential - lagrange(name).energies(chart(other, elsewhere), v, elsewhere)[1])


@pytest.mark.parametrize("name", ALL)
def test_poses_of_links_and_tips(name: str) -> None:
    q, _, _, base = states(name)[0]
    poses = called(name, "forward_kinematics", q=q).reshape(-1, 4, 4)
    motion = lagrange(name).motion([[x] for x in chart(q, base)])
    names = robot(name).frame_names
    tips = [frame for frame in names if frame.endswith(".tip")]
    assert len(tips) == len(lagrange(name).beams)
    for frame, pose in zip(names, poses, strict=True):
        R, x = lagrange(name).frame(frame, motion, base)
        close(pose[:3, :3], R.value[..., 0], 1e-12)
        np.testing.assert_allclose(pose[:3, 3], x.value[..., 0], rtol=1e-12, atol=1e-12, err_msg=frame)


@pytest.mark.parametrize("axes", ["body", "world"])
@pytest.mark.parametrize("name", ALL)
def test_wrenches_on_links_and_tips_do_virtual_work(name: str, axes: str) -> None:
    q, v, a, base = states(name)[0]
    bodies = robot(name).body_names
    wrenches = np.random.default_rng(5).standard_normal((len(bodies), 6))
    expected = lagrange(name).inverse_dynamics(chart(q, base), v, a, base)
    motion = lagrange(name).motion([[x] for x in chart(q, base)])
    for body, wrench in zip(bodies, wrenches, strict=True):
        R, x = lagrange(name).frame(body, motion, base)
        turn, moved, turns = R.value[..., 0], x.slopes[..., 0], R.slopes[..., 0]
        spin = np.einsum("xyi,zy->xzi", turns, turn)  # [omega] by q_i
        angular = np.stack([spin[2, 1], spin[0, 2], spin[1, 0]])
        force, moment = (turn @ part if axes == "body" else part for part in (wrench[:3], wrench[3:]))
        expected = expected - moved.T @ force - angular.T @ moment
    close(called(name, "inverse_dynamics", axes, q=q, v=v, a=a, f_ext=wrenches), expected)


def test_momentum_of_a_satellite() -> None:
    q, v, _, base = states("satellite")[0]
    linear, angular = lagrange("satellite").momentum(chart(q, base), v, base)
    center = called("satellite", "center_of_mass", q=q)
    expected = np.concatenate([linear, angular - np.cross(center, linear)])
    close(called("satellite", "centroidal_momentum", q=q, v=v), expected)
    matrix = called("satellite", "centroidal_momentum_matrix", q=q).reshape(6, -1)
    close(matrix @ v, expected)
