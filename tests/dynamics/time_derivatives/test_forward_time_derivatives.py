"""Time derivatives of forward and hybrid dynamics: inverse dynamics undone to fifty digits."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from mpmath import mp
from support.robots.kinds import P, R
from support.robots.small import loaded, single
from support.robots.table import TREES, with_losses
from support.states import random_inputs

import symdyn
from symdyn import api
from symdyn.algebra.scalars.mpmath_real import MpmathAlgebra
from symdyn.description.robot import JointKind, Link, Losses, Matrix3
from symdyn.errors import ModelError
from symdyn.functions.catalogue import requests
from symdyn.interface.options import RequestOptions
from symdyn.plan.plan import Plan
from symdyn.plan.run import run_plan
from symdyn.robot.robot import Robot

INVERSE, FORWARD = "inverse_dynamics_time_derivatives", "forward_dynamics_time_derivatives"
HYBRID = "hybrid_dynamics_time_derivatives"
AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
DIGITS = 50

NAMES = ("mixed", "floating", "body twist", "thrown", "followers")


QUARTERS: tuple[Matrix3, ...] = (
    ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
    ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
    ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)),
)


@cache
def robot(name: str) -> Robot:
    """The tree with rotations and axes that doubles hold exactly, so that fifty digits are fifty digits."""
    tree = TREES[name]
    description = with_losses(tree.described())
    exact = tuple(
        replace(
            item,
            placement=replace(item.placement, rotation=QUARTERS[(tree.seed + place) % 4]),
            axis=AXES[place % 3],
            second_axis=AXES[(place + 1) % 3],
        )
        for place, item in enumerate(description.joints)
    )
    return loaded(replace(description, joints=exact), **tree.options)


def asked(name: str, order: int) -> RequestOptions:
    options: RequestOptions = {"order": order}
    if name != "body twist":
        options["external_wrenches"] = "body" if name == "followers" else "world"
    return options


def run_exactly(plan: Plan, inputs: dict[str, Any]) -> Any:
    """The plan at fifty digits, where its constants are not added up as doubles either."""

    def exact(constants: Any) -> Any:
        return {name: mp.mpf(value) if isinstance(value, float) else value for name, value in constants.items()}

    sweeps = [
        replace(sweep, visits=tuple(replace(visit, constants=exact(visit.constants)) for visit in sweep.visits))
        for sweep in plan.sweeps
    ]
    return run_plan(replace(plan, sweeps=tuple(sweeps)), MpmathAlgebra(DIGITS), inputs)


def plan_of(own: Robot, function: str, **options: Any) -> Any:
    ((entry, request),) = requests(own.model, [function], **options)
    return entry.plan(own.model, request), entry.signature(own.model, request)


def moved(name: str, order: int) -> tuple[dict[str, Any], list[list[Any]]]:
    """Inputs along a random trajectory at fifty digits, without its accelerations; and the rows of v, v', .. ."""
    _, signature = plan_of(robot(name), INVERSE, **asked(name, order))
    inputs = random_inputs(robot(name), signature, np.random.default_rng(7))
    exact = {key: [mp.mpf(value) for value in values] for key, values in inputs.items()}
    for place, coordinate in enumerate(robot(name).coordinate_names):
        if coordinate.endswith(".qx"):
            norm = mp.norm(exact["q"][place : place + 4])
            exact["q"][place : place + 4] = [value / norm for value in exact["q"][place : place + 4]]
    count = robot(name).nv
    flat = exact.pop("V")
    return exact, [flat[start : start + count] for start in range(0, len(flat), count)]


def forces(name: str, order: int) -> tuple[dict[str, Any], list[list[Any]], list[list[Any]]]:
    """The same, and the rows of tau, tau', .. that inverse dynamics finds."""
    given, rows = moved(name, order)
    plan, _ = plan_of(robot(name), INVERSE, **asked(name, order))
    found = run_exactly(plan, {**given, "V": [value for row in rows for value in row]})["tau"]
    count = robot(name).nv
    return given, rows, [found[start : start + count] for start in range(0, len(found), count)]


def largest(found: Any, expected: list[list[Any]]) -> Any:
    """The largest error of any order, relative to the largest entry of that order."""
    count = len(expected[0])
    return max(
        max(abs(x - y) for x, y in zip(found[count * k : count * (k + 1)], row, strict=True)) / max(map(abs, row))
        for k, row in enumerate(expected)
    )


@pytest.mark.parametrize("order", [0, 1, 4])
@pytest.mark.parametrize("name", NAMES)
def test_forward_dynamics_undoes_inverse_dynamics(name: str, order: int) -> None:
    with mp.workdps(DIGITS):
        given, rows, tau = forces(name, order)
        plan, _ = plan_of(robot(name), FORWARD, **asked(name, order))
        T = [value for row in tau for value in row]
        found = run_exactly(plan, {**given, "v": rows[0], "T": T})["A"]
        assert largest(found, rows[1:]) < mp.mpf(10) ** (15 - DIGITS)


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("mixed", lambda row: row % 2 == 0),
        ("floating", lambda row: row < 6),
        ("floating", lambda row: row in (1, 5, 7)),
        ("floating", lambda row: row > 5),
        ("body twist", lambda row: row in (0, 3, 4, 6)),
        ("thrown", lambda row: row < 8),
        ("followers", lambda row: row in (0, 2)),
        ("followers", lambda row: True),
    ],
)
def test_hybrid_dynamics_exchanges_rows(name: str, kept: Any) -> None:
    order = 3
    names = robot(name).velocity_names
    prescribed = [kept(row) for row in range(len(names))]
    with mp.workdps(DIGITS):
        given, rows, tau = forces(name, order)
        options = {**asked(name, order), "prescribed": [n for n, own in zip(names, prescribed, strict=True) if own]}
        plan, _ = plan_of(robot(name), HYBRID, **options)
        exchanged = [
            [(a, f) if own else (f, a) for own, a, f in zip(prescribed, motion, force, strict=True)]
            for motion, force in zip(rows[1:], tau, strict=True)
        ]
        given |= {"v": rows[0], "U": [pair[0] for row in exchanged for pair in row]}
        found = run_exactly(plan, given)["W"]
        assert largest(found, [[pair[1] for pair in row] for row in exchanged]) < mp.mpf(10) ** (15 - DIGITS)


@pytest.mark.parametrize("convention", ["pinocchio", "spatial"])
def test_the_residual_is_small_to_order_eight(convention: str) -> None:
    """Forces that inverse dynamics finds for the accelerations found, 1e-9 relative at every order."""
    arm, order = symdyn.load_example("aerial_manipulator", convention=convention), 8
    rng = np.random.default_rng(2)
    q, v = arm.random_state(rng)
    tau = rng.standard_normal((order + 1, arm.nv))
    forward = api.float_recursion(arm, FORWARD, order=order)
    found = forward({"q": list(q), "v": list(v), "T": list(tau.ravel())})["A"]
    inverse = api.float_recursion(arm, INVERSE, order=order)
    again = np.reshape(inverse({"q": list(q), "V": [*v, *found]})["tau"], tau.shape)
    motion = np.reshape(found, tau.shape)
    for k in range(order + 1):
        weight = max(1.0, float(np.abs(motion[k]).max()))
        assert np.abs(again[k] - tau[k]).max() <= 1e-9 * weight, k


def test_the_cost_grows_like_the_square_of_the_order() -> None:
    """Increments from order to order grow linearly: their second differences stay below a tenth of order 0."""
    arm = symdyn.load_example("aerial_manipulator")
    counts = [api.cost(arm, [FORWARD], layout="unrolled", order=r)[FORWARD]["total"] for r in range(6)]
    assert counts[0] == api.cost(arm, ["forward_dynamics"], layout="unrolled")["forward_dynamics"]["total"]
    bends = np.diff(counts, n=3)
    assert np.all(np.abs(bends) <= 0.1 * counts[0]), counts


@pytest.mark.parametrize(
    ("function", "order", "asked_too"), [(FORWARD, 0, {}), (FORWARD, 3, {}), (HYBRID, 3, {"prescribed": ["joint_1_2"]})]
)
def test_loops_repeat_little_of_what_lower_orders_have_found(
    function: str, order: int, asked_too: dict[str, Any]
) -> None:
    tree = symdyn.load_example("aerial_tree", branches=3, bodies_per_branch=5)
    pieces, loops = (
        api.cost(tree, [function], layout=layout, order=order, **asked_too)[function]["total"]
        for layout in ("split", "rolled")
    )
    assert pieces < loops <= 1.07 * pieces


def test_what_has_no_derivatives_is_refused() -> None:
    rubbing = single(R, losses=Losses(0.0, 0.3, 0.0))
    with pytest.raises(ModelError, match="velocity scale"):
        plan_of(loaded(rubbing, joint_losses=True), FORWARD, order=1)
    weightless = single(P, Link("body"))
    for function, options in ((FORWARD, {}), (HYBRID, {"prescribed": []})):
        with pytest.raises(ModelError, match="nothing resists"):
            plan_of(loaded(weightless), function, order=1, **options)


@pytest.mark.parametrize(("prescribed", "opened"), [((), 0), (("j.wx", "j.wy", "j.wz"), 0), (("j.wy",), 2)])
def test_unknown_rates_are_opened_where_known_ones_are_read_with_them(prescribed: tuple[str, ...], opened: int) -> None:
    """The rows of a joint that is wholly free, or wholly prescribed, are written once and by nothing else."""
    ball = loaded(single(JointKind.SPHERICAL))
    ((entry, request),) = requests(ball.model, [HYBRID], order=2, prescribed=prescribed)
    sweeps = entry.plan(ball.model, request).sweeps
    found = [visit.bindings["unknown"] for sweep in sweeps if sweep.step.name == "still_open" for visit in sweep.visits]
    assert len(found) == opened * 2 * 3  # a and v, at each order
