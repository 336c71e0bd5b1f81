"""One step of semi-implicit Euler, q+ = q (+) h v+ with v+ = v + h a, and its derivatives by velocity rows.

    V = dv+/d(q, v) = [h a_q, 1 + h a_v],    U = dv+/du = h a_u,    P = dv+/dp = h a_p

a is what forward dynamics finds, with the loops that a robot has. Source: Hairer, Lubich & Wanner 2006, section I.1,
for the method; Munthe-Kaas 1999 for moves along a group.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from symdyn.dynamics.control.step_moves import (
    MoveSlopes,
    advance_sweep,
    block,
    inputs_of,
    lengthened,
    move_sweeps,
    ones_added,
)
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField
from symdyn.model.model import Model
from symdyn.plan.compose import Placement, kept_apart, outputs_as_state, placed, wanted
from symdyn.plan.plan import Field, FieldKind, Plan, Sweep

Q_NEXT, V_NEXT = "q_next", "v_next"
VELOCITY_ROWS = {"x": "dv_next_dx", "u": "dv_next_du", "p": "dv_next_dp"}
"""Outputs V (nv, 2 nv), U (nv, nu) and P (nv, np)."""
INNER = "dynamics"
"""What names of fields of the dynamics within a step begin with."""
MATRICES = {"x": "A", "u": "B", "p": "P"}
"""Outputs A (2 nv, 2 nv), B (2 nv, nu) and, where it is requested, P (2 nv, np)."""
LINEARISED = "linearised"
"""Of a step within others: the state after it, and these."""


def explicit_step_plan(model: Model, inner: Plan, acceleration: str) -> Plan:
    """The plan of (q, v, u, h) -> q_next, v_next, from one that finds accelerations, of which this is the field."""
    sweeps = [
        advance_sweep(model.nv, "v", f"{INNER}_{acceleration}", V_NEXT),
        *move_sweeps(model, V_NEXT, Q_NEXT),
    ]
    outputs = {Q_NEXT: model.nq, V_NEXT: model.nv}
    return after(model, inner, "step", sweeps, [], outputs)


def explicit_partials_plan(
    model: Model, inner: Plan, acceleration: str, by: Mapping[str, str], name: str, lengthened_by_h: bool = False
) -> Plan:
    """The plan of (q, v, u, h) -> q_next, v_next, V, U[, P], or of A, B[, P].

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
        ``step_partials``, or ``step_matrices`` for A, B and P.
    lengthened_by_h
        Whether derivatives are multiplied by h already.
    """
    nv = model.nv
    ends = Ends(model, {x: inner.field(field).size // nv for x, field in by.items()}, name)
    advanced = advance_sweep(nv, "v", f"{INNER}_{acceleration}", V_NEXT)
    fields, last = ends.made(V_NEXT)
    last = [ones_added(ends.rows["x"], [(row, nv + row) for row in range(nv)]), *last]
    if lengthened_by_h:  # they can be computed where they are requested
        whole = joined(model, inner, name, [advanced, *last], fields, ends.outputs)
        blocks = {
            f"{INNER}_{by[x]}": Placement(ends.widths[x], out.field, out.columns, out.entry(0, start).offset)
            for x, (out, start) in ends.places.items()
        }
        plan = placed(whole, blocks)
        if plan is not None:
            return wanted(plan)
    entries = [
        lengthened(
            MatrixField(f"{INNER}_{by[x]}", ends.widths[x]),
            out,
            range(nv),
            ends.widths[x],
            start,
            already=lengthened_by_h,
        )
        for x, (out, start) in ends.places.items()
    ]
    return after(model, inner, name, [advanced, *entries, *last], fields, ends.outputs)


class Ends:
    """Outputs of the partials of a step, and what makes them of its velocity rows."""

    def __init__(
        self, model: Model, widths: Mapping[str, int], name: str, theta: float = 1.0, part: float = 1.0
    ) -> None:
        nv, self.whole, self.gives_state = model.nv, name in ("step_matrices", LINEARISED), name != "step_matrices"
        self.model, self.theta, self.part = model, theta, part
        self.widths = dict(widths)
        self.columns = {"x": 2 * nv} | {x: width for x, width in self.widths.items() if x in "up"}
        self.names = MATRICES if self.whole else VELOCITY_ROWS
        below = nv if self.whole else 0
        self.rows = {x: block(self.names[x], count, below) for x, count in self.columns.items()}
        """Velocity rows by x, u and p."""
        others = {x: (self.rows[x], 0) for x in self.columns if x != "x"}
        self.places = {"q": (self.rows["x"], 0), "v": (self.rows["x"], nv), **others}
        """Where derivatives of v_next by q, v, u and p begin."""

    @property
    def outputs(self) -> dict[str, int]:
        """Sizes of the outputs, in order."""
        nv = self.model.nv
        rows = 2 * nv if self.whole else nv
        matrices = {self.names[x]: rows * count for x, count in self.columns.items()}
        return {Q_NEXT: self.model.nq, V_NEXT: nv, **matrices} if self.gives_state else matrices

    def made(self, velocity: str) -> tuple[list[Field], list[Sweep]]:
        """Fields, and sweeps behind those of velocity rows; ``velocity`` is that which moves coordinates."""
        moved = move_sweeps(self.model, velocity, Q_NEXT, self.part) if self.gives_state else []
        if not self.whole:
            return [], moved
        slopes = MoveSlopes(self.model, "end", self.part, self.theta)
        fields, sweeps = slopes.made(velocity)
        sweeps += moved
        for x, count in self.columns.items():
            sweeps += slopes.position_rows(x == "x", count, self.rows[x], MatrixField(self.names[x], count))
        return [*fields, *([] if self.gives_state else [Field(V_NEXT, FieldKind.STATE, self.model.nv)])], sweeps


def after(
    model: Model,
    inner: Plan,
    name: str,
    sweeps: Iterable[Sweep],
    fields: Collection[Field],
    outputs: Mapping[str, int],
) -> Plan:
    """A plan with sweeps behind it, whose outputs are state, without visits that no output needs."""
    return wanted(joined(model, inner, name, sweeps, fields, outputs))


def joined(
    model: Model,
    inner: Plan,
    name: str,
    sweeps: Iterable[Sweep],
    fields: Collection[Field],
    outputs: Mapping[str, int],
) -> Plan:
    """A plan with sweeps behind it, whose outputs are state."""
    kept, found = kept_apart(outputs_as_state(inner.fields), inner.sweeps, INNER, ())
    there = {field.name for field in kept}
    added = [field for field in inputs_of(model) if field.name not in there]
    made = [Field(output, FieldKind.OUTPUT, size) for output, size in outputs.items()]
    every = (*kept, *added, *fields, *made)
    run = (*found, *(sweep for sweep in sweeps if sweep.visits))
    return replace(inner, name=name, fields=every, sweeps=run)
