"""Second derivatives of weighted joint forces: the gradient, varied along moves of q and along v, for any robot.

    D_xy = d2(lambda^T ID(q, v, a))/dx dy,   x, y among q, v, a;   D_va = D_aa = 0, as ID is M(q) a + h(q, v)

An entry by q, q is the derivative along the second move of the derivative along the first: D_qq[i, j] = X_j X_i, with
the directions of rows of v as fields X. Fields of different joints commute, so D_qq is symmetric between joints. So the
gradient by a joint's rows need not be varied along joints that come later. Within a free base, ball or planar joint it
differs by the field of the bracket: D_qq[i, j] - D_qq[j, i] = [X_j, X_i].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.equations.residual_gradient import GRADIENTS, inverse_dynamics_adjoint_plan
from symdyn.dynamics.partials.tangent_partials import along_sweeps
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.model import Model
from symdyn.plan.compose import begun_alike, wanted
from symdyn.plan.plan import Access, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit

VARIED = {"qq": "D_qq", "vq": "D_vq", "aq": "D_aq", "vv": "D_vv"}
"""State fields, (nv, nv): entry (i, j) is what gradient i does along direction j. Of symmetric ones the lower half."""

POSES_VARIED = 4
"""How often poses of rods are differentiated: for rates, twice for those, once back and once along."""


def weighted_hessian_sweeps(
    tree: TreePlan,
    gradient: Plan,
    inputs: Mapping[str, str] | None = None,
    few: int | None = None,
    label: str = "",
) -> tuple[list[Field], list[Sweep]]:
    """Sweeps that fill the fields of ``VARIED`` from q, v, a and the weights.

    Parameters
    ----------
    tree
        The robot.
    gradient
        The plan of g_q, g_v, g_a. Of gradients g_x by other inputs it fills ``D_<x>q``, row by row, too.
    inputs
        Other names for the fields of inputs.
    few
        Moves of q from which they go in lanes.
    label
        What ends the names of fields that are filled.

    Returns
    -------
    Fields, those inputs apart that have no other name, and sweeps.
    """
    nv, names = tree.model.nv, dict(inputs or {})
    found_by = {output.name: output.name.removeprefix("g_") for output in gradient.fields_of(FieldKind.OUTPUT)}
    others = {output: f"D_{by}q{label}" for output, by in found_by.items() if output not in GRADIENTS.values()}
    made = [Field(f"{name}{label}", FieldKind.STATE, nv, nv, sparse=True) for name in VARIED.values()]
    made += [Field(name, FieldKind.STATE, nv, gradient.field(of).size, sparse=True) for of, name in others.items()]
    sweeps: list[Sweep] = []
    for by, rows, more in (("q", "qva", others), ("v", "v", {})):
        outputs = {GRADIENTS[row]: f"{VARIED[row + by]}{label}" for row in rows if GRADIENTS[row] in found_by} | more
        fields, found = along_sweeps(tree, gradient, by, outputs, names, label, few=few if by == "q" else None)
        made += fields
        sweeps += found
    given = [field for field in gradient.fields_of(FieldKind.INPUT) if field.name not in names]
    return [*given, *made], sweeps


def inverse_dynamics_weighted_hessian_plan(model: Model, external: str = "") -> Plan:
    """The plan of H_qq, H_qv, H_vv and H_qa, (nv, nv) each, from q, v, a and the weights lambda, (nv,).

    Parameters
    ----------
    model
        The robot.
    external
        Axes of the wrenches f_ext, whose components are held fixed: body, world, or empty.

    Raises
    ------
    ModelError
        A joint whose friction jumps with the sign of its velocity.
    """
    gradient = inverse_dynamics_adjoint_plan(model, external, derivatives=POSES_VARIED)
    fields, sweeps = weighted_hessian_sweeps(TreePlan(model, external), gradient)
    outputs = [Field(f"H_{name}", FieldKind.OUTPUT, model.nv**2) for name in ("qq", "qv", "vv", "qa")]
    sweeps += [
        symmetric_sweep(model, VARIED["qq"], "H_qq"),
        transposed_sweep(model, VARIED["vq"], "H_qv"),
        symmetric_sweep(model, VARIED["vv"], "H_vv"),
        transposed_sweep(model, VARIED["aq"], "H_qa"),
    ]
    bodies = tuple(body.name for body in model.bodies)
    name = "inverse_dynamics_weighted_hessian"
    made = Plan(name, (*fields, *outputs), tuple(sweeps), bodies, model.parent)
    return begun_alike(wanted(made))


def symmetric_sweep(model: Model, source: str, output: str, product: str = "") -> Sweep:
    """The sweep that writes a matrix from its lower half, with a product S and S^T added where one is named.

    Parameters
    ----------
    model
        The robot. Entries above the diagonal count as well within a joint.
    source, output, product
        Fields of (nv, nv) scalars.
    """
    visits = []
    for joint in model.independent_joints:
        start, rows = joint.v_index, len(joint.coordinates.v)
        for row in range(start, start + rows):
            first, below = row * model.nv, start + rows
            bindings = {"half": Access(source, first, below), "row": Access(output, first, below)}
            if product:
                bindings["product"] = Access(product, first, below)
                bindings["across"] = Access(product, row, below, model.nv)
            if start:
                bindings["column"] = Access(output, row, start, model.nv)
            visits.append(Visit(-1, start, {}, bindings))
    return Sweep(_ROW, tuple(visits))


def transposed_sweep(model: Model, source: str, output: str) -> Sweep:
    """The sweep that writes the transpose of a matrix of (nv, nv) scalars."""
    count = model.nv
    visits = [
        Visit(-1, 0, {}, {"half": Access(source, row, count, count), "row": Access(output, row * count, count)})
        for row in range(count)
    ]
    return Sweep(_ROW, tuple(visits))


def _row(
    columns: int, _: Algebra, __: Mapping[str, Scalar], reads: Mapping[str, Sequence[Scalar]]
) -> Mapping[str, Sequence[Scalar]]:
    """A row of a matrix, and the first ``columns`` of its entries across the diagonal."""
    row = list(reads["half"])
    if "product" in reads:
        row = [x + (y + z) for x, y, z in zip(row, reads["product"], reads["across"], strict=True)]
    return {"row": row, "column": row[:columns]} if columns else {"row": row}


_ROW = Step(
    "matrix_row",
    _row,
    (
        *(Port(name, Mode.READ) for name in ("half", "product", "across")),
        Port("row", Mode.WRITE),
        Port("column", Mode.WRITE),
    ),
)
