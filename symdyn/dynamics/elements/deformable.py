"""What a body whose mass moves against the link that carries it adds to algorithms.

Its mass at rest, and how that changes as it bends, is the carrier's: composite and articulated inertias know nothing of
it. What is here is the motion against the carrier. A new kind of such a body writes these sweeps and joins
``listed.DEFORMABLES``; how it weighs stands with :class:`symdyn.dynamics.tree.tree_beams.TreeBeams`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Protocol

from symdyn.dynamics.tree.tree import TreePlan
from symdyn.plan.plan import Access, Binding, Sweep

Where = Callable[[int], Binding | None]
"""Where something of a body lies, by its index or -1 for the ground; None where nobody asks."""


class Deformable(Protocol):
    """One kind of deformable body; every method gives sweeps, none where the robot has no such body."""

    def wrenches(
        self, tree: TreePlan, field: str = "tau", acceleration: str = "a", free: Collection[int] = ()
    ) -> list[Sweep]:
        """Forces of its rows to ``field`` (nv,), none if that is empty, and wrenches of carriers to ``wrench``.

        They read q, v, ``acceleration`` but for the rows in ``free``, which count as zero, and the field ``motion``.
        """

    def settling(
        self, tree: TreePlan, accelerations: str, free: Collection[int], wrench: str, cluster_of: Mapping[int, int]
    ) -> list[Sweep]:
        """Wrenches of carriers, to the field ``wrench``, from the ``accelerations`` of the rows in ``free``.

        Only where both are in one cluster: elsewhere what the carrier meets is in its inertia already.
        """

    def momenta(self, tree: TreePlan, momentum: Callable[[int], Binding]) -> list[Sweep]:
        """Momenta (linear; angular) of carriers, (6,)."""

    def kinetic_energies(self, tree: TreePlan, twist: Callable[[int], Binding], energy: Access) -> list[Sweep]:
        """Kinetic energy [J]; ``twist`` tells (v; omega) of a body."""

    def momentum_columns(self, tree: TreePlan, world: Callable[[int], Binding], matrix: str) -> list[Sweep]:
        """Columns of a matrix of momenta (6, nv) about ``center``; ``world`` are bodies' poses."""

    def first_moments(self, tree: TreePlan, total: float | None, moment: Where, rate: Where) -> list[Sweep]:
        """First moments of carriers and their rates, divided by the mass ``total`` if there is one."""

    def ground_moments(self, tree: TreePlan, first: Access) -> list[Sweep]:
        """Mass and first moment, (4,), of what the ground carries."""


class Deformables:
    """Several kinds as one."""

    def __init__(self, *kinds: Deformable) -> None:
        self.kinds = kinds

    def wrenches(
        self, tree: TreePlan, field: str = "tau", acceleration: str = "a", free: Collection[int] = ()
    ) -> list[Sweep]:
        """See :class:`Deformable`."""
        return [sweep for kind in self.kinds for sweep in kind.wrenches(tree, field, acceleration, free)]

    def settling(
        self, tree: TreePlan, accelerations: str, free: Collection[int], wrench: str, cluster_of: Mapping[int, int]
    ) -> list[Sweep]:
        """See :class:`Deformable`."""
        return [sweep for kind in self.kinds for sweep in kind.settling(tree, accelerations, free, wrench, cluster_of)]

    def momenta(self, tree: TreePlan, momentum: Callable[[int], Binding]) -> list[Sweep]:
        """See :class:`Deformable`."""
        return [sweep for kind in self.kinds for sweep in kind.momenta(tree, momentum)]

    def kinetic_energies(self, tree: TreePlan, twist: Callable[[int], Binding], energy: Access) -> list[Sweep]:
        """See :class:`Deformable`."""
        return [sweep for kind in self.kinds for sweep in kind.kinetic_energies(tree, twist, energy)]

    def momentum_columns(self, tree: TreePlan, world: Callable[[int], Binding], matrix: str) -> list[Sweep]:
        """See :class:`Deformable`."""
        return [sweep for kind in self.kinds for sweep in kind.momentum_columns(tree, world, matrix)]

    def first_moments(self, tree: TreePlan, total: float | None, moment: Where, rate: Where) -> list[Sweep]:
        """See :class:`Deformable`."""
        return [sweep for kind in self.kinds for sweep in kind.first_moments(tree, total, moment, rate)]

    def ground_moments(self, tree: TreePlan, first: Access) -> list[Sweep]:
        """See :class:`Deformable`."""
        return [sweep for kind in self.kinds for sweep in kind.ground_moments(tree, first)]
