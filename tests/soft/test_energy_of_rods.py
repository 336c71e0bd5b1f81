"""The energy of a rod without losses, 24 coordinates, over ten seconds of free motion by SciPy's integrators."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

import symdyn
from symdyn import api

pytestmark = [pytest.mark.slow, pytest.mark.needs_cc]

Array = NDArray[np.float64]

START = {"arm.curvature_y[0]": 1.0, "arm.curvature_z[1]": 0.5, "arm.twist[0]": 0.6}
"""In rad; let go from there it swings, about as far as to the other side."""


@pytest.mark.parametrize(("method", "end"), [("DOP853", 10.0), ("Radau", 0.1)])
def test_energy_stays(method: str, end: float) -> None:
    """To a millionth of the largest kinetic energy, at a tolerance of 1e-8."""
    from scipy.integrate import solve_ivp

    shipped = symdyn.load_example("cable_manipulator").description
    (link,) = shipped.links
    assert link.soft is not None
    matter = replace(link.soft.material, viscosity=0.0)
    robot = api.from_description(replace(shipped, links=(replace(link, soft=replace(link.soft, material=matter)),)))
    module = symdyn.compile(robot, ["forward_dynamics", "kinetic_energy", "potential_energy"])
    n, nothing = robot.nv, np.zeros(robot.nv)
    assert n == 24

    def rate(t: float, y: Array) -> Array:
        return np.concatenate([y[n:], module.forward_dynamics(y[:n], y[n:], nothing)])

    start = np.zeros(2 * n)
    for name, value in START.items():
        start[robot.velocity_names.index(name)] = value
    times = np.linspace(0.0, end, 400)
    found = solve_ivp(rate, (0.0, end), start, method=method, rtol=1e-8, atol=1e-8, t_eval=times)
    assert found.success
    states = found.y.T
    kinetic = np.array([module.kinetic_energy(y[:n], y[n:]) for y in states]).ravel()
    energy = kinetic + np.array([module.potential_energy(y[:n]) for y in states]).ravel()
    assert kinetic.max() > 0.05
    assert np.abs(energy - energy[0]).max() <= 1e-6 * kinetic.max()
