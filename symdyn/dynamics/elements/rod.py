"""Soft links as deformable bodies, in robots of which each is one body, its tip (``model.contracted``).

Elsewhere their stations are bodies like others, and nothing is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from symdyn.dynamics.elements.rod_momentum import rod_column_sweeps, rod_moment_sweeps
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.plan.plan import Access, Binding, Sweep

_Place = Callable[[int], Binding | None]


class SoftRod:
    """A :class:`symdyn.dynamics.elements.deformable.Deformable`; velocities are those of stations."""

    momentum_columns = staticmethod(rod_column_sweeps)

    def wrenches(
        self, tree: TreePlan, field: str = "tau", acceleration: str = "a", free: Collection[int] = ()
    ) -> list[Sweep]:
        """None."""
        return []

    def settling(
        self, tree: TreePlan, found: str, free: Collection[int], wrench: str, cluster_of: Mapping[int, int]
    ) -> list[Sweep]:
        """None."""
        return []

    def momenta(self, tree: TreePlan, momentum: Callable[[int], Binding]) -> list[Sweep]:
        """None."""
        return []

    def kinetic_energies(self, tree: TreePlan, twist: Callable[[int], Binding], energy: Access) -> list[Sweep]:
        """None."""
        return []

    def first_moments(self, tree: TreePlan, total: float | None, moment: _Place, rate: _Place) -> list[Sweep]:
        """First moments of carriers; rates are those of stations."""
        return rod_moment_sweeps(tree, total, moment)

    def ground_moments(self, tree: TreePlan, first: Access) -> list[Sweep]:
        """None."""
        return []
