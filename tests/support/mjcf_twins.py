"""An MJCF file read by symdyn beside the same file in MuJoCo: masses, forces and frames at random states."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

import symdyn

Array = NDArray[np.float64]
WHEELS = ("dm_control", "gymnasium", "mjlab")
OFF = ("CONTACT", "LIMIT", "FRICTIONLOSS", "EQUALITY")


@dataclass(frozen=True)
class Compared:
    """Largest errors of one model, relative to the largest entry of M, to that of the forces, and in metres."""

    nq: int
    nv: int
    mass: float
    force: float
    frames: float
    loops: float


def corpus() -> Iterator[Path]:
    """The files in the wheels of which the root is <mujoco>, those that are installed."""
    for wheel in WHEELS:
        spec = find_spec(wheel)
        if spec is None or spec.origin is None:
            continue
        for file in sorted(Path(spec.origin).parent.rglob("*.xml")):
            if b"<mujoco" in file.read_bytes() and "schema" not in file.name:
                yield file


def robot_of(file: Path, **options: Any) -> symdyn.Robot:
    """The robot with its damping and without its dry friction, which MuJoCo has as a constraint."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", symdyn.SymdynWarning)
        read = symdyn.load(file, **options).description
        joints = tuple(replace(own, losses=replace(own.losses, friction=0.0)) for own in read.joints)
        rest = {key: value for key, value in options.items() if key == "convention"}
        return symdyn.from_description(replace(read, joints=joints), joint_losses=True, **rest)


def model_of(file: Path) -> Any:
    """MuJoCo's model without what symdyn does not have."""
    model = mujoco.MjModel.from_xml_path(str(file))
    for name in OFF:
        model.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}"))
    return model


class Twin:
    """Both, with the rows of one in those of the other: qpos = G q + c but for quaternions, qvel = T(q) v."""

    def __init__(self, file: Path, **options: Any) -> None:
        self.robot, self.model = robot_of(file, **options), model_of(file)
        self.data = mujoco.MjData(self.model)
        self.q_rows = {name: row for row, name in enumerate(self.robot.coordinate_names)}
        self.v_rows = {name: row for row, name in enumerate(self.robot.velocity_names)}
        self.joints = {joint.name: joint for joint in self.robot.description.joints}
        self.names = [
            mujoco.mj_id2name(self.model, mujoco.mjtObj.mjOBJ_JOINT, number) or f"joint{number}"
            for number in range(self.model.njnt)
        ]

    def qpos(self, q: Array) -> Array:
        """MuJoCo's coordinates."""
        found = np.zeros(self.model.nq)
        for name, kind, at in zip(self.names, self.model.jnt_type, self.model.jnt_qposadr, strict=True):
            if kind < 2:
                suffixes = [*("xyz" if kind == 0 else ""), "qw", "qx", "qy", "qz"]
                found[at : at + len(suffixes)] = [q[self.q_rows[f"{name}.{suffix}"]] for suffix in suffixes]
                continue
            found[at] = sum(factor * q[self.q_rows[leader]] for leader, factor in self._terms(name))
            mimic = self.joints[name].mimic
            found[at] += mimic.offset if mimic is not None else 0.0
        return found

    def _terms(self, name: str) -> tuple[tuple[str, float], ...]:
        mimic = self.joints[name].mimic
        return mimic.terms if mimic is not None else ((name, 1.0),)

    def slopes(self, q: Array, v: Array) -> tuple[Array, Array]:
        """T, and T' v."""
        T, bias = np.zeros((self.model.nv, self.robot.nv)), np.zeros(self.model.nv)
        for name, kind, at in zip(self.names, self.model.jnt_type, self.model.jnt_dofadr, strict=True):
            if kind >= 2:
                for leader, factor in self._terms(name):
                    T[at, self.v_rows[leader]] += factor
                continue
            turning = [self.v_rows[f"{name}.w{axis}"] for axis in "xyz"]
            if kind == 1:
                T[range(at, at + 3), turning] = 1.0
                continue
            sliding = [self.v_rows[f"{name}.v{axis}"] for axis in "xyz"]
            x = np.array([q[self.q_rows[f"{name}.q{axis}"]] for axis in "wxyz"])
            R = np.zeros(9)
            mujoco.mju_quat2Mat(R, x)
            if self.robot.options.convention == "mujoco":
                R = np.eye(3).ravel()
            else:
                bias[at : at + 3] = R.reshape(3, 3) @ np.cross(v[turning], v[sliding])
            T[at : at + 3, sliding] = R.reshape(3, 3)
            T[range(at + 3, at + 6), turning] = 1.0
        return T, bias

    def compare(self, seed: int) -> Compared:
        """Both at a random state."""
        robot, model, data = self.robot, self.model, self.data
        rng = np.random.default_rng(seed)
        q, _ = robot.random_state(seed)
        if robot.model.loops:  # where they are open, errors of turns have other slopes
            q = robot.close(q)
        v, a = rng.standard_normal((2, robot.nv))
        T, bias = self.slopes(q, v)
        data.qpos[:], data.qvel[:], data.qacc[:] = self.qpos(q), T @ v, T @ a + bias
        mujoco.mj_inverse(model, data)
        state = {"q": q.tolist(), "v": v.tolist(), "a": a.tolist()}
        tau = _value(robot, "inverse_dynamics", state)
        M = _value(robot, "mass_matrix", state).reshape(robot.nv, robot.nv)
        columns = np.zeros((model.nv, model.nv))
        for column, unit in zip(columns, np.eye(model.nv), strict=True):
            mujoco.mj_mulM(model, data, column, unit)
        truth, forces = T.T @ columns.T @ T, T.T @ data.qfrc_inverse
        return Compared(
            robot.nq,
            robot.nv,
            float(np.abs(M - truth).max() / np.abs(truth).max()),
            float(np.abs(tau - forces).max() / max(np.abs(forces).max(), 1e-300)),
            self._frames(state),
            self._loops(state, T),
        )

    @property
    def drivable(self) -> bool:
        """Whether accelerations by inputs can be compared: MuJoCo has no loops and no followers here."""
        model = self.robot.model
        follows = any(joint.mimic is not None for name, joint in self.joints.items() if name in self.names)
        return bool(model.actuator_inputs) and not model.loops and not follows

    def driven(self, seed: int) -> float:
        """Errors of accelerations by inputs of actuators, relative to the largest.

        MuJoCo's clamps are off: they bound inputs, and forces of motors. Robots have neither loops nor followers.
        """
        robot, model, data = self.robot, self.model, self.data
        model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CLAMPCTRL)
        model.actuator_forcelimited[:] = model.jnt_actfrclimited[:] = 0
        q, _ = robot.random_state(seed)
        v = np.random.default_rng(seed).standard_normal(robot.nv)
        names = [own.name for own in robot.model.actuator_inputs]
        u = np.random.default_rng(seed + 100).standard_normal(len(names))
        T, bias = self.slopes(q, v)
        data.qpos[:], data.qvel[:] = self.qpos(q), T @ v
        data.ctrl[:] = 0.0
        inputs = dict(zip(names, u, strict=True))
        for number in range(model.nu):
            name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_ACTUATOR, number) or f"actuator{number}"
            data.ctrl[number] = inputs.pop(name)
        assert not inputs
        mujoco.mj_forward(model, data)
        state = {"q": q.tolist(), "v": v.tolist(), "u": u.tolist()}
        a = T @ _value(robot, "forward_dynamics", state, inputs="actuators") + bias
        return float(np.abs(a - data.qacc).max() / np.abs(data.qacc).max())

    def _frames(self, state: dict[str, list[float]]) -> float:
        poses = _value(self.robot, "forward_kinematics", state).reshape(-1, 4, 4)
        at = dict(zip(self.robot.frame_names, poses, strict=True))
        worst, model, data = 0.0, self.model, self.data
        for kind, code, count in (("body", "BODY", model.nbody), ("site", "SITE", model.nsite)):
            places, axes = (data.xpos, data.xmat) if kind == "body" else (data.site_xpos, data.site_xmat)
            for number in range(count):
                name = mujoco.mj_id2name(model, getattr(mujoco.mjtObj, f"mjOBJ_{code}"), number) or f"{kind}{number}"
                pose = at.get(f"{name}.site", at[name]) if kind == "site" else at[name]
                worst = max(
                    worst,
                    np.abs(pose[:3, 3] - places[number]).max() / max(1.0, np.abs(places).max()),
                    np.abs(pose[:3, :3] - axes[number].reshape(3, 3)).max(),
                )
        return float(worst)

    def _loops(self, state: dict[str, list[float]], T: Array) -> float:
        """How far the rows that loops hold are from those of MuJoCo's equalities, each set as a space; 0 without."""
        if not self.robot.model.loops:
            return 0.0
        J = _value(self.robot, "constraint_jacobian", state).reshape(-1, self.robot.nv)
        model, data = self.model, self.data
        off = model.opt.disableflags
        model.opt.disableflags = off & ~int(mujoco.mjtDisableBit.mjDSBL_EQUALITY)
        model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
        mujoco.mj_fwdPosition(model, data)
        truth = np.array(data.efc_J).reshape(data.nefc, model.nv) @ T
        model.opt.disableflags = off
        kept = np.linalg.norm(truth, axis=1) > 1e-9  # those of mimics are held already
        return max(_beyond(J, truth[kept]), _beyond(truth[kept], J))


def _beyond(rows: Array, space: Array) -> float:
    """The largest part of unit rows outside of what others span."""
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    _, sizes, basis = np.linalg.svd(space, full_matrices=False)
    basis = basis[sizes > 1e-9 * sizes.max()]
    return float(np.abs(rows - (rows @ basis.T) @ basis).max())


def _value(robot: symdyn.Robot, function: str, state: dict[str, list[float]], **options: Any) -> Array:
    call = symdyn.api.float_recursion(robot, function, **options)
    return np.array([entry for values in call(state).values() for entry in np.ravel(values)], dtype=np.float64)
