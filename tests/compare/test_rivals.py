"""Every rival computes what it claims to: graphs and tapes evaluated as they are, and C where C is what is measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import symdyn
from symdyn.algebra.scalars.casadi_sx import casadi_function
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.analysis.compare.autodiff import autodiff_program
from symdyn.analysis.compare.casadi_rivals import (
    Graph,
    differentiated,
    differentiated_code,
    jacobians,
    plain_graph,
    recursion_graph,
    spatial_graph,
)
from symdyn.analysis.compare.comparison import compare
from symdyn.analysis.compare.contestants import CONTESTANTS, measure
from symdyn.analysis.compare.finite_differences import evaluations, stencil
from symdyn.analysis.compare.measurement import Figures
from symdyn.analysis.compare.plain_articulated_body import Factor, plain_forward_dynamics
from symdyn.analysis.compare.plain_mass_matrix import (
    plain_mass_matrix,
    plain_mass_matrix_inverse,
    solved_forward_dynamics,
)
from symdyn.analysis.compare.plain_newton_euler import plain_inverse_dynamics
from symdyn.analysis.compare.tape_time_derivatives import tape_time_derivatives
from symdyn.analysis.compare.task import DYNAMICS, Kind, Subject, Task
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.errors import RequestError
from symdyn.generation.pipeline import float_recursion
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
TOLERANCE = 1e-11
"""Some hundred times what such recursions lose on 7 bodies to order 2; wrong rates are off by a tenth or more."""


def task_of(robot: Robot, dynamics: str, order: int, kind: Kind = Kind.TIME, states: int = 2) -> Task:
    """A task at random states."""
    rng = np.random.default_rng(5)
    rest = Task(robot, Subject(dynamics, kind), order, np.empty((0, 0))).rows * robot.nv
    rows = [np.concatenate([robot.random_state(rng)[0], rng.uniform(-1, 1, rest)]) for _ in range(states)]
    return Task(robot, Subject(dynamics, kind), order, np.array(rows))


def inputs_of(task: Task, state: Array) -> dict[str, list[float]]:
    """Flat inputs by name."""
    splits = np.cumsum([argument.size for argument in task.signature.inputs])[:-1]
    parts = np.split(state, splits)
    return {argument.name: part.tolist() for argument, part in zip(task.signature.inputs, parts, strict=True)}


def expected(task: Task) -> Array:
    """What symdyn's own recursion gives, (states, outputs)."""
    options: dict[str, Any] = dict(task.subject.options(task.order))
    call = float_recursion(task.robot, task.subject.function, **options)
    names = [output.name for output in task.signature.outputs]
    return np.array([[x for name in names for x in call(inputs_of(task, row))[name]] for row in task.states])


def evaluated(task: Task, graph: Graph, outputs: Sequence[Any]) -> Array:
    """The values of a graph's expressions at the states of a task."""
    function = casadi_function("f", ["x"], [graph.symbols], ["y"], [(outputs, (len(outputs),))])
    return np.array([function(row).full().ravel() for row in task.states])


def assert_close(task: Task, found: Array) -> None:
    """Agreement per order, relative to the largest component of the order."""
    truth = expected(task)
    assert found.shape == truth.shape
    for order in range(task.order + 1):
        rows = slice(order * task.robot.nv, (order + 1) * task.robot.nv)
        assert found[:, rows] == pytest.approx(truth[:, rows], rel=0.0, abs=TOLERANCE * np.abs(truth[:, rows]).max())


@pytest.mark.parametrize("convention", ["pinocchio", "spatial"])
@pytest.mark.parametrize("dynamics", DYNAMICS)
def test_graphs_and_tapes_on_a_free_base(dynamics: str, convention: str) -> None:
    robot = symdyn.load_example("aerial_manipulator", convention=convention)
    task = task_of(robot, dynamics, 1)
    graph = plain_graph(task)
    assert_close(task, evaluated(task, graph, differentiated(task, graph, share=True)))
    program = tape_time_derivatives(task)
    (name,) = (output.name for output in task.signature.outputs)
    found = [evaluate_program(program, FloatAlgebra(), inputs_of(task, row))[name] for row in task.states]
    assert_close(task, np.array(found))


@pytest.mark.parametrize("dynamics", DYNAMICS)
def test_graphs_of_order_two(dynamics: str) -> None:
    task = task_of(symdyn.load_example("double_pendulum"), dynamics, 2)
    for make in (plain_graph, spatial_graph):
        graph = make(task)
        for share in (False, True):
            assert_close(task, evaluated(task, graph, differentiated(task, graph, share)))
    graph = recursion_graph(task)
    assert_close(task, evaluated(task, graph, graph.outputs))


@pytest.mark.needs_cc
@pytest.mark.parametrize("name", ["symdyn", "symdyn-spatial", "casadi-plain-cse", "tape-ad"])
def test_measured_c_gives_the_same_results(name: str) -> None:
    task = task_of(symdyn.load_example("double_pendulum"), "inverse_dynamics", 1)
    figures = measure(name, task)
    assert_close(task, figures.outputs)
    assert figures.operations and figures.c_bytes and figures.compile_s
    assert min(figures.operations, figures.c_bytes, figures.compile_s, figures.nanoseconds) > 0


@pytest.mark.needs_cc
@pytest.mark.parametrize("dynamics", DYNAMICS)
def test_partials_of_the_rivals(dynamics: str) -> None:
    task = task_of(symdyn.load_example("double_pendulum"), dynamics, 0, Kind.PARTIALS)
    truth = expected(task)
    assert measure("casadi-jacobian", task).outputs == pytest.approx(truth, rel=1e-11, abs=1e-11)
    for mode in ("forward", "reverse"):
        program = autodiff_program(task.robot, dynamics, mode)
        values = evaluate_program(program, FloatAlgebra(), inputs_of(task, task.states[0]))
        flat = [x for output in task.signature.outputs for x in values[output.name]]
        assert flat == pytest.approx(truth[0].tolist(), rel=1e-11, abs=1e-11)


@pytest.mark.needs_cc
@pytest.mark.parametrize(
    ("name", "function", "kind"),
    [
        ("casadi-solved", "forward_dynamics", Kind.VALUES),
        ("casadi-matrix", "mass_matrix", Kind.VALUES),
        ("casadi-matrix", "mass_matrix_inverse", Kind.VALUES),
        ("casadi-weighted", "inverse_dynamics", Kind.ADJOINT),
        ("casadi-weighted", "forward_dynamics", Kind.HESSIAN),
    ],
)
def test_rivals_of_matrices_and_weighted_results(name: str, function: str, kind: Kind) -> None:
    task = task_of(symdyn.load_example("double_pendulum"), function, 0, kind)
    assert CONTESTANTS[name].fits(task.subject)
    assert measure(name, task).outputs == pytest.approx(expected(task), rel=1e-11, abs=1e-11)


def test_weighted_rivals_refuse_velocities_that_are_no_rates() -> None:
    task = task_of(symdyn.load_example("aerial_manipulator"), "inverse_dynamics", 0, Kind.ADJOINT)
    with pytest.raises(RequestError, match="joint 'root': its velocities are not the rates of its coordinates"):
        measure("casadi-weighted", task)


@pytest.mark.needs_cc
@pytest.mark.parametrize("dynamics", DYNAMICS)
def test_finite_differences_lose_digits_with_every_order(dynamics: str) -> None:
    order = 3
    task = task_of(symdyn.load_example("double_pendulum"), dynamics, order)
    difference = np.abs(measure("finite-differences", task).outputs - expected(task))
    rows = np.abs(expected(task)).reshape(2, order + 1, 2).max(axis=(0, 2))
    errors = difference.reshape(2, order + 1, 2).max(axis=(0, 2)) / rows
    assert errors[0] < 1e-14
    for k in range(1, order + 1):  # second-order differences keep 2 / (k + 2) of 53 bits, give or take a few
        left = 2.0 ** (-53 * 2 / (k + 2))
        assert 1e-3 * left < errors[k] < 1e3 * left, (k, errors)


@pytest.mark.needs_cc
def test_errors_are_those_against_exact_results() -> None:
    def run_here(name: str, task: Task, _: float) -> Figures:
        return measure(name, task)

    robot = symdyn.load_example("double_pendulum")
    found = compare(robot, "inverse_dynamics", [1], ["finite-differences"], run=run_here)
    ours, theirs = (found.point(name, 1).error_in_u for name in ("symdyn", "finite-differences"))
    assert ours is not None and theirs is not None
    assert 0.0 < ours < 130.0 and 1e3 < theirs < 1e10


def test_weights_of_differences_are_exact_for_polynomials() -> None:
    for order in range(7):
        for power in range(order + 2):
            total = sum(weight * node**power for node, weight in stencil(order).items())
            assert total == pytest.approx(0.0 if power != order else float(np.prod(range(1, order + 1))), abs=1e-12)
    assert [evaluations(order) for order in range(6)] == [1, 3, 5, 9, 13, 19]


def test_plain_recursions_are_each_other_s_inverse_on_a_free_base() -> None:
    robot, algebra = symdyn.load_example("aerial_manipulator"), FloatAlgebra()
    rng = np.random.default_rng(3)
    q, v = (list(part) for part in robot.random_state(rng))
    a = list(rng.standard_normal(robot.nv))
    tau = plain_inverse_dynamics(robot.model, algebra, q, v, a)
    assert plain_forward_dynamics(robot.model, algebra, q, v, tau) == pytest.approx(a, rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("convention", ["pinocchio", "spatial"])
def test_plain_mass_matrix_and_its_inverse(convention: str) -> None:
    robot, algebra = symdyn.load_example("aerial_manipulator", convention=convention), FloatAlgebra()
    rng = np.random.default_rng(3)
    q, v = (list(part) for part in robot.random_state(rng))
    M = np.array(plain_mass_matrix(robot.model, algebra, q))
    truth = np.array(float_recursion(robot, "mass_matrix")({"q": q})["M"]).reshape(M.shape)
    assert pytest.approx(truth, rel=0.0, abs=1e-13 * np.abs(truth).max()) == M
    assert np.array(plain_mass_matrix_inverse(robot.model, algebra, q)) @ M == pytest.approx(
        np.eye(robot.nv), abs=1e-11
    )
    tau = list(rng.standard_normal(robot.nv))
    found = solved_forward_dynamics(robot.model, algebra, q, v, tau)
    assert found == pytest.approx(plain_forward_dynamics(robot.model, algebra, q, v, tau), rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("dynamics", DYNAMICS)
def test_jacobians_on_a_free_base(dynamics: str) -> None:
    task = task_of(symdyn.load_example("aerial_manipulator"), dynamics, 0, Kind.PARTIALS, states=1)
    graph, nv = plain_graph(task), task.robot.nv
    blocks = jacobians(task.robot.model, graph, dynamics)
    assert [len(block) for block in blocks] == [nv * nv] * 3
    (found,), (truth,) = evaluated(task, graph, [entry for block in blocks for entry in block]), expected(task)
    assert found == pytest.approx(truth, rel=0.0, abs=1e-11 * np.abs(truth).max())


def test_a_factor_solves() -> None:
    rng = np.random.default_rng(1)
    root = rng.standard_normal((5, 5))
    matrix, right = root @ root.T + np.eye(5), rng.standard_normal(5)
    assert Factor(matrix.tolist()).solve(right.tolist()) == pytest.approx(np.linalg.solve(matrix, right), rel=1e-12)


def test_cse_takes_fewer_instructions_with_every_order() -> None:
    robot = symdyn.load_example("double_pendulum")
    ratios = []
    for order in range(4):
        task = task_of(robot, "inverse_dynamics", order)
        plain, shared = (differentiated_code(task, plain_graph(task), share).operations for share in (False, True))
        ratios.append(plain / shared)
    assert ratios[0] == 1.0 and ratios == sorted(set(ratios))


def test_plain_recursions_refuse_what_they_do_not_know() -> None:
    robot = symdyn.load_example("double_pendulum", runtime=["upper.mass"])
    with pytest.raises(RequestError, match="the plain recursion knows no"):
        plain_forward_dynamics(robot.model, FloatAlgebra(), [0.0, 0.0], [0.0, 0.0], [0.0, 0.0])
