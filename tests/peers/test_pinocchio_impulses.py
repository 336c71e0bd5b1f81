"""Impulses of contacts with friction beside those of Pinocchio's own solvers, on the same matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.contact_rows import CONE, Array, Problem, random_problem

from symdyn.analysis.contacts.solve import solve_rows
from symdyn.interface.contact_solving import ContactCode

pin = pytest.importorskip("pinocchio")
pytestmark = [
    pytest.mark.peers,
    pytest.mark.skipif(not hasattr(pin, "ADMMConstraintSolver"), reason="this Pinocchio has no solvers of contacts"),
]


@pytest.mark.parametrize("solver", ["ADMM", "PGS"])
def test_impulses_equal_those_of_pinocchio(solver: str) -> None:
    """20 regular problems of four contacts, that stick, slide and open, within 1e-7 of the largest impulse."""
    rng, states = np.random.default_rng(11), set[int]()
    for _ in range(20):
        problem = random_problem(rng, 24, [CONE] * 4, 4.0)
        result = solve_rows(problem.matrix, problem.free, problem.kinds, problem.bounds, tolerance=problem.tolerance)
        assert result.code is ContactCode.SOLVED
        states |= set(map(int, result.states))
        other = _by_pinocchio(problem, solver)
        np.testing.assert_allclose(result.x, other, rtol=0.0, atol=1e-7 * np.abs(other).max())
    assert states == {0, 1, 2}


def _by_pinocchio(problem: Problem, solver: str) -> Array:
    model = pin.buildSampleModelManipulator()  # constraints stand on a model; the solver sees their cones alone
    constraints, data = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
    for friction in problem.bounds:
        contact = pin.PointContactConstraintModel(model, 1)
        contact.setFriction(float(friction))
        constraint = pin.ConstraintModel(contact)
        constraints.append(constraint)
        data.append(constraint.createData())
    peer: Any = getattr(pin, f"{solver}ConstraintSolver")(len(problem.free))
    settings = getattr(pin, f"{solver}SolverSettings")()
    result = getattr(pin, f"{solver}SolverResult")()
    settings.max_iterations = 20000
    settings.absolute_complementarity_tol = settings.absolute_feasibility_tol = 1e-12
    settings.relative_complementarity_tol = settings.relative_feasibility_tol = 0.0
    peer.solve(pin.DelassusOperatorDense(problem.matrix), problem.free, constraints, data, settings, result)
    impulses: Array = np.zeros(len(problem.free))
    result.retrievePrimalSolution(impulses)
    return impulses
