"""Constraints on velocities against mechanics by hand, elimination by SymPy, dense equations, and the oracle."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy
from support.looped_checks import verified
from support.places import CORPUS
from support.robots.rolling import DISC, MIXED, SLEIGH
from support.soft_calls import call
from support.states import random_inputs, relative_error

import symdyn
from symdyn import api
from symdyn.description.read import read_robot
from symdyn.description.yaml.read import parse_yaml
from symdyn.errors import ModelError
from symdyn.functions.catalogue import requests
from symdyn.loading import robot_of
from symdyn.robot import Robot
from symdyn.scalars.floats import FloatAlgebra
from symdyn.tape.evaluate import evaluate_program

FORWARD, HYBRID, INVERSE = (f"constrained_{kind}_dynamics" for kind in ("forward", "hybrid", "inverse"))
ORDERS = "_time_derivatives"
G = 9.81
CLOSE = {"rel": 1e-12, "abs": 1e-12}


@cache
def robot(text: str, **options: Any) -> Robot:
    return robot_of(parse_yaml(text.encode(), "r.yaml"), **{name: _plain(value) for name, value in options.items()})


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, tuple) and value and isinstance(value[0], tuple) else value


def drive() -> Robot:
    return robot_of(read_robot(CORPUS / "differential_drive.yaml"))


def test_chaplygins_sleigh_moves_as_by_hand() -> None:
    """m (u' - a w^2) = F, (I + m a^2) w' + m a u w = N, for the blade's speed u and the centre of mass a ahead."""
    own, (m, a, I) = robot(SLEIGH), (2.0, 0.3, 0.3)  # noqa: E741
    rng = np.random.default_rng(0)
    for _ in range(5):
        yaw, u, w, force, moment = rng.standard_normal(5)
        ahead, aside = np.array([np.cos(yaw), np.sin(yaw)]), np.array([-np.sin(yaw), np.cos(yaw)])
        found, (held,) = call(own, FORWARD, q=[0.3, -0.2, yaw], v=[*(u * ahead), w], tau=[*(force * ahead), moment])
        assert found[:2] @ ahead == pytest.approx(force / m + a * w * w, **CLOSE)
        assert found[:2] @ aside == pytest.approx(u * w, **CLOSE)
        assert found[2] == pytest.approx((moment - m * a * u * w) / (I + m * a * a), **CLOSE)
        assert held == pytest.approx(m * (u * w + a * found[2]), **CLOSE)


def test_a_knife_edge_on_a_slope_draws_a_cycloid() -> None:
    """With the turn w: x = g sin(s) sin(wt)^2 / (2 w^2) down the slope s, y = g sin(s) (wt - sin(2wt)/2) / (2 w^2)."""
    text = SLEIGH.replace("com: [0.3, 0, 0], ", "")
    slope, w, order = 0.4, 1.7, 4
    own = robot(text, gravity=(G * np.sin(slope), 0.0, -G * np.cos(slope)))
    g = G * np.sin(slope)
    for t in (0.0, 0.3, 1.1, 2.0):
        x, y = (g / (2 * w * w) * s for s in (np.sin(w * t) ** 2, w * t - 0.5 * np.sin(2 * w * t)))
        v = [g / (2 * w) * np.sin(2 * w * t), g / (2 * w) * (1 - np.cos(2 * w * t)), w]
        A, _ = call(own, FORWARD + ORDERS, q=[x, y, w * t], v=v, T=np.zeros((order + 1, 3)), order=order)
        turned = g * (2j * w) ** np.arange(order + 1) * np.exp(2j * w * t)
        expected = np.stack([turned.real, turned.imag, np.zeros(order + 1)], axis=1)
        assert abs(A - expected).max() < 1e-11 * abs(expected).max()


def disc_rates(yaw: float, roll: float) -> list[float]:
    return [0.4 * np.cos(yaw) * roll, 0.4 * np.sin(yaw) * roll]


def test_a_disc_turns_steadily() -> None:
    """A W^2 sin(l) cos(l) - (C + m R^2) w3 W cos(l) = m g R sin(l) at the lean l, for the turn W and the spin w3."""
    own, (m, R) = robot(DISC), (1.5, 0.4)
    across, along = m * R * R / 4, m * R * R / 2
    for lean, turn in ((0.3, 1.2), (-0.5, 2.0), (0.8, -1.5)):
        lifted = np.sin(lean) * (across * turn**2 * np.cos(lean) - m * G * R)
        roll = lifted / ((along + m * R * R) * turn * np.cos(lean)) - turn * np.sin(lean)
        q = [0.0, 0.0, 0.7, lean, 0.2]
        v = [*disc_rates(0.7, roll), turn, 0.0, roll]
        a, _ = call(own, FORWARD, q=q, v=v, tau=np.zeros(5))
        assert a[2:] == pytest.approx(np.zeros(3), abs=1e-12)


@cache
def reduced_disc() -> Any:
    """The rolling disc's yaw'', lean'' and roll'' by Lagrange and elimination of x' and y', as a function of states."""
    m, R, g = sympy.Rational(3, 2), sympy.Rational(2, 5), sympy.Symbol("g")
    q, v = sympy.symbols("x y yaw lean roll", real=True), sympy.symbols("v0:5", real=True)
    _, _, yaw, lean, _ = q
    turn = sympy.Matrix(sympy.rot_ccw_axis3(yaw)) * sympy.Matrix(sympy.rot_ccw_axis1(lean))
    centre = sympy.Matrix([q[0], q[1], 0]) + turn * sympy.Matrix([0, 0, R])
    velocity = centre.jacobian(q) * sympy.Matrix(v)
    spin = turn.T * sympy.Matrix([0, 0, v[2]]) + sympy.Matrix([v[3], v[4], 0])  # in axes that lean but do not roll
    moments = sympy.diag(m * R**2 / 4, m * R**2 / 2, m * R**2 / 4)
    energy = (m * velocity.dot(velocity) + spin.dot(moments * spin)) / 2
    M = sympy.hessian(energy, v)
    lagrangian = energy - m * g * centre[2]
    momenta = sympy.Matrix([lagrangian]).jacobian(v).T
    h = momenta.jacobian(q) * sympy.Matrix(v) - sympy.Matrix([lagrangian]).jacobian(q).T
    ways = sympy.Matrix([[0, 0, R * sympy.cos(yaw)], [0, 0, R * sympy.sin(yaw)], *sympy.eye(3).tolist()])
    changes = ways.diff(yaw) * v[2]
    return sympy.lambdify([q, v, g], [M, h, ways, changes], "numpy", cse=True)


def test_a_rolling_disc_equals_elimination_by_sympy() -> None:
    own, rng, parts = robot(DISC), np.random.default_rng(3), reduced_disc()
    for _ in range(5):
        q, slow, tau = rng.standard_normal(5), rng.standard_normal(3), rng.standard_normal(5)
        M, h, ways, changes = (np.array(part, dtype=float) for part in parts(q, [*disc_rates(q[2], slow[2]), *slow], G))
        force = ways.T @ (tau - h.ravel() - M @ changes @ slow)
        expected = np.linalg.solve(ways.T @ M @ ways, force)
        v = [*disc_rates(q[2], slow[2]), *slow]
        a, held = call(own, FORWARD, q=q, v=v, tau=tau)
        assert a[2:] == pytest.approx(expected, **CLOSE)
        needed = M @ a + h.ravel() - tau
        assert held == pytest.approx(needed[:2], rel=1e-11, abs=1e-11)


def test_a_differential_drive_moves_as_by_hand() -> None:
    own, r, b, (m, a, zz), (w, iyy, izz) = drive(), 0.05, 0.25, (8.0, 0.06, 0.12), (0.4, 5e-4, 3e-4)
    whole, turning = m + 2 * w, zz + m * a * a + 2 * (izz + w * b * b)
    u, omega, forces = 0.7, -1.3, (0.2, 0.5)
    v = [u, 0.0, omega, (u - b * omega) / r, (u + b * omega) / r]
    given = {"q": [0.1, 0.2, 0.4, 0.0, 0.0], "v": v, "p": [b]}
    found, _ = call(robot_with_b(), FORWARD, tau=[0, 0, 0, *forces], **given)
    assert found[0] == pytest.approx((sum(forces) / r + m * a * omega**2) / (whole + 2 * iyy / r**2), **CLOSE)
    moment = b / r * (forces[1] - forces[0]) - m * a * u * omega
    assert found[2] == pytest.approx(moment / (turning + 2 * iyy * (b / r) ** 2), **CLOSE)
    tau, _ = call(robot_with_b(), INVERSE, a=found, **given)  # of the two motors of the file
    assert tau == pytest.approx([0, 0, 0, *forces], **CLOSE)
    assert own.mobility == 2 and len(own.constraints[0].rows) == 3
    assert own.constraints[0].rows == ("wheels.0", "wheels.1", "wheels.2") and own.constraints[0].kind == "pfaffian"


@cache
def robot_with_b() -> Robot:
    return robot_of(read_robot(CORPUS / "differential_drive.yaml"), runtime=["b"])


@pytest.mark.parametrize("text", [DISC, MIXED])
def test_dense_equations_are_met(text: str) -> None:
    own, rng = robot(text), np.random.default_rng(5)
    p = {"p": own.runtime_defaults} if own.runtime_parameters else {}
    q, v = own.random_state(rng)
    tau = rng.standard_normal(own.nv)
    A, bias = call(own, "constraint_jacobian", q=q, **p)[0], call(own, "constraint_bias", q=q, v=v, **p)[0]
    M = call(own, "mass_matrix", q=q, **p)[0]
    h = call(own, "inverse_dynamics", q=q, v=v, a=np.zeros(own.nv), **p)[0]
    count = len(A)
    system = np.block([[M, -A.T], [A, np.zeros((count, count))]])
    expected = np.linalg.solve(system, [*(tau - h), *-bias])
    a, held = call(own, FORWARD, q=q, v=v, tau=tau, **p)
    assert relative_error(np.concatenate([a, held]), expected) < 1e-12
    assert relative_error(call(own, "operational_inertia", q=q, **p)[0], A @ np.linalg.solve(M, A.T)) < 1e-12
    assert call(own, "constraint_error", q=q, **p)[0][-2:] == pytest.approx([0.0, 0.0], abs=0.0)


def test_what_velocities_have_lost_comes_back_like_one_over_t() -> None:
    own, T = robot(SLEIGH), 0.5
    q, v = [0.0, 0.0, 0.4], np.array([0.3, 0.5, 0.7])
    a, _ = call(own, FORWARD, q=q, v=v, tau=[1, 2, 3], stabilisation=T)
    A, bias = call(own, "constraint_jacobian", q=q)[0], call(own, "constraint_bias", q=q, v=v)[0]
    assert A @ a + bias == pytest.approx(-(A @ v) / T, **CLOSE)


def test_velocities_are_projected_and_positions_left() -> None:
    own, rng = (
        robot(SLEIGH.replace("coordinates: [yaw]", "coordinates: [yaw], equals: [0.5]")),
        np.random.default_rng(1),
    )
    q, v = own.random_state(rng)
    closed, moved = own.project(q, v)
    A = call(own, "constraint_jacobian", q=q)[0]
    M = call(own, "mass_matrix", q=q)[0]
    assert np.array_equal(closed, q) and A @ moved == pytest.approx([0.5], abs=1e-14)
    across = np.linalg.svd(A)[2][1:]
    assert across @ M @ (moved - v) == pytest.approx(np.zeros(2), abs=1e-13)
    assert own.mobility == 2 and len(own.independent_coordinates) == 2


def test_rows_that_follow_from_others() -> None:
    gear = SLEIGH + "  gear: {kind: coupling, terms: {x: 1, y: -2}}\n"
    first = gear.replace("  blade:", "  slide: {kind: pfaffian, rows: [{x: -0.5, y: 1}]}\n  blade:")
    own = robot(first)
    assert [own.dropped for own in own.constraints] == [("",), (), ()]
    assert "loop 'slide': row 0 follows from others in all positions; left out" in own.warnings[0]
    with pytest.raises(ModelError, match=r"loop 'slide' can never be met: row 0 misses by 0\.\d+ m/s in all positions"):
        robot(first.replace("y: 1}]}", "y: 1}], equals: [0.3]}"))


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("{x: -sin", "{z: -sin", r"line 8: loop 'blade': row 0: 'z' is no row of v of a joint with coordinates of its"),
        (
            "[yaw]}",
            "{yaw: yam}}",
            r"loop 'blade': coordinate 'yaw' stands for 'yam', which is no row of q .*mean 'yaw'",
        ),
        ("cos(yaw)", "1/sin(yaw)", r"loop 'blade': row 0 cannot be told at the neutral position.*division by zero"),
        ("cos(yaw)", "sqrt(yaw - 1)", r"loop 'blade': row 0 cannot be told at the neutral position"),
    ],
)
def test_what_the_model_refuses(before: str, after: str, words: str) -> None:
    assert before in SLEIGH
    with pytest.raises(ModelError, match=words):
        robot(SLEIGH.replace(before, after))


def test_locked_joints_leave_their_columns() -> None:
    q, v, tau = [0.1, 0.2], [0.5 * np.cos(0.4), 0.5 * np.sin(0.4)], [1.0, 2.0]
    own = robot(SLEIGH, locked_joints=(("yaw", 0.4),))
    a, _ = call(own, FORWARD, q=q, v=v, tau=tau)
    push = np.cos(0.4) + 2 * np.sin(0.4)
    assert a == pytest.approx([push / 2 * np.cos(0.4), push / 2 * np.sin(0.4)], **CLOSE)
    verified(own, ("constraint_jacobian", "constraint_bias"), 1)
    still = robot(SLEIGH, locked_joints=(("x", 0.0), ("y", 1.0)))
    assert still.model.loop_row_names == () and still.mobility == 1
    with pytest.raises(ModelError, match="loop 'blade': row 0 holds joints that are all locked to a velocity that is"):
        robot(SLEIGH.replace("[yaw]}", "[yaw], equals: [1]}"), locked_joints=(("x", 0.0), ("y", 1.0)))


def test_the_oracle_agrees_of_a_sleigh() -> None:
    own = robot(SLEIGH)
    verified(own, ("constraint_error", "constraint_jacobian", "constraint_bias", FORWARD), 1)


@pytest.mark.slow
def test_the_oracle_agrees_of_joints_of_all_kinds() -> None:
    own = robot(MIXED)
    held = own.velocity_names[:1]
    verified(own, ("constraint_error", "constraint_bias", "operational_inertia"), 1)
    verified(own, (INVERSE,), 1, actuated=own.velocity_names)
    verified(own, (HYBRID + ORDERS,), 1, order=1, prescribed=held, stabilisation=0.25)


@pytest.mark.slow
def test_the_oracle_agrees_of_a_base_that_moves_by_its_twist_in_the_world() -> None:
    own = robot(MIXED, convention="spatial")
    verified(own, ("constraint_jacobian", "constraint_bias"), 1)
    verified(own, (FORWARD,), 1, stabilisation=0.5)
    verified(own, (INVERSE + ORDERS,), 1, order=1, actuated=own.velocity_names)


@pytest.mark.slow
def test_the_oracle_agrees_of_partials_and_orders() -> None:
    verified(drive(), (HYBRID + "_partials",), 1, prescribed=["floor.vx"], stabilisation=0.5)
    verified(robot(SLEIGH), (FORWARD + ORDERS,), 1, order=3, stabilisation=0.5)
    verified(robot(SLEIGH), (HYBRID + ORDERS,), 1, order=1, prescribed=["x"], stabilisation=0.5)


@pytest.mark.slow
def test_forward_dynamics_undo_inverse_dynamics() -> None:
    own, order = robot_with_b(), 3
    rng = np.random.default_rng(2)
    q, v = own.project(*own.random_state(rng))
    T = np.zeros((order + 1, own.nv))
    T[:, 3:] = rng.standard_normal((order + 1, 2))
    A, Lambda = call(own, FORWARD + ORDERS, q=q, v=v, T=T, p=[0.2], order=order)
    tau, shared = call(own, INVERSE + ORDERS, q=q, V=np.vstack([v, A]), p=[0.2], order=order)
    assert relative_error(tau, T) < 1e-9 and relative_error(shared, Lambda) < 1e-9


CASES = [
    pytest.param(FORWARD, {"stabilisation": 0.5}, marks=pytest.mark.slow),
    (HYBRID, {"prescribed": ["floor.vx"]}),
    pytest.param(INVERSE, {}, marks=pytest.mark.slow),
    pytest.param("constraint_bias", {}, marks=pytest.mark.slow),
    pytest.param("operational_inertia", {}, marks=pytest.mark.slow),
    pytest.param(FORWARD + "_partials", {}, marks=pytest.mark.slow),
    pytest.param(HYBRID + ORDERS, {"order": 2, "prescribed": ["left"]}, marks=pytest.mark.slow),
    pytest.param(INVERSE + ORDERS, {"order": 2}, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("function", "options"), CASES)
def test_all_layouts_agree(function: str, options: Any) -> None:
    own = robot_with_b()
    ((entry, request),) = requests(own.model, [function], **options)
    inputs = random_inputs(own, entry.signature(own.model, request), np.random.default_rng(7))
    reference = api.float_recursion(own, function, **options)(inputs)
    for layout in ("unrolled", "split", "rolled"):
        (program,) = api.programs(own, [function], layout=layout, **options)
        found = evaluate_program(program, FloatAlgebra(), inputs)
        for output, rows in reference.items():
            assert relative_error(found[output], rows) < 1e-9, (layout, output)


@pytest.mark.slow
@pytest.mark.needs_cc
def test_compiled_and_emitted_code_agree() -> None:
    own, rng = robot(MIXED), np.random.default_rng(8)
    q, v = own.random_state(rng)
    tau, p = rng.standard_normal(own.nv), [0.3]
    functions = ["constraint_bias", FORWARD]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        modules = [symdyn.compile(own, functions, target=target, layout="rolled") for target in ("c", "python")]
    reference = call(own, FORWARD, q=q, v=v, tau=tau, p=p)
    for module in modules:
        assert relative_error(module.constraint_bias(q, v, p), call(own, "constraint_bias", q=q, v=v, p=p)[0]) < 1e-12
        for found, rows in zip(getattr(module, FORWARD)(q, v, tau, p), reference, strict=True):
            assert relative_error(found, rows) < 1e-12
