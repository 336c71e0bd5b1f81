"""Partial derivatives of inverse dynamics of robots with loops.

At the shared forces tau and lambda, let r = ID - A^T lambda, and let y be W r in actuated rows and -mu in passive ones
(0 in actuated ones where multipliers are made the least). What ``force_distribution`` solves reads

    r_p = 0,    A y = 0    (or A y = lambda)

With t = dr and s = d(A y) by q, v, a or p, at fixed lambda and y (``constrained_residual``), dlambda and dtau therefore
solve the same system, with t for the forces of the tree and s beside. As its matrix is symmetric, one solution per row
of lambda and of tau_a tells what all columns do to that row:

    dlambda = E s + C t,    dtau = -(A_a^T E) s + (1 - A_a^T C) t

So errors of s that no lambda could meet, where rows of A depend on each other, do not reach tau: A_a^T is solved for.
Where passive rows alone tell the multipliers, s does not count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import dot
from symdyn.dynamics.equations.implicit import Outputs
from symdyn.dynamics.equations.problem import Slope, System, inner_rows
from symdyn.dynamics.inverse_dynamics.rnea import inverse_dynamics_plan
from symdyn.dynamics.loops.constrained_residual import held_motion_plan
from symdyn.dynamics.loops.constraint_activation import ACTIVE, all_switches
from symdyn.dynamics.loops.constraint_kinematics import relation_fields, relation_sweeps
from symdyn.dynamics.loops.constraint_set import ConstraintSet
from symdyn.dynamics.loops.constraints import constraint_rate_plan, slopes_beside
from symdyn.dynamics.loops.force_distribution import TORQUE, ShareVariant, Sharing, share_constants, share_variant
from symdyn.dynamics.mass_matrix.crba import mass_matrix_sweeps
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField, product_sweeps
from symdyn.dynamics.partials.inverse_dynamics import refuse_jumps
from symdyn.dynamics.partials.tangent_partials import along_sweeps
from symdyn.dynamics.tree.bindings import Reads, Writes, plan_of
from symdyn.dynamics.tree.contracted_view import Made, weighing_sweeps
from symdyn.dynamics.tree.rod_moments_apart import moments_apart
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.model import Model, lossless
from symdyn.plan.compose import kept_apart
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Given, Mode, Plan, Port, Step, Sweep, Visit

FORCE, ALONG = "force", "along"
"""What residuals are: r, and A y."""


@dataclass(frozen=True, slots=True)
class Residual:
    """A plan of R, fields of its inputs by name, and what its outputs are."""

    plan: Plan
    linked: Mapping[str, str]
    outputs: Mapping[str, str]


def factor_sharing(variant: ShareVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step: the factors that all columns share."""
    return {"sharing": Sharing.of(variant, algebra, constants, reads, weights_of(variant, reads)).scalars()}


def share_and_draw(variant: ShareVariant, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step: the multipliers, and y."""
    required = reads["required"]
    sharing = Sharing.loaded(variant, reads["slopes"], reads["sharing"])
    wanted, bound = ([required[row] for row in own] for own in (variant.active, variant.passive))
    found, constraints = sharing.solved(wanted, bound, [0.0] * variant.count)
    y: list[Scalar] = [0.0] * len(variant.actuated)
    weights = weights_of(variant, reads)
    if variant.objective == TORQUE:
        for row, column in zip(variant.active, sharing.active, strict=True):
            y[row] = weights[row] * (required[row] - dot(column, found))
    for row, x in zip(variant.passive, constraints, strict=True):
        y[row] = -x
    return {"lambda": found, "y": y}


def answer_row(numbered: tuple[ShareVariant, int], _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row of lambda, and per row of tau, whose number is given: what it answers to t and to s."""
    variant, row = numbered
    sharing = Sharing.loaded(variant, reads["slopes"], reads["sharing"])
    need, found = responses(variant, sharing, reads["right"], [0.0] * len(variant.passive))
    if row >= 0:
        need, found = [float(place == row) - x for place, x in enumerate(need)], [-x for x in found]
    return {"need": need, "draw": found}


def responses(
    variant: ShareVariant, sharing: Sharing, right: Sequence[Scalar], bound: Sequence[Scalar]
) -> tuple[list[Scalar], list[Scalar]]:
    """What the solution for b and t_p, times its right-hand sides, responds to t and to s."""
    found, constraints = sharing.answered(right, bound)
    need: list[Scalar] = [0.0] * len(variant.actuated)
    for place, column in zip((*variant.active, *variant.passive), sharing.pulled, strict=False):
        need[place] = dot(column, found)
    for place, x in zip(variant.passive, constraints, strict=True):
        need[place] = need[place] + x
    return need, found


def weights_of(variant: ShareVariant, reads: Reads) -> Sequence[Scalar]:
    """Weights of the rows of v, ones where none are given."""
    return reads.get("weights", [1.0] * len(variant.actuated))


_FACTOR = Step(
    "factor_sharing",
    factor_sharing,
    (*(Port(name, Mode.READ) for name in ("slopes", "weights", ACTIVE)), Port("sharing", Mode.WRITE)),
)
_SHARE = Step(
    "share_and_draw",
    share_and_draw,
    (
        *(Port(name, Mode.READ) for name in ("slopes", "sharing", "required", "weights")),
        *(Port(name, Mode.WRITE) for name in ("lambda", "y")),
    ),
)
_ANSWER = Step(
    "answer_row",
    answer_row,
    (
        *(Port(name, Mode.READ) for name in ("slopes", "sharing", "right")),
        Port("need", Mode.WRITE),
        Port("draw", Mode.WRITE),
    ),
)


class SharingSystem(System):
    """The factor, the multipliers and y, and derivatives of tau and lambda.

    Parameters
    ----------
    model, actuated, objective, weights
        As for ``constrained_inverse_dynamics.constrained_inverse_dynamics_plan``.
    external
        Axes of f_ext, whose components are held fixed: body, world, or empty.
    derivatives
        How often loads and rods may be differentiated.

    Raises
    ------
    ModelError
        A joint's friction jumps with the sign of its velocity.
    """

    def __init__(
        self,
        model: Model,
        actuated: Sequence[int],
        objective: str,
        weights: Sequence[float] | str,
        external: str = "",
        derivatives: int = 2,
    ) -> None:
        super().__init__()
        self.model, self.external, self.weights = model, external, weights
        self.tree, self.count = TreePlan(model, external, derivatives=derivatives), model.nv
        refuse_jumps(self.tree)
        self.constraints = ConstraintSet(TreePlan(lossless(model), beside=self.tree))
        self.rows = self.constraints.count
        self.variant = share_variant(model, self.rows, actuated, objective, weights)
        self.factor: dict[str, Binding] = {
            "slopes": Access("A", 0, self.rows * self.count),
            "sharing": Access("sharing", 0, self.variant.size),
        }
        self.weighed: dict[str, Binding] = {}
        if weights:
            given = Access("weights", 0, self.count) if isinstance(weights, str) else Given(tuple(weights))
            self.weighed["weights"] = given

    def solve(self) -> None:
        """Add what computes the factor, lambda and y from q, v, a and weights."""
        model, count, rows, constraints = self.model, self.count, self.rows, self.constraints
        related, exerted = relation_sweeps(constraints), slopes_beside(constraints, "A")
        needed = inverse_dynamics_plan(model, self.external)
        fields, sweeps = kept_apart(needed.fields, needed.sweeps, "known", ("pose", "ground"), {"tau": "required"})
        inputs = {"q": model.nq, "v": count, "a": count, **({"weights": count} if self.variant.weighed else {})}
        states = {"A": rows * count, "sharing": self.variant.size, "required": count, "multipliers": rows, "y": count}
        self.fields += [
            *(Field(name, FieldKind.INPUT, size) for name, size in inputs.items()),
            *self.tree.fields(),
            *(field for field in fields if field.kind is not FieldKind.INPUT),
            *relation_fields(constraints, related),
            *exerted[0],
            *(Field(name, FieldKind.STATE, max(size, 1), sparse=name == "A") for name, size in states.items()),
        ]
        constants = share_constants(model, self.variant, self.weights)
        solved: dict[str, Binding] = {name: Access(name, 0, count) for name in ("required", "y")}
        solved |= {**self.factor, **self.weighed, "lambda": Access("multipliers", 0, rows)}
        read = {"slopes": self.factor["slopes"], **self.weighed, **all_switches(model)}
        self.sweeps += [
            *sweeps,
            *related,
            *exerted[1],
            Sweep(_FACTOR, (Visit(-1, self.variant, constants, {**read, "sharing": self.factor["sharing"]}),)),
            Sweep(_SHARE, (Visit(-1, self.variant, {}, solved),)),
        ]

    def residuals(self, tree: TreePlan | None = None) -> list[Residual]:
        """Plans of r = ID - A^T lambda and of A y. ``tree`` is the tree to build on.

        Both are one plan, but for stations of rods: a plan computes their velocities once, so that y has its own.
        """
        solved, derivatives = {"lambda": "multipliers"}, self.tree.derivatives
        if not self.tree.rods.fields_of("v"):
            moving = held_motion_plan(self.model, self.external, along="y", tree=tree)
            return [Residual(moving, solved, {"tau": FORCE, "constraint_residual": ALONG})]
        inner, rates = (
            tree or TreePlan(model, external, derivatives=derivatives)
            for model, external in ((self.model, self.external), (lossless(self.model), ""))
        )
        return [
            Residual(held_motion_plan(self.model, self.external, tree=inner), solved, {"tau": FORCE}),
            Residual(constraint_rate_plan(self.model, rates), {"v": "y"}, {"rate": ALONG}),
        ]

    def slopes(self, by: str, width: int) -> tuple[Slope, bool]:
        """Add what computes t and s by q, v, a or p, and whether s counts."""
        count, rows = self.count, self.rows
        drawn = by in "qp" and not self.variant.unique
        names = {FORCE: self.state(f"slope_{by}", count, width)}
        if drawn:
            names[ALONG] = self.state(f"along_{by}", rows, width)
        made: Made = ([], [])
        if by == "a":
            made = weighing_sweeps(self.tree, mass_matrix_sweeps, "inertia", {"M": names[FORCE].field})
        else:
            for number, own in enumerate(self.residuals()):
                outputs = {output: names[what].field for output, what in own.outputs.items() if what in names}
                if outputs:
                    plan, label = moments_apart(self.tree.rods, own.plan), "_drawn" if number else ""
                    more = along_sweeps(self.tree, plan, by, outputs, own.linked, label)
                    made = ([*made[0], *more[0]], [*made[1], *more[1]])
        self.take(made)
        along = names.get(ALONG, MatrixField("", width))
        error_rows = inner_rows(made[1], along, range(rows)) if drawn else {}
        return Slope(names[FORCE], along, inner_rows(made[1], names[FORCE], range(count)), error_rows), drawn

    def partials(self, outputs: Outputs) -> Plan:
        """The plan of (q, v, a[, weights][, f_ext][, p]) -> derivatives of tau and of lambda.

        ``outputs`` has names by q, v, a and, where the robot has run-time parameters, p.
        """
        self.solve()
        count, rows = self.count, self.rows
        answers = {
            name: (self.state(f"{name}_by_need", size, count), self.state(f"{name}_by_draw", size, rows))
            for name, size in (("tau", count), ("lambda", rows))
        }
        self.sweeps.append(_answering(self.variant, answers, self.factor))
        for by, width in (("q", count), ("v", count), ("a", count), ("p", len(self.model.slots.names))):
            if not width:
                continue
            slope, drawn = self.slopes(by, width)
            for name, size, places, names in (
                ("tau", count, self.variant.active, outputs.solution),
                ("lambda", rows, range(rows), outputs.multipliers),
            ):
                found, (by_need, by_draw) = MatrixField(names[by], width), answers[name]
                self.fields.append(Field(found.field, FieldKind.OUTPUT, size * width))
                half = self.state(f"{found.field}_half", size, width) if drawn else None
                if half is not None:
                    self.sweeps += product_sweeps(by_draw, slope.error, half, places, slope.error_rows)
                self.sweeps += product_sweeps(by_need, slope.force, found, places, slope.force_rows, half)
        return plan_of("constrained_inverse_dynamics_partials", self.tree, self.sweeps, self.fields)


def _answering(
    variant: ShareVariant, answers: Mapping[str, tuple[MatrixField, MatrixField]], factor: Mapping[str, Binding]
) -> Sweep:
    """The sweep that fills what rows of tau and of lambda answer to t and to s."""
    slopes, rows = MatrixField("A", len(variant.actuated)), range(variant.count)
    right_hand_sides: list[tuple[int, str, int, Binding]] = [
        *((row, "tau", row, slopes.column(row, 0, variant.count)) for row in variant.active),
        *((-1, "lambda", row, Given(tuple(float(row == place) for place in rows))) for row in rows),
    ]
    visits = []
    for number, name, row, right in right_hand_sides:
        need, draw = (own.row(row, 0, own.columns) for own in answers[name])
        visits.append(Visit(-1, (variant, number), {}, {**factor, "right": right, "need": need, "draw": draw}))
    return Sweep(_ANSWER, tuple(visits))
