"""Coriolis matrices C(q, v) with M' - 2 C skew and C v + gravity = bias, joint losses and springs left out.

With composites as in ``composite_wrenches``, C_ij = S_i . (I S'_j + B S_j), summed over the bodies behind both joints.

Christoffel's has C_ij = integral (S_i r) . d/dt (S_j r) dm, that is B = 1/2 (V x* I - I V x + (I V) x-bar*) per body
(Echeandia & Wensing 2021); where v are the rates of coordinates, C_ij = 1/2 sum_k (dM_ij/dq_k + dM_ik/dq_j -
dM_jk/dq_i) v_k. Lemma 1 of Ali et al. 2026 has B = V x* I; the two differ by a skew matrix that v does not feel. The
lemma is stated for a base twist in world axes, whose columns rest there; it holds in either convention, S' being the
rate of the convention's columns.

For robots whose links bend, Christoffel's matrix is half the slope of the velocity forces. With h(q, v) the forces of
motion alone, quadratic in v, and the Levi-Civita connection of the mass matrix, h_i = <nabla_v v, X_i>, where X_i are
the fields along which the rows of v move the robot and v has constant rows. Then dh_i/dv_j = <nabla_j v, X_i> +
<nabla_v X_j, X_i>, and because the connection has no torsion,

    C_ij = <nabla_v X_j, X_i> = 1/2 (dh_i/dv_j - sum_l M_il [X_j, v]_l).

The bracket is zero where v are the rates of coordinates, and that of the joint's group elsewhere: of SO(3), SE(2) or
SE(3), with the opposite sign for a right-invariant twist. This C is the one above.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import scale
from symdyn.dynamics.mass_matrix.crba import mass_matrix_sweeps
from symdyn.dynamics.partials.composite_motion import composite_motion_sweeps
from symdyn.dynamics.partials.force_columns import carried_column_sweeps
from symdyn.dynamics.partials.motion_derivatives import Purpose
from symdyn.dynamics.partials.tangent_partials import tangent_partials_sweeps
from symdyn.dynamics.tree.bindings import Reads, Writes, plan_of, read, step, write
from symdyn.dynamics.tree.contracted_view import weighing_sweeps
from symdyn.dynamics.tree.places import Place
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.errors import ModelError
from symdyn.model.bodies import ModelJoint
from symdyn.model.joints import JointModel
from symdyn.model.model import Model, without_springs
from symdyn.plan.compose import clearing, places_written
from symdyn.plan.plan import Access, Field, FieldKind, Plan

_SLOPE, _REST, _MASS = "slope_v", "no_acceleration", "mass"


def halve(kind: JointModel | None, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row and joint: entries of C from those of dh/dv, and where the joint's fields do not commute from M."""
    slope = list(reads["slope"])
    if kind is not None:
        for place in range(len(slope)):
            unit: list[Scalar] = [1.0 if other == place else 0.0 for other in range(len(slope))]
            for mass, turned in zip(reads["mass"], kind.bracket(unit, reads["v"]), strict=True):
                slope[place] = slope[place] - mass * turned
    return {"entries": scale(0.5, slope)}


class Part(NamedTuple):
    """Where a row of a matrix meets the columns of a joint."""

    row: int
    joint: ModelJoint

    def access(self, tree: TreePlan, field: str) -> Access:
        """Those entries of a matrix."""
        return Access(field, self.row * tree.model.nv + self.joint.v_index, len(self.joint.coordinates.v))


def _of(field: str) -> Place:
    return Place(field, lambda tree, part, name: part.access(tree, name))


_HALVE = step(
    halve,
    name="halve_slopes",
    variant=lambda tree, part: None if part.joint.kind.commutes else part.joint.kind,
    body=lambda tree, part: -1,
    slope=read(_of(_SLOPE)),
    mass=read(_of(_MASS), when=lambda group: group is not None),
    v=read(
        Place("v", lambda tree, part, name: part._replace(row=0).access(tree, name)),
        when=lambda group: group is not None,
    ),
    entries=write(_of("C")),
)


def tangent_coriolis_plan(model: Model) -> Plan:
    """The plan of C, (nv, nv), from q and v, as ``coriolis_matrix_plan`` has it."""
    nv = model.nv
    moving = replace(without_springs(model, inert=True), gravity=(0.0, 0.0, 0.0), joint_losses=False)
    tree = TreePlan(moving)
    slope = tangent_partials_sweeps(tree, {"dv": _SLOPE}, _REST)
    mass = weighing_sweeps(tree, mass_matrix_sweeps, "composite", {"M": _MASS})
    written = places_written(slope[1], _SLOPE)
    parts = [
        part
        for part in (Part(row, joint) for joint in model.independent_joints for row in range(nv))
        if not part.joint.kind.commutes or not written.isdisjoint(part.access(tree, _SLOPE).places)
    ]
    fields = [
        Field("q", FieldKind.INPUT, model.nq),
        Field("v", FieldKind.INPUT, nv),
        *tree.fields(),
        *slope[0],
        *mass[0],
        Field(_REST, FieldKind.STATE, nv),
        Field(_SLOPE, FieldKind.STATE, nv, nv, sparse=True),
        Field(_MASS, FieldKind.STATE, nv, nv, sparse=True),
        Field("C", FieldKind.OUTPUT, nv**2),
    ]
    sweeps = [clearing([Access(_REST, 0, nv)]), *slope[1], *mass[1], _HALVE.over(tree, parts)]
    return plan_of("coriolis_matrix", tree, sweeps, fields)


FACTORIZATIONS = {"christoffel": Purpose.CHRISTOFFEL, "lemma1": Purpose.LEMMA}


def coriolis_matrix_plan(model: Model, factorization: str = "christoffel") -> Plan:
    """The plan of C, (nv, nv), from q and v.

    Parameters
    ----------
    model
        The robot.
    factorization
        ``"christoffel"`` or ``"lemma1"``; the latter for robots whose links are all rigid.

    Raises
    ------
    ModelError
        Fluid that moves with the robot, and ``"lemma1"``.
    """
    fluid = any(placed.load.inert for body in model.bodies for placed in body.loads)
    if fluid and factorization != "christoffel":
        raise ModelError(
            f"robot '{model.name}' moves fluid with it, whose added mass is no rigid body's, and "
            f"factorization='{factorization}' is for these alone; use factorization='christoffel'"
        )
    if model.has_moving_inertia or fluid:
        assert factorization == "christoffel"
        return tangent_coriolis_plan(model)
    purpose = FACTORIZATIONS[factorization]
    tree = TreePlan(model)
    motion_fields, motion_sweeps = composite_motion_sweeps(tree, purpose)
    column_fields, column_sweeps = carried_column_sweeps(tree, purpose, {"C": "C"})
    fields = [*tree.fields(), *motion_fields, *column_fields, Field("C", FieldKind.OUTPUT, model.nv**2)]
    return plan_of("coriolis_matrix", tree, [*motion_sweeps, *column_sweeps], fields)
