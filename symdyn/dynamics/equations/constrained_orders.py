"""Time derivatives of forward and hybrid dynamics of robots with loops, order by order.

With normalised coefficients, order k of the equations of motion and of the loops reads, for the rows whose force is
given,

    M(q_0) a_k - A_0^T lambda_k = tau_k - b_k + sum over j < k of (A^T)_(k-j) lambda_j
    A_0 a_k = -(e'' + 2 e' / T + e / T^2)_k

with b_k and e''_k along a_0 .. a_(k-1), 0. The operator is that of order 0 (``constrained_dynamics``): the whitened
Jacobian and the factor of A M^-1 A^T are made once. What multipliers of lower orders exert as their wrenches turn is a
load at order k. Once lambda_k is found, what it adds to the wrenches that higher orders read lies in the whitened
Jacobian's own wrenches.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import dot
from symdyn.dynamics.equations.forward_orders import WrenchOrders, on_series
from symdyn.dynamics.equations.order_multipliers import (
    MULTIPLIERS,
    multiplier_output,
    multiplier_steps,
    multiplier_sweep,
    pull_sweep,
)
from symdyn.dynamics.equations.order_rows import FOUND, GIVEN
from symdyn.dynamics.forward_dynamics.aba_layout import AbaLayout
from symdyn.dynamics.loops.constraint_kinematics import (
    change_sweeps,
    exertion_sweeps,
    relation_fields,
    relation_sweeps,
)
from symdyn.dynamics.loops.constraint_set import SIX, ConstraintSet
from symdyn.dynamics.loops.linear_couplings import coupling_sweep
from symdyn.dynamics.loops.multipliers import ordered_sweeps
from symdyn.dynamics.loops.pfaffian import velocity_sweep
from symdyn.dynamics.loops.whitened_jacobian import WhitenedJacobian
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.model import lossless
from symdyn.plan.compose import renamed
from symdyn.plan.plan import Access, Field, FieldKind, Mode, Port, Step, Sweep, Visit
from symdyn.plan.transforms.order_by_order import Stepwise, at_order, at_start, coefficient_fields
from symdyn.plan.transforms.stepwise_kernels import coefficient_of

_ERRORS = ("error", "rate", "acceleration")


class ConstrainedWrenchOrders(WrenchOrders):
    """The sweeps of each order of a robot with loops."""

    def _joined_bases(self) -> Collection[int]:
        """Those that half-solutions have columns of in other axes, and those that a loop stands against the ground."""
        self.constraints = ConstraintSet(self.tree)
        kinds = {body: self.model.bodies[body].joint.kind for body in self.model.free_bases}
        return [body for body, kind in kinds.items() if body in self.constraints.reached or kind != kind.own_axes]

    def _make_sweeps(self) -> None:
        constraints = self.constraints
        without = TreePlan(lossless(self.model), kept=True, beside=self.tree)
        whitened = WhitenedJacobian(constraints, AbaLayout(without, self.rows.free, all_changes=True))
        prescribed = [row for row in range(self.model.nv) if row not in self.rows.free]
        self._solving, once, self._each = ordered_sweeps(whitened, MULTIPLIERS, FOUND, self.stabilisation)
        self._relating = [
            *relation_sweeps(constraints),
            *change_sweeps(constraints),
            coupling_sweep(constraints, "q", "error"),
            coupling_sweep(constraints, "v", "rate"),
            coupling_sweep(constraints, GIVEN, "acceleration", prescribed),
            velocity_sweep(constraints.velocities, "acceleration", "a"),
            *exertion_sweeps(constraints),
        ]
        self._found = [
            *relation_fields(constraints, [*self._relating, *self._each]),
            Field(MULTIPLIERS, FieldKind.STATE, constraints.count),
        ]
        known = {field.name: Stepwise(passing=field.name in _ERRORS) for field in self._found}
        self.carried |= known | multiplier_steps(constraints)
        self._solving += whitened.fields()
        self._whitened = whitened
        super()._make_sweeps()
        self.known += on_series(self._relating)
        self.once += at_start([*whitened.sweeps(), *once], self.carried)

    def _fields(self) -> list[Field]:
        return [
            replace(field, sparse=True) if field.name == "joint_force_residual" else field
            for field in super()._fields()
        ]

    def _outputs(self) -> list[Field]:
        made = coefficient_fields(self._found, self.carried, self.order)
        return [*made, *self._solving, multiplier_output(self.constraints, self.order)]

    def _acting(self, k: int) -> list[Sweep]:
        """What multipliers of lower orders exert at this one."""
        pulled = [pull_sweep(self.constraints, MULTIPLIERS, "wrench")] if k else []
        return at_order([*pulled, self._pushed(k, True)], self.carried, k)

    def _pushed(self, k: int, free: bool) -> Sweep:
        """What multipliers of lower orders exert on rows of v: those that are free are given it, others give it."""
        drives, forces = self._whitened.drives(FOUND), self.springs[3]
        visits = []
        for own in self.constraints.velocities if k else ():
            for v, entry in own.columns.items():
                residual, is_free = self._whitened.joint_force_residual(v)
                if is_free is free:
                    bindings = {"entry": entry, "multiplier": Access(MULTIPLIERS, own.row, 1)}
                    bindings["force"] = Access(forces, v, 1) if free else drives[residual]
                    visits.append(Visit(-1, free, {}, bindings))
        return Sweep(_PUSH, tuple(visits))

    def _between(self, k: int) -> list[Sweep]:
        """The multipliers, and what they change of the drives."""
        return at_order([self._pushed(k, False)], self.carried, k) + renamed(
            self._each, {name: coefficient_of(name, k) for name in (*_ERRORS, MULTIPLIERS)}
        )

    def _kept(self, k: int) -> list[Sweep]:
        """Order k of the multipliers' output, and what they add to wrenches."""
        multipliers, written = coefficient_of(MULTIPLIERS, k), multiplier_sweep(self.constraints, k)
        if k == self.order:
            return [written]
        visits = []
        for body, places in self._whitened.wrenches().items():
            own = self.model.bodies[body]
            if own.parent >= 0 or own.joint.kind.posed:
                wrench = replace(_wrench(body), field=coefficient_of("wrench", k))
                bindings = {name: Access(multipliers, row, 1) for row, name in _numbered("multiplier", places)}
                bindings |= {name: places[row] for row, name in _numbered("exerted", places)}
                visits.append(Visit(body, len(places), {}, {**bindings, "wrench": wrench}))
        return [written, Sweep(_transmitting(self.constraints.count), tuple(visits)), self._felt(k)]

    def _felt(self, k: int) -> Sweep:
        """What multipliers exert at this order on free rows of joints with several rows, which affects their parents.

        For joints with one row the axis is fixed in the parent, so the reaction needs no correction.
        """
        bodies, owners, forces = self.model.bodies, self.model.velocity_bodies, self.springs[3]
        visits = []
        for own in self.constraints.velocities:
            for v, entry in own.columns.items():
                if v in self.rows.free and len(bodies[owners[v]].joint.coordinates.v) > 1:
                    bindings = {
                        "entry": replace(entry, field=coefficient_of(entry.field, 0)),
                        "multiplier": Access(coefficient_of(MULTIPLIERS, k), own.row, 1),
                        "force": Access(coefficient_of(forces, k), v, 1),
                    }
                    visits.append(Visit(-1, True, {}, bindings))
        return Sweep(_PUSH, tuple(visits))


def push(free: bool, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per entry of a constraint on velocities: what its multiplier exerts on a row of v."""
    force = reads["entry"][0] * reads["multiplier"][0]
    return {"force": [force if free else -force]}


def rnea_backward(count: int, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per body: what multipliers change of the wrench that passes its joint."""
    multipliers = [reads[f"multiplier{row}"][0] for row in range(count)]
    exerted = [reads[f"exerted{row}"] for row in range(count)]
    return {"wrench": [-dot([own[place] for own in exerted], multipliers) for place in range(SIX)]}


_PUSH = Step("push", push, (Port("entry", Mode.READ), Port("multiplier", Mode.READ), Port("force", Mode.ADD)))


def _transmitting(count: int) -> Step:
    read = (Port(f"{name}{row}", Mode.READ) for row in range(count) for name in ("multiplier", "exerted"))
    return Step("transmit_multipliers", rnea_backward, (*read, Port("wrench", Mode.ADD)))


def _numbered(name: str, rows: Collection[int]) -> Sequence[tuple[int, str]]:
    return [(row, f"{name}{number}") for number, row in enumerate(rows)]


def _wrench(body: int) -> Access:
    return Access("wrench", SIX * body, SIX)
