"""Steps between the orders of forward dynamics: what is given and found at an order, and what it does to the motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from symdyn.plan import Mode, Port, Step
from symdyn.recursion.articulated_steps import own_inertia
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.scalars.taylor import times
from symdyn.scalars.taylor_functions import factorial_factors, reciprocal
from symdyn.spatial.articulated import ArticulatedInertia

Reads = Mapping[str, Sequence[Scalar]]
Writes = Mapping[str, Sequence[Scalar]]


@dataclass(frozen=True, slots=True)
class ResponseVariant:
    """Whether bodies that hang on this one add to its articulated inertia, and whether higher orders read its wrench.

    They do where a parent feels it, and where the joint's columns turn with the body.
    """

    carries: bool
    transmits: bool


def settle(variant: ResponseVariant, _: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per body: what its acceleration (a; alpha) beyond the bias adds to its motion and to its wrench."""
    change = reads["change"]
    x, y, z = change[3:]
    writes: dict[str, Sequence[Scalar]] = {
        "rates": [*change[3:], *change[:3]],
        "u_x": [-z, y, z],
        "u_z": [-x, -y, x],
    }
    if variant.transmits:
        inertia = own_inertia(constants)
        if variant.carries:
            inertia = inertia.plus(ArticulatedInertia(reads["articulated"]))
        writes["wrench"] = inertia.times(change)
    return writes


def over_factorial(k: int, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per scalar: coefficient k of a series from its derivative k."""
    share = reciprocal(algebra, *factorial_factors(k))
    return {"coefficient": [times(value, share) for value in reads["derivative"]]}


def by_factorial(k: int, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per scalar: derivative k from coefficient k."""
    found = list(reads["coefficient"])
    for factor in factorial_factors(k):
        found = [times(value, factor) for value in found]
    return {"derivative": found}


def integrated(k: int, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per scalar: coefficient k of a series from coefficient k - 1 of its rate, or its value at t = 0."""
    return {"series": [times(value, reciprocal(algebra, k)) if k else value for value in reads["rate"]]}


def kept(_: Any, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per scalar: an acceleration found or given is one of the trajectory."""
    return {"a": reads["value"]}


def still_open(_: Any, __: Algebra, ___: Mapping[str, Scalar], ____: Reads) -> Writes:
    """Step per scalar: what is looked for counts as zero until it is found."""
    return {"unknown": [0.0]}


OPEN = Step("still_open", still_open, (Port("unknown", Mode.WRITE),))
SETTLE = Step(
    "settle",
    settle,
    (
        Port("change", Mode.READ),
        Port("articulated", Mode.READ),
        Port("rates", Mode.ADD),
        Port("u_x", Mode.ADD),
        Port("u_z", Mode.ADD),
        Port("wrench", Mode.ADD),
    ),
)
COEFFICIENT = Step("over_factorial", over_factorial, (Port("derivative", Mode.READ), Port("coefficient", Mode.WRITE)))
DERIVATIVE = Step("by_factorial", by_factorial, (Port("coefficient", Mode.READ), Port("derivative", Mode.WRITE)))
INTEGRATED = Step("integrated", integrated, (Port("rate", Mode.READ), Port("series", Mode.WRITE)))
KEPT = Step("kept", kept, (Port("value", Mode.READ), Port("a", Mode.WRITE)))
