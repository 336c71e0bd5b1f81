"""Time derivatives of joint forces and of frames' velocities, to any order, in every layout."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from mpmath import mp
from support.robots.kinds import R
from support.robots.small import X, described, joint, loaded, massive, single
from support.robots.table import TREES, with_losses
from support.states import random_inputs

import symdyn
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.scalars.mpmath_real import MpmathAlgebra
from symdyn.algebra.scalars.taylor import Series, rate
from symdyn.algebra.scalars.taylor_algebra import TaylorAlgebra
from symdyn.description.robot import Link, Losses
from symdyn.dynamics.inverse_dynamics.rnea import inverse_dynamics_plan
from symdyn.errors import InternalError, ModelError, RequestError
from symdyn.functions.catalogue import requests
from symdyn.functions.rates import order_name, rate_unit
from symdyn.interface.options import RequestOptions
from symdyn.model.joints import FREE, FREE_SPATIAL, ROTOR, SPHERICAL
from symdyn.plan.run import run_plan
from symdyn.plan.transforms.series_places import Form
from symdyn.robot.robot import Robot
from symdyn.verify.base.compare import error_in_u, output_blocks
from symdyn.verify.oracle.setting import make_setting
from symdyn.verify.oracle.truths import find_truth

FORCES, FRAMES = "inverse_dynamics_time_derivatives", "forward_kinematics_time_derivatives"
# units of 2^-53, normwise per order and unit: what rounding may leave of trees of eight bodies
LIMIT = 200.0

NAMES = ("mixed", "floating", "body twist", "thrown", "followers")


@cache
def robot(name: str) -> Robot:
    return loaded(with_losses(TREES[name].described()), **TREES[name].options)


def asked(name: str, function: str, order: int) -> RequestOptions:
    options: RequestOptions = {"order": order}
    if function == FORCES and name != "body twist":
        options["external_wrenches"] = "body" if name == "followers" else "world"
    return options


def drawn(name: str, function: str, order: int, seed: int = 7) -> tuple[Any, dict[str, list[float]]]:
    """Signature and random inputs."""
    ((entry, request),) = requests(robot(name).model, [function], **asked(name, function, order))
    signature = entry.signature(robot(name).model, request)
    return signature, random_inputs(robot(name), signature, np.random.default_rng(seed))


def test_the_trees_have_what_they_are_for() -> None:
    bodies = [body.joint for name in NAMES for body in robot(name).model.bodies]
    assert {own.kind for own in bodies} >= {FREE, FREE_SPATIAL, SPHERICAL, ROTOR}
    assert any(own.leaders for own in bodies)
    assert any(own.actuator for own in bodies)


@pytest.mark.parametrize(("function", "order"), [(FORCES, 0), (FORCES, 3), (FRAMES, 2)])
@pytest.mark.parametrize("name", NAMES)
def test_against_fifty_digits(name: str, function: str, order: int) -> None:
    signature, inputs = drawn(name, function, order)
    found = api.float_recursion(robot(name), function, **asked(name, function, order))(inputs)
    setting = make_setting(robot(name).description, signature, robot(name).load_options())
    exact = find_truth(function)(setting, inputs)
    rows = [row for output in signature.outputs for row in found[output.name]]
    assert error_in_u(rows, exact.values, output_blocks(signature.outputs), scales=exact.scales) <= LIMIT


@pytest.mark.parametrize("convention", ["pinocchio", "spatial"])
def test_order_eight(convention: str) -> None:
    arm, order = symdyn.load_example("aerial_manipulator", convention=convention), 8
    ((entry, request),) = requests(arm.model, [FORCES], order=order)
    signature = entry.signature(arm.model, request)
    inputs = random_inputs(arm, signature, np.random.default_rng(1))
    found = api.float_recursion(arm, FORCES, order=order)(inputs)["tau"]
    exact = find_truth(FORCES)(make_setting(arm.description, signature, arm.load_options()), inputs)
    assert error_in_u(found, exact.values, output_blocks(signature.outputs)) <= LIMIT


def test_an_arm_by_finite_differences() -> None:
    """Forces of order 0 at fifty digits, at places on the path, differenced."""
    arm, order, step = symdyn.load_example("seven_dof_arm"), 2, mp.mpf("1e-12")
    rng = np.random.default_rng(4)
    q, V = rng.uniform(-1.0, 1.0, arm.nq), rng.standard_normal((order + 2, arm.nv))
    plan = inverse_dynamics_plan(arm.model)

    def forces(t: Any) -> list[Any]:
        powers = [t**k / mp.factorial(k) for k in range(order + 3)]
        rows = [q, *V]
        moved = [
            [mp.fsum(powers[k] * float(row[i]) for k, row in enumerate(rows[start:])) for i in range(arm.nv)]
            for start in range(3)
        ]
        return run_plan(plan, MpmathAlgebra(50), dict(zip("qva", moved, strict=True)))["tau"]

    with mp.workdps(50):
        behind, here, ahead = (forces(node * step) for node in (-1, 0, 1))
        slope = [(x - y) / (2 * step) for x, y in zip(ahead, behind, strict=True)]
        bend = [(x - 2 * y + z) / step**2 for x, y, z in zip(ahead, here, behind, strict=True)]
    found = api.float_recursion(arm, FORCES, order=order)({"q": list(map(float, q)), "V": list(map(float, V.ravel()))})
    for own, expected in zip(np.reshape(found["tau"], (order + 1, arm.nv)), (here, slope, bend), strict=True):
        assert own == pytest.approx([float(value) for value in expected], rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", ["mixed", "floating", "thrown", "followers"])
def test_frames_move_as_their_jacobians_say(name: str) -> None:
    loaded_robot = robot(name)
    _, inputs = drawn(name, FRAMES, 1)
    found = api.float_recursion(loaded_robot, FRAMES, order=1)(inputs)
    V = np.reshape(inputs["V"], (2, loaded_robot.nv))
    state = {**inputs, "v": list(V[0])}

    def plain(function: str, output: str) -> np.ndarray:
        ((entry, request),) = requests(loaded_robot.model, [function])
        names = [argument.name for argument in entry.signature(loaded_robot.model, request).inputs]
        return np.array(api.float_recursion(loaded_robot, function)({own: state[own] for own in names})[output])

    count = len(loaded_robot.frame_names)
    J = plain("jacobians", "J").reshape(6 * count, loaded_robot.nv)
    dJ_dt = plain("jacobians_time_derivative", "dJ_dt").reshape(6 * count, loaded_robot.nv)
    twists = np.reshape(found["V_WF"], (2, 6 * count))
    assert found["X"] == pytest.approx(plain("forward_kinematics", "X"), rel=1e-14, abs=1e-14)
    assert twists[0] == pytest.approx(J @ V[0], rel=1e-13, abs=1e-13)
    assert twists[1] == pytest.approx(J @ V[1] + dJ_dt @ V[0], rel=1e-12, abs=1e-12)


def test_order_zero_is_inverse_dynamics() -> None:
    loaded_robot = robot("followers")
    _, inputs = drawn("followers", FORCES, 0)
    v, a = np.reshape(inputs["V"], (2, loaded_robot.nv))
    plain = {"q": inputs["q"], "v": list(v), "a": list(a), "f_ext": inputs["f_ext"]}
    expected = api.float_recursion(loaded_robot, "inverse_dynamics", external_wrenches="body")(plain)["tau"]
    found = api.float_recursion(loaded_robot, FORCES, external_wrenches="body")(inputs)["tau"]
    assert found == pytest.approx(expected, rel=1e-13, abs=1e-13)


BUDGETS = {"spatial": (602, 1495, 2716), "pinocchio": (465, 1217, 2221)}
"""Operations on seven bodies for r = 0 .. 2."""


@pytest.mark.parametrize("convention", BUDGETS)
def test_operations(convention: str) -> None:
    arm = symdyn.load_example("aerial_manipulator", convention=convention)
    for order, budget in enumerate(BUDGETS[convention]):
        assert api.cost(arm, [FORCES], layout="unrolled", order=order)[FORCES]["total"] <= budget


def test_rolled_code_does_not_grow_with_the_tree() -> None:
    sizes = []
    for count in (6, 9):
        tree = symdyn.load_example("aerial_tree", branches=2, bodies_per_branch=count)
        (program,) = api.programs(tree, [FORCES], layout="rolled", order=2)
        sizes.append(sum(len(tape.ops) for tape in program.tapes))
    assert sizes[1] == sizes[0]


def test_friction_that_jumps_is_refused() -> None:
    losses = Losses(damping=0.1, friction=0.2, velocity_scale=0.0)
    sharp = loaded(single(R, losses=losses), joint_losses=True)
    with pytest.raises(ModelError, match="joint 'j' of 'bench' has friction without a velocity scale"):
        api.float_recursion(sharp, FORCES, order=1)
    assert api.float_recursion(loaded(single(R, losses=losses)), FORCES, order=1)({"q": [0.1], "V": [1.0, 2.0, 3.0]})


def test_a_pendulum() -> None:
    """tau = J q'' + m g l cos q about a horizontal axis, and its derivatives."""
    inertia, mass, length, gravity = 0.2, 2.0, 0.5, 10.0
    bodies = [Link("base"), massive("rod", mass, (0.0, length, 0.0), (inertia, 0.0, 0.0, inertia, 0.0, inertia))]
    pendulum = loaded(described(bodies, [joint("j", R, "base", "rod", axis=X)]), gravity=(0.0, 0.0, -gravity))
    q, v, a, jerk, snap = 0.4, 1.5, -0.7, 2.0, 0.3
    found = api.float_recursion(pendulum, FORCES, order=2)({"q": [q], "V": [v, a, jerk, snap]})["tau"]
    about, weight = inertia + mass * length**2, mass * gravity * length
    assert found == pytest.approx(
        [
            about * a + weight * np.cos(q),
            about * jerk - weight * np.sin(q) * v,
            about * snap - weight * (np.cos(q) * v**2 + np.sin(q) * a),
        ],
        rel=1e-13,
    )


def test_signature_names_and_units() -> None:
    signature, _ = drawn("followers", FORCES, 3)
    V, f_ext, tau = signature.input("V"), signature.input("f_ext"), signature.outputs[0]
    nv, bodies = robot("followers").nv, len(robot("followers").body_names)
    assert (V.shape, f_ext.shape, tau.shape) == ((5, nv), (4, bodies, 6), (4, nv))
    assert V.rows[0] == ("v", "v'", "v''", "v(3)", "v(4)")
    assert set(V.units[:nv]) <= {"rad/s", "m/s"}
    assert set(tau.units[-nv:]) <= {"N m/s^3", "N/s^3"}
    assert signature.options["order"] == "3"


@pytest.mark.parametrize(
    ("unit", "order", "expected"),
    [
        ("rad/s", 0, "rad/s"),
        ("m/s", 1, "m/s^2"),
        ("N m", 0, "N m"),
        ("N m", 1, "N m/s"),
        ("N", 2, "N/s^2"),
        ("m/s^2", 0, "m/s^2"),
        ("rad/s^2", 2, "rad/s^4"),
    ],
)
def test_units_of_derivatives(unit: str, order: int, expected: str) -> None:
    assert rate_unit(unit, order) == expected


def test_names_of_derivatives() -> None:
    assert [order_name("tau", order) for order in range(5)] == ["tau", "tau'", "tau''", "tau(3)", "tau(4)"]


def test_order_is_for_time_derivatives_alone() -> None:
    with pytest.raises(RequestError, match="'inverse_dynamics' has no time derivatives"):
        requests(robot("followers").model, ["inverse_dynamics"], order=1)


def test_forms_of_stored_series() -> None:
    algebra, series = TaylorAlgebra(FloatAlgebra(), 2), Series([1.0, 2.0, 3.0])
    assert Form(3).stored(series) == [1.0, 2.0, 3.0]
    assert Form(2).stored(series) == [1.0, 2.0]
    assert Form(3, by_rate=True).stored(series) == [1.0, 2.0, 6.0]
    assert Form(3).stored(5.0) == [5.0, 0.0, 0.0]
    loaded_series = Form(3, by_rate=True).loaded(algebra, [1.0, 2.0, 6.0])
    assert loaded_series.coefficients == series.coefficients
    assert rate(loaded_series).coefficients == (2.0, 6.0)
    with pytest.raises(InternalError, match="3 coefficients where its readers need 4"):
        Form(4).stored(series)
