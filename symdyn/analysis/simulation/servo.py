"""Servos of joints: forces that lead a robot to a position and keep it there, as inputs of a simulation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.simulation.contact_motion import Filling
from symdyn.analysis.simulation.system import Inputs, Law, Prescribed
from symdyn.dynamics.contacts.stance import STANDING
from symdyn.errors import RequestError
from symdyn.functions.values import rows_that_may_act
from symdyn.generation.called_functions import contact_sets
from symdyn.generation.generate import compile as compiled
from symdyn.model.coordinates import difference
from symdyn.robot import named_states
from symdyn.robot.robot import Robot
from symdyn.robot.state_checks import given_position

Array = NDArray[np.float64]
RATE = 10.0
"""Natural frequency of critically damped errors [rad/s]: they fade to 2 % in 0.6 s."""
SHARE = 0.1
"""Largest product of that frequency and the time during which a force is constant."""


class Servo:
    """Generalised forces with which a robot goes to a position, besides other inputs.

    They are those of the acceleration a = RATE^2 (target (-) q) - 2 RATE v. So the gains of each joint follow from its
    inertia, and gravity and Coriolis forces are compensated (Luh, Walker and Paul 1980). Where a free base has rigid
    contacts, a includes the base, and forces are those of ``stance_forces``: contacts within their friction cones
    balance the robot. Elsewhere rows without a drive, such as those of a free base or of a flexible link, move freely.

    Parameters
    ----------
    robot
        The robot.
    targets
        True: the position at the start. Otherwise coordinates by name, of which others keep their start, or (nq,).
    inputs
        Forces that act besides.
    p
        Run-time parameters at a time.
    prescribed
        Joints whose motion is prescribed; they have no servo.
    constant
        Time during which a force is constant [s]; 0 if it changes continuously.
    filled
        What fills slots of contact at run time, from t, q and v.

    Raises
    ------
    RequestError
        Targets that are no position, or a robot without a joint that may have a servo.
    """

    def __init__(
        self,
        robot: Robot,
        targets: Any,
        inputs: Inputs,
        p: Law,
        prescribed: Mapping[str, Prescribed],
        constant: float,
        filled: Filling,
    ) -> None:
        self._robot, self._targets, self._inputs, self._p, self._filled = robot, targets, inputs, p, filled
        self._prescribed = {row.v_row: row for row in prescribed.values()}
        self._rate = min(RATE, SHARE / constant) if constant > 0.0 else RATE
        self._stands = bool(robot.model.free_bases and contact_sets(robot).contacts)
        self._rows = [row for row in servo_rows(robot) if row not in self._prescribed]
        if not self._rows:
            raise RequestError(f"servo: robot '{robot.name}' has no joint that may have one; leave it out")
        self._module, self._target = self._functions(), np.zeros(robot.nq)
        self._last: tuple[float, Array, Array, Array] | None = None

    def _functions(self) -> Any:
        if self._stands:
            names = [self._robot.velocity_names[row] for row in self._rows]
            return compiled(self._robot, ["stance_forces", "contact_gaps"], actuated=names, lanes=False)
        rows = sorted({*self._rows, *self._prescribed})
        names = [self._robot.velocity_names[row] for row in rows]
        kind = "constrained_hybrid_dynamics" if self._robot.constraints else "hybrid_dynamics"
        return compiled(self._robot, [kind], prescribed=names, lanes=False)

    def aim(self, t: float, q: Array) -> None:
        """Set the target of a motion that begins at q (nq,).

        A base that stands is moved to where the contacts that carry at q stay where they are on average.
        """
        robot, targets, self._last = self._robot, self._targets, None
        if targets is True:
            self._target = q.copy()
            return
        if not isinstance(targets, Mapping):
            self._target = given_position(robot.model, targets)
            return
        free = named_states.position(robot.model, "servo", targets)
        named = set(named_states.with_motors(robot.model, targets))
        mine = [row for row, name in enumerate(robot.coordinate_names) if _is_named(name, named)]
        self._target = q.copy()
        self._target[mine] = free[mine]
        if robot.constraints:
            self._target = robot.close(self._target, list(named), p=self._p(t))
        base = _place_of_base(robot)
        if self._stands and base is not None and not any(row in mine for row in base):
            gaps, given = self._module.contact_gaps, (*self._filled(t, q, np.zeros(robot.nv)), *self._given(t))
            gap, before, _ = (np.asarray(array) for array in gaps(q, *given))
            after = np.asarray(gaps(self._target, *given)[1])
            carry = gap < STANDING
            if carry.any():
                self._target[base] += (before - after).reshape(-1, 3)[carry].mean(axis=0)

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        """The generalised forces (nv,) at a state; those of the last one are kept, as steps and limits ask twice."""
        if self._last is None or self._last[0] != t or not all(map(np.array_equal, self._last[1:3], (q, v))):
            self._last = (t, q.copy(), v.copy(), self._forces(t, q, v))
        return self._last[3].copy()

    def _forces(self, t: float, q: Array, v: Array) -> Array:
        asked = self._rate**2 * difference(self._robot.model, q, self._target) - 2.0 * self._rate * v
        beside = self._inputs(t, q, v)
        for row, own in self._prescribed.items():
            asked[row] = own.motion(t)[2]
        found = np.zeros(self._robot.nv)
        if self._stands:
            given = (*self._filled(t, q, v), *self._given(t))
            found[self._rows] = self._module.stance_forces(q, v, asked, *given)[0][self._rows]
            return found + beside
        driven = [*self._rows, *self._prescribed]
        acting = beside.copy()
        acting[driven] = asked[driven]
        result = (
            self._module.constrained_hybrid_dynamics(q, v, acting, *self._given(t))[0]
            if self._robot.constraints
            else self._module.hybrid_dynamics(q, v, acting, *self._given(t))
        )
        found[self._rows] = result[self._rows]
        return found + beside

    def _given(self, t: float) -> tuple[Array, ...]:
        return (self._p(t),) if self._robot.runtime_parameters else ()


def servo_rows(robot: Robot) -> list[int]:
    """Rows of v that have a servo: of actuators or else of joints; of loops those that may be chosen freely.

    Of elastic joints they are those of motors.
    """
    model = robot.model
    sprung = {body.joint.joint for body in model.bodies if body.joint.elastic is not None}
    rows = [
        row for row in rows_that_may_act(model) if model.bodies[model.velocity_bodies[row]].joint.label not in sprung
    ]
    if not robot.constraints:
        return rows
    chosen = {robot.velocity_names.index(name) for name in robot.independent_coordinates}
    return [row for row in rows if row in chosen]


def _place_of_base(robot: Robot) -> list[int] | None:
    """The rows of q that are the place of the one free base."""
    base = robot.model.free_base
    if base is None:
        return None
    label = robot.model.bodies[base].joint.label
    return [robot.coordinate_names.index(f"{label}.{axis}") for axis in "xyz"]


def _is_named(row: str, names: set[str]) -> bool:
    return row in names or row.rpartition(".")[0] in names


def given_servo(robot: Robot, servo: Any, drive: str) -> bool:
    """Whether joints have servos.

    Raises
    ------
    RequestError
        Servos beside inputs of actuators, or something that is no target.
    """
    if servo is None or servo is False:
        return False
    if drive != "forces":
        raise RequestError(
            f"servo: servos of robot '{robot.name}' are generalised forces; give inputs by names of joints, with "
            "drive='forces'"
        )
    if isinstance(servo, str):
        raise RequestError(f"servo: expected True, a position (nq,) or coordinates by name, got {servo!r}")
    return True
