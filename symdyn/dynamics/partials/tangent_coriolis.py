"""Christoffel's Coriolis matrix as half the slope of the velocity forces, for robots whose links bend.

With h(q, v) the forces of motion alone, quadratic in v, and the Levi-Civita connection of the mass matrix,
h_i = <nabla_v v, X_i>, where X_i are the fields along which the rows of v move the robot and v has constant rows. Then
dh_i/dv_j = <nabla_j v, X_i> + <nabla_v X_j, X_i>, and because the connection has no torsion,

    C_ij = <nabla_v X_j, X_i> = 1/2 (dh_i/dv_j - sum_l M_il [X_j, v]_l).

The bracket is zero where v are the rates of coordinates, and that of the joint's group elsewhere: of SO(3), SE(2) or
SE(3), with the opposite sign for a right-invariant twist. This C is the one of rigid robots (see ``coriolis``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import scale
from symdyn.dynamics.mass_matrix.crba import mass_matrix_sweeps
from symdyn.dynamics.partials.tangent_partials import tangent_partials_sweeps
from symdyn.dynamics.tree.bindings import Reads, Writes, plan_of, read, step, write
from symdyn.dynamics.tree.contracted_view import weighing_sweeps
from symdyn.dynamics.tree.places import Place
from symdyn.dynamics.tree.tree import TreePlan
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
