"""Partial derivatives of inverse dynamics as tangents of the recursion itself (Kim 2012, tables 5 to 7).

Closed forms (``partials.inverse_dynamics``) rest on bodies being rigid. Where links bend, their mass and the columns of
their joints change with q, and the kernels are run on dual numbers instead: along v as it is, and along moves of q,

    q(delta) = q + N(q) delta,

N being the rates of the coordinates per unit of v (see ``coordinate_rates``), at delta = 0. Exact to rounding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from symdyn.dynamics.inverse_dynamics.rnea import inverse_dynamics_plan
from symdyn.dynamics.mass_matrix.crba import mass_matrix_sweeps
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.joints import JointModel
from symdyn.model.model import Model
from symdyn.plan import Access, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit, clearing, kept_apart
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.transforms.tangent import tangent_sweeps

Reads = Mapping[str, Sequence[Scalar]]
Writes = Mapping[str, Sequence[Scalar]]

_MOVES, _STILL, _MOVED = "moves", "no_moves", "moved_q"


def move(kind: JointModel, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per joint: its coordinates after a small move along its rows of v, a free base's along its own axes."""
    q, moves = reads["q"], reads["moves"]
    moved = []
    for start, row in zip(q, kind.rates(algebra, q), strict=True):
        total: Scalar = start
        for entry, step in zip(row, moves, strict=True):
            total = total + entry * step
        moved.append(total)
    return {"moved": moved}


_MOVE = Step("move", move, (Port("q", Mode.READ), Port("moves", Mode.READ), Port("moved", Mode.WRITE)))


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
    plan = inverse_dynamics_plan(model, tree.external)
    found: list[Field] = []
    sweeps: list[Sweep] = []
    if "dq" in fields:
        made = tangent_sweeps(_moving(model, plan), _MOVES, {"tau": fields["dq"]}, {_MOVES: _STILL, "a": acceleration})
        found += [Field(_STILL, FieldKind.STATE, model.nv), *made[0]]
        sweeps += [clearing([Access(_STILL, 0, model.nv)]), *made[1]]
    if "dv" in fields:
        made = tangent_sweeps(replace(plan, name="faster"), "v", {"tau": fields["dv"]}, {"a": acceleration})
        found, sweeps = [*found, *made[0]], [*sweeps, *made[1]]
    if "da" in fields:
        shared = [field.name for field in tree.fields()]
        mass = kept_apart(*mass_matrix_sweeps(tree), "inertia", shared, {"M": fields["da"]})
        found, sweeps = [*found, *mass[0]], [*sweeps, *mass[1]]
    return found, sweeps


def _moving(model: Model, plan: Plan) -> Plan:
    """The plan at coordinates that an input of moves changes."""
    fields, sweeps = kept_apart(plan.fields, plan.sweeps, "", [field.name for field in plan.fields], {"q": _MOVED})
    visits = tuple(
        Visit(
            body,
            joint.kind,
            {},
            {
                "q": Access("q", joint.q_index, len(joint.coordinates.q)),
                "moves": Access(_MOVES, joint.v_index, len(joint.coordinates.v)),
                "moved": Access(_MOVED, joint.q_index, len(joint.coordinates.q)),
            },
        )
        for body, joint in ((index, body.joint) for index, body in enumerate(model.bodies))
        if joint.mimic is None
    )
    own = [
        Field("q", FieldKind.INPUT, model.nq),
        Field(_MOVES, FieldKind.INPUT, model.nv),
        Field(_MOVED, FieldKind.STATE, model.nq),
    ]
    return replace(plan, name="moved", fields=(*own, *fields), sweeps=(Sweep(_MOVE, visits), *sweeps))
