"""Partial derivatives of forward and hybrid dynamics of robots with loops.

At the solved a and lambda, let t = d(ID - A^T lambda) and h = d(e'' + 2 e' / T + e / T^2) be the slopes of what a
motion needs (``held_motion``) by q, v or p. With N = M_FF^-1 in the free rows F, bordered with zeros, and S = A N A^T,

    Y = S^-1 A N,    P = N - N A^T Y
    da_F = -P t - Y^T h,    dlambda = Y t - S^-1 h,    dtau_B = t_B + M_BF da_F - A_B^T dlambda

for prescribed rows B. Given forces of free rows give P and -Y; given accelerations have columns of M for t and of A for
h. The same formulas lead from what the bias leaves to a and lambda themselves. S is factored as in ``multipliers``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from symdyn.dynamics.forward_dynamics.singular import refuse_singular
from symdyn.dynamics.loops.constraints import slopes_beside
from symdyn.dynamics.loops.held_motion import held_motion_plan
from symdyn.dynamics.loops.held_tree import HeldTree
from symdyn.dynamics.loops.shared_factor import FactoredRows
from symdyn.dynamics.mass_matrix.crba import mass_matrix_sweeps
from symdyn.dynamics.mass_matrix.inverse import mass_matrix_inverse_sweeps
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField, Transposed, product_sweeps
from symdyn.dynamics.partials.forward_dynamics import SUBTRACT_BIAS, TAKE_KNOWN, inner_rows
from symdyn.dynamics.partials.inverse_dynamics import refuse_jumps
from symdyn.dynamics.partials.tangent_partials import along_sweeps
from symdyn.dynamics.tree.bindings import plan_of
from symdyn.dynamics.tree.rod_moments_apart import moments_apart
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.dynamics.tree.weighing import weighing_sweeps
from symdyn.model.model import Model, lossless
from symdyn.plan.compose import kept_apart, places_written
from symdyn.plan.plan import Field, FieldKind, Plan, Sweep


@dataclass(frozen=True, slots=True)
class Outputs:
    """Names of derivatives of what is found and of the multipliers, by what they are taken by."""

    found: Mapping[str, str]
    multipliers: Mapping[str, str]


def constrained_partials_plan(
    model: Model,
    name: str,
    free: Collection[int],
    given: str,
    outputs: Outputs,
    external: str = "",
    stabilisation: float | None = None,
    resisting: Sequence[Sweep] = (),
    resists: Callable[[Plan], Plan] | None = None,
) -> Plan:
    """The plan of (q, v, given[, f_ext][, p]) -> derivatives of found and of lambda.

    Parameters
    ----------
    model
        The robot, with loops.
    name
        Of the function.
    free
        Rows of v whose force is given; the acceleration of the others is.
    given
        Name of the input, (nv,).
    outputs
        Names by q, v, u and, where the robot has run-time parameters, p.
    external
        Axes of f_ext, whose components are held fixed: body, world, or empty.
    stabilisation
        The time T [s] in which errors of the loops vanish; None leaves them.
    resisting
        Sweeps that add to ``slope_q`` and ``slope_v``, (nv, nv), what q and v take off the given forces.
    resists
        Takes off the forces ``tau`` of a plan what is given and changes with p.

    Raises
    ------
    ModelError
        The mass matrix is singular, or a joint's friction jumps with the sign of its velocity.
    """
    refuse_singular(model, free)
    tree = TreePlan(model, external)
    refuse_jumps(tree)
    plan = SolvedPartials(model, tree, sorted(free), outputs)
    plan.resisting, plan.resists = resisting, resists or plan.resists
    return plan.made(name, given, external, stabilisation)


@dataclass(frozen=True, slots=True)
class Slope:
    """Derivatives t of forces and h of errors, and by columns the rows of each that are not zero."""

    force: MatrixField
    miss: MatrixField
    felt: Mapping[int, Sequence[int]]
    gone: Mapping[int, Sequence[int]]


class HeldPartials:
    """Fields and sweeps of a plan of derivatives, as they come; what has no name in ``outputs`` is state."""

    def __init__(self, model: Model, tree: TreePlan, free: Sequence[int], outputs: Outputs) -> None:
        self.model, self.tree, self.free = model, tree, free
        self.held = HeldTree(TreePlan(lossless(model)))
        self.count, self.rows = model.nv, self.held.count
        self.bound = [row for row in range(self.count) if row not in free]
        self.fields: list[Field] = []
        self.sweeps: list[Sweep] = []
        self.widths = {"q": self.count, "v": self.count, "u": self.count, "p": len(model.slots.names)}
        self.found = self._outputs(outputs.found, self.count, "found_by")
        self.multipliers = self._outputs(outputs.multipliers, self.rows, "multipliers_by")
        self.by_u, self.lambda_by_u = self.found["u"], self.multipliers["u"]  # P and -Y in columns of free rows
        self.slopes = self.state("A", self.rows, self.count)
        self.mass = self.state("mass_of_rows", self.count, self.count)
        self.factor = FactoredRows(model)
        self.resisting: Sequence[Sweep] = ()
        self.resists: Callable[[Plan], Plan] = lambda plan: plan

    def state(self, name: str, rows: int, columns: int) -> MatrixField:
        """A matrix of the plan's own, zero where nothing is written."""
        self.fields.append(Field(name, FieldKind.STATE, max(columns, 1), max(rows, 1), sparse=True))
        return MatrixField(name, columns)

    def _outputs(self, names: Mapping[str, str], rows: int, other: str) -> dict[str, MatrixField]:
        """Matrices that the function gives, by what derivatives are taken by."""
        asked = {by: width for by, width in self.widths.items() if width}
        made = {by: MatrixField(names[by], width) for by, width in asked.items() if by in names}
        self.fields += [Field(own.field, FieldKind.OUTPUT, rows * own.columns) for own in made.values()]
        return made | {by: self.state(f"{other}_{by}", rows, width) for by, width in asked.items() if by not in names}

    def take(self, made: tuple[Iterable[Field], Iterable[Sweep]]) -> None:
        """Add fields and sweeps."""
        self.fields += made[0]
        self.sweeps += made[1]

    def invert(self) -> MatrixField:
        """A, the factor of S, -Y, and P; gives A N."""
        count, rows, exerted = self.count, range(self.rows), slopes_beside(self.held, self.slopes.field)
        self.take(exerted)
        inverse, pulled = self.state("inverse_free", count, count), self.state("pulled", self.rows, count)
        found = weighing_sweeps(
            self.tree, lambda seen: mass_matrix_inverse_sweeps(seen, self.free, inverse.field), "mass"
        )
        self.take(found)
        if self.bound:
            linked = {"M": self.mass.field}
            self.take(weighing_sweeps(self.tree, mass_matrix_sweeps, "inertia", linked))
        self.sweeps += product_sweeps(self.slopes, inverse, pulled, rows, inner_rows(found[1], inverse, self.free))
        self.fields += self.factor.fields()
        self.sweeps.append(self.factor.sweep(self.slopes, pulled, places_written(exerted[1], "A"), self.free))
        self.sweeps.append(self.factor.solving(pulled, self.lambda_by_u, self.free, negative=True))
        every = dict.fromkeys(self.free, rows)
        moved = Transposed(self.lambda_by_u.field, count)
        self.sweeps += product_sweeps(moved, pulled, self.by_u, self.free, every, plus=inverse)
        return pulled

    def slopes_of(self, plan: Plan, listed: Iterable[str], linked: Mapping[str, str]) -> None:
        """Derivatives by some of q, v and p, from the plan of what a motion needs, whose inputs are ``linked``."""
        for by in listed:
            own = self.slope_of(self.resists(plan) if by == "p" else plan, by, linked)
            found, multipliers = self.found[by], self.multipliers[by]
            self.respond(own.force, own.miss, found, multipliers, own.felt, own.gone, False)
            self.forces(found, multipliers, range(found.columns), own.force)

    def slope_of(self, plan: Plan, by: str, linked: Mapping[str, str]) -> Slope:
        """What the forces and the errors do that a motion needs, by one of q, v and p."""
        width = self.widths[by]
        force, miss = self.state(f"slope_{by}", self.count, width), self.state(f"missed_{by}", self.rows, width)
        own = moments_apart(self.tree.rods, plan)
        fields, sweeps = along_sweeps(self.tree, own, by, {"tau": force.field, "held": miss.field}, linked)
        sweeps += [sweep for sweep in self.resisting if places_written([sweep], force.field)]
        self.take((fields, sweeps))
        return Slope(force, miss, inner_rows(sweeps, force, self.free), inner_rows(sweeps, miss, range(self.rows)))

    def respond(
        self,
        force: MatrixField,
        miss: MatrixField,
        found: MatrixField,
        multipliers: MatrixField,
        felt: Mapping[int, Sequence[int]],
        gone: Mapping[int, Sequence[int]],
        given: bool,
    ) -> None:
        """Answers of free rows and of multipliers to slopes t and h, or to -t where t is what is ``given``.

        ``felt`` and ``gone`` are, by columns, rows of t and h that are not zero.
        """
        width, rows = found.columns, range(self.rows)
        pressed = self.state(f"{found.field}_pressed", self.count, width)
        left = self.state(f"{found.field}_left", self.rows, width)
        moved = Transposed(self.lambda_by_u.field, self.count)
        asked = [column for column, own in gone.items() if own]
        self.sweeps.append(self.factor.solving(miss, left, asked, negative=True))
        self.sweeps += product_sweeps(moved, miss, pressed, self.free, {column: gone[column] for column in asked})
        self.sweeps += product_sweeps(self.by_u, force, found, self.free, felt, pressed, not given)
        self.sweeps += product_sweeps(self.lambda_by_u, force, multipliers, rows, felt, left, not given)

    def forces(
        self, found: MatrixField, multipliers: MatrixField, columns: Iterable[int], plus: MatrixField | None
    ) -> None:
        """Answers of forces of prescribed rows, from those of free rows and of multipliers."""
        if self.bound:
            columns = list(columns)
            half = self.state(f"{found.field}_half", self.count, found.columns)
            inner = dict.fromkeys(columns, self.free)
            self.sweeps += product_sweeps(self.mass, found, half, self.bound, inner, plus)
            slopes = Transposed(self.slopes.field, self.count)
            every = dict.fromkeys(columns, range(self.rows))
            self.sweeps += product_sweeps(slopes, multipliers, found, self.bound, every, half, True)


class SolvedPartials(HeldPartials):
    """Those of forward and hybrid dynamics."""

    linked: Mapping[str, str] = MappingProxyType({"a": "acceleration", "lambda": "multipliers"})
    """The fields of what is found, by the inputs of the plan of what a motion needs."""

    def made(self, name: str, given: str, external: str, stabilisation: float | None) -> Plan:
        """The plan."""
        self.solve(given, external, stabilisation)
        needed = held_motion_plan(self.model, external, stabilisation)
        self.slopes_of(needed, [by for by in self.found if by != "u"], self.linked)
        self._by_given()
        return plan_of(name, self.tree, self.sweeps, self.fields)

    def solve(self, given: str, external: str, stabilisation: float | None) -> None:
        """Find P, -Y, the acceleration and the multipliers from q, v and what is given."""
        sizes = (("q", self.model.nq), ("v", self.count), (given, self.count))
        self.fields += [Field(each, FieldKind.INPUT, size) for each, size in sizes]
        self.fields += self.tree.fields()
        self.sweeps.append(TAKE_KNOWN.over(self.tree, range(self.count), lambda _, row: row in self.free, given=given))
        for field, size in (("known", self.count), ("bias", self.count), ("residual", self.count)):
            self.state(field, 1, size)
        missed = self.state("missed", self.rows, 1)
        started = held_motion_plan(self.model, external, stabilisation, exerted=False)
        names = {"a": "known", "tau": "bias", "held": "missed"}
        self.take(kept_apart(started.fields, started.sweeps, "known", ("pose", "ground", "related"), names))
        self.invert()
        acceleration, multipliers = self.state("acceleration", self.count, 1), self.state("multipliers", self.rows, 1)
        self.sweeps.append(SUBTRACT_BIAS.over(self.tree, self.free, given=given))
        residual = MatrixField("residual", 1)
        self.respond(residual, missed, acceleration, multipliers, {0: self.free}, {0: range(self.rows)}, True)

    def _by_given(self) -> None:
        """Derivatives by given accelerations, and of forces of prescribed rows by what is given."""
        if self.bound:
            felt = dict.fromkeys(self.bound, self.free)
            gone = dict.fromkeys(self.bound, range(self.rows))
            self.respond(self.mass, self.slopes, self.by_u, self.lambda_by_u, felt, gone, False)
            self.forces(self.by_u, self.lambda_by_u, self.bound, self.mass)
            self.forces(self.by_u, self.lambda_by_u, self.free, None)
