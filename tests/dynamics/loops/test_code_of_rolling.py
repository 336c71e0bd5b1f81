"""Functions of robots that roll, against the oracle and in all layouts."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.agreement import programs_agree
from support.looped_checks import verified
from support.robots.flexible_trees import flexible_tree
from support.robots.rolling import MIXED, SLEIGH, drive, robot
from support.soft_calls import call
from support.states import relative_error

import symdyn
from symdyn import api
from symdyn.description.pfaffian import Pfaffian
from symdyn.description.quantities.expression import Expression

FORWARD, HYBRID, INVERSE = (f"constrained_{kind}_dynamics" for kind in ("forward", "hybrid", "inverse"))
ORDERS = "_time_derivatives"


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
def test_links_that_bend_have_columns() -> None:
    """Dense equations, prescribed rows among the columns, and orders undone."""
    row = (("boom.bend_y[0]", 1.0), ("wing.bend_y[1]", Expression("1 + z")), ("root.vx", 2.0), ("e_ball.wx", 0.5))
    other = (("boom.bend_z[1]", 1.0), ("boom.torsion[0]", Expression("cos(z)")))
    held = Pfaffian("held", (row, other), (("z", "boom.bend_y[0]"),))
    own, rng = (
        api.from_description(replace(flexible_tree(), acting=(held,)), joint_losses=True),
        np.random.default_rng(5),
    )
    (q, v), tau = own.random_state(rng), rng.standard_normal(own.nv)
    A, bias = call(own, "constraint_jacobian", q=q)[0], call(own, "constraint_bias", q=q, v=v)[0]
    M, h = call(own, "mass_matrix", q=q)[0], call(own, "inverse_dynamics", q=q, v=v, a=np.zeros(own.nv))[0]
    expected = np.linalg.solve(np.block([[M, -A.T], [A, np.zeros((2, 2))]]), [*(tau - h), *-bias])
    assert relative_error(np.concatenate(call(own, FORWARD, q=q, v=v, tau=tau)), expected) < 1e-12
    rows = [own.velocity_names.index(name) for name in ("boom.bend_y[0]", "root.vx")]
    w, multipliers = call(own, HYBRID, q=q, v=v, u=tau, prescribed=[own.velocity_names[row] for row in rows])
    a, forces = w.copy(), tau.copy()
    a[rows], forces[rows] = tau[rows], w[rows]
    assert abs(A @ a + bias).max() < 1e-12 * abs(a).max()
    assert abs(M @ a + h - A.T @ multipliers - forces).max() < 1e-12 * abs(forces).max()
    T = np.vstack([tau, np.zeros(own.nv)])
    orders = call(own, FORWARD + ORDERS, q=q, v=v, T=T, order=1)
    shared = call(own, INVERSE + ORDERS, q=q, V=np.vstack([v, orders[0]]), order=1, actuated=own.velocity_names)
    again = call(own, FORWARD + ORDERS, q=q, v=v, T=shared[0], order=1)
    assert relative_error(again[0], orders[0]) < 1e-11 and relative_error(again[1], shared[1]) < 1e-11


@pytest.mark.slow
def test_forward_dynamics_undo_inverse_dynamics() -> None:
    own, order = drive("b"), 3
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
    own = drive("b")
    programs_agree(own, function, ("unrolled", "split", "rolled"), tolerance=1e-9, **options)


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
