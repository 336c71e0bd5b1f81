"""Rollouts of any robot and their gradients: in C, or step by step in NumPy as the C does it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symdyn.analysis.control.solve import check_targeted, given_targets
from symdyn.analysis.simulation.contact_step import contact_step, contact_step_partials
from symdyn.errors import RequestError
from symdyn.generation.generate import compile
from symdyn.interface.argument_arrays import given_rows, given_shape
from symdyn.interface.argument_words import given_choice, given_positive
from symdyn.interface.contact_solving import ContactCode
from symdyn.interface.optimal_control import COST_FUNCTIONS
from symdyn.interface.rollouts import (
    BY_LENGTH,
    BY_PARAMETERS,
    MOVES,
    ROLLOUT_METHODS,
    TOLERANCE,
    Rollout,
    RolloutCode,
    RolloutGradient,
    called_by_rollouts,
)
from symdyn.interface.stepping import CONTACTS
from symdyn.robot.robot import Robot
from symdyn.robot.state_checks import check_not_filled, given_parameters, given_position, given_velocity

Array = NDArray[np.float64]
_KNOWN: WeakKeyDictionary[Robot, dict[tuple[str, ...], Any]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class RolloutCost:
    """The cost of a rollout by the problem of its robot.

    Attributes
    ----------
    value
        Sum of all stages and of the end.
    l_x, l_u
        (n + 1, 2 nv) and (n, nu): its derivatives by moves (dq, dv) of each state, and by inputs alone.
    l_p
        (np,): those by run-time parameters at fixed states and inputs.
    """

    value: float
    l_x: Array
    l_u: Array
    l_p: Array


@dataclass(frozen=True, slots=True)
class RobotRollout:
    """States of a robot after one step, two steps, and so on.

    Attributes
    ----------
    robot, method, h
        Whose steps, of which method, of which length [s].
    q, v
        (n + 1, nq) and (n + 1, nv), the first those at the start; NaN from a step on that failed.
    u
        (n, nu): inputs of each step.
    code
        How it ended.
    memory
        (n + 1, m): accelerations of implicit steps, or impulses and states of contacts.
    """

    robot: Robot
    method: str
    h: float
    q: Array
    v: Array
    u: Array
    code: RolloutCode
    memory: Array = field(repr=False)
    p: Array = field(repr=False)
    inputs: str = field(repr=False)
    target: str = field(repr=False)

    def cost(self, targets: ArrayLike | Mapping[str, ArrayLike] | None = None) -> RolloutCost:
        """The cost by the robot's problem, whose steps must be as long as those of the rollout.

        Parameters
        ----------
        targets
            As for :func:`symdyn.optimal_control`.

        Raises
        ------
        RequestError
            No problem, or one of other steps or inputs.
        """
        robot, control = self.robot, self.robot.model.control
        if control is None:
            raise RequestError(f"robot '{robot.name}' has no problem, so no cost: load it .with_control('reach.yaml')")
        if (control.horizon.step, control.inputs) != (self.h, self.inputs):
            raise RequestError(
                f"the problem of robot '{robot.name}' has steps of {control.horizon.step!r} s and "
                f"inputs='{control.inputs}', and the rollout {self.h!r} s and inputs='{self.inputs}'; let them agree"
            )
        slopes = COST_FUNCTIONS[1], COST_FUNCTIONS[3]
        by_p = {"gradient": BY_PARAMETERS} if len(self.p) else {}
        module = _module(robot, slopes, self.target, inputs=self.inputs, **by_p)
        check_targeted(robot, (item.name for item in module.signature(slopes[0]).inputs), targets)
        n, value = len(self.u), 0.0
        l_x, l_u, l_p = np.zeros((n + 1, 2 * robot.nv)), np.zeros_like(self.u), np.zeros(len(self.p))
        for k in range(n + 1):
            name = slopes[k == n]
            signature = module.signature(name)
            own = {"q": self.q[k], "v": self.v[k], **({"tau": self.u[k], "u": self.u[k]} if k < n else {})}
            given = [
                own[item.name] if item.name in own else given_targets(robot, module, item.name, targets, self.p)
                for item in signature.inputs
            ]
            outputs = (item.name for item in signature.outputs)
            found = dict(zip(outputs, getattr(module, name)(*given), strict=True))
            value += float(found["l"])
            l_x[k] = np.concatenate([found["l_q"], found["l_v"]])
            l_p += found.get("l_p", 0.0)
            if k < n and "l_u" in found:
                l_u[k] = found["l_u"]
        return RolloutCost(value, l_x, l_u, l_p)

    def gradient(
        self, l_x: ArrayLike | RolloutCost, l_u: ArrayLike | None = None, l_p: ArrayLike | None = None
    ) -> RolloutGradient:
        """Derivatives of a sum of costs by the first state, by all inputs, run-time parameters and the steps' length.

        Parameters
        ----------
        l_x
            (n + 1, 2 nv): derivatives of the sum by moves (dq, dv) of each state, dq along rows of v; or what
            :meth:`cost` gave, with all three.
        l_u, l_p
            (n, nu) and (np,): those by inputs and by run-time parameters that costs have by themselves; 0 by default.

        Raises
        ------
        RequestError
            A rollout that failed, arrays that do not fit, or a step without derivatives.

        Equation: x_k = l_x[k] + A_k^T x_(k+1), dJ/du_k = l_u[k] + B_k^T x_(k+1), dJ/dp = l_p + sum of P_k^T x_(k+1).
        Source: Griewank & Walther 2008, chapter 3.
        """
        if isinstance(l_x, RolloutCost):
            if l_u is not None or l_p is not None:
                raise RequestError("gradient: what cost() gives has l_u and l_p; leave them out, or give its l_x")
            cost = l_x
            l_x, l_u, l_p = cost.l_x, cost.l_u, cost.l_p
        if self.code is not RolloutCode.DONE:
            raise RequestError(f"the rollout of robot '{self.robot.name}' ended with {self.code.name}; no gradient")
        owner, n = f"robot '{self.robot.name}'", len(self.u)
        by_x = _table("l_x", owner, l_x, n + 1, 2 * self.robot.nv)
        by_u = np.zeros_like(self.u) if l_u is None else _table("l_u", owner, l_u, n, self.u.shape[1])
        by_p = np.zeros(len(self.p)) if l_p is None else given_shape(f"l_p of {owner}", l_p, (len(self.p),))
        given = (self.p,) if len(self.p) else ()
        if self.target == "c":
            module = _rolled(self.robot, self.method, self.inputs)
            rows = Rollout(self.q, self.v, self.memory, self.code)
            found: RolloutGradient = module.rollout_gradient(rows, self.u, *given, h=self.h, l_x=by_x, l_u=by_u)
            return replace(found, p=found.p + by_p)
        nv, pull = self.robot.nv, _pull_contacts if self.method == CONTACTS else _pull
        x, g_u, g_p = by_x[n].copy(), by_u.copy(), by_p.copy()
        g_h = None if self.method == CONTACTS else 0.0
        for k in reversed(range(n)):
            g_q, g_v, own_u, own_p, *own_h = pull(self, k, x)
            x = by_x[k] + np.concatenate([g_q, g_v])
            g_u[k] += own_u
            g_p += own_p
            g_h = g_h + float(own_h[0]) if g_h is not None else None
        return RolloutGradient(x[:nv], x[nv:], g_u, g_p, g_h)


def rollout(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    u: ArrayLike,
    h: float,
    method: str,
    p: ArrayLike | None,
    inputs: str,
    target: str,
) -> RobotRollout:
    """See :func:`symdyn.rollout`."""
    method, length = given_choice("method", method, ROLLOUT_METHODS), given_positive("h", h)
    given_choice("inputs", inputs, ("forces", "actuators"))
    given_choice("target", target, ("c", "python"))
    if method == CONTACTS:
        check_not_filled(robot.model, "rollouts")
    if method == CONTACTS and inputs != "forces" and target == "python":
        raise RequestError("rollouts with contacts in NumPy take generalised forces; leave inputs='actuators' out")
    position, velocity = given_position(robot.model, q), given_velocity(robot.model, v)
    size = len(robot.model.actuator_inputs) if inputs == "actuators" else robot.nv
    forces = given_rows("u", f"robot '{robot.name}'", u, size)
    if forces.ndim != 2:
        raise RequestError(f"u of robot '{robot.name}' has shape (n, {size}), a row per step, got {forces.shape}")
    values = given_parameters(robot.model, p)
    if target == "c":
        module = _rolled(robot, method, inputs)
        found = module.rollout(position, velocity, forces, *((values,) if len(values) else ()), h=length)
    else:
        found = _stepped(robot, method, position, velocity, forces, values, length, inputs)
    rest = found.memory, values, inputs, target
    return RobotRollout(robot, method, length, found.q, found.v, forces, found.code, *rest)


def _table(name: str, owner: str, value: ArrayLike, rows: int, columns: int) -> Array:
    found = given_rows(name, owner, value, columns)
    if found.shape != (rows, columns):
        raise RequestError(f"{name} of {owner} has shape ({rows}, {columns}), got {found.shape}")
    return found


def _rolled(robot: Robot, method: str, inputs: str) -> Any:
    gradient = {} if method == CONTACTS else {"gradient": BY_LENGTH}
    return _module(robot, called_by_rollouts(method), "c", inputs=inputs, rollout=method, **gradient)


def _module(robot: Robot, functions: tuple[str, ...], target: str, **asked: Any) -> Any:
    known, key = _KNOWN.setdefault(robot, {}), (*functions, target, *map(str, asked.values()))
    if key not in known:
        asked = {name: value for name, value in asked.items() if value != "forces"}
        known[key] = compile(robot, functions, target=target, lanes=False, **asked)
    return known[key]


def _steps(robot: Robot, method: str, inputs: str) -> Any:
    asked = {"inputs": inputs, "step": method, "gradient": BY_LENGTH}
    return _module(robot, called_by_rollouts(method), "python", **asked)


def _stepped(robot: Robot, method: str, q: Array, v: Array, u: Array, p: Array, h: float, inputs: str) -> Rollout:
    """The same as the C, step by step."""
    own = _contact_steps if method == CONTACTS else _plain_steps
    states, memory, code = own(robot, method, q, v, u, p, h, inputs)
    X = np.full((len(u) + 1, robot.nq + robot.nv), np.nan)
    kept = np.full((len(u) + 1, len(memory[0])), np.nan)
    for k, (state, row) in enumerate(zip(states, memory, strict=True)):
        X[k], kept[k] = np.concatenate(state), row
    return Rollout(X[:, : robot.nq], X[:, robot.nq :], kept, code)


_Steps = tuple[list[tuple[Array, Array]], list[Array], RolloutCode]


def _plain_steps(robot: Robot, method: str, q: Array, v: Array, u: Array, p: Array, h: float, inputs: str) -> _Steps:
    module = _steps(robot, method, inputs)
    given, outputs = ((p,) if len(p) else ()), module.signature("step").outputs[2:]
    guess = np.zeros(sum(item.size for item in outputs))
    states, memory = [(q, v)], [guess]
    for k in range(len(u)):
        for _ in range(MOVES):
            found = module.step(*states[-1], u[k], h, *((guess,) if outputs else ()), *given)
            if not all(np.isfinite(own).all() for own in found):
                return states, memory, RolloutCode.NOT_FINITE
            if not outputs:
                break
            moved, guess = h * h * float(np.abs(found[2] - guess).max()), found[2]
            if moved <= TOLERANCE["float64"]:
                break
        else:
            return states, memory, RolloutCode.NO_CONVERGENCE
        memory[-1] = guess
        states.append((found[0], found[1]))
        memory.append(np.zeros_like(guess))
    return states, memory, RolloutCode.DONE


def _contact_steps(robot: Robot, _: str, q: Array, v: Array, u: Array, p: Array, h: float, __: str) -> _Steps:
    states, memory, guess = [(q, v)], [np.zeros(0)], None
    for k in range(len(u)):
        found = contact_step(robot, *states[-1], u[k], h, guess, p, "full")
        if found.report.code is not ContactCode.SOLVED:
            finite = found.report.code is not ContactCode.NOT_FINITE
            return states, memory, RolloutCode.NO_CONVERGENCE if finite else RolloutCode.NOT_FINITE
        guess = found.impulses
        memory[-1] = np.concatenate([found.impulses, found.state])
        states.append((np.asarray(found.q_next, np.float64), np.asarray(found.v_next, np.float64)))
        memory.append(np.zeros_like(memory[-1]))
    return states, memory, RolloutCode.DONE


def _pull(own: RobotRollout, k: int, x: Array) -> tuple[Array, ...]:
    """Weights of the state after step k, pulled back to state, inputs, parameters and the length."""
    module = _steps(own.robot, own.method, own.inputs)
    given = {"q": own.q[k], "v": own.v[k], "tau": own.u[k], "u": own.u[k], "h": own.h}
    given |= {"a": own.memory[k], "lambda": x, "p": own.p}
    found = module.step_adjoint(*(given[item.name] for item in module.signature("step_adjoint").inputs))
    return found[0], found[1], found[2], found[3] if len(own.p) else np.zeros(0), found[-1]


def _pull_contacts(own: RobotRollout, k: int, x: Array) -> tuple[Array, ...]:
    """The same for a step with contacts."""
    impulses = len(own.memory[k]) - _sets(own)
    at = own.memory[k][:impulses], own.memory[k][impulses:].astype(int)
    D = contact_step_partials(own.robot, own.q[k], own.v[k], own.u[k], own.h, *at, own.p)
    pairs: list[tuple[Any, Any]] = [(D.dq_next_dq, D.dv_next_dq), (D.dq_next_dv, D.dv_next_dv)]
    pairs += [(D.dq_next_dtau, D.dv_next_dtau), *([(D.dq_next_dp, D.dv_next_dp)] if len(own.p) else [])]
    nv = own.robot.nv
    found = [above.T @ x[:nv] + below.T @ x[nv:] for above, below in pairs]
    return found[0], found[1], found[2], found[3] if len(own.p) else np.zeros(0)


def _sets(own: RobotRollout) -> int:
    """States of contacts in a row of memory."""
    layout = own.robot.model.contact_layout
    return sum(map(len, (layout.slot_names, layout.limits, layout.dry, layout.loop_names)))
