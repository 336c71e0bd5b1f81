"""Partial derivatives of hybrid dynamics whose prescribed accelerations come from inputs that are looked for.

Where all inputs are held as found, the derivatives of w are those of plain hybrid dynamics: N = M_FF^-1 is at hand, and
so is W = dw/du_U. What the forces of prescribed rows need then, beside what B u gives them, is made up for by the
unknown inputs (``input_inversion``): with S = (B_U)_P - W_P, for x one of q, v, u_K, a_P and p,

    S du_U/dx = dw_P/dx - d(B u)_P/dx,    dw/dx + W du_U/dx

so that S, with a row per unknown, is all that is solved beside.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from symdyn.dynamics.actuation import steps
from symdyn.dynamics.actuation.actuation_map import column_sweeps_to, driving_fields, driving_sweeps
from symdyn.dynamics.actuation.input_slopes import slope_sweeps
from symdyn.dynamics.equations.implicit import Outputs, implicit_partials_plan
from symdyn.dynamics.equations.input_inversion import DIFFERENCE, INVERT, difference_visit, unknown_inputs_plan
from symdyn.dynamics.equations.problem import Problem
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField, product_sweeps
from symdyn.model.model import Model
from symdyn.plan.compose import clearing, kept_apart, places_written
from symdyn.plan.plan import Access, Field, FieldKind, Plan, Sweep, Visit
from symdyn.plan.transforms.tangent import tangent_sweeps

_U, _W, _FOUND, _PLAIN_B = "inputs_found", "solution_w", "solution_unknown", "plain_B"
_SYSTEM, _INVERSE, _RESPONSE, _BY_P = "slope_system", "slope_inverse", "unknown_response", "driven_by_p"


def unknown_inputs_partials_plan(
    model: Model, name: str, prescribed: Collection[int], unknown: Sequence[int], external: str = ""
) -> Plan:
    """The plan of (q, v, u, a[, f_ext][, p]) -> dw_dx, (nv, nx), and dunknown_dx, (nu, nx), for x = q, v, u, a[, p].

    Parameters
    ----------
    model
        The robot.
    name
        Of the function.
    prescribed
        Rows of v whose acceleration is given.
    unknown
        Numbers of the inputs that are looked for, as many.
    external
        Axes of f_ext: body, world, or empty.

    Raises
    ------
    ModelError
        Inputs that cannot give what is prescribed, a singular mass matrix, or friction that jumps.
    """
    prescribed_rows, nv, count = sorted(prescribed), model.nv, len(unknown)
    free = [row for row in range(nv) if row not in prescribed]
    known = [number for number in range(len(model.actuator_inputs)) if number not in unknown]
    widths = {"q": nv, "v": nv, "u": len(model.actuator_inputs), "a": nv}
    if model.slots.names:
        widths["p"] = len(model.slots.names)
    requested = {x: {"u": known, "a": prescribed_rows}.get(x, list(range(width))) for x, width in widths.items()}
    solved = unknown_inputs_plan(model, name, prescribed, unknown, external)
    problem = Problem(model, free, "given", external, actuated=True)
    plain = implicit_partials_plan(problem, name, Outputs({x: _plain(x) for x in "qvuap"}))
    parts = [
        kept_apart(solved.fields, solved.sweeps, "solution", ["ground"], {"w": _W, "unknown": _FOUND}),
        kept_apart(
            plain.fields, plain.sweeps, "plain", ["ground"], {"u": _U, **{_plain(x): _plain(x) for x in widths}}
        ),
    ]
    found = [steps.copy_visit(Access("u", number, 1), Access(_U, number, 1)) for number in known]
    found += [steps.copy_visit(Access(_FOUND, place, 1), Access(_U, number, 1)) for place, number in enumerate(unknown)]
    joints = [number for number, own in enumerate(model.actuator_inputs) if own.of == "joint"]
    B, W = MatrixField(_PLAIN_B, widths["u"]), MatrixField(_plain("u"), widths["u"])
    columns = column_sweeps_to(model, lambda number, row, rows: B.column(number, row, rows), joints)
    system = [
        difference_visit(B.entry(row, number), W.entry(row, number), Access(_SYSTEM, i * count + j, 1))
        for i, row in enumerate(prescribed_rows)
        for j, number in enumerate(unknown)
    ]
    inverse = {"system": Access(_SYSTEM, 0, count**2), "inverse": Access(_INVERSE, 0, count**2)}
    responses = [
        steps.copy_visit(W.column(number, 0, nv), MatrixField(_RESPONSE, count).column(place, 0, nv))
        for place, number in enumerate(unknown)
    ]
    by_p = _by_parameters(model)
    sweeps = [
        *parts[0][1],
        Sweep(steps.COPY, tuple(found), vector=True),
        *parts[1][1],
        *columns,
        Sweep(DIFFERENCE, tuple(system), vector=True),
        Sweep(INVERT, (Visit(-1, count, {}, {**inverse}),)),
        Sweep(steps.COPY, tuple(responses)),
        *by_p[1],
        *_needed_sweeps(prescribed_rows, widths, requested, B, places_written(by_p[1], _BY_P)),
        *slope_sweeps(model, {row: place for place, row in enumerate(prescribed_rows)}, _needed("q"), _U, _needed("v")),
    ]
    for x, width in widths.items():
        every = {column: list(range(count)) for column in requested[x]}
        by_x = MatrixField(f"dunknown_d{x}", width)
        sweeps += product_sweeps(
            MatrixField(_INVERSE, count), MatrixField(_needed(x), width), by_x, range(count), every
        )
        whole = MatrixField(f"dw_d{x}", width)
        sweeps += product_sweeps(
            MatrixField(_RESPONSE, count), by_x, whole, range(nv), every, plus=MatrixField(_plain(x), width)
        )
    states = [
        Field(_W, FieldKind.STATE, nv),
        Field(_FOUND, FieldKind.STATE, count),
        Field(_U, FieldKind.STATE, widths["u"]),
        Field(_SYSTEM, FieldKind.STATE, count**2),
        Field(_INVERSE, FieldKind.STATE, count**2),
        Field(_RESPONSE, FieldKind.STATE, count, nv),
        *(Field(_plain(x), FieldKind.STATE, width, nv, sparse=True) for x, width in widths.items()),
        *(Field(_needed(x), FieldKind.STATE, width, count, sparse=True) for x, width in widths.items()),
        *(Field(f"dw_d{x}", FieldKind.OUTPUT, nv * width) for x, width in widths.items()),
        *(Field(f"dunknown_d{x}", FieldKind.OUTPUT, count * width) for x, width in widths.items()),
    ]
    declared = [*parts[0][0], *parts[1][0], *by_p[0], *driving_fields(model, sweeps), *states]
    made = tuple(sweep for sweep in sweeps if sweep.visits)
    return Plan(name, tuple({field.name: field for field in declared}.values()), made, solved.bodies, solved.parent)


def _by_parameters(model: Model) -> tuple[list[Field], list[Sweep]]:
    """Sweeps of d(B u)/dp, (nv, np), at the inputs found: strains at rest by stiffness that is known at run time."""
    requested = [number for number, own in enumerate(model.actuator_inputs) if own.of == "rest"]
    driving = driving_sweeps(model, "u", "driven", requested=requested)
    own = driving_fields(model, driving)
    if not own or not model.slots.names:
        return [], []  # no strain at rest, or stiffness that is baked
    widths = {"u": len(model.actuator_inputs), "p": len(model.slots.names)}
    inputs = [Field(name, FieldKind.INPUT, width) for name, width in widths.items()]
    fields = (*inputs, *own, Field("driven", FieldKind.OUTPUT, model.nv))
    sweeps = (clearing([Access("driven", 0, model.nv)]), *driving)
    plan = Plan("driving", fields, sweeps, tuple(body.name for body in model.bodies), model.parent)
    state = [
        Field(name, FieldKind.STATE, width, rows, sparse=True)
        for name, width, rows in (("driving_driven", model.nv, 1), (_BY_P, widths["p"], model.nv))
    ]
    found, made = tangent_sweeps(plan, "p", {"driven": _BY_P}, {"u": _U})
    return [*found, *state], made


def _needed_sweeps(
    prescribed_rows: Sequence[int],
    widths: dict[str, int],
    requested: dict[str, list[int]],
    B: MatrixField,
    driven: Collection[int],
) -> list[Sweep]:
    """Sweeps of the right-hand sides: what forces of prescribed rows need beside B u, per x; of q as if B stood.

    ``driven`` are the places of d(B u)/dp that are not zero.
    """
    copies: list[Visit] = []
    differences: list[Visit] = []
    for x, width in widths.items():
        plain, needed = MatrixField(_plain(x), width), MatrixField(_needed(x), width)
        for place, row in enumerate(prescribed_rows):
            if x == "u":
                for number in requested[x]:
                    entries = (own.entry(at, number) for own, at in ((plain, row), (B, row), (needed, place)))
                    differences.append(difference_visit(*entries))
            else:
                copies.append(steps.copy_visit(plain.row(row, 0, width), needed.row(place, 0, width)))
            for column in range(width) if x == "p" else ():
                if row * width + column in driven:
                    differences.append(
                        difference_visit(
                            plain.entry(row, column),
                            Access(_BY_P, row * width + column, 1),
                            needed.entry(place, column),
                        )
                    )
    return [Sweep(steps.COPY, tuple(copies)), Sweep(DIFFERENCE, tuple(differences), vector=True)]


def _plain(x: str) -> str:
    return f"plain_dw_d{x}"


def _needed(x: str) -> str:
    return f"needed_d{x}"
