"""Time derivatives of dynamics with closed loops: against the oracle, undone by each other, and of high order."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from mpmath import mp
from support.agreement import inputs_of, programs_agree
from support.robots.flexible_trees import flexible_tree
from support.robots.looped import five_bar, four_bar, four_bar_closed, standing, with_loops
from support.robots.random_trees import make_robot
from support.soft_calls import call
from support.states import relative_error

import symdyn
from symdyn import api
from symdyn.description.external_loads import Site
from symdyn.description.loops import Coupling, Loop, LoopKind
from symdyn.description.robot import JointKind
from symdyn.errors import DescriptionError, ModelError, RequestError, VerificationError
from symdyn.functions.catalogue import requests
from symdyn.robot.robot import Robot
from symdyn.verify.harness.verify import verify_functions
from symdyn.verify.oracle.setting import make_setting
from symdyn.verify.oracle.trajectory import Trajectory
from symdyn.verify.oracle.truths import TRUTHS

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
FORWARD = "constrained_forward_dynamics_time_derivatives"
HYBRID = "constrained_hybrid_dynamics_time_derivatives"
INVERSE = "constrained_inverse_dynamics_time_derivatives"
KINDS = list(LoopKind)
LAYOUTS = ("unrolled", "split", "rolled")


@cache
def robot(name: str) -> Robot:
    made = {"four_bar": four_bar, "five_bar": five_bar, "standing": standing}
    return api.from_description(made[name](), joint_losses=True)


@cache
def closed(name: str) -> tuple[np.ndarray, np.ndarray]:
    """A closed position, and a velocity that keeps it closed."""
    own, rng = robot(name), np.random.default_rng(4)
    if name == "four_bar":
        q = four_bar_closed(0.7)
    elif name == "five_bar":  # both sides alike, mirrored about the middle between the cranks
        knee = np.array([0.3 * np.cos(2.0), -0.3 * np.sin(2.0)])
        upper = -np.arctan2(-np.sqrt(0.25 - (0.2 - knee[0]) ** 2), 0.2 - knee[0])
        q = np.array([2.0, upper - 2.0, np.pi - 2.0, (np.pi - upper) - (np.pi - 2.0)])
    else:
        q = np.array([0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0, *rng.uniform(-0.5, 0.5, own.nq - 7)])
    for _ in range(20):  # Newton
        (e,), (A,) = call(own, "constraint_error", q=q), call(own, "constraint_jacobian", q=q)
        q = own.integrate(q, -np.linalg.pinv(A.reshape(-1, own.nv)) @ e)
    assert abs(call(own, "constraint_error", q=q)[0]).max() < 1e-13
    A = call(own, "constraint_jacobian", q=q)[0].reshape(-1, own.nv)
    v = rng.standard_normal(own.nv)
    return q, v - np.linalg.pinv(A) @ (A @ v)


def by_oracle(own: Robot, function: str, states: int = 1, **options: Any) -> None:
    """Check the float recursion of a function."""
    ((entry, request),) = requests(own.model, [function], **options)
    recursion, signature = api.float_recursion(own, function, **options), entry.signature(own.model, request)

    def rows(inputs: Any) -> list[float]:
        found = recursion(inputs)
        return [x for output in signature.outputs for x in found[output.name]]

    evaluators = {function: {"float": rows}}
    report = verify_functions(own.description, [signature], evaluators, own.load_options(), states=states)
    assert report.passed, report.results


@pytest.mark.parametrize(
    ("function", "options"),
    [
        pytest.param(FORWARD, {"stabilisation": 0.5}, marks=pytest.mark.slow),
        (INVERSE, {"actuated": ["input", "output"], "weights": [2.0, 1.0, 3.0]}),
    ],
)
def test_the_oracle_agrees_of_a_four_bar(function: str, options: dict[str, Any]) -> None:
    by_oracle(robot("four_bar"), function, order=1, **options)


@pytest.mark.slow
def test_the_oracle_agrees_at_order_three() -> None:
    own = robot("four_bar")
    by_oracle(own, FORWARD, order=3)
    by_oracle(own, HYBRID, order=3, prescribed=own.velocity_names[:1], stabilisation=0.25, external_wrenches="world")
    by_oracle(own, INVERSE, order=3, external_wrenches="body")


@pytest.mark.slow
@pytest.mark.parametrize(("convention", "function"), [("pinocchio", FORWARD), ("spatial", INVERSE)])
def test_the_oracle_agrees_of_a_trunk_on_its_feet(convention: str, function: str) -> None:
    own = api.from_description(standing(), convention=convention)
    by_oracle(own, function, order=1, **({"actuated": own.velocity_names} if function == INVERSE else {}))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 11, 18, 21])
def test_the_oracle_agrees_of_random_robots(seed: int) -> None:
    """Trees with mimics of all kinds of joints, loops of all kinds, and a coupling."""
    drawn, floating = random.Random(seed), seed % 3 == 1
    parents, kinds = [drawn.randrange(link + 1) for link in range(3)], drawn.choices(list(JointKind), k=3)
    described = make_robot(parents, kinds, seed, floating)
    described = replace(described, acting=with_loops(described, seed, (KINDS[seed % 9],)))
    try:
        own = api.from_description(described, floating_base=floating, convention=("pinocchio", "spatial")[seed % 2])
    except (DescriptionError, ModelError):
        return  # a loop that holds nothing
    if not own.model.loop_row_names:
        return
    for function, options in (
        (FORWARD, {"stabilisation": 0.5}),
        (HYBRID, {"prescribed": own.velocity_names[::4]}),
        (INVERSE, {"actuated": own.velocity_names}),
    ):
        try:
            by_oracle(own, function, 1, order=1, **options)
        except ModelError as failure:
            assert "nothing resists" in str(failure)
        except VerificationError as failure:
            assert "in every state" in str(failure)


@pytest.mark.parametrize("name", ["four_bar", "five_bar", pytest.param("standing", marks=pytest.mark.slow)])
def test_forward_dynamics_undo_inverse_dynamics(name: str) -> None:
    """Forces are shared anew, and give the same motion."""
    own, (q, v), order = robot(name), closed(name), 3
    T = np.random.default_rng(2).standard_normal((order + 1, own.nv))
    actuated = own.velocity_names
    if name == "standing":  # two points do not hold a base alone: it turns about the line between them
        T[:, :5], actuated = 0.0, actuated[5:]
    A, Lambda = call(own, FORWARD, q=q, v=v, T=T, order=order)
    tau, shared = call(own, INVERSE, q=q, V=np.vstack([v, A]), order=order, actuated=actuated)
    again, multipliers = call(own, FORWARD, q=q, v=v, T=tau, order=order)
    assert relative_error(again, A) < 1e-9
    assert relative_error(multipliers, shared) < 1e-9
    if name == "four_bar":  # all rows may act, so that none is shared alike
        assert relative_error(shared, Lambda) > 1e-3


@pytest.mark.slow
def test_forces_of_links_that_bend_and_follow_are_undone() -> None:
    """A loop between a tip and a link that follows, one to the world, and a coupling; a row of the base prescribed."""
    tree, order = flexible_tree(), 1
    loops = (
        Loop("hold", (Site("claw", point=(0.1, 0.2, 0.0)), Site("wing")), LoopKind.SPHERICAL, close=True),
        Loop("tie", (Site(point=(1.0, 0.0, 0.5)), Site("rod")), LoopKind.DISTANCE, distance=0.7, close=True),
        Coupling("gear", (("b_turn", 1.0), ("h_slide", -2.0)), 0.1),
    )
    own = api.from_description(replace(tree, acting=loops), joint_losses=True)
    rng = np.random.default_rng(11)
    q, v = own.random_state(rng)
    U = rng.standard_normal((order + 1, own.nv))
    held = [own.velocity_names[0], "a_wheel"]
    W, Lambda = call(own, HYBRID, q=q, v=v, U=U, order=order, prescribed=held)
    rows = [own.velocity_names.index(name) for name in held]
    A, T = W.copy(), U.copy()
    A[:, rows], T[:, rows] = U[:, rows], W[:, rows]
    again, multipliers = call(own, FORWARD, q=q, v=v, T=T, order=order)
    assert relative_error(again, A) < 1e-9
    assert relative_error(multipliers, Lambda) < 1e-9
    tau, shared = call(own, INVERSE, q=q, V=np.vstack([v, A]), order=order, actuated=own.velocity_names)
    again, multipliers = call(own, FORWARD, q=q, v=v, T=tau, order=order)
    assert relative_error(again, A) < 1e-9
    assert relative_error(multipliers, shared) < 1e-9


def test_one_force_of_a_four_bar_is_found_again_at_order_eight() -> None:
    """The trajectory of a single motor tells its force and both multipliers, by another way, at every order."""
    own, (q, v) = robot("four_bar"), closed("four_bar")
    T = np.zeros((9, 3))
    T[:, 0] = np.random.default_rng(3).standard_normal(9)
    A, Lambda = call(own, FORWARD, q=q, v=v, T=T, order=8)
    tau, multipliers = call(own, INVERSE, q=q, V=np.vstack([v, A]), order=8, actuated=["input"])
    required = call(own, "inverse_dynamics_time_derivatives", q=q, V=np.vstack([v, A]), order=8)[0]
    for k in range(9):
        size = abs(required[k]).max()
        assert abs(tau[k] - T[k]).max() < 1e-11 * size
        assert abs(multipliers[k] - Lambda[k]).max() < 1e-11 * max(abs(Lambda[k]).max(), size)


@pytest.mark.slow
def test_truths_of_orders_are_those_of_order_zero_along_the_motion() -> None:
    """Constant forces: forward dynamics at each instant is what its derivatives tell."""
    own, (q, v), tau = robot("four_bar"), closed("four_bar"), [0.5, -0.25, 0.75]
    settings = []
    for function, options in ((FORWARD, {"order": 2}), ("constrained_forward_dynamics", {})):
        ((entry, request),) = requests(own.model, [function], stabilisation=0.5, **options)
        settings.append(make_setting(own.description, entry.signature(own.model, request), own.load_options()))
    with mp.workdps(50):
        inputs = {"q": list(q), "v": list(v + 0.1), "tau": tau, "T": tau + [0.0] * 6}
        found = TRUTHS[FORWARD](settings[0], inputs).values
        motion = Trajectory(settings[1], {**inputs, "V": [*inputs["v"], *found[:9]]})
        plain = TRUTHS["constrained_forward_dynamics"]
        for k, order in enumerate(motion.derivatives(2, lambda state: plain(settings[1], state).values)):
            expected = [*found[3 * k : 3 * k + 3], *found[9 + 2 * k : 9 + 2 * k + 2]]
            missed = max(abs(x - y) for x, y in zip(order, expected, strict=True))
            assert missed < mp.mpf("1e-15") * max(map(abs, order))


def test_order_zero_is_the_plain_function() -> None:
    own, (q, v) = robot("five_bar"), closed("five_bar")
    T = np.random.default_rng(5).standard_normal((1, own.nv))
    found = call(own, FORWARD, q=q, v=v, T=T, order=0, stabilisation=0.1)
    plain = call(own, "constrained_forward_dynamics", q=q, v=v, tau=T, stabilisation=0.1)
    for orders, own_rows in zip(found, plain, strict=True):
        assert orders[0] == pytest.approx(own_rows, rel=1e-12, abs=1e-12)


CASES = [
    ("four_bar", FORWARD, {"order": 1, "stabilisation": 0.5}),
    pytest.param("four_bar", FORWARD, {"order": 3}, marks=pytest.mark.slow),
    pytest.param("four_bar", HYBRID, {"order": 2, "prescribed": ["input"]}, marks=pytest.mark.slow),
    pytest.param("four_bar", INVERSE, {"order": 2, "weights": "input"}, marks=pytest.mark.slow),
    pytest.param("standing", FORWARD, {"order": 2, "external_wrenches": "world"}, marks=pytest.mark.slow),
    pytest.param("standing", INVERSE, {"order": 1, "objective": "force"}, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("name", "function", "options"), CASES)
def test_all_layouts_agree(name: str, function: str, options: Any) -> None:
    own = robot(name)
    options = {**options, "actuated": own.velocity_names} if function == INVERSE else options
    inputs = inputs_of(own, function, seed=7, **options)
    inputs |= {"weights": [0.5 + abs(x) for x in inputs["weights"]]} if "weights" in inputs else {}
    programs_agree(own, function, LAYOUTS, inputs, tolerance=1e-9, **options)


@pytest.mark.slow
@pytest.mark.needs_cc
@pytest.mark.parametrize(
    ("function", "layout", "names"),
    [(FORWARD, "unrolled", "q v U"), (HYBRID, "split", "q v U"), (INVERSE, "rolled", "q V")],
)
def test_compiled_and_emitted_code_agree(function: str, layout: str, names: str) -> None:
    own, rng = robot("five_bar"), np.random.default_rng(8)
    options: Any = {"order": 2} | ({"prescribed": ["b"]} if function == HYBRID else {})
    q, v = closed("five_bar")
    inputs = {"q": q, "v": v, "U": rng.standard_normal((3, 4)), "V": rng.standard_normal((4, 4))}
    given = [inputs[name] for name in names.split()]
    reference = call(own, function, **inputs, T=inputs["U"], **options)
    for target in ("c", "python"):
        module = symdyn.compile(own, [function], target=target, layout=layout, **options)
        for found, rows in zip(getattr(module, function)(*given), reference, strict=True):
            assert relative_error(found, rows) < 1e-9


def test_inputs_of_actuators_are_forces_of_their_rows() -> None:
    described = four_bar()
    driven = replace(described, actuation=replace(described.actuation, actuators=("input", "output")))
    own, (q, v) = api.from_description(driven, joint_losses=True), closed("four_bar")
    U = np.array([[1.0, 2.0], [3.0, 4.0]])
    T = np.insert(U, 1, 0.0, axis=1)
    found = call(own, FORWARD, q=q, v=v, U=U, order=1, inputs="actuators")
    for rows, others in zip(found, call(own, FORWARD, q=q, v=v, T=T, order=1), strict=True):
        assert rows == pytest.approx(others, rel=1e-12)


def test_too_few_forces_are_refused_by_name() -> None:
    with pytest.raises(RequestError, match=f"{INVERSE}: 11 rows of v"):
        api.float_recursion(robot("standing"), INVERSE, order=1, actuated=["left0_joint"])
