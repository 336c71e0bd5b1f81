"""MuJoCo's C functions as subjects, on the same tree in its own format and conventions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray
from peers.functions import BenchmarkFunction
from peers.measure import Subject
from peers.missing import PeerMissingError
from peers.peer_programs import mujoco_program
from peers.robots import RobotStates, joint_axis

Array = NDArray[np.float64]
FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "mass_matrix_inverse")


def mujoco_subject(model: Any, states: RobotStates, folder: Path, function: BenchmarkFunction) -> Subject:
    """MuJoCo's way to a function of a Pinocchio model.

    Raises
    ------
    PeerMissingError
        MuJoCo is not installed or has no such function.
    """
    if function.name not in FUNCTIONS:
        raise PeerMissingError("has no such function")
    path = folder / "model.xml"
    path.write_text(mjcf(model))
    return Subject(
        "MuJoCo C",
        mujoco_program(),
        _states(model, states, function.name),
        model.nq,
        model.nv,
        function.begins(model, states)[-1],
        arguments=(function.name, str(path)),
    )


def in_pinocchio_axes(model: Any, states: RobotStates, function: BenchmarkFunction, results: Array) -> Array:
    """MuJoCo's results with the linear rows of a free base in the base's axes."""
    row = _free_row(model)
    if row is None:
        return results
    found = []
    for state, result in zip(states.pinocchio, results, strict=True):
        turn = np.eye(model.nv)
        turn[row : row + 3, row : row + 3] = _rotation(state)
        if "matrix" in function.name:
            found.append(np.ravel(turn.T @ result.reshape(model.nv, model.nv) @ turn))
        else:
            turned = turn.T @ result
            if function.name == "forward_dynamics":
                turned[row : row + 3] -= _carried(model, state, row)
            found.append(turned)
    return np.array(found)


def mjcf(model: Any) -> str:
    """A Pinocchio model of joints with one axis or six freedoms as MJCF text, bodies in the order of its joints."""
    motion = model.createData().joints
    children: dict[int, list[int]] = {}
    for index in range(1, model.njoints):
        children.setdefault(model.parents[index], []).append(index)

    def body(index: int) -> str:
        joint, place, inertia = model.joints[index], model.jointPlacements[index], model.inertias[index]
        kind, axis = joint_axis(joint, motion[index])
        quaternion = pin.Quaternion(place.rotation).coeffs()[[3, 0, 1, 2]]
        named = {"revolute": "hinge", "prismatic": "slide"}
        moved = "<freejoint/>" if kind == "free" else f'<joint type="{named[kind]}" axis="{_numbers(axis)}"/>'
        moments = _numbers(inertia.inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]])
        return (
            f'<body pos="{_numbers(place.translation)}" quat="{_numbers(quaternion)}">{moved}'
            f'<inertial mass="{float(inertia.mass)!r}" pos="{_numbers(inertia.lever)}" fullinertia="{moments}"/>\n'
            + "".join(map(body, children.get(index, ())))
            + "</body>\n"
        )

    return (
        f'<mujoco><compiler angle="radian"/><option gravity="{_numbers(model.gravity.linear)}"/>\n<worldbody>\n'
        + "".join(map(body, children.get(0, ())))
        + "</worldbody></mujoco>\n"
    )


def _states(model: Any, states: RobotStates, function: str) -> Array:
    """Rows of q, v, u in MuJoCo's conventions: quaternions scalar first, linear rates of a free base in world axes."""
    row = _free_row(model)
    found = states.pinocchio.copy()
    if row is None:
        return found
    for state, made in zip(states.pinocchio, found, strict=True):
        made[3:7] = state[[6, 3, 4, 5]]
        rotation, v, u = _rotation(state), model.nq + row, model.nq + model.nv + row
        if function == "inverse_dynamics":
            made[u : u + 3] += _carried(model, state, row)
        for begin in (v, u):
            made[begin : begin + 3] = rotation @ made[begin : begin + 3]
    return found


def _carried(model: Any, state: Array, row: int) -> Array:
    """What the derivative of the linear velocity in turning axes leaves out: omega x v."""
    v = state[model.nq + row : model.nq + row + 6]
    return np.cross(v[3:], v[:3])


def _free_row(model: Any) -> int | None:
    """Row of v where a free base begins; its q begins with q."""
    return 0 if model.njoints > 1 and model.joints[1].nq == 7 else None


def _rotation(state: Array) -> Array:
    return np.array(pin.Quaternion(state[3:7]).toRotationMatrix())


def _numbers(values: Any) -> str:
    return " ".join(repr(float(value)) for value in np.ravel(values))
