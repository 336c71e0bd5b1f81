"""Positions where nothing moves the error of a row at first order: its multiplier is zero, and all else is finite.

Aligned robots have rows of exact zeros there, and turned ones rows of rounding. The dense equations are solved without
these rows, by pseudo-inverses. Velocities are any that the other rows allow, so that these rows ask for what is
impossible.
"""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support.robots.looped import COUPLER, CRANK, GROUND, ROCKER, four_bar
from support.robots.parallelogram import parallelogram
from support.robots.shipped_loops import found, shipped
from support.robots.turned import TURNS, turned

from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.compiler.tape.ops import OPS
from symdyn.description.yaml.read import parse_yaml
from symdyn.errors import SymdynWarning
from symdyn.functions.catalogue import requests
from symdyn.robot.loading import robot_of
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]


ROLLING = """
name: rolling
links: {ground: , slide: {mass: 1, inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}, wheel: {mass: 1, com: [0.1, 0, 0],
  inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}}
joints:
  x: {type: prismatic, parent: ground, child: slide, axis: [1, 0, 0]}
  y: {type: revolute, parent: slide, child: wheel, axis: [0, 0, 1]}
loops: {rolling: {kind: pfaffian, rows: [{x: sin(t), y: t}], coordinates: {t: y}}}
"""


@cache
def made(name: str, turn: str = "") -> Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        if name == "rolling":
            return robot_of(parse_yaml(ROLLING.encode(), "r.yaml"))
        described = four_bar() if name == "four_bar" else parallelogram(name == "three_cranks")
        return api.from_description(turned(described, TURNS[turn]) if turn else described)


def counting(robot: Robot, q: Array) -> tuple[Array, Array]:
    """A without the rows that vanish, and which rows do not."""
    (A,) = found(robot, "constraint_jacobian", q=q)
    counts = np.linalg.norm(A, axis=1) > 1e-9
    return np.where(counts[:, None], A, 0.0), counts


def dense(robot: Robot, q: Array, v: Array, tau: Array) -> tuple[Array, Array]:
    """Accelerations, and forces of the loops, of the equations without vanishing rows."""
    A, _ = counting(robot, q)
    (M,), (bias,) = found(robot, "mass_matrix", q=q), found(robot, "constraint_bias", q=q, v=v)
    (rest,) = found(robot, "bias", q=q, v=v)
    root = np.linalg.cholesky(M)
    free = np.linalg.solve(M, tau - rest)
    moved = np.linalg.pinv(np.linalg.solve(root, A.T).T, 1e-9) @ -(A @ free + bias)
    a = free + np.linalg.solve(root.T, moved)
    return a, M @ a + rest - tau


CASES = [
    ("parallelogram", ""),
    ("rolling", ""),
    *(("parallelogram", turn) for turn in ("roll01", "yaw30", "rpy123", "random1")),
    *(("three_cranks", turn) for turn in ("", "rpy123")),
]


def state(name: str, turn: str) -> tuple[Robot, dict[str, Array]]:
    """The neutral position, any velocity that the rows allow which do not vanish, and any forces."""
    robot, rng = made(name, turn), np.random.default_rng(8)
    q, v = robot.neutral(), rng.standard_normal(robot.nv)
    A, counts = counting(robot, q)
    assert not counts.all(), "a row vanishes"
    v = v - np.linalg.pinv(A, 1e-9) @ (A @ v)
    return robot, {"q": q, "v": v, "tau": rng.standard_normal(robot.nv), "a": rng.standard_normal(robot.nv)}


def same(one: Array, other: Array, tolerance: float = 1e-9) -> bool:
    return bool(np.max(np.abs(one - other), initial=0.0) <= tolerance * max(1.0, float(np.max(np.abs(other)))))


@pytest.mark.parametrize(("name", "turn"), CASES)
def test_motions(name: str, turn: str) -> None:
    """Three cranks have a row that depends on others as well, of which 1e-7 of what is impossible remains."""
    robot, at = state(name, turn)
    A, counts = counting(robot, at["q"])
    a, multipliers = found(robot, "constrained_forward_dynamics", q=at["q"], v=at["v"], tau=at["tau"])
    wanted, forces = dense(robot, at["q"], at["v"], at["tau"])
    tolerance = 1e-5 if name == "three_cranks" else 1e-9
    assert same(a, wanted, tolerance) and same(A.T @ multipliers, forces, tolerance)
    assert np.all(np.abs(multipliers[~counts]) < 1e-25)


@pytest.mark.parametrize(("name", "turn"), CASES)
def test_impulses_and_operational_inertia(name: str, turn: str) -> None:
    robot, at = state(name, turn)
    (A, counts), (M,) = counting(robot, at["q"]), found(robot, "mass_matrix", q=at["q"])
    jump, impulses = found(robot, "impulse_dynamics", q=at["q"], v=at["a"])
    root = np.linalg.cholesky(M)
    ways = np.linalg.solve(root, A.T).T
    wanted = at["a"] - np.linalg.solve(root.T, np.linalg.pinv(ways, 1e-9) @ (A @ at["a"]))
    assert same(jump, wanted) and np.all(np.abs(impulses[~counts]) < 1e-25)
    delassus, inertia = found(robot, "operational_inertia", q=at["q"])
    assert same(delassus, ways @ ways.T)
    assert np.all(np.abs(inertia[~counts]) < 1e-25) and np.all(np.abs(inertia[:, ~counts]) < 1e-25)
    assert same(delassus @ inertia @ delassus, delassus, 1e-7)


@pytest.mark.parametrize("options", [{}, {"objective": "force"}, {"weights": "input"}])
@pytest.mark.parametrize(("name", "turn"), CASES[:3])
def test_forces(name: str, turn: str, options: dict[str, Any]) -> None:
    """All rows are actuated: of all tau + A^T lambda that give the motion, the least ones."""
    robot, at = state(name, turn)
    A, counts = counting(robot, at["q"])
    given = {"weights": np.linspace(1.0, 2.0, robot.nv)} if options.get("weights") == "input" else {}
    function = with_options(robot, "constrained_inverse_dynamics", options)
    tau, multipliers = function({"q": at["q"], "v": at["v"], "a": at["a"], **given})
    (needed,) = found(robot, "inverse_dynamics", q=at["q"], v=at["v"], a=at["a"])
    assert same(tau + A.T @ multipliers, needed) and np.all(np.abs(multipliers[~counts]) < 1e-25)
    if options.get("objective") == "force":
        assert np.all(multipliers == 0.0)
    else:
        W = np.diag(given.get("weights", np.ones(robot.nv)))
        assert same(A @ W @ tau, np.zeros(len(A)))


def with_options(robot: Robot, function: str, options: dict[str, Any]) -> Any:
    """A function with options as a float recursion on arrays."""
    ((entry, request),) = requests(robot.model, [function], **options)
    signature, recursion = entry.signature(robot.model, request), api.float_recursion(robot, function, **options)

    def call(given: dict[str, Array]) -> tuple[Array, ...]:
        outputs = recursion({own.name: [float(x) for x in np.ravel(given[own.name])] for own in signature.inputs})
        return tuple(np.reshape(outputs[own.name], own.shape) for own in signature.outputs)

    return call


@pytest.mark.parametrize(("name", "turn"), CASES[:3])
def test_derivatives_are_those_without_the_row(name: str, turn: str) -> None:
    """Along directions in which the motion is regular: by v, by forces and by accelerations."""
    robot, at = state(name, turn)
    forward = found(robot, "constrained_forward_dynamics_partials", q=at["q"], v=at["v"], tau=at["tau"])
    inverse = found(robot, "constrained_inverse_dynamics_partials", q=at["q"], v=at["v"], a=at["a"])
    for values in (*forward, *inverse):
        assert np.all(np.isfinite(values)) and np.max(np.abs(values)) < 1e4
    A, _ = counting(robot, at["q"])
    (M,) = found(robot, "mass_matrix", q=at["q"])
    root = np.linalg.cholesky(M)
    ways = np.linalg.solve(root, A.T).T
    kept = np.eye(robot.nv) - np.linalg.pinv(ways, 1e-9) @ ways
    assert same(forward[2], np.linalg.solve(root.T, kept) @ np.linalg.inv(root))


@pytest.mark.parametrize(("name", "turn"), CASES[:3])
def test_orders(name: str, turn: str) -> None:
    robot, at = state(name, turn)
    _, counts = counting(robot, at["q"])
    T = np.stack([at["tau"], at["a"], at["v"]])
    V, Lambda = with_options(robot, "constrained_forward_dynamics_time_derivatives", {"order": 2})(
        {"q": at["q"], "v": at["v"], "Tau": T, "T": T}
    )
    first = found(robot, "constrained_forward_dynamics", q=at["q"], v=at["v"], tau=at["tau"])[0]
    assert same(V[0], first) and np.all(np.isfinite(V)) and np.all(np.abs(Lambda[:, ~counts]) < 1e-20)
    A, found_Lambda = with_options(robot, "constrained_inverse_dynamics_time_derivatives", {"order": 2})(
        {"q": at["q"], "V": np.stack([at["v"], at["a"], at["tau"], at["v"]])}
    )
    assert np.all(np.isfinite(A)) and np.all(np.abs(found_Lambda[0, ~counts]) < 1e-25)


@pytest.mark.parametrize(("name", "turn"), [CASES[0], CASES[4]])
@pytest.mark.parametrize(
    "function", ["constrained_forward_dynamics", "constrained_inverse_dynamics", "impulse_dynamics"]
)
def test_programs_agree(function: str, name: str, turn: str) -> None:
    """In all layouts, as a C compiler gets them."""
    robot, at = state(name, turn)
    wanted = found(robot, function, **at)
    for layout in ("unrolled", "split", "rolled"):
        (program,) = api.programs(robot, [function], layout=layout)
        given = {own.name: [float(x) for x in np.ravel(at[own.name])] for own in program.signature.inputs}
        values = evaluate_program(program, FloatAlgebra(), given)
        for one, output in zip(wanted, program.signature.outputs, strict=True):
            assert np.ravel(one) == pytest.approx(values[output.name], rel=1e-12, abs=1e-12)


def test_the_position_itself_is_without_the_row() -> None:
    """Along a branch the row acts as it does beside the position: accelerations have another limit there."""
    robot, way, tau = made("parallelogram"), np.array([1.0, -1.0, 1.0]), np.array([0.3, 0.1, 0.2])
    before, itself, after = (
        found(robot, "constrained_forward_dynamics", q=robot.neutral() + shift * way, v=way, tau=tau)[0]
        for shift in (-1e-6, 0.0, 1e-6)
    )
    assert before == pytest.approx(after, rel=1e-6)
    assert itself == pytest.approx(dense(robot, robot.neutral(), way, tau)[0], rel=1e-9)
    assert np.max(np.abs(itself - after)) > 1.0


def test_small_rows_count() -> None:
    """A row of 1e-6 of its usual size near the dead centre is one that holds: it is met to rounding."""
    robot = made("parallelogram")
    q = np.array([1e-6, -1e-6, 1e-6])
    A, counts = counting(robot, q)
    assert counts.all() and np.linalg.norm(A, axis=1).min() < 1e-6
    a, _ = found(
        robot, "constrained_forward_dynamics", q=q, v=np.array([1.0, -1.0, 1.0]), tau=np.array([0.3, 0.1, 0.2])
    )
    (bias,) = found(robot, "constraint_bias", q=q, v=np.array([1.0, -1.0, 1.0]))
    assert np.abs(A @ a + bias).max() < 1e-9 * np.linalg.norm(A, axis=1).min() * np.abs(a).max()
    assert a == pytest.approx(a[0] * np.array([1.0, -1.0, 1.0]), rel=1e-6)


@pytest.mark.parametrize("turn", ["", "rpy123"])
@pytest.mark.parametrize("bent", [0.0, 1e-7, 0.3])
def test_forces_that_nothing_gives_are_told(turn: str, bent: float) -> None:
    """Crank and coupler along one line, or nearly: the rocker's motor cannot give what bends them.

    In rows without an actuator tau is what is missing, so that tau + A^T lambda is what the motion needs.
    """
    robot, reach = made("four_bar", turn), CRANK + COUPLER
    crank = np.arccos((reach**2 + GROUND**2 - ROCKER**2) / (2.0 * reach * GROUND))
    tip = reach * np.array([np.cos(crank), np.sin(crank)]) - [GROUND, 0.0]
    q = np.array([crank, 0.0, np.arctan2(tip[1], tip[0])])
    if bent:
        q = robot.close(q + np.array([bent, -np.sqrt(bent), 0.0]), hold=["input"])
    state = {"q": q, "v": np.zeros(3), "a": np.array([1.0, 2.0, 3.0])}
    tau, multipliers = found(robot, "constrained_inverse_dynamics", actuated=["output"], **state)
    (A,), (needed,) = found(robot, "constraint_jacobian", q=q), found(robot, "inverse_dynamics", **state)
    assert tau + A.T @ multipliers == pytest.approx(needed, abs=1e-12 * np.max(np.abs(A.T @ multipliers)))
    missed = np.linalg.norm(needed[:2] - A[:, :2].T @ np.linalg.lstsq(A[:, :2].T, needed[:2], rcond=1e-6)[0])
    if bent == 0.3:
        assert missed < 1e-12 and np.max(np.abs(tau[:2])) < 1e-12
    else:
        assert 1.0 < missed <= np.linalg.norm(tau[:2]) < 1.2 * missed


def test_small_rows_that_nothing_cancels_count() -> None:
    """A rolling row of 1e-9 is exact, and is met as it is at any other position."""
    robot = made("rolling")
    q, v, tau = np.array([0.3, 1e-9]), np.array([0.5, -0.2]), np.array([1.0, 2.0])
    a, _ = found(robot, "constrained_forward_dynamics", q=q, v=v, tau=tau)
    (A,), (M,) = found(robot, "constraint_jacobian", q=q), found(robot, "mass_matrix", q=q)
    (rest,), (bias,) = found(robot, "bias", q=q, v=v), found(robot, "constraint_bias", q=q, v=v)
    K = np.block([[M, -A.T], [A, np.zeros((1, 1))]])
    assert a == pytest.approx(np.linalg.solve(K, np.concatenate([tau - rest, -bias]))[:2], rel=1e-9)


@pytest.mark.parametrize(
    ("function", "without", "rows"),
    [
        ("constrained_forward_dynamics", 218, 2),
        ("constrained_inverse_dynamics", 286, 3),
        ("impulse_dynamics", 152, 2),
        ("operational_inertia", 127, 2),
    ],
)
def test_rows_that_may_vanish_cost_little(function: str, without: int, rows: int) -> None:
    """Two hundredths of what the functions took that divided by zero; the elbow's column has a constant length."""
    (program,) = api.programs(shipped("four_bar"), [function], layout="unrolled")
    counts = program.counts()
    assert counts["less"] == counts["select"] == rows and not counts["not"]
    assert sum(OPS[code].cost * number for code, number in counts.items()) <= 1.02 * without
