"""Half-solutions of robots with soft links: rows of loops press on all coordinates that they move, as forces A_i.

The factor is that of the robot in which each rod is one body (``model.contracted``), while loops stand on the whole
tree, stations among its bodies. A generalised force is the same in both views.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.forward_dynamics.aba_layout import AbaLayout
from symdyn.dynamics.loops.constraint_set import ConstraintSet
from symdyn.dynamics.loops.station_jacobian import StationJacobian
from symdyn.dynamics.loops.whitened_jacobian import WhitenedJacobian
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.contracted import places_in_contracted
from symdyn.model.model import lossless
from symdyn.plan.compose import places_written
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Given, Mode, Port, Step, Sweep, Visit

_PRESSED = "pressed"
SLOPES = "slopes"
"""Field of A, (m, nv)."""


class ContractedJacobian(WhitenedJacobian):
    """Half-solutions from slopes.

    Parameters
    ----------
    constraints
        The loops, on the whole tree.
    elimination
        Of the rows that are free, on the contracted one.
    slopes
        The field A, (m, nv).
    known
        Places of it that are not zero.
    """

    def __init__(self, constraints: ConstraintSet, elimination: AbaLayout, slopes: str, known: Collection[int]) -> None:
        self._slopes, self._known, self._count = slopes, frozenset(known), constraints.tree.model.nv
        self._stand = places_in_contracted(constraints.tree.model)
        super().__init__(constraints, elimination)
        self._given = self.free
        self._bodies = {}  # bodies of visits are those of the contracted robot

    def fields(self) -> list[Field]:
        """State that the sweeps leave, wrenches on bodies first."""
        return [*super().fields(), Field(_PRESSED, FieldKind.STATE, self.constraints.count * self._count, sparse=True)]

    def _standing(self, bodies: set[int]) -> set[int]:
        found = {self._stand[body] for body in bodies}
        return set[int]().union(*map(self.elimination.tree.path, found))

    def _begun(self) -> list[Sweep]:
        places = [place for place in sorted(self._known) if place % self._count in self._given]
        visits = (
            Visit(-1, None, {}, {"slope": Access(self._slopes, place, 1), "force": Access(_PRESSED, place, 1)})
            for place in places
        )
        return [Sweep(_PRESS, tuple(visits), vector=True)]

    def _pressed(self, row: int, place: Access) -> Binding:
        own = [row * self._count + velocity for velocity in place.places]
        if not any(at in self._known and at % self._count in self._given for at in own):
            return Given((0.0,) * len(own))
        return Access(_PRESSED, own[0], place.count, place.stride)

    def _prescribed(self, row: int) -> Iterator[tuple[int, Binding]]:
        for cluster in self.elimination.places:
            for number, velocity in enumerate(cluster.rows):
                at = row * self._count + velocity
                if at in self._known and velocity not in self._given:
                    yield cluster.joint_force_residual + number, Access(self._slopes, at, 1)


def constraint_jacobian_factor(
    constraints: ConstraintSet, elimination: AbaLayout, free: Collection[int]
) -> tuple[WhitenedJacobian, list[Field], list[Sweep]]:
    """The whitened Jacobian for a factor, and fields and sweeps of A, which a factor of the contracted robot needs.

    Parameters
    ----------
    constraints
        The loops, on the whole tree.
    elimination
        Of the factor: on that tree, where rows of A are walks to the root, or on one of its own.
    free
        Rows of v whose force is given.
    """
    if elimination.tree is constraints.tree:
        without = TreePlan(lossless(elimination.tree.model), beside=elimination.tree)
        return WhitenedJacobian(constraints, AbaLayout(without, free)), [], []
    steep = StationJacobian(constraints, SLOPES)
    sweeps, size = steep.sweeps(), constraints.count * constraints.tree.model.nv
    fields = [*steep.fields(), Field(SLOPES, FieldKind.STATE, size, sparse=True)]
    written = places_written(constraints.tree.rods.completed(sweeps), SLOPES)
    return ContractedJacobian(constraints, elimination, SLOPES, written), fields, sweeps


def press(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per entry of A: what it takes off a force."""
    return {"force": [-reads["slope"][0]]}


_PRESS = Step("press", press, (Port("slope", Mode.READ), Port("force", Mode.WRITE)))
