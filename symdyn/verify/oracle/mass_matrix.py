"""The exact mass matrix and its inverse, from the partial velocities of every link.

With the partial velocities u_r of a link's centre of mass and w_r of the link, mass m and central inertia J, all in
the world (Kane and Levinson 1985, section 4.11): M_rs = sum over links  m u_r . u_s + w_r . J w_s, and on the diagonal
the rotors. A beam adds the same as if it were rigid, and the momenta that its coordinates have.
"""

from __future__ import annotations

from collections.abc import Mapping

from symdyn.verify.base.dense import Rows, flat, inverse, solution_scales, zero_matrix
from symdyn.verify.base.matrices import Real, Vector, dot, length, scale, times
from symdyn.verify.oracle.drives import rotor_inertias
from symdyn.verify.oracle.exact import Exact, summed
from symdyn.verify.oracle.fluid import add_fluid
from symdyn.verify.oracle.pose import BendingLink, RobotPose, robot_pose
from symdyn.verify.oracle.setting import Inputs, Setting


def mass_rows(pose: RobotPose) -> Rows:
    """The mass matrix of a pose, rotors included."""
    return mass_terms(pose)[0]


def mass_terms(pose: RobotPose) -> tuple[Rows, Rows]:
    """The mass matrix of a pose, and for each entry the sizes of the terms that it is a sum of.

    An entry may vanish in every pose (between an arm and the two fingers of its gripper that move against each other)
    while what cancels in it does not.
    """
    M, sizes = (zero_matrix(pose.setting.tree.nv, pose.setting.tree.nv) for _ in range(2))
    for link in pose.frozen:
        columns = pose.columns(link.name, link.center)
        if link.bare:
            _add_point(M, sizes, link.mass, {row: part.linear for row, part in columns.items()})
            continue
        turned = {row: times(link.inertia, part.angular) for row, part in columns.items()}
        pushes = {row: link.mass * length(part.linear) for row, part in columns.items()}
        twists = {row: length(part) for row, part in turned.items()}
        for row, part in columns.items():
            speed, spin = length(part.linear), length(part.angular)
            for other in columns:
                if other <= row:
                    M[row][other] += link.mass * dot(part.linear, columns[other].linear)
                    M[row][other] += dot(part.angular, turned[other])
                    sizes[row][other] += speed * pushes[other] + spin * twists[other]
    add_fluid(M, sizes, pose)
    for bending in pose.bending:
        _add_bending(M, sizes, bending, pose)
    for turning, armature in rotor_inertias(pose.setting.tree, pose.quantities):
        for row, gain in turning:
            for other, second in turning:
                if other <= row:
                    M[row][other] += gain * second * armature
                    sizes[row][other] += abs(gain * second) * armature
    for row in range(len(M)):
        for other in range(row):
            M[other][row], sizes[other][row] = M[row][other], sizes[row][other]
    return M, sizes


def _add_point(M: Rows, sizes: Rows, mass: Real, columns: Mapping[int, Vector]) -> None:
    """What a mass point adds, which no turn moves; lower triangle."""
    speeds = {row: length(linear) for row, linear in columns.items()}
    for row, linear in columns.items():
        push, size = scale(mass, linear), mass * speeds[row]
        for other, moved in columns.items():
            if other <= row:
                M[row][other] += dot(push, moved)
                sizes[row][other] += size * speeds[other]


def _add_bending(M: Rows, sizes: Rows, link: BendingLink, pose: RobotPose) -> None:
    """What the coordinates of a beam add, among themselves and with what moves the whole beam; lower triangle."""
    columns = pose.columns(link.frozen.name, link.frozen.center)
    for k, row in enumerate(link.rows):
        for other, part in columns.items():  # joints nearer the root, whose rows may come after those of a follower
            first, second = max(row, other), min(row, other)
            M[first][second] += dot(part.linear, link.linear[k]) + dot(part.angular, link.angular[k])
            sizes[first][second] += length(part.linear) * link.linear_sizes[k]
            sizes[first][second] += length(part.angular) * link.angular_sizes[k]
        for j, other in enumerate(link.rows):
            if other <= row:
                M[row][other] += link.products[k][j]
                sizes[row][other] += link.product_sizes[k][j]


def mass_matrix(setting: Setting, inputs: Inputs) -> Exact:
    """``M(q)``, both triangles."""
    M, sizes = mass_terms(robot_pose(setting, inputs["q"], inputs))
    return summed(flat(M), flat(sizes))


def mass_matrix_inverse(setting: Setting, inputs: Inputs) -> Exact:
    """``M(q)^-1``."""
    M, sizes = mass_terms(robot_pose(setting, inputs["q"], inputs))
    found = inverse(M)
    nothing = zero_matrix(len(M), len(M))
    return Exact(flat(found), flat(solution_scales(sizes, found, found, nothing)))
