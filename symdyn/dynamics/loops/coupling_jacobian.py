"""What multipliers of couplings and of constraints on velocities exert on rows of v: numbers, or scalars of a plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.loops.constraint_activation import ACTIVE, if_held, switch_of
from symdyn.dynamics.loops.constraint_set import ConstraintSet
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Given, Mode, Port, Step, Sweep, Visit

_FORCE = "row_force"
"""What constraints on velocities push free rows with."""
_COUPLED = "coupled"
"""What couplings that hold or not exert on rows of v, less that on free rows."""


class CouplingJacobian:
    """Forces on rows of v, of a multiplier of one.

    Parameters
    ----------
    constraints
        The loops.
    is_free
        Whether a row of v is.
    """

    def __init__(self, constraints: ConstraintSet, is_free: Callable[[int], bool]) -> None:
        self._constraints, self._is_free, self._count = constraints, is_free, constraints.tree.model.nv
        self._switched = [row for row, loop in constraints.couplings if loop.switch is not None]
        self._coupled = {row: [(term.v, term.factor) for term in loop.terms] for row, loop in constraints.couplings}
        self._entries = {own.row: own.columns for own in constraints.velocities}
        self._pushed = {row: self._count * number for number, row in enumerate(self._entries)}
        """Where the forces on free rows begin in the field ``row_force``."""
        columns = {row: [v for v, _ in terms] for row, terms in self._coupled.items()}
        self.columns = columns | {row: list(entries) for row, entries in self._entries.items()}
        """Rows of v that are pushed, by rows of loops."""

    def fields(self) -> list[Field]:
        """State."""
        sizes = {_FORCE: len(self._pushed), _COUPLED: len(self._switched)}
        return [Field(name, FieldKind.STATE, self._count, size, sparse=True) for name, size in sizes.items() if size]

    def pushes(self) -> Sweep:
        """The sweep that fills ``row_force``: what is given for free rows, of which the halves are the answer."""
        visits = (
            Visit(-1, None, {}, {"entry": place, "force": Access(_FORCE, self._pushed[row] + velocity, 1)})
            for row, own in self._entries.items()
            for velocity, place in own.items()
            if self._is_free(velocity)
        )
        return Sweep(_PUSH, tuple(visits), vector=True)

    def switching(self) -> Sweep:
        """The sweep that tells what couplings exert that hold or not."""
        visits = []
        for row, loop in self._constraints.couplings:
            for velocity, factor in self._coupled[row] if row in self._switched else ():
                sign = -1.0 if self._is_free(velocity) else 1.0
                bindings = {**switch_of(loop), "exerted": self._switched_at(row, Access("", velocity, 1))}
                visits.append(Visit(-1, None, {"factor": sign * factor}, bindings))
        return Sweep(SWITCH_COUPLING, tuple(visits))

    def exerted(self, row: int) -> Mapping[int, Binding]:
        """What a multiplier of one exerts on prescribed rows."""
        pulled: dict[int, Binding] = {
            velocity: self._switched_at(row, Access("", velocity, 1)) if row in self._switched else Given((factor,))
            for velocity, factor in self._coupled.get(row, ())
        }
        found = pulled | self._entries.get(row, {})
        return {velocity: factor for velocity, factor in found.items() if not self._is_free(velocity)}

    def pressed(self, row: int, place: Access) -> Binding:
        """What a multiplier of one takes off the forces of rows of v, of those that are free."""
        if row in self._switched:
            return self._switched_at(row, place)
        if self._entries.get(row, {}).keys() & set(place.places):
            return replace(place, field=_FORCE, offset=self._pushed[row] + place.offset)
        return Given(tuple(-self._force(row, velocity) for velocity in place.places))

    def _switched_at(self, row: int, place: Access) -> Access:
        """What a coupling that holds or not exerts on rows of v."""
        start = self._switched.index(row) * self._count
        return replace(place, field=_COUPLED, offset=start + place.offset)

    def _force(self, row: int, velocity: int) -> float:
        """What a multiplier of one exerts on a row of v, if the row is free."""
        shares = (factor for v, factor in self._coupled.get(row, ()) if v == velocity)
        return sum(shares) if self._is_free(velocity) else 0.0


def _push(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    return {"force": [-reads["entry"][0]]}


_PUSH = Step("push_row", _push, (Port("entry", Mode.READ), Port("force", Mode.WRITE)))


def _switch(_: None, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    return {"exerted": if_held(algebra, reads, [constants["factor"]])}


SWITCH_COUPLING = Step("switch_coupling", _switch, (Port(ACTIVE, Mode.READ), Port("exerted", Mode.ADD)))
"""Step that adds what a coupling exerts on a row that holds or not."""
