"""Slopes of loops' errors where links are soft, or bend in many ways.

What a multiplier of one exerts goes inward from station to station. Row i of A is what its wrenches give to each
coordinate. They pass bodies as any wrench does, stations of rods among them, and the steps of rods lead what passes
them to the rods' own coordinates (``tree.rod_steps``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.force import wrench_in_parent
from symdyn.dynamics.forward_dynamics.aba_layout import AbaLayout
from symdyn.dynamics.loops.constraint_activation import switch_of
from symdyn.dynamics.loops.constraint_set import SIX, ConstraintSet, HeldPair
from symdyn.dynamics.loops.coupling_jacobian import SWITCH_COUPLING
from symdyn.dynamics.loops.whitened_jacobian import BEGIN, WhitenedJacobian
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, read, step
from symdyn.dynamics.tree.body_variant import BodyVariant, frame_in_parent
from symdyn.dynamics.tree.places import POSE, TAU, WRENCH
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.bind import ROTATION, TRANSLATION
from symdyn.model.model import lossless
from symdyn.plan.compose import places_written
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Given, Sweep, Visit

_WRENCH = "slope_wrench"


def lead(variant: BodyVariant, _: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Inward step: what a wrench gives to a joint's rows, and to the parent where that moves too."""
    pose, kind = variant.kind.placed(reads["pose"]), variant.kind
    forces = kind.coordinate_map.forces(kind.moving.force(pose, reads["wrench"], constants), constants)
    if not variant.transmits:
        return {"force": forces}
    return {"force": forces, "parent_wrench": wrench_in_parent(frame_in_parent(constants, pose), reads["wrench"])}


_LEAD = step(
    lead,
    wrench=read(WRENCH.own),
    pose=read(POSE),
    force=add_to(TAU),
    parent_wrench=add_to(WRENCH.above, when=lambda b: b.transmits),
    constants=lambda b: (*((*ROTATION, *TRANSLATION) if b.transmits else ()), *b.kind.column_constants),
)


def slopes_of(constraints: ConstraintSet, target: str) -> WhitenedJacobian | StationJacobian:
    """What fills the slopes A, (m, nv), in a field that the caller declares."""
    elimination = AbaLayout(TreePlan(lossless(constraints.tree.model), beside=constraints.tree), ())
    if constraints.tree.rods.rods or elimination.blocks:
        return StationJacobian(constraints, target)
    return WhitenedJacobian(constraints, elimination, target)


class StationJacobian:
    """The slopes A, (m, nv), in a field that the caller declares.

    Parameters
    ----------
    constraints
        The loops, on the whole tree.
    target
        The field.
    wrenches
        The field of wrenches on bodies, of its own where other slopes stand in the same plan.
    """

    def __init__(self, constraints: ConstraintSet, target: str, wrenches: str = _WRENCH) -> None:
        self._constraints, self._target, self._wrenches = constraints, target, wrenches
        self._wrench: dict[tuple[int, int], int] = {}
        """Places of wrenches by rows and bodies."""
        for pair in constraints.pairs:
            for row in pair.rows:
                for body in sorted(pair.between):
                    self._wrench[row, body] = len(self._wrench)
        self._rows: dict[str, Field] = {}

    def fields(self) -> list[Field]:
        """State of the sweeps."""
        wrench = Field(self._wrenches, FieldKind.STATE, SIX, max(len(self._wrench), 1), sparse=True)
        return [wrench, *self._rows.values()]

    def sweeps(self) -> list[Sweep]:
        """Sweeps that fill the slopes from ``on_own``, ``on_other`` and ``pose``."""
        rows = [(pair, number) for pair in self._constraints.pairs for number in range(len(pair.rows))]
        found = [sweep for pair, number in rows for sweep in self._row(pair, number)]
        count = self._constraints.tree.model.nv
        coupled = [(row, loop, term) for row, loop in self._constraints.couplings for term in loop.terms]
        entries: list[tuple[int, Binding]] = [
            (row * count + term.v, Given((term.factor,))) for row, loop, term in coupled if loop.switch is None
        ]
        entries += [
            (own.row * count + v, place) for own in self._constraints.velocities for v, place in own.columns.items()
        ]
        begun = (Visit(-1, None, {}, {"exerted": own, "wrench": self._entry(place)}) for place, own in entries)
        switched = (
            Visit(-1, None, {"factor": term.factor}, {**switch_of(loop), "exerted": self._entry(row * count + term.v)})
            for row, loop, term in coupled
            if loop.switch is not None
        )
        rest = (Sweep(BEGIN, tuple(begun)), Sweep(SWITCH_COUPLING, tuple(switched)))
        return [sweep for sweep in (*found, *rest) if sweep.visits]

    def _row(self, pair: HeldPair, number: int) -> list[Sweep]:
        constraints, row = self._constraints, pair.rows[number]
        tree, between, field = constraints.tree, pair.between, f"{self._target}_row{row}"
        begun = tuple(
            Visit(-1, None, {}, {"exerted": exerted, "wrench": self._at(row, body)})
            for exerted, body in pair.begun(number)
            if body in between
        )

        def variant(tree: TreePlan, body: int) -> BodyVariant:
            above = tree.model.bodies[body].parent
            own = replace(tree.variant(body), damped=False, friction="none", geared=False, external="", shifted=False)
            return replace(own, transmits=above in between)

        passed = _LEAD.over(tree, sorted(between, reverse=True), variant, force=field, wrench=self._wrenches)
        passed = replace(passed, visits=tuple(self._packed(row, visit) for visit in passed.visits), fields=())
        return [Sweep(BEGIN, begun), passed, self._gathered(row, field, passed, between)]

    def _gathered(self, row: int, field: str, passed: Sweep, between: set[int]) -> Sweep:
        """The sweep that takes a row to where it is requested, once steps have led to rods what stations feel."""
        model, rods = self._constraints.tree.model, self._constraints.tree.rods
        written = places_written([passed], field)
        for number, (rod, _) in enumerate(rods.rods):
            if not between.isdisjoint(rod.stations):
                own = model.bodies[rod.owner].joint.v_rows
                written |= set(range(own.start, own.stop))
                for inner in rods.fields_of(field)[number : number + 1]:
                    self._rows[inner.name] = replace(inner, sparse=True)
        self._rows[field] = Field(field, FieldKind.STATE, model.nv, sparse=True)
        visits = (
            Visit(-1, None, {}, {"exerted": Access(field, v, 1), "wrench": self._entry(row * model.nv + v)})
            for v in sorted(written)
        )
        return Sweep(BEGIN, tuple(visits), vector=True)

    def _packed(self, row: int, visit: Visit) -> Visit:
        def moved(place: Binding) -> Binding:
            if isinstance(place, Access) and place.field in (self._wrenches, WRENCH.field):
                return self._at(row, place.offset // SIX)
            return place

        return replace(visit, bindings={port: moved(place) for port, place in visit.bindings.items()})

    def _at(self, row: int, body: int) -> Access:
        return Access(self._wrenches, SIX * self._wrench[row, body], SIX)

    def _entry(self, place: int) -> Access:
        return Access(self._target, place, 1)
