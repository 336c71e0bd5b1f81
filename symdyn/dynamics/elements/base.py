"""What an element adds to a robot: forces, energy and slopes, each as visits of one step.

Algorithms ask :func:`symdyn.dynamics.elements.listed.element_sweeps` for what they need, and never name an element.
Losses and external wrenches are no elements: they are summed inside the kernels of the bodies that they act on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from symdyn.dynamics.tree.tree import TreePlan
from symdyn.plan import Step, Visit


class Gives(Enum):
    """What an element may give, with the field that its visits add to. They read the fields ``q``, ``v`` and ``a``."""

    REACTION = "forces of accelerations and losses (nv,), which forward dynamics eliminates with the mass matrix"
    FORCE = "forces of positions and rates (nv,), as part of tau, which forward dynamics takes off"
    ENERGY = "stored energy [J], one scalar"
    SLOPE_BY_Q = "derivatives of FORCE along moves of q, (nv, nv), row-major"
    SLOPE_BY_V = "derivatives of FORCE by v, (nv, nv), row-major"


Visits = Callable[[TreePlan, str], Iterable[Visit]]
"""``visits(tree, field)``: one per place in the robot where the element stands; none where it has no such element."""


@dataclass(frozen=True, slots=True)
class Element:
    """One kind of element: for each thing that it gives, the step and its visits."""

    name: str
    gives: Mapping[Gives, tuple[Step, Visits]]
