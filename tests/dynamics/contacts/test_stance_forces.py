"""Forces in stance: against fifty digits, dense least squares and closed forms, in code of every kind."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.agreement import inputs_of, programs_agree, signature_of, truth_agrees
from support.robots.touching import TEXTS

import symdyn
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.errors import SymdynError
from symdyn.robot.robot import Robot
from symdyn.verify.oracle.held import setting_of
from symdyn.verify.oracle.truths import find_truth

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
FUNCTION = "stance_forces"
WALKER = Path(__file__).resolve().parents[3] / "examples" / "ground" / "walker.urdf"
FRICTION = 0.8


@cache
def robot(name: str) -> Robot:
    return symdyn.loads(TEXTS[name](), "yaml")


@cache
def walker() -> Robot:
    return symdyn.load(WALKER, floating_base=True, contacts="ground")


@cache
def recursion(function: str) -> Any:
    return api.float_recursion(walker(), function)


@cache
def standing() -> tuple[float, ...]:
    """Where the walker's feet touch the ground."""
    q = walker().neutral()
    q[2] -= min(recursion("contact_gaps")({"q": q.tolist()})["gap"])
    return tuple(q)


def shared(a: np.ndarray, v: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Forces of joints and of contacts, (ns, 3), of the walker on its feet."""
    result = recursion(FUNCTION)({"q": standing(), "v": np.zeros(18) if v is None else v, "a": a})
    return np.array(result["tau"]), np.array(result["lambda"]).reshape(-1, 3)


def pushed(*base: float) -> np.ndarray:
    return np.concatenate([base, np.zeros(12)])


@pytest.mark.parametrize(
    "name",
    ["linkage", *(pytest.param(name, marks=pytest.mark.slow) for name in ("pairs", "flexible", "rods", "elastic"))],
)
def test_forces_are_right_to_rounding(name: str) -> None:
    for seed in (3, 5):
        assert truth_agrees(robot(name), FUNCTION, inputs_of(robot(name), FUNCTION, seed))


@pytest.mark.parametrize(
    "base",
    [
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        (3.5, 2.0, -1.0, 2.0, 1.0, -4.0),
        (0.0, 0.0, -12.0, 0.0, 0.0, 0.0),
        (-2.3, -5.6, -11.5, -7.8, -3.5, -6.0),  # far beyond what cones can give
    ],
)
def test_a_walker_inside_its_cones_at_their_edge_and_pulled_down(base: tuple[float, ...]) -> None:
    """Errors of 1e-9 N: the last stage adds 1e-6 to slopes, so that a rounding may be a million times as large."""
    model, a = walker(), pushed(*base)
    given = {"q": list(standing()), "v": [0.0] * 18, "a": a.tolist()}
    truth = find_truth(FUNCTION)(
        setting_of(model.description, signature_of(model, FUNCTION), model.load_options()), given
    )
    tau, forces = shared(a)
    assert np.abs(np.concatenate([tau, forces.ravel()]) - np.array(truth.values, dtype=float)).max() < 1e-9


def test_a_walker_that_stands_carries_its_weight_by_least_squares() -> None:
    weight = recursion("gravity")({"q": standing()})["tau"][2]
    tau, forces = shared(pushed(*[0.0] * 6))
    assert np.sum(forces[:, 2]) == pytest.approx(weight, rel=1e-13)
    feet = forces[:, 2] > 0.0
    assert np.sum(feet) == 4
    J = np.array(recursion("contact_jacobian")({"q": standing()})["J"]).reshape(-1, 18)
    required = np.array(recursion("inverse_dynamics")({"q": standing(), "v": [0.0] * 18, "a": [0.0] * 18})["tau"])
    rows = np.repeat(feet, 3)
    least, *_ = np.linalg.lstsq(J[rows][:, :6].T, required[:6], rcond=None)
    assert np.abs(forces[feet].ravel() - least).max() < 1e-10
    assert np.abs(tau[:6]).max() < 1e-10
    assert np.abs(tau + J.T @ forces.ravel() - required).max() < 1e-12


def test_forces_stay_in_cones_and_are_optimal() -> None:
    """A multiplier of passive rows, from differences alone: on the cone the rest is normal to it, inside it is zero."""
    rng, edges = np.random.default_rng(2), 0
    J = np.array(recursion("contact_jacobian")({"q": standing()})["J"]).reshape(-1, 18)[:, :6]
    for _ in range(30):
        a, v = pushed(*(1.5 * rng.normal(size=6))), 0.3 * rng.normal(size=18)
        tau, forces = shared(a, v)
        slack = FRICTION * forces[:, 2] - np.hypot(forces[:, 0], forces[:, 1])
        assert slack.min() > -1e-12
        if np.abs(tau[:6]).max() > 1e-8:
            continue
        # every other point of the cones that gives the same is longer: d . lambda >= 0 along moves within
        null = np.linalg.svd(J[np.repeat(forces[:, 2] > 0.0, 3)].T)[2][6:]
        bearing = forces[:, 2] > 0.0
        for way in (*null, *-null, *rng.normal(size=(20, len(null))) @ null):
            moved = forces[bearing] + 1e-3 * way.reshape(-1, 3)
            if np.all(np.hypot(moved[:, 0], moved[:, 1]) <= FRICTION * moved[:, 2]):
                assert np.sum(moved**2) >= np.sum(forces[bearing] ** 2) - 1e-7
        edges += bool(np.any(slack[bearing] < 1e-9))
    assert edges > 3


def test_a_block_pulled_sideways_gives_all_that_its_cones_have() -> None:
    """Friction 0.5 on four corners, m (g, a): a = 0.4 g is given in full, of 0.6 g a part is left in tau."""
    text = (
        "name: block\nfloating_base: true\nlinks:\n  block: {mass: 2, inertia: {xx: 1, yy: 1, zz: 1}, collision: {b: "
        "{box: [1, 1, 1e-6]}}}\nobstacles: {floor: {plane: {}}}\ncontacts: {c: {of: block.b, with: floor, friction: "
        "0.5}}\n"
    )
    block = symdyn.loads(text, "yaml")
    run, z = api.float_recursion(block, FUNCTION), [0.0] * 6
    for part in (0.4, 0.6):
        result = run({"q": block.neutral().tolist(), "v": z, "a": [part * 9.81, 0, 0, 0, 0, 0]})
        forces, tau = np.array(result["lambda"]).reshape(-1, 3), np.array(result["tau"])
        below = forces[:, 2] > 0.0
        assert np.abs(tau[0]) < 1e-8 if part < 0.5 else tau[0] > 0.5
        assert np.sum(forces[below, 0]) + tau[0] == pytest.approx(2 * part * 9.81, rel=1e-12)
        assert np.sum(forces[:, 2]) + tau[2] == pytest.approx(2 * 9.81, rel=1e-12)


TIED = """
name: tied
links:
  ground: {}
  block:
    {mass: 2, com: [0.05, 0.02, 0.03], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}, collision: {b: {box: [0.6, 0.4, 0.2]}}}
  anchor: {}
joints:
  free: {type: floating, parent: ground, child: block}
  post: {type: fixed, parent: ground, child: anchor, translation: [0.5, 0.1, 0.6]}
loops: {tether: {kind: distance, distance: 0.5, between: [block, anchor], close: true}}
obstacles: {floor: {plane: {}}}
contacts: {c: {of: block.b, with: floor, friction: 0.5}}
"""
"""Four corners and a tether: thirteen rows for the six of a base."""


@pytest.mark.parametrize("a", [(0, 0, 0, 0, 0, 0), (0.3, -0.4, 0.2, 1, -0.5, 1), (0, -1.8, -1.7, 2.2, -1.9, 2.4)])
def test_of_feet_and_a_tether_that_share_a_load_freely_the_least_is_given(a: tuple[float, ...]) -> None:
    """The least norm by SciPy's SLSQP, which is as exact as 1e-7 on a cone and rounds inside."""
    from scipy.optimize import minimize

    tied = symdyn.loads(TIED, "yaml")
    q = [0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0]
    given = {"q": q, "v": [0.0] * 6, "a": list(map(float, a))}
    asked = np.array(api.float_recursion(tied, "inverse_dynamics")(given)["tau"])
    J = np.array(api.float_recursion(tied, "contact_jacobian")({"q": q})["J"]).reshape(-1, 6)
    rows = np.concatenate([np.arange(12, 24), [24]])  # the lower corners, and the tether
    B, result = J[rows], api.float_recursion(tied, FUNCTION)(given)
    laws: list[Any] = [{"type": "eq", "fun": lambda x: B.T @ x - asked, "jac": lambda x: B.T}]
    for n in (2, 5, 8, 11):
        laws.append({"type": "ineq", "fun": lambda x, n=n: 0.25 * x[n] ** 2 - x[n - 1] ** 2 - x[n - 2] ** 2})
        laws.append({"type": "ineq", "fun": lambda x, n=n: x[n]})
    start = np.linalg.lstsq(B.T, asked, rcond=None)[0] + np.tile([0.0, 0.0, 1.0], 5)[:13]
    options = {"maxiter": 2000, "ftol": 1e-15}
    least = minimize(lambda x: 0.5 * x @ x, start, jac=lambda x: x, constraints=laws, method="SLSQP", options=options)
    assert np.abs(B.T @ least.x - asked).max() < 1e-12
    np.testing.assert_allclose(np.array(result["lambda"])[rows], least.x, rtol=0.0, atol=1e-6)
    assert np.abs(result["tau"]).max() < 1e-12


def test_feet_in_the_air_bear_nothing_and_actuated_bases_need_nothing() -> None:
    model = walker()
    given: dict[str, list[float]] = {"q": list(standing()), "v": [0.0] * 18, "a": [0.0] * 18}
    required = recursion("inverse_dynamics")(given)["tau"]
    every = api.float_recursion(model, FUNCTION, actuated=tuple(model.velocity_names))(given)
    assert not np.any(every["lambda"])
    assert every["tau"] == pytest.approx(required, abs=0)
    given["q"][2] += 0.01
    result = recursion(FUNCTION)(given)
    assert not np.any(result["lambda"])
    assert result["tau"] == pytest.approx(required, abs=1e-12)


def test_robots_without_contacts_are_refused() -> None:
    with pytest.raises(SymdynError, match=r"stance_forces.*contacts"):
        api.float_recursion(symdyn.load(WALKER, floating_base=True), FUNCTION)


@pytest.mark.parametrize(
    "layout", ["rolled", *(pytest.param(name, marks=pytest.mark.slow) for name in ("unrolled", "split"))]
)
def test_layouts_agree(layout: str) -> None:
    programs_agree(robot("linkage"), FUNCTION, (layout,), inputs_of(robot("linkage"), FUNCTION), tolerance=1e-10)


@pytest.mark.needs_cc
def test_code_has_the_bits_of_the_program() -> None:
    linkage = robot("linkage")
    given = inputs_of(linkage, FUNCTION)
    module = symdyn.compile(linkage, [FUNCTION], layout="rolled", lanes=False)
    (program,) = api.programs(linkage, [FUNCTION], layout="rolled")
    allowed = [evaluate_program(program, FloatAlgebra(fused), given) for fused in (False, True)]
    signature = module.signature(FUNCTION)
    result = getattr(module, FUNCTION)(*(np.reshape(given[item.name], item.shape) for item in signature.inputs))
    assert any(
        all(
            np.array_equal(np.ravel(array), one[out.name]) for array, out in zip(result, signature.outputs, strict=True)
        )
        for one in allowed
    )
