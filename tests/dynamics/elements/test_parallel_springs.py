"""Springs between a joint's links: closed forms, the same robot with forces put in by hand, and every layout."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy
from numpy.typing import NDArray
from support.agreement import asked, modules_agree, programs_agree
from support.parts import OF_EVERY_ROBOT
from support.robots.kinds import ONE_COORDINATE
from support.robots.limbed import with_limbs
from support.robots.small import X, Y, described, joint, loaded, massive, point_mass, single, torque
from support.rotation import in_turn
from support.states import random_inputs, relative_error

import symdyn
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.description.quantities.expression import Expression
from symdyn.description.robot import Actuator, Elastic, JointKind, Link, Mimic, Parameter, RobotDescription, Spring
from symdyn.dynamics.elements.base import Gives
from symdyn.dynamics.elements.listed import ELEMENTS, element_sweeps
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.errors import ModelError
from symdyn.functions.catalogue import CATALOGUE
from symdyn.functions.request import Request
from symdyn.model.parameter_slots import leaf_names
from symdyn.plan.run import run_plan
from symdyn.robot.robot import Robot
from symdyn.tracing.lanes.limbs_in_lanes import limbs_in_lanes

Array = NDArray[np.float64]
LEAVES = ("lead.spring.stiffness", "follow.spring.rest", "soft.spring.stiffness", "soft.spring.rest")
GAIN, OFFSET = -2.0, 0.3
SPRINGS = {"lead": (30.0, 0.4), "follow": (5.0, 0.1), "soft": (7.0, -0.2), "screw": (11.0, 0.0)}


def description(sprung: bool = True) -> RobotDescription:
    """A leader, a follower that slides, an elastic joint and a screw; each has a spring between its links."""
    links = [Link("base"), *(massive(name) for name in ("a", "b", "c", "d"))]
    elastic = Elastic(100.0, 0.7, Actuator(armature=0.2))
    joints = [
        joint("lead", JointKind.REVOLUTE, "base", "a", axis=Y, actuator=Actuator(armature=0.1)),
        joint("follow", JointKind.PRISMATIC, "a", "b", (0.1, 0.2, 0.0), axis=X, mimic=Mimic("lead", GAIN, OFFSET)),
        joint("soft", JointKind.REVOLUTE, "b", "c", (0.3, 0.0, 0.1), axis=Y, elastic=elastic),
        joint("screw", JointKind.HELICAL, "c", "d", (0.0, 0.1, 0.2), axis=X, pitch=0.1),
    ]
    if sprung:
        joints = [replace(item, loads=(Spring(*SPRINGS[item.name]),)) for item in joints]
    return described(links, joints)


@cache
def arm(sprung: bool = True, runtime: tuple[str, ...] = ()) -> Robot:
    return loaded(description(sprung), runtime=runtime)


def spring_forces(q: Array) -> Array:
    """K (q - rest) of each joint in the rows of tau: lead with its follower, screw, soft, soft's motor."""
    robot, tau = arm(), np.zeros(4)
    for name, (stiffness, rest) in SPRINGS.items():
        row = robot.velocity_names.index("lead" if name == "follow" else name)
        gain, offset = (GAIN, OFFSET) if name == "follow" else (1.0, 0.0)
        tau[row] += gain * stiffness * (gain * q[row] + offset - rest)
    return tau


def state(seed: int) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(seed)
    return (*arm().random_state(rng), rng.standard_normal(4))


def called(robot: Robot, function: str, asked: dict[str, Any] | None = None, **inputs: Any) -> dict[str, Array]:
    flat = {name: np.ravel(value).tolist() for name, value in inputs.items()}
    found = api.float_recursion(robot, function, **(asked or {}))(flat)
    return {name: np.array(values, dtype=float) for name, values in found.items()}


@pytest.mark.parametrize("kind", ONE_COORDINATE)
def test_a_spring_adds_its_force_and_energy(kind: JointKind) -> None:
    pitch = 0.1 if kind is JointKind.HELICAL else 0.0
    bare, sprung = (loaded(single(kind, pitch=pitch, loads=loads)) for loads in ((), (Spring(20.0, 0.7),)))
    (without,), (found,) = (torque(robot, [0.3], [0.8], [1.5]) for robot in (bare, sprung))
    assert found - without == pytest.approx(20.0 * (0.3 - 0.7), rel=1e-12)
    energies = [called(robot, "potential_energy", q=[0.3])["energy"][0] for robot in (bare, sprung)]
    assert energies[1] - energies[0] == pytest.approx(20.0 * 0.16 / 2, rel=1e-12)


def test_a_pendulum_swings_about_where_its_spring_and_its_weight_balance() -> None:
    """m l^2 q'' + m g l sin q + K (q - q0) = 0"""
    m, length, K, rest = 2.0, 0.5, 30.0, 0.8
    robot = loaded(
        single(JointKind.REVOLUTE, point_mass("body", m, (0.0, 0.0, -length)), axis=Y, loads=(Spring(K, rest),))
    )
    q = rest
    for _ in range(60):  # Newton's method on the closed form
        slope = m * 9.81 * length * math.cos(q) + K
        q -= (m * 9.81 * length * math.sin(q) + K * (q - rest)) / slope
    assert called(robot, "forward_dynamics", q=[q], v=[0.0], tau=[0.0])["a"][0] == pytest.approx(0.0, abs=1e-13)
    swung = called(robot, "forward_dynamics", q=[q + 0.1], v=[3.0], tau=[0.4])["a"][0]
    moment = 0.4 - m * 9.81 * length * math.sin(q + 0.1) - K * (q + 0.1 - rest)
    assert swung == pytest.approx(moment / (m * length * length), rel=1e-12)
    partials = called(robot, "forward_dynamics_partials", q=[q], v=[0.0], tau=[0.0])
    assert partials["da_dq"][0] == pytest.approx(-slope / (m * length * length), rel=1e-12)


@pytest.mark.parametrize("function", ["inverse_dynamics", "bias"])
def test_every_joint_takes_its_own_coordinate(function: str) -> None:
    q, v, a = state(1)
    inputs = {"q": q, "v": v} | ({"a": a} if function == "inverse_dynamics" else {})
    with_springs, without = (called(robot, function, **inputs)["tau"] for robot in (arm(), arm(False)))
    assert with_springs - without == pytest.approx(spring_forces(q), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("function", ["gravity", "coriolis_matrix", "mass_matrix", "inverse_dynamics_regressor"])
def test_springs_are_no_weight_and_no_inertia(function: str) -> None:
    q, v, a = state(2)
    names = {argument.name for argument in CATALOGUE[function].signature(arm().model, Request()).inputs}
    inputs = {name: value for name, value in {"q": q, "v": v, "a": a}.items() if name in names}
    (found,), (expected,) = (called(robot, function, **inputs).values() for robot in (arm(), arm(False)))
    assert found.tolist() == expected.tolist()


def test_forward_and_hybrid_dynamics_take_the_force_off() -> None:
    q, v, a = state(3)
    tau = called(arm(), "inverse_dynamics", q=q, v=v, a=a)["tau"]
    assert called(arm(), "forward_dynamics", q=q, v=v, tau=tau)["a"] == pytest.approx(a, rel=1e-9)
    for prescribed in ([0], [2], [0, 1, 3]):
        asked = {"prescribed": tuple(arm().velocity_names[row] for row in prescribed)}
        u = np.where(np.isin(np.arange(4), prescribed), a, tau)
        found = called(arm(), "hybrid_dynamics", asked, q=q, v=v, u=u)["w"]
        assert found == pytest.approx(np.where(np.isin(np.arange(4), prescribed), tau, a), rel=1e-9)


def test_slopes_lie_on_the_diagonal() -> None:
    q, v, a = state(4)
    names = ("dtau_dq", "dtau_dv", "dtau_da")
    found, plain = (called(robot, "inverse_dynamics_partials", q=q, v=v, a=a) for robot in (arm(), arm(False)))
    added = [(found[name] - plain[name]).reshape(4, 4) for name in names]
    step = 0.5
    slopes = [(spring_forces(q + step * unit) - spring_forces(q)) / step for unit in np.eye(4)]
    assert added[0] == pytest.approx(np.array(slopes).T, rel=1e-10, abs=1e-10)
    assert not added[1].any() and not added[2].any()


@pytest.mark.parametrize("order", [0, 3])
def test_time_derivatives_of_the_force(order: int) -> None:
    q, rng = state(5)[0], np.random.default_rng(5)
    V, asked = rng.standard_normal((order + 2, 4)), {"order": order}
    function = "inverse_dynamics_time_derivatives"
    found, plain = (called(robot, function, asked, q=q, V=V)["tau"].reshape(-1, 4) for robot in (arm(), arm(False)))
    expected = [spring_forces(q), *(spring_forces(rates) - spring_forces(np.zeros(4)) for rates in V[:order])]
    assert found - plain == pytest.approx(np.array(expected), rel=1e-10, abs=1e-10)
    back = called(arm(), "forward_dynamics_time_derivatives", asked, q=q, v=V[0], T=found)["A"]
    assert back == pytest.approx(np.ravel(V[1:]), rel=1e-8, abs=1e-8)
    half = np.arange(4) % 2 == 0
    mixed = called(
        arm(),
        "hybrid_dynamics_time_derivatives",
        {**asked, "prescribed": tuple(np.array(arm().velocity_names)[half])},
        q=q,
        v=V[0],
        U=np.where(half, V[1:], found),
    )["W"]
    assert mixed == pytest.approx(np.ravel(np.where(half, found, V[1:])), rel=1e-8, abs=1e-8)


def test_the_motor_behind_its_own_spring_pulls_against_the_parallel_one() -> None:
    """On an elastic joint K_spring (q - rest) is part of what the joint's own spring transmits."""
    undamped = replace(description(), joints=tuple(_undamped(item) for item in description().joints))
    robot, q, V = loaded(undamped), np.array([0.2, 0.5, 0.1]), np.zeros((4, 3))
    found = called(robot, "elastic_joint_inverse_dynamics_time_derivatives", {"order": 0}, q=q, V=V)
    row = [name for name in robot.velocity_names if name != "soft.motor"].index("soft")
    bare = loaded(replace(undamped, joints=tuple(replace(item, loads=()) for item in undamped.joints)))
    plain = called(bare, "elastic_joint_inverse_dynamics_time_derivatives", {"order": 0}, q=q, V=V)
    force = 7.0 * (q[row] + 0.2)
    assert found["tau_link"][row] - plain["tau_link"][row] == pytest.approx(force, rel=1e-11)
    assert found["theta"][0] - plain["theta"][0] == pytest.approx(force / 100.0, rel=1e-11)


def _undamped(item: Any) -> Any:
    return item if item.elastic is None else replace(item, elastic=replace(item.elastic, damping=0.0))


def test_run_time_springs_equal_baked_ones() -> None:
    robot = arm(runtime=LEAVES)
    assert robot.model.slots.units == ("N m/rad", "m", "N m/rad", "rad")
    assert robot.runtime_defaults.tolist() == [30.0, 0.1, 7.0, -0.2]
    q, v, a = state(6)
    assert torque(robot, q, v, a, p=robot.runtime_defaults) == pytest.approx(torque(arm(), q, v, a), rel=1e-13)
    p, changed = [3.0, 0.9, 70.0, 0.2], {"lead": (3.0, 0.4), "follow": (5.0, 0.9), "soft": (70.0, 0.2)}
    joints = (
        replace(item, loads=(Spring(*changed.get(item.name, SPRINGS[item.name])),)) for item in description().joints
    )
    other = loaded(replace(description(), joints=tuple(joints)))
    assert torque(robot, q, v, a, p=p) == pytest.approx(torque(other, q, v, a), rel=1e-13)
    slopes = called(robot, "inverse_dynamics_partials", q=q, v=v, a=a, p=p)["dtau_dp"].reshape(4, 4)
    names = robot.velocity_names
    expected = np.zeros((4, 4))
    expected[names.index("lead"), :2] = q[names.index("lead")] - 0.4, -5.0 * GAIN
    expected[names.index("soft"), 2:] = q[names.index("soft")] - 0.2, -70.0
    assert slopes == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_names_of_springs_are_those_of_joints_that_have_one() -> None:
    own = {leaf for leaf in leaf_names(description()) if ".spring." in leaf}
    assert own == {f"{name}.spring.{part}" for name in SPRINGS for part in ("stiffness", "rest")}
    assert not any(".spring." in leaf for leaf in leaf_names(description(False)))
    with pytest.raises(ModelError, match=r"'lead.spring.rest' is not a quantity"):
        arm(False, ("lead.spring.rest",))


def test_expressions_over_run_time_parameters() -> None:
    declared = replace(
        single(JointKind.REVOLUTE, massive("body"), loads=(Spring(Expression("2*k"), Expression("k/10")),)),
        parameters=(Parameter("k", 4.0, "N m/rad", runtime=True),),
    )
    (bare,) = torque(loaded(single(JointKind.REVOLUTE, massive("body"))), [0.3], [0.8], [1.5])
    assert torque(loaded(declared), [0.3], [0.8], [1.5], p=[6.0]) == pytest.approx([bare + 12.0 * (0.3 - 0.6)])


def test_a_spring_of_no_stiffness_is_none() -> None:
    slack = loaded(single(JointKind.REVOLUTE, massive("body"), loads=(Spring(0.0, 0.7),)))
    (program,), (plain,) = (
        api.programs(robot, ["inverse_dynamics"]) for robot in (slack, loaded(single(JointKind.REVOLUTE)))
    )
    assert len(program.tapes[0].ops) == len(plain.tapes[0].ops)
    asked = loaded(slack.description, runtime=["j.spring.stiffness"])
    (without,) = torque(slack, [0.3], [0.0], [0.0])
    assert torque(asked, [0.3], [0.0], [0.0], p=[10.0]) == pytest.approx([without - 4.0])


@pytest.mark.parametrize(("locked", "gone"), [({"lead": 0.3}, {"lead"}), ({"soft": 0.1}, {"soft", "soft.motor"})])
def test_a_locked_joint_loses_its_spring(locked: dict[str, float], gone: set[str]) -> None:
    """The follower of a locked joint is locked too."""
    robot, whole = loaded(description(), locked_joints=locked), arm()
    kept = [row for row, name in enumerate(whole.velocity_names) if name not in gone]
    assert robot.velocity_names == tuple(whole.velocity_names[row] for row in kept)
    q, v, a = state(7)
    ((name, place),) = locked.items()
    for row in set(range(4)) - set(kept):
        q[row], v[row], a[row] = place, 0.0, 0.0
    rest = np.array(torque(whole, q, v, a))[kept]
    assert torque(robot, q[kept], v[kept], a[kept]) == pytest.approx(list(rest), rel=1e-11)
    energy = called(robot, "potential_energy", q=q[kept])["energy"][0]
    bare = loaded(description(False), locked_joints=locked)
    held = {name} | ({"follow"} if name == "lead" else set())
    own = {other: q[whole.coordinate_names.index(other)] for other in SPRINGS if other in whole.coordinate_names}
    own["follow"] = GAIN * own["lead"] + OFFSET
    stored = sum(K * (own[other] - place) ** 2 / 2 for other, (K, place) in SPRINGS.items() if other not in held)
    assert energy - called(bare, "potential_energy", q=q[kept])["energy"][0] == pytest.approx(stored, rel=1e-11)


@pytest.mark.parametrize(("function", "layout"), in_turn(sorted(OF_EVERY_ROBOT), ("split", "rolled")))
def test_every_function_agrees_in_every_layout(function: str, layout: str) -> None:
    robot = arm(runtime=LEAVES)
    options = asked(robot, function)
    programs_agree(robot, function, (layout,), **options)


@pytest.mark.needs_cc
def test_compiled_and_python_code_agree_with_the_recursion() -> None:
    functions = ["inverse_dynamics", "forward_dynamics", "potential_energy", "inverse_dynamics_partials"]
    modules_agree(arm(runtime=LEAVES), functions, "rolled")


def test_springs_of_limbs_go_into_lanes() -> None:
    made = with_limbs([0, 1], [JointKind.REVOLUTE, JointKind.PRISMATIC], 3, seed=4)
    joints = (replace(item, loads=(Spring(5.0 + row, 0.1 * row),)) for row, item in enumerate(made.joints))
    robot = loaded(replace(made, joints=tuple(joints)))
    for function in ("inverse_dynamics", "forward_dynamics", "potential_energy"):
        entry = CATALOGUE[function]
        inputs = random_inputs(robot, entry.signature(robot.model, Request()), np.random.default_rng(13))
        plan = entry.plan(robot.model, Request())
        laned = limbs_in_lanes(plan)
        assert laned is not None
        springs = [sweep for sweep in laned.sweeps if sweep.step.name.startswith("parallel_spring")]
        assert springs and all(visit.lanes == 3 for sweep in springs for visit in sweep.visits), function
        (expected,), (found,) = (run_plan(item, FloatAlgebra(), inputs).values() for item in (plan, laned))
        assert relative_error(found, expected) <= 1e-11, function


def test_the_closed_form_has_the_spring() -> None:
    robot = loaded(
        single(JointKind.PRISMATIC, massive("body"), axis=X, loads=(Spring(3.0),)),
        runtime=["j.spring.stiffness", "j.spring.rest", "body.mass"],
    )
    K, rest, mass, q, a = (
        sympy.Symbol(name, real=True) for name in ("j.spring.stiffness", "j.spring.rest", "body.mass", "q_j", "a_j")
    )
    (form,) = symdyn.closed_form(robot, "inverse_dynamics")
    assert sympy.expand(form - (mass * a + K * (q - rest))) == 0
    (energy,) = symdyn.closed_form(robot, "potential_energy")
    assert sympy.expand(sympy.diff(energy, q) - K * (q - rest)) == 0


def test_the_spatial_formulation_refuses_it() -> None:
    robot = loaded(single(JointKind.REVOLUTE, loads=(Spring(3.0),)))
    with pytest.raises(ModelError, match="joint 'j' of robot 'bench' has a spring between its links"):
        api.programs(robot, ["inverse_dynamics_time_derivatives"], order=1, formulation="spatial")


def test_elements_give_energy_only_with_the_force_that_is_its_slope() -> None:
    assert len({element.name for element in ELEMENTS}) == len(ELEMENTS)
    for element in ELEMENTS:
        assert element.gives, element.name
        slopes = Gives.WRENCH in element.gives or {Gives.FORCE, Gives.ELASTIC} <= set(element.gives)
        assert Gives.ENERGY not in element.gives or slopes, element.name
    tree = TreePlan(arm().model)
    steps = {what: [sweep.step.name for sweep in element_sweeps(tree, "x", what)] for what in Gives}
    assert steps == {
        Gives.WRENCH: [],
        Gives.REACTION: ["rotor_force"],
        Gives.FORCE: ["spring_force", "parallel_spring_force"],
        Gives.ELASTIC: ["spring_force", "parallel_spring_force"],
        Gives.LOSS: ["spring_force"],
        Gives.ENERGY: ["spring_energy", "parallel_spring_energy"],
        Gives.SLOPE_BY_Q: ["spring_slope", "parallel_spring_slope"],
        Gives.SLOPE_BY_V: ["spring_slope"],
    }
    plain = TreePlan(loaded(single(JointKind.REVOLUTE)).model)
    assert not any(element_sweeps(plain, "x", what) for what in Gives)
