"""Rests on rigid contacts: steps with contacts from rest, each of which stops again, until forces balance.

A step from v = 0 moves by h v+ with (M + h D + h^2 K) v+ = h (tau - bias(q, 0)) + J^T lambda. Long steps are those
without mass. Where nothing moves any more, forces balance whatever the mass: bias(q, 0) = tau + J^T lambda / h.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.contacts.prescribed import prescribed_system
from symdyn.analysis.contacts.step import contact_step_by
from symdyn.analysis.statics.problem import Load, Problem, State
from symdyn.analysis.statics.records import ContactForces
from symdyn.description.loops import MET
from symdyn.generation.called_functions import contact_sets
from symdyn.generation.generate import compile as compiled
from symdyn.interface.contact_solving import ContactCode, ContactStep
from symdyn.interface.stepping import CONTACT_SYSTEM
from symdyn.robot.loop_closure.close import close
from symdyn.robot.robot import Robot
from symdyn.robot.state_checks import check_not_filled

Array = NDArray[np.float64]
BALANCED = 1e-11
"""What may be left of the forces, of the largest of them."""
ROUNDED = 1e-14
"""Move of q, relative to the largest coordinate or 1, by which its rounding changes forces that vanish at rest."""
_STEPS = 2000
_FIRST, _SHORTEST, _LONGEST = 0.01, 0.002, 0.2
"""Lengths of steps [s]: what is not elastic is explicit, and oscillates in long ones."""
_GROWTH, _SHORTER, _WORSE = 1.2, 0.25, 2.0
_STILL = 2e-9
"""Move in a step that is none [rad or m]."""
_RANK = 1e-9
"""Singular value of rows of contacts that counts, of the largest."""


@dataclass(frozen=True, eq=False)
class Rest:
    """Where steps ended: the state, the forces of contacts, what is left, moves that contacts allow, and the steps."""

    state: State
    contacts: ContactForces
    left: Array
    allowed: Array
    steps: int
    rests: bool


def rest_on_contacts(problem: Problem, load: Load, state: State, external: str) -> Rest:
    """The rest that is reached from a state, sliding and sticking on the way."""
    seen, q, h, before = _Touching(problem, load, external), state.q, _FIRST, np.inf
    impulses, steps, rests = np.zeros(seen.sets.rows), 0, False
    balance = seen.balance(q, impulses, np.zeros(len(seen.sets.kinds), np.intc))
    while not rests and steps < _STEPS:
        steps += 1
        step, moves = seen.step(q, h, impulses)
        if step.report.code is ContactCode.NOT_FINITE:
            break
        balance = seen.balance(q, np.asarray(step.impulses, np.float64) / h, step.state)
        size = float(np.max(np.abs(balance.left[problem.free]), initial=0.0))
        rests = not moves and (size <= BALANCED * balance.largest or size <= seen.rounding(q))
        if not rests:
            longer = min(_GROWTH * h, _LONGEST) if size <= _WORSE * before else max(_SHORTER * h, _SHORTEST)
            impulses = np.asarray(step.impulses, np.float64) * (longer / h)
            before, h, q = size, longer, np.asarray(step.q_next, np.float64)
    return seen.rest(q, balance, steps, rests)


@dataclass(frozen=True, eq=False)
class _Balance:
    """Forces (m,) of contacts with their states, what is left (nv,) with them, the largest force, and active rows."""

    forces: Array
    states: NDArray[np.int32]
    left: Array
    largest: float
    active: Array


class _Touching:
    """A robot at rest under a load, as steps with contacts see it."""

    def __init__(self, problem: Problem, load: Load, external: str) -> None:
        robot = problem.robot
        check_not_filled(robot.model, "positions at rest")
        self._problem, self._load, self._robot = problem, load, robot
        self._functions, self.sets = _functions(robot, problem.inputs, external), contact_sets(robot)
        self._loops = robot.model.contact_layout.loops
        self._p = (load.p,) if robot.runtime_parameters else ()
        self._given = ((load.f_ext,) if external else ()) + self._p
        self._idle = np.zeros(robot.nv)

    def step(self, q: Array, h: float, guess: Array) -> tuple[ContactStep, bool]:
        """A step from rest, with loops closed where it ends, and whether anything moves in it."""
        functions, rows = self._functions, self._problem.prescribed
        push = self._load.u
        if self._problem.inputs == "actuators":
            push = functions.actuation_matrix(q, *self._p) @ push

        def system(tau: Array) -> tuple[Array, ...]:
            outputs: tuple[Array, ...] = functions.contact_system(q, self._idle, tau, h, *self._given)
            return outputs

        outputs = prescribed_system(system, push, rows, np.zeros(len(rows)), h) if rows else system(push)
        result = contact_step_by(outputs, self._robot.model, self.sets, q, self._idle, h, guess)
        # of what would move without impulses, the proximal term of the solver leaves as much
        still = _STILL * (1.0 + h * float(np.max(np.abs(outputs[0]))))
        moves = h * float(np.max(np.abs(result.v_next))) > still
        if not self._robot.constraints:
            return result, moves
        q_next = close(self._robot.loop_closure, np.asarray(result.q_next, np.float64), self._load.p, rows, MET)
        return result._replace(q_next=q_next), moves

    def balance(self, q: Array, forces: Array, states: NDArray[np.int32]) -> _Balance:
        """The forces of a step, without the shares that its proximal term and its tolerance leave out.

        Directions of friction that slides stay; so do forces that are redundant, as far as they may.
        """
        problem, jacobian = self._problem, np.asarray(self._functions.contact_jacobian(q, *self._p))
        without = problem.residual(State(q, self._idle, 0.0 * forces[self._loops :]), self._load)[: problem.count]
        shares = self._shares(forces, states)
        active = shares @ jacobian
        left = without - forces @ jacobian
        if len(active):
            free = problem.free
            forces = forces + np.linalg.lstsq(active[:, free].T, left[free], rcond=_RANK)[0] @ shares
            left = without - forces @ jacobian
        largest = max(float(np.max(np.abs(one), initial=0.0)) for one in (without, self._load.u))
        return _Balance(forces, states, left, largest, active)

    def rounding(self, q: Array) -> float:
        """What rounding of q leaves of forces, by the stiffness there."""
        problem, state = self._problem, State(q, self._idle, np.zeros(self._problem.held))
        stiffness = np.abs(problem.jacobian(state, self._load)[: problem.count, problem.free])
        largest = max(1.0, float(np.max(np.abs(q), initial=0.0)))
        return ROUNDED * largest * float(np.max(stiffness, initial=0.0))

    def _shares(self, forces: Array, states: NDArray[np.int32]) -> Array:
        """Which rows (k, m) of forces may change at once: of a contact that slides, friction with its normal."""
        shares, at, closing = [], 0, self.sets.contacts + self.sets.limits
        rows = np.eye(len(forces))
        for number, kind in enumerate(self.sets.kinds):
            impulses, slides = rows[at : at + kind.width], states[number] == 2
            if slides and number < closing:
                shares.append((forces[at : at + 3] / forces[at + 2]) @ impulses)
            elif states[number] == 1:
                shares += list(impulses)
            at += kind.width
        return np.array(shares).reshape(-1, len(forces))

    def rest(self, q: Array, balance: _Balance, steps: int, rests: bool) -> Rest:
        """Notes on where the steps ended."""
        problem, layout = self._problem, self._robot.model.contact_layout
        fixed_forces = np.where(np.isin(np.arange(problem.count), problem.prescribed), balance.left, 0.0)
        state = State(q, fixed_forces, balance.forces[self._loops :])
        places = [np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3))]
        if layout.slots:
            places = list(map(np.asarray, self._functions.contact_gaps(q, *self._p)))
        contacts = ContactForces(self.sets.names, layout.row_names, balance.forces, balance.states, *places)
        allowed = np.eye(problem.count)[:, problem.free]
        if len(balance.active):
            _, sizes, turns = np.linalg.svd(balance.active[:, problem.free], full_matrices=True)
            allowed = allowed @ turns[int(np.sum(sizes > _RANK * sizes[0])) :].T
        errors = problem.residual(state, self._load)[problem.count :]
        return Rest(state, contacts, np.concatenate([balance.left - fixed_forces, errors]), allowed, steps, rests)


@lru_cache(maxsize=8)
def _functions(robot: Robot, inputs: str, external: str) -> Any:
    names = [CONTACT_SYSTEM, "contact_jacobian"]
    names += ["contact_gaps"] if robot.model.contact_layout.slots else []
    names += ["actuation_matrix"] if inputs == "actuators" else []
    asked: dict[str, Any] = {"external_wrenches": external} if external else {}
    return compiled(robot, names, lanes=False, **asked)
