"""What loads ask of a body beside its motion: its axes and place in the world and its twist, by sweeps outward."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from symdyn.dynamics.tree.bindings import Reads, Writes, read, step, write
from symdyn.dynamics.tree.places import ORIENTATION, POSE, STAND, TWIST, V
from symdyn.dynamics.tree.tree import BodyVariant, TreePlan, frame_in_parent
from symdyn.model.bind import ROTATION, TRANSLATION
from symdyn.plan.plan import Access, Sweep
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.spatial.motion import motion_in_child
from symdyn.spatial.vectors import add, entries_of, matrix_from, product, times


def orient(variant: BodyVariant, _: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Outward step: the axes of a body's frame in the world, from its parent's."""
    fixed = matrix_from([constants[name] for name in ROTATION])
    turn = variant.kind.placed(reads.get("pose", ())).rotation.matrix()
    return {"own_orientation": entries_of(product(product(matrix_from(reads["orientation"]), fixed), turn))}


def stand(variant: BodyVariant, _: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Outward step: where the origin of a body's frame is in the world, from its parent's."""
    origin = frame_in_parent(constants, variant.kind.placed(reads.get("pose", ()))).origin
    return {"own_stand": add(reads["stand"], times(matrix_from(reads["orientation"]), origin))}


def carry_twist(variant: BodyVariant, _: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Outward step: the twist (v; omega) of a body's frame in its own axes, from its parent's."""
    pose = variant.kind.placed(reads.get("pose", ()))
    v = reads["v"]
    joint = variant.kind.motion(pose, v, [0.0] * len(v), constants)
    return {"own_twist": add(motion_in_child(frame_in_parent(constants, pose), reads["twist"]), joint.twist)}


_STATES = {
    ORIENTATION.field: step(
        orient,
        pose=read(POSE, when=lambda b: b.kind.stored),
        orientation=read(ORIENTATION.above),
        own_orientation=write(ORIENTATION.own),
        constants=lambda b: ROTATION,
    ),
    STAND.field: step(
        stand,
        pose=read(POSE, when=lambda b: b.kind.stored),
        orientation=read(ORIENTATION.above),
        stand=read(STAND.above),
        own_stand=write(STAND.own),
        constants=lambda b: (*ROTATION, *TRANSLATION),
    ),
    TWIST.field: step(
        carry_twist,
        v=read(V),
        pose=read(POSE, when=lambda b: b.kind.stored),
        twist=read(TWIST.above),
        own_twist=write(TWIST.own),
        constants=lambda b: (*ROTATION, *TRANSLATION, *b.kind.constants),
    ),
}
"""By the field that each fills."""


def state_sweeps(tree: TreePlan, loads: Iterable[Sweep]) -> list[Sweep]:
    """Sweeps that fill the fields of this file which loads read, from the ground to the bodies that these act on."""
    asked: dict[str, set[int]] = {field: set() for field in _STATES}
    for visit in (visit for sweep in loads for visit in sweep.visits):
        for place in visit.bindings.values():
            if isinstance(place, Access) and place.field in asked:
                asked[place.field] |= tree.path(place.offset // place.count)
    asked[ORIENTATION.field] |= asked[STAND.field]
    return [_STATES[field].over(tree, sorted(bodies)) for field, bodies in asked.items() if bodies]
