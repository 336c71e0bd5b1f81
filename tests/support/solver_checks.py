"""What solvers call, against the functions that it is composed of and against differences."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from support.looped_checks import STEP, differences, evaluator
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
FACTORS = np.array([0.7, 1.3, 0.4])


class Posed:
    """A robot at a random state, and what is given to it.

    Parameters
    ----------
    robot, seed
        The robot, and the seed that draws the state.
    options
        Of the functions.
    """

    def __init__(self, robot: Robot, seed: int = 1, **options: Any) -> None:
        rng, self.robot, self.options = np.random.default_rng(seed), robot, options
        self.q, self.v = robot.random_state(rng)
        self.a, self.multipliers = rng.standard_normal(robot.nv), rng.standard_normal(len(robot.model.loop_row_names))
        driven, self.held = options.get("inputs") == "actuators", list(options.get("prescribed", ()))
        self.forces = {"u" if driven or self.held else "tau": rng.uniform(0.5, 1.0, self._inputs(driven))}
        if driven and self.held:
            self.forces["a"] = rng.standard_normal(robot.nv)
        self.more: dict[str, Array] = {}
        if "switched" in options:
            self.more["active"] = np.arange(len(options["switched"])) % 2 * 1.0
        if "external_wrenches" in options:
            self.more["f_ext"] = rng.standard_normal((len(robot.model.body_names), 6))
        if robot.model.slots.names:
            self.more["p"] = robot.runtime_defaults * 1.1

    def _inputs(self, driven: bool) -> int:
        return len(self.robot.model.actuator_inputs) if driven else self.robot.nv

    @property
    def quaternions(self) -> list[slice]:
        """Rows of q."""
        joints = (joint for joint in self.robot.model.independent_joints if joint.kind.quaternion)
        return [slice(joint.q_rows.stop - 4, joint.q_rows.stop) for joint in joints]

    def state(self, length: float = 1.3) -> Array:
        """The state, quaternions of some length."""
        q = self.q.copy()
        for rows in self.quaternions:
            q[rows] *= length
        return np.concatenate([q, self.v])

    def rate(self, y: Array, **given: Any) -> Array:
        """Its rate."""
        found: Array = evaluator(self.robot, "state_derivative", **self.options)(
            y=y, **self.forces | self.more | given
        )[0]
        return found

    def check_rate(self) -> None:
        """Accelerations are those of dynamics, coordinates move along v, quaternions keep their lengths."""
        robot, y = self.robot, self.state()
        nq, rate = robot.nq, self.rate(y)
        name = ("constrained_" if robot.model.loops else "") + ("hybrid" if self.held else "forward") + "_dynamics"
        wanted = evaluator(robot, name, **self.options)(q=self.q, v=self.v, **self.forces, **self.more)[0]
        rows = [robot.velocity_names.index(own) for own in self.held]
        wanted[rows] = self.forces["a" if "a" in self.forces else "u"][rows] if rows else 0.0
        np.testing.assert_allclose(rate[nq:], wanted, atol=1e-12 * abs(wanted).max())
        step = differences(lambda h: robot.integrate(self.q, h[0] * self.v), 1)[:, 0]
        for own in self.quaternions:
            assert abs(y[own] @ rate[own]) <= 1e-15 * (1.0 + abs(rate[own]).max())
            step[own] *= 1.3
        np.testing.assert_allclose(rate[:nq], step, atol=1e-11 * (1.0 + abs(step).max()))

    def check_jacobian(self, tolerance: float = 1e-9) -> None:
        """The Jacobian against differences of the rate, off the unit sphere, by all that is given."""
        y = self.state()
        given = self.forces | self.more
        found = evaluator(self.robot, "state_jacobian", **self.options)(y=y, **given)
        wanted = [differences(lambda d: self.rate(y + d), len(y))]
        wanted += [
            differences(lambda d, own=name: self.rate(y, **{own: self.forces[own] + d}), len(self.forces[name]))  # type: ignore[misc]
            for name in self.forces
        ]
        assert len(found) == len(wanted)
        largest = abs(self.rate(y)).max()
        for own, expected in zip(found, wanted, strict=True):
            # Where all cancels, rounding leaves 1e-13 of the rate, over the step of the differences.
            left = 1e-13 * largest / STEP
            np.testing.assert_allclose(own, expected, atol=max(tolerance * abs(expected).max(), left))

    def _motion(self) -> dict[str, Any]:
        own = {"q": self.q, "v": self.v, "a": self.a, **self.forces, **self.more}
        return own | ({"lambda": self.multipliers} if self.robot.model.loops else {})

    def check_residual(self) -> None:
        """The residual is what inverse dynamics, the actuation matrix and the errors' slopes compose."""
        robot, motion = self.robot, self._motion()
        shared = {name: own for name, own in self.options.items() if name == "external_wrenches"}
        wanted = evaluator(robot, "inverse_dynamics", **shared)(**motion)[0]
        given = self.forces.get("tau")
        if given is None:
            given = evaluator(robot, "actuation_matrix")(**motion)[0] @ self.forces["u"]
        wanted = wanted - given
        if robot.model.loops:
            wanted = wanted - self._slopes().T @ self.multipliers
        found = evaluator(robot, "implicit_residual", **self.options)(**motion)[0]
        np.testing.assert_allclose(found, wanted, atol=1e-12 * abs(wanted).max())

    def check_matrix(self, tolerance: float = 1e-9) -> None:
        """S against differences of the residual along all three at once, and its border."""
        robot, motion, nv = self.robot, self._motion(), self.robot.nv
        residual = evaluator(robot, "implicit_residual", **self.options)

        def moved(d: Array) -> Array:
            c_q, c_v, c_a = FACTORS
            steps = {"q": robot.integrate(self.q, c_q * d), "v": self.v + c_v * d, "a": self.a + c_a * d}
            return residual(**motion | steps)[0]

        (found,) = evaluator(robot, "implicit_jacobian", **self.options)(**motion, c=FACTORS)
        wanted = differences(moved, nv)
        np.testing.assert_allclose(found[:nv, :nv], wanted, atol=tolerance * abs(wanted).max())
        if robot.model.loops:
            A = self._slopes()
            np.testing.assert_allclose(found[nv:, :nv], A, atol=1e-14 * abs(A).max())
            np.testing.assert_array_equal(found[:nv, nv:], -found[nv:, :nv].T)
            np.testing.assert_array_equal(found[nv:, nv:], np.diag(1.0 - self._holding()))

    def _slopes(self) -> Array:
        given = {name: self.more[name] for name in ("p",) if name in self.more}
        return self._holding()[:, None] * evaluator(self.robot, "constraint_jacobian")(q=self.q, **given)[0]

    def _holding(self) -> Array:
        """1 per row of a loop that holds."""
        off = {
            name
            for name, on in zip(self.options.get("switched", ()), self.more.get("active", ()), strict=True)
            if not on
        }
        return np.array([float(loop.constraint.name not in off) for loop in self.robot.model.loops for _ in loop.rows])
