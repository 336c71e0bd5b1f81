"""Automatic differentiation of the programs: against 40-digit differences, and against the analytic partials."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from mpmath import mp
from support.robots.kinds import FIXED, MOVING, PL, H, P, R, S
from support.robots.random_trees import make_robot
from support.robots.small import loaded
from support.states import random_inputs, relative_error

import symdyn
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.scalars.mpmath_real import MpmathAlgebra
from symdyn.analysis.compare.autodiff import autodiff_program
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.description.robot import JointKind, Losses
from symdyn.errors import RequestError
from symdyn.functions.catalogue import requests
from symdyn.model.joints import FREE, FREE_SPATIAL, PLANAR, SPHERICAL
from symdyn.plan.run import run_plan
from symdyn.robot.robot import Robot

FLOATS = FloatAlgebra()

TOLERANCE = 1e-12
"""Sums of some thousand terms in another order: some thousand units of roundoff, relative to the norm."""

CONDITIONED = {"inverse_dynamics": TOLERANCE, "forward_dynamics": 1e-11}
"""Forward dynamics multiplies by the inverse of the mass matrix, twice."""

DIGITS = 40
QUATERNIONS = (SPHERICAL, FREE)
STEP = mp.mpf(10) ** -12
"""A central difference along a curve is off by the square of it."""


ALL_KINDS = (R, *MOVING, FIXED)
SOME_KINDS = (R, S, H, PL, P)


def zoo(seed: int, convention: str, floating: bool = True, kinds: Sequence[JointKind] = ALL_KINDS) -> Robot:
    """Every joint kind, followers, rotors, springs, smooth losses and run-time parameters."""
    rng = random.Random(seed)
    description = make_robot([rng.randint(max(0, k - 3), k) for k in range(len(kinds))], list(kinds), seed, floating)
    joints = tuple(
        joint if joint.kind is JointKind.FIXED else replace(joint, losses=Losses(0.3, 0.2, 0.05))
        for joint in description.joints
    )
    mass = next(link.name for link in description.links if link.inertial) + ".mass"
    return loaded(
        replace(description, joints=joints),
        joint_losses=True,
        convention=convention,
        runtime=["gravity.z", mass, f"{joints[0].name}.translation.x"],
    )


def quaternion_product(a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    (x, y, z, w), (i, j, k, r) = a, b
    return [
        *(w * i + r * x + y * k - z * j, w * j + r * y + z * i - x * k, w * k + r * z + x * j - y * i),
        w * r - x * i - y * j - z * k,
    ]


def moved(robot: Robot, q: Sequence[Any], u: Sequence[Any]) -> list[Any]:
    """The q after a small move u, (nv,), along rows of v, right to first order; mpmath reals."""
    found = list(q)
    for joint in robot.model.independent_joints:
        start, size = joint.q_index, len(joint.coordinates.v)
        move = list(u[joint.v_index : joint.v_index + size])
        if joint.kind == FREE_SPATIAL:  # a twist (omega; v) of the world
            turned, (a, b, c), (x, y, z) = move[:3], move[:3], found[start : start + 3]
            about = (b * z - c * y, c * x - a * z, a * y - b * x)
            found[start : start + 3] = [
                own + shift + lever for own, shift, lever in zip((x, y, z), move[3:], about, strict=True)
            ]
            half = [*(entry / 2 for entry in turned), mp.mpf(1)]
            found[start + 3 : start + 7] = quaternion_product(half, found[start + 3 : start + 7])
        elif joint.kind in QUATERNIONS:
            linear, angular = ([], move) if size == 3 else (move[:3], move[3:])
            place = start + len(linear)
            turn = found[place : place + 4]
            found[place : place + 4] = quaternion_product(turn, [*(entry / 2 for entry in angular), mp.mpf(1)])
            if linear:  # turn * (linear, 0) * turn^-1
                back = [-turn[0], -turn[1], -turn[2], turn[3]]
                shift = quaternion_product(quaternion_product(turn, [*linear, mp.mpf(0)]), back)
                found[start:place] = [entry + shift[axis] for axis, entry in enumerate(found[start:place])]
        elif joint.kind == PLANAR:
            sine, cosine = mp.sin(found[start + 2]), mp.cos(found[start + 2])
            found[start] += cosine * move[0] - sine * move[1]
            found[start + 1] += sine * move[0] + cosine * move[1]
            found[start + 2] += move[2]
        else:
            for row, step in enumerate(move, start):
                found[row] += step
    return found


def slopes(
    robot: Robot, inputs: dict[str, list[float]], along: dict[str, list[float]], external: str | None
) -> dict[str, list[float]]:
    """The derivative of tau along a direction of each input, by central differences of the recursion, 40 digits."""
    ((entry, request),) = requests(robot.model, ["inverse_dynamics"], external_wrenches=external)
    plan = entry.plan(robot.model, request)
    with mp.workdps(DIGITS):
        algebra = MpmathAlgebra(DIGITS)
        exact = {name: [algebra.constant(value) for value in values] for name, values in inputs.items()}
        for joint in robot.model.independent_joints:
            if joint.kind in QUATERNIONS:  # of unit length to all digits
                rows = slice(joint.q_index + len(joint.coordinates.q) - 4, joint.q_index + len(joint.coordinates.q))
                norm = mp.sqrt(sum(entry**2 for entry in exact["q"][rows]))
                exact["q"][rows] = [entry / norm for entry in exact["q"][rows]]
        found = {}
        for name, direction in along.items():
            sides = []
            for step in (STEP, -STEP):
                move = [step * entry for entry in direction]
                added = [value + change for value, change in zip(exact[name], move, strict=False)]
                values = moved(robot, exact["q"], move) if name == "q" else added
                sides.append(run_plan(plan, algebra, {**exact, name: values})["tau"])
            found[name] = [float((high - low) / (2 * STEP)) for high, low in zip(*sides, strict=True)]
    return found


@pytest.mark.parametrize(
    ("seed", "convention", "external"),
    [(3, "pinocchio", "body"), pytest.param(4, "spatial", "world", marks=pytest.mark.slow)],
)
def test_both_modes_equal_differences(seed: int, convention: str, external: str | None) -> None:
    robot = zoo(seed, convention)
    forward = autodiff_program(robot, "inverse_dynamics", "forward", external_wrenches=external)
    reverse = autodiff_program(robot, "inverse_dynamics", "reverse", layout="rolled", external_wrenches=external)
    rng = np.random.default_rng(seed)
    inputs = random_inputs(robot, forward.signature, rng)
    sizes = {"q": robot.nv, "v": robot.nv, "a": robot.nv, "p": len(robot.model.slots.names)}
    along = {name: [float(value) for value in rng.standard_normal(size)] for name, size in sizes.items()}
    expected = slopes(robot, inputs, along, external)
    for program in (forward, reverse):
        found = evaluate_program(program, FLOATS, inputs)
        assert list(found) == ["dtau_dq", "dtau_dv", "dtau_da", "dtau_dp"]
        for name, size in sizes.items():
            value = np.reshape(found[f"dtau_d{name}"], (robot.nv, size)) @ along[name]
            assert relative_error(value, expected[name]) <= TOLERANCE, name


@pytest.mark.parametrize(
    ("function", "seed"),
    [
        pytest.param("inverse_dynamics", 0, marks=pytest.mark.slow),
        ("inverse_dynamics", 1),
        ("inverse_dynamics", 2),
        ("forward_dynamics", 9),
    ],
)
def test_analytic_partials_equal_automatic_ones(function: str, seed: int) -> None:
    kinds = ALL_KINDS if function == "inverse_dynamics" else SOME_KINDS
    robot = zoo(seed, ("pinocchio", "spatial")[seed % 2], seed != 2, kinds)
    external = (None, "body", "world")[seed % 3]
    rival = autodiff_program(robot, function, ("forward", "reverse")[seed % 2], external_wrenches=external)
    inputs = random_inputs(robot, rival.signature, np.random.default_rng(seed))
    analytic = api.float_recursion(robot, f"{function}_partials", external_wrenches=external)(inputs)
    found = evaluate_program(rival, FLOATS, inputs)
    assert len(found) == 4
    for name, values in found.items():
        assert relative_error(analytic[name], values) <= CONDITIONED[function], name


def test_the_rival_has_the_signature_of_the_analytic_function() -> None:
    robot = symdyn.load_example("double_pendulum")
    (analytic,) = api.programs(robot, ["inverse_dynamics_partials"], layout="unrolled")
    rival = autodiff_program(robot, "inverse_dynamics", "reverse")
    assert rival.signature == analytic.signature
    assert [buffer.name for buffer in rival.buffers] == [buffer.name for buffer in analytic.buffers]


def test_only_what_has_partials_has_a_rival() -> None:
    with pytest.raises(
        RequestError, match=r"function 'gravity' has no partials .*; there are those of .*inverse_dynamics"
    ):
        autodiff_program(symdyn.load_example("pendulum"), "gravity", "forward")
