"""Second derivatives of a weighted state after a step, lambda^T (x_next (-) x_next at the state): its gradient, varied.

With g of ``step_adjoint``, D_yx = dg_y/dx along moves of q, and, of implicit steps, a(x) that makes R vanish,

    H_yx = D_yx + D_ya da/dx

Where joints turn, D has an antisymmetric part besides, by the brackets of moves at both ends; H is the symmetric part.
Source: Griewank & Walther 2008, chapter 5, for forward over reverse mode.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.control.step_moves import turning_joints
from symdyn.dynamics.mass_matrix.matrix_product import Block, MatrixField, product_sweeps
from symdyn.dynamics.partials.tangent_partials import along_sweeps
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.model import Model
from symdyn.plan.compose import begun_alike, kept_apart, outputs_as_state, wanted
from symdyn.plan.plan import Binding, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit

H_XX, H_XU, H_UU = "H_xx", "H_xu", "H_uu"
SLOPES_OF_A = "slopes_of_a"
"""Output of the plan of da/dx: columns by moves of q, by v and by u."""


def mean_entry(count: int, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per entry: what it is, or the mean of it and of the one across the diagonal."""
    return {"entry": [0.5 * (reads["x"][0] + reads["y"][0]) if count == 2 else reads["x"][0]]}


_MEAN = Step("mean_entry", mean_entry, (Port("x", Mode.READ), Port("y", Mode.READ), Port("entry", Mode.WRITE)))


def step_hessian_plan(model: Model, external: str, adjoint: Plan, given: str, slopes: Plan | None) -> Plan:
    """The plan of (q, v, u, h[, a], lambda) -> H_xx, H_xu, H_uu.

    Parameters
    ----------
    model, external
        The robot, and the axes of f_ext.
    adjoint
        The plan of the gradient of a weighted state after the step.
    given
        Its input u or tau.
    slopes
        Of implicit steps the plan of da/dx.
    """
    nv, nu = model.nv, adjoint.field("g_u").size
    sizes = {"q": nv, "v": nv, "u": nu}
    tree, symmetric = TreePlan(model, external, derivatives=1), bool(turning_joints(model))
    fields: dict[str, Field] = {own.name: own for own in adjoint.fields_of(FieldKind.INPUT)}
    sweeps: list[Sweep] = []

    def matrix(name: str, y: str, x: str, columns: int) -> MatrixField:
        fields[f"{name}_{y}{x}"] = Field(f"{name}_{y}{x}", FieldKind.STATE, columns, sizes[y], sparse=True)
        return MatrixField(f"{name}_{y}{x}", columns)

    along = {"q": "q", "v": "v", "u": given} | ({"a": "a"} if slopes else {})
    varied: dict[tuple[str, str], MatrixField] = {}
    for x, by in along.items():
        width = sizes.get(x) or adjoint.field("a").size
        rows = [y for y in sizes if symmetric or x == "a" or "qvu".index(y) >= "qvu".index(x)]
        varied |= {(y, x): matrix("D", y, x, width) for y in rows}
        state, found = along_sweeps(tree, adjoint, by, {f"g_{y}": f"D_{y}{x}" for y in rows}, {}, "_twice")
        fields |= {own.name: own for own in state if own.name not in fields}
        sweeps += found
    if slopes:
        kept, found = kept_apart(outputs_as_state(slopes.fields), slopes.sweeps, "implicit", ())
        fields |= {own.name: own for own in kept if own.name not in fields}
        sweeps += found
        total, count = 2 * nv + nu, adjoint.field("a").size
        start = 0
        for x, width in sizes.items():
            by_x = Block(f"implicit_{SLOPES_OF_A}", total, start)
            for y in sizes:
                if (y, x) in varied:
                    out, inner = matrix("whole", y, x, width), dict.fromkeys(range(width), range(count))
                    plus = varied[y, x]
                    varied[y, x] = out
                    sweeps += product_sweeps(varied[y, "a"], by_x, out, range(sizes[y]), inner, plus)
            start += width
    names = {"q": (H_XX, 0), "v": (H_XX, nv), "u": (H_UU, 0)}
    widths = {H_XX: 2 * nv, H_XU: nu, H_UU: nu}
    visits = []
    for y, height in sizes.items():
        for x, breadth in sizes.items():
            if y == "u" and x != "u":
                continue
            name = H_XU if (x == "u") != (y == "u") else names[y][0]
            out, above, left = MatrixField(name, widths[name]), names[y][1], 0 if name == H_XU else names[x][1]
            for i in range(height):
                for j in range(breadth):
                    own, across = varied.get((y, x)), varied.get((x, y))
                    terms = [own.entry(i, j)] if own is not None else []
                    terms += [across.entry(j, i)] if across is not None else []
                    terms = terms if symmetric else terms[-1:]
                    bindings: dict[str, Binding] = {
                        **dict(zip(("x", "y"), terms, strict=False)),
                        "entry": out.entry(above + i, left + j),
                    }
                    visits.append(Visit(-1, len(terms), {}, bindings))
    sweeps.append(Sweep(_MEAN, tuple(visits), vector=True))
    made_of = {H_XX: 4 * nv * nv, H_XU: 2 * nv * nu, H_UU: nu * nu}
    outputs = tuple(Field(name, FieldKind.OUTPUT, size) for name, size in made_of.items())
    plan = replace(
        adjoint,
        name="step_weighted_hessian",
        fields=(*fields.values(), *outputs),
        sweeps=tuple(sweep for sweep in sweeps if sweep.visits),
    )
    return begun_alike(wanted(plan))
