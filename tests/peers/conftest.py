"""Real robots and random trees, once as symdyn loads them and once as Pinocchio does, matched by joint name."""

from __future__ import annotations

import functools
import importlib.metadata
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from numpy.typing import NDArray

import symdyn
from symdyn.description.robot import Joint, JointKind, Link, RobotDescription

Array = NDArray[np.float64]


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
FIXED = tuple(name for name, source in SOURCES.items() if not source.floating)


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

    def inverse_dynamics(self, q: Array, v: Array, a: Array, wrenches: list[Any] | None = None) -> Array:
        """Pinocchio's rnea at one state, projected on symdyn's rows."""
        data = self.model.createData()
        full = (self.spread(q), self.expansion @ v, self.expansion @ a)
        tau = pin.rnea(self.model, data, *full) if wrenches is None else pin.rnea(self.model, data, *full, wrenches)
        result: Array = self.expansion.T @ tau
        return result


def relative(found: Array, expected: Array) -> float:
    """Largest error over states, each relative to the norm of its expected vector."""
    return float(np.max(np.linalg.norm(found - expected, axis=-1) / np.linalg.norm(expected, axis=-1)))


def make_peer(robot: symdyn.Robot, model: Any, bodies: Mapping[str, Any], alignment: Mapping[str, str]) -> Peer:
    """Match the rows of both by joint name; ``alignment`` maps a model's joint to symdyn's where the names differ."""
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
        made, name = model.joints[index], alignment.get(model.names[index], model.names[index])
        multiplier, offset = 1.0, 0.0
        while name in joints and (mimic := joints[name].mimic) is not None:
            offset, multiplier, name = offset + multiplier * mimic.offset, multiplier * mimic.multiplier, mimic.joint
        if name in locked:
            steps.append((made, 0, multiplier, offset, float(locked[name])))  # type: ignore[arg-type]
            continue
        steps.append((made, q_first[name], multiplier, offset, None))
        for row in range(made.nv):
            G[made.idx_v + row, v_first[name] + row] = multiplier

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
    return make_peer(robot, model, bodies, {})


def description_peer(description: RobotDescription) -> Peer:
    """Any description, built joint by joint with Pinocchio's own joint of each kind."""
    robot = quietly(lambda: symdyn.api.from_description(description))
    model = pin.Model()
    links = {link.name: link for link in description.links}
    places: dict[str, tuple[int, Any]] = {description.root: (0, pin.SE3.Identity())}
    if description.floating_base:
        places[description.root] = (
            model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root"),
            pin.SE3.Identity(),
        )
    children: dict[str, list[Joint]] = {}
    for joint in description.joints:
        children.setdefault(joint.parent, []).append(joint)
    order, pending = [], [description.root]
    while pending:
        link = pending.pop()
        order.append(link)
        for joint in children.get(link, ()):
            above, inside = places[link]
            placed = inside * pin.SE3(np.array(joint.placement.rotation), np.array(joint.placement.translation))
            if joint.kind is JointKind.FIXED:
                places[joint.child] = (above, placed)
            else:
                turned = pin.SE3(_plane(joint), np.zeros(3)) if joint.kind is JointKind.PLANAR else pin.SE3.Identity()
                made = model.addJoint(above, _joint_model(joint), placed * turned, joint.name)
                places[joint.child] = (made, turned.inverse())
            pending.append(joint.child)
    for link in order:
        index, inside = places[link]
        if links[link].inertial is not None:
            model.appendBodyToJoint(index, _inertia(links[link]), inside)
    # the model's memory of joints is depth first, as its algorithms need; names alone tie it to symdyn's rows
    return make_peer(robot, model, {body: places[body] for body in robot.body_names}, {})


def _plane(joint: Joint) -> Array:
    """The rotation by the smallest angle from z to the joint's axis."""
    axis = np.array(joint.axis) / np.linalg.norm(joint.axis)
    if axis[2] < -1 + 1e-12:
        return np.diag([1.0, -1.0, -1.0])
    return np.asarray(pin.Quaternion.FromTwoVectors(np.array([0.0, 0.0, 1.0]), axis).toRotationMatrix())


def _joint_model(joint: Joint) -> Any:
    axis = np.array(joint.axis) / np.linalg.norm(joint.axis)
    match joint.kind:
        case JointKind.REVOLUTE | JointKind.CONTINUOUS:
            return pin.JointModelRevoluteUnaligned(axis)
        case JointKind.PRISMATIC:
            return pin.JointModelPrismaticUnaligned(axis)
        case JointKind.HELICAL:
            return pin.JointModelHelicalUnaligned(axis, joint.pitch)
        case JointKind.UNIVERSAL:
            return pin.JointModelUniversal(axis, np.array(joint.second_axis))
        case JointKind.SPHERICAL:
            return pin.JointModelSpherical()
        case JointKind.PLANAR:
            return pin.JointModelPlanar()
    return pin.JointModelFreeFlyer()


def _inertia(link: Link) -> Any:
    assert link.inertial is not None
    xx, xy, xz, yy, yz, zz = (float(str(value)) for value in link.inertial.moments)
    turned = np.array(link.inertial.placement.rotation)
    moments = turned @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turned.T
    return pin.Inertia(float(str(link.inertial.mass)), np.array(link.inertial.placement.translation), moments)


@pytest.fixture(scope="session", params=list(SOURCES))
def peer(request: pytest.FixtureRequest) -> Peer:
    """Each of the real robots in turn."""
    return load_peer(request.param)


@pytest.fixture(scope="session")
def peers() -> Callable[..., Peer]:
    """Any of the real robots by name."""
    return load_peer


@pytest.fixture(scope="session")
def twin() -> Callable[[RobotDescription], Peer]:
    """The peer of a description."""
    return description_peer


@pytest.fixture(scope="session")
def relative_error() -> Callable[[Array, Array], float]:
    """See :func:`relative`."""
    return relative


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """An empty cache for the suite, so that nothing compiled earlier can answer."""
    patch = pytest.MonkeyPatch()
    patch.setenv("SYMDYN_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
    yield
    patch.undo()
