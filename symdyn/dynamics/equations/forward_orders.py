"""Time derivatives of forward and hybrid dynamics, order by order with one factor of the mass matrix.

With normalised coefficients, order k of the equations of motion reads, for the rows whose force is given,

    M(q_0) a_k = tau_k - b_k,      b_k = coefficient k of inverse dynamics along a_0 .. a_(k-1), 0

so that the articulated inertia, which rests on q_0, is eliminated once and serves all orders (Ali et al. 2026, lemma
2). Per order: the bias, outward; one O(n) solution in which each body hands to its parent coefficient k of the wrench
that it transmits, known at lower orders; and the response of motions and wrenches to the a_k found, which is linear in
it. Algorithms 3 and 4 there write the same orders out by binomials.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from symdyn.dynamics.elements.listed import DEFORMABLES
from symdyn.dynamics.equations.free_base_series import MOTION_STEPS, FreeBases
from symdyn.dynamics.equations.inverse_orders import refuse_jumps
from symdyn.dynamics.equations.order_rows import FOUND, GIVEN, Rows
from symdyn.dynamics.equations.order_steps import Carried, ResponseVariant, settle_step
from symdyn.dynamics.equations.station_orders import ForceOrders
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
from symdyn.plan.plan import Field, FieldKind, Plan, Sweep
from symdyn.plan.transforms.order_by_order import Reach, Stepwise, at_order, at_start, coefficient_fields
from symdyn.plan.transforms.stepwise_kernels import coefficient_of


def hybrid_dynamics_time_derivatives_plan(
    model: Model, name: str, free: Collection[int], order: int, given: str, found: str, external: str = ""
) -> Plan:
    """The plan of w, w', .. w^(r), (r + 1, nv), from q, v and u, u', .. u^(r), (r + 1, nv).

    Parameters
    ----------
    model
        The robot.
    name
        Of the function.
    free
        Rows of v whose force is given; the acceleration of the others is.
    order
        r, from 0.
    given, found
        Names of the input and of the output, (r + 1, nv).
    external
        Axes of the wrenches f_ext and their derivatives, (r + 1, nbodies, 6): body, world, or empty.

    Raises
    ------
    ModelError
        A joint's friction jumps at rest.
    """
    if model.rods:
        rows = Rows(model, frozenset(free), given, found, bool(external))
        return time_derivatives_by_forces_plan(model, name, rows, order, found, external)
    return Orders(model, frozenset(free), order, given, found, external).plan(name)


def time_derivatives_by_forces_plan(
    model: Model, name: str, rows: Rows, order: int, found: str, external: str = ""
) -> Plan:
    """As :func:`hybrid_dynamics_time_derivatives_plan`, of robots with soft links and of what ``rows`` say is given."""
    tree = TreePlan(model, external, kept=True, derivatives=order + 2)
    refuse_jumps(tree, order)
    bases = bases_at_once(tree, rows.free)
    return ForceOrders(tree, bases, carried_steps(tree, rows.free, bases), rows, order, found).plan(name)


def bases_at_once(tree: TreePlan, free: Collection[int], without: Collection[int] = ()) -> FreeBases:
    """The free bases that need not be treated as joints like others; those ``without`` are."""

    def at_once(body: int) -> bool:
        if body in without:
            return False
        joint = tree.model.bodies[body].joint
        rows = [joint.v_index + place in free for place in range(6)]
        return joint.kind == joint.kind.own_axes or all(rows) or not any(rows)

    return FreeBases(tree, [body for body in tree.model.free_bases if at_once(body)], stepwise=True)


def carried_steps(tree: TreePlan, free: Collection[int], bases: FreeBases) -> dict[str, Stepwise]:
    """How fields are carried that any solution order by order has; ``free`` are the rows that are looked for."""
    by_rate = (place for body in tree.model.owners if tree.joint(body).kind.by_rate for place in tree.q(body).places)
    return {
        SERIES["q"]: Stepwise(Reach.TURNING, by_rate=frozenset(by_rate)),
        SERIES["v"]: Stepwise(Reach.NEXT, unknown=frozenset(free)),
        SERIES["a"]: Stepwise(unknown=frozenset(free)),
        SERIES["f_ext"]: Stepwise(),
        "pose": Stepwise(Reach.TURNING),
        "motion": MOTION_STEPS,
        **dict.fromkeys(("wrench", "orientation", "stand", "twist", GIVEN, "shape", "bent"), Stepwise()),
        **bases.steps(),
    }


class Orders:
    """The sweeps of each order, over the same fields.

    Parameters
    ----------
    model, free, order, given, found, external
        As for :func:`hybrid_dynamics_time_derivatives_plan`.
    """

    def __init__(self, model: Model, free: frozenset[int], order: int, given: str, found: str, external: str) -> None:
        self.model, self.free, self.order = model, free, order
        self.names = (given, found)
        self.rows = Rows(model, free, given, found, bool(external))
        self.tree = TreePlan(model, external, kept=True)
        refuse_jumps(self.tree, order)
        self.bases = bases_at_once(self.tree, free, self._joined_bases())
        self.elimination = AbaLayout(self.tree, free, told=True)
        self.springs = balance_springs(self.tree, free, GIVEN, FOUND, DEFORMABLES.wrenches(self.tree, "spring"))
        self.carried = {
            **carried_steps(self.tree, free, self.bases),
            **dict.fromkeys(("net", "spring"), Stepwise()),
            **dict.fromkeys(PASSING, Stepwise(passing=True)),
        }
        self._make_sweeps()

    def _joined_bases(self) -> Collection[int]:
        """Free bases that must be treated as joints like others."""
        return ()

    def _acting(self, k: int) -> list[Sweep]:
        """What acts on the bodies at order k besides, after their wrenches are known."""
        return []

    def _between(self, k: int) -> list[Sweep]:
        """What changes the solution of order k between its halves."""
        return []

    def _kept(self, k: int) -> list[Sweep]:
        """What else of order k is an output, or is read at higher orders."""
        return []

    def _make_sweeps(self) -> None:
        """What every order repeats: bias, solution inward and outward, forces of prescribed rows; and the factor."""
        bases, elimination = self.bases, self.elimination
        _, spring_forces, spring_shares, net = self.springs
        free = [body for body in bases.rows if self.model.bodies[body].joint.v_index in self.free]
        driven = [body for body in bases.rows if body not in free]
        self.bias = [
            coordinates_sweep(self.tree, bases.rows),
            *on_series(self.tree.shape_sweeps()),
            *bases.motion_sweeps(),
            *bases.rested(on_series(wrench_sweeps(self.tree))),
            *on_series(spring_forces),
            *bases.load_sweeps(net, free),
        ]
        self.factor = at_start(bases.rested(factor_sweeps(elimination)), self.carried)
        self.inward = bases.rested(aba_bias_sweeps(elimination, net, FOUND, SERIES["v"], "wrench"))
        outward = at_start(bases.rested(aba_acceleration_sweeps(elimination, FOUND)), self.carried)
        self.outward = [*outward, *bases.rate_sweeps(FOUND, free)]
        self.forces = [*bases.force_sweeps(FOUND, driven), *spring_shares]

    def plan(self, name: str) -> Plan:
        """The plan of all orders."""
        model, rows = self.model, self.order + 1
        given, found = self.names
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
        fields = [
            Field("q", FieldKind.INPUT, model.nq),
            Field("v", FieldKind.INPUT, model.nv),
            Field(given, FieldKind.INPUT, rows * model.nv),
            *([Field("f_ext", FieldKind.INPUT, rows * loads)] if loads else []),
            *coefficient_fields(states, self.carried, self.order),
            *solution_fields(self.elimination),
            Field(FOUND, FieldKind.STATE, model.nv),
            Field(found, FieldKind.OUTPUT, rows * model.nv),
        ]
        sweeps = [*self.tree.parameter_sweeps(), *(sweep for k in range(rows) for sweep in self._sweeps(k))]
        names = tuple(body.name for body in model.bodies)
        return Plan(name, tuple(fields), tuple(sweeps), names, model.parent, self.order)

    def _sweeps(self, k: int) -> list[Sweep]:
        """All that finds coefficient k of the accelerations, and keeps what higher orders need."""
        sweeps = [
            *self.rows.inputs(k),
            *at_order(self.bias, self.carried, k),
            *(self.factor if k == 0 else []),
            *self._acting(k),
            *at_order(self.inward, self.carried, k),
            *self._between(k),
            *self.outward,
            *at_order(self.forces, self.carried, k),
            self.rows.derivatives(k),
            *self._kept(k),
        ]
        if k < self.order:
            wrench, clusters = coefficient_of("wrench", k), self.elimination.cluster_of
            deformed = DEFORMABLES.settling(self.tree, FOUND, self.free, wrench, clusters)
            sweeps += [self.rows.accelerations(k), *at_start([self._settled(k), *deformed], self.carried)]
        return [sweep for sweep in sweeps if sweep.visits]

    def _settled(self, k: int) -> Sweep:
        """The sweep of what the accelerations found add to motions and to the wrenches that higher orders read."""
        elimination, bodies = self.elimination, self.model.bodies

        def variant(_: TreePlan, body: int) -> ResponseVariant:
            turning = bodies[body].joint.kind.posed and body not in self.bases.rows
            carried = Carried.ADDED if elimination.loads_others(body) else Carried.OWN
            return ResponseVariant(
                Carried.KEPT if elimination.keeps(body) else carried, bodies[body].parent >= 0 or turning
            )

        settled = (body for place in elimination.places if place.responds for body in place.bodies)
        moved = (body for body in settled if elimination.tells(body))
        motion = dict.fromkeys(("turning", "u_x", "u_z", "acceleration"), coefficient_of("motion", k))
        fields = motion | {"wrench": coefficient_of("wrench", k)}
        return settle_step(elimination).over(self.tree, moved, variant, lambda _, __: {"power": float(k + 1)}, **fields)


def on_series(sweeps: Sequence[Sweep]) -> list[Sweep]:
    """Sweeps that read and write series in place of inputs and outputs."""
    return kept_apart([], sweeps, "", (), SERIES)[1]
