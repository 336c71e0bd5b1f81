"""Walks from every body to the root with the wrenches of its joint's columns, which fill a matrix of (nv, nv).

Each joint on the way reads S^T F; the entry and its mirror image are written. Carrying a wrench costs 12 operations per
turn about z and 4 per entry of the offset. Bringing everything into one frame instead costs 11 per entry of the matrix
and some 70 per body, which pays only for chains of more than twenty joints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from symdyn.dynamics.tree.tree import TreePlan, frame_in_parent
from symdyn.model.bind import ROTATION, TRANSLATION
from symdyn.model.joints import JointModel
from symdyn.plan import Access, Binding, Mode, Port, Step, Sweep, Visit
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.spatial.force import wrench_in_parent
from symdyn.spatial.vectors import scale

Reads = Mapping[str, Sequence[Scalar]]
Writes = Mapping[str, Sequence[Scalar]]

_NO_POSE = (0.0,) * 12


@dataclass(frozen=True, slots=True)
class WalkVariant:
    """What is structural about one step of a walk: through a joint of kind ``through`` to a body moved by ``kind``.

    ``shared`` tells that both ends of the walk move by the same row of v; ``onward`` that the walk goes on. Wrenches of
    a flexible link's rows start on the body that carries it: ``through`` is None for them at first.
    """

    through: JointModel | None
    kind: JointModel
    mimic: bool
    shared: bool
    onward: bool


def carry(variant: WalkVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step of a walk: a wrench goes through a joint to the parent, whose joint reads its share."""
    wrench = reads["wrench"]
    if variant.through is not None:
        wrench = wrench_in_parent(frame_in_parent(constants, variant.through.placed(reads["pose"])), wrench)
    pose = variant.kind.placed(reads.get("own_pose", _NO_POSE))
    felt = variant.kind.force(pose, wrench, constants)
    if variant.mimic:
        felt = scale(constants["multiplier"], felt)
    writes: dict[str, Sequence[Scalar]] = {"own_wrench": wrench} if variant.onward else {}
    if variant.shared:
        return writes | {"row": [felt[0] + felt[0]]}
    return writes | {"row": felt} | {f"entry{place}": [value] for place, value in enumerate(felt)}


@cache
def _carry_step(rows: int) -> Step:
    ports = (
        Port("wrench", Mode.READ),
        Port("pose", Mode.READ),
        Port("own_pose", Mode.READ),
        Port("own_wrench", Mode.WRITE),
        Port("row", Mode.ADD),
        *(Port(f"entry{place}", Mode.ADD) for place in range(rows)),
    )
    return Step("carry", carry, ports)


def walk_sweeps(tree: TreePlan, first_column: Sequence[int]) -> list[Sweep]:
    """The sweep of all walks; none where no body carries another.

    Parameters
    ----------
    tree
        The robot.
    first_column
        Row of the field ``wrench`` at which each body's columns start.

    It reads the fields ``pose`` and ``wrench``, keeps what it carries in ``carried``, and adds to ``M``.
    """
    visits = tuple(
        visit
        for index in tree.links
        for place in range(first_column[index + 1] - first_column[index])
        for visit in _walk(tree, index, place, first_column[index] + place)
    )
    return [Sweep(_carry_step(tree.model.most_rows), visits)] if visits else []


def entries_of_row(tree: TreePlan, row: int, column: int, count: int) -> Access:
    """Entries of a row of M from a column on."""
    return Access("M", row * tree.model.nv + column, count)


def _walk(tree: TreePlan, start: int, place: int, column: int) -> list[Visit]:
    """Steps from a body to the root with the wrench of one of its columns."""
    bodies = tree.model.bodies
    row = bodies[start].joint.v_index + place
    held = Access("wrench", 6 * column, 6)
    visits = []
    through, above = start, bodies[start].parent
    bent = bodies[start].beam is not None
    while above >= 0:
        own = tree.variant(above)
        joint = bodies[above].joint
        shared = joint.v_index == bodies[start].joint.v_index
        starts = bent and through == start
        passed = None if starts else bodies[through].joint.kind
        variant = WalkVariant(passed, own.kind, own.mimic, shared, own.transmits)
        rows = len(joint.coordinates.v)
        bindings: dict[str, Binding] = {
            "wrench": held,
            "row": entries_of_row(tree, row, joint.v_index, rows),
        }
        if not starts:
            bindings["pose"] = tree.pose(through)
        if own.kind.posed:
            bindings["own_pose"] = tree.pose(above)
        if own.transmits:
            held = tree.along_path("carried", 6, above)
            bindings["own_wrench"] = held
        if not shared:
            bindings |= {f"entry{n}": entries_of_row(tree, joint.v_index + n, row, 1) for n in range(rows)}
        constants = {} if starts else tree.constants(through, (*ROTATION, *TRANSLATION))
        constants |= tree.constants(above, ("pitch", "multiplier"))
        visits.append(Visit(above, variant, constants, bindings))
        through, above = above, bodies[above].parent
    return visits
