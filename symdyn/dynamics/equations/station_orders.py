"""Time derivatives of forward and hybrid dynamics of robots with soft links, with and without loops, order by order.

As in ``forward_dynamics.station_bias``, forces are those of stations and the factor that of the robot in which each rod
is one body. With normalised coefficients, order k is

    tau_k' = ID_k along a_0 .. a_(k-1), 0,    M(q_0) a_k = tau_k - tau_k'

Poses and columns of rods are series nowhere in the factor: it is made once, at t = 0. Once a_k is found, all that
higher orders read is added to: motions of bodies and stations, and the wrenches that pass them. These are linear in
a_k, with numbers of t = 0 (``order_update``).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from symdyn.dynamics.equations.order_multipliers import (
    MULTIPLIERS,
    multiplier_output,
    multiplier_steps,
    multiplier_sweep,
    pull_sweep,
)
from symdyn.dynamics.equations.order_rows import FOUND, GIVEN, Rows
from symdyn.dynamics.equations.order_update import PUSH, Response
from symdyn.dynamics.equations.orders import Orders
from symdyn.dynamics.forward_dynamics.aba_layout import AbaLayout
from symdyn.dynamics.forward_dynamics.station_bias import More, Solution, balance_sweeps
from symdyn.dynamics.inverse_dynamics.rnea import inverse_dynamics_plan
from symdyn.dynamics.kinematics.series_coordinates import SERIES, coordinates_sweep
from symdyn.dynamics.loops.constrained_residual import held_motion_plan
from symdyn.dynamics.loops.constraint_kinematics import relation_fields
from symdyn.dynamics.loops.constraint_set import ConstraintSet
from symdyn.dynamics.loops.contracted_jacobian import SLOPES, ContractedJacobian
from symdyn.dynamics.loops.multipliers import ordered_sweeps
from symdyn.dynamics.loops.station_jacobian import StationJacobian
from symdyn.dynamics.tree.rod_steps import ROD_STEP, ROD_STEP_ALONG
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.model import Model
from symdyn.plan.compose import places_written, renamed
from symdyn.plan.plan import Access, Field, FieldKind, Plan, Sweep
from symdyn.plan.transforms.order_by_order import Reach, Stepwise, at_start, coefficient_fields
from symdyn.plan.transforms.stepwise_kernels import coefficient_of

_BIAS, CONSTRAINT_RESIDUAL = "bias", "acceleration"
"""Fields of what the motion that is known needs: forces, and how errors of loops accelerate."""


class ForceOrders(Orders):
    """The orders of a robot with rods, or of rows whose forces follow the motion: the bias is in forces alone."""

    def __init__(
        self, model: Model, rows: Rows, order: int, found: str, external: str, stabilisation: float | None = None
    ) -> None:
        super().__init__(TreePlan(model, external, kept=True, derivatives=order + 2), rows, order, found)
        self.stabilisation = stabilisation
        rods = self.tree.rods
        self.carried |= {
            _BIAS: Stepwise(passing=True),
            **dict.fromkeys((*rods.names_of("q"), *rods.names_of("v"), *rods.kept_fields), Stepwise(Reach.TURNING)),
            **dict.fromkeys(rods.names_of("a"), Stepwise(passing=True)),
            **dict.fromkeys(rods.names_of("tau"), Stepwise()),
            **rows.series(),
        }
        self.moving = self._moving()
        solution = self._solution()
        self.solution_fields = [field for field in solution.fields if field.name not in self.carried]
        factor, self.solve = (at_start(part, self.carried) for part in (solution.factor, solution.solve))
        self.response = Response(self.tree, self.bases, rows.free)
        self.known, self.once = self._known(), [*self._beside(), *factor, *rows.once(self.solve)]

    def _moving(self) -> Plan:
        """What a motion needs, of which order k is solved for."""
        return inverse_dynamics_plan(self.model, self.tree.external, self.tree)

    def _solution(self) -> Solution:
        """What takes forces to accelerations."""
        return Solution.of(self.model, self.rows.free, FOUND)

    def _states(self) -> list[Field]:
        """State of which each order has a coefficient besides."""
        return []

    def _others(self) -> list[Field]:
        """Other fields of the plan."""
        return []

    def _beside(self) -> list[Sweep]:
        """What else is made at t = 0 alone, before the factor."""
        return []

    def _forces(self, k: int) -> list[Sweep]:
        """What takes the forces of order k to accelerations."""
        return self.solve

    def _pushed(self, k: int) -> list[Sweep]:
        """What else of order k acts on bodies, and adds to the wrenches that higher orders read."""
        return []

    def _fields(self) -> list[Field]:
        model, loads = self.model, len(self.model.wrench_bodies)
        kinds = {field.name: field for field in self.moving.fields}
        states = [
            *(field for name, field in kinds.items() if field.kind in (FieldKind.STATE, FieldKind.TABLE)),
            Field(SERIES["q"], FieldKind.STATE, model.nq),
            *(Field(row, FieldKind.STATE, model.nv) for row in (SERIES["v"], SERIES["a"], GIVEN, _BIAS)),
            *([Field(SERIES["f_ext"], FieldKind.STATE, loads)] if self.tree.external else []),
            *self.bases.fields(),
            *self.rows.states(),
            *self._states(),
        ]
        return [
            *(kinds[name] for name in ("p", "active") if name in kinds),
            *coefficient_fields(states, self.carried, self.order),
            *(field for field in self.solution_fields if field.kind in (FieldKind.STATE, FieldKind.TABLE)),
            *self.tree.rods.fields_of(FOUND),
            *self.response.fields(),
            *self._others(),
        ]

    def _bound(self, sweep: Sweep) -> bool:
        """Whether a sweep of the motion makes constants of run-time parameters."""
        return sweep.step.name in [own.step.name for own in self.tree.parameter_sweeps()]

    def _constant(self) -> list[Sweep]:
        return [sweep for sweep in self.moving.sweeps if self._bound(sweep)]

    def _known(self) -> list[Sweep]:
        moving = [sweep for sweep in self.moving.sweeps if not self._bound(sweep)]
        linked = SERIES | {"tau": _BIAS, "constraint_residual": CONSTRAINT_RESIDUAL}
        return [
            coordinates_sweep(self.tree, self.bases.rows),
            *self.rows.forces(),
            *self.bases.motion_sweeps(),
            *self.bases.rested([_along(sweep) for sweep in renamed(moving, linked)]),
            *self.bases.force_sweeps(_BIAS),
        ]

    def _solved(self, k: int) -> list[Sweep]:
        _, rest, total = balance_sweeps(self.model, self.rows.free, GIVEN, FOUND)
        return [*_renamed([rest], k), *self._forces(k), *_renamed(total, k), *self.rows.between(k)]

    def _settled(self, k: int) -> list[Sweep]:
        return self.response.sweeps(k, FOUND, self._pushed(k))


def _renamed(sweeps: list[Sweep], k: int) -> list[Sweep]:
    """Sweeps over rows of what is given and of the bias, at an order."""
    return renamed(sweeps, {name: coefficient_of(name, k) for name in (GIVEN, _BIAS)})


def _along(sweep: Sweep) -> Sweep:
    """The steps of rods from q at t = 0 and the series of v; other sweeps as they are."""
    if sweep.step is not ROD_STEP:
        return sweep
    visits = []
    for visit in sweep.visits:
        bindings = {name: place for name, place in visit.bindings.items() if name != "a"}
        q = bindings["q"]
        assert isinstance(q, Access)
        visits.append(replace(visit, bindings={**bindings, "q": replace(q, field="q")}))
    return replace(sweep, step=ROD_STEP_ALONG, visits=tuple(visits))


class ConstrainedForceOrders(ForceOrders):
    """The same of a robot with loops: an order finds multipliers too (``constrained_orders``).

    The slopes A are those at t = 0. Multipliers of lower orders act on bodies and stations as loads do.
    """

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
        named = {field.name: field for field in (*self._inner, *self._steep.fields())}
        return [
            *named.values(),
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
