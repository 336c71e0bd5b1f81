"""Random trees with loops of every kind: the oracle agrees on all functions of loops."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from support.robots.looped import with_loops
from support.robots.random_trees import make_robot
from support.soft_calls import call

from symdyn import api
from symdyn.description.loops import LoopKind
from symdyn.description.robot import JointKind
from symdyn.errors import ModelError, VerificationError
from symdyn.functions.catalogue import requests
from symdyn.robot import Robot
from symdyn.verify.harness.verify import verify_functions

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
KINDS = list(LoopKind)
SEEDS = [*range(4), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(4, 36))]
KINEMATIC = ("constraint_error", "constraint_jacobian", "constraint_bias")
DYNAMIC = ("constrained_forward_dynamics", "operational_inertia")


def random_robot(seed: int) -> Robot | None:
    """A tree with one loop of a kind that the seed tells and one of a random kind; None if one is impossible."""
    drawn, floating = random.Random(seed), seed % 3 != 0
    parents, kinds = [drawn.randrange(link + 1) for link in range(4)], drawn.choices(list(JointKind), k=4)
    described = make_robot(parents, kinds, seed, floating)
    loops = with_loops(described, seed, (KINDS[seed % 9], drawn.choice(KINDS)))
    try:
        return api.from_description(
            replace(described, acting=loops),
            floating_base=floating,
            convention=("pinocchio", "spatial")[seed % 2],
        )
    except ModelError as failure:
        assert "two places on one body" in str(failure) or "can never be closed" in str(failure)
        return None


def verified(robot: Robot, functions: tuple[str, ...], states: int, **options: object) -> None:
    """Check the float recursion of some functions."""
    for function in functions:
        ((entry, request),) = requests(robot.model, [function], **options)
        try:
            recursion = api.float_recursion(robot, function, **options)
        except ModelError as failure:
            assert "nothing resists" in str(failure)
            continue

        def rows(inputs: dict[str, list[float]], recursion=recursion) -> list[float]:  # type: ignore[no-untyped-def]
            return [x for found in recursion(inputs).values() for x in found]

        signature = entry.signature(robot.model, request)
        try:
            report = verify_functions(
                robot.description, [signature], {function: {"float": rows}}, robot.load_options(), states=states
            )
        except VerificationError as failure:
            assert "singular in every state" in str(failure)
            continue
        assert report.passed, report.results


@pytest.mark.parametrize("seed", SEEDS)
def test_the_oracle_agrees(seed: int) -> None:
    robot = random_robot(seed)
    if robot is None or not robot.model.loop_row_names:
        return
    verified(robot, KINEMATIC, 3)
    if len(robot.model.loop_row_names) <= robot.nv:
        verified(robot, DYNAMIC[:1], 3, stabilisation=0.5)
        verified(robot, DYNAMIC[1:], 3)


@pytest.mark.parametrize("seed", range(0, 36, 9))
def test_slopes_are_those_of_the_error(seed: int) -> None:
    """By central differences: good to about the cube root of rounding, squared."""
    robot = random_robot(seed)
    if robot is None:
        return
    q, v = robot.random_state(np.random.default_rng(seed))
    (A,) = call(robot, "constraint_jacobian", q=q)
    step = 1e-5
    errors = [call(robot, "constraint_error", q=robot.integrate(q, sign * step * v))[0] for sign in (1.0, -1.0)]
    rates = A.reshape(-1, robot.nv) @ v
    assert (errors[0] - errors[1]) / (2 * step) == pytest.approx(rates, abs=1e-6 * max(1.0, abs(rates).max()))
