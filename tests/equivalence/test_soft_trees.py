"""Random trees with rods beside rigid and flexible links and followers: what must hold of any robot, holds of them."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from support import agreement
from support.robots.random_flexible_trees import POOL as BEAMS
from support.robots.random_soft_trees import POOL as RODS
from support.robots.random_soft_trees import soft_robots
from support.robots.random_trees import placement

from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.description.robot import Joint, JointKind, Link, RobotDescription
from symdyn.description.yaml.read import parse_yaml
from symdyn.description.yaml.write import write_yaml
from symdyn.errors import ModelError
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")

SEEDS = st.integers(0, 2**32 - 1)
GRAVITY = (1.0, -2.0, -9.0)


def examples(count: int) -> Any:
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    return settings(max_examples=count, phases=(Phase.generate,), suppress_health_check=slow, deadline=None)


class Motion:
    """Functions of a robot at a state, and the state."""

    def __init__(self, tree: RobotDescription, seed: int) -> None:
        self.robot: Robot = api.from_description(tree, joint_losses=True, gravity=GRAVITY)
        rng = np.random.default_rng(seed)
        self.q, _ = self.robot.random_state(rng)
        self.v, self.a, self.s = rng.uniform(-1.0, 1.0, (3, self.robot.nv))

    def __call__(self, function: str, q: Any = None, v: Any = None, order: int | None = None, **given: Any) -> Any:
        q, v = self.q if q is None else q, self.v if v is None else v
        options = {} if order is None else {"order": order}
        inputs = {name: [float(x) for x in np.ravel(own)] for name, own in {"q": q, "v": v, **given}.items()}
        found = api.float_recursion(self.robot, function, **options)(inputs)
        shaped = {name: np.array(own, dtype=float) for name, own in found.items()}
        return next(iter(shaped.values())) if len(shaped) == 1 else shaped


def close(found: Any, expected: Any, tolerance: float) -> None:
    found, expected = np.ravel(found), np.ravel(expected)
    scale = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
    assert np.all(np.isfinite(expected))
    assert np.max(np.abs(found - expected), initial=0.0) <= tolerance * scale


def mass_and_motion_agree(tree: RobotDescription, seed: int) -> None:
    motion = Motion(tree, seed)
    nv = motion.robot.nv
    tau = motion("inverse_dynamics", a=motion.a)
    M = motion("mass_matrix").reshape(nv, nv)
    still = motion("inverse_dynamics", a=np.zeros(nv))
    close(M @ motion.a, tau - still, 1e-11)
    assert np.array_equal(M, M.T)
    assert np.min(np.linalg.eigvalsh(M)) > 0.0
    close(motion("bias"), still, 1e-12)
    close(motion("kinetic_energy"), 0.5 * motion.v @ M @ motion.v, 1e-11)
    scaled = np.sqrt(np.diag(M))
    condition = np.linalg.cond(M / np.outer(scaled, scaled))
    try:
        found = motion("forward_dynamics", tau=tau)
    except ModelError as refusal:
        assert "resists" in str(refusal)
        return
    close(M @ (found - motion.a), np.zeros(nv), 1e-10)
    close(found, motion.a, 1e-14 * condition * max(1.0, float(np.max(np.abs(tau)))) + 1e-9)


def derivatives_agree(tree: RobotDescription, seed: int) -> None:
    motion = Motion(tree, seed)
    nv, h = motion.robot.nv, 2e-5
    partials = motion("inverse_dynamics_partials", a=motion.a)
    by_q, by_v = (partials[name].reshape(nv, nv) for name in ("dtau_dq", "dtau_dv"))
    close(partials["dtau_da"].reshape(nv, nv), motion("mass_matrix").reshape(nv, nv), 1e-12)
    direction = motion.s
    ends = [
        motion("inverse_dynamics", q=motion.robot.integrate(motion.q, sign * h * direction), a=motion.a)
        for sign in (1.0, -1.0)
    ]
    close(by_q @ direction, (ends[0] - ends[1]) / (2 * h), 2e-6)
    ends = [motion("inverse_dynamics", v=motion.v + sign * h * direction, a=motion.a) for sign in (1.0, -1.0)]
    close(by_v @ direction, (ends[0] - ends[1]) / (2 * h), 2e-6)
    # along a motion, tau' is what the partials say
    rates = motion("inverse_dynamics_time_derivatives", V=[motion.v, motion.a, motion.s], order=1).reshape(2, nv)
    close(rates[0], motion("inverse_dynamics", a=motion.a), 1e-11)
    of_a = partials["dtau_da"].reshape(nv, nv)
    close(rates[1], by_q @ motion.v + by_v @ motion.a + of_a @ motion.s, 1e-10)
    # M' - 2 C is skew
    C = motion("coriolis_matrix").reshape(nv, nv)
    masses = [motion("mass_matrix", q=motion.robot.integrate(motion.q, t * motion.v)).reshape(nv, nv) for t in (h, -h)]
    skew = (masses[0] - masses[1]) / (2 * h) - 2.0 * C
    close(skew + skew.T, np.zeros((nv, nv)), 2e-6 * max(1.0, float(np.max(np.abs(C)))))


def truth_agrees(tree: RobotDescription, seed: int) -> None:
    robot = api.from_description(tree, joint_losses=True, gravity=GRAVITY)
    for function in ("inverse_dynamics", "potential_energy"):
        assert agreement.truth_agrees(robot, function)


def layouts_agree(tree: RobotDescription, seed: int) -> None:
    text = write_yaml(tree)
    read = parse_yaml(text.encode(), "tree.yaml")
    assert write_yaml(read) == text
    motion = Motion(read, seed)
    for function in ("inverse_dynamics", "mass_matrix"):
        expected = motion(function, a=motion.a)
        inputs = {name: [float(x) for x in own] for name, own in (("q", motion.q), ("v", motion.v), ("a", motion.a))}
        for layout in ("split", "rolled"):
            (program,) = api.programs(motion.robot, [function], layout=layout)
            (found,) = evaluate_program(program, FloatAlgebra(), inputs).values()
            close(found, expected, 1e-11)


def test_a_beam_on_the_tip_of_a_rod_weighs() -> None:
    rng = random.Random(5)
    links = (
        Link("base"),
        Link("rod", soft=replace(RODS[2], placement=placement(rng))),
        Link("beam", flexible=replace(BEAMS[6], placement=placement(rng))),
    )
    joints = (
        Joint("slide", JointKind.PRISMATIC, "base", "rod", placement(rng), (0.0, 0.0, 1.0)),
        Joint("glue", JointKind.FIXED, "rod", "beam", placement(rng)),
    )
    mass_and_motion_agree(RobotDescription("pair", links, joints), 1)


@examples(2)
@given(tree=soft_robots(max_joints=2), seed=SEEDS)
def test_mass_and_motion(tree: RobotDescription, seed: int) -> None:
    mass_and_motion_agree(tree, seed)


@examples(1)
@given(tree=soft_robots(max_joints=1), seed=SEEDS)
def test_derivatives(tree: RobotDescription, seed: int) -> None:
    derivatives_agree(tree, seed)


@pytest.mark.slow
@examples(12)
@given(tree=soft_robots(), seed=SEEDS)
def test_mass_and_motion_of_many(tree: RobotDescription, seed: int) -> None:
    mass_and_motion_agree(tree, seed)


@pytest.mark.slow
@examples(2)
@given(tree=soft_robots(), seed=SEEDS)
def test_derivatives_of_many(tree: RobotDescription, seed: int) -> None:
    derivatives_agree(tree, seed)


@pytest.mark.slow
@examples(2)
@given(tree=soft_robots(max_joints=3), seed=SEEDS)
def test_the_truth_of_many(tree: RobotDescription, seed: int) -> None:
    truth_agrees(tree, seed)


@pytest.mark.slow
@examples(1)
@given(tree=soft_robots(max_joints=3), seed=SEEDS)
def test_layouts_of_many(tree: RobotDescription, seed: int) -> None:
    layouts_agree(tree, seed)
