"""Random robots on which random things act: the oracle agrees, and forward dynamics leads back."""

from __future__ import annotations

import random

import numpy as np
import pytest
from support.robots.random_acting import acted_upon
from support.robots.random_trees import make_robot
from support.soft_calls import call

from symdyn import api
from symdyn.description.robot import JointKind
from symdyn.description.yaml.read import parse_yaml
from symdyn.description.yaml.write import write_yaml
from symdyn.verify.oracle import truth

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
SEEDS = [*range(4), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(4, 16))]


@pytest.mark.parametrize("seed", SEEDS)
def test_random_robots(seed: int) -> None:
    rng = np.random.default_rng(seed)
    drawn, floating = random.Random(seed), seed % 3 != 0
    parents, kinds = [drawn.randrange(link + 1) for link in range(3)], drawn.choices(list(JointKind), k=3)
    described = acted_upon(make_robot(parents, kinds, seed, floating), seed)
    convention = ("pinocchio", "spatial")[seed % 2]
    robot = api.from_description(described, floating_base=floating, convention=convention)
    text = write_yaml(robot.description)
    assert write_yaml(parse_yaml(text.encode(), "again.yaml")) == text
    q, v = robot.random_state(rng)
    a = rng.standard_normal(robot.nv)
    (tau,) = call(robot, "inverse_dynamics", q=q, v=v, a=a)
    exact = truth.inverse_dynamics(robot.description, q, v, a, convention=convention, floating_base=floating)
    assert tau == pytest.approx([float(value) for value in exact], rel=1e-10, abs=1e-10)
