"""The wrench that each joint transmits from the parent to its body, in the body's public frame.

Newton-Euler as in ``rnea``, but every body keeps its own inertia, since what is counted with another body
changes the wrench between the two: F_i = I_i A_i + V_i x* I_i V_i - f_ext_i + sum over children of X^T F_child.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.force import wrench_in_parent
from symdyn.algebra.spatial.transform import turned_halves
from symdyn.algebra.spatial.vectors import matrix_from
from symdyn.dynamics.elements.listed import DEFORMABLES
from symdyn.dynamics.inverse_dynamics.rnea import wrench_sweeps
from symdyn.dynamics.tree.bindings import BoundStep, Reads, VariantOf, Writes, add_to, plan_of, read, step, write
from symdyn.dynamics.tree.body_variant import frame_in_parent
from symdyn.dynamics.tree.places import POSE, WRENCH, Place
from symdyn.dynamics.tree.tree import ALIGNMENT, TreePlan
from symdyn.model.bind import ROTATION, TRANSLATION
from symdyn.model.frame_policy import check_described
from symdyn.model.joints import JointModel
from symdyn.model.model import Model
from symdyn.plan.plan import Access, Field, FieldKind, Plan


@dataclass(frozen=True, slots=True)
class TransmissionVariant:
    """What is structural about a joint that transmits; ``public`` tells whether its body has a row of the result."""

    kind: JointModel
    public: bool
    angular_first: bool
    transmits: bool


def transmit_wrench(
    variant: TransmissionVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads
) -> Writes:
    """Inward step: a body's wrench in its public frame, and its share of the parent's."""
    wrench = reads["wrench"]
    writes: dict[str, Sequence[Scalar]] = {}
    if variant.public:
        alignment = matrix_from([constants[name] for name in ALIGNMENT])
        shown = turned_halves(alignment, wrench)
        writes["shown"] = [*shown[3:], *shown[:3]] if variant.angular_first else shown
    if variant.transmits:
        pose = variant.kind.placed(reads["pose"])
        writes["parent_wrench"] = wrench_in_parent(frame_in_parent(constants, pose), wrench)
    return writes


def transmission(tree: TreePlan, index: int, public: bool) -> TransmissionVariant:
    """What is structural about a body's joint."""
    own = tree.variant(index)
    return TransmissionVariant(own.kind, public, own.angular_first, own.transmits)


def _shown(tree: TreePlan, index: int, field: str) -> Access | None:
    row = tree.model.bodies[index].row
    return None if row is None else Access(field, 6 * row, 6)


SHOWN = Place("F", _shown, lambda tree, field: Field(field, FieldKind.OUTPUT, 6 * len(tree.model.body_names)))


def inward_step(shown: Place, variant: VariantOf) -> BoundStep:
    """The step that hands wrenches inward, and shows those of public variants at a place."""
    return step(
        transmit_wrench,
        variant=variant,
        wrench=read(WRENCH.own),
        pose=read(POSE, when=lambda b: b.transmits),
        shown=write(shown),
        parent_wrench=add_to(WRENCH.above),
        constants=lambda b: (
            *(ALIGNMENT if b.public else ()),
            *((*ROTATION, *TRANSLATION) if b.transmits else ()),
        ),
    )


INWARD = inward_step(SHOWN, lambda tree, index: transmission(tree, index, tree.model.bodies[index].row is not None))


def joint_wrenches_plan(model: Model, external: str = "") -> Plan:
    """The plan of the transmitted wrenches F(q, v, a), (nbodies, 6).

    Parameters
    ----------
    model
        The robot.
    external
        Axes of the wrenches f_ext that the environment applies at the body frames' origins: body, world, or empty.
    """
    check_described(model)
    tree = TreePlan(model, external)
    sweeps = (*wrench_sweeps(tree), *DEFORMABLES.wrenches(tree, ""), INWARD.over(tree, reversed(tree.links)))
    return plan_of("joint_wrenches", tree, sweeps)
