"""Fluid that moves with a robot: what it adds to the mass matrix and to Coriolis forces.

With the columns S of a frame's twist (v; w) in its own axes, V = S v and the diagonal m of the fluid's masses there,

    M_rs = S_r . m S_s,    C_rs = S_r . (m S_s' + 1/2 (V x* (m S_s) + m (V x S_s) + S_s x* (m V)))

which are Christoffel's for columns of any rows: C v = S . (m V' + V x* m V), and what is not a rate of m is skew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mpmath import mp

from symdyn.description.fluid import AddedMass
from symdyn.verify.base.dense import Rows
from symdyn.verify.base.matrices import Real, Vector, add, cross, scale, times, transpose, vector
from symdyn.verify.oracle.motion import LinkMotion
from symdyn.verify.oracle.outer_wrenches import fluid_masses
from symdyn.verify.oracle.pose import RobotPose, point_columns, robot_pose
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.tangent import along_motion

Columns = dict[int, Vector]
"""Twists (v; w) by row of v."""


def carried_fluid(pose: RobotPose) -> Iterator[tuple[LinkMotion, Vector]]:
    """Frames with which fluid moves, and its six masses along and about their axes."""
    setting = pose.setting
    for acting in setting.description.acting:
        if isinstance(acting, AddedMass):
            yield from fluid_masses(setting.description, setting.tree, pose.quantities, pose.motion, acting)


def twists(moving: LinkMotion) -> Columns:
    """What each row of v adds to the twist of a frame, in its own axes."""
    inward = transpose(moving.rotation[0])
    columns = point_columns(moving, moving.origin[0])
    return {row: [*times(inward, part.linear), *times(inward, part.angular)] for row, part in columns.items()}


def add_fluid(M: Rows, sizes: Rows, pose: RobotPose) -> None:
    """Add what the fluid adds to the mass matrix; lower triangle."""
    for moving, masses in carried_fluid(pose):
        columns = twists(moving)
        for row, own in columns.items():
            for other, second in columns.items():
                if other <= row:
                    terms = [mass * x * y for mass, x, y in zip(masses, own, second, strict=True)]
                    M[row][other] += mp.fsum(terms)
                    sizes[row][other] += mp.fsum(map(abs, terms))


def add_fluid_coriolis(C: Rows, sizes: Rows, setting: Setting, inputs: Inputs) -> None:
    """Add what the fluid adds to the Coriolis matrix."""
    rows: list[list[int]] = []

    def all_columns(q: Sequence[Real]) -> list[Real]:
        found = [twists(moving) for moving, _ in carried_fluid(robot_pose(setting, q, inputs))]
        rows[:] = [list(columns) for columns in found]
        return [entry for columns in found for column in columns.values() for entry in column]

    if not any(isinstance(acting, AddedMass) for acting in setting.description.acting):
        return
    changing = along_motion(setting, inputs, all_columns)
    v, start = vector(inputs["v"]), 0
    for place, (moving, masses) in enumerate(carried_fluid(robot_pose(setting, inputs["q"], inputs))):
        columns = twists(moving)
        rates = {row: changing[start + 6 * k : start + 6 * k + 6] for k, row in enumerate(rows[place])}
        start += 6 * len(rates)
        _add_place(C, sizes, columns, rates, masses, v)


def _add_place(C: Rows, sizes: Rows, columns: Columns, rates: Mapping[int, Vector], masses: Vector, v: Vector) -> None:
    V = [mp.fsum(v[row] * column[place] for row, column in columns.items()) for place in range(6)]
    momentum = _weighed(masses, V)
    for other, part in columns.items():
        terms = [
            _weighed(masses, rates[other]),
            _force_cross(V, _weighed(masses, part)),
            _weighed(masses, _motion_cross(V, part)),
            _force_cross(part, momentum),
        ]
        parts = [terms[0], *(scale(mp.mpf(1) / 2, term) for term in terms[1:])]
        for row, own in columns.items():
            for term in parts:
                products = [x * y for x, y in zip(own, term, strict=True)]
                C[row][other] += mp.fsum(products)
                sizes[row][other] += mp.fsum(map(abs, products))


def _weighed(masses: Vector, twist: Vector) -> Vector:
    return [mass * entry for mass, entry in zip(masses, twist, strict=True)]


def _force_cross(twist: Vector, momentum: Vector) -> Vector:
    """V x* (p; L)."""
    (v, w), (p, spin) = (twist[:3], twist[3:]), (momentum[:3], momentum[3:])
    return [*cross(w, p), *add(cross(w, spin), cross(v, p))]


def _motion_cross(twist: Vector, other: Vector) -> Vector:
    """V x (v; w)."""
    (v, w), (linear, angular) = (twist[:3], twist[3:]), (other[:3], other[3:])
    return [*add(cross(w, linear), cross(v, angular)), *cross(w, angular)]
