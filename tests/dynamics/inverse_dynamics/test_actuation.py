"""Rotors behind gears, and elastic joints: closed forms, the rigid robot with forces put in by hand, run time."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.robots.kinds import ONE_COORDINATE
from support.robots.random_trees import robots
from support.robots.small import X, Y, described, joint, loaded, massive, point_mass, single, torque
from support.states import random_inputs, relative_error

import symdyn
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.description.quantities.expression import Expression
from symdyn.description.robot import (
    Actuator,
    Elastic,
    JointKind,
    Limits,
    Link,
    Losses,
    Mimic,
    Parameter,
    RobotDescription,
    Spring,
)
from symdyn.errors import ModelError
from symdyn.functions.catalogue import CATALOGUE
from symdyn.functions.request import Request

Array = NDArray[np.float64]
GEAR = Actuator(2e-4, 30.0)
SPRING = Elastic(40.0, 0.7, GEAR)


def stiffened(description: RobotDescription) -> RobotDescription:
    """The robot without rotors, springs and losses."""
    bare = {"actuator": None, "elastic": None, "loads": (), "losses": Losses()}
    joints = tuple(replace(joint, **bare) for joint in description.joints)
    return replace(description, joints=joints)


@pytest.mark.parametrize("kind", ONE_COORDINATE)
def test_a_rotor_adds_its_inertia_over_the_gear_squared(kind: JointKind) -> None:
    pitch = 0.1 if kind is JointKind.HELICAL else 0.0
    bare = torque(loaded(single(kind, pitch=pitch)), [0.3], [0.8], [1.5])
    geared = torque(loaded(single(kind, pitch=pitch, actuator=GEAR)), [0.3], [0.8], [1.5])
    assert geared[0] - bare[0] == pytest.approx(2e-4 * 30.0**2 * 1.5, rel=1e-13)
    short = torque(loaded(single(kind, pitch=pitch, actuator=Actuator(armature=0.18))), [0.3], [0.8], [1.5])
    assert short == pytest.approx(geared, rel=1e-14)


def test_a_follower_turns_its_own_rotor() -> None:
    joints = [
        joint("lead", JointKind.REVOLUTE, "base", "a", axis=X, actuator=Actuator(armature=0.4)),
        joint("follow", JointKind.PRISMATIC, "a", "b", axis=Y, mimic=Mimic("lead", -3.0, 0.2), actuator=GEAR),
    ]
    description = described([Link("base"), massive("a"), massive("b")], joints)
    whole = torque(loaded(description), [0.2], [1.1], [0.7])
    (bare,) = torque(loaded(stiffened(description)), [0.2], [1.1], [0.7])
    assert whole == pytest.approx([bare + (0.4 + 9.0 * 0.18) * 0.7], rel=1e-13)


def test_a_pendulum_behind_a_spring() -> None:
    """Spong's equations: m l^2 q'' + m g l sin q + K (q - theta) + D (q' - theta'), B theta'' + K (theta - q) + ..."""
    m, length, K, D, B = 2.0, 0.5, 40.0, 0.7, 0.18
    losses = Losses(0.3, 0.2, 0.05)
    description = single(
        JointKind.REVOLUTE, point_mass("body", m, (0.0, 0.0, -length)), axis=Y, elastic=SPRING, losses=losses
    )
    (q, theta), (v, rate), (a, speeding) = (0.4, 0.55), (1.2, -0.8), (0.6, 2.1)
    spring = K * (q - theta) + D * (v - rate)
    link = m * length * length * a + m * 9.81 * length * math.sin(q) + spring
    motor = B * speeding - spring
    assert torque(loaded(description), [q, theta], [v, rate], [a, speeding]) == pytest.approx([link, motor], rel=1e-13)
    lost = 0.3 * rate + 0.2 * math.tanh(rate / 0.05)
    lossy = torque(loaded(description, joint_losses=True), [q, theta], [v, rate], [a, speeding])
    assert lossy == pytest.approx([link, motor + lost], rel=1e-13)


def test_rows_names_units_and_limits() -> None:
    links = [Link("base"), massive("a"), massive("b"), massive("c")]
    limits = Limits(-1.0, 2.0, 3.0, 4.0)
    joints = [
        joint("slide", JointKind.PRISMATIC, "base", "a", elastic=SPRING, limits=limits),
        joint("turn", JointKind.REVOLUTE, "a", "b", elastic=SPRING),
        joint("wrist", JointKind.REVOLUTE, "b", "c", mimic=Mimic("turn", 2.0)),
    ]
    robot = loaded(described(links, joints))
    assert robot.coordinate_names == robot.velocity_names == ("slide", "slide.motor", "turn", "turn.motor")
    assert robot.coordinate_units == ("m", "m", "rad", "rad") and robot.velocity_units[:2] == ("m/s", "m/s")
    assert robot.body_names == ("a", "b", "c") and robot.frame_names == ("base", "a", "b", "c")
    assert [list(rows[:2]) for rows in (robot.limits.lower, robot.limits.upper)] == [[-1.0, -math.inf], [2.0, math.inf]]
    assert list(robot.limits.velocity[:2]) == [3.0, math.inf] and list(robot.limits.effort[:2]) == [math.inf, 4.0]
    assert [cluster.velocity_rows for cluster in robot.model.clusters] == [(0,), (1,), (2,), (3,)]
    q, _ = robot.random_state(np.random.default_rng(4))
    assert 0.0 < abs(q[0] - q[1]) <= 0.1 and 0.0 < abs(q[2] - q[3]) <= 0.1
    dv = np.array([0.1, 0.2, 0.3, 0.4])
    assert robot.neutral().tolist() == [0.0] * 4
    assert robot.difference(q, robot.integrate(q, dv)) == pytest.approx(dv)


@settings(max_examples=40)
@given(robots(max_joints=10), st.sampled_from(("pinocchio", "spatial")), st.integers(0, 2**32 - 1))
def test_a_driven_robot_is_the_rigid_one_and_forces_at_its_joints(
    description: RobotDescription, convention: str, seed: int
) -> None:
    robot, rigid = (loaded(item, convention=convention) for item in (description, stiffened(description)))
    rng = np.random.default_rng(seed)
    q, v = robot.random_state(rng)
    a = rng.standard_normal(robot.nv)
    motors = [row for row, name in enumerate(robot.velocity_names) if name.endswith(".motor")]
    held = [row for row, name in enumerate(robot.coordinate_names) if name.endswith(".motor")]
    expected = np.zeros(robot.nv)
    kept = np.delete(np.arange(robot.nv), motors)
    expected[kept] = torque(rigid, np.delete(q, held), np.delete(v, motors), np.delete(a, motors))
    for item in description.joints:
        terms, offset = (item.mimic.terms, item.mimic.offset) if item.mimic is not None else (((item.name, 1.0),), 0.0)
        if item.elastic is not None:
            K, D, rotor = item.elastic.stiffness, item.elastic.damping, item.elastic.actuator
            assert isinstance(K, float) and isinstance(D, float)
            row, place = robot.velocity_names.index(item.name), robot.coordinate_names.index(item.name)
            spring = K * (q[place] - q[place + 1]) + D * (v[row] - v[row + 1])
            expected[row : row + 2] += spring, armature(rotor) * a[row + 1] - spring
        elif item.actuator is not None:
            rate = sum(gain * a[robot.velocity_names.index(leader)] for leader, gain in terms)
            for leader, gain in terms:
                expected[robot.velocity_names.index(leader)] += gain * armature(item.actuator) * rate
        for spring in item.loads:
            assert isinstance(spring, Spring)
            own = offset + sum(gain * q[robot.coordinate_names.index(leader)] for leader, gain in terms)
            for leader, gain in terms:
                row = robot.velocity_names.index(leader)
                expected[row] += gain * spring.stiffness * (own - spring.rest)
    scale = max(1.0, float(np.abs(expected).max()))
    assert torque(robot, q, v, a) == pytest.approx(list(expected), rel=1e-12, abs=1e-12 * scale)


def armature(actuator: Actuator) -> float:
    """N^2 J of numbers."""
    values = actuator.armature, actuator.gear_ratio, actuator.rotor_inertia
    given, ratio, inertia = (float(value) if isinstance(value, float) else None for value in values)
    assert ratio is not None and inertia is not None
    return given if given is not None else ratio * ratio * inertia


@pytest.mark.parametrize("convention", ["pinocchio", "spatial"])
def test_locking_an_elastic_joint_takes_both_rows(convention: str) -> None:
    links = [massive("base"), massive("a"), massive("b")]
    joints = [
        joint(
            "soft", JointKind.REVOLUTE, "base", "a", (0.1, 0.2, 0.0), axis=X, elastic=SPRING, losses=Losses(1.0, 1.0)
        ),
        joint("free", JointKind.REVOLUTE, "a", "b", (0.3, 0.0, 0.1), axis=Y, actuator=GEAR),
    ]
    options = {"floating_base": True, "convention": convention, "joint_losses": True}
    whole = loaded(described(links, joints), **options)
    locked = loaded(described(links, joints), locked_joints={"soft": 0.7}, **options)
    assert locked.velocity_names[6:] == ("free",) and locked.coordinate_names[7:] == ("free",)
    rng = np.random.default_rng(3)
    q, v = whole.random_state(rng)
    a = rng.standard_normal(9)
    q[7:9] = 0.7
    v[6:8] = a[6:8] = 0.0
    rest = np.delete(np.array(torque(whole, q, v, a)), [6, 7])
    reached = torque(locked, np.delete(q, [7, 8]), np.delete(v, [6, 7]), np.delete(a, [6, 7]))
    assert reached == pytest.approx(list(rest), rel=1e-12)


RUNTIME = ["shoulder.rotor_inertia", "shoulder.gear_ratio", "elbow.stiffness", "elbow.spring_damping", "elbow.damping"]


@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
def test_run_time_drives_equal_baked_ones() -> None:
    baked = symdyn.load_example("elastic_arm", joint_losses=True)
    robot = symdyn.load_example("elastic_arm", joint_losses=True, runtime=RUNTIME)
    assert robot.model.slots.units == ("kg m^2", "1", "N m/rad", "N m s/rad", "N m s/rad")
    assert robot.runtime_defaults.tolist() == [6e-5, 100.0, 6000.0, 0.0, 0.0]
    state = ([0.3, -0.7, -0.6], [1.0, -0.5, 0.4], [0.8, 2.0, -1.5])
    assert torque(robot, *state, p=robot.runtime_defaults) == pytest.approx(torque(baked, *state), rel=1e-13)
    joints = {item.name: item for item in baked.description.joints}
    elastic = joints["elbow"].elastic
    assert elastic is not None
    changed = (
        replace(joints["shoulder"], actuator=Actuator(1e-4, -40.0)),
        replace(joints["elbow"], losses=Losses(0.9, 0.0), elastic=replace(elastic, stiffness=500.0, damping=3.0)),
    )
    other = loaded(replace(baked.description, joints=changed), joint_losses=True)
    given = [1e-4, -40.0, 500.0, 3.0, 0.9]
    assert torque(robot, *state, p=given) == pytest.approx(torque(other, *state), rel=1e-13)


def test_an_armature_may_be_asked_of_any_joint_and_rest_on_a_parameter() -> None:
    plain = single(JointKind.REVOLUTE, massive("body"))
    robot = loaded(plain, runtime=["j.armature"])
    (bare,) = torque(loaded(plain), [0.3], [0.8], [1.5])
    assert robot.runtime_defaults.tolist() == [0.0]
    assert torque(robot, [0.3], [0.8], [1.5], p=[0.25]) == pytest.approx([bare + 0.375], rel=1e-14)
    declared = replace(
        single(JointKind.REVOLUTE, massive("body"), actuator=Actuator(Expression("J"), 10.0)),
        parameters=(Parameter("J", 1e-3, "kg m^2", runtime=True),),
    )
    assert torque(loaded(declared), [0.3], [0.8], [1.5], p=[2e-3]) == pytest.approx([bare + 0.3], rel=1e-14)
    with pytest.raises(ModelError, match=r"'j.stiffness' is not a quantity.*j.armature"):
        loaded(plain, runtime=["j.stiffness"])


@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
@pytest.mark.parametrize(("runtime", "floating"), [([], True), (RUNTIME, False)])
@pytest.mark.parametrize(
    "share",
    [
        0,
        pytest.param(1, marks=[pytest.mark.slow, pytest.mark.every_case]),
        *(pytest.param(n, marks=pytest.mark.slow) for n in (2, 3)),
    ],
)
def test_every_function_agrees_in_both_layouts(runtime: list[str], floating: bool, share: int) -> None:
    """Float recursion == Program for whatever takes no options, on an arm with a spring; layouts in turn.

    One of the two robots meets a function at each change, the other one with the slow tests.
    """
    robot = symdyn.load_example("elastic_arm", runtime=runtime, joint_losses=True, floating_base=floating)
    rng = np.random.default_rng(11)
    plain = [entry for entry in CATALOGUE.values() if not {"prescribed", "order"} & set(entry.takes)]
    checked = [entry for entry in plain if entry.needs is None]
    for place, entry in list(enumerate(checked))[(floating + share) % 2 :: 2]:
        layout = ("unrolled", "rolled")[(place // 2 + share // 2) % 2]
        inputs = random_inputs(robot, entry.signature(robot.model, Request()), rng)
        reference = api.float_recursion(robot, entry.name)(inputs)
        (program,) = api.programs(robot, [entry.name], layout=layout)
        found = evaluate_program(program, FloatAlgebra(), inputs)
        for name, values in reference.items():
            assert all(np.isfinite(values)), (entry.name, name)
            assert relative_error(found[name], values) <= 1e-11, (entry.name, layout, name)


@settings(max_examples=20)
@given(robots(max_joints=8), st.sampled_from(("pinocchio", "spatial")), st.integers(0, 2**32 - 1))
def test_forces_at_rest_are_the_slope_of_potential_energy(
    description: RobotDescription, convention: str, seed: int
) -> None:
    robot = loaded(description, convention=convention)
    q, v = robot.random_state(np.random.default_rng(seed))
    v = v / max(1.0, float(np.linalg.norm(v)))
    energy = api.float_recursion(robot, "potential_energy")
    h = 1e-3
    steps = (-2, -1, 1, 2)
    u = {step: energy({"q": robot.integrate(q, step * h * v).tolist()})["energy"][0] for step in steps}
    slope = (8 * (u[1] - u[-1]) - (u[2] - u[-2])) / (12 * h)
    still = [0.0] * robot.nv
    assert slope == pytest.approx(v @ np.array(torque(robot, q, still, still)), rel=1e-8, abs=1e-7)


@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
def test_forward_dynamics_undoes_inverse_dynamics() -> None:
    robot = symdyn.load_example("elastic_arm", joint_losses=True, runtime=RUNTIME)
    rng = np.random.default_rng(5)
    q, v = robot.random_state(rng)
    a = rng.standard_normal(3)
    p = robot.runtime_defaults
    tau = torque(robot, q, v, a, p=p)
    forward = api.float_recursion(robot, "forward_dynamics")
    found = forward({"q": q.tolist(), "v": v.tolist(), "tau": tau, "p": p.tolist()})["a"]
    assert found == pytest.approx(list(a), rel=1e-10)
