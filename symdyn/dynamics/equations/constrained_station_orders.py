"""Time derivatives of forward and hybrid dynamics of robots with loops and soft links, order by order.

As in ``station_orders``, with the multipliers among what an order finds: see ``constrained_orders``.
The slopes A are those at t = 0. Multipliers of lower orders act on bodies and stations as loads do.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from symdyn.dynamics.equations.constrained_orders import MULTIPLIERS, PULL
from symdyn.dynamics.equations.forward_orders import bases_at_once, carried_steps
from symdyn.dynamics.equations.inverse_orders import refuse_jumps
from symdyn.dynamics.equations.order_rows import FOUND, Rows
from symdyn.dynamics.equations.order_steps import DERIVATIVE
from symdyn.dynamics.equations.order_update import PUSH
from symdyn.dynamics.equations.station_orders import CONSTRAINT_RESIDUAL, ForceOrders
from symdyn.dynamics.forward_dynamics.aba_layout import AbaLayout
from symdyn.dynamics.forward_dynamics.station_bias import More, Solution
from symdyn.dynamics.kinematics.series_coordinates import scalar_sweep
from symdyn.dynamics.loops.constrained_residual import held_motion_plan
from symdyn.dynamics.loops.constraint_kinematics import relation_fields
from symdyn.dynamics.loops.constraint_set import GROUND, OTHER, OWN, SIX, ConstraintSet
from symdyn.dynamics.loops.contracted_jacobian import SLOPES, ContractedJacobian
from symdyn.dynamics.loops.multipliers import ordered_sweeps
from symdyn.dynamics.loops.station_jacobian import StationJacobian
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.model import Model
from symdyn.plan.compose import places_written, renamed
from symdyn.plan.plan import Access, Field, FieldKind, Plan, Sweep, Visit
from symdyn.plan.transforms.order_by_order import Stepwise, at_start
from symdyn.plan.transforms.stepwise_kernels import coefficient_of


def orders_by_forces_plan(
    model: Model,
    name: str,
    free: Collection[int],
    order: int,
    given: str,
    found: str,
    external: str = "",
    stabilisation: float | None = None,
) -> Plan:
    """As ``constrained_orders.constrained_hybrid_dynamics_time_derivatives_plan``, of robots with soft links."""
    rows = Rows(model, frozenset(free), given, found, bool(external))
    return held_orders_plan(model, name, rows, order, found, external, stabilisation)


def held_orders_plan(
    model: Model, name: str, rows: Rows, order: int, found: str, external: str, stabilisation: float | None
) -> Plan:
    """The same of what ``rows`` say is given."""
    tree = TreePlan(model, external, kept=True, derivatives=order + 2)
    return HeldForceOrders(tree, rows, order, found, stabilisation).plan(name)


class HeldForceOrders(ForceOrders):
    """The sweeps of each order.

    Parameters
    ----------
    tree
        The robot, which keeps every body's row.
    rows
        The rows of v.
    order
        r.
    found
        Name of the output, (r + 1, nv).
    stabilisation
        The time [s] in which errors of the loops vanish; None leaves them.

    Raises
    ------
    ModelError
        A joint's friction jumps at rest.
    """

    def __init__(self, tree: TreePlan, rows: Rows, order: int, found: str, stabilisation: float | None) -> None:
        refuse_jumps(tree, order)
        self.constraints, self._stabilisation = ConstraintSet(tree), stabilisation
        self._steep = StationJacobian(self.constraints, SLOPES)
        sweeps = self._steep.sweeps()
        self._inner = tree.rods.inner_fields(sweeps)
        self._led = list(tree.rods.completed(sweeps))
        reached = {reach.body for reach in self.constraints.reaches}
        bases = bases_at_once(tree, rows.free, [body for body in tree.model.free_bases if body in reached])
        known = {field.name: Stepwise() for field in self._related()}
        known |= {name: Stepwise(passing=True) for name in ("error", "rate", CONSTRAINT_RESIDUAL)}
        known |= {MULTIPLIERS: Stepwise(unknown=frozenset(range(self.constraints.count)))}
        super().__init__(tree, bases, carried_steps(tree, rows.free, bases) | known, rows, order, found)
        self.factor = [*at_start(self._led, self.carried), *self.factor]

    def _related(self) -> list[Field]:
        return relation_fields(self.constraints, self._moving().sweeps)

    def _moving(self) -> Plan:
        return held_motion_plan(
            self.constraints.tree.model, self.constraints.tree.external, self._stabilisation, tree=self.constraints.tree
        )

    def _solution(self) -> Solution:
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

    def plan(self, name: str) -> Plan:
        """The plan of all orders."""
        plain = super().plan(name)
        output = Field("Lambda", FieldKind.OUTPUT, (self.order + 1) * self.constraints.count)
        return replace(plain, fields=(*plain.fields, output))

    def _solved(self, k: int) -> list[Sweep]:
        return renamed(
            self.solve,
            {coefficient_of(name, 0): coefficient_of(name, k) for name in (CONSTRAINT_RESIDUAL, MULTIPLIERS)},
        )

    def _kept(self, k: int) -> list[Sweep]:
        count, multipliers = self.constraints.count, coefficient_of(MULTIPLIERS, k)
        rows = ((Access(multipliers, row, 1), Access("Lambda", k * count + row, 1)) for row in range(count))
        return [scalar_sweep(DERIVATIVE, k, [-1] * count, rows)]

    def _pushed(self, k: int) -> list[Sweep]:
        multipliers, visits = coefficient_of(MULTIPLIERS, k), []
        for pair in self.constraints.pairs:
            for end, body in ((end, pair.body(end)) for end in (OWN, OTHER) if pair.body(end) != GROUND):
                bindings = {
                    "exerted": Access(f"on_{end}", SIX * pair.first, SIX * len(pair.rows)),
                    "multipliers": Access(multipliers, pair.first, len(pair.rows)),
                    "wrench": Access(PUSH.field, SIX * body, SIX),
                }
                visits.append(Visit(body, None, {}, bindings))
        return [Sweep(PULL, tuple(visits))]
