"""The rate of a state y = (q, v), and its Jacobian, from what finds accelerations and from its partial derivatives.

    y' = (N(q) v, a),    dy'/dy = [[d(N v)/dq, N], [da/dq E, da/dv]]

with the derivatives of a along the robot's own axes, and E of ``state_coordinates``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from symdyn.dynamics.actuation.steps import COPY
from symdyn.dynamics.equations.state_coordinates import (
    RATE,
    STATE,
    coordinates_of,
    moves_sweep,
    rate_slopes_sweep,
    rate_sweep,
)
from symdyn.dynamics.mass_matrix.matrix_product import Block, MatrixField, product_sweeps
from symdyn.model.model import Model
from symdyn.plan.compose import outputs_as_state, renamed, wanted
from symdyn.plan.plan import Access, Field, FieldKind, Given, Plan, Sweep, Visit

BY_STATE, _MOVES = "d_dy", "moves_by_coordinates"


def state_derivative_plan(model: Model, inner: Plan, found: str, given: str, prescribed: Collection[int] = ()) -> Plan:
    """The plan of (y, ..) -> dy_dt, (nq + nv,).

    Parameters
    ----------
    model
        The robot.
    inner
        What finds accelerations from q, v and other inputs.
    found
        Its output (nv,); forces in prescribed rows.
    given
        The input (nv,) that has the acceleration of prescribed rows.
    prescribed
        Rows of v whose acceleration is given.
    """
    nq, nv = model.nq, model.nv
    copies = [(Access(given if row in prescribed else found, row, 1), Access(RATE, nq + row, 1)) for row in range(nv)]
    rates = [rate_sweep(model), _copies(copies)]
    return _of_state(model, inner, "state_derivative", rates, [Field(RATE, FieldKind.OUTPUT, nq + nv)])


def state_jacobian_plan(
    model: Model,
    inner: Plan,
    found: str,
    given: Mapping[str, str],
    prescribed: Collection[int] = (),
    given_by: str = "",
) -> Plan:
    """The plan of (y, ..) -> d_dy, (nq + nv, nq + nv), and derivatives by other inputs, (nq + nv, ..).

    Parameters
    ----------
    model
        The robot.
    inner
        What finds derivatives from q, v and other inputs.
    found
        What they are derivatives of: the outputs ``d<found>_dq`` and ``d<found>_dv`` are read.
    given
        Further outputs of it (nv, ..), and the names of what is made of them.
    prescribed
        Rows of v whose acceleration is given.
    given_by
        The output of the function by which they are given, if any are.
    """
    nq, nv = model.nq, model.nv
    size, free = nq + nv, [row for row in range(nv) if row not in prescribed]
    by_q, by_v = (MatrixField(f"d{found}_d{by}", nv) for by in "qv")
    steep, below = MatrixField(_MOVES, nq), Block(BY_STATE, size, nq * size)
    copies, inner_columns = list[tuple[Access | Given, Access]](), dict[int, Sequence[int]]()
    for joint in model.independent_joints:
        if joint.kind.commutes:
            columns = zip(joint.q_places, joint.v_places, strict=True)
            copies += [(by_q.entry(row, v), below.entry(row, q)) for q, v in columns for row in free]
        else:
            inner_columns |= dict.fromkeys(joint.q_places, joint.v_places)
    copies += [(by_v.row(row, 0, nv), below.row(row, nq, nv)) for row in free]
    fields = [Field(BY_STATE, FieldKind.OUTPUT, size * size), Field(_MOVES, FieldKind.STATE, nq, nv, sparse=True)]
    for source, output in given.items():
        width = inner.field(source).size // nv
        own, out = MatrixField(source, width), Block(output, width, nq * width)
        copies += [(own.row(row, 0, width), out.row(row, 0, width)) for row in free]
        copies += [(Given((1.0,)), out.entry(row, row)) for row in prescribed if output == given_by]
        fields.append(Field(output, FieldKind.OUTPUT, size * width))
    sweeps = [
        rate_slopes_sweep(model, BY_STATE),
        moves_sweep(model, _MOVES),
        *product_sweeps(by_q, steep, below, free, inner_columns),
        _copies(copies),
    ]
    return _of_state(model, inner, "state_jacobian", sweeps, fields)


def _copies(places: Iterable[tuple[Access | Given, Access]]) -> Sweep:
    visits = (Visit(-1, None, {}, {"source": source, "column": to}) for source, to in places)
    return Sweep(COPY, tuple(visits), vector=True)


def _of_state(model: Model, inner: Plan, name: str, sweeps: Iterable[Sweep], fields: Iterable[Field]) -> Plan:
    """The plan that takes y for q and v, whose outputs are state."""
    q, made, before = coordinates_of(model)
    own = outputs_as_state(field for field in inner.fields if field.name not in ("q", "v"))
    found = renamed(inner.sweeps, {"q": q, "v": STATE}, {"v": model.nq})
    every = [Field(STATE, FieldKind.INPUT, model.nq + model.nv), *made, *own, *fields]
    run = (*before, *found, *(sweep for sweep in sweeps if sweep.visits))
    return wanted(replace(inner, name=name, fields=tuple(every), sweeps=run))
