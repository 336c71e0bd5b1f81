"""Exact Coriolis matrices of beams: sums over their points.

With the partial velocities u_r of a point of mass m, ``C_rs = sum over points  m u_r . u_s'``. For the points of a
rigid link this comes to the factorisation of :mod:`symdyn.verify.oracle.coriolis`.
"""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.verify.base.dense import Rows, zero_matrix
from symdyn.verify.base.matrices import Real, Vector, add, cross, dot, length, times
from symdyn.verify.oracle.pose import RobotPose, robot_pose
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.tangent import along_motion

PointColumns = list[tuple[Real, dict[int, Vector]]]
"""Per point its mass, and its partial velocity by row of v."""


def beam_coriolis(setting: Setting, inputs: Inputs) -> tuple[Rows, Rows]:
    """What the beams add to ``C(q, v)``, and the sizes of the terms."""
    nv = setting.tree.nv
    C, sizes = zero_matrix(nv, nv), zero_matrix(nv, nv)
    if not setting.tree.flexures:
        return C, sizes

    def entries(q: Sequence[Real]) -> list[Real]:
        found = _point_columns(robot_pose(setting, q, inputs))
        return [value for _, columns in found for column in columns.values() for value in column]

    rates = iter(along_motion(setting, inputs, entries))
    for mass, columns in _point_columns(robot_pose(setting, inputs["q"], inputs)):
        changing = {row: [next(rates) for _ in column] for row, column in columns.items()}
        speeds = {row: mass * length(column) for row, column in columns.items()}
        for other, rate in changing.items():
            turn = length(rate)
            for row, column in columns.items():
                C[row][other] += mass * dot(column, rate)
                sizes[row][other] += speeds[row] * turn
    return C, sizes


def _point_columns(pose: RobotPose) -> PointColumns:
    found: PointColumns = []
    for moving in pose.motion.beams:
        R, d = moving.frame.rotation[0], moving.d[:1]
        carried = pose.columns(moving.link, moving.frame.origin[0])
        for point in moving.beam.points:
            r = times(R, point.positions(d)[0])
            columns = {}
            for row, part in carried.items():
                swept = cross(part.angular, r)
                columns[row] = swept if point.arm else add(part.linear, swept)
            for row, slope in enumerate(point.slopes(d[0]), moving.v_row):
                columns[row] = times(R, slope)
            found.append((point.mass, columns))
    return found
