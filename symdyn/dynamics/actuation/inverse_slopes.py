"""Derivatives of the inputs of actuators that a motion needs, and of the forces that these cannot give.

Inputs u and residual r are functions of q, and of v and p where B rests on these, that are linear in the forces tau.
With U = du/dtau and N = dr/dtau, which are the pseudo-inverse of B and what is left of 1,

    du/dx = U dtau/dx + (du/dx at fixed tau),    dr/dx = N dtau/dx + (dr/dx at fixed tau),    x = q, v, a, p

Those at fixed tau are tangents of the algorithm, which has no branches: they are right wherever the rank of B stays as
it is nearby (Golub & Pereyra 1973). At positions where columns become dependent there are no derivatives.
"""

from __future__ import annotations

from dataclasses import replace

from symdyn.dynamics.actuation.inverse import least_inputs_plan
from symdyn.dynamics.inverse_dynamics.rnea import inverse_dynamics_plan
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField, product_sweeps
from symdyn.dynamics.partials.inverse_dynamics import inverse_dynamics_partials_plan
from symdyn.dynamics.partials.tangent_partials import along_sweeps
from symdyn.dynamics.tree.bindings import plan_of
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.model import Model
from symdyn.plan.compose import kept_apart, places_written, wanted
from symdyn.plan.plan import Field, FieldKind, Plan

_FORCES = "forces_needed"


def inverse_actuation_partials_plan(
    model: Model, external: str = "", weights: tuple[float, ...] | str = "", name: str = "inverse_actuation_partials"
) -> Plan:
    """The plan of (q, v, a[, weights][, f_ext][, p]) -> du_dx (na, nx), dresidual_dx (nv, nx), for x = q, v, a[, p].

    Parameters
    ----------
    model
        The robot.
    external
        Axes of the wrenches f_ext: body, world, or empty.
    weights
        Of squared errors in rows of v, as for inverse_actuation; they stay as they are.
    name
        Of the function.

    Raises
    ------
    ModelError
        A joint's friction jumps with the sign of its velocity.
    """
    tree, nv, rows = TreePlan(model, external), model.nv, {"u": len(model.actuator_inputs), "residual": model.nv}
    widths = {"q": nv, "v": nv, "a": nv, **({"p": len(model.slots.names)} if model.slots.names else {})}
    found: dict[str, Field] = {}
    sweeps = []
    for label, plan, linked in (
        ("value", inverse_dynamics_plan(model, external), {"tau": _FORCES}),
        ("slopes", inverse_dynamics_partials_plan(model, external), {f"dtau_d{x}": f"dtau_d{x}" for x in widths}),
    ):
        fields, made = kept_apart(plan.fields, plan.sweeps, label, ("ground",), linked)
        found |= {field.name: field for field in fields}
        sweeps += made
    found[_FORCES] = Field(_FORCES, FieldKind.STATE, nv, sparse=True)
    found |= {
        f"dtau_d{x}": Field(f"dtau_d{x}", FieldKind.STATE, nv * width, sparse=True) for x, width in widths.items()
    }
    least = least_inputs_plan(model, weights)
    known = {"tau": nv, **{x: width for x, width in widths.items() if x != "a"}}
    for x, width in known.items():
        outputs = {of: f"of_{of}_by_{x}" for of in rows}
        fields, made = along_sweeps(tree, replace(least, name="least"), x, outputs, {"tau": _FORCES}, f"_{x}")
        found |= {field.name: field for field in fields}
        found |= {own: Field(own, FieldKind.STATE, rows[of] * width, sparse=True) for of, own in outputs.items()}
        sweeps += made
    for of, count in rows.items():
        by_forces = MatrixField(f"of_{of}_by_tau", nv)
        alike: dict[tuple[int, ...], list[int]] = {}
        written = places_written(sweeps, by_forces.field)
        for row in range(count):
            alike.setdefault(tuple(own for own in range(nv) if row * nv + own in written), []).append(row)
        for x, width in widths.items():
            forces, out = MatrixField(f"dtau_d{x}", width), MatrixField(f"d{of}_d{x}", width)
            plus = MatrixField(f"of_{of}_by_{x}", width) if x in known else None
            for inner, together in alike.items():
                sweeps += product_sweeps(by_forces, forces, out, together, dict.fromkeys(range(width), inner), plus)
            found[out.field] = Field(out.field, FieldKind.OUTPUT, count * width)
    given = {own.name: own for own in least.fields if own.kind is FieldKind.INPUT and own.name != "tau"}
    return wanted(plan_of(name, tree, sweeps, [*(given | found).values()]))
