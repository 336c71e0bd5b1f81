"""Derivatives by inputs u of actuators, from derivatives by given forces: tau = B(q) u.

Derivatives by u are those by forces times B, and those by prescribed accelerations are columns of the same matrix.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from symdyn.dynamics.actuation import steps
from symdyn.dynamics.actuation.actuation_map import column_sweeps, driving_fields
from symdyn.dynamics.actuation.plans import driven_plan
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField, Transposed, product_sweeps
from symdyn.model.model import Model
from symdyn.plan.compose import places_written
from symdyn.plan.plan import Field, FieldKind, Plan, Sweep, Visit

_B = "B"


@dataclass(frozen=True, slots=True)
class ByInputs:
    """A matrix of derivatives by what was given, with that many rows, and names of those by inputs and by a.

    ``plus`` names a field (inputs, rows) of what inputs that act by B(q) add to their columns.
    """

    by_given: str
    rows: int
    by_inputs: str
    by_a: str
    plus: str = ""


def by_inputs(
    model: Model,
    plan: Plan,
    free: Collection[int],
    given: str,
    matrices: Sequence[ByInputs],
    slopes: Sequence[Sweep] = (),
) -> Plan:
    """A plan of partial derivatives that takes inputs u (na,), and a where some is prescribed, for the field ``given``.

    Parameters
    ----------
    model
        The robot.
    plan
        What takes ``given`` (nv,), and has derivatives by it.
    free
        Rows of v whose force the inputs give.
    given
        Its name.
    matrices
        The derivatives by it, outputs that become state.
    slopes
        Sweeps of the plan that read inputs (``slope_sweeps``).
    """
    count, bound = len(model.actuator_inputs), [row for row in range(model.nv) if row not in free]
    columns = column_sweeps(model, _B, without=("joint",))
    written = places_written(columns, _B)
    inner = {
        number: [row for row in sorted(free) if row * count + number in written]
        for number, own in enumerate(model.actuator_inputs)
        if own.of != "joint"
    }
    products: list[Sweep] = []
    copies: list[Visit] = []
    for own in matrices:
        by_given, by_input = MatrixField(own.by_given, model.nv), MatrixField(own.by_inputs, count)
        plus = Transposed(own.plus, own.rows) if own.plus else None
        products += product_sweeps(by_given, MatrixField(_B, count), by_input, range(own.rows), inner, plus)
        kept = [
            (by_input.column(number, 0, own.rows), actuator.place)
            for number, actuator in enumerate(model.actuator_inputs)
            if actuator.of == "joint" and actuator.place in free
        ]
        kept += [(MatrixField(own.by_a, model.nv).column(row, 0, own.rows), row) for row in bound]
        copies += [steps.copy_visit(by_given.column(row, 0, own.rows), at) for at, row in kept]
    names = [own.by_given for own in matrices]
    fields = [
        replace(field, kind=FieldKind.STATE, sparse=True) if field.name in names else field for field in plan.fields
    ]
    fields += [
        *driving_fields(model, [*slopes, *columns], plan.fields),
        Field(_B, FieldKind.STATE, count, model.nv, sparse=True),
    ]
    for own in matrices:
        fields.append(Field(own.by_inputs, FieldKind.OUTPUT, own.rows * count))
        fields += [Field(own.by_a, FieldKind.OUTPUT, own.rows * model.nv)] if bound else []
    made = [*plan.sweeps, *columns, *products, Sweep(steps.COPY, tuple(copies))]
    sweeps = tuple(sweep for sweep in made if sweep.visits)
    return driven_plan(model, replace(plan, fields=tuple(fields), sweeps=sweeps), given, bound)
