"""What a motion needs of forces and of loops, as one plan: the equations that constrained dynamics solves.

    tau = ID(q, v, a) - A^T lambda,    constraint_residual = e'' + 2 e' / T + e / T^2

The wrenches of loops act on bodies as loads do, so that the plan differentiates as inverse dynamics does.
"""

from __future__ import annotations

from collections.abc import Mapping

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.elements.base import Gives
from symdyn.dynamics.elements.listed import DEFORMABLES, element_sweeps
from symdyn.dynamics.inverse_dynamics.rnea import INWARD, wrench_sweeps
from symdyn.dynamics.loops.constraint_activation import ACTIVE, if_held, switch_of
from symdyn.dynamics.loops.constraint_kinematics import (
    along_sweeps,
    change_sweeps,
    exertion_sweeps,
    relation_fields,
    relation_sweeps,
)
from symdyn.dynamics.loops.constraint_set import GROUND, OTHER, OWN, SIX, ConstraintSet
from symdyn.dynamics.loops.linear_couplings import coupling_sweep
from symdyn.dynamics.loops.pfaffian import along_sweep, velocity_sweep
from symdyn.dynamics.loops.station_jacobian import StationJacobian
from symdyn.dynamics.tree.bindings import Reads, Writes, plan_of
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.model import Model
from symdyn.plan.plan import Access, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit


def held_motion_plan(
    model: Model,
    external: str = "",
    stabilisation: float | None = None,
    exerted: bool = True,
    slopes: bool = False,
    along: str = "",
    tree: TreePlan | None = None,
) -> Plan:
    """The plan of (q, v, a[, lambda][, y][, f_ext][, p]) -> tau, held[, A].

    Parameters
    ----------
    model
        The robot, with loops.
    external
        Axes of f_ext: body, world, or empty.
    stabilisation
        The time T [s] in which errors of the loops vanish; None leaves them.
    exerted
        Whether multipliers are given; otherwise they are zero.
    slopes
        Whether the slopes A are an output too.
    along
        Name of an input y, (nv,): ``constraints`` is then A y, and nothing is required of how errors change.
    tree
        That of the model and these wrenches, where the caller has it.
    """
    tree = tree or TreePlan(model, external)
    constraints, count = ConstraintSet(tree), model.nv
    acceleration = "constraint_residual" if stabilisation is None else "acceleration"
    related = relation_sweeps(constraints)
    if not along:
        related += [
            *change_sweeps(constraints, acceleration),
            coupling_sweep(constraints, "a", acceleration),
            velocity_sweep(constraints.velocities, acceleration, "a"),
        ]
    if stabilisation is not None:
        related += [
            coupling_sweep(constraints, "q", "error"),
            coupling_sweep(constraints, "v", "rate"),
            _sum(constraints, stabilisation),
        ]
    steep = StationJacobian(constraints, "A")
    led = steep.sweeps() if slopes else []
    pulled = [
        *(exertion_sweeps(constraints) if exerted or slopes else []),
        *([pull_bodies(constraints)] if exerted else []),
        *led,
    ]
    if along:
        pulled += [
            *along_sweeps(constraints, along, "constraint_residual"),
            coupling_sweep(constraints, along, "constraint_residual"),
        ]
        pulled.append(along_sweep(constraints.velocities, along, "constraint_residual"))
    inward = INWARD.over(tree, reversed(tree.links))
    forces = element_sweeps(tree, "tau", Gives.REACTION, Gives.FORCE)
    balanced = [*DEFORMABLES.wrenches(tree), inward, *forces, *(pull_rows(constraints) if exerted else [])]
    sweeps = [sweep for sweep in (*wrench_sweeps(tree), *related, *pulled, *balanced) if sweep.visits]
    fields = [
        *(Field(name, FieldKind.INPUT, size) for name, size in (("q", model.nq), ("v", count), ("a", count))),
        *([Field("lambda", FieldKind.INPUT, constraints.count)] if exerted else []),
        *([Field(along, FieldKind.INPUT, count)] if along else []),
        *relation_fields(constraints, sweeps),
        Field("tau", FieldKind.OUTPUT, count),
        Field("constraint_residual", FieldKind.OUTPUT, constraints.count),
        *([*steep.fields(), Field("A", FieldKind.OUTPUT, constraints.count * count)] if slopes else []),
    ]
    return plan_of("held_motion", tree, sweeps, fields)


def _summed(_: None, __: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row: what must vanish for an error to die out."""
    constraints = reads["acceleration"][0] + constants["rate"] * reads["rate"][0]
    return {"constraint_residual": [constraints + constants["stiffness"] * reads["error"][0]]}


def _pulled(rows: int, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per end of a loop: what its multipliers take off the wrench that the body needs."""
    wrench: list[Scalar] = [0.0] * SIX
    for row in range(rows):
        own = reads["exerted"][SIX * row : SIX * (row + 1)]
        wrench = [x - reads["multipliers"][row] * y for x, y in zip(wrench, own, strict=True)]
    return {"wrench": wrench}


def _pulled_row(_: None, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per term of a coupling: what its multiplier takes off the force that the row needs, if it holds."""
    return {"tau": if_held(algebra, reads, [-(constants["factor"] * reads["multiplier"][0])])}


def _pulled_velocity(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per entry of a constraint on velocities: the same."""
    return {"tau": [-(reads["coefficient"][0] * reads["multiplier"][0])]}


_SUM = Step(
    "sum_held",
    _summed,
    (*(Port(name, Mode.READ) for name in ("acceleration", "rate", "error")), Port("constraint_residual", Mode.WRITE)),
)
_PULL = Step(
    "pull_body",
    _pulled,
    (Port("exerted", Mode.READ), Port("multipliers", Mode.READ), Port("wrench", Mode.ADD)),
)
_PULL_ROW = Step(
    "pull_row", _pulled_row, (Port("multiplier", Mode.READ), Port(ACTIVE, Mode.READ), Port("tau", Mode.ADD))
)
_PULL_VELOCITY = Step(
    "pull_velocity",
    _pulled_velocity,
    (*(Port(name, Mode.READ) for name in ("coefficient", "multiplier")), Port("tau", Mode.ADD)),
)


def _sum(constraints: ConstraintSet, stabilisation: float) -> Sweep:
    constants = {"rate": 2.0 / stabilisation, "stiffness": stabilisation**-2}
    names = ("acceleration", "rate", "error", "constraint_residual")
    rows = range(constraints.count)
    visits = (Visit(-1, None, constants, {name: Access(name, row, 1) for name in names}) for row in rows)
    return Sweep(_SUM, tuple(visits), vector=True)


def pull_bodies(constraints: ConstraintSet) -> Sweep:
    """The sweep that takes what the loops exert off the wrenches that bodies need."""
    visits = []
    for pair in constraints.pairs:
        for end in (OWN, OTHER):
            if pair.body(end) != GROUND and pair.rows:
                bindings = {
                    "exerted": Access(f"on_{end}", SIX * pair.first, SIX * len(pair.rows)),
                    "multipliers": Access("lambda", pair.first, len(pair.rows)),
                    "wrench": Access("wrench", SIX * pair.body(end), SIX),
                }
                visits.append(Visit(pair.body(end), len(pair.rows), {}, bindings))
    return Sweep(_PULL, tuple(visits))


def pull_rows(constraints: ConstraintSet) -> list[Sweep]:
    """Sweeps that take what couplings and constraints on velocities exert off the forces that rows need."""
    visits = [
        Visit(
            -1,
            None,
            {"factor": term.factor},
            {"multiplier": Access("lambda", row, 1), **switch_of(loop), "tau": Access("tau", term.v, 1)},
        )
        for row, loop in constraints.couplings
        for term in loop.terms
    ]
    entries = (
        Visit(
            -1,
            None,
            {},
            {"coefficient": place, "multiplier": Access("lambda", own.row, 1), "tau": Access("tau", v, 1)},
        )
        for own in constraints.velocities
        for v, place in own.columns.items()
    )
    return [Sweep(_PULL_ROW, tuple(visits)), Sweep(_PULL_VELOCITY, tuple(entries))]
