"""Derivatives of a rest by what decides it: inputs, positions of prescribed rows, and run-time parameters.

The implicit function theorem on R(x; y) = 0: dx/dy = -K^-1 dR/dy, with the Jacobian K of the residual R by the unknowns
x: moves of free rows, forces of prescribed rows, multipliers. Loops are part of R, so they stay closed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.statics.problem import Load, Problem, State, problem_of
from symdyn.errors import RequestError

Array = NDArray[np.float64]
_STEP = 1e-3
"""Of quotients by a parameter, relative to it: with four points they are exact to some 1e-10 of the residual."""


@dataclass(frozen=True, eq=False)
class RestSlopes:
    """Derivatives of a rest, with loops closed; of q as moves along rows of v, as everywhere.

    Attributes
    ----------
    dq_du, dforces_du, dlambda_du
        Of q (nv, n), of the forces of prescribed rows (nv, n), 0 in others, and of the multipliers (m, n), by the n
        inputs u of the rest: inputs of actuators, or generalised forces.
    dq_dprescribed, dforces_dprescribed, dlambda_dprescribed
        By the positions of the k prescribed rows, in the order of v: (nv, k), (nv, k) and (m, k).
    dq_dp, dforces_dp, dlambda_dp
        By the run-time parameters: (nv, np), (nv, np) and (m, np).

    Source: the implicit function theorem; Mathew et al. 2024, section 4, for the Jacobian of rods at rest.
    """

    dq_du: Array
    dforces_du: Array = field(repr=False)
    dlambda_du: Array = field(repr=False)
    dq_dprescribed: Array
    dforces_dprescribed: Array = field(repr=False)
    dlambda_dprescribed: Array = field(repr=False)
    dq_dp: Array
    dforces_dp: Array = field(repr=False)
    dlambda_dp: Array = field(repr=False)


class Differentiable:
    """A rest and its equations, from which its derivatives are found when somebody asks for them."""

    def __init__(self, problem: Problem, state: State, load: Load) -> None:
        self._problem, self._state, self._load = problem, state, load

    def __call__(self) -> RestSlopes:
        """All derivatives, by one factor of the Jacobian."""
        problem, state, load = self._problem, self._state, self._load
        by = [problem.by_inputs(state, load), self._by_prescribed(), self._by_parameters()]
        moved = problem.led(state, load, np.hstack(by))
        ends = np.cumsum([own.shape[1] for own in by])[:-1]
        found = list[Array]()
        for number, part in enumerate(np.split(moved, ends, axis=1)):
            q, forces = part[: problem.count].copy(), np.zeros((problem.count, part.shape[1]))
            forces[problem.prescribed] = q[problem.prescribed]
            q[problem.prescribed] = np.eye(part.shape[1]) if number == 1 else 0.0
            found += [q, forces, part[problem.count :]]
        return RestSlopes(*found)

    def _by_prescribed(self) -> Array:
        """Columns of the Jacobian of the problem in which all rows are free."""
        own = self._problem
        if not own.prescribed:
            return np.zeros((own.count + own.held, 0))
        free = problem_of(own.robot, own.inputs, (), own.external, own.target)
        return free.jacobian(self._state, self._load)[:, own.prescribed]

    def _by_parameters(self) -> Array:
        columns = list[Array]()
        for number, value in enumerate(self._load.p):
            step = _STEP * (abs(value) or 1.0)
            terms = (
                weight * self._problem.residual(self._state, self._shifted(number, shift * step))
                for shift, weight in ((-2, 1.0), (-1, -8.0), (1, 8.0), (2, -1.0))
            )
            columns.append(np.sum(list(terms), axis=0) / (12.0 * step))
        size = self._problem.count + self._problem.held
        return np.stack(columns, axis=1) if columns else np.zeros((size, 0))

    def _shifted(self, number: int, step: float) -> Load:
        p = self._load.p.copy()
        p[number] += step
        return replace(self._load, p=p)

    def __reduce__(self) -> tuple[object, tuple[()]]:
        return _lost, ()


def _lost() -> object:
    """What stands in the place of the equations where a rest was pickled: these are of the process that found it."""
    return _refused


def _refused() -> NoReturn:
    raise RequestError("slopes of a rest are found where it was: call symdyn.equilibrium here, with its q as q0")
