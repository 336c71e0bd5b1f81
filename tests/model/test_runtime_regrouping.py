"""Regrouping inertia that rests on run-time parameters: the same results, and what goes where."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.robots.random_trees import robots
from support.robots.small import X, described, joint, loaded, massive
from support.rotation import in_turn
from support.states import random_inputs, relative_error

import symdyn
from symdyn import api
from symdyn.algebra.scalars.affine import Affine
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.description.quantities.expression import Expression
from symdyn.description.robot import JointKind, Link, Parameter, RobotDescription
from symdyn.functions.catalogue import CATALOGUE
from symdyn.functions.request import Request
from symdyn.generation import pipeline
from symdyn.model.bind import FIRST_MOMENT, INERTIA, SECOND_MOMENT
from symdyn.model.body_choices import body_choices
from symdyn.model.frame_policy import SLID
from symdyn.model.hidden_bodies import bound_constants, hidden_bodies
from symdyn.model.link_side import link_side
from symdyn.model.model import Model
from symdyn.plan.run import run_plan
from symdyn.robot.robot import Robot
from symdyn.verify.base.compare import block_floors, error_in_u, limit_in_u, unit_blocks
from symdyn.verify.harness.verify import function_truth
from symdyn.verify.oracle.tree import public_tree

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")

MOMENTS = ("xx", "xy", "xz", "yy", "yz", "zz")
HIDING = (
    "inverse_dynamics",
    "gravity",
    "bias",
    "mass_matrix",
    "coriolis_matrix",
    "kinetic_energy",
    "inverse_dynamics_partials",
)
"""Functions that hide frames or wrenches, with nothing to invert."""


def leaves(description: RobotDescription, rng: random.Random) -> list[str]:
    """Random run-time parameters: masses, centres, moments, translations, losses and gravity."""
    names = [f"{joint.name}.translation.{axis}" for joint in description.joints for axis in "xyz"]
    names += [f"{joint.name}.damping" for joint in description.joints] + ["gravity.x", "gravity.z"]
    for link in description.links:
        if link.inertial is not None:
            own = [f"{link.name}.mass", *(f"{link.name}.com.{axis}" for axis in "xyz")]
            names += 2 * [*own, *(f"{link.name}.inertia.{pair}" for pair in MOMENTS)]
    return list(dict.fromkeys(rng.choices(names, k=rng.randrange(1, 8))))


def choices(model: Model, rng: random.Random) -> list[frozenset[int]]:
    """Nobody, everybody, or some bodies give what rests on p."""
    everyone = range(len(model.bodies))
    return [frozenset(), frozenset(everyone), frozenset(index for index in everyone if rng.random() < 0.5)]


def as_described(model: Model) -> Model:
    return replace(model, regroups=False, slides=False)


@settings(max_examples=10)
@given(
    robots(max_joints=8),
    st.sampled_from(("pinocchio", "spatial")),
    st.sampled_from(("", "body", "world")),
    st.integers(0, 2**32 - 1),
)
def test_results_are_unchanged(description: RobotDescription, convention: str, external: str, seed: int) -> None:
    chance = random.Random(seed)
    joints = (replace(item, losses=replace(item.losses, velocity_scale=0.05)) for item in description.joints)
    description = replace(description, joints=tuple(joints))  # friction that has derivatives
    robot = loaded(description, runtime=leaves(description, chance), joint_losses=True, convention=convention)
    model, rng = robot.model, np.random.default_rng(seed)
    for entry in (CATALOGUE[name] for name in HIDING):
        request = Request(external if "external_wrenches" in entry.takes else "")
        inputs = random_inputs(robot, entry.signature(model, request), rng)
        expected = run_plan(entry.plan(as_described(model), request), FloatAlgebra(), inputs)
        for givers in choices(model, chance):
            regrouping = replace(model, runtime_givers=givers)
            found = run_plan(entry.plan(regrouping, request), FloatAlgebra(), inputs)
            for name, values in found.items():
                assert relative_error(values, expected[name]) <= 1e-12, (entry.name, name)


@settings(max_examples=8)
@given(robots(max_joints=6), st.sampled_from(("unrolled", "split", "rolled")), st.integers(0, 2**32 - 1))
def test_every_layout_against_truth(description: RobotDescription, layout: str, seed: int) -> None:
    """Programs with the regrouping that pays, against 50 digits from positions and momenta of every link."""
    robot = loaded(description, runtime=leaves(description, random.Random(seed)), joint_losses=True)
    (program,) = api.programs(robot, ["inverse_dynamics"], layout=layout)
    truth = function_truth(description, program.signature, robot.load_options())
    units = [unit for output in program.signature.outputs for unit in output.element_units]
    blocks, rng = unit_blocks(units), np.random.default_rng(seed)
    inputs = [random_inputs(robot, program.signature, rng) for _ in range(3)]
    truths = [truth(values) for values in inputs]
    floors = block_floors(truths, blocks)
    limit = limit_in_u(public_tree(description, None, None).depth)
    for values, exact in zip(inputs, truths, strict=True):
        found = evaluate_program(program, FloatAlgebra(), values)["tau"]
        assert error_in_u(found, exact, blocks, floors, "float64") <= limit


ORDERS = {
    "inverse_dynamics": 0,
    "forward_dynamics": 0,
    "forward_dynamics_partials": 0,
    "inverse_dynamics_time_derivatives": 2,
    "forward_dynamics_time_derivatives": 1,
    "coriolis_matrix": 0,
}


@pytest.mark.parametrize(("function", "layout"), in_turn(list(ORDERS), ["unrolled", "split", "rolled"]))
def test_an_arm_in_every_layout(function: str, layout: str) -> None:
    order = ORDERS[function]
    names = ["link_4.mass", "link_2.com.x", "link_7.inertia.yy", "joint_5.translation.y", "gravity.y"]
    robot = symdyn.load_example("seven_dof_arm", runtime=names)
    (program,) = api.programs(robot, [function], layout=layout, order=order)
    assert " from p, at run time" in program.signature.options["regrouping"]
    entry, request = CATALOGUE[function], Request(order=order)
    inputs = random_inputs(robot, program.signature, np.random.default_rng(4))
    expected = run_plan(entry.plan(as_described(robot.model), request), FloatAlgebra(), inputs)
    for name, values in evaluate_program(program, FloatAlgebra(), inputs).items():
        assert relative_error(values, expected[name]) <= 1e-11, name


def elbow(runtime: Sequence[str]) -> Robot:
    """A free trunk and an arm of two links, the second on an axis across the first's."""
    joints = [
        joint("trunk", JointKind.FLOATING, "base", "one"),
        joint("shoulder", JointKind.REVOLUTE, "one", "two", (0.0, 0.5, 0.0)),
        joint("elbow", JointKind.REVOLUTE, "two", "three", (0.0, 0.4, 0.0), X),
    ]
    return loaded(
        described([Link("base"), *(massive(name) for name in ("one", "two", "three"))], joints), runtime=runtime
    )


def values_of(model: Model, p: Sequence[float]) -> list[dict[str, float]]:
    rows = bound_constants(model, INERTIA, FloatAlgebra(), p, loaded=False)
    return [dict(zip(INERTIA, row, strict=True)) for row in rows]


@pytest.mark.parametrize("mass", [0.3, 5.0])
def test_a_number_in_the_file_and_the_same_at_run_time_regroup_alike(mass: float) -> None:
    """Numbers are regrouped by floats, p by affine scalars; the rules are the same."""
    robot = elbow(["three.mass"])
    model = replace(robot.model, runtime_givers=frozenset(range(3)))
    joints = robot.description.joints
    links = (*robot.description.links[:3], massive("three", mass))
    baked = hidden_bodies(loaded(described(links, joints)).model).constants
    for found, expected in zip(values_of(model, [mass]), baked, strict=True):
        assert expected is not None
        assert found == pytest.approx({name: expected.values[name] for name in INERTIA}, rel=1e-13, abs=1e-15)


def test_bodies_that_do_not_give_pass_numbers_on() -> None:
    """Of a link whose mass is asked for at run time, what rests on numbers goes to the parent at no cost."""
    robot = elbow(["two.mass"])
    taking = hidden_bodies(replace(robot.model, runtime_givers=frozenset())).constants
    one, two, three = (body.values for body in taking if body is not None)
    assert all(isinstance(one[name], float) for name in INERTIA)
    assert [three[name] for name in ("m", "hz", "Szz")] == [0.0] * 3
    assert {name for name in INERTIA if isinstance(two[name], Affine)} == {"m", *FIRST_MOMENT, *SECOND_MOMENT}
    assert [two[name].offset for name in ("m", "hz", "Szz")] == [0.0] * 3 and two["Syy"].offset != 0.0
    described_one = hidden_bodies(SLID.view(as_described(robot.model))).constants[0]
    assert described_one is not None and one["m"] == pytest.approx(described_one.values["m"] + 2.0)  # link three's


def test_what_is_told() -> None:
    model = elbow(["three.mass"]).model
    now, taking, giving = (
        body_choices(replace(model, runtime_givers=givers)) for givers in (None, frozenset(), frozenset({2}))
    )
    assert [choice.inertia_stays for choice in now[1:]] == ["", "rests on run-time parameters"]
    assert now[2].frame_stays == "rests on run-time parameters" and not now[2].changes
    assert [choice.inertia_stays for choice in taking[1:]] == ["", "rests on run-time parameters"]
    assert taking[2].frame_stays != "rests on run-time parameters"  # where it stands rests on numbers
    assert giving[2].moved == giving[2].from_p == ("m", "hz", "Szz")
    assert giving[2].changes.startswith("3 parameters moved to two (from p, at run time)")
    assert "m" not in giving[1].moved and giving[1].from_p == ()  # now it rests on p too, and keeps that
    assert giving[0].inertia_stays == "a free joint feels all of it"
    both = body_choices(replace(model, runtime_givers=frozenset({1, 2})))
    assert both[1].changes.startswith("3 parameters moved to one (") and "from p, at run time)" in both[1].changes
    options = CATALOGUE["inverse_dynamics"].signature(replace(model, runtime_givers=frozenset({2})), Request()).options
    assert options["regrouping"].startswith(
        "5 inertial parameters are counted with the parent body (3 from p, at run time)"
    )
    assert options["regrouping of three"] == giving[2].changes


def test_lengths_from_p_hold_their_frames_and_regroup_all_the_same() -> None:
    model = elbow(["elbow.translation.y"]).model
    choice = body_choices(replace(model, runtime_givers=frozenset(range(3))))
    assert choice[1].frame_stays == "carries three, which rests on run-time parameters"
    assert choice[2].frame_stays == "rests on run-time parameters"
    assert choice[2].moved == ("m", "hz", "Szz") and choice[2].from_p == ()  # its own inertia is made of numbers
    assert "m" not in choice[1].from_p and "Szz" in choice[1].moved
    parent = hidden_bodies(replace(model, runtime_givers=frozenset(range(3)))).constants[1]
    assert parent is not None and any(
        isinstance(parent.values[name], Affine) for name in (*FIRST_MOMENT, *SECOND_MOMENT)
    )


def test_expressions_over_several_parameters() -> None:
    """Masses rho A l, centres l / 2 and offsets l of the same declared parameters."""
    mass = Expression("rho*l*(1 + l**2/3)")
    links = [Link("base"), *(massive(name, mass, (0.0, Expression("l/2"), 0.1)) for name in ("one", "two", "three"))]  # type: ignore[arg-type]
    joints = [
        joint("a", JointKind.REVOLUTE, "base", "one"),
        joint("b", JointKind.REVOLUTE, "one", "two", (0.0, Expression("l"), 0.0), X),  # type: ignore[arg-type]
        joint("c", JointKind.REVOLUTE, "two", "three", (0.0, Expression("sqrt(l)"), 0.2)),  # type: ignore[arg-type]
    ]
    parameters = (Parameter("rho", 2.0, "kg/m", runtime=True), Parameter("l", 0.8, "m", runtime=True))
    robot = loaded(described(links, joints, parameters=parameters))
    rng, chance = np.random.default_rng(3), random.Random(3)
    for name in HIDING:
        entry = CATALOGUE[name]
        inputs = random_inputs(robot, entry.signature(robot.model, Request()), rng)
        expected = run_plan(entry.plan(as_described(robot.model), Request()), FloatAlgebra(), inputs)
        for givers in choices(robot.model, chance):
            plan = entry.plan(replace(robot.model, runtime_givers=givers), Request())
            for output, values in run_plan(plan, FloatAlgebra(), inputs).items():
                assert relative_error(values, expected[output]) <= 1e-13, (name, output)


def test_the_links_of_elastic_joints_keep_their_givers() -> None:
    robot = symdyn.load_example("elastic_arm")
    names = [body.name for body in robot.model.bodies]
    givers = frozenset({0, len(names) - 1})
    links = link_side(replace(robot.model, runtime_givers=givers))
    assert links.runtime_givers is not None
    kept = {names[index] for index in givers if robot.model.bodies[index].row is not None}
    assert {links.bodies[index].name for index in links.runtime_givers} == kept
    assert link_side(robot.model).runtime_givers is None


def test_programs_say_what_they_were_made_of() -> None:
    robot = symdyn.load_example("seven_dof_arm", runtime=["link_4.mass"])
    (program,) = pipeline.programs(robot, ["inverse_dynamics"])
    assert program.signature.options["regrouping of link_4"] == "3 parameters moved to link_3 (from p, at run time)"
