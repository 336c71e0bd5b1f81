"""Servos of joints: forces that lead a robot to a position and keep it there, as inputs of a simulation."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.simulation.contact_motion import Filling
from symdyn.analysis.simulation.system import Inputs, Law, Prescribed
from symdyn.dynamics.contacts.stance import STANDING
from symdyn.dynamics.loops.underactuation import determined_rows
from symdyn.errors import RequestError
from symdyn.functions.values import rows_that_may_act
from symdyn.generation.called_functions import contact_sets, weight
from symdyn.generation.generate import compile as compiled
from symdyn.model.coordinates import difference
from symdyn.model.motors import with_motors
from symdyn.robot import named_states
from symdyn.robot.robot import Robot
from symdyn.robot.state_checks import given_position

Array = NDArray[np.float64]
RATE = 10.0
"""Natural frequency of critically damped errors [rad/s]: they fade to 2 % in 0.6 s."""
SHARE = 0.1
"""Largest product of that frequency and the time during which a force is constant."""
BALANCED, CALM = 0.05, 1.0
"""A landing ends where contacts give the base's forces up to that part of the weight, and accelerations are smaller."""
FITS, FLAT = 4, 1e-3
"""Steps by which a base is fitted to contacts, and what keeps it from turns of which these tell nothing."""


class Servo:
    """Generalised forces with which a robot goes to a position, besides other inputs.

    They are those of the acceleration a = RATE^2 (target (-) q) - 2 RATE v. So the gains of each joint follow from its
    inertia, and gravity and Coriolis forces are compensated (Luh, Walker and Paul 1980). Where a free base has rigid
    contacts, a includes the base, and forces are those of ``stance_forces``: contacts within their friction cones
    balance the robot. From a flight until the robot is balanced again, joints have their part of a, while the base
    moves freely under what contacts can give. There the base is led to where joints at their target have the contacts
    where these have touched. Elsewhere rows without a drive, such as those of a free base or of a flexible link, move
    freely.

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
        self._rows = _rows_beside(robot, tuple(self._prescribed))
        if not self._rows:
            raise RequestError(f"servo: robot '{robot.name}' has no joint that may have one; leave it out")
        self._driven = sorted({*self._rows, *self._prescribed})
        self._module = self._functions()
        self._phases: list[tuple[float, Array, bool]] = []
        self._base: list[int] | None = None
        self._slots, self._borne = robot.model.contact_layout.slot_count, BALANCED * weight(robot)
        self._carried, self._latest = 0, -np.inf
        self._last: tuple[float, Array, Array, Array] | None = None

    def _functions(self) -> Any:
        robot = self._robot
        names = [robot.velocity_names[row] for row in self._driven]
        kind = "constrained_hybrid_dynamics" if robot.constraints else "hybrid_dynamics"
        if not self._stands:
            return compiled(robot, [kind], prescribed=names, lanes=False)
        own = [robot.velocity_names[row] for row in self._rows]
        functions = ["stance_forces", "contact_gaps", "inverse_dynamics", kind]
        return compiled(robot, functions, actuated=own, prescribed=names, lanes=False)

    def aim(self, t: float, q: Array) -> None:
        """Set the target of a motion that begins at q (nq,).

        A base that stands, and that no target names, is moved to where the contacts that carry at q stay where they
        are on average.
        """
        self._last = None
        target, named = self._aimed(t, q)
        base = place_of_base(self._robot) if self._stands else None
        self._base = None if base is None or any(row in named for row in base) else base
        self._latest = -np.inf
        if self._targets is not True and self._base is not None:
            target = self._settled(t, q, target)
        self._phases = [(t, target, False)]

    def _aimed(self, t: float, q: Array) -> tuple[Array, Sequence[int]]:
        """The target as it is given, and the rows of q that are named in it."""
        robot, targets = self._robot, self._targets
        if targets is True:
            return q.copy(), ()
        if not isinstance(targets, Mapping):
            return given_position(robot.model, targets), range(robot.nq)
        free = named_states.position(robot.model, "servo", targets)
        named = set(with_motors(robot.model, targets))
        mine = [row for row, name in enumerate(robot.coordinate_names) if _is_named(name, named)]
        target = q.copy()
        target[mine] = free[mine]
        return (robot.close(target, list(named), p=self._p(t)) if robot.constraints else target), mine

    def _settled(self, t: float, q: Array, target: Array, turns: bool = False) -> Array:
        """A target with its base where the contacts that carry at q are, on average; turned to fit them, if asked."""
        given = (*self._filled(t, q, np.zeros(self._robot.nv)), *self._given(t))
        gap, here, _ = (np.asarray(array) for array in self._module.contact_gaps(q, *given))
        carry, moved, base = gap < STANDING, target.copy(), self._base
        if base is None or not carry.any():
            return moved
        for _ in range(FITS if turns else 1):
            there = np.asarray(self._module.contact_gaps(moved, *given)[1]).reshape(-1, 3)[carry]
            moved[base] += (here.reshape(-1, 3)[carry] - there).mean(axis=0)
            if turns:
                moved = _turned(moved, base, here.reshape(-1, 3)[carry], there)
        return moved

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        """The generalised forces (nv,) at a state; those of the last one are kept, as steps and limits ask twice."""
        if self._last is None or self._last[0] != t or not all(map(np.array_equal, self._last[1:3], (q, v))):
            self._last = (t, q.copy(), v.copy(), self._forces(t, q, v))
        return self._last[3].copy()

    def _forces(self, t: float, q: Array, v: Array) -> Array:
        asked, beside = self._asked(t, q, v), self._inputs(t, q, v)
        found = np.zeros(self._robot.nv)
        if self._stands:
            found[self._rows] = self._in_stance(t, q, v, asked)[self._rows]
            return found + beside
        found[self._rows] = self._moving(t, q, v, asked, beside)[self._rows]
        return found + beside

    def _asked(self, t: float, q: Array, v: Array) -> Array:
        """The acceleration that leads to the target of a time."""
        asked = self._rate**2 * difference(self._robot.model, q, self._phase(t)[1]) - 2.0 * self._rate * v
        for row, own in self._prescribed.items():
            asked[row] = own.motion(t)[2]
        return np.asarray(asked, dtype=np.float64)

    def _phase(self, t: float) -> tuple[float, Array, bool]:
        """Since when, the target, and whether the robot is in flight or lands, at a time."""
        return self._phases[max(0, bisect_right(self._phases, t, key=lambda own: own[0]) - 1)]

    def _moving(self, t: float, q: Array, v: Array, asked: Array, acting: Array) -> Array:
        """Forces of driven rows that give these their accelerations, where forces act on the other rows."""
        acting = acting.copy()
        acting[self._driven] = asked[self._driven]
        if self._robot.constraints:
            return np.asarray(self._module.constrained_hybrid_dynamics(q, v, acting, *self._given(t))[0])
        return np.asarray(self._module.hybrid_dynamics(q, v, acting, *self._given(t)))

    def _in_stance(self, t: float, q: Array, v: Array, asked: Array) -> Array:
        """Forces of joints, with which contacts bear what they can."""
        given = (*self._filled(t, q, v), *self._given(t))
        tau, multipliers = self._module.stance_forces(q, v, asked, *given)
        if t >= self._latest:
            self._latest = t
            if self._lands(t, q, multipliers):
                asked = self._asked(t, q, v)
                tau, multipliers = self._module.stance_forces(q, v, asked, *given)
            missing = np.abs(np.delete(tau, self._driven)).max(initial=0.0)
            _, target, landing = self._phases[-1]
            if landing and missing < self._borne and np.abs(asked).max() < CALM:
                self._phases.append((t, target, False))
        if not self._phase(t)[2]:
            return np.asarray(tau)
        borne = self._module.inverse_dynamics(q, v, asked, *self._given(t)) - tau
        return np.asarray(self._moving(t, q, v, asked, borne) - borne, dtype=np.float64)

    def _lands(self, t: float, q: Array, multipliers: Array) -> bool:
        """Whether more contacts than before carry in a landing; the base is then led to where they are."""
        carrying = int(np.sum(multipliers[: 3 * self._slots].reshape(-1, 3)[:, 2] > 0.0))
        if not carrying:
            given = (*self._filled(t, q, np.zeros(self._robot.nv)), *self._given(t))
            if np.min(self._module.contact_gaps(q, *given)[0], initial=np.inf) > STANDING:
                self._phases += [] if self._phases[-1][2] else [(t, self._phases[-1][1], True)]
                self._carried = 0
        if not self._phases[-1][2] or carrying <= self._carried:
            return False
        self._carried = carrying
        self._phases.append((t, self._settled(t, q, self._phases[-1][1], turns=True), True))
        return True

    def _given(self, t: float) -> tuple[Array, ...]:
        return (self._p(t),) if self._robot.runtime_parameters else ()


def _turned(q: Array, base: Sequence[int], here: Array, there: Array) -> Array:
    """A position with its base turned about its contacts (k, 3), to first order so that those there fit those here."""
    middle = here.mean(axis=0)
    to, of = here - middle, there - there.mean(axis=0)
    size = np.sum(of * of)
    if size == 0.0:
        return q
    x = 0.5 * np.linalg.solve((1.0 + FLAT) * size * np.eye(3) - of.T @ of, np.cross(of, to).sum(axis=0))
    x, w = x / np.sqrt(1.0 + x @ x), 1.0 / np.sqrt(1.0 + x @ x)
    place, rows, moved = q[base] - middle, [base[-1] + 1 + k for k in range(4)], q.copy()
    moved[base] += 2.0 * np.cross(x, w * place + np.cross(x, place))
    a, b = q[rows[:3]], q[rows[3]]
    moved[rows] = [*(w * a + b * x + np.cross(x, a)), w * b - x @ a]
    return moved


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


def _rows_beside(robot: Robot, prescribed: tuple[int, ...]) -> list[int]:
    """Rows of v that have a servo beside prescribed ones: without those that follow from these while loops hold."""
    rows = [row for row in servo_rows(robot) if row not in prescribed]
    if not prescribed or not robot.constraints:
        return rows
    told = determined_rows(robot.model, (*prescribed, *rows))
    return [row for row in rows if row not in told]


def place_of_base(robot: Robot) -> list[int] | None:
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
