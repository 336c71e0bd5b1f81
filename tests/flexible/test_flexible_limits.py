"""What is known of beams without any equations of multibody dynamics: statics, the stiff limit, steady rotation."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support.oracles.flexible_beams import clamped_free_root
from support.robots.flexible import (
    SPIN_LENGTH,
    branched,
    cantilever,
    rigid,
    rotating_beam,
    satellite,
    stiffened,
    two_links,
)
from support.robots.small import loaded

from symdyn import api
from symdyn.description.flexible import Basis
from symdyn.description.robot import RobotDescription
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
GRAVITY = (1.0, -2.0, -9.0)


def called(robot: Robot, function: str, external: str | None = None, **inputs: Any) -> Any:
    asked = {} if external is None else {"external_wrenches": external}
    flat = {key: np.asarray(value, dtype=float).ravel() for key, value in inputs.items()}
    return np.array(next(iter(api.float_recursion(robot, function, **asked)(flat).values())))


def balanced(robot: Robot, q: Array, v: Array, a: Array, rows: Array) -> Array:
    """q with the amplitudes at which a motion needs no force on them, by Newton's method with fixed slopes."""

    def forces(at: Array) -> Array:
        return called(robot, "inverse_dynamics", q=at, v=v, a=a)[rows]

    steps = 1e-5 * np.eye(robot.nv)[rows]
    slopes = [(forces(robot.integrate(q, step)) - forces(robot.integrate(q, -step))) / 2e-5 for step in steps]
    inverse = np.linalg.inv(np.transpose(slopes))
    for _ in range(40):
        move = np.zeros(robot.nv)
        move[rows] = -inverse @ forces(q)
        q = robot.integrate(q, move)
        if np.abs(move).max() < 1e-15:
            return q
    raise AssertionError(f"no balance after 40 steps, the last of {np.abs(move).max():.1e}")


def deflection(basis: Basis, count: int) -> float:
    """Of the end of a cantilever, over P L^3 / (3 E I)."""
    robot = loaded(cantilever(basis, count), gravity=(0.0, 0.0, 0.0))
    assert robot.body_names == ("wall.tip",)
    still, load = np.zeros(count), 0.3
    pulled = called(robot, "inverse_dynamics", "world", q=still, v=still, a=still, f_ext=[0.0, load, 0, 0, 0, 0])
    stiffness = np.array([called(robot, "inverse_dynamics", q=row, v=still, a=still) for row in np.eye(count)])
    poses = called(robot, "forward_kinematics", q=np.linalg.solve(stiffness, -pulled)).reshape(-1, 4, 4)
    tip = poses[robot.frame_names.index("wall.tip")]
    return float(tip[1, 3] / (load * 2.0**3 / (3 * 50.0)))


def test_a_load_at_the_end_of_a_cantilever() -> None:
    # Two powers hold the exact cubic; modes leave 12 sum beta^-4 over those that are left out.
    assert deflection(Basis.POLYNOMIAL, 2) == pytest.approx(1.0, abs=1e-12)
    misses = [1.0 - deflection(Basis.CLAMPED_FREE, count) for count in (1, 2, 3, 5, 8)]
    for count, miss in zip((1, 2, 3, 5, 8), misses, strict=True):
        kept = 1.0 - sum(12.0 / float(clamped_free_root(number)) ** 4 for number in range(1, count + 1))
        assert miss == pytest.approx(kept, abs=1e-12)
    assert all(later < earlier / 2 for earlier, later in pairwise(misses))
    assert misses[-1] < 1e-4


@pytest.mark.parametrize("make", [two_links, branched, satellite])
def test_stiff_beams_tend_to_rods(make: Any) -> None:
    description: RobotDescription = make()
    rod = loaded(rigid(description), gravity=GRAVITY)
    misses = []
    for factor in (1e3, 1e6):
        robot = loaded(stiffened(description, factor), gravity=GRAVITY)
        rows = np.array([k for k, name in enumerate(robot.velocity_names) if "[" in name])
        others = np.array([k for k in range(robot.nv) if k not in rows])
        assert [robot.velocity_names[k] for k in others] == list(rod.velocity_names)
        rng = np.random.default_rng(2)
        dv, v, a = np.zeros((3, robot.nv))
        dv[others], v[others], a[others] = rng.standard_normal((3, rod.nv))
        q = balanced(robot, robot.integrate(robot.neutral(), dv), v, a, rows)
        rod_q = rod.integrate(rod.neutral(), dv[others])
        expected = called(rod, "inverse_dynamics", q=rod_q, v=v[others], a=a[others])
        found = called(robot, "inverse_dynamics", q=q, v=v, a=a)
        misses.append(np.abs(found[others] - expected).max() / np.abs(expected).max())
        # The same forces accelerate it as the rod, and leave the shapes at rest.
        tau = np.zeros(robot.nv)
        tau[others] = found[others]
        accelerated = called(robot, "forward_dynamics", q=q, v=v, tau=tau)
        np.testing.assert_allclose(accelerated[others], a[others], atol=1e-6)
    assert misses[1] < 1e-4
    assert misses[0] / misses[1] == pytest.approx(1e3, rel=0.1)


def test_a_spinning_beam_is_longer_by_the_centrifugal_pull() -> None:
    speed = 6.0
    extension = 1.2 * speed**2 * SPIN_LENGTH**3 / (3 * 2.8e7)
    assert extension == pytest.approx(5.14e-4, rel=1e-3)
    found = []
    for axial in (1, 3, 6):
        robot = loaded(rotating_beam(True, bending=2, axial=axial), gravity=(0.0, 0.0, 0.0))
        rows = np.arange(1, robot.nv)
        v = np.zeros(robot.nv)
        v[0] = speed
        q = balanced(robot, robot.neutral(), v, np.zeros(robot.nv), rows)
        pose = called(robot, "forward_kinematics", q=q).reshape(-1, 4, 4)[robot.frame_names.index("beam.tip")]
        np.testing.assert_allclose(pose[1:3, 3], 0.0, atol=1e-15)
        found.append(pose[0, 3] - SPIN_LENGTH)
    # Softer than E A alone by the square of speed over frequency, (6 / 759)^2; modes leave out (2 / (2k - 1) pi)^4.
    assert found[-1] == pytest.approx(extension, rel=5e-4)
    assert abs(found[2] - extension) < abs(found[0] - extension)
