"""What an element adds to a robot: forces, energy and slopes, each as a sweep of one step.

Algorithms ask :func:`symdyn.dynamics.elements.listed.element_sweeps` for what they need, and never name an element.
Losses of joints are summed inside the kernels of the joints that they act on (see ``tree.joint_loads``). As an element
they give ``LOSS`` alone, which no algorithm adds to tau.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

from symdyn.description.loads import Load
from symdyn.dynamics.tree.bindings import BoundStep
from symdyn.dynamics.tree.places import Place, V
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.dynamics.tree.tree_loads import BodyLoad
from symdyn.plan.plan import Access, Sweep


class Gives(Enum):
    """What an element may give, with the field that its visits add to.

    Visits read the fields ``q``, ``v`` and ``a``, and those of WRENCH ``pose``, ``motion``, ``twist``, ``orientation``
    and ``stand``.
    """

    WRENCH = "loads (f; n) on bodies, in their frames, with the sign of what motion needs; see ``tree.body_state``"
    REACTION = "forces of accelerations and losses (nv,), which forward dynamics eliminates with the mass matrix"
    FORCE = "forces of positions and rates (nv,), as part of tau, which forward dynamics takes off"
    ELASTIC = "the share of positions in FORCE (nv,)"
    LOSS = "the share of rates in FORCE, or what losses add to tau elsewhere (nv,)"
    ENERGY = "stored energy [J], one scalar"
    SLOPE_BY_Q = "derivatives of FORCE along moves of q, (nv, nv), row-major"
    SLOPE_BY_V = "derivatives of FORCE by v, (nv, nv), row-major"


SweepOf = Callable[[TreePlan, str], Sweep]
"""``sweep(tree, field)``: with a visit per place in the robot where the element stands."""
ROW = Place("", lambda tree, index, field: V.at(tree, index, field) if field else None)
"""The joint's rows of the field that a sweep names, which has the rows of v; absent where it names none."""
SCALAR = Place("", lambda tree, index, field: Access(field, 0, 1))
"""The one scalar of the field that a sweep names."""


def body_of(_: TreePlan, load: BodyLoad) -> int:
    """The body of a load that a file describes, for steps and places over such loads."""
    return load.body


def over_loads(made: BoundStep, kind: type[Load], *ports: str) -> SweepOf:
    """A step's sweeps over the loads of a kind, with their numbers as constants; ``ports`` lie in the field."""
    return lambda tree, field: made.over(
        tree, tree.loads.of(kind), None, lambda _, load: load.constants, **dict.fromkeys(ports, field)
    )


@dataclass(frozen=True, slots=True)
class Element:
    """One kind of element: for each thing that it gives, the sweep that gives it."""

    name: str
    gives: Mapping[Gives, SweepOf]
