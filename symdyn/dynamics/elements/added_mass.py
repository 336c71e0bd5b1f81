"""Fluid that moves with bodies and with sections of rods: forces, energy, and what it adds to their inertia.

With the twist (v; omega) of a place in its own axes and the diagonal M_A, the fluid has the momentum (p; L) = M_A
(v; omega), and takes

    f = p' + omega x p,    n = L' + omega x L + v x p

(Kirchhoff). It has no weight: v' is that of the motion, and not of what falls with it.
"""

from __future__ import annotations

from collections.abc import Mapping

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.articulated import SIZE, ArticulatedInertia, diagonal
from symdyn.algebra.spatial.rotations import General
from symdyn.algebra.spatial.vectors import (
    Matrix,
    Vector,
    add,
    cross,
    dot,
    matrix_from,
    scale,
    subtract,
    times,
    transpose,
)
from symdyn.description.fluid import AddedMass
from symdyn.dynamics.elements.base import Element, Gives, body_of, over_loads
from symdyn.dynamics.elements.external_load import turned_at
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, read, step
from symdyn.dynamics.tree.kinematics import motion_from
from symdyn.dynamics.tree.load_entries import WrenchVariant, entries_at, entries_variant
from symdyn.dynamics.tree.places import ADDED, ARTICULATED, GROUND, MOTION, ORIENTATION, TWIST, WRENCH, Rows, whole
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.dynamics.tree.tree_loads import AXES, OFFSET, BodyLoad
from symdyn.plan.plan import Field, FieldKind, Sweep


def _axes(constants: Mapping[str, Scalar]) -> tuple[Matrix, Vector]:
    """Of the place, in the body's frame."""
    return matrix_from([constants[name] for name in AXES]), [constants[name] for name in OFFSET]


def masses_at(variant: WrenchVariant, algebra: Algebra, constants: Mapping[str, Scalar]) -> Vector:
    """The six entries of M_A at a place."""
    entries = entries_at(variant, algebra, [], [], constants, {})
    return scale(constants["share"], entries) if variant.per_length else entries


def _moved(constants: Mapping[str, Scalar], twist: Vector) -> tuple[Vector, Vector]:
    """Velocity and angular velocity of the place, in its axes."""
    axes, at = _axes(constants)
    into, omega = transpose(axes), twist[3:]
    return times(into, add(twist[:3], cross(omega, at))), times(into, omega)


def added_wrench(variant: WrenchVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """What motion needs for the fluid, about the body's origin in its axes."""
    masses, (axes, at) = masses_at(variant, algebra, constants), _axes(constants)
    into, motion = transpose(axes), motion_from(reads["motion"])
    falls = motion_from(reads["ground"]).acceleration
    seen = subtract(motion.acceleration, times(transpose(matrix_from(reads["orientation"])), falls))
    velocity, omega = _moved(constants, reads["twist"])
    u = motion.u
    turning = [0.5 * (u[2][1] - u[1][2]), 0.5 * (u[0][2] - u[2][0]), 0.5 * (u[1][0] - u[0][1])]
    rate = subtract(times(into, add(seen, times(u, at))), cross(omega, velocity))
    linear, angular = _product(masses[:3], velocity), _product(masses[3:], omega)
    force = add(_product(masses[:3], rate), cross(omega, linear))
    moment = add(_product(masses[3:], times(into, turning)), cross(omega, angular))
    return {"wrench": turned_at(axes, [*force, *add(moment, cross(velocity, linear))], at)}


def _product(masses: Vector, vector: Vector) -> list[Scalar]:
    return [mass * entry for mass, entry in zip(masses, vector, strict=True)]


def added_energy(variant: WrenchVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """The kinetic energy of the fluid."""
    velocity, omega = _moved(constants, reads["twist"])
    twice = dot(_product(masses_at(variant, algebra, constants), [*velocity, *omega]), [*velocity, *omega])
    return {"energy": [0.5 * twice]}


def own_added(variant: WrenchVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """What resists accelerations of the body, in its frame."""
    axes, at = _axes(constants)
    return {"added": diagonal(masses_at(variant, algebra, constants)).turned(General(axes)).shifted(at).entries}


def added_change(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """What an acceleration of the body (a; alpha) asks for."""
    return {"push": ArticulatedInertia(reads["added"]).times(reads["acceleration_change"])}


def felt_added(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """What a body resists with, as if bodies that hang on it did."""
    return {"articulated": reads["added"]}


def variant_of(_: TreePlan, load: BodyLoad) -> WrenchVariant:
    """What is structural about an added mass: its entries, and whether they are per metre."""
    assert isinstance(load.load, AddedMass)
    return entries_variant(load.load)


_RESPONDING = Rows("response_added", SIZE)
"""What bodies have themselves, stations among them."""
_WRENCH = step(
    added_wrench,
    variant=variant_of,
    body=body_of,
    motion=read(MOTION.own.by(body_of)),
    twist=read(TWIST.own.by(body_of)),
    ground=read(GROUND),
    orientation=read(ORIENTATION.own.by(body_of)),
    wrench=add_to(WRENCH.own.by(body_of)),
)
_ENERGY = step(
    added_energy,
    variant=variant_of,
    body=body_of,
    twist=read(TWIST.own.by(body_of)),
    energy=add_to(whole("energy", 1, FieldKind.OUTPUT)),
)
_OWN = step(own_added, variant=variant_of, body=body_of, added=add_to(ADDED.own.by(body_of)))
_CHANGE = step(
    added_change,
    variant=lambda tree, body: None,
    added=read(_RESPONDING.own),
    acceleration_change=read(Rows("response_change", 6).own),
    push=add_to(Rows("response_push", 6).own),
)
_FELT = step(felt_added, variant=lambda tree, body: None, added=read(ADDED.own), articulated=add_to(ARTICULATED.own))
ADDED_MASS = Element("added mass", {Gives.WRENCH: over_loads(_WRENCH, AddedMass, "wrench")})


def added_sweeps(tree: TreePlan, field: str = ADDED.field) -> list[Sweep]:
    """The sweep that adds what bodies have themselves to a field with a row for each."""
    bodies = tree.added.bodies
    return [_OWN.over(tree, bodies, None, lambda _, load: load.constants, added=field)] if bodies else []


def articulated_sweeps(tree: TreePlan, bodies: frozenset[int]) -> list[Sweep]:
    """Sweeps that add all this to the articulated inertia of what some bodies carry."""
    carried = sorted(bodies & tree.added.own)
    return [*added_sweeps(tree), _FELT.over(tree, carried)] if carried else []


def response_sweeps(tree: TreePlan, k: int) -> list[Sweep]:
    """Sweeps that add what accelerations ``response_change`` of order k ask of the fluid to ``response_push``."""
    if not tree.added.own:
        return []
    acceleration_change = _CHANGE.over(tree, sorted(tree.added.own))
    return [acceleration_change] if k else [*added_sweeps(tree, _RESPONDING.field), acceleration_change]


def response_fields(tree: TreePlan) -> list[Field]:
    """The state of these sweeps."""
    return [Field(_RESPONDING.field, FieldKind.STATE, SIZE, len(tree.model.bodies))] if tree.added.own else []


def energy_sweeps(tree: TreePlan) -> list[Sweep]:
    """The sweep that adds the kinetic energy of the fluid to ``energy``."""
    return [_ENERGY.over(tree, tree.added.bodies, None, lambda _, load: load.constants)] if tree.added.bodies else []
