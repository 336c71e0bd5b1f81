"""Solve R(x, z) = 0 for z, and differentiate z by the implicit function theorem: dz/dx = -K^-1 dR/dx, K = dR/dz.

With N = M_FF^-1 in the free rows and zero elsewhere, S = A N A^T, and right-hand sides t of forces and h of errors,

    Y = S^-1 A N,    P = N - N A^T Y
    da_F = -P t - Y^T h,    dlambda = Y t - S^-1 h,    df_P = t_P + M_PF da_F - A_P^T dlambda

Without loops P = N. Columns of P and -Y are derivatives by given forces; derivatives by given accelerations have the
right-hand sides t = M, h = A. The same formulas give z itself, from R at a_F = 0 and lambda = 0, because R is affine in
z. S is factored as in ``loops.delassus_factor``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from types import MappingProxyType

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.equations.inputs import ByInputs, by_inputs
from symdyn.dynamics.equations.problem import Problem, Slope, System, inner_rows
from symdyn.dynamics.loops.constraint_kinematics import relation_fields, relation_sweeps
from symdyn.dynamics.loops.constraint_set import ConstraintSet
from symdyn.dynamics.loops.constraints import slopes_beside
from symdyn.dynamics.loops.delassus_factor import FactoredRows
from symdyn.dynamics.mass_matrix.factored_inverse import FactoredInverse
from symdyn.dynamics.mass_matrix.inverse import mass_matrix_inverse_sweeps
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField, Transposed, product_sweeps
from symdyn.dynamics.partials.inverse_dynamics import refuse_jumps
from symdyn.dynamics.tree.bindings import Reads, Writes, plan_of, read, step, write
from symdyn.dynamics.tree.body_state import pose_sweep
from symdyn.dynamics.tree.branch_rows import BranchRows, ways_from_root
from symdyn.dynamics.tree.contracted_view import Made, weighing_sweeps
from symdyn.dynamics.tree.places import Place
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.model import lossless
from symdyn.plan.compose import kept_apart, places_written
from symdyn.plan.plan import Access, Field, FieldKind, Plan


@dataclass(frozen=True, slots=True)
class Outputs:
    """Names of derivatives of (a_F, f_P) in one vector, and of multipliers, by what is differentiated by.

    These are q, v, u (what is given, or inputs of actuators), a (given accelerations beside inputs) and p.
    """

    solution: Mapping[str, str]
    multipliers: Mapping[str, str] = field(default_factory=dict)


def implicit_partials_plan(
    problem: Problem,
    name: str,
    outputs: Outputs,
    tree: TreePlan | None = None,
    at_solution: bool = False,
    length: str = "",
) -> Plan:
    """The plan of (q, v, given[, f_ext][, p]) -> derivatives of the solution and of the multipliers.

    Parameters
    ----------
    problem
        The equations.
    name
        Of the function.
    outputs
        Names of the derivatives. With actuators' inputs, u and a stand for ``problem.given``.
    tree
        The tree to build on.
    at_solution
        Whether the solution is known: a and lambda are inputs in place of what is given. Derivatives by p are left out.
    length
        An input (1,) by which derivatives are multiplied, of problems that :func:`takes_length`.

    Raises
    ------
    ModelError
        A joint's friction jumps with the sign of its velocity.
    """
    model = problem.model
    tree = tree or TreePlan(model, problem.external)
    refuse_jumps(tree)
    by_force = {"u": "dw_dgiven"}, {"u": "dlambda_dgiven"} if outputs.multipliers else {}
    named = (outputs.solution, outputs.multipliers)
    if problem.actuated:
        outputs = Outputs(*({**names, **force} for names, force in zip(named, by_force, strict=True)))
    system = (_KnownSolution if at_solution else ImplicitSystem)(problem, tree, outputs, length)
    system.solve()
    system.differentiate()
    plan = plan_of(name, tree, system.sweeps, system.fields)
    if not problem.actuated:
        return plan
    matrices = [
        ByInputs(force["u"], rows, names["u"], names["a"])
        for names, force, rows in zip(named, by_force, (model.nv, problem.rows), strict=True)
        if names
    ]
    return by_inputs(model, plan, problem.free, problem.given, matrices, problem.input_slopes())


def takes_length(problem: Problem) -> bool:
    """Whether a length multiplies derivatives in P and in the blocks of H^-1, which have fewer entries than results.

    Not with loops, whose multipliers do not pass through P.
    """
    return not problem.rows


class ImplicitSystem(System):
    """Fields and sweeps of K^-1, of z and of derivatives, in order. What has no name in ``outputs`` is state."""

    linked: Mapping[str, str] = MappingProxyType({"a": "acceleration", "lambda": "multipliers"})
    """The fields of z, by the inputs of R."""

    def __init__(self, problem: Problem, tree: TreePlan, outputs: Outputs, length: str = "") -> None:
        super().__init__()
        self.problem, self.tree, self.free, self.length = problem, tree, sorted(problem.free), length
        self.count, self.rows = problem.model.nv, problem.rows
        self.prescribed = [row for row in range(self.count) if row not in problem.free]
        self.widths = dict.fromkeys("qvua", self.count) | {"p": len(problem.model.slots.names)}
        self.solution = self._outputs(outputs.solution, self.count, "solution_by")
        self.multipliers = self._outputs(outputs.multipliers, self.rows, "multipliers_by")
        self.by_force, self.multipliers_by_force = self.solution["u"], self.multipliers["u"]  # P, -Y in free columns
        if length:
            self.by_force = self.state("inverse_free", self.count, self.count)
        self.jacobian = self.state("A", self.rows, self.count)
        self.factor = FactoredRows(problem.model)
        self.factors: FactoredInverse
        self.inverses: list[MatrixField] = []  # of the blocks of the factors, once they are made
        self.lengthened = False

    def _outputs(self, names: Mapping[str, str], rows: int, other: str) -> dict[str, MatrixField]:
        """Matrices of derivatives, outputs where they have a name."""
        widths = {by: width for by, width in self.widths.items() if width and by != "a"}
        made = {by: MatrixField(names[by], width) for by, width in widths.items() if by in names}
        self.fields += [Field(own.field, FieldKind.OUTPUT, rows * own.columns) for own in made.values()]
        return made | {by: self.state(f"{other}_{by}", rows, width) for by, width in widths.items() if by not in names}

    def solve(self) -> None:
        """Add what computes K^-1 and z from q, v and what is given."""
        given, every = self.problem.given, range(self.count)
        sizes = (("q", self.problem.model.nq), ("v", self.count), (given, self.count))
        self.fields += [*(Field(each, FieldKind.INPUT, size) for each, size in sizes), *self.tree.fields()]
        for name in ("known", "bias", "residual", "acceleration"):
            self.state(name, 1, self.count)
        error, multipliers = self.state("missed", self.rows, 1), self.state("multipliers", self.rows, 1)
        self.sweeps.append(_TAKE_KNOWN.over(self.tree, every, lambda _, row: row in self.problem.free, given=given))
        bias = self.problem.residual(exerted=False)
        names = {"a": "known", "tau": "bias", "constraint_residual": "missed"}
        self.take(kept_apart(bias.fields, bias.sweeps, "bias", ("pose", "ground", "related"), names))
        self.invert()
        right = Slope(MatrixField("residual", 1), error, {0: self.free}, {0: range(self.rows)})
        turned = self.by_factors(right)
        self.sweeps.append(_SUBTRACT_BIAS.over(self.tree, self.free, lambda _, __: turned, given=given))
        self.apply_inverse(right, MatrixField("acceleration", 1), multipliers, negative=turned)

    def lengthen(self) -> None:
        """Add what multiplies P by the length, once z is known, and so all derivatives that follow."""
        whole, self.by_force = self.by_force, self.solution["u"]
        self.fields.append(Field(self.length, FieldKind.INPUT, 1))
        self._multiply(range(self.count**2), whole, self.by_force)
        self.lengthened = True

    def _multiply(self, entries: Iterable[int], x: MatrixField, y: MatrixField) -> None:
        self.sweeps.append(_LENGTHEN.over(self.tree, entries, by=self.length, x=x.field, y=y.field))

    def invert(self) -> MatrixField:
        """Add what computes N and, with loops, A, the factor of S, -Y and P; return A N."""
        looped, rows = bool(self.rows), range(self.rows)
        jacobian: Made = ([], [])
        if looped:
            tree = TreePlan(lossless(self.problem.model), derivatives=self.tree.derivatives, beside=self.tree)
            jacobian = slopes_beside(ConstraintSet(tree), self.jacobian.field)
            self.take(jacobian)
        inverse = self.state("inverse_free", self.count, self.count) if looped else self.by_force

        def made_by(seen: TreePlan) -> Made:
            rows = BranchRows(ways_from_root(seen.model, self.free))
            self.factors = FactoredInverse(rows, "mass")
            return mass_matrix_inverse_sweeps(seen, self.free, inverse.field)

        made = weighing_sweeps(self.tree, made_by, "mass")
        self.take(made)
        whole = self.state("jacobian_inverse", self.rows, self.count)
        if looped:
            self.sweeps += product_sweeps(self.jacobian, inverse, whole, rows, inner_rows(made[1], inverse, self.free))
            self.fields += self.factor.fields()
            written = places_written(jacobian[1], self.jacobian.field)
            self.sweeps.append(self.factor.sweep(self.jacobian, whole, written, self.free))
            self.sweeps.append(self.factor.solving(whole, self.multipliers_by_force, self.free, negative=True))
            across, dense = Transposed(self.multipliers_by_force.field, self.count), dict.fromkeys(self.free, rows)
            self.sweeps += product_sweeps(across, whole, self.by_force, self.free, dense, plus=inverse)
        return whole

    def slopes_of(self, by: Sequence[str]) -> dict[str, Slope]:
        """Add what computes dR/dx by some of q, v, a and p."""
        forces = {x: self.state(f"slope_{x}", self.count, self.widths[x]) for x in by}
        errors = {x: self.jacobian if x == "a" else self.state(f"missed_{x}", self.rows, self.widths[x]) for x in by}
        made = self.problem.slopes(self.tree, by, self.linked)
        self.take(made)
        return {
            x: Slope(
                forces[x],
                errors[x],
                inner_rows(made[1], forces[x], self.free),
                inner_rows(self.sweeps, errors[x], range(self.rows)),
            )
            for x in by
        }

    def by_factors(self, right: Slope) -> bool:
        """Whether the factors of M solve for a right-hand side."""
        return not self.rows and self.factors.saves(right.force_rows)

    def _solve_by_factors(self, right: Slope, solution: MatrixField) -> None:
        """Add -M_FF^-1 t, multiplied by the length once P is."""
        inverse = self.factors.inverse
        if inverse not in self.inverses:
            self.take(self.factors.factors())
            self.inverses.append(inverse)
        if self.lengthened:
            inverse = MatrixField(f"{inverse.field}_long", inverse.columns)
            if inverse not in self.inverses:
                self.state(inverse.field, inverse.columns, inverse.columns)
                self._multiply(self.factors.entries(), self.factors.inverse, inverse)
                self.inverses.append(inverse)
        half = self.state(f"{right.force.field}_half", self.count, right.force.columns)
        self.sweeps += self.factors.sweeps(right.force, right.force_rows, half, solution, inverse)

    def apply_inverse(
        self, right: Slope, solution: MatrixField, multipliers: MatrixField, negative: bool = True
    ) -> None:
        """Add da_F and dlambda of -K^-1 (t, h), or of -K^-1 (-t, h) where ``negative`` is false."""
        if negative and self.by_factors(right):
            self._solve_by_factors(right, solution)
            return
        by_error = left = None
        if self.rows:
            by_error = self.state(f"{solution.field}_by_error", self.count, solution.columns)
            left = self.state(f"{solution.field}_left", self.rows, solution.columns)
            columns = {column: rows for column, rows in right.error_rows.items() if rows}
            self.sweeps.append(self.factor.solving(right.error, left, columns, negative=True))
            across = Transposed(self.multipliers_by_force.field, self.count)
            self.sweeps += product_sweeps(across, right.error, by_error, self.free, columns)
        if negative:
            self.sweeps += product_sweeps(
                self.by_force, right.force, solution, self.free, right.force_rows, by_error, negative
            )
        else:  # rows of P differ in the columns that are not zero
            inner = inner_rows(self.sweeps, self.by_force, self.free)
            for columns_of, rows in groupby(sorted(self.free, key=lambda row: inner[row]), key=lambda row: inner[row]):
                needed = dict.fromkeys(right.force_rows, columns_of)
                self.sweeps += product_sweeps(self.by_force, right.force, solution, sorted(rows), needed, by_error)
        self.sweeps += product_sweeps(
            self.multipliers_by_force, right.force, multipliers, range(self.rows), right.force_rows, left, negative
        )

    def by_accelerations(self, mass: Slope) -> None:
        """Add derivatives of a_F and of multipliers by given accelerations, from slopes M and A by them."""
        right = Slope(
            mass.force,
            mass.error,
            {column: mass.force_rows[column] for column in self.prescribed},
            {column: mass.error_rows[column] for column in self.prescribed},
        )
        self.apply_inverse(right, self.by_force, self.multipliers_by_force)

    def reactions(
        self, solution: MatrixField, multipliers: MatrixField, columns: Collection[int], plus: MatrixField | None
    ) -> None:
        """Add df_P of prescribed rows, from da_F, dlambda and t_P."""
        if not self.prescribed:
            return
        inner = dict.fromkeys(columns, self.free)
        half = self.state(f"{solution.field}_half", self.count, solution.columns) if self.rows else solution
        mass = MatrixField("slope_a", self.count)
        self.sweeps += product_sweeps(mass, solution, half, self.prescribed, inner, plus)
        if self.rows:
            across, dense = Transposed(self.jacobian.field, self.count), dict.fromkeys(columns, range(self.rows))
            self.sweeps += product_sweeps(across, multipliers, solution, self.prescribed, dense, half, negative=True)

    def differentiate(self) -> None:
        """Add derivatives by q, v, p and what is given."""
        if self.length:
            self.lengthen()
        slopes = self.slopes_of([x for x in "qvap" if self.widths[x] and (x != "a" or self.prescribed)])
        if self.prescribed:
            mass = slopes.pop("a")
            self.by_accelerations(mass)
            self.reactions(self.by_force, self.multipliers_by_force, self.free, None)
            self.reactions(self.by_force, self.multipliers_by_force, self.prescribed, mass.force)
        for x, own in slopes.items():
            self.apply_inverse(own, self.solution[x], self.multipliers[x])
            self.reactions(self.solution[x], self.multipliers[x], range(self.widths[x]), own.force)


class _KnownSolution(ImplicitSystem):
    """The same at a solution that is given."""

    linked: Mapping[str, str] = MappingProxyType({"a": "a", "lambda": "lambda"})

    def solve(self) -> None:
        sizes = {"q": self.problem.model.nq, "v": self.count, "a": self.count, "lambda": self.rows}
        self.fields += [Field(each, FieldKind.INPUT, size) for each, size in sizes.items() if size]
        self.fields += [Field(self.problem.given, FieldKind.STATE, self.count), *self.tree.fields()]
        self.widths["p"] = 0
        if self.rows:  # what the slopes of errors read
            related = relation_sweeps(ConstraintSet(self.tree))
            self.take((relation_fields(ConstraintSet(self.tree), related), [pose_sweep(self.tree), *related]))
        self.invert()


def _take(free: bool, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row: the given acceleration, zero in a free row."""
    if free:
        return {"known": [0.0]}
    return {"known": reads["given"], "acceleration": reads["given"]}


def _subtract(turned: bool, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per free row: the given force less the bias, or its negative."""
    given, bias = reads["given"][0], reads["bias"][0]
    return {"residual": [bias - given if turned else given - bias]}


def _lengthen(_: str, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per entry: it, multiplied by a length."""
    return {"y": [reads["by"][0] * reads["x"][0]]}


def _row(name: str) -> Place:
    return Place(name, lambda tree, row, field: Access(field, row, 1))


_TAKE_KNOWN = step(
    _take,
    name="take_known",
    body=lambda tree, row: -1,
    known=write(_row("known")),
    given=read(_row("given"), when=lambda free: not free),
    acceleration=write(_row("acceleration"), when=lambda free: not free),
)
_SUBTRACT_BIAS = step(
    _subtract,
    name="subtract_bias",
    body=lambda tree, row: -1,
    given=read(_row("given")),
    bias=read(_row("bias")),
    residual=write(_row("residual")),
)
_LENGTHEN = step(
    _lengthen,
    name="lengthen",
    variant=lambda tree, row: "row",
    body=lambda tree, row: -1,
    by=read(Place("by", lambda tree, row, field: Access(field, 0, 1))),
    x=read(_row("x")),
    y=write(_row("y")),
)
