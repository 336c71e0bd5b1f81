"""What accelerations of one order, once they are found, add to the motions and wrenches that higher orders read.

The accelerations a_k of an order move bodies and stations by S a_k, as velocities would at t = 0. Each body's own
wrench follows with its inertia, and wrenches are handed to parents as ever. All is added to coefficient k, and to
coefficient k + 1 of velocities.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.force import wrench_in_parent
from symdyn.algebra.spatial.motion import motion_in_child
from symdyn.algebra.spatial.vectors import add
from symdyn.dynamics.elements.added_mass import response_fields, response_sweeps
from symdyn.dynamics.elements.listed import DEFORMABLES
from symdyn.dynamics.equations.free_base_series import FreeBases
from symdyn.dynamics.equations.order_steps import MOTION_PARTS, settled_motion
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, read, step, write
from symdyn.dynamics.tree.body_variant import frame_in_parent
from symdyn.dynamics.tree.joint_loads import bias_free_accelerations
from symdyn.dynamics.tree.places import POSE, WRENCH, Place, Q, Rows, V, known
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.bind import INERTIA, ROTATION, TRANSLATION, inertia_of
from symdyn.model.joints import JointModel
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Sweep
from symdyn.plan.transforms.stepwise_kernels import coefficient_of


@dataclass(frozen=True, slots=True)
class MovedVariant:
    """What is structural about a body that accelerates: ``prescribed`` are rows of its joint that do not.

    ``at_once`` marks a free base that rests on a frame which moves with it; its pose is not kept.
    """

    kind: JointModel
    prescribed: tuple[bool, ...]
    at_once: bool


@dataclass(frozen=True, slots=True)
class HandedVariant:
    """What is structural about a body that hands on a wrench: ``forces_alone`` if that is all of its tau."""

    kind: JointModel
    forces_alone: bool
    transmits: bool


def moved(variant: MovedVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Outward step: how the body accelerates (a; alpha), what that adds to its motion, and its own wrench."""
    pose = variant.kind.placed(variant.kind.pose(algebra, reads["q"], constants) if variant.at_once else reads["pose"])
    rates = bias_free_accelerations(variant.prescribed, reads["found"])
    acceleration_change = variant.kind.motion(pose, rates, [0.0] * len(rates), constants).twist
    if not variant.at_once:
        acceleration_change = add(
            motion_in_child(frame_in_parent(constants, pose), reads["above"]), acceleration_change
        )
    writes = settled_motion(algebra, constants["power"], acceleration_change)
    return {
        **writes,
        "acceleration_change": acceleration_change,
        "push": inertia_of(constants).momentum(acceleration_change),
    }


def handed(variant: HandedVariant, _: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Inward step: what passes the body's joint, to the wrench of this order and to the parent."""
    push = reads["push"]
    writes: dict[str, list[Scalar]] = {"wrench": list(push)}
    if variant.forces_alone:
        writes["tau"] = list(push[: len(variant.kind.coordinates.v)])  # a point feels the force alone
    if variant.transmits:
        writes["parent_push"] = wrench_in_parent(frame_in_parent(constants, variant.kind.placed(reads["pose"])), push)
    return writes


CHANGE = Rows("response_change", 6, known((0.0,) * 6))
PUSH = Rows("response_push", 6)
_MOVED = step(
    moved,
    q=read(Q, when=lambda b: b.at_once),
    pose=read(POSE, when=lambda b: not b.at_once and b.kind.stored),
    found=read(V),
    above=read(CHANGE.above, when=lambda b: not b.at_once),
    acceleration_change=write(CHANGE.own),
    push=write(PUSH.own),
    turning=add_to(MOTION_PARTS["turning"]),
    u_x=add_to(MOTION_PARTS["u_x"]),
    u_z=add_to(MOTION_PARTS["u_z"]),
    acceleration=add_to(MOTION_PARTS["acceleration"]),
    constants=lambda b: (*(() if b.at_once else (*ROTATION, *TRANSLATION)), *INERTIA, *b.kind.constants),
)


class Response:
    """The sweeps of a robot.

    Parameters
    ----------
    tree
        The robot, which keeps every body's row.
    bases
        The free bases that are found at once.
    free
        Rows whose accelerations are found.
    """

    def __init__(self, tree: TreePlan, bases: FreeBases, free: Collection[int]) -> None:
        self._tree, self._bases, self._free = tree, bases, free

    def fields(self) -> list[Field]:
        """State that the sweeps use beside that of the plan."""
        count = len(self._tree.model.bodies)
        own = [Field(rows.field, FieldKind.STATE, rows.width, count) for rows in (CHANGE, PUSH)]
        return [*own, *response_fields(self._tree)]

    def sweeps(self, k: int, found: str, pushed: Sequence[Sweep] = ()) -> list[Sweep]:
        """Sweeps that add what the accelerations ``found`` (nv,) of order k change.

        ``pushed`` add to :data:`PUSH` what else the motion of order k asks of bodies.
        """
        tree = self._tree
        motion = dict.fromkeys(MOTION_PARTS, coefficient_of("motion", k))
        power = {"power": float(k + 1)}
        rates = (lambda field: coefficient_of(field, k + 1)) if k else None  # at order 0 nobody has kept them
        outward = _MOVED.over(tree, tree.links, self._moved, lambda *_: power, **motion, found=found)
        alike = dict.fromkeys(range(-1, len(tree.model.bodies)), 0)
        deformed = DEFORMABLES.settling(tree, found, self._free, PUSH.field, alike)
        return [
            tree.rods.response(found, self._free, k + 1, rates),
            outward,
            *deformed,
            *response_sweeps(tree, k),
            *pushed,
            self._handed(k),
        ]

    def _moved(self, tree: TreePlan, body: int) -> MovedVariant:
        joint = tree.joint(body)
        free = (False,) * len(joint.coordinates.v)
        prescribed = free if joint.inner else tuple(row not in self._free for row in joint.v_places)
        return MovedVariant(joint.kind, prescribed, body in self._bases.rows)

    def _handed(self, k: int) -> Sweep:
        tree = self._tree

        def tau(tree: TreePlan, body: int, _: str) -> Binding | None:
            if tree.joint(body).inner:
                own = tree.v(body, "tau")
                return Access(coefficient_of(own.field, k), own.offset, own.count, own.stride)
            wrench = self._bases.wrench_of(body)
            return None if wrench is None else Access(coefficient_of(wrench.field, k), wrench.offset, wrench.count)

        def variant(tree: TreePlan, body: int) -> HandedVariant:
            own = tree.model.bodies[body]
            return HandedVariant(own.joint.kind, tau(tree, body, "") is not None, own.parent >= 0)

        per_body = step(
            handed,
            variant=variant,
            push=read(PUSH.own),
            pose=read(POSE, when=lambda b: b.transmits),
            wrench=add_to(WRENCH.own),
            tau=add_to(Place("tau", tau), when=lambda b: b.forces_alone),
            parent_push=add_to(PUSH.above, when=lambda b: b.transmits),
            constants=lambda b: (*ROTATION, *TRANSLATION) if b.transmits else (),
        )
        return per_body.over(tree, reversed(tree.links), wrench=coefficient_of("wrench", k))
