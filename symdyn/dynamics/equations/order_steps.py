"""Steps between the orders of forward dynamics: what is given and found at an order, and what it does to the motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.taylor import times
from symdyn.algebra.scalars.taylor_functions import factorial_factors, reciprocal
from symdyn.algebra.spatial.articulated import SIZE, ArticulatedInertia
from symdyn.dynamics.forward_dynamics.aba_layout import AbaLayout
from symdyn.dynamics.forward_dynamics.aba_steps import own_inertia
from symdyn.dynamics.tree.bindings import BoundStep, Reads, Writes, add_to, read, step
from symdyn.dynamics.tree.kinematics import ACCELERATION, MOTION_SIZE
from symdyn.dynamics.tree.places import WRENCH, Place
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.bind import INERTIA
from symdyn.plan.plan import Access, Mode, Port, Step


class Carried(Enum):
    """Where the inertia lies that a body's acceleration meets: its own, with that of all bodies that hang on it."""

    OWN = "nothing hangs on it"
    ADDED = "what others add is a field"
    KEPT = "the sum is a field"


@dataclass(frozen=True, slots=True)
class ResponseVariant:
    """Where the body's inertia lies, and whether higher orders read its wrench.

    They do where a parent feels it, and where the joint's columns turn with the body.
    """

    inertia: Carried
    transmits: bool


def settle(variant: ResponseVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per body: what its acceleration (a; alpha) beyond the bias adds to its motion and to its wrench.

    Coefficient k of alpha is kept as coefficient k + 1 of the angular velocity; the constant ``power`` is k + 1.
    """
    writes = settled_motion(algebra, constants["power"], reads["acceleration_change"])
    if variant.transmits:
        writes["wrench"] = _met(variant.inertia, constants, reads).times(reads["acceleration_change"])
    return writes


def settled_motion(
    algebra: Algebra, power: Scalar, acceleration_change: Sequence[Scalar]
) -> dict[str, Sequence[Scalar]]:
    """What an acceleration (a; alpha) beyond the bias adds to a row of motion, by :data:`MOTION_PARTS`."""
    x, y, z = acceleration_change[3:]
    share = algebra.constant(1.0) / power
    return {
        "turning": [share * rate for rate in acceleration_change[3:]],
        "acceleration": acceleration_change[:3],
        "u_x": [-z, y, z],
        "u_z": [-x, -y, x],
    }


def _met(carried: Carried, constants: Mapping[str, Scalar], reads: Reads) -> ArticulatedInertia:
    if carried is Carried.OWN:
        return own_inertia(constants)
    found = ArticulatedInertia(reads["articulated"])
    return found if carried is Carried.KEPT else own_inertia(constants).plus(found)


def _part(start: int) -> Place:
    return Place("motion", lambda tree, body, name: Access(name, MOTION_SIZE * body + start, 3))


MOTION_PARTS = {"turning": _part(3), "u_x": _part(7), "u_z": _part(11), "acceleration": _part(ACCELERATION)}
"""Where in a row of motion an acceleration is added to."""


def settle_step(elimination: AbaLayout) -> BoundStep:
    """The step of :func:`settle` after an elimination."""

    def met(_: TreePlan, body: int, name: str) -> Access:
        return Access("carried" if elimination.keeps(body) else name, SIZE * body, SIZE)

    return step(
        settle,
        acceleration_change=read(Place("acceleration_change", lambda tree, body, _: elimination.own_change(body))),
        turning=add_to(MOTION_PARTS["turning"]),
        u_x=add_to(MOTION_PARTS["u_x"]),
        u_z=add_to(MOTION_PARTS["u_z"]),
        acceleration=add_to(MOTION_PARTS["acceleration"]),
        wrench=add_to(WRENCH.own, when=lambda b: b.transmits),
        articulated=read(Place("articulated", met), when=lambda b: b.transmits and b.inertia is not Carried.OWN),
        constants=lambda b: INERTIA if b.transmits and b.inertia is not Carried.KEPT else (),
    )


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
COEFFICIENT = Step("over_factorial", over_factorial, (Port("derivative", Mode.READ), Port("coefficient", Mode.WRITE)))
DERIVATIVE = Step("by_factorial", by_factorial, (Port("coefficient", Mode.READ), Port("derivative", Mode.WRITE)))
INTEGRATED = Step("integrated", integrated, (Port("rate", Mode.READ), Port("series", Mode.WRITE)))
KEPT = Step("kept", kept, (Port("value", Mode.READ), Port("a", Mode.WRITE)))
