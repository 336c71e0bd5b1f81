"""Exact errors of frames against targets: logarithms of rotation matrices, and differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mpmath import mp

from symdyn.verify.base.curves import quaternion_rotation
from symdyn.verify.base.dense import flat
from symdyn.verify.base.matrices import (
    Matrix,
    Real,
    Vector,
    axial,
    length,
    product,
    scale,
    subtract,
    times,
    transpose,
    vector,
)
from symdyn.verify.oracle.control import constant_velocity
from symdyn.verify.oracle.exact import Exact, forwards, joined
from symdyn.verify.oracle.pose import frame_places, robot_pose
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.tangent import central_difference, moved, unit_row


def task_errors(setting: Setting, inputs: Inputs) -> Exact:
    """Errors of frames, and their slopes by differences along each row of v."""
    q, nv = vector(inputs["q"]), setting.tree.nv
    rows = [row for row, _, _ in (name.rpartition(".") for name in setting.axes[0][0])]
    words = [name.partition(" (")[2].rstrip(")") or "pose" for name in setting.axes[0][0]]
    tasks = list(dict.fromkeys(zip(rows, words, strict=True)))

    own = replace(setting, frames=tuple(name for name, _ in tasks))

    def errors(place: Sequence[Real]) -> list[Real]:
        found: list[Real] = []
        targets = vector(inputs["targets"])
        for (_, word), (_, rotation, origin) in zip(tasks, frame_places(robot_pose(own, place, inputs)), strict=True):
            size = 7 if word == "pose" else 3
            target, targets = targets[:size], targets[size:]
            if word == "position":
                found += subtract(origin, target)
            elif word == "axis":
                found += subtract([row[2] for row in rotation], scale(1 / length(target), target))
            else:
                found += pose_error(rotation, origin, target)
        return found

    e = errors(q)
    columns = [
        central_difference(lambda step, row=row: errors(moved(setting, q, unit_row(nv, row), step)))  # type: ignore[misc]
        for row in range(nv)
    ]
    return joined([forwards(e), forwards(flat(transpose(columns)))])


def pose_error(rotation: Matrix, origin: Vector, target: Vector) -> Vector:
    """The logarithm of a pose seen from a target."""
    still = [[mp.mpf(0)] * 3] * 2
    back = transpose(quaternion_rotation(scale(1 / length(target[3:]), target[3:]), still, body_axes=True)[0])
    turned = product(back, rotation)
    cosine = (turned[0][0] + turned[1][1] + turned[2][2] - 1) / 2
    pulled = axial(turned)
    sine = length(pulled)
    turn = scale(mp.atan2(sine, cosine) / sine, pulled) if sine else [mp.mpf(0)] * 3
    return [*constant_velocity(turn, times(back, subtract(origin, target[:3]))), *turn]
