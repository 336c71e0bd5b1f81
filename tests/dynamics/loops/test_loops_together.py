"""What loops can do, two at a time: switches, rows of velocities, soft links, groups, impacts and derivatives."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest
from support.looped_checks import differences, evaluator
from support.robots.quadruped import quadruped
from support.robots.rolling import MIXED, SLEIGH, robot
from support.robots.soft_looped import bent_rod
from support.soft_calls import call

from symdyn import api
from symdyn.description.yaml.read import parse_yaml
from symdyn.errors import ModelError
from symdyn.robot.loading import robot_of
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
FORWARD, HYBRID = "constrained_forward_dynamics", "constrained_hybrid_dynamics"
INVERSE, IMPULSE = "constrained_inverse_dynamics", "impulse_dynamics"
RATES = "_time_derivatives"
GEARED = SLEIGH + "  gear: {kind: coupling, terms: {x: 1, y: -2}}\n"
ROLLING = MIXED.replace("    equals: [0, 0.3*sin(th)*r + z, 1]\n", "")
CART = """\
name: cart
links:
  ground:
  a:
  b:
  body: {mass: 2, com: [0.3, 0, 0], inertia: {xx: 0.1, yy: 0.2, zz: 0.3}}
  mast:
    soft:
      length: 0.3
      section: {shape: circle, radius: 0.012}
      material: {youngs_modulus: 1e6, poisson_ratio: 0.4, density: 1100, viscosity: 300}
      strain: {curvature_y: 2, curvature_z: 1}
      stations: 3
joints:
  x: {type: prismatic, parent: ground, child: a, axis: [1, 0, 0]}
  y: {type: prismatic, parent: a, child: b, axis: [0, 1, 0]}
  yaw: {type: revolute, parent: b, child: body, axis: [0, 0, 1]}
  clamp: {type: fixed, parent: body, child: mast, translation: [0.1, 0, 0.05]}
loops:
  blade: {kind: pfaffian, rows: [{x: -sin(yaw), y: cos(yaw)}], coordinates: [yaw], equals: [0.2*sin(yaw)]}
  odd: {kind: pfaffian, rows: [{"mast.curvature_z[0]": 0.1, yaw: 1}]}
  wire: {between: [{link: mast, at: end}, {world: [0.5, 0.2, 0.4]}], kind: distance, distance: 0.4, close: true}
"""
"""A sleigh with a soft mast on a wire."""


@cache
def without(text: str, loop: str) -> Robot:
    """The robot of a text without a loop."""
    described = parse_yaml(text.encode(), "r.yaml")
    kept = tuple(own for own in described.acting if own.name != loop)
    assert len(kept) < len(described.acting)
    return robot_of(replace(described, acting=kept), joint_losses=True)


def let_go(text: str, loop: str, function: str, **options: object) -> None:
    """A function with a loop that is let go, against that of the robot whose file does not have it."""
    own, left = robot(text, joint_losses=True), without(text, loop)
    rng, nv = np.random.default_rng(3), own.nv
    q, v = own.random_state(rng)
    given = {"q": q, "v": v, "p": [0.2], **{name: rng.standard_normal(nv) for name in ("tau", "u", "a")}}
    given |= {"T": rng.standard_normal((3, nv)), "U": rng.standard_normal((3, nv))}
    found = call(own, function, **given, **options, switched=[loop], active=[0.0])
    wanted = call(left, function, **given, **options)
    here = [own.model.loop_row_names.index(name) for name in left.model.loop_row_names]
    for value, expected in zip(found, wanted, strict=True):
        for axis, (count, fewer) in enumerate(zip(value.shape, expected.shape, strict=True)):
            if count != fewer:
                assert not np.delete(value, here, axis).any()
                value = np.take(value, here, axis)
        assert value == pytest.approx(expected, abs=1e-12 * abs(expected).max(initial=1.0))


slow = pytest.mark.slow


@pytest.mark.parametrize(
    ("text", "loop", "function", "options"),
    [
        (GEARED, "blade", FORWARD, {"stabilisation": 0.3}),
        (GEARED, "blade", IMPULSE, {}),
        (GEARED, "gear", INVERSE, {"actuated": ["x", "yaw"]}),
        (GEARED, "blade", INVERSE, {"actuated": ["x", "yaw"]}),
        *(
            pytest.param(text, loop, function + end, options, marks=slow)
            for text, loop, function, held in (
                (GEARED, "blade", HYBRID, {"prescribed": ["yaw"]}),
                (MIXED, "held", HYBRID, {"prescribed": ["a b"]}),
                (MIXED, "rod", FORWARD, {}),
                (CART, "odd", FORWARD, {}),
            )
            for end, options in (
                ("", held),
                ("_partials", held | {"stabilisation": 0.3}),
                (RATES, held | {"order": 2}),
            )
        ),
        pytest.param(CART, "wire", HYBRID + RATES, {"prescribed": ["yaw"], "order": 2}, marks=slow),
        pytest.param(GEARED, "gear", f"{IMPULSE}_partials", {}, marks=slow),
        pytest.param(ROLLING, "held", f"{IMPULSE}_partials", {}, marks=slow),
        pytest.param(MIXED, "rod", "operational_inertia", {}, marks=slow),
        pytest.param(GEARED, "blade", f"{INVERSE}_partials", {"actuated": ["x", "yaw"]}, marks=slow),
        pytest.param(CART, "wire", "operational_inertia", {}, marks=slow),
    ],
)
def test_a_loop_is_let_go(text: str, loop: str, function: str, options: dict[str, object]) -> None:
    let_go(text, loop, function, **options)


def held(own: Robot, q: np.ndarray, v: np.ndarray, tau: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Accelerations and multipliers of some rows of loops, by a dense system."""
    M, A = (call(own, name, q=q)[0] for name in ("mass_matrix", "constraint_jacobian"))
    (bias,), (drift,) = call(own, "inverse_dynamics", q=q, v=v, a=0 * v), call(own, "constraint_bias", q=q, v=v)
    B = A[rows]
    zeros = np.zeros((len(B), len(B)))
    return np.linalg.solve(np.block([[M, -B.T], [B, zeros]]), np.concatenate([tau - bias, -drift[rows]]))


@slow
def test_every_stance_of_loops_in_groups() -> None:
    own, rng = api.from_description(quadruped()), np.random.default_rng(0)
    recursion = evaluator(own, FORWARD, switched=[loop.constraint.name for loop in own.model.loops])
    for feet in product((0, 1), repeat=4):
        q, v = own.random_state(rng)
        tau, on = rng.standard_normal(own.nv), np.repeat(feet, 3) > 0
        a, multipliers = recursion(q=q, v=v, tau=tau, active=feet)
        wanted = held(own, q, v, tau, on)
        assert not multipliers[~on].any()
        assert a == pytest.approx(wanted[: own.nv], abs=1e-11 * abs(wanted).max())
        assert multipliers[on] == pytest.approx(wanted[own.nv :], abs=1e-11 * abs(wanted).max())


def test_soft_links_roll() -> None:
    own, rng = robot(CART, joint_losses=True), np.random.default_rng(2)
    q, v = own.random_state(rng)
    tau = rng.standard_normal(own.nv)
    wanted = held(own, q, v, tau, np.arange(3))
    assert np.concatenate(call(own, FORWARD, q=q, v=v, tau=tau)) == pytest.approx(wanted, abs=1e-11 * abs(wanted).max())


@pytest.mark.parametrize(
    ("name", "objective"),
    [("bent", "torque"), *(pytest.param(*own, marks=slow) for own in (("bent", "force"), ("cart", "torque")))],
)
def test_shared_forces_of_soft_links_are_parted(name: str, objective: str) -> None:
    made = robot(CART, joint_losses=True) if name == "cart" else api.from_description(bent_rod(), joint_losses=True)
    rng, options = np.random.default_rng(4), {"actuated": list(made.velocity_names[1:]), "objective": objective}
    q, v = made.random_state(rng)
    a, plain = rng.standard_normal(made.nv), evaluator(made, INVERSE, **options)
    found = evaluator(made, f"{INVERSE}_partials", **options)(q=q, v=v, a=a)

    def moved(by: str, move: np.ndarray) -> np.ndarray:
        given = {"q": q, "v": v, "a": a}
        given[by] = made.integrate(q, move) if by == "q" else given[by] + move
        return np.concatenate(plain(**given))

    for place, by in enumerate("qva"):
        # The wire at the tip turns fast: rates of seventh order make longer moves inexact.
        wanted = differences(lambda move, by=by: moved(by, move), made.nv, 2e-4)
        assert np.vstack([found[place], found[place + 3]]) == pytest.approx(wanted, abs=1e-7 * abs(wanted).max())


@pytest.mark.parametrize("text", [GEARED, pytest.param(ROLLING, marks=slow)])
def test_impacts_of_what_rolls(text: str) -> None:
    """M (v+ - v) = A^T Lambda, A v+ = -e A v; partials are differences."""
    own, rng = robot(text), np.random.default_rng(1)
    q, v = own.random_state(rng)
    shares, p = rng.uniform(0.0, 1.0, len(own.model.loops)), [0.23]
    plain = evaluator(own, IMPULSE, restitution="input")

    def moved(q: np.ndarray = q, v: np.ndarray = v) -> np.ndarray:
        return np.concatenate(plain(q=q, v=v, p=p, restitution=shares))

    M, A = (call(own, name, q=q, p=p)[0] for name in ("mass_matrix", "constraint_jacobian"))
    after, impulses = np.split(moved(), [own.nv])
    rows = np.repeat(shares, [len(loop.rows) for loop in own.model.loops])
    assert M @ (after - v) == pytest.approx(A.T @ impulses, abs=1e-12 * abs(M @ v).max())
    assert A @ after == pytest.approx(-rows * (A @ v), abs=1e-12 * abs(A @ v).max())
    found = evaluator(own, f"{IMPULSE}_partials", restitution="input")(q=q, v=v, p=p, restitution=shares)
    half = len(found) // 2
    by_q = differences(lambda move: moved(q=own.integrate(q, move)), own.nv)
    by_v = differences(lambda move: moved(v=v + move), own.nv)
    for place, wanted in enumerate((by_q, by_v)):
        whole = np.vstack([found[place], found[place + half]])
        assert whole == pytest.approx(wanted, abs=1e-10 * abs(wanted).max())


@pytest.mark.parametrize("function", [IMPULSE, pytest.param(f"{IMPULSE}_partials", marks=slow)])
def test_impacts_that_are_refused(function: str) -> None:
    with pytest.raises(ModelError, match="has the soft link 'rod'; impacts know rigid and flexible links alone"):
        api.float_recursion(api.from_description(bent_rod()), function)
    with pytest.raises(ModelError, match=r"loop 'held' has a right-hand side; impacts know .* A v = 0 alone"):
        api.float_recursion(robot(MIXED), function)
