"""Mass matrix by composite bodies, in body frames (Walker & Orin 1982; Featherstone 2008, section 6.2).

Inward: the inertia I^c of everything that a joint carries, turned and shifted into the parent's frame. Then, for every
column S of a joint, the wrench F = I^c S walks to the root, and each joint on its way reads S^T F. With Sigma =
integral r r^T dm and J = tr(Sigma) 1 - Sigma, a column (v; omega) has

    f = m v + omega x h,    n = J omega + h x v

Blocks between bodies of which neither carries the other are zero and are never written.

The walks fill a matrix of (nv, nv): an entry and its mirror image are written at once. Carrying a wrench costs 12
operations per turn about z and 4 per entry of the offset. Bringing everything into one frame instead costs 11 per entry
of the matrix and some 70 per body, which pays only for chains of more than twenty joints.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.articulated import ArticulatedInertia
from symdyn.algebra.spatial.force import wrench_in_parent
from symdyn.algebra.spatial.inertia import inertia_from
from symdyn.algebra.spatial.vectors import add
from symdyn.dynamics.elements.added_mass import added_sweeps
from symdyn.dynamics.elements.listed import tip_of
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, declared_by, plan_of, read, step, write
from symdyn.dynamics.tree.body_variant import frame_in_parent
from symdyn.dynamics.tree.places import ADDED, POSE, SHAPE, Columns, Place, Q, Rows
from symdyn.dynamics.tree.strided_ports import Pieces, scalars_at
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.bind import INERTIA, ROTATION, TRANSLATION, inertia_of
from symdyn.model.contracted import contracted
from symdyn.model.joints import JointModel
from symdyn.model.joints.parts import UNPOSED
from symdyn.model.model import Model
from symdyn.plan.plan import Access, Binding, Constant, Field, FieldKind, Plan, Sweep


@dataclass(frozen=True, slots=True)
class WalkVariant:
    """What is structural about one step of a walk: through a joint of kind ``through`` to a body moved by ``kind``.

    ``shared`` are the places among its rows of the row of v from which the walk starts; ``onward`` tells that the walk
    goes on. Wrenches of a flexible link's rows start on the body that carries it: there ``through`` is None.
    """

    through: JointModel | None
    kind: JointModel
    shared: tuple[int, ...]
    onward: bool


def carry(variant: WalkVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step of a walk: a wrench goes through a joint to the parent, whose joint reads its share."""
    wrench = reads["wrench"]
    if variant.through is not None:
        wrench = wrench_in_parent(frame_in_parent(constants, variant.through.placed(reads["pose"])), wrench)
    pose = variant.kind.placed(reads.get("own_pose", UNPOSED))
    joint_forces = variant.kind.force(pose, wrench, constants)
    writes: dict[str, Sequence[Scalar]] = {"own_wrench": wrench} if variant.onward else {}
    writes |= {f"entry{place}": [value] for place, value in enumerate(joint_forces) if place not in variant.shared}
    return writes | {
        "row": [value + value if place in variant.shared else value for place, value in enumerate(joint_forces)]
    }


class Passage(NamedTuple):
    """A step of the walk of a column: from a body ``through``, which is ``start`` or above it, to the body ``above``.

    ``column`` is the row of the field ``wrench``, ``row`` that of v.
    """

    start: int
    column: int
    row: int
    through: int
    above: int


def _starts(tree: TreePlan, item: Passage) -> bool:
    """Whether the wrench starts on the body above, so that it passes no joint: that of a flexible link's row."""
    return item.through == item.start and tip_of(tree.joint(item.start).kind) is not None


def _carrying(tree: TreePlan, item: Passage) -> WalkVariant:
    own, bodies = tree.variant(item.above), tree.model.bodies
    passed = None if _starts(tree, item) else bodies[item.through].joint.kind
    shared = tuple(place for place, row in enumerate(bodies[item.above].joint.v_places) if row == item.row)
    return WalkVariant(passed, own.kind, shared, own.transmits)


def _constants(tree: TreePlan, item: Passage) -> dict[str, Constant]:
    passed = {} if _starts(tree, item) else tree.constants(item.through, (*ROTATION, *TRANSLATION))
    return passed | tree.constants(item.above, tree.joint(item.above).kind.column_constants)


def _wrench(tree: TreePlan, item: Passage, field: str) -> Binding:
    return Access("wrench", 6 * item.column, 6) if item.through == item.start else CARRIED.of(tree, item.through)


def _row(tree: TreePlan, item: Passage, field: str) -> Access | Pieces:
    return entries_of_row(tree, item.row, tree.joint(item.above).v_places)


def _entries(tree: TreePlan, item: Passage, field: str) -> list[Access | None]:
    rows, nv = tree.joint(item.above).v_places, tree.model.nv
    return [Access("M", row * nv + item.row, 1) if row != item.row else None for row in rows]


def _above(tree: TreePlan, item: Passage) -> int:
    return item.above


CARRIED = Rows("carried", 6, on_path=True)
_CARRY = step(
    carry,
    variant=_carrying,
    body=_above,
    wrench=read(Place("wrench", _wrench)),
    pose=read(POSE.by(lambda tree, item: item.through), when=lambda b: b.through is not None),
    own_pose=read(POSE.by(_above), when=lambda b: b.kind.posed),
    own_wrench=write(CARRIED.own.by(_above), when=lambda b: b.onward),
    row=add_to(Place("M", _row)),
    entry=add_to(Place("M", _entries, per_row=True), when=lambda b: len(b.shared) < len(b.kind.coordinates.v)),
)


def walk_sweep(tree: TreePlan) -> Sweep:
    """The sweep of all walks; it has no visits where no body carries another.

    It reads the fields ``pose`` and ``wrench``, keeps what it carries in ``carried``, and adds to ``M``.
    """
    return _CARRY.over(tree, _passages(tree), more=_constants)


def _passages(tree: TreePlan) -> Iterator[Passage]:
    bodies = tree.model.bodies
    for start in tree.links:
        first, last = tree.first_column[start : start + 2]
        for column, row in zip(range(first, last), bodies[start].joint.v_places, strict=True):
            through = start
            while (above := bodies[through].parent) >= 0:
                yield Passage(start, column, row, through, above)
                through = above


def entries_of_row(tree: TreePlan, row: int, columns: Sequence[int]) -> Access | Pieces:
    """Entries of a row of M."""
    return scalars_at("M", columns, row * tree.model.nv)


INERTIA_SIZE = len(INERTIA)


@dataclass(frozen=True, slots=True)
class CompositeVariant:
    """What is structural about a body that gathers inertia; ``carries`` tells whether other bodies hang on it.

    ``added`` tells whether fluid adds to its inertia, or to that of what it carries.
    """

    kind: JointModel
    geared: bool
    carries: bool
    transmits: bool
    added: bool = False

    @property
    def hands_added(self) -> bool:
        """Whether the parent feels what resists with more than ten numbers."""
        return self.added and self.transmits


def gather(variant: CompositeVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Inward step: composite inertia, its wrenches for the joint's columns, and the joint's own block."""
    inertia = inertia_of(constants)
    if variant.carries:
        inertia = inertia.plus(inertia_from(reads["inertia"]))
    stored = variant.kind.pose(algebra, reads["q"], constants)
    pose, own, to_rows = variant.kind.placed(stored), variant.kind.moving, variant.kind.coordinate_map
    writes: dict[str, Sequence[Scalar]] = {}
    if _needs_pose(variant.kind, variant.transmits):
        writes["pose"] = stored
    columns = own.columns(pose, constants)
    wrenches = [inertia.momentum(column) for column in columns]
    if variant.added:
        added = ArticulatedInertia(reads["added"])
        wrenches = [add(wrench, added.times(column)) for wrench, column in zip(wrenches, columns, strict=True)]
        if variant.transmits:
            writes["parent_added"] = added.seen_from_parent(frame_in_parent(constants, pose)).entries
    tip = tip_of(variant.kind)
    shares = tip.coupling(constants, reads) if tip is not None else []
    block: list[list[Scalar]] = [[0.0] * len(wrenches) for _ in wrenches]
    for place, wrench in enumerate(wrenches):
        joint_forces = own.force(pose, wrench, constants)
        if variant.geared:
            joint_forces[place] = joint_forces[place] + constants["armature"]
        for row in range(place + 1):
            block[row][place] = block[place][row] = joint_forces[row]
    if tip is not None:
        block = [add(row, mass) for row, mass in zip(block, tip.own_mass(constants, reads), strict=True)]
    if variant.transmits:
        if shares:
            wrenches = [wrench_in_parent(frame_in_parent(constants, pose), wrench) for wrench in wrenches]
            wrenches = [add(wrench, share) for wrench, share in zip(wrenches, shares, strict=True)]
        writes |= {f"wrench{place}": wrench for place, wrench in enumerate(to_rows.columns(wrenches, constants))}
    writes |= {f"row{place}": row for place, row in enumerate(to_rows.block(block, constants))}
    if variant.transmits:
        writes["parent_inertia"] = inertia.seen_from_parent(frame_in_parent(constants, pose)).scalars()
    return writes


def _needs_pose(kind: JointModel, transmits: bool) -> bool:
    """Whether later sweeps read the joint's pose; a rotor has none."""
    return kind.stored > 0 and (transmits or kind.posed)


def _block_rows(tree: TreePlan, body: int, field: str) -> list[Access | Pieces]:
    places = tree.joint(body).v_places
    return [entries_of_row(tree, row, places) for row in places]


def _composed(tree: TreePlan, index: int) -> CompositeVariant:
    own = tree.variant(index)
    return CompositeVariant(own.kind, own.geared, index in tree.carriers, own.transmits, index in tree.added.carried)


COMPOSITE = Rows("inertia", INERTIA_SIZE)
GATHER = step(
    gather,
    variant=_composed,
    q=read(Q),
    shape=read(SHAPE),
    inertia=read(COMPOSITE.own, when=lambda b: b.carries),
    pose=write(POSE, when=lambda b: _needs_pose(b.kind, b.transmits)),
    wrench=write(Columns("wrench", 6).each, when=lambda b: b.transmits),
    row=add_to(Place("M", _block_rows, lambda tree, name: Field(name, FieldKind.OUTPUT, tree.model.nv**2), True)),
    added=read(ADDED.own, when=lambda b: b.added),
    parent_inertia=add_to(COMPOSITE.above),
    parent_added=add_to(ADDED.above, when=lambda b: b.hands_added),
    constants=lambda b: (
        *((*ROTATION, *TRANSLATION) if b.transmits else ()),
        *INERTIA,
        *b.kind.constants,
        *(("armature",) if b.geared else ()),
    ),
)


def mass_matrix_sweeps(tree: TreePlan) -> tuple[list[Field], list[Sweep]]:
    """Sweeps that fill the output field ``M``, (nv, nv), from ``q``; the tree may be regrouped.

    Entries between separate branches are left alone.
    """
    inward = GATHER.over(
        tree, reversed(range(len(tree.model.bodies))), more=lambda tree, index: tree.beams.coupling_constants(index)
    )
    if not tree.added.carried:  # ports that nobody has need no field
        inward = replace(inward, fields=tuple(own for own in inward.fields if own.name != ADDED.field))
    carried = Field("carried", FieldKind.STATE, 6, tree.depth_rows)
    *state, matrix = [field for field in declared_by([inward]) if field.kind is not FieldKind.INPUT]
    return [*state, carried, matrix], [*added_sweeps(tree), inward, walk_sweep(tree)]


def mass_matrix_plan(model: Model) -> Plan:
    """The plan of M(q), (nv, nv), both triangles, rotor inertia included.

    Parameters
    ----------
    model
        The robot.
    """
    tree = TreePlan(contracted(model))
    fields, sweeps = mass_matrix_sweeps(tree)
    return plan_of("mass_matrix", tree, sweeps, [*tree.fields(), *fields])
