"""Exact energies, centre of mass and momentum of a robot, summed over its links in the world frame."""

from __future__ import annotations

from collections.abc import Iterator

from mpmath import mp

from symdyn.description.fluid import Buoyancy
from symdyn.verify.base.dense import matrix_times
from symdyn.verify.base.matrices import Real, Vector, add, cross, dot, length, scale, subtract, times, vector
from symdyn.verify.oracle.beam_loads import beam_spring_energy
from symdyn.verify.oracle.drives import rotor_inertias, spring_energy, turned
from symdyn.verify.oracle.exact import Exact, forwards, summed
from symdyn.verify.oracle.fluid import carried_fluid, twists
from symdyn.verify.oracle.motion import LinkMotion
from symdyn.verify.oracle.outer_wrenches import lifted as lifted_parts
from symdyn.verify.oracle.pose import HeavyLink, RobotPose, point_columns, robot_pose, velocity
from symdyn.verify.oracle.rod_springs import rod_spring_energy
from symdyn.verify.oracle.setting import Inputs, Setting


def kinetic_energy(setting: Setting, inputs: Inputs) -> Exact:
    """``sum m c'^2 / 2 + w . J w / 2``, and the rotors' ``B rate^2 / 2``."""
    pose, v = robot_pose(setting, inputs["q"], inputs), vector(inputs["v"])
    energy = mp.mpf(0)
    for link in pose.frozen:
        part = velocity(pose.columns(link.name, link.center), v)
        energy += link.mass * dot(part.linear, part.linear) / 2
        energy += dot(part.angular, times(link.inertia, part.angular)) / 2
    for bending in pose.bending:
        rates = [v[row] for row in bending.rows]
        carried = velocity(pose.columns(bending.frozen.name, bending.frozen.center), v)
        for rate, linear, angular in zip(rates, bending.linear, bending.angular, strict=True):
            energy += rate * (dot(linear, carried.linear) + dot(angular, carried.angular))
        energy += mp.fdot(rates, matrix_times(bending.products, rates)) / 2
    for moving, masses in carried_fluid(pose):
        columns = twists(moving).items()
        rates = [mp.fsum(v[row] * column[place] for row, column in columns) for place in range(6)]
        energy += mp.fsum(mass * rate**2 for mass, rate in zip(masses, rates, strict=True)) / 2
    for rows, armature in rotor_inertias(setting.tree, pose.quantities):
        energy += armature * turned(rows, v) ** 2 / 2
    return forwards([energy])


def potential_energy(setting: Setting, inputs: Inputs) -> Exact:
    """``-sum m g . c``, zero with every centre of mass at the world's origin, and what springs and links store.

    The zero is a matter of choice, so where terms cancel the error is measured against ``sum m |g| |c|``.
    """
    pose = robot_pose(setting, inputs["q"], inputs)
    g = setting.gravity(pose.quantities)
    q = vector(inputs["q"])
    stored = spring_energy(setting.tree, pose.quantities, q) + beam_spring_energy(setting.tree, q)
    stored += rod_spring_energy(setting.tree, pose.quantities, q)
    counted = _counted(pose)
    lifted = mp.fsum(-link.mass * dot(g, link.center) for link in counted)
    size = length(g) * mp.fsum(link.mass * length(link.center) for link in counted)
    for moving, mass in _displaced(pose):
        lifted += mass * dot(g, moving.origin[0])
        size += mass * length(g) * length(moving.origin[0])
    return Exact([lifted + stored], [size + stored])


def gravity(setting: Setting, inputs: Inputs) -> Exact:
    """Generalised gravity, ``-sum m g . u_r``."""
    pose = robot_pose(setting, inputs["q"], inputs)
    g = setting.gravity(pose.quantities)
    rows, sizes = ([mp.mpf(0)] * setting.tree.nv for _ in range(2))
    for link in pose.frozen:
        weight = scale(link.mass, g)
        for row, part in pose.columns(link.name, link.center).items():
            rows[row] -= dot(weight, part.linear)
            sizes[row] += length(weight) * length(part.linear)
    for bending in pose.bending:
        for row, linear, size in zip(bending.rows, bending.linear, bending.linear_sizes, strict=True):
            rows[row] -= dot(g, linear)
            sizes[row] += length(g) * size
    for moving, mass in _displaced(pose):
        for row, part in point_columns(moving, moving.origin[0]).items():
            rows[row] += mass * dot(g, part.linear)
            sizes[row] += mass * length(g) * length(part.linear)
    return summed(rows, sizes)


def _displaced(pose: RobotPose) -> Iterator[tuple[LinkMotion, Real]]:
    """Frames at the centres of what the robot displaces of a fluid, and its mass."""
    setting = pose.setting
    for acting in setting.description.acting:
        if isinstance(acting, Buoyancy):
            yield from lifted_parts(setting.description, setting.tree, pose.quantities, pose.motion, acting)


def center_of_mass(setting: Setting, inputs: Inputs) -> Exact:
    """Centre of mass of the links that move, in the world."""
    return forwards(_center(robot_pose(setting, inputs["q"], inputs)))


def center_of_mass_velocity(setting: Setting, inputs: Inputs) -> Exact:
    """Its velocity."""
    pose = robot_pose(setting, inputs["q"], inputs)
    momentum = [column[:3] for column in _momentum_columns(pose)[0]]
    total = mp.fsum(link.mass for link in _counted(pose))
    v = vector(inputs["v"])
    return forwards([mp.fdot(v, [column[axis] for column in momentum]) / total for axis in range(3)])


def centroidal_momentum(setting: Setting, inputs: Inputs) -> Exact:
    """Linear and angular momentum about the centre of mass, world axes."""
    columns, terms = _momentum_columns(robot_pose(setting, inputs["q"], inputs))
    v = vector(inputs["v"])
    speeds = [abs(value) for value in v]
    return summed(
        [mp.fdot(v, [column[axis] for column in columns]) for axis in range(6)],
        [mp.fdot(speeds, [term[axis // 3] for term in terms]) for axis in range(6)],
    )


def centroidal_momentum_matrix(setting: Setting, inputs: Inputs) -> Exact:
    """The matrix that takes v to :func:`centroidal_momentum`, (6, nv)."""
    columns, terms = _momentum_columns(robot_pose(setting, inputs["q"], inputs))
    return summed(
        [column[axis] for axis in range(6) for column in columns],
        [term[axis // 3] for axis in range(6) for term in terms],
    )


def _momentum_columns(pose: RobotPose) -> tuple[list[list[Real]], list[tuple[Real, Real]]]:
    """Momentum [linear; angular about the centre of mass] per unit of each row of v, and sizes of the terms of both.

    An angular momentum may vanish in every pose (of a single link that slides), but a sum of moments about frames'
    origins does so to rounding only: hence the largest arm counts in the sizes.
    """
    center, counted = _center(pose), _counted(pose)
    arms = [subtract(link.center, center) for link in counted]
    offsets = [subtract(link.center, pose.origin(link.name)) for link in counted]
    reach = max(length(arm) for arm in (*arms, *offsets))
    columns = [[mp.mpf(0)] * 6 for _ in range(pose.setting.tree.nv)]
    terms = [(mp.mpf(0), mp.mpf(0))] * pose.setting.tree.nv
    for link, arm in zip(counted, arms, strict=True):
        for row, part in pose.columns(link.name, link.center).items():
            linear, spin = scale(link.mass, part.linear), times(link.inertia, part.angular)
            columns[row] = add(columns[row], [*linear, *add(spin, cross(arm, linear))])
            push = length(linear)
            terms[row] = (terms[row][0] + push, terms[row][1] + length(spin) + reach * push)
    for bending in pose.bending:
        arm = subtract(bending.frozen.center, center)
        for k, row in enumerate(bending.rows):
            linear, spin, push = bending.linear[k], bending.angular[k], bending.linear_sizes[k]
            columns[row] = add(columns[row], [*linear, *add(spin, cross(arm, linear))])
            terms[row] = (terms[row][0] + push, terms[row][1] + bending.angular_sizes[k] + reach * push)
    return columns, terms


def _counted(pose: RobotPose) -> list[HeavyLink]:
    """The links that move; what is fixed to the ground is the ground, unless it bends."""
    return [link for link in pose.frozen if link.moves]


def _center(pose: RobotPose) -> Vector:
    total, moment = mp.mpf(0), vector((0, 0, 0))
    for link in _counted(pose):
        total += link.mass
        moment = add(moment, scale(link.mass, link.center))
    return scale(1 / total, moment)
