"""Kinetic and potential energy.

Kinetic, outward: with a body's velocity (v at its origin; omega), T = v . (m v / 2 + omega x h) + omega . J omega / 2.
Where inertia is counted (``model.regroup``) plays no part in it: what is moved to the parent has the parent's velocity.

Potential, inward: masses m and first moments h add up to those of the whole robot about the world's origin, where
U = -g . h; springs add theirs. Only the ground's share tells one zero of U from another, so here inertia stays with its
own body.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.model.bind import FIRST_MOMENT, INERTIA, ROTATION, SECOND_MOMENT, TRANSLATION
from symdyn.model.joints import JointModel
from symdyn.model.model import Model
from symdyn.plan import Access, Binding, Field, FieldKind, Given, Mode, Plan, Port, Step, Sweep, Visit
from symdyn.recursion.beam_momentum import beam_energy_sweeps, ground_moment_sweeps
from symdyn.recursion.kinematics import MOTION_SIZE, ground_motion, motion_from
from symdyn.recursion.springs import spring_energy_sweeps
from symdyn.recursion.tree import TreePlan, frame_in_parent
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.spatial.motion import motion_in_child
from symdyn.spatial.vectors import Vector, add, cross, dot, scale

Reads = Mapping[str, Sequence[Scalar]]
Writes = Mapping[str, Sequence[Scalar]]

TWIST_SIZE = 6
_AT_REST = Given((0.0,) * TWIST_SIZE)
_JOINT = ("pitch", "multiplier", "offset")


@dataclass(frozen=True, slots=True)
class EnergyVariant:
    """What is structural about a body: its joint, and whether other bodies hang on it."""

    kind: JointModel
    mimic: bool = False
    geared: bool = False
    carries: bool = False


def kinetic_step(variant: EnergyVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Outward step: a body's velocity in its own axes, and its energy [J] with that of the joint's rotor."""
    v = list(reads["v"])
    if variant.mimic:
        v = [constants["multiplier"] * v[0]]
    half = 0.5 * constants["armature"] if variant.geared else 0.0
    spinning = half * sum(rate * rate for rate in v)
    if not variant.kind.has_frame:
        return {"energy": [spinning]}
    q = _own_coordinates(variant, constants, reads)
    pose = variant.kind.placed(variant.kind.pose(algebra, q, constants))
    joint = variant.kind.motion(pose, v, [0.0] * len(v), constants)
    twist = add(motion_in_child(frame_in_parent(constants, pose), reads["parent"]), joint.twist)
    return {"twist": twist, "energy": [body_energy(constants, twist) + spinning]}


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
    q = _own_coordinates(variant, constants, reads)
    pose = variant.kind.placed(variant.kind.pose(algebra, q, constants))
    x_pc = frame_in_parent(constants, pose)
    return {"parent_first": [mass, *add(scale(mass, x_pc.origin), x_pc.rotate(first))]}


def _own_coordinates(variant: EnergyVariant, constants: Mapping[str, Scalar], reads: Reads) -> list[Scalar]:
    if not variant.mimic:
        return list(reads["q"])
    return [constants["multiplier"] * reads["q"][0] + constants["offset"]]


def fall(_: str, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """U = -g . h for the whole robot; the ground accelerates by -g."""
    return {"energy": [dot(motion_from(reads["ground"]).acceleration, reads["first"][1:])]}


_KINETIC = Step(
    "kinetic_energy",
    kinetic_step,
    (
        Port("q", Mode.READ),
        Port("v", Mode.READ),
        Port("parent", Mode.READ),
        Port("twist", Mode.WRITE),
        Port("energy", Mode.ADD),
    ),
)
_WEIGH = Step("weigh", weigh, (Port("q", Mode.READ), Port("first", Mode.READ), Port("parent_first", Mode.ADD)))
_FALL = Step("fall", fall, (Port("ground", Mode.READ), Port("first", Mode.READ), Port("energy", Mode.ADD)))


def kinetic_energy_plan(model: Model) -> Plan:
    """The plan of T(q, v) = v^T M v / 2, one scalar, rotor inertia included.

    Parameters
    ----------
    model
        The robot.
    """
    tree = TreePlan(model)
    visits = []
    for index, body in enumerate(model.bodies):
        own = tree.variant(index)
        bindings: dict[str, Binding] = {"v": tree.v(index), "energy": Access("energy", 0, 1)}
        names = [*_JOINT, "armature"] if own.geared else [*_JOINT]
        if own.kind.has_frame:
            above = _AT_REST if body.parent < 0 else tree.along_path("twist", TWIST_SIZE, body.parent)
            bindings |= {"q": tree.q(index), "parent": above, "twist": tree.along_path("twist", TWIST_SIZE, index)}
            names += [*ROTATION, *TRANSLATION, *INERTIA]
        variant = EnergyVariant(own.kind, own.mimic, own.geared)
        visits.append(Visit(index, variant, tree.constants(index, names), bindings))
    fields = (
        Field("q", FieldKind.INPUT, model.nq),
        Field("v", FieldKind.INPUT, model.nv),
        Field("twist", FieldKind.STATE, TWIST_SIZE, tree.depth_rows),
        Field("energy", FieldKind.OUTPUT, 1),
    )

    def twist(body: int) -> Binding:
        return _AT_REST if body < 0 else tree.along_path("twist", TWIST_SIZE, body)

    bent = beam_energy_sweeps(tree, twist, Access("energy", 0, 1))
    return _plan("kinetic_energy", tree, fields, [Sweep(_KINETIC, tuple(visits)), *bent])


def potential_energy_plan(model: Model) -> Plan:
    """The plan of U(q), one scalar, springs included; that of weight is zero with all mass in the world's origin.

    Parameters
    ----------
    model
        The robot.
    """
    tree = TreePlan(model)
    count = len(model.bodies)
    carries = {model.bodies[index].parent for index in tree.links}
    visits = []
    for index in reversed(tree.links):
        own = tree.variant(index)
        parent = model.bodies[index].parent
        bindings: dict[str, Binding] = {
            "q": tree.q(index),
            "parent_first": Access("first", 4 * (parent if parent >= 0 else count), 4),
        }
        if index in carries:
            bindings["first"] = Access("first", 4 * index, 4)
        names = (*ROTATION, *TRANSLATION, "m", *FIRST_MOMENT, *_JOINT)
        variant = EnergyVariant(own.kind, own.mimic, carries=index in carries)
        visits.append(Visit(index, variant, tree.constants(index, names), bindings))
    ground: Binding = (
        Access("ground", 0, MOTION_SIZE) if tree.gravity_is_runtime else Given(tuple(ground_motion(model.gravity)))
    )
    whole = {"ground": ground, "first": Access("first", 4 * count, 4), "energy": Access("energy", 0, 1)}
    on_ground = ground_moment_sweeps(tree, Access("first", 4 * count, 4))
    sweeps = [Sweep(_WEIGH, tuple(visits)), *on_ground, Sweep(_FALL, (Visit(-1, "fall", {}, whole),))]
    sweeps += spring_energy_sweeps(tree, "energy")
    fields = (
        Field("q", FieldKind.INPUT, model.nq),
        Field("first", FieldKind.STATE, 4, count + 1),
        Field("energy", FieldKind.OUTPUT, 1),
    )
    return _plan("potential_energy", tree, fields, sweeps)


def _plan(name: str, tree: TreePlan, fields: Sequence[Field], sweeps: Sequence[Sweep]) -> Plan:
    """A plan with what belongs to the robot; no pose is kept from one sweep to the next."""
    kept = [field for field in tree.fields() if field.name != "pose"]
    model = tree.model
    bodies = tuple(body.name for body in model.bodies)
    return Plan(name, (*fields, *kept), (*tree.binding_sweeps(), *sweeps), bodies, model.parent)
