"""Solutions of the equations of motion order by order: what all of them share, with loops and rods or without.

Each order k needs the motion that is known, coefficient k of the bias along it, one solution with the factor of t = 0,
and then what the accelerations found add to what higher orders read. Subclasses say how the bias and the solution are
made: by wrenches of bodies (``forward_orders``), or by forces of the whole robot (``station_orders``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection

from symdyn.dynamics.equations.free_base_series import MOTION_STEPS, FreeBases
from symdyn.dynamics.equations.inverse_orders import refuse_jumps
from symdyn.dynamics.equations.order_rows import FOUND, GIVEN, Rows
from symdyn.dynamics.kinematics.series_coordinates import SERIES
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.plan.plan import Field, FieldKind, Plan, Sweep
from symdyn.plan.transforms.order_by_order import Reach, Stepwise, at_order, at_start


class Orders(ABC):
    """The sweeps of each order, over the same fields.

    Parameters
    ----------
    tree
        The robot, which keeps every body's row.
    rows
        The rows of v: which are free, what is given, and what is made of it.
    order
        r, from 0.
    found
        Name of the output, (r + 1, nv).

    Raises
    ------
    ModelError
        A joint's friction jumps at rest.
    """

    known: list[Sweep]
    """What each order repeats: the motion that is known, and its bias."""
    once: list[Sweep]
    """What is made at t = 0 alone, once the motion is known: the factor."""

    def __init__(self, tree: TreePlan, rows: Rows, order: int, found: str) -> None:
        refuse_jumps(tree, order)
        self.tree, self.model, self.rows, self.order, self.found = tree, tree.model, rows, order, found
        self.bases = bases_at_once(tree, rows.free, self._joined_bases())
        self.carried = carried_steps(tree, rows.free, self.bases)

    def _joined_bases(self) -> Collection[int]:
        """Free bases that must be treated as joints like others."""
        return ()

    @abstractmethod
    def _fields(self) -> list[Field]:
        """State and tables."""

    @abstractmethod
    def _solved(self, k: int) -> list[Sweep]:
        """What finds the accelerations of order k, and the forces of prescribed rows."""

    @abstractmethod
    def _settled(self, k: int) -> list[Sweep]:
        """What the accelerations found of order k add to motions and wrenches that higher orders read."""

    def _constant(self) -> list[Sweep]:
        """What is made of run-time parameters alone."""
        return self.tree.parameter_sweeps()

    def _outputs(self) -> list[Field]:
        """Other outputs, and their state."""
        return []

    def _kept(self, k: int) -> list[Sweep]:
        """What else of order k is an output, or is read at higher orders."""
        return []

    def plan(self, name: str) -> Plan:
        """The plan of all orders."""
        model, count = self.model, self.order + 1
        loads = len(model.wrench_bodies) if self.tree.external else 0
        fields = [
            Field("q", FieldKind.INPUT, model.nq),
            Field("v", FieldKind.INPUT, model.nv),
            *self.rows.fields(count),
            *([Field("f_ext", FieldKind.INPUT, count * loads)] if loads else []),
            *self._fields(),
            Field(FOUND, FieldKind.STATE, model.nv),
            Field(self.found, FieldKind.OUTPUT, count * model.nv),
            *self._outputs(),
        ]
        sweeps = [*self._constant(), *(sweep for k in range(count) for sweep in self._sweeps(k))]
        names = tuple(body.name for body in model.bodies)
        declared = {field.name: field for field in fields}
        return Plan(name, tuple(declared.values()), tuple(sweeps), names, model.parent, self.order)

    def _sweeps(self, k: int) -> list[Sweep]:
        """All that finds coefficient k of the accelerations, and keeps what higher orders need."""
        sweeps = [
            *self.rows.inputs(k),
            *at_order(self.known, self.carried, k),
            *(self.once if k == 0 else []),
            *self._solved(k),
            self.rows.derivatives(k),
            *self._kept(k),
        ]
        if k < self.order:
            sweeps += [self.rows.accelerations(k), *at_start(self._settled(k), self.carried)]
        return [sweep for sweep in sweeps if sweep.visits]


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
