"""Exact poses of the public frames, and how each row of v moves them."""

from __future__ import annotations

from collections.abc import Sequence

from mpmath import mp

from symdyn.verify.base.matrices import Real, in_rows, length, vector
from symdyn.verify.oracle.exact import Exact, forwards, joined, summed
from symdyn.verify.oracle.pose import frame_places, robot_pose, velocity
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.tangent import along_motion, central_difference, moved, unit_row


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


def frame_velocity_partials(setting: Setting, inputs: Inputs) -> Exact:
    """Derivatives of each frame's twist by moves of q, as differences at fixed v, and by v."""
    v, nv = vector(inputs["v"]), setting.tree.nv
    plain = _jacobian_entries(setting, inputs, inputs["q"])
    rows = in_rows(plain, nv)

    def twists(q: Sequence[Real]) -> list[Real]:
        return [mp.fdot(row, v) for row in in_rows(_jacobian_entries(setting, inputs, q), nv)]

    q = vector(inputs["q"])
    columns = [
        central_difference(lambda h, k=k: twists(moved(setting, q, unit_row(nv, k), h)))  # type: ignore[misc]
        for k in range(nv)
    ]
    terms: list[Real] = []
    for frame in range(len(rows) // 6):
        halves = (rows[6 * frame : 6 * frame + 3], rows[6 * frame + 3 : 6 * frame + 6])
        sizes = [[length(column) for column in zip(*half, strict=True)] for half in halves]
        going, turning = (mp.fsum(size * abs(rate) for size, rate in zip(own, v, strict=True)) for own in sizes)
        linear = [turning * reach + going * turn for reach, turn in zip(*sizes, strict=True)]
        terms += linear * 3 + [turning * turn for turn in sizes[1]] * 3
    by_q = summed([entry for row in zip(*columns, strict=True) for entry in row], terms)
    return joined([by_q, forwards(plain)])


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
