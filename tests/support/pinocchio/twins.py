"""Real robots, once as symdyn loads them and once as Pinocchio does, matched by joint name."""

from __future__ import annotations

import functools
import importlib.metadata
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

import symdyn
from symdyn.description.robot import Joint

Array = NDArray[np.float64]
State = Mapping[str, Array]
"""q, v, a, tau, u in symdyn's rows; tau and a belong together. With f_ext, (nbodies, 6), where wrenches act."""


@dataclass(frozen=True)
class Source:
    """A URDF of example-robot-data, by its path below robots/, and how to load it."""

    path: str
    floating: bool = False
    locked: Mapping[str, float] = field(default_factory=dict)


SOURCES = {
    "ur5": Source("ur_description/urdf/ur5_robot.urdf"),
    "xarm7": Source("xarm_description/urdf/xarm7.urdf"),
    "panda_mimic": Source("panda_description/urdf/panda.urdf"),
    "panda_locked": Source("panda_description/urdf/panda.urdf", locked={"panda_finger_joint1": 0.02}),
    "allegro": Source("allegro_hand_description/urdf/allegro_right_hand.urdf"),
    "solo12": Source("solo_description/robots/solo12.urdf", floating=True),
    "anymal": Source("anymal_b_simple_description/robots/anymal.urdf", floating=True),
    "talos_reduced": Source("talos_data/robots/talos_reduced.urdf", floating=True),
    "baxter": Source("baxter_description/urdf/baxter.urdf"),
}


def data_file(relative: str) -> Path:
    """A file below robots/ of the installed example-robot-data."""
    files = importlib.metadata.files("example-robot-data") or []
    return next(Path(str(file.locate())) for file in files if str(file).endswith(f"/robots/{relative}"))


@dataclass(frozen=True)
class Peer:
    """One robot twice.

    ``model`` is unreduced: its mimic and locked joints are free. ``expansion`` G maps symdyn's v to Pinocchio's,
    v_full = G v, so that tau = G^T tau_full; ``spread`` maps q.
    """

    robot: symdyn.Robot
    model: Any
    expansion: Array
    spread: Callable[[Array], Array]
    bodies: Mapping[str, Any]
    """Per moving body: its joint in the model, and the body frame's placement in that joint's frame."""

    def states(self, count: int, seed: int = 0) -> tuple[Array, Array, Array]:
        """Random (q, v, a) in symdyn's order, with unit quaternions."""
        rng = np.random.default_rng(seed)
        q, v, a = (rng.uniform(-1.5, 1.5, (count, size)) for size in (self.robot.nq, self.robot.nv, self.robot.nv))
        for row, name in enumerate(self.robot.coordinate_names):
            if name.endswith(".qx"):
                q[:, row : row + 4] /= np.linalg.norm(q[:, row : row + 4], axis=1, keepdims=True)
        return q, v, a

    def full(self, at: State, *names: str) -> tuple[Any, ...]:
        """The model, fresh data, q, and others of a state by name: first arguments of Pinocchio's functions."""
        model = self.model
        return (model, model.createData(), self.spread(at["q"]), *(self.expansion @ at[name] for name in names))

    def external(self, at: State) -> tuple[Any, ...]:
        """The last argument of functions that take wrenches, where the state has them."""
        return (self.wrenches(at["f_ext"]),) if "f_ext" in at else ()

    def call(self, function: Callable[..., Any], at: State, *names: str, pushed: bool = False) -> Any:
        """What a function of Pinocchio says of a state; ``pushed`` where it takes the wrenches on the bodies.

        Pinocchio returns views of its data; these are copies, which outlive it.
        """
        model, data, *rows = self.full(at, *names)
        found = function(model, data, *rows, *(self.external(at) if pushed else ()))
        return tuple(map(np.array, found)) if isinstance(found, tuple) else np.array(found)

    def inverse_dynamics(self, q: Array, v: Array, a: Array, wrenches: list[Any] | None = None) -> Array:
        """Pinocchio's rnea at one state, projected on symdyn's rows."""
        data = self.model.createData()
        full = (self.spread(q), self.expansion @ v, self.expansion @ a)
        tau = pin.rnea(self.model, data, *full) if wrenches is None else pin.rnea(self.model, data, *full, wrenches)
        result: Array = self.expansion.T @ tau
        return result

    def wrenches(self, f_ext: Array) -> list[Any]:
        """Wrenches on symdyn's bodies, in body axes, as Pinocchio takes them: one per joint, in its frame."""
        found = [pin.Force.Zero() for _ in range(self.model.njoints)]
        for body, wrench in zip(self.robot.body_names, f_ext, strict=True):
            joint, placement = self.bodies[body]
            found[joint] += placement.act(pin.Force(wrench[:3], wrench[3:]))
        return found

    def body_rotations(self, q: Array) -> list[Array]:
        """Per body the rotation from its axes to the world's."""
        data = self.model.createData()
        pin.forwardKinematics(self.model, data, self.spread(q))
        places = (self.bodies[body] for body in self.robot.body_names)
        return [(data.oMi[joint] * placement).rotation for joint, placement in places]

    def with_armature(self, robot: symdyn.Robot, armature: Mapping[str, float]) -> Peer:
        """The same pair with rotors: ``robot`` has them, and Pinocchio's joints get theirs by name [kg m^2 or kg]."""
        model = self.model.copy()
        for name, value in armature.items():
            model.armature[model.joints[model.getJointId(name)].idx_v] = value
        return replace(self, robot=robot, model=model)


def relative(found: Array, expected: Array) -> float:
    """Largest error over states, each relative to the norm of its expected vector."""
    return float(np.max(np.linalg.norm(found - expected, axis=-1) / np.linalg.norm(expected, axis=-1)))


def relative_of_arrays(found: Array, expected: Array) -> float:
    """Largest error over states (the first axis), in the Frobenius norm of all that is expected at the state.

    Single numbers, such as an energy, may vanish at a state by chance; they are measured by their largest value.
    """
    assert found.shape == expected.shape, (found.shape, expected.shape)
    if expected.ndim == 1:
        return float(np.max(np.abs(found - expected)) / np.max(np.abs(expected)))
    return relative(found.reshape(len(found), -1), expected.reshape(len(expected), -1))


def make_peer(
    robot: symdyn.Robot, model: Any, bodies: Mapping[str, Any], second: Mapping[str, str] = MappingProxyType({})
) -> Peer:
    """Match the rows of both by joint name; ``second`` maps a model's joint to symdyn's whose second row it is."""
    joints = {joint.name: joint for joint in robot.description.joints}
    locked = robot.options.locked_joints or {}
    q_first: dict[str, int] = {}
    for row, name in enumerate(robot.coordinate_names):
        q_first.setdefault(_joint_of(name, joints), row)
    v_first: dict[str, int] = {}
    for row, name in enumerate(robot.velocity_names):
        v_first.setdefault(_joint_of(name, joints), row)
    G = np.zeros((model.nv, robot.nv))
    steps: list[tuple[Any, int, float, float, float | None]] = []
    for index in range(1, model.njoints):
        made, name = model.joints[index], second.get(model.names[index], model.names[index])
        multiplier, offset, later = 1.0, 0.0, int(model.names[index] in second)
        while name in joints and (mimic := joints[name].mimic) is not None:
            offset, multiplier, name = offset + multiplier * mimic.offset, multiplier * mimic.multiplier, mimic.joint
        if name in locked:
            steps.append((made, 0, multiplier, offset, float(locked[name])))  # type: ignore[arg-type]
            continue
        steps.append((made, q_first[name] + later, multiplier, offset, None))
        for row in range(made.nv):
            G[made.idx_v + row, v_first[name] + later + row] = multiplier

    def spread(q: Array) -> Array:
        full = np.zeros(model.nq)
        for made, row, multiplier, offset, still in steps:
            values = q[row : row + 7] if still is None else np.array([still])
            angle = multiplier * values[0] + offset
            place = slice(made.idx_q, made.idx_q + made.nq)
            if made.shortname() == "JointModelPlanar":
                full[place] = [values[0], values[1], np.cos(values[2]), np.sin(values[2])]
            elif made.nq == 2 and made.nv == 1:  # an unbounded angle, held as cosine and sine
                full[place] = [np.cos(angle), np.sin(angle)]
            elif made.nq == 1:
                full[place] = angle
            else:
                full[place] = values[: made.nq]
        return full

    return Peer(robot, model, G, spread, bodies)


def _joint_of(row: str, joints: Mapping[str, Joint]) -> str:
    return row if row in joints else row.rpartition(".")[0]


def quietly(load: Callable[[], symdyn.Robot]) -> symdyn.Robot:
    """A robot without the warnings about what its file says beyond dynamics."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", symdyn.SymdynWarning)
        return load()


@functools.cache
def load_peer(name: str, joint_losses: bool = False, convention: str = "pinocchio") -> Peer:
    """One of SOURCES."""
    source = SOURCES[name]
    path = data_file(source.path)
    robot = quietly(
        lambda: symdyn.load(
            path,
            floating_base=source.floating,
            locked_joints=source.locked,
            joint_losses=joint_losses,
            convention=convention,
        )
    )
    free = (pin.JointModelFreeFlyer(), "root") if source.floating else ()
    model = pin.buildModelFromUrdf(str(path), *free)
    links = {joint.child: joint.name for joint in robot.description.joints}
    bodies = {}
    for body in robot.body_names:
        index = model.getJointId(links.get(body, "root"))
        bodies[body] = (index, pin.SE3.Identity())
    return make_peer(robot, model, bodies)


def recursion_outputs(
    robot: symdyn.Robot, function: str, at: State, expected: tuple[Array, ...], **asked: Any
) -> tuple[Array, ...]:
    """A function by its recursion on Python floats, for what would take long to compile; shaped as what is expected."""
    call = symdyn.api.float_recursion(robot, function, **asked)
    rows = [call({name: values[k].ravel().tolist() for name, values in at.items()}) for k in range(len(at["q"]))]
    assert len(rows[0]) == len(expected)
    return tuple(
        np.array([row[name] for row in rows], dtype=float).reshape(wanted.shape)
        for name, wanted in zip(rows[0], expected, strict=True)
    )


def module_outputs(module: Any, function: str, at: State) -> tuple[Array, ...]:
    """A function of a compiled module at many states."""
    found = getattr(module, function)(*(at[argument.name] for argument in module.signature(function).inputs))
    return found if isinstance(found, tuple) else (found,)
