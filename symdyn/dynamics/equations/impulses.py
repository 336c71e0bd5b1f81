"""Impulses of loops that close in no time: what an impact does to velocities, in O(bodies).

    M (v+ - v) = A^T Lambda,    A v+ = -e A v,    Lambda = -S^-1 (1 + e) A v

with the factor of the tree's mass matrix and the whitened Jacobian of ``constrained_dynamics``. Finite forces do
nothing in no time, so that neither weight nor springs nor losses count.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.description.loops import Loop
from symdyn.description.pfaffian import Pfaffian
from symdyn.dynamics.elements.base import Gives
from symdyn.dynamics.elements.listed import DEFORMABLES, element_sweeps
from symdyn.dynamics.forward_dynamics.aba import aba_acceleration_sweeps, factor_sweeps, solution_fields
from symdyn.dynamics.forward_dynamics.aba_layout import AbaLayout
from symdyn.dynamics.inverse_dynamics.rnea import INWARD, wrench_sweeps
from symdyn.dynamics.loops.constrained_residual import pull_bodies, pull_rows
from symdyn.dynamics.loops.constraint_kinematics import exertion_sweeps, rate_sweeps, relation_fields, relation_sweeps
from symdyn.dynamics.loops.constraint_set import TWISTS, ConstraintSet
from symdyn.dynamics.loops.multipliers import impulse_sweeps
from symdyn.dynamics.loops.whitened_jacobian import WhitenedJacobian
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField
from symdyn.dynamics.tree.bindings import Reads, Writes, plan_of
from symdyn.dynamics.tree.body_state import pose_sweep
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.errors import ModelError
from symdyn.model.model import Model
from symdyn.model.velocity_rows import cite
from symdyn.plan.compose import renamed, vanishing
from symdyn.plan.plan import Access, Field, FieldKind, Kernel, Mode, Plan, Port, Step, Sweep, Visit

CLOSING = "closing"
"""The field of (1 + e) A v, row by row."""
RESTITUTION = "restitution"


def bare(model: Model) -> Model:
    """The robot without all that does nothing in no time: weight, springs and losses.

    Raises
    ------
    ModelError
        Links are soft, or a constraint on velocities holds them to other values than zero.
    """
    for link in model.soft_links:
        raise ModelError(
            f"robot '{model.name}' has the soft link '{link}'; impacts know rigid and flexible links "
            "alone: use bushings or contacts, which take time"
        )
    for loop in model.loops:
        if any(row.equals != 0.0 for row in loop.constraint_rows):
            raise ModelError(
                f"{cite(loop.constraint)} has a right-hand side; impacts know constraints on velocities A v = 0 alone: "
                "leave out 'equals', or take a robot without this constraint"
            )
    bodies = (
        replace(
            body.without_stiffness,
            joint=replace(body.joint, elastic=None),
            loads=tuple(own for own in body.loads if own.load.inert or isinstance(own.load, Loop | Pfaffian)),
        )
        for body in model.bodies
    )
    return replace(model, bodies=tuple(bodies), gravity=(0.0, 0.0, 0.0), joint_losses=False)


def impulse_dynamics_plan(model: Model, restitution: bool) -> Plan:
    """The plan of q, v[, restitution] -> v_plus, impulses.

    Parameters
    ----------
    model
        The robot, with loops.
    restitution
        Whether the input e, one per loop, is there; otherwise it is zero.
    """
    tree, count = TreePlan(bare(model)), model.nv
    elimination, constraints = AbaLayout(tree, range(count)), ConstraintSet(tree)
    whitened = WhitenedJacobian(constraints, elimination)
    related = [
        pose_sweep(tree),
        *relation_sweeps(constraints),
        *exertion_sweeps(constraints),
        *closing_sweeps(constraints, restitution),
    ]
    solved, finding = impulse_sweeps(whitened, CLOSING, "impulses", "jump")
    acceleration_pass = [*aba_acceleration_sweeps(elimination, "jump"), _add(count)]
    sweeps = [*related, *factor_sweeps(elimination), *whitened.sweeps(), *finding, *acceleration_pass]
    fields = [
        *given_fields(model, restitution),
        *elimination.factor_fields(),
        *(
            replace(field, sparse=True) if field.name == "joint_force_residual" else field
            for field in solution_fields(elimination)
        ),
        *relation_fields(constraints, related),
        Field(CLOSING, FieldKind.STATE, constraints.count),
        *whitened.fields(),
        *solved,
        Field("jump", FieldKind.STATE, count, sparse=True),
        Field("v_plus", FieldKind.OUTPUT, count),
        Field("impulses", FieldKind.OUTPUT, constraints.count),
    ]
    return plan_of("impulse_dynamics", tree, sweeps, fields)


def given_fields(model: Model, restitution: bool) -> list[Field]:
    """The inputs q, v, and e where it is one."""
    own = [Field("q", FieldKind.INPUT, model.nq), Field("v", FieldKind.INPUT, model.nv)]
    return own + ([Field(RESTITUTION, FieldKind.INPUT, len(model.loop_names))] if restitution else [])


def closing_sweeps(constraints: ConstraintSet, restitution: bool) -> list[Sweep]:
    """Sweeps that fill ``closing`` from v: the rates that impulses must take off the errors."""
    if not restitution:
        return rate_sweeps(constraints, "v", CLOSING)
    return [*rate_sweeps(constraints), _per_row(_CLOSE, constraints.tree.model, ("rate", CLOSING))]


def impulse_motion_plan(model: Model, restitution: bool, tree: TreePlan | None = None) -> Plan:
    """The plan of (q, v, a, lambda[, restitution]) -> tau = M a - A^T lambda, constraint_residual = A v_plus + e A v.

    ``model`` is :func:`bare`; a stands for what velocities jump by, so that v_plus = v + a. ``tree`` is the tree to
    build on.
    """
    tree, count = tree or TreePlan(model), model.nv
    constraints = ConstraintSet(tree)
    related = [
        *relation_sweeps(constraints),
        *exertion_sweeps(constraints),
        _add(count, "a"),
        *rate_sweeps(constraints, "v_plus", "after" if restitution else "constraint_residual"),
    ]
    fields = [Field("v_plus", FieldKind.STATE, count), Field("a", FieldKind.INPUT, count)]
    if restitution:
        before = renamed(rate_sweeps(constraints), {TWISTS.field: "twist_before"})
        related += [*before, _per_row(_RETURN, model, ("rate", "after", "constraint_residual"))]
        fields.append(Field("after", FieldKind.STATE, constraints.count))
        fields.append(replace(TWISTS.state(constraints), name="twist_before"))
    forces = element_sweeps(tree, "tau", Gives.REACTION, Gives.FORCE)
    inward = [*DEFORMABLES.wrenches(tree), INWARD.over(tree, reversed(tree.links)), *forces]
    exerted = [pull_bodies(constraints)]
    moved, balanced = (vanishing((), own, ("v", "ground"))[1] for own in (wrench_sweeps(tree), inward))
    sweeps = [sweep for sweep in (*moved, *related, *exerted, *balanced, *pull_rows(constraints)) if sweep.visits]
    fields += [
        *given_fields(model, restitution),
        Field("lambda", FieldKind.INPUT, constraints.count),
        *relation_fields(constraints, sweeps),
        Field("tau", FieldKind.OUTPUT, count),
        Field("constraint_residual", FieldKind.OUTPUT, constraints.count),
    ]
    return plan_of("impulse_motion", tree, sweeps, fields)


def _close(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row: (1 + e) e'."""
    return {"closing": [x + reads[RESTITUTION][0] * x for x in reads["rate"]]}


def _return(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row: what must vanish of the rates after an impact and before it."""
    return {"constraint_residual": [reads["after"][0] + reads[RESTITUTION][0] * reads["rate"][0]]}


def _plus(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row: the velocity after the impact."""
    return {"v_plus": [reads["v"][0] + reads["jump"][0]]}


def _step(kernel: Kernel, *names: str) -> Step:
    return Step(
        kernel.__name__.strip("_"),
        kernel,
        (*(Port(name, Mode.READ) for name in names[:-1]), Port(names[-1], Mode.WRITE)),
    )


_CLOSE = _step(_close, RESTITUTION, "rate", CLOSING)
_RETURN = _step(_return, RESTITUTION, "rate", "after", "constraint_residual")
_ADD = _step(_plus, "v", "jump", "v_plus")


def _per_row(step: Step, model: Model, names: Sequence[str]) -> Sweep:
    """The sweep over rows of the loops, with the restitution of each row's loop."""
    visits = (
        Visit(
            -1, None, {}, {RESTITUTION: Access(RESTITUTION, loop, 1), **{name: Access(name, row, 1) for name in names}}
        )
        for row, loop in enumerate(model.loop_of_rows)
    )
    return Sweep(step, tuple(visits), vector=True)


def closing_rows(model: Model, slopes: MatrixField, closing: MatrixField, known: Collection[int]) -> Sweep:
    """The sweep that fills (1 + e) A from A, of which ``known`` places are not zero."""
    loops, visits = model.loop_of_rows, []
    for place in sorted(known):
        row, column = divmod(place, slopes.columns)
        entries = {"rate": slopes.entry(row, column), CLOSING: closing.entry(row, column)}
        visits.append(Visit(-1, None, {}, {RESTITUTION: Access(RESTITUTION, loops[row], 1), **entries}))
    return Sweep(_CLOSE, tuple(visits), vector=True)


def _add(count: int, jump: str = "jump") -> Sweep:
    names = {"v": "v", "jump": jump, "v_plus": "v_plus"}
    visits = (Visit(-1, None, {}, {port: Access(name, row, 1) for port, name in names.items()}) for row in range(count))
    return Sweep(_ADD, tuple(visits), vector=True)
