"""Taylor integrator: a motion by its own power series in time, of any order, from time derivatives of forward dynamics.

At each step the compiled ``forward_dynamics_time_derivatives`` give a, a', .., a^(r). Joints turn the series of v into
that of q, with quaternions and free bases by recursions that are exact to the order. The last two coefficients give the
step in which what is left out stays below the tolerance, and the series is the solution between two steps.

Jorba & Zou (2005): A software package for the numerical integration of ODEs by means of high-order Taylor methods.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.scalars.taylor import Series
from symdyn.algebra.scalars.taylor_algebra import TaylorAlgebra
from symdyn.analysis.simulation.smooth_inputs import SmoothInputs
from symdyn.analysis.simulation.system import Counters, System
from symdyn.errors import RequestError
from symdyn.generation.generate import compile as compiled
from symdyn.model.joints.rate_joint import RateJoint
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
_MARGIN = math.exp(-0.7)
"""How much of the step that the last coefficients allow is taken: Jorba & Zou, section 3.2, against misestimates."""
_LEAST_ORDER, _MOST_ORDER = 4, 40


def suited_order(tolerance: float) -> int:
    """The order with the least work per time at a tolerance: -ln(tolerance) / 2 + 1 (Jorba & Zou, section 3.1)."""
    return min(_MOST_ORDER, max(_LEAST_ORDER, math.ceil(1.0 - 0.5 * math.log(tolerance))))


class TaylorStepper:
    """A motion in steps, each of which is a power series.

    Parameters
    ----------
    robot
        The robot; with loops, whoever calls projects states between steps by :meth:`replace`.
    inputs
        Generalised forces, or inputs of actuators, and their derivatives.
    drive
        ``"forces"`` or ``"actuators"``.
    t, y, end
        Start [s], state (q, v) there, (nq + nv,), and the time not to step beyond.
    rtol, atol
        Error that a step may add, relative to the state, and absolute.
    longest
        Longest step [s].
    p
        Run-time parameters (np,).
    order
        Highest derivative of a; by default that which suits the tolerance.
    counters
        Where calls and steps are counted.

    Raises
    ------
    RequestError
        An order below 1, or a tolerance that is not positive.
    """

    def __init__(
        self,
        robot: Robot,
        inputs: SmoothInputs,
        drive: str,
        t: float,
        y: Array,
        end: float,
        rtol: float,
        atol: float,
        longest: float,
        p: Array,
        order: int | None = None,
        counters: Counters | None = None,
    ) -> None:
        if not (rtol >= 0.0 and atol >= 0.0 and rtol + atol > 0.0):
            raise RequestError(f"taylor: expected tolerances from 0, not both 0, got rtol {rtol!r} and atol {atol!r}")
        self.order = suited_order(rtol or atol) if order is None else order
        if self.order < 1:
            raise RequestError(f"taylor: expected an order of at least 1, got {order!r}")
        self.t, self.y = t, np.array(y, dtype=np.float64)
        self._counters = Counters() if counters is None else counters
        self._end, self._rtol, self._atol, self._longest = end, rtol, atol, longest
        self._inputs, self._nq, self._parameters = inputs, robot.nq, (p,) if p.size else ()
        self._constrained = bool(robot.constraints)
        name = f"{'constrained_' if self._constrained else ''}forward_dynamics_time_derivatives"
        module = compiled(robot, [name], order=self.order, lanes=False, inputs=drive)
        self._dynamics = getattr(module, name)
        joints = robot.model.independent_joints
        self._turning = [joint for joint in joints if not isinstance(joint.kind, RateJoint)]
        self._quaternions = [slice(j.q_rows.stop - 4, j.q_rows.stop) for j in joints if j.kind.quaternion]
        pairs = [
            (q, v)
            for joint in joints
            if isinstance(joint.kind, RateJoint)
            for q, v in zip(_rows(joint.q_rows), _rows(joint.v_rows), strict=True)
        ]
        self._added_q = np.array([q for q, _ in pairs], dtype=np.intp)
        self._added_v = np.array([v for _, v in pairs], dtype=np.intp)
        self._algebra = TaylorAlgebra(FloatAlgebra(fused=False), self.order + 1)
        counts = np.arange(self.order + 2)
        self._factorials = np.array([math.factorial(k) for k in counts[1:]], dtype=np.float64)[:, None]
        self._parts = (counts + 1.0)[:, None]
        self._start, self._series = t, self.y[None, :]

    def step(self) -> None:
        """Go one step: as far as the last coefficients allow, and not beyond the end.

        Raises
        ------
        ArithmeticError
            Accelerations that are not finite, or a step that is lost in rounding.
        """
        found = self._coefficients(self.t, self.y)
        if not np.isfinite(found).all():
            raise FloatingPointError("accelerations are not finite")
        step = min(self._allowed(found), self._longest, self._end - self.t)
        ending = self._end if step == self._end - self.t else self.t + step
        if not ending > self.t:
            raise FloatingPointError("the step is lost in rounding")
        self._start, self._series = self.t, found
        self.y, self.t = self.value(ending), ending
        self._counters.steps += 1

    def value(self, t: float) -> Array:
        """The state (nq + nv,) at a time within the last step: its series, quaternions of length one."""
        found: Array = np.asarray(np.polynomial.polynomial.polyval(t - self._start, self._series), dtype=np.float64)
        for rows in self._quaternions:
            found[rows] /= np.linalg.norm(found[rows])
        return found

    def replace(self, y: Array) -> None:
        """Go on from another state at this time."""
        self.y = np.array(y, dtype=np.float64)

    def cut(self, t: float) -> None:
        """End the last step at a time within it."""
        self.y, self.t = self.value(t), t

    def until(self, end: float) -> None:
        """Go on to another last time."""
        self._end = end

    def begin(self, t: float, y: Array, end: float) -> None:
        """Begin anew from a state at a time."""
        self.t, self._end = t, end
        self.replace(y)

    def _allowed(self, found: Array) -> float:
        """The step whose last two terms meet the tolerance: the least of (size / |c_k|)^(1/k)."""
        size = self._atol + self._rtol * float(np.max(np.abs(found[0])))
        steps = []
        for k in (len(found) - 2, len(found) - 1):
            largest = float(np.max(np.abs(found[k])))
            steps.append((size / largest) ** (1.0 / k) if largest > 0.0 else math.inf)
        return _MARGIN * min(steps)

    def _coefficients(self, t: float, y: Array) -> Array:
        """Normalised coefficients of y, (r + 2, nq + nv)."""
        q, v = y[: self._nq], y[self._nq :]
        self._counters.function_calls += 1
        made = self._dynamics(q, v, self._inputs.derivatives(t, self.order), *self._parameters)
        rates = made[0] if self._constrained else made
        found = np.empty((self.order + 2, y.size))
        velocity = found[:, self._nq :]
        velocity[0], velocity[1:] = v, rates / self._factorials
        found[0, : self._nq] = q
        found[1:, self._added_q] = (velocity / self._parts)[:-1, self._added_v]
        for joint in self._turning:
            own = [Series(column) for column in velocity[:-1, joint.v_rows].T.tolist()]
            series = joint.kind.series(self._algebra, q[joint.q_rows].tolist(), own)
            found[:, joint.q_rows] = np.array([one.coefficients for one in series]).T
        return found


def taylor(system: System, t: float, y: Array, end: float, rtol: float, atol: float, longest: float) -> TaylorStepper:
    """The Taylor method for what :func:`symdyn.simulate` was asked.

    Raises
    ------
    RequestError
        Prescribed joints, or inputs that do not tell their time derivatives.
    """
    if system.prescribed:
        raise RequestError("method 'taylor' knows no prescribed joints; take dop853 or radau")
    parameters = system.p(t)
    if any(not np.array_equal(parameters, system.p(at)) for at in np.linspace(t, end, 7)):
        raise RequestError("method 'taylor' takes run-time parameters that stay; take dop853 or radau")
    inputs: object = system.inputs
    if not isinstance(inputs, SmoothInputs):
        raise RequestError(
            "method 'taylor' needs the time derivatives of inputs: give an array that stays, "
            "symdyn.PolynomialInputs(coefficients), or an object with derivatives(t, order); "
            "functions of q and v are for the other methods"
        )
    return TaylorStepper(
        system.robot, inputs, system.drive, t, y, end, rtol, atol, longest, parameters, counters=system.counters
    )


def _rows(place: slice) -> range:
    return range(place.start, place.stop)
