"""Loops that meet in few rows: multipliers found loop by loop are those of one dense system."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from support.robots.looped import five_bar, standing
from support.soft_calls import call
from support.states import relative_error

import symdyn
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.dynamics.forward_dynamics.aba_layout import AbaLayout
from symdyn.dynamics.loops.constraint_set import ConstraintSet
from symdyn.dynamics.loops.limb_blocks import groups_of
from symdyn.dynamics.loops.whitened_jacobian import WhitenedJacobian
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.functions.catalogue import requests
from symdyn.interface.options import RequestOptions
from symdyn.robot.robot import Robot
from symdyn.tracing.cost import instructions

FUNCTION = "constrained_forward_dynamics"

pytestmark = [
    pytest.mark.optimised,
    pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning"),
]


@cache
def robot_of(feet: int) -> Robot:
    return api.from_description(standing(feet))


def groups(robot: Robot, prescribed: int = -1) -> object:
    tree = TreePlan(robot.model)
    free = [row for row in range(robot.nv) if row != prescribed]
    return groups_of(WhitenedJacobian(ConstraintSet(tree), AbaLayout(tree, free)))


def test_feet_meet_in_the_rows_of_the_trunk() -> None:
    found = groups(robot_of(4))
    assert found is not None
    assert len(found.shared) == 6  # type: ignore[attr-defined]
    assert [len(group.rows) for group in found.groups] == [3, 3, 3, 3]  # type: ignore[attr-defined]


@pytest.mark.parametrize("prescribed", [0, 6], ids=["of the trunk", "of a leg"])
def test_what_cannot_be_held_loop_by_loop_stays_in_one_piece(prescribed: int) -> None:
    """Two feet take six rows, as the trunk has, and a prescribed joint leaves a foot two rows of its own."""
    assert groups(robot_of(2)) is None
    assert groups(api.from_description(five_bar())) is None
    assert groups(robot_of(4), prescribed) is None


def dense(robot: Robot, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> tuple[np.ndarray, ...]:
    """M, tau - bias, A and e'' at a = 0, which other recursions give."""
    M, A = (call(robot, name, q=q)[0].reshape(-1, robot.nv) for name in ("mass_matrix", "constraint_jacobian"))
    (bias,), (drift,) = call(robot, "inverse_dynamics", q=q, v=v, a=0 * v), call(robot, "constraint_bias", q=q, v=v)
    return M, tau - bias, A, drift


@pytest.mark.parametrize("bent", [1e-4, 0.0])
@pytest.mark.parametrize("straight", [1, 4])
def test_straight_legs_lose_no_digits(straight: int, bent: float) -> None:
    """The block of a straight leg has no inverse by itself; all rows together have one."""
    robot, rng = robot_of(4), np.random.default_rng(straight)
    q, v = robot.random_state(rng)
    for leg in range(straight):
        q[7 + 3 * leg + 2] *= bent
    tau = rng.standard_normal(robot.nv)
    M, force, A, drift = dense(robot, q, v, tau)
    a, held = call(robot, FUNCTION, q=q, v=v, tau=tau)
    inverse = A @ np.linalg.inv(M) @ A.T
    assert np.linalg.cond(inverse) < 1e6
    assert np.abs(M @ a - force - A.T @ held).max() <= 1e-14 * np.abs(A.T @ held).max() + 1e-13
    assert np.abs(A @ a + drift).max() <= 1e-12 * max(np.abs(A @ a).max(), np.abs(a).max())


def test_rows_that_follow_from_others_are_met() -> None:
    """All legs straight, at rest: no foot moves along its leg against the trunk, and S has lost rank."""
    robot, rng = robot_of(4), np.random.default_rng(0)
    q, _ = robot.random_state(rng)
    v, tau = np.zeros(robot.nv), rng.standard_normal(robot.nv)
    q[7:] = 0.0
    M, force, A, drift = dense(robot, q, v, tau)
    assert np.linalg.matrix_rank(A @ np.linalg.inv(M) @ A.T, tol=1e-9) < len(A)
    a, held = call(robot, FUNCTION, q=q, v=v, tau=tau)
    assert np.abs(M @ a - force - A.T @ held).max() <= 1e-12 * np.abs(A.T @ held).max()
    assert np.abs(A @ a + drift).max() <= 1e-12 * np.abs(a).max()
    weights = np.sqrt(np.diag(A @ np.linalg.inv(M) @ A.T))
    least = np.linalg.pinv(A.T / weights, rcond=1e-9) @ (M @ a - force) / weights
    assert np.abs(held - least).max() <= 5e-7 * np.abs(least).max(), "the least, weighed by the diagonal of S"


def test_it_finds_what_one_piece_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    robot, options = robot_of(4), RequestOptions(stabilisation=0.4)
    q, v = robot.random_state(np.random.default_rng(2))
    given = {"q": [*q], "v": [*v], "tau": [*np.linspace(-2.0, 2.0, robot.nv)]}
    found = api.float_recursion(robot, FUNCTION, **options)(given)
    monkeypatch.setattr("symdyn.dynamics.equations.constrained_dynamics.groups_of", lambda _: None)
    whole = api.float_recursion(robot, FUNCTION, **options)(given)
    for own, other in zip(found.values(), whole.values(), strict=True):
        assert relative_error(np.array(own), np.array(other)) < 1e-13


@pytest.mark.slow
def test_legs_run_side_by_side() -> None:
    """Operations of one vector for four legs count once: without lanes there are 8000."""
    (program,) = api.programs(robot_of(4), [FUNCTION])
    assert program.layout == "split-lanes"
    assert instructions(program) < 2700


@pytest.mark.slow
@pytest.mark.needs_cc
@pytest.mark.parametrize("layout", ["split-lanes", "rolled-lanes"])
def test_layouts_agree(layout: str) -> None:
    """Compiled C gives the bits of the evaluator, and both what the float recursion finds."""
    robot = robot_of(4)
    ((entry, request),) = requests(robot.model, [FUNCTION])
    rng = np.random.default_rng(5)
    q, v = robot.random_state(rng)
    given = {"q": [*q], "v": [*v], "tau": [*rng.standard_normal(robot.nv)]}
    (program,) = api.programs(robot, [FUNCTION], layout=layout)
    evaluated = evaluate_program(program, FloatAlgebra(), given)
    module = symdyn.compile(robot, [FUNCTION], layout=layout)
    compiled = getattr(module, FUNCTION)(*(np.array(own) for own in given.values()))
    recursion = api.float_recursion(robot, FUNCTION)(given)
    for output, own in zip(entry.signature(robot.model, request).outputs, compiled, strict=True):
        assert np.array_equal(np.ravel(own), np.array(evaluated[output.name]))
        assert relative_error(np.ravel(own), np.array(recursion[output.name])) < 1e-12
