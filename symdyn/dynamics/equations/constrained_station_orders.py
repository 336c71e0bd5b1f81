"""Time derivatives of forward and hybrid dynamics of robots with loops and soft links, order by order.

As in ``station_orders``, with the multipliers among what an order finds: see ``constrained_orders``.
The slopes A are those at t = 0. Multipliers of lower orders act on bodies and stations as loads do.
"""

from __future__ import annotations

from collections.abc import Collection

from symdyn.dynamics.equations.order_multipliers import (
    MULTIPLIERS,
    multiplier_output,
    multiplier_steps,
    multiplier_sweep,
    pull_sweep,
)
from symdyn.dynamics.equations.order_rows import FOUND
from symdyn.dynamics.equations.order_update import PUSH
from symdyn.dynamics.equations.station_orders import CONSTRAINT_RESIDUAL, ForceOrders
from symdyn.dynamics.forward_dynamics.aba_layout import AbaLayout
from symdyn.dynamics.forward_dynamics.station_bias import More, Solution
from symdyn.dynamics.loops.constrained_residual import held_motion_plan
from symdyn.dynamics.loops.constraint_kinematics import relation_fields
from symdyn.dynamics.loops.constraint_set import ConstraintSet
from symdyn.dynamics.loops.contracted_jacobian import SLOPES, ContractedJacobian
from symdyn.dynamics.loops.multipliers import ordered_sweeps
from symdyn.dynamics.loops.station_jacobian import StationJacobian
from symdyn.plan.compose import places_written, renamed
from symdyn.plan.plan import Field, FieldKind, Plan, Sweep
from symdyn.plan.transforms.order_by_order import Stepwise, at_start
from symdyn.plan.transforms.stepwise_kernels import coefficient_of


class ConstrainedForceOrders(ForceOrders):
    """The sweeps of each order of a robot with loops."""

    def _joined_bases(self) -> Collection[int]:
        self.constraints = ConstraintSet(self.tree)
        reached = {reach.body for reach in self.constraints.reaches}
        return [body for body in self.model.free_bases if body in reached]

    def _beside(self) -> list[Sweep]:
        return at_start(self._led, self.carried)

    def _moving(self) -> Plan:
        return held_motion_plan(self.model, self.tree.external, self.stabilisation, tree=self.tree)

    def _solution(self) -> Solution:
        self._steep = StationJacobian(self.constraints, SLOPES)
        sweeps = self._steep.sweeps()
        self._inner = self.tree.rods.inner_fields(sweeps)
        self._led = list(self.tree.rods.completed(sweeps))
        known = {field.name: Stepwise() for field in relation_fields(self.constraints, self.moving.sweeps)}
        known |= {name: Stepwise(passing=True) for name in ("error", "rate", CONSTRAINT_RESIDUAL)}
        self.carried = {**known, **multiplier_steps(self.constraints), **self.carried}

        def held_by(elimination: AbaLayout) -> More:
            whitened = ContractedJacobian(self.constraints, elimination, SLOPES, places_written(self._led, SLOPES))
            fields, once, each = ordered_sweeps(whitened, MULTIPLIERS, FOUND, None)
            return More([*fields, *whitened.fields()], [*whitened.sweeps(), *once], each)

        return Solution.of(self.tree.model, self.rows.free, FOUND, held_by)

    def _states(self) -> list[Field]:
        return [Field(name, FieldKind.STATE, self.constraints.count) for name in (CONSTRAINT_RESIDUAL, MULTIPLIERS)]

    def _others(self) -> list[Field]:
        told = {field.name: field for field in (*self._inner, *self._steep.fields())}
        return [
            *told.values(),
            Field(SLOPES, FieldKind.STATE, self.constraints.count * self.tree.model.nv, sparse=True),
        ]

    def _outputs(self) -> list[Field]:
        return [multiplier_output(self.constraints, self.order)]

    def _forces(self, k: int) -> list[Sweep]:
        return renamed(
            self.solve,
            {coefficient_of(name, 0): coefficient_of(name, k) for name in (CONSTRAINT_RESIDUAL, MULTIPLIERS)},
        )

    def _kept(self, k: int) -> list[Sweep]:
        return [multiplier_sweep(self.constraints, k)]

    def _pushed(self, k: int) -> list[Sweep]:
        return [pull_sweep(self.constraints, coefficient_of(MULTIPLIERS, k), PUSH.field)]
