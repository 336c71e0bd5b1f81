"""Exact poses of the public frames, and how each row of v moves them."""

from __future__ import annotations

from collections.abc import Sequence

from mpmath import mp

from symdyn.verify.base.matrices import Real, length, vector
from symdyn.verify.oracle.exact import Exact, forwards, summed
from symdyn.verify.oracle.pose import frame_places, robot_pose, velocity
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.tangent import along_motion


def forward_kinematics(setting: Setting, inputs: Inputs) -> Exact:
    """Homogeneous matrices of all frames, (nframes, 4, 4)."""
    found: list[Real] = []
    for _, rotation, origin in frame_places(robot_pose(setting, inputs["q"], inputs)):
        for row, height in zip(rotation, origin, strict=True):
            found += [*row, height]
        found += [mp.mpf(0)] * 3 + [mp.mpf(1)]
    return forwards(found)


def jacobians(setting: Setting, inputs: Inputs) -> Exact:
    """Velocity of each frame's origin and angular velocity per unit of v, world axes, (nframes, 6, nv)."""
    return forwards(_jacobian_entries(setting, inputs, inputs["q"]))


def jacobians_time_derivative(setting: Setting, inputs: Inputs) -> Exact:
    """The rate of every entry of :func:`jacobians`."""
    rates = along_motion(setting, inputs, lambda q: _jacobian_entries(setting, inputs, q))
    return summed(rates, _rate_terms(setting, inputs))


def _rate_terms(setting: Setting, inputs: Inputs) -> list[Real]:
    """Sizes of what the rates are sums of: columns that turn with the frame, and arms that change with its origin."""
    pose, v = robot_pose(setting, inputs["q"], inputs), vector(inputs["v"])
    found: list[Real] = []
    for link, _, origin in frame_places(pose):
        columns = pose.columns(link, origin)
        moving = velocity(columns, v)
        turning, going = length(moving.angular), length(moving.linear)
        sizes = [[mp.mpf(0)] * setting.tree.nv for _ in range(2)]
        for column, part in columns.items():
            sizes[0][column] = turning * length(part.linear) + going * length(part.angular)
            sizes[1][column] = turning * length(part.angular)
        found += [size for row in sizes for _ in range(3) for size in row]
    return found


def _jacobian_entries(setting: Setting, inputs: Inputs, q: Sequence[Real]) -> list[Real]:
    pose, nv = robot_pose(setting, q, inputs), setting.tree.nv
    found: list[Real] = []
    for link, _, origin in frame_places(pose):
        rows = [[mp.mpf(0)] * nv for _ in range(6)]
        for column, part in pose.columns(link, origin).items():
            for axis, value in enumerate([*part.linear, *part.angular]):
                rows[axis][column] = value
        found += [value for row in rows for value in row]
    return found
