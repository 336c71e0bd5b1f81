"""Time derivatives of forward and hybrid dynamics of robots with soft links, order by order.

As in ``forward_dynamics.station_bias``, forces are those of stations and the factor that of the robot in which each rod
is one body. With normalised coefficients, order k is

    tau_k' = ID_k along a_0 .. a_(k-1), 0,    M(q_0) a_k = tau_k - tau_k'

Poses and columns of rods are series nowhere in the factor: it is made once, at t = 0. Once a_k is found, all that
higher orders read is added to: motions of bodies and stations, and the wrenches that pass them. These are linear in
a_k, with numbers of t = 0 (``order_update``).
"""

from __future__ import annotations

from dataclasses import replace

from symdyn.dynamics.equations.free_base_series import FreeBases
from symdyn.dynamics.equations.order_rows import FOUND, GIVEN, Rows
from symdyn.dynamics.equations.order_update import Response
from symdyn.dynamics.forward_dynamics.station_bias import Solution, balance_sweeps
from symdyn.dynamics.inverse_dynamics.rnea import inverse_dynamics_plan
from symdyn.dynamics.kinematics.series_coordinates import SERIES, coordinates_sweep
from symdyn.dynamics.tree.rod_steps import ROD_STEP, ROD_STEP_ALONG
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.plan.compose import renamed
from symdyn.plan.plan import Access, Field, FieldKind, Plan, Sweep
from symdyn.plan.transforms.order_by_order import Reach, Stepwise, at_order, at_start, coefficient_fields
from symdyn.plan.transforms.stepwise_kernels import coefficient_of

_BIAS, CONSTRAINT_RESIDUAL = "bias", "acceleration"
"""Fields of what the motion that is known needs: forces, and how errors of loops accelerate."""


class ForceOrders:
    """The sweeps of each order, over the same fields.

    Parameters
    ----------
    tree
        The robot, which keeps every body's row.
    bases
        The free bases that are found at once.
    carried
        How fields are carried from order to order, but for those of rods.
    rows
        The rows of v.
    order
        r.
    found
        Name of the output, (r + 1, nv).
    """

    def __init__(
        self,
        tree: TreePlan,
        bases: FreeBases,
        carried: dict[str, Stepwise],
        rows: Rows,
        order: int,
        found: str,
    ) -> None:
        self.tree, self.bases, self.rows, self.order, self.found = tree, bases, rows, order, found
        rods = tree.rods
        self.carried = carried | {
            _BIAS: Stepwise(passing=True),
            **dict.fromkeys((*rods.names_of("q"), *rods.names_of("v"), *rods.kept_fields), Stepwise(Reach.TURNING)),
            **dict.fromkeys(rods.names_of("a"), Stepwise(passing=True)),
            **dict.fromkeys(rods.names_of("tau"), Stepwise()),
            **rows.series(),
        }
        self.moving = self._moving()
        solution = self._solution()
        self.solution_fields = [field for field in solution.fields if field.name not in self.carried]
        self.factor, self.solve = (at_start(part, self.carried) for part in (solution.factor, solution.solve))
        self.response = Response(tree, bases, rows.free)

    def _moving(self) -> Plan:
        """What a motion needs, of which order k is solved for."""
        return inverse_dynamics_plan(self.tree.model, self.tree.external, self.tree)

    def _solution(self) -> Solution:
        """What takes forces to accelerations."""
        return Solution.of(self.tree.model, self.rows.free, FOUND)

    def _states(self) -> list[Field]:
        """State of which each order has a coefficient besides."""
        return []

    def _others(self) -> list[Field]:
        """Other fields of the plan."""
        return []

    def _solved(self, k: int) -> list[Sweep]:
        """The solution of order k."""
        return self.solve

    def _kept(self, k: int) -> list[Sweep]:
        """What else of order k is an output."""
        return []

    def _pushed(self, k: int) -> list[Sweep]:
        """What else of order k acts on bodies, and adds to the wrenches that higher orders read."""
        return []

    def plan(self, name: str) -> Plan:
        """The plan of all orders."""
        model, rows, loads = self.tree.model, self.order + 1, len(self.tree.model.wrench_bodies)
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
        fields = [
            Field("q", FieldKind.INPUT, model.nq),
            Field("v", FieldKind.INPUT, model.nv),
            *self.rows.fields(rows),
            *([Field("f_ext", FieldKind.INPUT, rows * loads)] if self.tree.external else []),
            *(kinds[name] for name in ("p", "active") if name in kinds),
            *coefficient_fields(states, self.carried, self.order),
            *(field for field in self.solution_fields if field.kind in (FieldKind.STATE, FieldKind.TABLE)),
            *self.tree.rods.fields_of(FOUND),
            *self.response.fields(),
            *self._others(),
            Field(FOUND, FieldKind.STATE, model.nv),
            Field(self.found, FieldKind.OUTPUT, rows * model.nv),
        ]
        bound = [sweep.step.name for sweep in self.tree.parameter_sweeps()]
        constant = [sweep for sweep in self.moving.sweeps if sweep.step.name in bound]
        moving = [sweep for sweep in self.moving.sweeps if sweep.step.name not in bound]
        linked = SERIES | {"tau": _BIAS, "constraint_residual": CONSTRAINT_RESIDUAL}
        series = [_along(sweep) for sweep in renamed(moving, linked)]
        forces = [
            coordinates_sweep(self.tree, self.bases.rows),
            *self.rows.forces(),
            *self.bases.motion_sweeps(),
            *self.bases.rested(series),
            *self.bases.force_sweeps(_BIAS),
        ]
        sweeps = [*constant, *(sweep for k in range(rows) for sweep in self._sweeps(k, forces))]
        found_fields = {field.name: field for field in fields}
        return Plan(
            name, tuple(found_fields.values()), tuple(sweeps), self.moving.bodies, self.moving.parent, self.order
        )

    def _sweeps(self, k: int, forces: list[Sweep]) -> list[Sweep]:
        """All that finds coefficient k of the accelerations, and keeps what higher orders need."""
        _, rest, total = balance_sweeps(self.tree.model, self.rows.free, GIVEN, FOUND)
        sweeps = [
            *self.rows.inputs(k),
            *at_order(forces, self.carried, k),
            *((*self.factor, *self.rows.once(self.solve)) if k == 0 else ()),
            *_renamed([rest], k),
            *self._solved(k),
            *_renamed(total, k),
            *self.rows.between(k),
            self.rows.derivatives(k),
            *self._kept(k),
        ]
        if k < self.order:
            response = self.response.sweeps(k, FOUND, self._pushed(k))
            sweeps += [self.rows.accelerations(k), *at_start(response, self.carried)]
        return [sweep for sweep in sweeps if sweep.visits]


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
