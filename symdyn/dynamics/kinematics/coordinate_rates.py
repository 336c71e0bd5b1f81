"""How the coordinates q change with velocities: q' = N(q) v, the tangent of ``integrate`` in every convention.

Derivatives by q are along these directions: angles and positions add, a free base moves by its twist in its own frame
or in the world, a spherical joint turns by its body-frame rotation vector, a planar joint slides along its own axes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symdyn.algebra.scalars.algebra import Algebra
from symdyn.model.joints import JointModel
from symdyn.model.model import Model
from symdyn.plan.plan import Access, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit

RATES = "coordinate_rates"
"""The output field N, (nq, nv)."""


def coordinate_rates_plan(model: Model) -> Plan:
    """The plan q -> N, (nq, nv): rad/rad, m/m, 1/rad per entry; exact for unit quaternions."""
    visits = []
    for joint in model.independent_joints:
        rows, columns = len(joint.coordinates.q), len(joint.coordinates.v)
        bindings: dict[str, Access] = {"q": Access("q", joint.q_index, rows)}
        for row in range(rows):
            bindings[f"row{row}"] = Access(RATES, (joint.q_index + row) * model.nv + joint.v_index, columns)
        visits.append(Visit(-1, joint.kind, {}, bindings))
    fields = (Field("q", FieldKind.INPUT, model.nq), Field(RATES, FieldKind.OUTPUT, model.nq * model.nv))
    names = tuple(body.name for body in model.bodies)
    step = _step(max(len(joint.coordinates.q) for joint in model.independent_joints))
    return Plan(RATES, fields, (Sweep(step, tuple(visits)),), names, model.parent)


def _kernel(
    variant: JointModel, algebra: Algebra, _: Mapping[str, Any], reads: Mapping[str, Sequence[Any]]
) -> Mapping[str, Sequence[Any]]:
    block = variant.rates(algebra, reads["q"])
    return {f"row{row}": entries for row, entries in enumerate(block)}


def _step(rows: int) -> Step:
    ports = (Port("q", Mode.READ), *(Port(f"row{row}", Mode.WRITE) for row in range(rows)))
    return Step("coordinate_rates", _kernel, ports)
