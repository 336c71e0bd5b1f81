"""How the coordinates q change along body-frame perturbations: q' = N(q) u, with the same directions u for every row.

A perturbation u has one row per row of v and the kinds of motion that v has in the default convention: angles and
positions add, a free base moves by the twist of its own frame, a spherical joint turns by its body-frame rotation
vector, a planar joint slides along its own axes. The base of the spatial convention is perturbed in its own frame too,
with the angular rows first, as everywhere in that convention.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symdyn.model.joints import Motion, MotionKind, coordinates_of
from symdyn.model.model import Model
from symdyn.plan import Access, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.spatial.rotations import from_quaternion

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


def joint_coordinate_rates(kind: Motion, algebra: Algebra, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """The block of N of one joint: a row per coordinate, a column per velocity.

    For a quaternion (x, y, z, w) and a body-frame rotation rate u it is q' = q (u, 0) / 2, the quaternion product.
    """
    match kind:
        case MotionKind.PLANAR:
            sine, cosine = algebra.sin_cos(q[2])
            return [[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]]
        case MotionKind.SPHERICAL:
            return _quaternion_rates(q)
        case MotionKind.FREE:
            translation = [[*row, 0.0, 0.0, 0.0] for row in from_quaternion(*q[3:7]).entries]
            return translation + [[0.0, 0.0, 0.0, *row] for row in _quaternion_rates(q[3:7])]
        case MotionKind.FREE_SPATIAL:
            translation = [[0.0, 0.0, 0.0, *row] for row in from_quaternion(*q[3:7]).entries]
            return translation + [[*row, 0.0, 0.0, 0.0] for row in _quaternion_rates(q[3:7])]
    size = len(coordinates_of(kind).q)
    return [[1.0 if row == column else 0.0 for column in range(size)] for row in range(size)]


def _quaternion_rates(q: Sequence[Scalar]) -> list[list[Scalar]]:
    x, y, z, w = (0.5 * entry for entry in q)
    return [[w, -z, y], [z, w, -x], [-y, x, w], [-x, -y, -z]]


def _kernel(
    variant: Motion, algebra: Algebra, _: Mapping[str, Any], reads: Mapping[str, Sequence[Any]]
) -> Mapping[str, Sequence[Any]]:
    block = joint_coordinate_rates(variant, algebra, reads["q"])
    return {f"row{row}": entries for row, entries in enumerate(block)}


def _step(rows: int) -> Step:
    ports = (Port("q", Mode.READ), *(Port(f"row{row}", Mode.WRITE) for row in range(rows)))
    return Step("coordinate_rates", _kernel, ports)
