"""Multipliers of loops, order by order: their coefficients, their output, and what they take off wrenches."""

from __future__ import annotations

from collections.abc import Mapping

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import dot
from symdyn.dynamics.equations.order_steps import DERIVATIVE
from symdyn.dynamics.kinematics.series_coordinates import scalar_sweep
from symdyn.dynamics.loops.constraint_set import GROUND, OTHER, OWN, SIX, ConstraintSet
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.plan.plan import Access, Field, FieldKind, Mode, Port, Step, Sweep, Visit
from symdyn.plan.transforms.order_by_order import Stepwise
from symdyn.plan.transforms.stepwise_kernels import coefficient_of

MULTIPLIERS = "lambda"
"""Field of the multipliers, as coefficients."""
_OUTPUT = "Lambda"


def multiplier_steps(constraints: ConstraintSet) -> dict[str, Stepwise]:
    """How the multipliers are carried from order to order."""
    return {MULTIPLIERS: Stepwise(unknown=frozenset(range(constraints.count)))}


def multiplier_output(constraints: ConstraintSet, order: int) -> Field:
    """Their output, (r + 1, m)."""
    return Field(_OUTPUT, FieldKind.OUTPUT, (order + 1) * constraints.count)


def multiplier_sweep(constraints: ConstraintSet, k: int) -> Sweep:
    """Order k of the output from the multipliers found."""
    count, multipliers = constraints.count, coefficient_of(MULTIPLIERS, k)
    rows = ((Access(multipliers, row, 1), Access(_OUTPUT, k * count + row, 1)) for row in range(count))
    return scalar_sweep(DERIVATIVE, k, [-1] * count, rows)


def pull_sweep(constraints: ConstraintSet, multipliers: str, wrench: str) -> Sweep:
    """What multipliers exert on the bodies at both ends of loops, taken off their wrenches."""
    visits = []
    for pair in constraints.pairs:
        for end, body in ((end, pair.body(end)) for end in (OWN, OTHER) if pair.body(end) != GROUND):
            bindings = {
                "exerted": Access(f"on_{end}", SIX * pair.first, SIX * len(pair.rows)),
                "multipliers": Access(multipliers, pair.first, len(pair.rows)),
                "wrench": Access(wrench, SIX * body, SIX),
            }
            visits.append(Visit(body, None, {}, bindings))
    return Sweep(_PULL, tuple(visits))


def pull(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per end of a loop: what its multipliers exert, taken off the body's wrench."""
    exerted, multipliers = reads["exerted"], reads["multipliers"]
    return {"wrench": [-dot(exerted[place::SIX], multipliers) for place in range(SIX)]}


_PULL = Step("pull", pull, (Port("exerted", Mode.READ), Port("multipliers", Mode.READ), Port("wrench", Mode.ADD)))
