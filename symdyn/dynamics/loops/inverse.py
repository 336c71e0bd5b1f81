"""Inverse dynamics of robots with loops: the forces of actuated rows that a motion needs, and the multipliers.

The tree alone needs tau_r = ID(q, v, a). Multipliers lambda take A^T lambda off it: off passive rows p all that they
cannot give, and off actuated rows a as much as makes their forces the least (Kim 2012, eqs. 56 to 66),

    minimise tau_a^T W tau_a,    tau_a = tau_ar - A_a^T lambda,    subject to A_p^T lambda = tau_pr

or, with ``objective="force"``, minimise |lambda|^2. With K = A_a W A_a^T + g A_p A_p^T, g such that both terms weigh
alike, or K = 1,

    K lambda + A_p mu = b,    b = A_a W tau_ar + g A_p tau_pr    (or 0)
    T = A_p^T K^-1 A_p,    mu = T^-1 (A_p^T K^-1 b - tau_pr),    lambda = K^-1 (b - A_p mu)

K and T are positive definite where rows of the loops do not depend on each other. K + 1e-9 diag(K) is factored, T
likewise, and two corrections with the equations themselves follow: see ``proximal``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from symdyn.dynamics.inverse_dynamics.rnea import inverse_dynamics_plan
from symdyn.dynamics.loops.held_tree import HeldTree
from symdyn.dynamics.loops.proximal import CORRECTIONS, Factor
from symdyn.dynamics.loops.relate import exertion_sweep, relation_fields, relation_sweeps
from symdyn.dynamics.loops.station_slopes import slopes_of
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.model import Model, lossless
from symdyn.plan.compose import renamed
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Given, Mode, Plan, Port, Step, Sweep, Visit
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.spatial.vectors import Matrix, Vector, add, dot, scale, subtract

FORCE, TORQUE = "force", "torque"
OBJECTIVES = (TORQUE, FORCE)


@dataclass(frozen=True, slots=True)
class ShareVariant:
    """What is structural: rows of the loops, rows of v, which of these are actuated, and what is made the least."""

    count: int
    actuated: tuple[bool, ...]
    objective: str


def share_forces(variant: ShareVariant, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step: the multipliers, and the forces that they leave to the actuated rows."""
    rows = len(variant.actuated)
    slopes = [reads["slopes"][rows * row : rows * (row + 1)] for row in range(variant.count)]
    active = [row for row, own in enumerate(variant.actuated) if own]
    passive = [row for row, own in enumerate(variant.actuated) if not own]
    required = reads["required"]
    by_active, by_passive = _columns(slopes, active), _columns(slopes, passive)
    weights = _entries(reads.get("weights", [1.0] * rows), active)
    found = _least(variant, by_active, by_passive, weights, _entries(required, active), _entries(required, passive))
    tau: list[Scalar] = [0.0] * rows
    for row, column in zip(active, by_active, strict=True):
        tau[row] = required[row] - dot(column, found)
    return {"tau": tau, "lambda": found}


def _least(
    variant: ShareVariant, active: Matrix, passive: Matrix, weights: Vector, wanted: Vector, bound: Vector
) -> list[Scalar]:
    """The multipliers, from columns of A by rows of v."""
    count = variant.count
    matrix: list[list[Scalar]] = [[float(row == other) for other in range(row + 1)] for row in range(count)]
    right: list[Scalar] = [0.0] * count
    if variant.objective == TORQUE:
        weighed = [[weight * x for x in column] for weight, column in zip(weights, active, strict=True)]
        share = _trace(weighed, active) / _trace(passive, passive) if passive and active else 1.0
        scaled = [[share * x for x in column] for column in passive]
        matrix = _summed_products([*weighed, *scaled], [*active, *passive], count)
        for column, force in zip((*weighed, *scaled), (*wanted, *bound), strict=True):
            right = [x + force * y for x, y in zip(right, column, strict=True)]
    factor = Factor.of(matrix)
    across = [factor.solved(column) for column in passive]
    inner = Factor.of([[dot(own, passive[other]) for other in range(row + 1)] for row, own in enumerate(across)])
    found: list[Scalar] = [0.0] * count
    held: list[Scalar] = [0.0] * len(passive)
    for _ in range(CORRECTIONS + 1):
        left = subtract(right, [dot(_row(matrix, row), found) for row in range(count)])
        for slope, force in zip(passive, held, strict=True):
            left = subtract(left, scale(force, slope))
        missed = [force - dot(column, found) for column, force in zip(passive, bound, strict=True)]
        more = inner.solved([dot(column, left) - rest for column, rest in zip(across, missed, strict=True)])
        for slope, force in zip(passive, more, strict=True):
            left = subtract(left, scale(force, slope))
        found, held = add(found, factor.solved(left)), add(held, more)
    return found


def _columns(slopes: Matrix, rows: Sequence[int]) -> list[list[Scalar]]:
    return [[own[row] for own in slopes] for row in rows]


def _entries(values: Vector, rows: Sequence[int]) -> list[Scalar]:
    return [values[row] for row in rows]


def _trace(left: Matrix, right: Matrix) -> Scalar:
    total: Scalar = 0.0
    for own, other in zip(left, right, strict=True):
        total = total + dot(own, other)
    return total


def _summed_products(left: Matrix, right: Matrix, count: int) -> list[list[Scalar]]:
    """The lower triangle of the sum of products of columns."""
    found: list[list[Scalar]] = [[0.0] * (row + 1) for row in range(count)]
    for own, other in zip(left, right, strict=True):
        for row in range(count):
            for column in range(row + 1):
                found[row][column] = found[row][column] + own[row] * other[column]
    return found


def _row(lower: Matrix, row: int) -> list[Scalar]:
    """A row of a symmetric matrix of which the lower triangle is given."""
    return [*lower[row], *(below[row] for below in lower[row + 1 :])]


_SHARE = Step(
    "share_forces",
    share_forces,
    (
        *(Port(name, Mode.READ) for name in ("slopes", "required", "weights")),
        *(Port(name, Mode.WRITE) for name in ("tau", "lambda")),
    ),
)


def constrained_inverse_dynamics_plan(
    model: Model,
    actuated: Sequence[int],
    objective: str,
    weights: Sequence[float] | str,
    external: str = "",
    tree: TreePlan | None = None,
) -> Plan:
    """The plan of (q, v, a[, weights][, f_ext][, p]) -> tau, lambda.

    Parameters
    ----------
    model
        The robot, with loops.
    actuated
        Rows of v that have forces.
    objective
        What is made the least: ``torque`` or ``force``.
    weights
        Of the rows of v, numbers; empty for ones, ``input`` where they are an input (nv,).
    external
        Axes of f_ext: body, world, or empty.
    tree
        That of the model and these wrenches, where the caller has it.
    """
    moving, count = inverse_dynamics_plan(model, external, tree), model.nv
    held = HeldTree((tree or TreePlan(model, external)) if model.rods else TreePlan(lossless(model)))
    rows = slopes_of(held, "slopes")
    weighed: Binding | None = None
    if weights:
        weighed = Access("weights", 0, count) if isinstance(weights, str) else Given(tuple(weights))
    variant = ShareVariant(held.count, tuple(row in actuated for row in range(count)), objective)
    bindings: dict[str, Binding] = {
        "slopes": Access("slopes", 0, held.count * count),
        "required": Access("required", 0, count),
        **({"weights": weighed} if weighed else {}),
        "tau": Access("tau", 0, count),
        "lambda": Access("lambda", 0, held.count),
    }
    asked = renamed(moving.sweeps, {"tau": "required"})
    related = [*relation_sweeps(held), exertion_sweep(held), *rows.sweeps()]
    soft = held.tree.rods.inner_fields(related)
    related = list(held.tree.rods.completed(related))
    sweeps = (*asked, *related, Sweep(_SHARE, (Visit(-1, variant, {}, bindings),)))
    fields = [
        *(field for field in moving.fields if field.name != "tau"),
        *([Field("weights", FieldKind.INPUT, count)] if isinstance(weighed, Access) else []),
        *soft,
        *relation_fields(held, related),
        *rows.fields(),
        Field("slopes", FieldKind.STATE, held.count * count, sparse=True),
        Field("required", FieldKind.STATE, count),
        Field("tau", FieldKind.OUTPUT, count),
        Field("lambda", FieldKind.OUTPUT, held.count),
    ]
    told = {field.name: field for field in fields}
    return replace(moving, name="constrained_inverse_dynamics", fields=tuple(told.values()), sweeps=sweeps)
