"""Kinetic and potential energy.

Kinetic, outward: with a body's velocity (v at its origin; omega), T = v . (m v / 2 + omega x h) + omega . J omega / 2.
Where inertia is counted (``model.regroup``) plays no part in it: what is moved to the parent has the parent's velocity.

Potential, inward: masses m and first moments h add up to those of the whole robot about the world's origin, where
U = -g . h; springs add theirs. Only the ground's share tells one zero of U from another, so here inertia stays with its
own body.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import Vector, add, cross, dot, scale
from symdyn.dynamics.elements.added_mass import energy_sweeps as added_energy
from symdyn.dynamics.elements.listed import DEFORMABLES, energy_sweeps
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, declared_by, plan_of, read, step, write
from symdyn.dynamics.tree.body_state import moved_twist, pose_sweep
from symdyn.dynamics.tree.body_variant import frame_in_parent
from symdyn.dynamics.tree.kinematics import motion_from
from symdyn.dynamics.tree.places import GROUND, TWIST, Q, Rows, V, whole
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.bind import FIRST_MOMENT, INERTIA, ROTATION, SECOND_MOMENT, TRANSLATION
from symdyn.model.joints import JointModel, JointPose
from symdyn.model.model import Model
from symdyn.plan.plan import Access, FieldKind, Plan

FIRST = Rows("first", 4, grounded=True)
ENERGY = whole("energy", 1, FieldKind.OUTPUT)


@dataclass(frozen=True, slots=True)
class EnergyVariant:
    """What is structural about a body: its joint, and whether other bodies hang on it."""

    kind: JointModel
    geared: bool = False
    carries: bool = False


def kinetic_step(variant: EnergyVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Outward step: a body's velocity in its own axes, and its energy [J] with that of the joint's rotor."""
    v = reads["v"]
    half = 0.5 * constants["armature"] if variant.geared else 0.0
    spinning = half * sum(rate * rate for rate in variant.kind.coordinate_map.rates(v, constants))
    if not variant.kind.has_frame:
        return {"energy": [spinning]}
    pose = _pose(variant, algebra, constants, reads)
    twist = moved_twist(variant.kind, constants, pose, v, reads["parent"])
    return {"twist": twist, "energy": [body_energy(constants, twist) + spinning]}


def _pose(variant: EnergyVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> JointPose:
    return variant.kind.placed(variant.kind.pose(algebra, reads["q"], constants))


def body_energy(constants: Mapping[str, Scalar], twist: Vector) -> Scalar:
    """Kinetic energy [J] of a body with a twist (v; omega) in its own axes at its origin."""
    xx, xy, xz, yy, yz, zz = (constants[name] for name in SECOND_MOMENT)
    velocity, omega = twist[:3], twist[3:]
    x, y, z = omega
    first = [constants[name] for name in FIRST_MOMENT]
    half = 0.5 * constants["m"]
    spin = x * (0.5 * (yy + zz) * x - xy * y - xz * z) + y * (0.5 * (xx + zz) * y - yz * z) + z * (0.5 * (xx + yy) * z)
    return spin + dot(velocity, add(scale(half, velocity), cross(omega, first)))


def weigh(variant: EnergyVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Inward step: mass and first moment of a body with all that it carries, in the parent's frame."""
    mass, first = constants["m"], [constants[name] for name in FIRST_MOMENT]
    if variant.carries:
        mass, first = mass + reads["first"][0], add(first, reads["first"][1:])
    pose = _pose(variant, algebra, constants, reads)
    x_pc = frame_in_parent(constants, pose)
    return {"parent_first": [mass, *add(scale(mass, x_pc.origin), x_pc.rotate(first))]}


def fall(_: str, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """U = -g . h for the whole robot; the ground accelerates by -g."""
    return {"energy": [dot(motion_from(reads["ground"]).acceleration, reads["first"][1:])]}


def _is_link(variant: EnergyVariant) -> bool:
    return variant.kind.has_frame


def _weighing(tree: TreePlan, index: int) -> EnergyVariant:
    return EnergyVariant(tree.joint(index).kind, carries=index in tree.carriers)


def _moving(tree: TreePlan, index: int) -> EnergyVariant:
    own = tree.variant(index)
    return EnergyVariant(own.kind, own.geared)


_KINETIC = step(
    kinetic_step,
    name="kinetic_energy",
    variant=_moving,
    q=read(Q, when=_is_link),
    v=read(V),
    parent=read(TWIST.above, when=_is_link),
    twist=write(TWIST.own, when=_is_link),
    energy=add_to(ENERGY),
    constants=lambda b: (
        *b.kind.constants,
        *(("armature",) if b.geared else ()),
        *((*ROTATION, *TRANSLATION, *INERTIA) if _is_link(b) else ()),
    ),
)
_WEIGH = step(
    weigh,
    variant=_weighing,
    q=read(Q),
    first=read(FIRST.own, when=lambda b: b.carries),
    parent_first=add_to(FIRST.above),
    constants=lambda b: (*ROTATION, *TRANSLATION, "m", *FIRST_MOMENT, *b.kind.constants),
)
_FALL = step(
    fall, variant=lambda tree, ground: "fall", ground=read(GROUND), first=read(FIRST.own), energy=add_to(ENERGY)
)


def kinetic_energy_plan(model: Model, kept: bool = False) -> Plan:
    """The plan of T(q, v) = v^T M v / 2, one scalar, rotor inertia included.

    Parameters
    ----------
    model
        The robot.
    kept
        Whether each body has a place of its own, as walks back need.
    """
    tree = TreePlan(model, kept=kept)
    deformed = DEFORMABLES.kinetic_energies(tree, lambda body: TWIST.of(tree, body), Access("energy", 0, 1))
    sweeps = [_KINETIC.over(tree, range(len(model.bodies))), *deformed, *added_energy(tree)]
    return plan_of("kinetic_energy", tree, sweeps, declared_by(sweeps))


def potential_energy_plan(model: Model) -> Plan:
    """The plan of U(q), one scalar, springs included; that of weight is zero with all mass in the world's origin.

    Parameters
    ----------
    model
        The robot.
    """
    tree = TreePlan(model)
    on_ground = DEFORMABLES.ground_moments(tree, Access("first", 4 * len(model.bodies), 4))
    sweeps = [_WEIGH.over(tree, reversed(tree.links)), *on_ground, _FALL.over(tree, [-1])]
    needed, stored = energy_sweeps(tree)
    sweeps += [*([pose_sweep(tree)] if needed else []), *needed, *stored]
    return plan_of("potential_energy", tree, sweeps, declared_by(sweeps))
