"""Time derivatives of forward and hybrid dynamics, order by order with one factor of the mass matrix.

With normalised coefficients, order k of the equations of motion reads, for the rows whose force is given,

    M(q_0) a_k = tau_k - b_k,      b_k = coefficient k of inverse dynamics along a_0 .. a_(k-1), 0

so that the articulated inertia, which rests on q_0, is eliminated once and serves all orders (Ali et al. 2026, lemma
2). Per order: the bias, outward; one O(n) solution in which each body hands to its parent coefficient k of the wrench
that it transmits, known at lower orders; and the response of motions and wrenches to the a_k found, which is linear in
it. Algorithms 3 and 4 there write the same orders out by binomials.
"""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.dynamics.elements.listed import DEFORMABLES
from symdyn.dynamics.equations.order_rows import FOUND, GIVEN, Rows
from symdyn.dynamics.equations.order_steps import Carried, ResponseVariant, settle_step
from symdyn.dynamics.equations.orders import Orders
from symdyn.dynamics.forward_dynamics.aba import (
    aba_acceleration_sweeps,
    aba_bias_sweeps,
    factor_sweeps,
    solution_fields,
)
from symdyn.dynamics.forward_dynamics.aba_layout import AbaLayout
from symdyn.dynamics.forward_dynamics.block_places import PASSING
from symdyn.dynamics.forward_dynamics.hybrid_dynamics import balance_springs
from symdyn.dynamics.inverse_dynamics.rnea import wrench_sweeps
from symdyn.dynamics.kinematics.series_coordinates import SERIES, coordinates_sweep
from symdyn.dynamics.tree.bindings import declared_by
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.model import Model
from symdyn.plan.compose import kept_apart
from symdyn.plan.plan import Field, FieldKind, Sweep
from symdyn.plan.transforms.order_by_order import Stepwise, at_order, at_start, coefficient_fields
from symdyn.plan.transforms.stepwise_kernels import coefficient_of


class WrenchOrders(Orders):
    """The orders of a robot without rods: the bias is in wrenches of bodies, which ABA takes with forces."""

    def __init__(
        self, model: Model, rows: Rows, order: int, found: str, external: str, stabilisation: float | None = None
    ) -> None:
        super().__init__(TreePlan(model, external, kept=True), rows, order, found)
        self.stabilisation = stabilisation
        self.elimination = AbaLayout(self.tree, rows.free, all_changes=True)
        deformed = DEFORMABLES.wrenches(self.tree, "spring")
        self.springs = balance_springs(self.tree, rows.free, GIVEN, FOUND, deformed)
        self.carried |= {
            **dict.fromkeys(("net", "spring"), Stepwise()),
            **dict.fromkeys(PASSING, Stepwise(passing=True)),
        }
        self._make_sweeps()

    def _acting(self, k: int) -> list[Sweep]:
        """What acts on the bodies at order k besides, after their wrenches are known."""
        return []

    def _between(self, k: int) -> list[Sweep]:
        """What changes the solution of order k between its halves."""
        return []

    def _make_sweeps(self) -> None:
        """What every order repeats: bias, solution inward and outward, forces of prescribed rows; and the factor."""
        bases, elimination = self.bases, self.elimination
        _, spring_forces, spring_shares, net = self.springs
        free = [body for body in bases.rows if self.model.bodies[body].joint.v_index in self.rows.free]
        driven = [body for body in bases.rows if body not in free]
        self.known = [
            coordinates_sweep(self.tree, bases.rows),
            *on_series(self.tree.shape_sweeps()),
            *bases.motion_sweeps(),
            *bases.rested(on_series(wrench_sweeps(self.tree))),
            *on_series(spring_forces),
            *bases.load_sweeps(net, free),
        ]
        self.once = at_start(bases.rested(factor_sweeps(elimination)), self.carried)
        self.inward = bases.rested(aba_bias_sweeps(elimination, net, FOUND, SERIES["v"], "wrench"))
        outward = at_start(bases.rested(aba_acceleration_sweeps(elimination, FOUND)), self.carried)
        self.outward = [*outward, *bases.rate_sweeps(FOUND, free)]
        self.forces = [*bases.force_sweeps(FOUND, driven), *spring_shares]

    def _fields(self) -> list[Field]:
        model = self.model
        loads = len(model.wrench_bodies) if self.tree.external else 0
        outward_fields = [*self.tree.fields(), *declared_by(wrench_sweeps(self.tree))]
        states = [
            Field(SERIES["q"], FieldKind.STATE, model.nq),
            *(Field(series, FieldKind.STATE, model.nv) for series in (SERIES["v"], SERIES["a"], GIVEN)),
            *(field for field in outward_fields if field.name not in SERIES),
            *self.bases.fields(),
            *self.springs[0],
            *([Field(SERIES["f_ext"], FieldKind.STATE, loads)] if loads else []),
            *self.elimination.factor_fields(),
        ]
        return [*coefficient_fields(states, self.carried, self.order), *solution_fields(self.elimination)]

    def _solved(self, k: int) -> list[Sweep]:
        return [
            *self._acting(k),
            *at_order(self.inward, self.carried, k),
            *self._between(k),
            *self.outward,
            *at_order(self.forces, self.carried, k),
        ]

    def _settled(self, k: int) -> list[Sweep]:
        wrench, clusters = coefficient_of("wrench", k), self.elimination.cluster_of
        return [self._responses(k), *DEFORMABLES.settling(self.tree, FOUND, self.rows.free, wrench, clusters)]

    def _responses(self, k: int) -> Sweep:
        """The sweep of what the accelerations found add to motions and to the wrenches that higher orders read."""
        elimination, bodies = self.elimination, self.model.bodies

        def variant(_: TreePlan, body: int) -> ResponseVariant:
            turning = bodies[body].joint.kind.posed and body not in self.bases.rows
            carried = Carried.ADDED if elimination.loads_others(body) else Carried.OWN
            return ResponseVariant(
                Carried.KEPT if elimination.keeps(body) else carried, bodies[body].parent >= 0 or turning
            )

        settled = (body for place in elimination.places if place.responds for body in place.bodies)
        moved = (body for body in settled if elimination.passes(body))
        motion = dict.fromkeys(("turning", "u_x", "u_z", "acceleration"), coefficient_of("motion", k))
        fields = motion | {"wrench": coefficient_of("wrench", k)}
        return settle_step(elimination).over(self.tree, moved, variant, lambda _, __: {"power": float(k + 1)}, **fields)


def on_series(sweeps: Sequence[Sweep]) -> list[Sweep]:
    """Sweeps that read and write series in place of inputs and outputs."""
    return kept_apart([], sweeps, "", (), SERIES)[1]
