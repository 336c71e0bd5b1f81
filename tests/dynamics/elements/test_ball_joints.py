"""Rotors and springs of ball joints: closed forms, the 50-digit truth for every function, and every layout."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support.agreement import asked, inputs_of, modules_agree, programs_agree, truth_agrees
from support.parts import OF_EVERY_ROBOT
from support.robots.small import X, Y, described, joint, loaded, massive, single

import symdyn
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.scalars.mpmath_real import MpmathAlgebra
from symdyn.algebra.spatial.logarithm import logarithm_slopes, rotation_logarithm
from symdyn.description.robot import Actuator, BallSpring, JointKind, Link, Losses, RobotDescription, Spring
from symdyn.description.yaml.write import write_yaml
from symdyn.errors import DescriptionError, ModelError
from symdyn.model.joints import SPHERICAL
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
LEAVES = ("ball.ball_spring.stiffness", "ball.armature")
STIFFNESS, ARMATURE = 7.0, 0.4
SLOW = (
    "inverse_dynamics_weighted_hessian",
    "forward_dynamics_weighted_hessian",
    *(f"{of}_dynamics_time_derivatives_partials" for of in ("inverse", "forward", "hybrid")),
    "state_jacobian",
    "implicit_jacobian",
)
"""Truths of these take seconds a state."""
CASES = [
    pytest.param(name, ("pinocchio", "mujoco")[place % 2], marks=[pytest.mark.slow] if name in SLOW else [])
    for place, name in enumerate(OF_EVERY_ROBOT)
]


def description(stiffness: float = STIFFNESS, armature: float = ARMATURE) -> RobotDescription:
    """A hinge, a ball with a spring and a rotor, and a slide behind it."""
    links = [Link("base"), *(massive(name) for name in ("a", "b", "c"))]
    return described(
        links,
        [
            joint("hinge", JointKind.REVOLUTE, "base", "a", axis=Y, actuator=Actuator(armature=0.1)),
            joint(
                "ball",
                JointKind.SPHERICAL,
                "a",
                "b",
                (0.3, 0.1, 0.0),
                actuator=Actuator(armature=armature),
                loads=(BallSpring(stiffness),),
                losses=Losses(0.3),
            ),
            joint("slide", JointKind.PRISMATIC, "b", "c", (0.0, 0.1, 0.2), axis=X),
        ],
    )


@cache
def robot(runtime: tuple[str, ...] = (), convention: str = "pinocchio") -> Robot:
    return loaded(description(), runtime=runtime, convention=convention, joint_losses=True)


def state(seed: int) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(seed)
    return (*robot().random_state(rng), rng.standard_normal(5))


def called(robot: Robot, function: str, asked: dict[str, Any] | None = None, **inputs: Any) -> dict[str, Array]:
    flat = {name: np.ravel(value).tolist() for name, value in inputs.items()}
    found = api.float_recursion(robot, function, **(asked or {}))(flat)
    return {name: np.array(values, dtype=float) for name, values in found.items()}


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-6, 0.1, 1.0, 2.0, 3.0, math.pi - 1e-9])
def test_the_logarithm_is_the_rotation_vector(angle: float) -> None:
    axis = np.array([2.0, -1.0, 3.0]) / math.sqrt(14.0)
    quaternion = [*(math.sin(angle / 2) * axis), math.cos(angle / 2)]
    for sign in (1.0, -1.0):  # both quaternions are of one rotation
        given = [sign * entry for entry in quaternion]
        found = np.array(rotation_logarithm(FloatAlgebra(), given), float)
        assert found == pytest.approx(angle * axis, rel=1e-15, abs=1e-15)
        exact = rotation_logarithm(MpmathAlgebra(), given)
        assert found == pytest.approx(np.array(exact, float), rel=1e-15, abs=1e-16)
        slopes = np.array(logarithm_slopes(FloatAlgebra(), given), float)
        assert slopes @ axis == pytest.approx(axis, rel=1e-14, abs=1e-14)  # a turn about the same axis adds to it
        step = 1e-5
        sides = [
            np.array(rotation_logarithm(FloatAlgebra(), SPHERICAL.integrate(np.array(given), way * unit)), float)
            for unit in np.eye(3)
            for way in (step, -step)
        ]
        if angle < 3.1:
            differences = [(ahead - behind) / (2 * step) for ahead, behind in zip(sides[::2], sides[1::2], strict=True)]
            assert slopes == pytest.approx(np.array(differences).T, abs=1e-8)


def test_a_rotor_adds_to_the_diagonal_and_nothing_else() -> None:
    """MuJoCo's armature: B a in each row, no moment of the velocity."""
    q, v, a = state(1)
    bare = loaded(description(armature=0.0), joint_losses=True)
    rows = [robot().velocity_names.index(f"ball.w{axis}") for axis in "xyz"]
    share = np.zeros(5)
    share[rows] = ARMATURE
    for name, added in {"inverse_dynamics": share * a, "mass_matrix": np.diag(share).ravel()}.items():
        inputs = {"q": q, "v": v, "a": a} if name == "inverse_dynamics" else {"q": q}
        (found,), (plain,) = (called(own, name, **inputs).values() for own in (robot(), bare))
        assert found - plain == pytest.approx(added, rel=1e-12, abs=1e-12)
    energies = [called(own, "kinetic_energy", q=q, v=v)["energy"][0] for own in (robot(), bare)]
    assert energies[0] - energies[1] == pytest.approx(ARMATURE * np.sum(v[rows] ** 2) / 2, rel=1e-12)


def test_a_turn_about_one_axis_is_that_of_a_hinge() -> None:
    ball, hinge = (
        loaded(single(kind, massive("body"), axis=Y, actuator=Actuator(armature=0.2), loads=(load,)))
        for kind, load in ((JointKind.SPHERICAL, BallSpring(5.0)), (JointKind.REVOLUTE, Spring(5.0)))
    )
    for angle in (0.0, 0.4, -2.9):
        turned = [0.0, math.sin(angle / 2), 0.0, math.cos(angle / 2)]
        found = called(ball, "inverse_dynamics", q=turned, v=[0, 0.7, 0], a=[0, 1.3, 0])["tau"]
        (expected,) = called(hinge, "inverse_dynamics", q=[angle], v=[0.7], a=[1.3])["tau"]
        assert found[1] == pytest.approx(expected, rel=1e-12, abs=1e-12)
        energies = [called(own, "potential_energy", q=q)["energy"][0] for own, q in ((ball, turned), (hinge, [angle]))]
        assert energies[0] == pytest.approx(energies[1], rel=1e-12, abs=1e-12)


def test_forward_dynamics_takes_the_force_off() -> None:
    q, v, a = state(2)
    tau = called(robot(), "inverse_dynamics", q=q, v=v, a=a)["tau"]
    assert called(robot(), "forward_dynamics", q=q, v=v, tau=tau)["a"] == pytest.approx(a, rel=1e-10)
    V = np.random.default_rng(2).standard_normal((5, 5))
    asked = {"order": 3}
    T = called(robot(), "inverse_dynamics_time_derivatives", asked, q=q, V=V)["tau"]
    back = called(robot(), "forward_dynamics_time_derivatives", asked, q=q, v=V[0], T=T)["A"]
    assert back == pytest.approx(V[1:].ravel(), rel=1e-8, abs=1e-8)


def test_time_derivatives_are_those_along_the_motion() -> None:
    """Sixth-order differences of tau along q(t) of constant rates, where nothing is turned and where it is far."""
    rates, zero = np.array([0.3, 0.5, -0.7, 0.4, 0.2]), np.zeros((4, 5))
    for start in (robot().neutral(), state(3)[0]):
        V = np.vstack([rates, zero])
        found = called(robot(), "inverse_dynamics_time_derivatives", {"order": 3}, q=start, V=V)["tau"].reshape(4, 5)
        step = 1e-2
        at = {
            k: called(robot(), "bias", q=robot().integrate(start, k * step * rates), v=rates)["tau"]
            for k in range(-3, 4)
        }
        first = (45 * (at[1] - at[-1]) - 9 * (at[2] - at[-2]) + (at[3] - at[-3])) / (60 * step)
        second = (270 * (at[1] + at[-1]) - 27 * (at[2] + at[-2]) + 2 * (at[3] + at[-3]) - 490 * at[0]) / (180 * step**2)
        assert found[0] == pytest.approx(at[0], rel=1e-12, abs=1e-12)
        assert found[1] == pytest.approx(first, rel=1e-8, abs=1e-8)
        assert found[2] == pytest.approx(second, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize(("function", "convention"), CASES)
def test_every_function_has_the_truth_and_so_have_its_loops(function: str, convention: str) -> None:
    own = robot(LEAVES, convention)
    options = asked(own, function, int(function not in SLOW))
    assert truth_agrees(own, function, inputs_of(own, function, **options), **options)
    programs_agree(own, function, ("rolled",), **options)


@pytest.mark.needs_cc
def test_compiled_and_python_code_agree_with_the_recursion() -> None:
    functions = ["inverse_dynamics", "forward_dynamics", "potential_energy", "inverse_dynamics_partials"]
    modules_agree(robot(LEAVES), functions, "rolled")


def test_run_time_numbers_equal_baked_ones() -> None:
    own = robot(LEAVES)
    assert own.model.slots.units == ("N m/rad", "kg m^2")
    q, v, a = state(6)
    other = loaded(description(70.0, 4.0), joint_losses=True)
    found = called(own, "inverse_dynamics", q=q, v=v, a=a, p=[70.0, 4.0])["tau"]
    assert found == pytest.approx(called(other, "inverse_dynamics", q=q, v=v, a=a)["tau"], rel=1e-13)


def test_a_locked_ball_loses_both() -> None:
    held = loaded(description(), locked_joints={"ball": [0.1, 0.2, 0.3, math.sqrt(0.86)]}, joint_losses=True)
    bare = loaded(description(0.0, 0.0), locked_joints={"ball": [0.1, 0.2, 0.3, math.sqrt(0.86)]}, joint_losses=True)
    inputs = {"q": [0.4, 0.2], "v": [0.5, 0.6], "a": [0.7, 0.8]}
    pairs = [called(own, "inverse_dynamics", **inputs)["tau"].tolist() for own in (held, bare)]
    assert pairs[0] == pairs[1]


def test_yaml_says_the_same() -> None:
    text = write_yaml(description())
    assert "ball_spring: {stiffness: 7.0}" in text
    assert symdyn.loads(text, "yaml", joint_losses=True).model == robot().model
    turned = robot().with_rotor("ball", armature=0.9)
    actuator = next(own.actuator for own in turned.description.joints if own.name == "ball")
    assert actuator == Actuator(armature=0.9)


def test_what_is_not_for_the_joint_is_refused() -> None:
    def with_ball(**more: Any) -> None:
        read = description()
        loaded(replace(read, joints=tuple(replace(own, **more) if own.name == "ball" else own for own in read.joints)))

    with pytest.raises(DescriptionError, match="'spring' is for joints with one coordinate"):
        with_ball(loads=(Spring(3.0),))
    with pytest.raises(DescriptionError, match=r"'ball_spring' is for ball joints \(spherical\); delete it"):
        loaded(single(JointKind.REVOLUTE, loads=(BallSpring(3.0),)))
    with pytest.raises(DescriptionError, match="'actuator' is for joints with one coordinate and for balls"):
        loaded(single(JointKind.PLANAR, actuator=Actuator(armature=1.0)))
    with pytest.raises(DescriptionError, match="stiffness is -3; it is at least 0"):
        with_ball(loads=(BallSpring(-3.0),))
    sprung = loaded(single(JointKind.SPHERICAL, loads=(BallSpring(3.0),)))
    with pytest.raises(ModelError, match="joint 'j' of robot 'bench' has a spring between its links"):
        api.programs(sprung, ["inverse_dynamics_time_derivatives"], order=1, formulation="spatial")
