"""The robots of the benchmarks, as symdyn and as Pinocchio see them, and the same states for both."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

import symdyn
from symdyn.description.robot import Joint, JointKind, Link, Placement, RobotDescription

Array = NDArray[np.float64]
STATES = 64


@dataclass(frozen=True, slots=True)
class BenchmarkRobot:
    """A URDF of example-robot-data (``source`` is its path below robots/) or a shipped example (``source`` empty)."""

    name: str
    source: str = ""
    floating: bool = False
    locked: Mapping[str, float] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)


ROBOTS = {
    robot.name: robot
    for robot in (
        BenchmarkRobot("ur5", "ur_description/urdf/ur5_robot.urdf"),
        BenchmarkRobot("xarm7", "xarm_description/urdf/xarm7.urdf"),
        BenchmarkRobot(
            "panda7",
            "panda_description/urdf/panda.urdf",
            locked={"panda_finger_joint1": 0.0},
        ),
        BenchmarkRobot("solo12", "solo_description/robots/solo12.urdf", floating=True),
        BenchmarkRobot("anymal", "anymal_b_simple_description/robots/anymal.urdf", floating=True),
        BenchmarkRobot("allegro", "allegro_hand_description/urdf/allegro_right_hand.urdf"),
        BenchmarkRobot("talos_reduced", "talos_data/robots/talos_reduced.urdf", floating=True),
        BenchmarkRobot("aerial_manipulator", floating=True),
    )
}


def data_file(relative: str) -> Path:
    """A file below robots/ of the installed example-robot-data."""
    files = importlib.metadata.files("example-robot-data") or []
    found = next((file for file in files if str(file).endswith(f"/robots/{relative}")), None)
    if found is None:
        raise FileNotFoundError(f"example-robot-data holds no robots/{relative}; install the extra 'peers'")
    return Path(str(found.locate()))


def symdyn_robot(robot: BenchmarkRobot) -> symdyn.Robot:
    """The robot as symdyn loads it."""
    if robot.source:
        return symdyn.load(data_file(robot.source), floating_base=robot.floating, locked_joints=robot.locked)
    return symdyn.load_example(robot.name, **robot.sizes)


def pinocchio_model(robot: BenchmarkRobot) -> Any:
    """The robot as Pinocchio's own URDF reader loads it, or built joint by joint for a shipped example."""
    if not robot.source:
        return model_of(symdyn_robot(robot).description)
    path = str(data_file(robot.source))
    model = pin.buildModelFromUrdf(path, pin.JointModelFreeFlyer()) if robot.floating else pin.buildModelFromUrdf(path)
    if robot.locked:
        followers = [name for name in model.names if name.startswith("panda_finger")]
        model = pin.buildReducedModel(model, [model.getJointId(name) for name in followers], pin.neutral(model))
    return model


def model_of(description: RobotDescription) -> Any:
    """A Pinocchio model of a floating tree of turning joints."""
    model = pin.Model()
    model.name = description.name
    links = {link.name: link for link in description.links}
    base = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root")
    model.appendBodyToJoint(base, _inertia(links[description.root]), pin.SE3.Identity())
    index = {description.root: base}
    children: dict[str, list[Joint]] = {}
    for joint in sorted(description.joints, key=lambda joint: joint.name.encode(), reverse=True):
        children.setdefault(joint.parent, []).append(joint)
    model.addFrame(pin.Frame(description.root, base, 0, pin.SE3.Identity(), pin.BODY))
    pending = list(children.get(description.root, ()))
    while pending:
        joint = pending.pop()
        assert joint.kind in (JointKind.REVOLUTE, JointKind.CONTINUOUS), joint.kind
        place, turning = _place(joint.placement), _turning(np.array(joint.axis))
        made = model.addJoint(index[joint.parent], turning, place, joint.name)
        model.appendBodyToJoint(made, _inertia(links[joint.child]), pin.SE3.Identity())
        model.addFrame(pin.Frame(joint.child, made, 0, pin.SE3.Identity(), pin.BODY))
        index[joint.child] = made
        pending.extend(children.get(joint.child, ()))
    for frame in description.frames:
        model.addFrame(pin.Frame(frame.name, index[frame.link], 0, _place(frame.placement), pin.BODY))
    return model


def _place(placement: Placement) -> Any:
    return pin.SE3(np.array(placement.rotation), np.array(placement.translation, dtype=float))


def _turning(axis: Array) -> Any:
    aligned = (pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ)
    for unit, kind in zip(np.eye(3), aligned, strict=True):
        if np.array_equal(axis, unit):
            return kind()
    return pin.JointModelRevoluteUnaligned(axis)


def _inertia(link: Link) -> Any:
    inertial = link.inertial
    if inertial is None:
        return pin.Inertia.Zero()
    xx, xy, xz, yy, yz, zz = inertial.moments
    turned = np.array(inertial.placement.rotation)
    moments = turned @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], dtype=float) @ turned.T
    return pin.Inertia(float(str(inertial.mass)), np.array(inertial.placement.translation, dtype=float), moments)


@dataclass(frozen=True, slots=True)
class RobotStates:
    """The same states in both orders: rows of (q, v, a), and how to bring Pinocchio's tau into symdyn's order.

    ``frames`` names the robot's frames in symdyn's order; both know them by the names of their links.
    """

    symdyn: Array
    pinocchio: Array
    tau_rows: list[int]
    frames: tuple[str, ...]


def random_states(robot: symdyn.Robot, model: Any, seed: int = 1) -> RobotStates:
    """Random states, matched by joint name. Every joint of the model has one coordinate or is free."""
    rng = np.random.default_rng(seed)
    first_q, first_v = {}, {}
    for index, name in enumerate(model.names[1:], 1):
        label = "root" if model.joints[index].nq == 7 else name
        first_q[label], first_v[label] = model.joints[index].idx_q, model.joints[index].idx_v
    q_rows = _matched(robot.coordinate_names, first_q)
    v_rows = _matched(robot.velocity_names, first_v)
    q = np.array([pin.randomConfiguration(model, -np.ones(model.nq), np.ones(model.nq)) for _ in range(STATES)])
    q = np.where(np.isin(np.arange(model.nq), _quaternion(first_q)), q, rng.uniform(-1, 1, q.shape))
    v, a = rng.uniform(-1, 1, (2, STATES, model.nv))
    return RobotStates(
        np.hstack([q[:, q_rows], v[:, v_rows], a[:, v_rows]]), np.hstack([q, v, a]), v_rows, robot.frame_names
    )


def _quaternion(first_q: Mapping[str, int]) -> list[int]:
    return [first_q["root"] + row for row in range(3, 7)] if "root" in first_q else []


def _matched(names: tuple[str, ...], first: Mapping[str, int]) -> list[int]:
    """Rows of Pinocchio's vector in symdyn's order; a free joint's rows are in the same order in both."""
    rows, inside = [], 0
    for name in names:
        if name.startswith("root.") and "root" in first:
            rows.append(first["root"] + inside)
            inside += 1
        else:
            rows.append(first[name])
    return rows


def model_text(model: Any, frames: Sequence[str]) -> str:
    """The model and its frames in the form that pinocchio_model.hpp reads."""
    lines = [f"{_numbers(model.gravity.linear)} {model.njoints - 1}"]
    motion = model.createData().joints
    for index in range(1, model.njoints):
        joint, inertia = model.joints[index], model.inertias[index]
        kind, axis = joint_axis(joint, motion[index])
        lines.append(
            f"{model.parents[index]} {kind} {_numbers(axis)} {_pose(model.jointPlacements[index])} "
            f"{float(inertia.mass)!r} {_numbers(inertia.lever)} {_numbers(inertia.inertia)}"
        )
    for frame in (model.frames[frame_index(model, name)] for name in frames):
        lines.append(f"{frame.parentJoint} {_pose(frame.placement)}")
    return "\n".join(lines) + "\n"


def frame_index(model: Any, name: str) -> int:
    """Index of a link's frame; joints may bear the same name."""
    return int(model.getFrameId(name, pin.BODY))


def _pose(place: Any) -> str:
    return f"{_numbers(place.rotation)} {_numbers(place.translation)}"


def joint_axis(joint: Any, motion: Any) -> tuple[str, Array]:
    """``free``, ``revolute`` or ``prismatic``, with the axis as the motion subspace (linear; angular) has it."""
    if joint.nv == 6:
        return "free", np.zeros(3)
    subspace = np.asarray(motion.S).reshape(6)
    linear, angular = subspace[:3], subspace[3:]
    assert joint.nq == 1 and not (linear.any() and angular.any()), joint.shortname()
    return ("revolute", angular) if angular.any() else ("prismatic", linear)


def _numbers(values: Any) -> str:
    return " ".join(repr(float(value)) for value in np.asarray(values).ravel())
