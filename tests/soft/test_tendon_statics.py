"""Rests of the cable manipulator under random tensions, as Mathew et al. find them in section 4.5.

Newton's method with our partial derivatives, from the straight arm each time.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

import symdyn
from symdyn import api

pytestmark = [pytest.mark.slow, pytest.mark.needs_cc]

Array = NDArray[np.float64]

CASES, MOST = 150, 100.0
"""Tensions are drawn from 0 to this [N]."""
HALVINGS, ITERATIONS = 20, 40


class Arm:
    """The shipped robot; under such tensions a step between its five stations turns by up to 3 rad."""

    def __init__(self) -> None:
        shipped = symdyn.load_example("cable_manipulator").description
        (link,) = shipped.links
        assert link.soft is not None
        bent = replace(link, soft=replace(link.soft, max_turn_per_step=math.pi))
        robot = api.from_description(replace(shipped, links=(bent,)))
        names = ["inverse_dynamics", "inverse_dynamics_partials", "actuation_matrix", "elastic_forces"]
        self.forces = symdyn.compile(robot, [*names, "potential_energy", "tendon_lengths"])
        driven = ["forward_dynamics", "forward_dynamics_partials"]
        self.driven = symdyn.compile(robot, driven, inputs="actuators")
        self.still = np.zeros(robot.nv)
        stiffness = np.array([self.forces.elastic_forces(row) for row in np.eye(robot.nv)])
        self.gives = np.linalg.inv(stiffness)

    def left(self, q: Array, u: Array) -> Array:
        """Forces that nothing balances."""
        held = self.forces.inverse_dynamics(q, self.still, self.still)
        return np.asarray(held - self.forces.actuation_matrix(q) @ u)

    def slopes(self, q: Array, u: Array) -> Array:
        """Of these by q: ``left`` is -M a, and partials of inverse dynamics at a and at 0 part by dM/dq a."""
        a = self.driven.forward_dynamics(q, self.still, u)
        moved, _, mass = self.forces.inverse_dynamics_partials(q, self.still, a)
        rested, _, _ = self.forces.inverse_dynamics_partials(q, self.still, self.still)
        return np.asarray(rested - moved - mass @ self.driven.forward_dynamics_partials(q, self.still, u)[0])

    def rest(self, u: Array) -> tuple[Array, int]:
        """Coordinates at rest, and the number of iterations; steps are halved until what is left gets less."""
        q = self.still
        left = self.left(q, u)
        for iteration in range(1, ITERATIONS):
            move = np.linalg.solve(self.slopes(q, u), -left)
            for share in 0.5 ** np.arange(HALVINGS):
                found = self.left(q + share * move, u)
                if found @ self.gives @ found < left @ self.gives @ left or np.abs(move).max() < 1e-10:
                    break
            else:
                break
            q, left = q + share * move, found
            if np.abs(share * move).max() < 1e-10:
                return q, iteration
        raise ArithmeticError(f"no rest under tensions {u}")

    def energy(self, q: Array, u: Array) -> float:
        """Of weight and elastic forces, with that of the tensions."""
        return float(self.forces.potential_energy(q) + u @ self.forces.tendon_lengths(q))


def test_random_tensions_have_their_rest() -> None:
    arm, rng = Arm(), np.random.default_rng(5)
    tensions = rng.uniform(0.0, MOST, (CASES, 5))
    found, counts = [], []
    for u in tensions:
        q, count = arm.rest(u)
        found.append((q, u))
        counts.append(count)
    assert np.mean(counts) < 8.0 and max(counts) <= 20
    # They are rests of an energy that knows no forces: moved either way it is the same, to the second order.
    for q, u in found[::15]:
        step = 1e-4 * rng.standard_normal(len(q)) / np.sqrt(len(q))
        ends = [arm.energy(q + sign * step, u) for sign in (1.0, -1.0)]
        held = np.abs(arm.forces.actuation_matrix(q) @ u) @ np.abs(step)
        assert abs(ends[0] - ends[1]) < 1e-6 * held
