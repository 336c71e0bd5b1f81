"""Partial derivatives of inverse dynamics as tangents of the recursion itself (Kim 2012, tables 5 to 7).

Closed forms (``partials.inverse_dynamics``) rest on bodies being rigid. Where links bend, their mass and the columns of
their joints change with q, and the kernels are run on dual numbers instead: along v as it is, and along moves of q,

    q(delta) = q + N(q) delta,

N being the rates of the coordinates per unit of v (see ``coordinate_rates``), at delta = 0. Exact to rounding.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import add
from symdyn.dynamics.inverse_dynamics.rnea import inverse_dynamics_plan
from symdyn.dynamics.mass_matrix.crba import mass_matrix_sweeps
from symdyn.dynamics.tree.bindings import Reads, Writes, read, step, write
from symdyn.dynamics.tree.contracted_view import weighing_sweeps
from symdyn.dynamics.tree.places import Place, Q, rows
from symdyn.dynamics.tree.rod_moments_apart import moments_apart
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.joints import JointModel
from symdyn.plan.compose import clearing, kept_apart
from symdyn.plan.plan import Access, Field, FieldKind, Plan, Sweep
from symdyn.plan.transforms.tangent import tangent_sweeps

_MOVES, _STILL, MOVED = "moves", "no_moves", "moved_q"


def move(kind: JointModel, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per joint: its coordinates after a small move along its rows of v."""
    q, moves = reads["q"], reads["moves"]
    if kind.commutes:  # the rates of coordinates are v: each row moves itself alone
        return {"moved": add(q, moves)}
    moved = []
    for start, row in zip(q, kind.rates(algebra, q), strict=True):
        total: Scalar = start
        for entry, along in zip(row, moves, strict=True):
            total = total + entry * along
        moved.append(total)
    return {"moved": moved}


_MOVE = step(
    move,
    variant=lambda tree, body: tree.joint(body).kind,
    q=read(Q),
    moves=read(rows(_MOVES)),
    moved=write(Place(MOVED, Q.at)),
)


def tangent_partials_sweeps(
    tree: TreePlan, fields: Mapping[str, str], acceleration: str
) -> tuple[list[Field], list[Sweep]]:
    """Sweeps that fill dtau/dq, dtau/dv and dtau/da, (nv, nv), from q, v and an acceleration.

    Parameters
    ----------
    tree
        The robot.
    fields
        Where the matrices go, by ``dq``, ``dv`` and ``da``; what is absent is not computed. The caller declares them.
    acceleration
        The field of nv scalars that holds the acceleration.
    """
    model = tree.model
    own = TreePlan(model, tree.external, derivatives=tree.derivatives)
    plan = moments_apart(tree.rods, inverse_dynamics_plan(model, tree.external, own))
    made: list[tuple[list[Field], list[Sweep]]] = []
    for by in "qv":
        if f"d{by}" in fields:
            made.append(along_sweeps(tree, plan, by, {"tau": fields[f"d{by}"]}, {"a": acceleration}))
    if "da" in fields:
        made.append(weighing_sweeps(tree, mass_matrix_sweeps, "inertia", {"M": fields["da"]}))
    return [field for found, _ in made for field in found], [sweep for _, sweeps in made for sweep in sweeps]


def along_sweeps(
    tree: TreePlan,
    plan: Plan,
    by: str,
    outputs: Mapping[str, str],
    inputs: Mapping[str, str],
    label: str = "",
    few: int | None = None,
) -> tuple[list[Field], list[Sweep]]:
    """Sweeps that fill Jacobians of a plan's outputs by moves of q, or by another input.

    Parameters
    ----------
    tree
        The robot.
    plan
        What is differentiated.
    by
        The input: ``q`` along rows of v, ``v``, or any other.
    outputs, inputs
        As in :func:`symdyn.plan.transforms.tangent.tangent_sweeps`.
    label
        What tells the fields of this plan from those of others that are differentiated by the same.
    few
        Directions from which they go in lanes.
    """
    if by != "q":
        named = replace(plan, name={"v": "faster"}.get(by, f"along_{by}") + label)
        return tangent_sweeps(named, by, outputs, inputs, few)
    count = tree.model.nv
    fields, sweeps = tangent_sweeps(
        _moving(tree, plan, "moved" + label), _MOVES, outputs, {_MOVES: _STILL, **inputs}, few
    )
    still = Field(_STILL, FieldKind.STATE, count)
    return [still, *fields], [clearing([Access(_STILL, 0, count)]), *sweeps]


def _moving(tree: TreePlan, plan: Plan, name: str) -> Plan:
    """The plan at coordinates that an input of moves changes."""
    model = tree.model
    fields, sweeps = kept_apart(plan.fields, plan.sweeps, "", [field.name for field in plan.fields], {"q": MOVED})
    own = [
        Field("q", FieldKind.INPUT, model.nq),
        Field(_MOVES, FieldKind.INPUT, model.nv),
        Field(MOVED, FieldKind.STATE, model.nq),
    ]
    return replace(plan, name=name, fields=(*own, *fields), sweeps=(_MOVE.over(tree, model.owners), *sweeps))
