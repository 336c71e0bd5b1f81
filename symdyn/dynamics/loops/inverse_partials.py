"""Partial derivatives of inverse dynamics of robots with loops.

At the shared forces tau and lambda, let r = ID - A^T lambda, and let y be W r in actuated rows and -mu in passive ones
(0 in actuated ones where multipliers are made the least). What ``sharing`` solves reads

    r_p = 0,    A y = 0    (or A y = lambda)

With t = dr and s = d(A y) by q, v, a or p, at fixed lambda and y (``held_motion``), dlambda and dtau therefore solve
the same system, with t for the forces of the tree and s beside: one factor serves all columns. Where passive rows alone
tell the multipliers, s does not count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symdyn.dynamics.forward_dynamics.eliminated_tree import Elimination
from symdyn.dynamics.inverse_dynamics.rnea import inverse_dynamics_plan
from symdyn.dynamics.loops.half_solutions import HalfSolutions
from symdyn.dynamics.loops.held_motion import held_motion_plan
from symdyn.dynamics.loops.held_tree import HeldTree
from symdyn.dynamics.loops.partials import Outputs
from symdyn.dynamics.loops.relate import exertion_sweep, relation_fields, relation_sweeps
from symdyn.dynamics.loops.sharing import TORQUE, ShareVariant, Sharing
from symdyn.dynamics.mass_matrix.crba import mass_matrix_sweeps
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField
from symdyn.dynamics.partials.inverse_dynamics import refuse_jumps
from symdyn.dynamics.partials.tangent_partials import along_sweeps
from symdyn.dynamics.tree.bindings import Reads, Writes, plan_of
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.dynamics.tree.weighing import weighing_sweeps
from symdyn.model.model import Model, lossless
from symdyn.plan.compose import kept_apart
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Given, Mode, Plan, Port, Step, Sweep, Visit
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.spatial.vectors import dot


def factor_sharing(variant: ShareVariant, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step: the factors that all columns share."""
    return {"sharing": Sharing.of(variant, reads["slopes"], _weights(variant, reads)).scalars()}


def share_column(asked: tuple[ShareVariant, bool], _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per column: forces of actuated rows, multipliers, and y where it is asked."""
    variant, drawing = asked
    required, none = reads["required"], [0.0] * variant.count
    sharing = Sharing.loaded(variant, reads["slopes"], reads["sharing"])
    wanted, bound = ([required[row] for row in own] for own in (variant.active, variant.passive))
    found, held = sharing.solved(wanted, bound, reads.get("along", none))
    tau: list[Scalar] = [0.0] * len(variant.actuated)
    y, weights = list(tau), _weights(variant, reads)
    for row, column in zip(variant.active, sharing.active, strict=True):
        tau[row] = required[row] - dot(column, found)
        y[row] = weights[row] * tau[row] if variant.objective == TORQUE else 0.0
    for row, x in zip(variant.passive, held, strict=True):
        y[row] = -x
    return {"tau": tau, "lambda": found, **({"y": y} if drawing else {})}


def _weights(variant: ShareVariant, reads: Reads) -> Sequence[Scalar]:
    return reads.get("weights", [1.0] * len(variant.actuated))


_FACTOR = Step(
    "factor_sharing",
    factor_sharing,
    (Port("slopes", Mode.READ), Port("weights", Mode.READ), Port("sharing", Mode.WRITE)),
)
_SHARE = Step(
    "share_column",
    share_column,
    (
        *(Port(name, Mode.READ) for name in ("slopes", "sharing", "required", "along", "weights")),
        *(Port(name, Mode.WRITE) for name in ("tau", "lambda", "y")),
    ),
)


def constrained_inverse_dynamics_partials_plan(
    model: Model,
    actuated: Sequence[int],
    objective: str,
    weights: Sequence[float] | str,
    outputs: Outputs,
    external: str = "",
) -> Plan:
    """The plan of (q, v, a[, weights][, f_ext][, p]) -> derivatives of tau and of lambda.

    Parameters
    ----------
    model, actuated, objective, weights
        As for ``inverse.constrained_inverse_dynamics_plan``.
    outputs
        Names by q, v, a and, where the robot has run-time parameters, p.
    external
        Axes of f_ext, whose components are held fixed: body, world, or empty.

    Raises
    ------
    ModelError
        A joint's friction jumps with the sign of its velocity.
    """
    tree, count = TreePlan(model, external), model.nv
    refuse_jumps(tree)
    held = HeldTree(TreePlan(lossless(model)))
    rows = held.count
    variant = ShareVariant(rows, tuple(row in actuated for row in range(count)), objective)
    halves = HalfSolutions(held, Elimination(held.tree, ()), "A")
    related = [*relation_sweeps(held), exertion_sweep(held), *halves.sweeps()]
    needed = inverse_dynamics_plan(model, external)
    started = kept_apart(needed.fields, needed.sweeps, "known", ("pose", "ground"), {"tau": "required"})
    slopes, sharing = Access("A", 0, rows * count), Access("sharing", 0, variant.size)
    read: dict[str, Binding] = {"slopes": slopes}
    asked = bool(weights) and isinstance(weights, str)
    if weights:
        read["weights"] = Access("weights", 0, count) if isinstance(weights, str) else Given(tuple(weights))
    states = {"A": slopes.count, "sharing": sharing.count, "required": count, "multipliers": rows, "y": count}
    states |= {"tau": count}
    sizes = (("q", model.nq), ("v", count), ("a", count), *([("weights", count)] if asked else []))
    fields = [
        *(Field(name, FieldKind.INPUT, size) for name, size in sizes),
        *tree.fields(),
        *(field for field in started[0] if field.kind is not FieldKind.INPUT),
        *relation_fields(held, related),
        *halves.fields(),
        *(Field(name, FieldKind.STATE, max(size, 1), sparse=name == "A") for name, size in states.items()),
    ]
    vector = {"required": Access("required", 0, count), "tau": Access("tau", 0, count), "y": Access("y", 0, count)}
    solved = {**read, "sharing": sharing, **vector, "lambda": Access("multipliers", 0, rows)}
    sweeps = [
        *started[1],
        *related,
        Sweep(_FACTOR, (Visit(-1, variant, {}, {**read, "sharing": sharing}),)),
        Sweep(_SHARE, (Visit(-1, (variant, True), {}, solved),)),
    ]
    moving = held_motion_plan(model, external, along="y")
    for by, width in (("q", count), ("v", count), ("a", count), ("p", len(model.slots.names))):
        if not width:
            continue
        force, along = MatrixField(f"slope_{by}", width), MatrixField(f"along_{by}", width)
        drawn = by in "qp" and not variant.unique
        fields += [Field(force.field, FieldKind.STATE, width, count, sparse=True)]
        fields += [Field(along.field, FieldKind.STATE, width, max(rows, 1), sparse=True)] if drawn else []
        if by == "a":
            made = weighing_sweeps(tree, mass_matrix_sweeps, "inertia", {"M": force.field})
        else:
            named = {"tau": force.field, **({"held": along.field} if drawn else {})}
            made = along_sweeps(tree, moving, by, named, {"lambda": "multipliers"})
        fields += made[0]
        sweeps += made[1]
        found, multipliers = (MatrixField(names[by], width) for names in (outputs.found, outputs.multipliers))
        fields += [
            Field(own.field, FieldKind.OUTPUT, size * width) for own, size in ((found, count), (multipliers, rows))
        ]
        visits = [
            Visit(
                -1,
                (variant, False),
                {},
                {
                    "slopes": slopes,
                    "sharing": sharing,
                    "required": force.column(column, 0, count),
                    **({"along": along.column(column, 0, rows)} if drawn else {}),
                    "tau": found.column(column, 0, count),
                    "lambda": multipliers.column(column, 0, rows),
                },
            )
            for column in range(width)
        ]
        sweeps.append(Sweep(_SHARE, tuple(visits), vector=True))
    return plan_of("constrained_inverse_dynamics_partials", tree, sweeps, fields)
