"""Motion with flexible links: energy and momentum are kept, and a beam that is spun up behaves as published."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support.oracles.flexible_motion import trajectory
from support.robots.flexible import SPIN_LENGTH, floating_hub, rotating_beam, satellite
from support.robots.small import loaded

import symdyn

Array = NDArray[np.float64]
pytestmark = pytest.mark.needs_cc


def test_energy_of_the_free_canadarm() -> None:
    robot = symdyn.load_example("canadarm")
    module = symdyn.compile(robot, ["forward_dynamics", "kinetic_energy", "potential_energy"], lanes=False)
    n = robot.nv
    start = np.zeros(2 * n)
    for row, name in enumerate(robot.velocity_names):
        if name.endswith("[0]"):
            start[row] = 0.05  # m at the tip, in both planes
        elif "[" not in name:
            start[row], start[n + row] = 0.4, 0.1
    idle = np.zeros(n)

    def rate(_: Array, y: Array) -> Array:
        a = module.forward_dynamics(y[:, :n], y[:, n:], np.broadcast_to(idle, y[:, :n].shape))
        return np.concatenate([y[:, n:], a], axis=1)

    _, states = trajectory(rate, start, 10.0, 20000, keep=100)
    energy = module.kinetic_energy(states[:, :n], states[:, n:]) + module.potential_energy(states[:, :n])
    assert energy[0] > 1.0
    assert np.ptp(states[:, 0]) > 0.1
    assert np.abs(energy / energy[0] - 1).max() < 1e-8


@pytest.mark.parametrize("make", [satellite, partial(floating_hub, count=1)])
def test_momentum_and_energy_in_space(make: Any) -> None:
    robot = loaded(make(), gravity=(0.0, 0.0, 0.0))
    functions = ["forward_dynamics", "kinetic_energy", "potential_energy", "centroidal_momentum", "center_of_mass"]
    module = symdyn.compile(robot, functions, lanes=False)  # a batch of one row; test_steep_tips.py calls more
    nq, nv = robot.nq, robot.nv

    def rate(_: Array, y: Array) -> Array:
        q, v = y[:, :nq], y[:, nq:]
        made = np.zeros_like(y)
        x, w = q[:, 3:6], q[:, 6:7]
        made[:, :3] = v[:, :3] + 2 * np.cross(x, np.cross(x, v[:, :3]) + w * v[:, :3])
        made[:, 3:6] = (w * v[:, 3:6] + np.cross(x, v[:, 3:6])) / 2
        made[:, 6] = -np.einsum("ij,ij->i", x, v[:, 3:6]) / 2
        made[:, 7:nq] = v[:, 6:]
        made[:, nq:] = module.forward_dynamics(q, v, np.zeros_like(v))
        return made

    rng = np.random.default_rng(4)
    small = np.array([0.1 if "[" in name else 0.5 for name in robot.velocity_names])
    q = robot.integrate(robot.neutral(), rng.standard_normal(nv) * small)
    start = np.concatenate([q, rng.standard_normal(nv) * small])
    _, states = trajectory(rate, start, 3.0, 1500, keep=30)
    q, v = states[:, :nq], states[:, nq:]
    energy = module.kinetic_energy(q, v) + module.potential_energy(q)
    momentum, center = module.centroidal_momentum(q, v), module.center_of_mass(q)
    angular = momentum[:, 3:] + np.cross(center, momentum[:, :3])
    assert np.ptp(v, axis=0).min() > 1e-3  # everything moves
    np.testing.assert_allclose(energy, energy[0], rtol=1e-10)
    np.testing.assert_allclose(momentum[:, :3], np.tile(momentum[0, :3], (len(q), 1)), atol=1e-10)
    np.testing.assert_allclose(angular, np.tile(angular[0], (len(q), 1)), atol=1e-10)


def spun_up(stiffening: bool, end: float, steps: int) -> tuple[Array, Array]:
    """Times, and the transverse deflection of the tip [m]; 6 rad/s are reached at 15 s."""
    robot = loaded(rotating_beam(stiffening), gravity=(0.0, 0.0, 0.0))
    module: Any = symdyn.compile(robot, ["hybrid_dynamics", "forward_kinematics"], prescribed=["spin"])
    n = robot.nv
    slope = 2 * np.pi / 15.0

    def rate(t: Array, y: Array) -> Array:
        u = np.zeros((len(y), n))
        u[:, 0] = np.where(t < 15.0, 6.0 / 15.0 * (1 - np.cos(slope * t)), 0.0)
        a = module.hybrid_dynamics(y[:, :n], y[:, n:], u)
        a[:, 0] = u[:, 0]
        return np.concatenate([y[:, n:], a], axis=1)

    times, states = trajectory(rate, np.zeros(2 * n), end, steps)
    poses = module.forward_kinematics(states[:, :n])
    link, tip = (poses[:, robot.frame_names.index(name)] for name in ("beam", "beam.tip"))
    in_link = np.einsum("kba,kb->ka", link[:, :3, :3], tip[:, :3, 3] - link[:, :3, 3])
    assert states[-1, n] == pytest.approx(6.0 if end > 15 else states[-1, n], rel=1e-12)
    return times, in_link[:, 1]


def test_a_beam_that_is_spun_up_comes_back() -> None:
    times, tip = spun_up(True, 20.0, 2000)
    # Wu and Haug, and Simo and Vu-Quoc, give about -0.57 m, between 6 s and 8 s.
    assert tip.min() == pytest.approx(-0.57, abs=0.03)
    assert 5.5 < times[tip.argmin()] < 8.5
    late = tip[times > 16.0]
    assert np.abs(late).max() < 0.02


def test_without_stiffening_the_same_beam_runs_away() -> None:
    _, tip = spun_up(False, 10.0, 1000)
    assert np.abs(tip).max() > 0.5 * SPIN_LENGTH
