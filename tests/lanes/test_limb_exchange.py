"""What limbs in lanes and the rest of the robot hand each other: sums, numbers of one lane, ports without scalars."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.robots.kinds import F, R
from support.robots.limbed import with_limbs
from support.states import random_inputs, relative_error

import symdyn
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.passes.program.lane_runs import LaneRun
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.compiler.tape.program import lane_loops
from symdyn.description.robot import JointKind, Mimic
from symdyn.interface.options import RequestOptions
from symdyn.robot.robot import Robot

LAYOUTS = ("split-lanes", "rolled-lanes")
# As in tests/equivalence: solutions with M lose its condition number on top of some thousand units of roundoff.
TOLERANCE = 1e-9

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")


def _check(robot: Robot, function: str, layout: str, in_lanes: bool = True, **asked: object) -> None:
    options: RequestOptions = asked  # type: ignore[assignment]
    (program,) = api.programs(robot, [function], layout=layout, **options)
    assert lane_loops(program.body) or not in_lanes
    inputs = random_inputs(robot, program.signature, np.random.default_rng(3))
    expected = api.float_recursion(robot, function, **options)(inputs)
    found = evaluate_program(program, FloatAlgebra(), inputs)
    for name, values in expected.items():
        assert relative_error(found[name], values) <= TOLERANCE, name


@pytest.mark.parametrize("layout", LAYOUTS)
def test_lanes_read_the_sum_of_all(layout: str) -> None:
    """Columns of the momentum matrix need the centre of mass, to which all arms add just before."""
    robot = api.from_description(with_limbs([0], [R], 2, seed=139, floating=False))
    _check(robot, "centroidal_momentum_matrix", layout)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_numbers_of_one_lane(layout: str) -> None:
    """The prescribed accelerations are the user's in some lanes, and zero in others."""
    robot = api.from_description(with_limbs([0, 1], [F, R], 2, seed=109))
    prescribed = [name for name in robot.velocity_names if "-0.v" in name][1:]
    _check(robot, "hybrid_dynamics_partials", layout, prescribed=prescribed)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_limbs_that_meet_at_the_ground(layout: str) -> None:
    """Their first links share no coordinate with others, so that some ports have no scalar."""
    robot = api.from_description(with_limbs([0], [JointKind.CONTINUOUS], 7, seed=2, floating=False))
    _check(robot, "forward_dynamics_partials", layout)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("function", ["coriolis_matrix", "inverse_dynamics_partials"])
def test_fingers_that_follow_each_other(function: str, layout: str) -> None:
    """Two of three fingers have one coordinate: one adds to entries that the other has set."""
    hand = with_limbs([0], [R], 3, seed=5, floating=False)
    plain = [replace(joint, mimic=None, actuator=None, elastic=None) for joint in hand.joints]
    follower = replace(plain[0], mimic=Mimic(plain[1].name, 0.5, 0.1))
    _check(api.from_description(replace(hand, joints=(follower, *plain[1:]))), function, layout, in_lanes=False)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_tables_of_indices_that_others_use_too(layout: str) -> None:
    """Only the entries that a loop over lanes reaches must be whole groups of lanes."""
    hand = with_limbs([0, 0, 2], [JointKind.FIXED, F, JointKind.HELICAL], 9, seed=529)
    _check(api.from_description(hand, joint_losses=True), "inverse_dynamics_rate_terms", layout)


def test_what_a_run_takes() -> None:
    """Each lane may use again what is its own; what another lane, or all together, made has to wait."""
    x0, x2, x4, y = ("x", 0), ("x", 2), ("x", 4), ("y", 0)
    run = LaneRun(2)
    assert run.takes([(y, 0)], [(x0, 2)])  # lanes write x0 and x2
    assert run.takes([(x0, 2)], [(x4, 2)])
    assert not run.takes([(x2, 2)], [])  # lane 0 would read what lane 1 made
    assert not run.takes([(x0, 0)], [])  # lane 1 would read what lane 0 made
    assert not run.takes([(x0, 4)], [])  # lane 1 would find another place
    assert not run.takes([], [(y, 0)])  # all lanes read y before one of them adds to it
    run = LaneRun(2)
    assert run.takes([], [(y, 0)])
    assert run.takes([], [(y, 0)])
    assert not run.takes([(y, 0)], [])  # the sum is not complete
    run = LaneRun(1)
    assert run.takes([], [(x0, 0)])
    assert run.takes([(x0, 0)], [(x0, 0)])


LIMB = """
  {n}a: {{mass: 1, com: [0.1, 0, 0.02], inertia: {{xx: 0.01, yy: 0.02, zz: 0.03}}}}
  {n}b: {{mass: 0.8, com: [0.1, 0.01, 0], inertia: {{xx: 0.01, yy: 0.02, zz: 0.03}}}}
  {n}c: {{mass: 0.5, com: [0.05, 0, 0], inertia: {{xx: 0.01, yy: 0.02, zz: 0.03}}}}"""
JOINTS = """
  {n}1: {{type: revolute, parent: base, child: {n}a, axis: [0, 0, 1], translation: [0.1, {y}, 0]}}
  {n}2: {{type: revolute, parent: {n}a, child: {n}b, axis: [0, 1, 0], translation: [0.3, 0, 0]}}
  {n}3: {{type: revolute, parent: {n}b, child: {n}c, axis: [0, 1, 0], translation: [0.3, 0, 0]}}"""
BUSHING = "  {n}: {{between: [{n}c, {other}b], stiffness: [100, 200, 300, 1, 2, 3], damping: [3, 3, 3, 0, 0, 0]}}"


@pytest.mark.parametrize("layout", ["auto", *LAYOUTS])
@pytest.mark.parametrize("function", ["inverse_dynamics", "forward_dynamics", "inverse_dynamics_time_derivatives"])
def test_bushings_that_cross_from_limb_to_limb(function: str, layout: str) -> None:
    """Each bushing reads what the other limb computes, so they do not run side by side; the rest of the limbs does."""
    links, joints = ("".join(text.format(n=n, y=y) for n, y in (("l", 0.2), ("r", -0.2))) for text in (LIMB, JOINTS))
    bushings = "\n".join(BUSHING.format(n=n, other=other) for n, other in ("lr", "rl"))
    base = "  base: {mass: 5, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}"
    text = f"name: crossed\nlinks:\n{base}{links}\njoints:{joints}\nbushings:\n{bushings}\n"
    _check(symdyn.loads(text, format="yaml"), function, layout, in_lanes=layout != "auto")
