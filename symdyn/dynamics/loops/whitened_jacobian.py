"""Half-solutions for the rows of loops: L^-1 A^T, row by row, along the paths from their places to the ground.

The factor of the mass matrix in the free rows is M = L D L^T (``forward_dynamics.aba``). What a multiplier of one
exerts goes inward as any wrench does, and leaves h = -D^-1 L^-1 A_i^T at each free row, and S^T p at each prescribed
one. No row of M^-1 is made (Kim 2012, section 3.2; Featherstone 2008, section 8.5).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.forward_dynamics.aba import aba_bias_sweeps
from symdyn.dynamics.forward_dynamics.aba_layout import AbaLayout, ClusterPlace
from symdyn.dynamics.loops.constraint_set import GROUND, OTHER, OWN, SIX, ConstraintSet
from symdyn.dynamics.loops.coupling_jacobian import CouplingJacobian
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Mode, Port, Step, Sweep, Visit

_FIELDS = _GIVEN, _FOUND, _RATES, _WRENCH = ("row_given", "row_found", "row_rates", "row_wrench")


@dataclass(frozen=True, slots=True)
class Half:
    """The half-solution of a row: where its entries stand in the field ``whitened``, by rows of the solution."""

    row: int
    places: Mapping[int, int]


class WhitenedJacobian:
    """Half-solutions of all rows of a robot's loops.

    Rows of the solution are those of the field ``joint_force_residual``: the rows of v, cluster by cluster.

    Parameters
    ----------
    constraints
        The loops.
    elimination
        Of the rows that are free.
    matrix
        If given, the constraint Jacobian A (m, nv) is written to this field. Joints above the common ancestor of both
        ends have zero columns and are skipped.
    """

    def __init__(self, constraints: ConstraintSet, elimination: AbaLayout, matrix: str = "") -> None:
        self.constraints, self.elimination, self._target = constraints, elimination, matrix or "whitened"
        self.whitened: list[Half] = []
        self._wrench: dict[tuple[int, int], int] = {}
        """Places of wrenches by rows and bodies."""
        self._bodies = {row: pair.body(OWN) for pair in constraints.pairs for row in pair.rows}
        self.size = 0
        """Scalars of all half-solutions."""
        self._pushed = CouplingJacobian(constraints, lambda velocity: self.joint_force_residual(velocity)[1])
        model = elimination.tree.model
        carriers = {row: pair.between if matrix else pair.carriers for pair in constraints.pairs for row in pair.rows}
        for row, own in self._pushed.columns.items():
            bodies = {constraints.tree.model.velocity_bodies[v] for v in own}
            carriers[row] = bodies if matrix else set[int]().union(*map(constraints.path, bodies))
        carriers = {row: self._standing(bodies) for row, bodies in carriers.items()}
        for row in range(constraints.count):
            places: dict[int, int] = {}
            for cluster in self._crossed(carriers[row]):
                for body in (*cluster.bodies, cluster.parent):
                    if body != GROUND:
                        self._wrench.setdefault((row, body), len(self._wrench))
                found = [row * model.nv + velocity if matrix else self.size for velocity in cluster.rows]
                if not matrix:
                    first, size = self._drives(cluster)
                    found = [
                        self.size + elimination.joint_force_residual(cluster, n).offset - first
                        for n in range(len(found))
                    ]
                    self.size += size
                places |= zip(
                    range(cluster.joint_force_residual, cluster.joint_force_residual + len(found)), found, strict=True
                )
            self.whitened.append(Half(row, places))

    def _standing(self, bodies: set[int]) -> set[int]:
        """Bodies of the loops' tree in that of the elimination."""
        return bodies

    def _drives(self, cluster: ClusterPlace) -> tuple[int, int]:
        """Where the drives of a cluster begin in their field, and how many there are, those of filling rows too."""
        if cluster.in_blocks:
            size = cluster.blocks.sizes()["block_drive"]
            return cluster.blocks.plain("block_drive", 0, size).offset, size
        return cluster.joint_force_residual, len(cluster.rows)

    def _crossed(self, carriers: set[int]) -> list[ClusterPlace]:
        """The clusters that a row's wrenches go through, in the order of the elimination."""
        return [place for place in self.elimination.places if not carriers.isdisjoint(place.bodies)]

    def fields(self) -> list[Field]:
        """State that the sweeps leave, wrenches on bodies first."""
        return [
            Field(_WRENCH, FieldKind.STATE, SIX, max(len(self._wrench), 1), sparse=True),
            *([Field("whitened", FieldKind.STATE, max(self.size, 1))] if self._target == "whitened" else []),
            *self._pushed.fields(),
        ]

    def sweeps(self) -> list[Sweep]:
        """Sweeps that fill ``whitened`` from ``on_own``, ``on_other``, ``pose`` and the factor."""
        solved = aba_bias_sweeps(self.elimination, *_FIELDS[:2], _RATES, _WRENCH)
        # rows side by side, but one after the other where blocks keep what they do with a row to themselves
        together = [[half] for half in self.whitened] if self.elimination.blocks else [self.whitened]
        by_body = [self._of_rows(whitened, sweep) for whitened in together for sweep in solved]
        coupled = [
            Visit(-1, None, {}, {"exerted": exerted, "wrench": Access(self._target, half.places[number], 1)})
            for half in self.whitened
            for number, exerted in self._prescribed(half.row)
        ]
        sweeps = (*self._begun(), *by_body, Sweep(BEGIN, tuple(coupled)))
        return [sweep for sweep in sweeps if sweep.visits]

    def _of_rows(self, whitened: Sequence[Half], sweep: Sweep) -> Sweep:
        visits = ((half, visit) for visit in sweep.visits for half in whitened)
        return replace(sweep, visits=tuple(self._of_row(half, own) for half, own in visits if self._crosses(half, own)))

    def wrenches(self) -> dict[int, dict[int, Access]]:
        """Where the wrenches lie that the sweeps leave on bodies, by bodies and rows."""
        found: dict[int, dict[int, Access]] = {}
        for row, body in self._wrench:
            found.setdefault(body, {})[row] = self._at(row, body)
        return found

    def _begun(self) -> list[Sweep]:
        """What the multipliers exert on bodies and on rows of v."""
        begun = []
        for pair in self.constraints.pairs:
            for number, row in enumerate(pair.rows):
                for end in (OWN, OTHER):
                    if (row, pair.body(end)) in self._wrench:
                        exerted = Access(f"on_{end}", SIX * (pair.first + number), SIX)
                        at = self._at(row, pair.body(end))
                        begun.append(Visit(pair.body(end), None, {}, {"exerted": exerted, "wrench": at}))
        return [self._pushed.pushes(), Sweep(BEGIN, tuple(begun)), self._pushed.switching()]

    def _prescribed(self, row: int) -> Iterator[tuple[int, Binding]]:
        """What a multiplier of one exerts on prescribed rows, by rows of the solution."""
        for velocity, exerted in self._pushed.exerted(row).items():
            yield self.joint_force_residual(velocity)[0], exerted

    def joint_force_residual(self, velocity: int) -> tuple[int, bool]:
        """The row of the solution of a row of v, and whether it is free."""
        cluster = self._cluster(velocity)
        number = cluster.rows.index(velocity)
        return cluster.joint_force_residual + number, cluster.free[number]

    def drives(self, found: str) -> dict[int, Access]:
        """Where drives lie by rows of the solution; of rows before which nothing is free, their forces in ``found``."""
        return {
            place.joint_force_residual + number: self.elimination.joint_force_residual(place, number)
            if place.responds
            else Access(found, row, 1)
            for place in self.elimination.places
            for number, row in enumerate(place.rows)
        }

    @property
    def free(self) -> set[int]:
        """Rows of v whose force is given."""
        places = self.elimination.places
        return {v for place in places for v, free in zip(place.rows, place.free, strict=True) if free}

    def _cluster(self, velocity: int) -> ClusterPlace:
        body = self.elimination.tree.model.velocity_bodies[velocity]
        return self.elimination.places[self.elimination.cluster_of[body]]

    def _at(self, row: int, body: int) -> Access:
        return Access(_WRENCH, SIX * self._wrench[row, body], SIX)

    def _crosses(self, half: Half, visit: Visit) -> bool:
        cluster = self.elimination.places[self.elimination.cluster_of[visit.body]]
        return cluster.joint_force_residual in half.places

    def _of_row(self, half: Half, visit: Visit) -> Visit:
        """The visit of a cluster for one row: where its wrenches lie, its forces, and where the solution goes."""
        cluster = self.elimination.places[self.elimination.cluster_of[visit.body]]

        def moved(place: Binding) -> Binding:
            if not isinstance(place, Access):
                return place
            if place.field == _WRENCH:
                return self._at(half.row, place.offset // SIX)
            if place.field == _GIVEN:
                return self._pressed(half.row, place)
            if place.field in ("joint_force_residual", "block_drive"):
                first = (
                    half.places[cluster.joint_force_residual] - self.elimination.joint_force_residual(cluster, 0).offset
                )
                return replace(place, field=self._target, offset=first + place.offset)
            if place.field == _FOUND:
                number = cluster.joint_force_residual + cluster.rows.index(place.offset)
                return replace(place, field=self._target, offset=half.places[number])
            return place

        bindings = {port: moved(place) for port, place in visit.bindings.items()}
        return replace(visit, body=self._bodies.get(half.row, visit.body), bindings=bindings)

    def _pressed(self, row: int, place: Access) -> Binding:
        """What a multiplier of one takes off the forces of rows of v, of those that are free."""
        return self._pushed.pressed(row, place)


def _begin(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    return {"wrench": list(reads["exerted"])}


BEGIN = Step("whitened_start", _begin, (Port("exerted", Mode.READ), Port("wrench", Mode.ADD)))
"""Step that adds what a multiplier of one exerts to a wrench, or to a row."""
