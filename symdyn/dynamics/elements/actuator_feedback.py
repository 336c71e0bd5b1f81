"""What actuators of joints do without input, by their lengths and rates: a force of a servo, tau = -(c + K q + D v).

An actuator with the force b0 + b1 l + b2 l' along its length l = J q + l0 takes off J^T (b0 + b1 (J q + l0) + b2 J v).
The sum over all actuators is linear in q and v, so K and D are matrices of numbers, visited entry by entry. Functions
that are given inputs of actuators count it as they count springs; where forces are given, these are all that acts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.elements.base import Element, Gives
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.plan.plan import Access, Binding, Constant, Mode, Port, Step, Sweep, Visit


@dataclass(frozen=True, slots=True)
class FeedbackVariant:
    """What is structural about an entry: whether positions, rates or nothing of both count."""

    stiff: bool
    damped: bool


def feedback_force(variant: FeedbackVariant, _: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per entry of K and D, or of c: its share of the force."""
    if not (variant.stiff or variant.damped):
        return {"tau": [constants["constant"]]}
    force: Scalar = constants["stiffness"] * reads["q"][0] if variant.stiff else 0.0
    if variant.damped:
        force = force + constants["damping"] * reads["v"][0]
    return {"tau": [force]}


def feedback_slope(_: str, __: Algebra, constants: Mapping[str, Scalar], ___: Reads) -> Writes:
    """Step per entry of K or of D: itself."""
    return {"entry": [constants["slope"]]}


_FORCE = Step("feedback_force", feedback_force, (Port("q", Mode.READ), Port("v", Mode.READ), Port("tau", Mode.ADD)))
_SLOPE = Step("feedback_slope", feedback_slope, (Port("entry", Mode.ADD),))


def _forces(tree: TreePlan, field: str, stiff: bool = True, damped: bool = True) -> Sweep:
    """All forces, or those of positions or of rates."""
    visits: list[Visit] = []
    if not tree.model.feedback:
        return Sweep(_FORCE, ())
    feedback = tree.model.actuator_feedback
    for row, force in feedback.constants if stiff else ():
        bindings: dict[str, Binding] = {"tau": Access(field, row, 1)}
        visits.append(Visit(-1, FeedbackVariant(stiff=False, damped=False), {"constant": force}, bindings))
    for row, q, by, stiffness, damping in feedback.slopes:
        variant = FeedbackVariant(stiff and stiffness != 0.0, damped and damping != 0.0)
        constants: dict[str, Constant] = {}
        bindings = {"tau": Access(field, row, 1)}
        if variant.stiff:
            constants["stiffness"], bindings["q"] = stiffness, Access("q", q, 1)
        if variant.damped:
            constants["damping"], bindings["v"] = damping, Access("v", by, 1)
        if constants:
            visits.append(Visit(-1, variant, constants, bindings))
    return Sweep(_FORCE, tuple(visits))


def _slopes(tree: TreePlan, field: str, damped: bool) -> Sweep:
    visits: list[Visit] = []
    for row, _, by, *slopes in tree.model.actuator_feedback.slopes if tree.model.feedback else ():
        if slopes[damped]:
            place = Access(field, row * tree.model.nv + by, 1)
            visits.append(Visit(-1, "slope", {"slope": slopes[damped]}, {"entry": place}))
    return Sweep(_SLOPE, tuple(visits))


ACTUATOR_FEEDBACK = Element(
    "actuators without input",
    {
        Gives.FORCE: _forces,
        Gives.ELASTIC: lambda tree, field: _forces(tree, field, damped=False),
        Gives.LOSS: lambda tree, field: _forces(tree, field, stiff=False),
        Gives.SLOPE_BY_Q: lambda tree, field: _slopes(tree, field, damped=False),
        Gives.SLOPE_BY_V: lambda tree, field: _slopes(tree, field, damped=True),
    },
)
