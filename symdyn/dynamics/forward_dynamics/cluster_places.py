"""Where the ports of eliminations lie: places whose items are the clusters of ``aba_layout``."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any

from symdyn.algebra.spatial.articulated import SIZE
from symdyn.dynamics.elements.tip import tip_reads
from symdyn.dynamics.tree.bindings import BoundPort, BoundStep, ConstantsOf
from symdyn.dynamics.tree.places import ARTICULATED, POSE, Place, Rows
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.plan.plan import Access, Step, Visit

CARRIED = Rows("carried", SIZE).own
"""The same with its own inertia."""
GAIN = Place("gain", lambda tree, item, field: item.elimination.gain(item))
RESIDUAL = Place(
    "joint_force_residual", lambda tree, item, field: Access(field, item.joint_force_residual, len(item.rows))
)
ACCELERATION_CHANGE = Place("acceleration_change", lambda tree, item, field: item.elimination.acceleration_change(item))
"""The acceleration of a cluster's parent beyond that of the bias."""


def of_member(place: Place, number: int = 0) -> Place:
    """A place of one of a cluster's bodies."""
    return Place(place.field, lambda tree, item, field: place.at(tree, item.bodies[number], field))


def of_parent(rows: Rows) -> Place:
    """A row of the body that a cluster hangs on."""
    return Place(rows.field, lambda tree, item, field: Access(field, rows.width * item.parent, rows.width))


def of_row(field: str, number: int, present: bool = True) -> Place:
    """One of a cluster's rows in a field with the rows of v, if anybody asks for it."""
    return Place(field, lambda tree, item, name: Access(name, item.rows[number], 1) if present else None)


def _if(applies: Callable[[Any, int], bool], place: Place, number: int) -> Place:
    """A place of a body, absent where ``applies`` says no of elimination and body."""
    whose = of_member(place, number)
    return Place(
        place.field,
        lambda tree, item, field: (
            whose.at(tree, item, field) if applies(item.elimination, item.bodies[number]) else None
        ),
    )


def member_pose(number: int = 0) -> Place:
    """The pose of a body's joint, where it has one."""
    return _if(lambda elimination, body: elimination.tree.model.bodies[body].joint.kind.stored > 0, POSE, number)


def member_inertia(number: int = 0) -> Place:
    """The articulated inertia of what a body carries, where other clusters hang on it that move it."""
    return _if(lambda elimination, body: elimination.loads_others(body), ARTICULATED.own, number)


def member_change(number: int = 0) -> Place:
    """The acceleration of a body beyond that of the bias, where anybody reads it."""
    return Place("acceleration_change", lambda tree, item, field: item.elimination.passed_change(item.bodies[number]))


def member_shape(port: str, number: int) -> Place:
    """The port ``q`` or ``shape`` of a body that is the tip of a deformable one."""
    return Place(port, lambda tree, item, field: tip_reads(tree, item.bodies[number]).get(port))


def cluster_step(
    kernel: Any, constants: Callable[[Any], Iterable[str]] = lambda variant: (), /, **ports: BoundPort
) -> BoundStep:
    """A step whose items are clusters."""
    return BoundStep(kernel.__name__, kernel, ports, constants, _variant, lambda tree, item: item.bodies[0])


def _variant(_: TreePlan, item: Any) -> Hashable:
    found: Hashable = item.elimination.variant(item)
    return found


def visited(
    bound: BoundStep, item: Any, more: ConstantsOf | None = None, /, **fields: str
) -> Iterator[tuple[Step, Visit]]:
    """The visit of a cluster, with its step."""
    sweep = bound.over(item.elimination.tree, [item], None, more, **fields)
    yield sweep.step, sweep.visits[0]
