"""Walks from every body to the root with the wrenches of its joint's columns, which fill a matrix of (nv, nv).

Each joint on the way reads S^T F; the entry and its mirror image are written. Carrying a wrench costs 12 operations per
turn about z and 4 per entry of the offset. Bringing everything into one frame instead costs 11 per entry of the matrix
and some 70 per body, which pays only for chains of more than twenty joints.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.force import wrench_in_parent
from symdyn.dynamics.elements.listed import tip_of
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, read, step, write
from symdyn.dynamics.tree.body_variant import frame_in_parent
from symdyn.dynamics.tree.places import POSE, Place, Rows
from symdyn.dynamics.tree.strided_ports import Pieces, scalars_at
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.interface.records import dataclass
from symdyn.model.bind import ROTATION, TRANSLATION
from symdyn.model.joints import JointModel
from symdyn.model.joints.parts import UNPOSED
from symdyn.plan.plan import Access, Binding, Constant, Sweep


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
