"""Derivatives of steps with rigid contacts: against steps solved to forty digits, C against NumPy, what is refused."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from support.agreement import inputs_of, truth_agrees
from support.exact_steps import worst_error
from support.robots.impacting import MIXED

import symdyn
from symdyn.errors import RequestError
from symdyn.interface.contact_solving import ContactCode, ContactStep
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
SLOW = pytest.mark.slow
H = 2e-3
BALL = """
name: ball
links:
  world: {}
  ball: {mass: 1.2, com: [0.01, 0, 0.02], inertia: {xx: 0.02, yy: 0.03, zz: 0.025}, collision: {skin: {sphere: 0.1}}}
joints: {free: {type: floating, parent: world, child: ball}}
obstacles:
  floor: {plane: {normal: [0.1, 0.05, 1]}, velocity: [0.05, -0.1, 0]}
  hill: {sphere: {center: [0.55, 0, 0], radius: 0.5}}
contacts: {skin: {of: ball.skin, with: [floor, hill], friction: 0.4, compliance: 1e-5}}
"""
"""Lies between a moving belt and a round hill, with a centre of mass aside."""
TETHERED = """
name: tethered
links:
  ground: {}
  thigh: {mass: 0.5, inertia: {xx: 0.002, yy: 0.002, zz: 0.0005}, com: [0, 0, -0.1]}
  shank:
    {mass: 0.3, inertia: {xx: 0.001, yy: 0.001, zz: 0.0003}, com: [0, 0, -0.1],
     collision: {foot: {sphere: 0.03, at: [0, 0, -0.2]}}}
joints:
  rail: {type: prismatic, parent: ground, child: thigh, axis: [0, 0, 1]}
  hip:
    {type: revolute, parent: thigh, child: shank, axis: [0, 1, 0], translation: [0, 0, -0.2], losses: {friction: 0.05}}
  side: {type: prismatic, parent: ground, child: slider, axis: [1, 0, 0]}
loops: {tether: {kind: distance, distance: 0.5, between: [shank, slider], close: true}}
obstacles: {floor: {plane: {normal: [0, 0, 1], point: [0, 0, -0.3]}}}
contacts: {foot: {of: shank.foot, with: floor, friction: 0.6}}
joint_friction: dry
load: {joint_losses: true}
"""
TETHERED = TETHERED.replace(
    "  shank:\n", "  slider: {mass: 0.4, inertia: {xx: 0.001, yy: 0.001, zz: 0.001}}\n  shank:\n", 1
)
"""A loop, a foot, and dry friction."""


@cache
def robot(text: str, convention: str = "pinocchio") -> Robot:
    return symdyn.loads(text, format="yaml", convention=convention)


def partials(model: Robot, given: dict[str, Any], step: ContactStep, by_length: bool = False) -> Any:
    p = {"p": given["p"]} if "p" in given else {}
    places = {"h": float(given["h"][0]), "impulses": step.impulses, "state": step.state, "by_length": by_length, **p}
    return symdyn.contact_step_partials(model, given["q"], given["v"], given["tau"], **places)


def steps(model: Robot, q: np.ndarray, v: np.ndarray, seed: int, count: int, push: float) -> Any:
    """Inputs and results of steps of a motion under random forces that change every twenty steps."""
    rng, guess, p = np.random.default_rng(seed), None, np.asarray(model.runtime_defaults)
    tau = np.zeros(model.nv)
    for number in range(count):
        if number % 20 == 0:
            tau = push * rng.normal(size=model.nv)
        step = symdyn.contact_step(model, q, v, tau, h=H, guess=guess)
        yield {"q": q, "v": v, "tau": tau, "h": np.array([H]), **({"p": p} if p.size else {})}, step
        q, v, guess = step.q_next, step.v_next, step.impulses


def check(
    model: Robot, motion: Any, most: int, wanted: set[tuple[int, int]], bound: float = 1e-9, by_length: bool = False
) -> None:
    """Each mixture of states that a motion meets, up to so many: errors up to a bound, of the largest derivative."""
    met, seen = set[tuple[int, ...]](), set[tuple[int, int]]()
    for given, step in motion:
        mixture = tuple(step.state.tolist())
        solved = step.report.code is ContactCode.SOLVED and step.report.margin > 1e-6
        new = {(place, state) for place, state in enumerate(mixture)} - seen
        if mixture in met or not solved or not (new & wanted) or len(met) == most:
            continue
        met.add(mixture)
        seen |= {(place, state) for place, state in enumerate(mixture)}
        assert worst_error(model, given, step, partials(model, given, step, by_length), len(met)) < bound, mixture
    assert wanted <= seen, (wanted - seen, seen)


def base_state(model: Robot, place: tuple[float, float, float], v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    q, ends = model.neutral(), [name.split(".")[-1] for name in model.coordinate_names]
    turn = np.array([0.1, 0.2, 0.3, 0.9]) / np.linalg.norm([0.1, 0.2, 0.3, 0.9])
    for name, value in zip(("x", "y", "z", "qx", "qy", "qz", "qw"), (*place, *turn), strict=True):
        q[ends.index(name)] = value
    return q, v


@pytest.mark.parametrize(
    "convention", ["pinocchio", pytest.param("spatial", marks=SLOW), pytest.param("mujoco", marks=SLOW)]
)
def test_a_ball_on_a_belt_and_a_hill(convention: str) -> None:
    """Open, sticking and sliding, in all conventions of free joints."""
    ball = robot(BALL, convention)
    q, v = base_state(ball, (0.0, 0.0, 0.14), np.array([0.5, 0.1, -0.3, 0.2, 1.0, 0.3]))
    check(ball, steps(ball, q, v, 1, 400, 0.2), 4, {(0, 0), (0, 1), (0, 2), (1, 2)}, by_length=True)


def test_a_foot_with_a_loop_and_dry_friction() -> None:
    """Each state of the foot, and of the dry joint."""
    foot = robot(TETHERED)
    q = foot.close([0.0, -1.0, 0.4])
    motion = steps(foot, q, np.zeros(foot.nv), 2, 400, 1.0)
    check(foot, motion, 5, {(0, 1), (0, 2), (1, 1), (1, 2), (2, 1)}, by_length=True)


@pytest.mark.slow
def test_limits_parameters_and_moving_surfaces() -> None:
    """A limit that bears, restitution, a capsule's ends, and a puck that is pushed, by p too."""
    mixed = robot(MIXED)
    motion = steps(mixed, mixed.neutral(), np.zeros(mixed.nv), 1, 400, 1.0)
    check(mixed, motion, 9, {(1, 2), (2, 1), (2, 2), (4, 1), (6, 1)}, by_length=True)


def test_parameters_of_friction_and_bounds() -> None:
    """By p where a tip slides and a dry joint turns: friction and bounds move."""
    mixed = robot(MIXED)
    motion = list(steps(mixed, mixed.neutral(), np.zeros(mixed.nv), 1, 120, 1.0))
    given, step = next(pair for pair in motion if 2 in pair[1].state[:4] and pair[1].state[6] == 2)
    assert worst_error(mixed, given, step, partials(mixed, given, step), 3) < 1e-9


@pytest.mark.needs_cc
@pytest.mark.parametrize("text", [TETHERED, pytest.param(BALL, marks=SLOW), pytest.param(MIXED, marks=SLOW)])
def test_c_is_numpy(text: str) -> None:
    """The same derivatives but for rounding, along a motion."""
    model = robot(text)
    module = symdyn.compile(model, ["contact_slopes"], steppers=["contacts"], gradient="step", lanes=False)
    q = model.close([0.0, -1.0, 0.4]) if text is TETHERED else model.neutral()
    for number, (given, step) in enumerate(steps(model, q, np.zeros(model.nv), 2, 60, 1.0)):
        if number % 6:
            continue
        inputs = [given[name] for name in ("q", "v", "tau", "p") if name in given]
        by_c = module.contact_step_partials(*inputs, h=H, impulses=step.impulses, state=step.state)
        for name, one, other in zip(by_c._fields, by_c, partials(model, given, step, True), strict=True):
            if one is not None:
                least = 9.81 if name == "dv_next_dh" else 1e-9  # accelerations that cancel in what is near a rest
                assert np.abs(one - other).max(initial=0.0) <= 1e-11 * max(np.abs(other).max(initial=0.0), least), name


def test_a_gradient_through_a_hundred_steps() -> None:
    """Backward through all steps and forward from the start give the same gradient of the last state."""
    ball = robot(BALL)
    q, v = base_state(ball, (0.0, 0.0, 0.14), np.array([0.5, 0.1, -0.3, 0.2, 1.0, 0.3]))
    matrices, forces, seen = [], [], set[int]()
    for given, step in steps(ball, q, v, 1, 100, 0.2):
        slopes = partials(ball, given, step)
        matrices.append(np.block([[slopes.dq_next_dq, slopes.dq_next_dv], [slopes.dv_next_dq, slopes.dv_next_dv]]))
        forces.append(np.vstack([slopes.dq_next_dtau, slopes.dv_next_dtau]))
        seen |= set(step.state.tolist())
    assert seen >= {0, 2}
    weights = np.random.default_rng(5).normal(size=12)
    forward, by_force = np.eye(12), list[np.ndarray]()
    for A, B in zip(matrices, forces, strict=True):
        forward, by_force = A @ forward, [*(A @ chain for chain in by_force), B]
    backward, gradients = weights, list[np.ndarray]()
    for A, B in zip(reversed(matrices), reversed(forces), strict=True):
        gradients.append(backward @ B)
        backward = backward @ A
    assert np.abs(backward - weights @ forward).max() <= 1e-10 * np.abs(backward).max()
    for one, other in zip(reversed(gradients), by_force, strict=True):
        assert np.abs(one - weights @ other).max() <= 1e-10 * max(np.abs(gradient).max() for gradient in gradients)


def test_a_turned_world_turns_nothing_of_the_robot() -> None:
    """Gravity, floor and base turned together: derivatives in the base's axes are the same."""
    turn = np.array([[0.6, 0.0, 0.8], [0.0, 1.0, 0.0], [-0.8, 0.0, 0.6]])
    plain = BALL.replace(
        "normal: [0.1, 0.05, 1]}, velocity: [0.05, -0.1, 0]", "normal: [0, 0, 1]}, velocity: [0, 0, 0]"
    )
    normal, gravity = turn @ [0.0, 0.0, 1.0], turn @ [0.0, 0.0, -9.81]
    center = turn @ [0.55, 0.0, 0.0]
    turned = plain.replace("normal: [0, 0, 1]", f"normal: {normal.tolist()}")
    turned = turned.replace("center: [0.55, 0, 0]", f"center: {center.tolist()}") + f"gravity: {gravity.tolist()}\n"
    first, second = robot(plain), robot(turned)
    q, v = base_state(first, (0.0, 0.0, 0.0995), np.array([0.5, 0.1, -0.3, 0.2, 1.0, 0.3]))
    placed = q.copy()
    placed[:3] = turn @ q[:3]
    u, w, half = q[3:6], q[6], np.array([0.0, np.sqrt(0.2), 0.0, np.sqrt(0.8)])
    placed[3:6] = half[3] * u + w * half[:3] + np.cross(half[:3], u)
    placed[6] = half[3] * w - half[:3] @ u
    slopes = []
    for robot_of, place in ((first, q), (second, placed)):
        given = {"q": place, "v": v, "tau": np.zeros(6), "h": np.array([H])}
        step = symdyn.contact_step(robot_of, place, v, None, h=H)
        assert step.state.max() == 2
        slopes.append(partials(robot_of, given, step))
    for name in ("dq_next_dq", "dv_next_dq", "dv_next_dv", "dv_next_dtau"):
        one, other = (getattr(partial, name) for partial in slopes)
        assert np.abs(one - other).max() < 1e-9 * np.abs(one).max(), name


@pytest.mark.parametrize("function", ["contact_jacobian", "contact_slopes"])
def test_fifty_digits_with_run_time_losses_and_masses(function: str) -> None:
    """Trees without losses read run-time constants where the whole robot's are."""
    model = robot(MIXED if function == "contact_jacobian" else TETHERED)
    assert truth_agrees(model, function, inputs_of(model, function, 3))


def test_what_is_refused() -> None:
    ball = robot(BALL)
    q, v = ball.neutral(), np.zeros(6)
    for change, word in (
        ({"state": [0]}, "state"),
        ({"state": [0, 3]}, "state"),
        ({"impulses": np.zeros(5)}, "impulses"),
    ):
        with pytest.raises(RequestError, match=word):
            symdyn.contact_step_partials(ball, q, v, h=H, **{"impulses": np.zeros(6), "state": [0, 0], **change})
    with pytest.raises(RequestError, match="no rigid contacts"):
        symdyn.contact_step_partials(symdyn.load_example("pendulum"), [0.0], [0.0], h=H, impulses=[], state=[])
