"""Forward and hybrid dynamics undo inverse dynamics, on random trees with every kind of joint, and closed forms."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.robots.random_trees import robots
from support.robots.small import X, Y, described, joint, loaded, massive, point_mass, single
from support.robots.table import TREES
from support.rotation import in_turn
from support.states import random_inputs, relative_error

from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.description.robot import Actuator, JointKind, Link, Losses, Mimic, RobotDescription
from symdyn.errors import ModelError, RequestError
from symdyn.functions.catalogue import CATALOGUE
from symdyn.functions.request import Request
from symdyn.plan.run import run_plan
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
Inputs = dict[str, list[float]]

# Solving with the mass matrix loses as many digits as its condition number has: 1e-14 for each of them.
TOLERANCE = 1e-14


def accelerations(robot: Robot, q: list[float], v: list[float], tau: list[float], **more: list[float]) -> list[float]:
    recursion = api.float_recursion(robot, "forward_dynamics")
    return list(recursion({"q": q, "v": v, "tau": tau, **more})["a"])


def condition(robot: Robot, inputs: Inputs) -> float:
    """Condition number of the mass matrix, from inverse dynamics at rest."""
    plan = CATALOGUE["inverse_dynamics"].plan(robot.model, Request())
    still = {name: value for name, value in inputs.items() if name in ("q", "p")} | {"v": [0.0] * robot.nv}
    rows = np.vstack([np.eye(robot.nv), np.zeros(robot.nv)]).tolist()
    forces = np.array([run_plan(plan, FloatAlgebra(), still | {"a": row})["tau"] for row in rows])
    return float(np.linalg.cond(forces[:-1] - forces[-1]))


def hybrid_case(robot: Robot, prescribed: Collection[int], external: str, seed: int) -> tuple[Inputs, list[float]]:
    """Inputs of hybrid dynamics at a random motion, and what it must find; both by inverse dynamics."""
    entry, request = CATALOGUE["inverse_dynamics"], Request(external)
    inputs = random_inputs(robot, entry.signature(robot.model, request), np.random.default_rng(seed))
    tau = run_plan(entry.plan(robot.model, request), FloatAlgebra(), inputs)["tau"]
    a = inputs.pop("a")
    given_rows = [a[row] if row in prescribed else tau[row] for row in range(robot.nv)]
    return inputs | {"u": given_rows}, [tau[row] if row in prescribed else a[row] for row in range(robot.nv)]


def prescribed_rows(robot: Robot, seed: int, share: float) -> tuple[int, ...]:
    return tuple(int(row) for row in np.flatnonzero(np.random.default_rng(seed).uniform(size=robot.nv) < share))


@settings(max_examples=60)
@given(
    robots(max_joints=8),
    st.booleans(),
    st.sampled_from(("pinocchio", "spatial", "mujoco")),
    st.sampled_from(("", "body", "world")),
    st.sampled_from((0.0, 0.3, 0.6, 1.0)),
    st.integers(0, 2**32 - 1),
)
def test_hybrid_dynamics_undoes_inverse_dynamics(
    description: RobotDescription, losses: bool, convention: str, external: str, share: float, seed: int
) -> None:
    robot = loaded(description, joint_losses=losses, convention=convention, gravity=(1.0, -2.0, -9.0))
    prescribed = prescribed_rows(robot, seed, share)
    inputs, expected = hybrid_case(robot, prescribed, external, seed)
    request = Request(external, prescribed)
    try:
        plan = CATALOGUE["hybrid_dynamics"].plan(robot.model, request)
    except ModelError:
        assume(False)
    found = run_plan(plan, FloatAlgebra(), inputs)["w"]
    limit = TOLERANCE * (1.0 if len(prescribed) == robot.nv else condition(robot, inputs))
    assert relative_error(found, expected) <= max(limit, 1e-13)
    if not prescribed:
        forward = CATALOGUE["forward_dynamics"].plan(robot.model, request)
        forces = {name: value for name, value in inputs.items() if name != "u"} | {"tau": inputs["u"]}
        assert run_plan(forward, FloatAlgebra(), forces)["a"] == found


# "mimic": a cluster with two branches and a cluster inside a chain, both by mimic joints, on a free base
CASES = {"mimic": TREES["two clusters"], "kinds": TREES["a chain that forks"]}


def case(name: str) -> RobotDescription:
    description = CASES[name].described(mimics=False)
    links = tuple(replace(link, inertial=massive("any").inertial) for link in description.links)
    joints = description.joints
    if name == "mimic":
        names = [item.name for item in joints]
        ties = {2: Mimic(names[1], -0.7, 0.3), 5: Mimic(names[3], 1.4, 0.0)}
        joints = tuple(replace(item, mimic=ties.get(place)) for place, item in enumerate(joints))
    return replace(description, links=links, joints=joints)


@pytest.mark.parametrize(
    ("which", "layout"),
    in_turn(["mimic-spatial", "mimic-pinocchio", "kinds-pinocchio"], ["unrolled", "split", "rolled"]),
)
def test_layouts_agree(which: str, layout: str) -> None:
    name, convention = which.split("-")
    description = case(name)
    runtime = [f"{description.links[2].name}.mass", f"{description.joints[1].name}.translation.x", "gravity.y"]
    robot = loaded(description, joint_losses=True, convention=convention, runtime=runtime)
    for share in (0.0, 0.5):
        prescribed = prescribed_rows(robot, 4, share)
        inputs, expected = hybrid_case(robot, prescribed, "world", 2)
        (program,) = api.programs(
            robot,
            ["hybrid_dynamics"],
            layout=layout,
            external_wrenches="world",
            prescribed=tuple(robot.velocity_names[row] for row in prescribed),
        )
        found = evaluate_program(program, FloatAlgebra(), inputs)["w"]
        assert relative_error(found, expected) <= TOLERANCE * condition(robot, inputs)


def test_prescribing_everything_costs_what_inverse_dynamics_costs() -> None:
    robot = api.load_example("aerial_manipulator")
    names = robot.velocity_names
    inverse = api.cost(robot, ["inverse_dynamics"], layout="unrolled")["inverse_dynamics"]["total"]
    forward = api.cost(robot, ["forward_dynamics"], layout="unrolled")["forward_dynamics"]
    everything = api.cost(robot, ["hybrid_dynamics"], layout="unrolled", prescribed=names)["hybrid_dynamics"]
    nothing = api.cost(robot, ["hybrid_dynamics"], layout="unrolled", prescribed=())["hybrid_dynamics"]
    some = api.cost(robot, ["hybrid_dynamics"], layout="unrolled", prescribed=names[6:])["hybrid_dynamics"]["total"]
    assert everything["total"] <= inverse
    assert nothing == forward
    assert inverse < some < forward["total"]


def test_operations_do_not_creep_up() -> None:
    """The free base's six divisions, one per joint, and two products' worth of slack."""
    robot = api.load_example("aerial_manipulator")
    counts = api.cost(robot, ["forward_dynamics"], layout="unrolled")["forward_dynamics"]
    assert counts["div"] <= robot.nv
    assert counts["total"] <= 905


def test_pendulum() -> None:
    """(m l^2) a = tau - d v - m g l sin q."""
    description = single(JointKind.REVOLUTE, point_mass("body", 1.5, (0.0, 0.0, -0.4)), axis=X, losses=Losses(0.2))
    robot = loaded(description, joint_losses=True)
    expected = (0.7 - 0.2 * 0.5 - 1.5 * 9.81 * 0.4 * math.sin(0.3)) / (1.5 * 0.16)
    assert accelerations(robot, [0.3], [0.5], [0.7]) == pytest.approx([expected], rel=1e-13)


def test_cart_and_pole() -> None:
    joints = [joint("slide", JointKind.PRISMATIC, "base", "cart", axis=X)]
    joints.append(joint("swing", JointKind.REVOLUTE, "cart", "pole", axis=Y))
    robot = loaded(
        described([Link("base"), point_mass("cart", 2.0, (0, 0, 0)), point_mass("pole", 0.5, (0, 0, -0.6))], joints)
    )
    angle, rate, force = 0.4, 1.3, 0.9
    s, c, m, length = math.sin(angle), math.cos(angle), 0.5, 0.6
    # positive turns about y take the hanging pole to -x
    M = np.array([[2.5, -m * length * c], [-m * length * c, m * length**2]])
    bias = np.array([m * length * s * rate**2, m * 9.81 * length * s])
    expected = np.linalg.solve(M, np.array([force, 0.0]) - bias)
    assert accelerations(robot, [0.1, angle], [0.2, rate], [force, 0.0]) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("convention", ["pinocchio", "spatial"])
def test_a_free_body_falls(convention: str) -> None:
    """Without forces and at rest the centre of mass falls; in the spatial convention so does the world's origin."""
    robot = loaded(
        described([massive("body")], [], floating_base=True), convention=convention, gravity=(0.5, 0.0, -9.0)
    )
    half = math.sqrt(0.5)
    q, rest = [0.3, -0.2, 0.1, half, 0.0, 0.0, half], [0.0] * 6
    # a quarter turn about x: gravity in body axes is (0.5, -9, 0)
    fall = [0.5, -9.0, 0.0, 0.0, 0.0, 0.0] if convention == "pinocchio" else [0.0, 0.0, 0.0, 0.5, 0.0, -9.0]
    assert accelerations(robot, q, rest, rest) == pytest.approx(fall, abs=1e-13)


def test_rotor_inertia_slows_its_joint() -> None:
    """With a gear the rotor's inertia adds to the pendulum's own; a follower's counts by its multiplier squared."""
    lead = single(JointKind.REVOLUTE, point_mass("body", 1.0, (0.5, 0.0, 0.0)))
    geared = replace(lead, joints=(replace(lead.joints[0], actuator=Actuator(armature=0.75)),))
    assert accelerations(loaded(geared), [0.0], [0.0], [2.0]) == pytest.approx([2.0 / (0.25 + 0.75)], rel=1e-13)
    follower = joint("k", JointKind.REVOLUTE, "base", "twin", mimic=Mimic("j", -2.0), actuator=Actuator(armature=0.5))
    tied = replace(geared, links=(*geared.links, point_mass("twin", 3.0, (0.1, 0.0, 0.0))))
    tied = replace(tied, joints=(*geared.joints, follower))
    inertia = 0.25 + 0.75 + 4.0 * (0.03 + 0.5)
    assert accelerations(loaded(tied), [0.0], [0.0], [2.0]) == pytest.approx([2.0 / inertia], rel=1e-13)


def test_hybrid_dynamics_names_units_by_row() -> None:
    robot = loaded(case("mimic"))
    entry = CATALOGUE["hybrid_dynamics"]
    prescribed = (0, 6)
    signature = entry.signature(robot.model, Request(prescribed=prescribed))
    u, w = signature.input("u"), signature.outputs[0]
    assert u.element_units[:4] == ("m/s^2", "N", "N", "N m") and w.element_units[:4] == (
        "N",
        "m/s^2",
        "m/s^2",
        "rad/s^2",
    )
    assert u.element_units[6] == "rad/s^2" and w.element_units[6] == "N m"
    assert signature.options["prescribed"] == (robot.velocity_names[0], robot.velocity_names[6])
    with pytest.raises(RequestError, match="needs prescribed="):
        api.programs(robot, ["hybrid_dynamics"])
