"""A problem of dynamics: which equations hold, what is given, and what is unknown.

    R1 = ID(q, v, a) - A^T lambda - B u - f = 0        (nv rows)
    R2 = e'' + 2 e' / T + e / T^2 = 0                  (m rows; none without loops; without T, e'' alone)

Unknown are z = (a_F, lambda, f_P): accelerations of the free rows F, whose force is given, multipliers, and forces of
the prescribed rows P, whose acceleration is given. R is affine in z.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from symdyn.dynamics.actuation.input_slopes import left_over, slope_sweeps
from symdyn.dynamics.inverse_dynamics.rnea import inverse_dynamics_plan
from symdyn.dynamics.loops.constrained_residual import held_motion_plan
from symdyn.dynamics.mass_matrix.crba import mass_matrix_sweeps
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField
from symdyn.dynamics.partials.inverse_dynamics import PartialFields, inverse_dynamics_partials_sweeps
from symdyn.dynamics.partials.tangent_partials import along_sweeps
from symdyn.dynamics.tree.contracted_view import Made, weighing_sweeps
from symdyn.dynamics.tree.rod_moments_apart import moments_apart
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.model import Model
from symdyn.plan.compose import kept_apart, places_written
from symdyn.plan.plan import Field, FieldKind, Plan, Sweep


@dataclass(frozen=True, slots=True)
class Problem:
    """The equations to solve, over a model.

    Attributes
    ----------
    model
        The robot.
    free
        Rows of v whose force is given; the acceleration of the others is.
    given
        Name of the input, (nv,), that has both.
    external
        Axes of f_ext: body, world, or empty.
    stabilisation
        The time T [s] in which errors of loops vanish; None leaves them.
    looped
        Whether the loops hold that the robot may have. Functions of the tree alone leave them open.
    actuated
        Whether the forces of free rows are B(q) u with inputs u of actuators.
    """

    model: Model
    free: Collection[int]
    given: str
    external: str = ""
    stabilisation: float | None = None
    looped: bool = False
    actuated: bool = False

    @property
    def rows(self) -> int:
        """The number m of constraint rows."""
        return len(self.model.loop_row_names) if self.looped else 0

    def residual(self, exerted: bool = True, tree: TreePlan | None = None, jacobian: bool = False) -> Plan:
        """The plan of (q, v, a[, lambda][, f_ext][, p]) -> tau[, held][, A]: R1 without given forces, R2, and A.

        ``exerted`` tells whether multipliers are an input; otherwise they are zero. ``tree`` is the tree to build on.
        """
        if self.rows:
            return held_motion_plan(self.model, self.external, self.stabilisation, exerted, jacobian, tree=tree)
        return inverse_dynamics_plan(self.model, self.external, tree)

    def input_slopes(self) -> list[Sweep]:
        """Sweeps that subtract d(B u)/dq from ``slope_q``, and d(B u)/dv from ``slope_v``."""
        return slope_sweeps(self.model, {row: row for row in self.free}) if self.actuated else []

    def slopes(self, tree: TreePlan, by: Sequence[str], linked: Mapping[str, str]) -> Made:
        """Fields and sweeps of dR1/dx in ``slope_x`` and dR2/dx in ``missed_x``, for x among q, v, a and p.

        Trees of rigid bodies have closed forms; others use dual numbers. Inputs of R are ``linked`` to fields.
        """
        made: list[Made] = []
        by_tangents = list(by) if self.rows else [x for x in by if x == "p"]
        if not self.rows:
            closed = PartialFields(*(f"slope_{x}" if x in by else "" for x in "qva"))
            fields, sweeps = inverse_dynamics_partials_sweeps(tree, closed, linked["a"])
            made.append(kept_apart([*fields, *tree.added.fields()], sweeps, "slope", tree.shared))
            made.append(([], self.input_slopes()))
        for x in by_tangents:
            if x == "a":
                made.append(weighing_sweeps(tree, mass_matrix_sweeps, "inertia", {"M": "slope_a"}))
                continue
            plan = self.residual(tree=TreePlan(self.model, self.external, derivatives=tree.derivatives))
            if x == "p" and self.actuated:
                plan = left_over(self.model, self.free, plan)
            names = {"tau": f"slope_{x}", **({"constraint_residual": f"missed_{x}"} if self.rows else {})}
            made.append(along_sweeps(tree, moments_apart(tree.rods, plan), x, names, linked))
            made.append(([], [own for own in self.input_slopes() if places_written([own], f"slope_{x}")]))
        return [own for fields, _ in made for own in fields], [own for _, sweeps in made for own in sweeps]


@dataclass(frozen=True, slots=True)
class Slope:
    """Right-hand sides t (nv, n) of forces and h (m, n) of errors, and per column the rows of each that are not 0."""

    force: MatrixField
    error: MatrixField
    force_rows: Mapping[int, Sequence[int]]
    error_rows: Mapping[int, Sequence[int]]


class System:
    """Fields and sweeps of a plan that solves equations, in the order in which they are added."""

    def __init__(self) -> None:
        self.fields: list[Field] = []
        self.sweeps: list[Sweep] = []

    def state(self, name: str, rows: int, columns: int) -> MatrixField:
        """A matrix of state, zero where nothing is written. Without rows no field is declared."""
        if rows:
            self.fields.append(Field(name, FieldKind.STATE, max(columns, 1), rows, sparse=True))
        return MatrixField(name, columns)

    def take(self, made: Made) -> None:
        """Add fields and sweeps."""
        self.fields += made[0]
        self.sweeps += made[1]


def inner_rows(sweeps: Sequence[Sweep], matrix: MatrixField, rows: Collection[int]) -> dict[int, list[int]]:
    """Per column of a matrix that sweeps fill, the rows among ``rows`` that they write."""
    written = places_written(sweeps, matrix.field)
    columns = range(matrix.columns)
    return {column: [row for row in rows if row * matrix.columns + column in written] for column in columns}
