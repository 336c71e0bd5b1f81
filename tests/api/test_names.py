"""States by names, parts of a robot by names, and names of other libraries."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdyn
import symdyn.statics
from symdyn.errors import ArgumentError, RequestError


def test_a_state_by_names_is_the_neutral_one_elsewhere() -> None:
    robot = symdyn.load_example("aerial_manipulator")
    base = [0.1, 0.2, 0.3, 0.0, 0.0, 0.6, 0.8]
    name = next(iter(robot.joints))
    q, v = robot.state({"root": base, name: 0.5}, v={name: 2.0})
    expected, rows = robot.neutral(), robot.coordinate_names
    expected[:7], expected[rows.index(name)] = base, 0.5
    assert np.array_equal(q, expected)
    assert dict(zip(robot.velocity_names, v, strict=True)) == dict.fromkeys(robot.velocity_names, 0.0) | {name: 2.0}
    assert np.array_equal(robot.integrate(q, 0.0 * v), expected)


def test_motors_behind_springs_follow_their_joints() -> None:
    robot = symdyn.load_example("elastic_arm")
    q, _ = robot.state(elbow=0.5)
    assert {name: value for name, value in zip(robot.coordinate_names, q, strict=True) if value} == {
        "elbow": 0.5,
        "elbow.motor": 0.5,
    }


def test_unknown_names_and_wrong_counts_are_refused() -> None:
    robot = symdyn.load_example("aerial_manipulator")
    with pytest.raises(RequestError, match="did you mean 'arm_1_joint_1'"):
        robot.state(arm_1_joint1=0.5)
    with pytest.raises(RequestError, match="root: expected 7 numbers, got 3"):
        robot.state(root=[0.0, 0.0, 1.0])
    with pytest.raises(RequestError, match="q arm_1_joint_1: expected real numbers, got 'bent'"):
        robot.state(arm_1_joint_1="bent")
    with pytest.raises(RequestError, match=r"v: expected values by names such as \{'elbow': 0.5\}, got 2.0"):
        robot.state(v=2.0)  # type: ignore[arg-type]


def test_motions_begin_and_are_read_by_names() -> None:
    robot = symdyn.load_example("double_pendulum")
    by_names = symdyn.simulate(robot, q={"elbow": 0.5}, v={"shoulder": 1.0}, t=0.05)
    by_rows = symdyn.simulate(robot, q=[0.0, 0.5], v=[1.0, 0.0], t=0.05)
    assert np.array_equal(by_names.q, by_rows.q)
    assert np.array_equal(by_names["elbow"], by_rows.q[:, 1])
    with pytest.raises(RequestError, match="no coordinate 'elbo'; did you mean 'elbow'"):
        by_names["elbo"]
    flying = symdyn.load_example("aerial_manipulator")
    free = symdyn.simulate(flying, v={"root": [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]}, t=0.01)
    assert free["root"].shape == (len(free.t), 7)


def test_joints_links_and_frames_are_those_of_the_file() -> None:
    robot = symdyn.load_example("aerial_manipulator")
    joint = robot.joints["arm_1_joint_1"]
    assert (joint.parent, joint.child) == ("base", "arm_1_link_1")
    assert robot.links["base"].inertial is not None
    assert robot.frame("arm_1_tip").placement.translation == (0.0, 0.0, -0.12)
    assert robot.frame("base").link == "base"
    with pytest.raises(RequestError, match="did you mean 'arm_1_tip'"):
        robot.frame("arm_1_tipp")


def test_a_robot_finds_its_poses() -> None:
    robot = symdyn.load_example("seven_dof_arm")
    q, _ = robot.random_state(3)
    frame = robot.frame_names[-1]
    pose = symdyn.compile(robot, ["forward_kinematics"], target="python").forward_kinematics(q)[-1]
    found = robot.inverse_kinematics({frame: pose}, q0=q)
    assert np.abs(found.q - q).max() < 1e-9
    assert np.array_equal(found.q, symdyn.inverse_kinematics(robot, {frame: pose}, q0=q).q)


@pytest.mark.parametrize(("word", "meant"), [("time", "t"), ("qpos", "q"), ("dt", "h"), ("max_stp", "max_step")])
def test_unknown_keywords_name_the_right_one(word: str, meant: str) -> None:
    with pytest.raises(ArgumentError, match=f"no argument '{word}'; .*did you mean '{meant}'"):
        symdyn.simulate("double_pendulum", **{word: 1.0})  # type: ignore[arg-type]


def test_modules_know_what_other_libraries_call_their_functions() -> None:
    module = symdyn.compile(symdyn.load_example("pendulum"), ["inverse_dynamics"], target="python")
    with pytest.raises(AttributeError, match="'rnea' is called 'inverse_dynamics' here"):
        _ = module.rnea
    assert not hasattr(module, "crba")


def test_keywords_behind_the_public_name_are_known() -> None:
    robot = symdyn.load_example("pendulum")
    assert symdyn.equilibrium(robot, prescribed=["swing"], q0=[0.5]).q[0] == 0.5
    with pytest.raises(ArgumentError, match=r"no argument 'prescribe'; .*did you mean 'prescribed'"):
        symdyn.equilibrium(robot, prescribe=["swing"])
    with pytest.raises(ArgumentError, match=r"no argument 'seeds'; .*did you mean 'seed'"):
        symdyn.inverse_kinematics(robot, {}, seeds=1)


_PUBLIC = [
    own
    for module in (symdyn, symdyn.statics)
    for own in (getattr(module, name) for name in module.__all__)
    if inspect.isfunction(own)
]


@pytest.mark.parametrize("function", _PUBLIC, ids=lambda function: f"{function.__module__}.{function.__name__}")
def test_every_public_function_names_a_keyword_that_it_lacks(function: Callable[..., Any]) -> None:
    needed = [own for own in inspect.signature(function).parameters.values() if own.default is own.empty]
    given = {own.name: "pendulum" for own in needed if own.kind is not own.VAR_KEYWORD}
    with pytest.raises(ArgumentError, match=r"has no argument 'frobnicated'; it takes [a-z_]+"):
        function(**given, frobnicated=1)


def test_keywords_of_options_are_known_by_all_that_take_them() -> None:
    with pytest.raises(ArgumentError, match=r"^load has no argument 'lock_joints'; .*did you mean 'locked_joints'"):
        symdyn.load("arm.urdf", lock_joints={})  # type: ignore[call-arg]
    with pytest.raises(ArgumentError, match=r"^load_example .*'lock_joints'; .*did you mean 'locked_joints'"):
        symdyn.load_example("pendulum", lock_joints={})
    with pytest.raises(ArgumentError, match=r"^loads .*'float_base'; .*did you mean 'floating_base'"):
        symdyn.loads("", "urdf", float_base=True)  # type: ignore[call-arg]
    with pytest.raises(ArgumentError, match=r"^compile .*'external_wrench'; .*did you mean 'external_wrenches'"):
        symdyn.compile("pendulum", ["bias"], external_wrench="world")  # type: ignore[call-arg]
    with pytest.raises(ArgumentError, match=r"^symbolic .*'ordre'; .*did you mean 'order'"):
        symdyn.symbolic("pendulum", "bias", ordre=1)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("mass_matrix", r"functions=\['mass_matrix', ..\]$"),
        ("joint_space_inertia", r"functions=\['mass_matrix', ..\]; 'joint_space_inertia' is called 'mass_matrix' here"),
        (
            "computeRNEADerivatives",
            r"functions=\['inverse_dynamics_partials', ..\]; 'computeRNEADerivatives' is called",
        ),
        ("getFrameJacobian", r"functions=\['jacobians', ..\]"),
        ("mas_matrix", r"when compiling; did you mean 'mass_matrix'\?"),
        ("ik", r"solvers=\['inverse_kinematics'\]$"),
        ("unheard_of", r"Ask for more functions when compiling$"),
    ],
)
def test_modules_name_functions_that_they_do_not_have(asked: str, told: str) -> None:
    module = symdyn.compile(symdyn.load_example("pendulum"), ["inverse_dynamics"], target="python")
    with pytest.raises(AttributeError, match=told):
        getattr(module, asked)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("dof", r"'dof'; write robot\.nv$"),
        ("joint_names", r"write list\(robot\.joints\)$"),
        ("rnea", r"'inverse_dynamics' is a function of modules: symdyn\.compile\(robot, \['inverse_dynamics'\]\)"),
        ("unheard_of", r"has no attribute 'unheard_of'$"),
    ],
)
def test_robots_say_what_others_call_their_attributes(asked: str, told: str) -> None:
    robot = symdyn.load_example("pendulum")
    with pytest.raises(AttributeError, match=told):
        getattr(robot, asked)
    assert pickle.loads(pickle.dumps(robot)).nv == 1


def test_joints_links_and_frames_that_do_not_exist_are_told_with_those_that_do() -> None:
    robot = symdyn.load_example("double_pendulum")
    with pytest.raises(KeyError, match=r"^joint of .*'elbo' does not exist; there are shoulder, elbow; .*mean 'elbow'"):
        robot.joints["elbo"]
    assert robot.links.get("elbo") is None and pickle.loads(pickle.dumps(robot.joints)) == robot.joints
    with pytest.raises(symdyn.SymdynError, match=r"frame 'tool0' .*there are .*tip"):
        robot.frame("tool0")


@pytest.mark.needs_cc
def test_wrenches_are_given_by_bodies() -> None:
    """A horizontal force turns the lower link of the double pendulum as the same row of an array does."""
    robot = symdyn.load_example("double_pendulum")
    named = symdyn.equilibrium(robot, f_ext={"lower": [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]})
    listed = symdyn.equilibrium(robot, f_ext=[[0.0] * 6, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]])
    assert (named.q == listed.q).all() and named["shoulder"] != 0.0
    with pytest.raises(symdyn.SymdynError, match="body 'lowr' does not exist; there are upper, lower; did you mean"):
        symdyn.equilibrium(robot, f_ext={"lowr": [0.0] * 6})
