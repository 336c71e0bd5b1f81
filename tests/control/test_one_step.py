"""Steps that change no force, steps of shipped robots in other layouts, and gradients of rollouts."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.typing import NDArray
from support.parts import OF_STEPS
from support.rotation import in_turn

import symdyn
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.functions.catalogue import requests
from symdyn.interface.options import RequestOptions
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]

SLIDER = """
name: slider
links:
  base:
  block: {mass: 2.0, inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  rail: {type: prismatic, parent: base, child: block, axis: [1, 0, 0]}
"""
H, MASS, WEIGHTS = 0.125, 2.0, (2.0, 3.0)
ROBOTS = ("pendulum", "double_pendulum", "seven_dof_arm", "aerial_manipulator", "aerial_tree", "elastic_arm")
ROBOTS += ("canadarm", "four_bar", "five_bar", "cylinder_contact", "flexible_single_link", "mixed_arm")
"""With a free base, branches, elastic joints, flexible links, loops and contacts."""


@pytest.mark.parametrize("layout", ["unrolled", "split", "rolled"])
def test_a_block_on_a_rail(layout: str) -> None:
    """v+ = v + h u / m and q+ = q + h v+: no force changes with q or v, so those gradients are never written."""
    (program,) = api.programs(symdyn.loads(SLIDER, "yaml"), ["step_adjoint"], layout=layout)
    given = {"q": [0.25], "v": [0.5], "tau": [1.5], "h": [H], "lambda": list(WEIGHTS)}
    found = evaluate_program(program, FloatAlgebra(), given)
    by_velocity = WEIGHTS[1] + H * WEIGHTS[0]
    assert found == {"g_q": [WEIGHTS[0]], "g_v": [by_velocity], "g_u": [by_velocity * H / MASS]}


@pytest.mark.slow
@pytest.mark.parametrize(("function", "name"), in_turn(OF_STEPS, ROBOTS))
@pytest.mark.parametrize("layout", ["split", "rolled"])
def test_shipped_robots_in_other_layouts(function: str, name: str, layout: str) -> None:
    """The Program is the recursion, to rounding: sums have another order, and solutions the condition of M."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", symdyn.SymdynWarning)
        robot = symdyn.load_example(name)
    rng = np.random.default_rng(7)
    ((entry, request),) = requests(robot.model, [function])
    signature = entry.signature(robot.model, request)
    q, v = robot.random_state(rng)
    own = {"q": q, "v": v, "p": np.nan_to_num(robot.runtime_defaults, nan=1.0), "h": [1e-3]}
    given = {item.name: list(map(float, own.get(item.name, rng.normal(size=item.size)))) for item in signature.inputs}
    (program,) = api.programs(robot, [function], layout=layout)
    found, wanted = evaluate_program(program, FloatAlgebra(), given), api.float_recursion(robot, function)(given)
    for output in signature.outputs:
        size = 1.0 + np.abs(wanted[output.name]).max(initial=0.0)
        assert np.abs(np.subtract(found[output.name], wanted[output.name])).max(initial=0.0) <= 1e-9 * size


RUNTIME = {"seven_dof_arm": ["link_2.mass", "link_4.mass"], "aerial_manipulator": []}
STEPS, LENGTH = 6, 0.01


def _rolled(robot: Robot, q: Array, v: Array, u: Array, p: Array) -> list[dict[str, list[float]]]:
    """Inputs of the steps of a rollout, and those of one more, at its end."""
    step = api.float_recursion(robot, "step")
    states = []
    for tau in (*u, u[-1]):
        given = {"q": q, "v": v, "tau": tau, "h": [LENGTH], "p": p}
        states.append({name: list(map(float, own)) for name, own in given.items()})
        found = step(states[-1])
        q, v = np.array(found["q_next"]), np.array(found["v_next"])
    return states


@pytest.mark.parametrize("name", RUNTIME)
def test_the_gradient_of_a_rollout(name: str) -> None:
    """Of J = sum |v_k|^2 / 2 after each step: step_adjoint back through the steps, A and B forward, and differences.

    Differences of fourth order with h = 1e-3 leave some 1e-9 of the largest entry.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", symdyn.SymdynWarning)
        robot = symdyn.load_example(name, runtime=RUNTIME[name])
    rng, nv = np.random.default_rng(3), robot.nv
    q, v = robot.random_state(rng)
    u, p = rng.normal(size=(STEPS, nv)), np.asarray(robot.runtime_defaults, float)
    options: RequestOptions = {"gradient": "parameters"} if len(p) else {}
    back, forward = api.float_recursion(robot, "step_adjoint", **options), api.float_recursion(robot, "step_matrices")
    states = _rolled(robot, q, v, u, p)
    x, by_u, by_p = np.concatenate([np.zeros(nv), states[-1]["v"]]), np.zeros_like(u), np.zeros_like(p)
    for k in reversed(range(STEPS)):
        found = back({**states[k], "lambda": list(x)})
        by_u[k], by_p = found["g_u"], by_p + np.array(found.get("g_p", []))
        x = np.concatenate([found["g_q"], found["g_v"]])
        x[nv:] += states[k]["v"] if k else 0.0
    by_x, along = np.zeros(2 * nv), np.eye(2 * nv)
    moved = np.zeros((2 * nv, STEPS * nv))
    by_inputs = np.zeros(STEPS * nv)
    for k in range(STEPS):
        found = forward(states[k])
        A, B = (np.reshape(found[own], (2 * nv, -1)) for own in "AB")
        along, moved = A @ along, A @ moved
        moved[:, k * nv : (k + 1) * nv] += B
        by_x += along[nv:].T @ states[k + 1]["v"]
        by_inputs += moved[nv:].T @ states[k + 1]["v"]
    assert np.abs(x - by_x).max() <= 1e-12 * np.abs(by_x).max()
    assert np.abs(by_u.ravel() - by_inputs).max() <= 1e-12 * np.abs(by_inputs).max()

    def cost(shift: float, du: Array, dp: Array) -> float:
        ends = _rolled(robot, q, v, u + shift * du, p + shift * dp)[1:]
        return sum(float(np.square(own["v"]).sum()) / 2.0 for own in ends)

    for du, dp in ((rng.normal(size=u.shape), 0.0 * p), (0.0 * u, p * rng.normal(size=p.shape))):
        first, second = ((cost(h, du, dp) - cost(-h, du, dp)) / (2.0 * h) for h in (1e-3, 2e-3))
        slope = float((by_u * du).sum() + by_p @ dp)
        assert abs(slope - (4.0 * first - second) / 3.0) <= 1e-8 * (abs(slope) + float(np.abs(by_u).max()))
