"""Mass matrix by composite bodies, in body frames (Walker & Orin 1982; Featherstone 2008, section 6.2).

Inward: the inertia I^c of everything that a joint carries, turned and shifted into the parent's frame. Then, for every
column S of a joint, the wrench F = I^c S walks to the root, and each joint on its way reads S^T F (see ``root_walk``).
With Sigma = integral r r^T dm and J = tr(Sigma) 1 - Sigma, a column (v; omega) has

    f = m v + omega x h,    n = J omega + h x v

Blocks between bodies of which neither carries the other are zero and are never written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from symdyn.model.bind import INERTIA, ROTATION, TRANSLATION, inertia_of
from symdyn.model.joints import (
    Flexure,
    JointModel,
)
from symdyn.model.model import Model
from symdyn.plan import Access, Binding, Constant, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit
from symdyn.recursion.beam_shape import coupling, first_names, modal_mass, trace_names
from symdyn.recursion.root_walk import entries_of_row, walk_sweeps
from symdyn.recursion.tree import TreePlan, frame_in_parent
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.spatial.force import wrench_in_parent
from symdyn.spatial.inertia import inertia_from
from symdyn.spatial.vectors import add, scale

Reads = Mapping[str, Sequence[Scalar]]
Writes = Mapping[str, Sequence[Scalar]]

INERTIA_SIZE = len(INERTIA)


@dataclass(frozen=True, slots=True)
class CompositeVariant:
    """What is structural about a body that gathers inertia; ``carries`` tells whether other bodies hang on it."""

    kind: JointModel
    mimic: bool
    geared: bool
    carries: bool
    transmits: bool


def gather(variant: CompositeVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Inward step: composite inertia, its wrenches for the joint's columns, and the joint's own block."""
    inertia = inertia_of(constants)
    if variant.carries:
        below = reads["inertia"]
        inertia = inertia.plus(inertia_from(below))
    q = list(reads["q"])
    gain = constants["multiplier"] if variant.mimic else 1.0
    if variant.mimic:
        q = [gain * q[0] + constants["offset"]]
    stored = variant.kind.pose(algebra, q, constants)
    pose = variant.kind.placed(stored)
    writes: dict[str, Sequence[Scalar]] = {}
    if _needs_pose(variant.kind, variant.transmits):
        writes["pose"] = stored
    columns = variant.kind.columns(pose, constants)
    bent = isinstance(variant.kind, Flexure)
    shares = coupling(variant.kind, constants, reads) if isinstance(variant.kind, Flexure) else []
    block: list[list[Scalar]] = [[0.0] * len(columns) for _ in columns]
    for place, column in enumerate(columns):
        wrench = inertia.momentum(column)
        if variant.transmits and bent:
            writes[f"wrench{place}"] = add(wrench_in_parent(frame_in_parent(constants, pose), wrench), shares[place])
        elif variant.transmits:
            writes[f"wrench{place}"] = scale(gain, wrench)
        felt = variant.kind.force(pose, wrench, constants)
        if variant.geared:
            felt[place] = felt[place] + constants["armature"]
        for row in range(place + 1):
            block[row][place] = block[place][row] = gain * (gain * felt[row])
    if isinstance(variant.kind, Flexure):
        block = [add(row, own) for row, own in zip(block, modal_mass(variant.kind, constants, q), strict=True)]
    writes |= {f"row{place}": row for place, row in enumerate(block)}
    if variant.transmits:
        writes["parent_inertia"] = inertia.seen_from_parent(frame_in_parent(constants, pose)).scalars()
    return writes


def _needs_pose(kind: JointModel, transmits: bool) -> bool:
    """Whether later sweeps read the joint's pose; a rotor has none."""
    return kind.stored > 0 and (transmits or kind.posed)


@cache
def _gather_step(rows: int) -> Step:
    ports = (
        Port("q", Mode.READ),
        Port("shape", Mode.READ),
        Port("inertia", Mode.READ),
        Port("pose", Mode.WRITE),
        *(Port(f"wrench{place}", Mode.WRITE) for place in range(rows)),
        *(Port(f"row{place}", Mode.ADD) for place in range(rows)),
        Port("parent_inertia", Mode.ADD),
    )
    return Step("gather", gather, ports)


def mass_matrix_sweeps(tree: TreePlan) -> tuple[list[Field], list[Sweep]]:
    """Sweeps that fill the output field ``M``, (nv, nv), from ``q``; the tree may be regrouped.

    Entries between separate branches are left alone.
    """
    model = tree.model
    carries = {model.bodies[index].parent for index in tree.links}
    first_column = [0]
    for body in model.bodies:
        first_column.append(first_column[-1] + len(body.joint.coordinates.v))
    fields = [
        Field("inertia", FieldKind.STATE, INERTIA_SIZE, len(model.bodies)),
        Field("wrench", FieldKind.STATE, 6, first_column[-1]),
        Field("carried", FieldKind.STATE, 6, tree.depth_rows),
        Field("M", FieldKind.OUTPUT, model.nv * model.nv),
    ]
    inward = tuple(
        _gather_visit(tree, index, index in carries, first_column[index])
        for index in reversed(range(len(model.bodies)))
    )
    return fields, [Sweep(_gather_step(model.most_rows), inward), *walk_sweeps(tree, first_column)]


def mass_matrix_plan(model: Model) -> Plan:
    """The plan of M(q), (nv, nv), both triangles, rotor inertia included.

    Parameters
    ----------
    model
        The robot.
    """
    tree = TreePlan(model)
    fields, sweeps = mass_matrix_sweeps(tree)
    return Plan(
        "mass_matrix",
        (Field("q", FieldKind.INPUT, model.nq), *tree.fields(), *fields),
        (*tree.binding_sweeps(), *sweeps),
        tuple(body.name for body in model.bodies),
        model.parent,
    )


def _gather_visit(tree: TreePlan, index: int, carries: bool, column: int) -> Visit:
    body = tree.model.bodies[index]
    own = tree.variant(index)
    variant = CompositeVariant(own.kind, own.mimic, own.geared, carries, own.transmits)
    rows = len(body.joint.coordinates.v)
    start = body.joint.v_index
    bindings: dict[str, Binding] = {"q": tree.q(index)}
    shaped: dict[str, Constant] = {}
    if isinstance(own.kind, Flexure):
        bindings["shape"] = tree.beams.shape(index)
        shaped |= tree.beams.constants(index, (*first_names(own.kind), *trace_names(own.kind)))
    if carries:
        bindings["inertia"] = Access("inertia", INERTIA_SIZE * index, INERTIA_SIZE)
    if _needs_pose(own.kind, own.transmits):
        bindings["pose"] = tree.pose(index)
    for place in range(rows):
        bindings[f"row{place}"] = entries_of_row(tree, start + place, start, rows)
        if own.transmits:
            bindings[f"wrench{place}"] = Access("wrench", 6 * (column + place), 6)
    if own.transmits:
        bindings["parent_inertia"] = Access("inertia", INERTIA_SIZE * body.parent, INERTIA_SIZE)
    placed = (*ROTATION, *TRANSLATION) if own.transmits else ()
    names = (*placed, *INERTIA, "pitch", "multiplier", "offset", *(("armature",) if own.geared else ()))
    return Visit(index, variant, tree.constants(index, names) | shaped, bindings)
