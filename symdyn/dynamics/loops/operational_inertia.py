"""What a robot resists its loops' errors with: S = A M^-1 A^T, and its inverse; see ``multipliers``."""

from __future__ import annotations

from collections.abc import Mapping

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.loops.constraint_activation import ACTIVE, units, with_ones
from symdyn.dynamics.loops.multipliers import MultiplierVariant, delassus_of, finding_sweeps
from symdyn.dynamics.loops.proximal import Guard, solve_proximal
from symdyn.dynamics.loops.whitened_jacobian import WhitenedJacobian
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Mode, Port, Step, Sweep


def find_inertia(variant: MultiplierVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step: S, both triangles, and its inverse in the rows that hold."""
    matrix = delassus_of(variant, reads)[2]
    count = len(matrix)
    filled = with_ones(algebra, reads, variant.switches, matrix)
    ones = units(algebra, reads, variant.switches, count)
    guard = Guard(algebra, constants)
    columns = [
        solve_proximal(filled, guard, [ones[row] if row == column else 0.0 for row in range(count)])
        for column in range(count)
    ]
    return {
        "delassus": [matrix[max(row, other)][min(row, other)] for row in range(count) for other in range(count)],
        "inertia": [columns[min(row, other)][max(row, other)] for row in range(count) for other in range(count)],
    }


_INERTIA = Step(
    "find_inertia",
    find_inertia,
    (
        *(Port(name, Mode.READ) for name in ("whitened", "weights", ACTIVE)),
        *(Port(name, Mode.WRITE) for name in ("delassus", "inertia")),
    ),
)


def inertia_sweeps(solutions: WhitenedJacobian) -> tuple[list[Field], list[Sweep]]:
    """State fields, and sweeps that fill ``delassus`` and ``inertia``, (m, m), from half-solutions."""
    size = solutions.constraints.count**2
    bindings: dict[str, Binding] = {name: Access(name, 0, size) for name in ("delassus", "inertia")}
    fields = [Field("weights", FieldKind.STATE, solutions.constraints.tree.model.nv, sparse=True)]
    return fields, [sweep for sweep in finding_sweeps(solutions, _INERTIA, bindings, {}) if sweep.visits]
