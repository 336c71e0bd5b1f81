"""Exact inverse dynamics and what is read off it: bias, transmitted wrenches, the regressor."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

from mpmath import mp

from symdyn.verify.base.dense import flat, zero_matrix
from symdyn.verify.base.matrices import (
    Matrix,
    Real,
    Vector,
    add,
    cross,
    dot,
    identity,
    length,
    scale,
    subtract,
    times,
    transpose,
    vector,
    zeros,
)
from symdyn.verify.oracle.beam_loads import beam_damping_power, beam_load
from symdyn.verify.oracle.drives import springs, stop_damping_power
from symdyn.verify.oracle.exact import Exact, forwards, summed
from symdyn.verify.oracle.force_terms import force_terms, load_terms
from symdyn.verify.oracle.link_loads import link_loads, unloaded
from symdyn.verify.oracle.motion import LinkMotion, RobotMotion, robot_motion
from symdyn.verify.oracle.pose import point_columns
from symdyn.verify.oracle.rod_sections import GAUGE, node_name, point_names
from symdyn.verify.oracle.rod_springs import rod_damping_power
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.truth import DIGITS, angular_momentum_rate
from symdyn.verify.oracle.weighing import rigid_parts

_Load = tuple[LinkMotion, Vector, Vector, Vector]


def inverse_dynamics(setting: Setting, inputs: Inputs) -> Exact:
    """``tau`` for a motion."""
    found = summed(setting.force(inputs), force_terms(setting, inputs, [vector(inputs["a"])])[0])
    return replace(found, terms=lambda: load_terms(setting, inputs, inputs["a"]))


def bias(setting: Setting, inputs: Inputs) -> Exact:
    """``tau`` at a = 0."""
    still = [mp.mpf(0)] * setting.tree.nv
    found = summed(setting.force(inputs, a=still), force_terms(setting, inputs, [still])[0])
    return replace(found, terms=lambda: load_terms(setting, inputs, still))


def lost_power(setting: Setting, inputs: Inputs) -> Real:
    """Power [W] that joint losses, loads from outside, and dampers of stops, elastic joints, beams and rods take."""
    with mp.workdps(DIGITS):
        v, quantities = vector(inputs["v"]), setting.quantities(inputs)
        lost = beam_damping_power(setting.tree, v) + rod_damping_power(setting.tree, quantities, v)
        lost += stop_damping_power(setting.tree, quantities, vector(inputs["q"]), v)
        for place, _, damping in springs(setting.tree, quantities):
            lost += damping * (v[place.v_row] - v[place.v_row + 1]) ** 2
        bare = unloaded(setting.description)
        if setting.with_losses or bare != setting.description:  # what they add to the force on the motion
            options = {**setting.load_options, "joint_losses": False}
            free = replace(setting, description=bare, load_options=options)
            lost += dot(subtract(setting.force(inputs), free.force(inputs)), v)
        return lost


def joint_wrenches(setting: Setting, inputs: Inputs) -> Exact:
    """Wrench of each body's parent on it, about its frame's origin in its axes, (nbodies, 6).

    The sum, over all links that the joint carries, of the rates of momentum less gravity and external wrenches.
    """
    motion = _motion(setting, inputs)
    loads = _loads(setting, inputs, motion)
    names = setting.tree.body_names
    return forwards([entry for name in names for entry in _wrench(setting, motion.links[name], loads, {name})])


def station_wrenches(setting: Setting, inputs: Inputs) -> Exact:
    """Wrench of a rod on the section of each node and on all beyond, about its centre in its axes, (ns, 6)."""
    motion = _motion(setting, inputs)
    loads = _loads(setting, inputs, motion)
    found: list[Real] = []
    for place in setting.tree.rods:
        names = [node_name(place.joint.parent, index) for index in range(len(place.rod.nodes))]
        aside = [point_names(place, index) for index in range(len(names))]
        for index, name in enumerate(names):
            beyond = {*names[index:], *chain.from_iterable(aside[index:]), place.joint.child}
            beyond |= {own + GAUGE for own in names[index:]}
            found += _wrench(setting, motion.links[name], loads, beyond)
    return forwards(found)


def _loads(setting: Setting, inputs: Inputs, motion: RobotMotion) -> list[_Load]:
    """Rates of momenta less gravity and external wrenches: of which frame, about which point, force and moment."""
    quantities = setting.quantities(inputs)
    g = setting.gravity(quantities)
    loads: list[_Load] = []
    for part in rigid_parts(setting.description, quantities, motion):
        c = part.centers
        force = scale(part.mass, subtract(scale(2, c[2]), g))
        loads.append((part.frame, c[0], force, angular_momentum_rate(part.frame.rotation, part.inertia)))
    for beam in motion.beams:
        load = beam_load(beam, g)
        loads.append((beam.frame, beam.frame.origin[0], load.force, load.moment))
    for moving, force, moment in link_loads(setting.description, setting.tree, quantities, motion, g):
        loads.append((moving, moving.origin[0], force, moment))
    for name, wrench in zip(setting.tree.body_names, setting.wrenches(inputs) or (), strict=False):
        moving = motion.links[name]
        force, moment = (wrench[3:], wrench[:3]) if setting.spatial else (wrench[:3], wrench[3:])
        if setting.external == "body":
            force, moment = times(moving.rotation[0], force), times(moving.rotation[0], moment)
        loads.append((moving, moving.origin[0], scale(-1, force), scale(-1, moment)))
    return loads


def _wrench(setting: Setting, body: LinkMotion, loads: list[_Load], carriers: set[str]) -> list[Real]:
    """What some carriers take of all loads, about a frame's origin in its axes."""
    total_force, total_moment = vector((0, 0, 0)), vector((0, 0, 0))
    for moving, point, force, moment in loads:
        if any(carrier.child in carriers for carrier in moving.path):
            total_force = add(total_force, force)
            total_moment = add(total_moment, add(moment, cross(subtract(point, body.origin[0]), force)))
    inward = transpose(body.rotation[0])
    force, moment = times(inward, total_force), times(inward, total_moment)
    return [*moment, *force] if setting.spatial else [*force, *moment]


def inverse_dynamics_regressor(setting: Setting, inputs: Inputs) -> Exact:
    """Columns of tau per unit of m, m c, and the moments xx, xy, yy, xz, yz, zz of each body about its frame's origin.

    After these comes a column per rod, of its density: the forces of inertia and weight of all its sections.

    With the frame's origin p and rotation R, the first moment h = m c and the inertia J about p, Newton and Euler
    give, about p, the force ``m (p'' - g) + (R h)''`` and the moment ``(R J R^T w)' + R h x (p'' - g)``: linear in
    all ten. The beams of flexible links are no part of it. Errors are measured against the sizes of these vectors,
    whose projections on a joint's axis may vanish.
    """
    tree = setting.tree
    motion = _motion(setting, inputs)
    g = setting.gravity(setting.quantities(inputs))
    loads = []
    for body, name in enumerate(tree.body_names):
        moving = motion.links[name]
        loads += [(moving, column, load) for column, load in enumerate(_unit_loads(moving, g), 10 * body)]
    rods = [place.v_row for place in tree.places if place.soft is not None or place.mapped is not None]
    for section in motion.sections:
        moving, column = motion.links[section.name], 10 * len(tree.body_names) + rods.index(section.place.v_row)
        moments = [
            scale(moment / section.density, axis) for moment, axis in zip(section.moments, identity(), strict=True)
        ]
        lift = scale(section.mass / section.density, subtract(scale(2, moving.origin[2]), g))
        loads.append((moving, column, (lift, angular_momentum_rate(moving.rotation, moments))))
    rows, sizes = (zero_matrix(tree.nv, 10 * len(tree.body_names) + len(rods)) for _ in range(2))
    for moving, column, (force, moment) in loads:
        for row, part in point_columns(moving, moving.origin[0]).items():
            rows[row][column] += dot(part.linear, force) + dot(part.angular, moment)
            sizes[row][column] += length(part.linear) * length(force) + length(part.angular) * length(moment)
    return summed(flat(rows), flat(sizes))


def _unit_loads(moving: LinkMotion, g: Vector) -> list[tuple[Vector, Vector]]:
    """Force and moment about the frame's origin, per unit of each of the ten parameters."""
    nothing = vector((0, 0, 0))
    lift = subtract(scale(2, moving.origin[2]), g)
    loads = [(lift, nothing)]
    for axis in range(3):
        along = transpose(moving.rotation[0])[axis]
        loads.append((scale(2, transpose(moving.rotation[2])[axis]), cross(along, lift)))
    for first, second in ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)):
        loads.append((nothing, angular_momentum_rate(moving.rotation, _unit_inertia(first, second))))
    return loads


def _unit_inertia(first: int, second: int) -> Matrix:
    inertia, one = zeros(), identity()
    for row in range(3):
        for column in range(3):
            if {row, column} == {first, second}:
                inertia[row][column] = one[0][0]
    return inertia


def _motion(setting: Setting, inputs: Inputs) -> RobotMotion:
    q, v, a = (vector(inputs[name]) for name in ("q", "v", "a"))
    quantities = setting.quantities(inputs)
    return robot_motion(setting.description, setting.tree, quantities, q, v, a, setting.spatial)
