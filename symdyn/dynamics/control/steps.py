"""One step of semi-implicit Euler, q+ = q (+) h v+ with v+ = v + h a, and its derivatives by velocity rows.

    V = dv+/d(q, v) = [h a_q, 1 + h a_v],    U = dv+/du = h a_u,    P = dv+/dp = h a_p

a is what forward dynamics finds, with the loops that a robot has. Source: Hairer, Lubich & Wanner 2006, section I.1,
for the method; Munthe-Kaas 1999 for moves along a group.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from symdyn.dynamics.control.step_moves import (
    advance_sweep,
    block,
    inputs_of,
    lengthened,
    move_sweeps,
    ones_added,
    position_rows,
    slopes_sweep,
)
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField
from symdyn.model.model import Model
from symdyn.plan.compose import kept_apart, wanted
from symdyn.plan.plan import Field, FieldKind, Plan, Sweep

Q_NEXT, V_NEXT = "q_next", "v_next"
VELOCITY_ROWS = {"x": "dv_next_dx", "u": "dv_next_du", "p": "dv_next_dp"}
"""Outputs V (nv, 2 nv), U (nv, nu) and P (nv, np)."""
INNER = "dynamics"
"""What names of fields of the dynamics within a step begin with."""
MATRICES = {"x": "A", "u": "B"}
"""Outputs A (2 nv, 2 nv) and B (2 nv, nu)."""


def explicit_step_plan(model: Model, inner: Plan, acceleration: str) -> Plan:
    """The plan of (q, v, u, h) -> q_next, v_next, from one that finds accelerations, of which this is the field."""
    sweeps = [
        advance_sweep(model.nv, "v", f"{INNER}_{acceleration}", V_NEXT),
        *move_sweeps(model, V_NEXT, Q_NEXT),
    ]
    outputs = {Q_NEXT: model.nq, V_NEXT: model.nv}
    return _after(model, inner, "step", sweeps, [], outputs)


def explicit_partials_plan(model: Model, inner: Plan, acceleration: str, by: Mapping[str, str], name: str) -> Plan:
    """The plan of (q, v, u, h) -> q_next, v_next, V, U[, P], or of A and B.

    Parameters
    ----------
    model
        The robot.
    inner
        What finds derivatives of accelerations, and these.
    acceleration
        Their field.
    by
        Its outputs by what is differentiated by: q, v, u and p.
    name
        ``step_partials``, or ``step_matrices`` for A and B.
    """
    nv, whole = model.nv, name == "step_matrices"
    widths = {x: inner.field(field).size // nv for x, field in by.items()}
    columns = {"x": 2 * nv, "u": widths["u"], **({"p": widths["p"]} if "p" in by and not whole else {})}
    names = MATRICES if whole else VELOCITY_ROWS
    below = nv if whole else 0
    rows = {x: block(names[x], count, below) for x, count in columns.items()}
    taken = {"q": (rows["x"], 0), "v": (rows["x"], nv), **{x: (rows[x], 0) for x in columns if x != "x"}}
    sweeps = [advance_sweep(nv, "v", f"{INNER}_{acceleration}", V_NEXT)]
    for x, (out, start) in taken.items():
        sweeps.append(lengthened(MatrixField(f"{INNER}_{by[x]}", widths[x]), out, range(nv), widths[x], start))
    sweeps.append(ones_added(rows["x"], [(row, nv + row) for row in range(nv)]))
    fields: list[Field] = []
    if whole:
        fields, slopes = slopes_sweep(model, V_NEXT)
        sweeps += slopes
        for x, count in columns.items():
            sweeps += position_rows(model, x == "x", count, rows[x], MatrixField(names[x], count))
        outputs = {names[x]: 2 * nv * count for x, count in columns.items()}
        fields.append(Field(V_NEXT, FieldKind.STATE, nv))
    else:
        sweeps += move_sweeps(model, V_NEXT, Q_NEXT)
        outputs = {Q_NEXT: model.nq, V_NEXT: nv, **{names[x]: nv * count for x, count in columns.items()}}
    return _after(model, inner, name, sweeps, fields, outputs)


def _after(
    model: Model,
    inner: Plan,
    name: str,
    sweeps: Iterable[Sweep],
    fields: Collection[Field],
    outputs: Mapping[str, int],
) -> Plan:
    """A plan with sweeps behind it, whose outputs are state."""
    as_state = [
        replace(field, kind=FieldKind.STATE, sparse=True) if field.kind is FieldKind.OUTPUT else field
        for field in inner.fields
    ]
    kept, found = kept_apart(as_state, inner.sweeps, INNER, ())
    there = {field.name for field in kept}
    added = [field for field in inputs_of(model) if field.name not in there]
    made = [Field(output, FieldKind.OUTPUT, size) for output, size in outputs.items()]
    every = (*kept, *added, *fields, *made)
    run = (*found, *(sweep for sweep in sweeps if sweep.visits))
    return wanted(replace(inner, name=name, fields=every, sweeps=run))
