"""All elements, and their sweeps: the only place that lists them."""

from __future__ import annotations

from symdyn.plan import Sweep
from symdyn.recursion.elements.base import Element, Gives
from symdyn.recursion.elements.beam import Beam
from symdyn.recursion.elements.deformable import Deformables
from symdyn.recursion.elements.joint_spring import JOINT_SPRING
from symdyn.recursion.elements.parallel_spring import PARALLEL_SPRING
from symdyn.recursion.elements.rotor import ROTOR
from symdyn.recursion.elements.strain import STRAIN
from symdyn.recursion.tree import TreePlan

ELEMENTS: tuple[Element, ...] = (ROTOR, JOINT_SPRING, STRAIN, PARALLEL_SPRING)
DEFORMABLES = Deformables(Beam())


def element_sweeps(tree: TreePlan, field: str, *wanted: Gives) -> list[Sweep]:
    """Sweeps that add what the robot's elements give to a field; see :class:`Gives` for its shape and unit."""
    found = [
        Sweep(step, tuple(visits(tree, field)))
        for what in wanted
        for element in ELEMENTS
        for given, (step, visits) in element.gives.items()
        if given is what
    ]
    return [sweep for sweep in found if sweep.visits]
