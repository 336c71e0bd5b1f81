"""Centre of mass and its velocity by augmented first moments, from the leaves to the root.

A joint moves only part of what its body carries: the mass M of the subtree at the joint's place l, and the share of the
first moment along the axis of a turn (all of it for a slide), move with the parent. Counted there once and for all
(augmented bodies, Wittenburg 2008), they leave per body a constant H, and per joint with pose (R, d),
relative twist (Omega; nu) in child axes and rotation E into the parent's axes

    h = H + sum of what the children hand on,    handed on: E (R h + M d),
    g = sum of what the children hand on,        handed on: E R (g + Omega x h + M nu),   g the rate of h in the body

What reaches the ground is the total mass times the centre, and times its velocity. Constants are divided by the total
mass beforehand unless it rests on run-time parameters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import add, matrix_from, scale, times
from symdyn.dynamics.centroidal.augmented_mass import MOMENT, AugmentedMass
from symdyn.dynamics.elements.listed import DEFORMABLES
from symdyn.dynamics.tree.bindings import BoundStep, Reads, Writes, add_to, plan_of, read, step, write
from symdyn.dynamics.tree.places import POSE, Place, Q, Rows, V
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.bind import ROTATION
from symdyn.model.frame_policy import check_described
from symdyn.model.joints import JointModel, JointPose
from symdyn.model.model import Model
from symdyn.plan.plan import Access, Field, FieldKind, Plan, Sweep


@dataclass(frozen=True, slots=True)
class MomentVariant:
    """What is structural about a body that hands on its first moment.

    ``carries`` tells whether bodies hang on it; ``moves`` whether rates are wanted; ``rate_only`` that nobody reads the
    moment; ``anchored`` drops the place of a free base, so that the centre is found from its origin.
    """

    kind: JointModel
    carries: bool
    moves: bool
    rate_only: bool
    anchored: bool


def hand_on(variant: MomentVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Inward step: the first moment of everything that a joint carries, and its rate, to the parent."""
    pose = _pose(variant, algebra, constants, reads)
    rotation = matrix_from([constants[name] for name in ROTATION])
    mass, moment = constants[MOMENT[0]], [constants[name] for name in MOMENT[1:]]
    if variant.carries:
        moment = add(moment, reads["moment"])
    seen = pose.rotation.times(moment)
    if pose.translation is not None and not variant.anchored:
        seen = add(seen, scale(mass, pose.translation))
    writes: dict[str, Sequence[Scalar]] = {} if variant.rate_only else {"parent_moment": times(rotation, seen)}
    if variant.moves:
        inner = list(reads["rate"]) if variant.carries else [0.0] * 3
        rate = variant.kind.moment_rate(pose, reads["v"], constants, mass, moment, inner, seen)
        writes["parent_rate"] = times(rotation, rate)
    return writes


def _pose(variant: MomentVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> JointPose:
    if "pose" in reads:
        return variant.kind.placed(reads["pose"])
    return variant.kind.placed(variant.kind.pose(algebra, reads["q"], constants))


def ground_share(_: Any, __: Algebra, constants: Mapping[str, Scalar], ___: Reads) -> Writes:
    """First step: the moment that no joint moves."""
    return {"moment": [constants[name] for name in MOMENT[1:]]}


def over_mass(_: Any, __: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Last step, where the total mass rests on run-time parameters: from a sum to a mean."""
    return {"mean": scale(constants["inverse_mass"], reads["sum"])}


_SUM = Place("", lambda tree, item, field: Access(field, 0, 3))
"""Three scalars of a field that a sweep names."""
_GROUND_SHARE = step(ground_share, variant=lambda tree, item: None, moment=add_to(_SUM))
_OVER_MASS = step(over_mass, variant=lambda tree, item: None, sum=read(_SUM), mean=write(_SUM))


def _hand_on(moment: Rows, rate: Rows, moves: bool, posed: bool) -> BoundStep:
    carried = Place(moment.field, lambda tree, body, field: moment.of(tree, body) if body in tree.carriers else None)
    return step(
        hand_on,
        q=read(Q.where(lambda tree: not posed)),
        v=read(V.where(lambda tree: moves), when=lambda b: b.moves),
        pose=read(POSE.where(lambda tree: posed)),
        moment=read(carried),
        rate=read(rate.own, when=lambda b: b.moves and b.carries),
        parent_moment=add_to(moment.above),
        parent_rate=add_to(rate.above, when=lambda b: b.moves),
        constants=lambda b: (*ROTATION, *(b.kind.column_constants if posed else b.kind.constants)),
    )


def center_of_mass_sweeps(
    tree: TreePlan, center: str = "", velocity: str = "", anchored: bool = False, posed: bool = False
) -> tuple[list[Field], list[Sweep]]:
    """Sweeps that fill the fields named ``center`` and ``velocity``, three scalars each, in world axes.

    The caller declares these two, ``q`` and ``v``.

    Parameters
    ----------
    tree
        The robot.
    center, velocity
        Fields for the centre [m] and its velocity [m/s]; empty where it is not wanted.
    anchored
        Find the centre from the origin of a free base, where there is one. Not for velocities.
    posed
        Read the field ``pose`` that an earlier sweep filled, instead of q.

    Raises
    ------
    ModelError
        A robot whose moving links have no mass.
    """
    assert not (anchored and velocity)
    masses = AugmentedMass(tree.model)
    count = len(tree.model.bodies)
    fields = [*masses.fields(), Field("moment", FieldKind.STATE, 3, count)]
    if velocity:
        fields.append(Field("moment_rate", FieldKind.STATE, 3, count))
    sums = {name: name for name in (center, velocity) if name}
    if masses.runtime:
        sums = {name: f"{name}_sum" for name in sums}
        fields += [Field(name, FieldKind.STATE, 3) for name in sums.values()]
    moment = Rows("moment", 3, lambda tree: Access(sums[center], 0, 3) if center else None)
    rate = Rows("moment_rate", 3, lambda tree: Access(sums[velocity], 0, 3))

    def variant(tree: TreePlan, index: int) -> MomentVariant:
        body = tree.model.bodies[index]
        return MomentVariant(
            kind=body.joint.kind,
            carries=index in tree.carriers,
            moves=bool(velocity),
            rate_only=body.parent < 0 and not center,
            anchored=anchored and index == tree.model.free_base,
        )

    deformed = DEFORMABLES.first_moments(
        tree,
        masses.total,
        lambda body: moment.of(tree, body) if body >= 0 or center else None,
        lambda body: rate.of(tree, body) if velocity else None,
    )
    sweeps = [*masses.binding_sweeps(), *deformed]
    if center and masses.has_ground_share and not (anchored and tree.model.free_base is not None):
        share = masses.ground_share()
        sweeps.append(_GROUND_SHARE.over(tree, [-1], more=lambda *_: share, moment=sums[center]))
    handed = _hand_on(moment, rate, bool(velocity), posed)
    sweeps.append(handed.over(tree, reversed(tree.links), variant, lambda tree, index: masses.constants(index)))
    if masses.runtime:
        inverse = masses.inverse_mass()
        sweeps += [_OVER_MASS.over(tree, [-1], more=lambda *_: inverse, sum=sums[name], mean=name) for name in sums]
    return fields, sweeps


def center_of_mass_plan(model: Model) -> Plan:
    """The plan of the centre of mass of the moving links, (3,), in the world.

    Parameters
    ----------
    model
        The robot.

    Raises
    ------
    ModelError
        A robot whose moving links have no mass.
    """
    return _plan(model, "center_of_mass", "com", "")


def center_of_mass_velocity_plan(model: Model) -> Plan:
    """The plan of the velocity of the centre of mass, (3,), in world axes; parameters and errors as above."""
    return _plan(model, "center_of_mass_velocity", "", "com_velocity")


def _plan(model: Model, name: str, center: str, velocity: str) -> Plan:
    check_described(model)
    tree = TreePlan(model)
    fields, sweeps = center_of_mass_sweeps(tree, center, velocity)
    return plan_of(name, tree, sweeps, [*fields, Field(center or velocity, FieldKind.OUTPUT, 3)], binding=())
