"""Random robots on which random things act: the oracle agrees, and forward dynamics leads back."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from support.agreement import inputs_of
from support.robots.limbed import with_limbs
from support.robots.random_acting import acted_upon
from support.robots.random_trees import make_robot
from support.soft_calls import call
from support.states import relative_error

from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.description.bushing import Bushing
from symdyn.description.external_loads import Acting, Site, Six, Wrench
from symdyn.description.fluid import AddedMass
from symdyn.description.quantities.expression import Expression
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
    M = np.reshape(call(robot, "mass_matrix", q=q)[0], (robot.nv, robot.nv))
    (still,) = call(robot, "inverse_dynamics", q=q, v=v, a=0 * a)
    assert M @ a == pytest.approx(tau - still, rel=1e-10, abs=1e-10) and np.array_equal(M, M.T)


@pytest.mark.slow
@pytest.mark.parametrize("function", ["inverse_dynamics", "forward_dynamics"])
def test_limbs_in_lanes(function: str) -> None:
    """A load on every link of four alike legs, and a bushing from one leg to another."""
    kinds = [JointKind.REVOLUTE, JointKind.REVOLUTE, JointKind.PRISMATIC]
    described = with_limbs([0, 1, 2], kinds, 4, 5)
    names = [link.name for link in described.links]
    entries: Six = (Expression("vx"), 1.0, 0.0, 0.0, 0.0, Expression("px"))
    acting: list[Acting] = [Wrench(f"w{name}", Site(name), entries, "world") for name in names[1:]]
    masses: Six = (1.0, 2.0, 3.0, 0.1, 0.2, 0.3)
    acting += [AddedMass(f"fluid.{name}.added_mass", Site(name), masses) for name in names[1:]]
    held = Bushing("tie", (Site(names[3]), Site(names[-1])), (10.0, 20.0, 30.0, 1.0, 2.0, 3.0), (1.0,) * 6)
    robot = api.from_description(replace(described, acting=(*acting, held)))
    inputs = inputs_of(robot, function)
    (reference,) = api.float_recursion(robot, function)(inputs).values()
    for layout in ("auto", "rolled"):
        (program,) = api.programs(robot, [function], layout=layout)
        (found,) = evaluate_program(program, FloatAlgebra(), inputs).values()
        assert relative_error(found, reference) <= 1e-11, layout
