"""Hybrid dynamics in two steps: forces of the motion that is known, then a solution in the rows that are not.

The stations of rods move with their strains, so that their bias is inverse dynamics, while the mass matrix is factored
with each rod as one body. So the factor knows nothing of velocities, and what is left of the forces is all it gets:

    tau_0 = ID(q, v, a_0),    M (a - a_0) = tau - tau_0

where a_0 has the prescribed accelerations, and zero elsewhere.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from symdyn.dynamics.forward_dynamics.aba import factor_sweeps, pose_sweep, solve_sweeps
from symdyn.dynamics.forward_dynamics.eliminated_tree import Elimination
from symdyn.dynamics.inverse_dynamics.rnea import inverse_dynamics_plan
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, read, step, write
from symdyn.dynamics.tree.places import Place, Rows
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.dynamics.tree.weighing import step_fields, weighing_sweeps
from symdyn.model.model import Model
from symdyn.plan.compose import kept_apart
from symdyn.plan.plan import Access, Field, FieldKind, Plan, Sweep
from symdyn.scalars.algebra import Algebra, Scalar

LOAD = Rows("load", 6)
"""Wrenches on bodies, of which there are none beside the forces."""


def _known(free: bool, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    return {"known": [0.0] if free else reads["given"]}


def _rest(free: bool, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    return {"rest": [reads["given"][0] - reads["bias"][0]] if free else [0.0]}


def _total(_: bool, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    return {"found": [reads["bias"][0]]}


def _none(_: object, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    return {"load": [0.0] * 6}


def _row(field: str) -> Place:
    return Place(field, lambda tree, row, name: Access(name, row, 1))


def _nobody(tree: TreePlan, row: int) -> int:
    return -1


_KNOWN = step(
    _known,
    name="known_acceleration",
    body=_nobody,
    given=read(_row("given"), when=lambda free: not free),
    known=write(_row("known")),
)
_REST = step(
    _rest,
    name="rest_of_force",
    body=_nobody,
    given=read(_row("given"), when=lambda free: free),
    bias=read(_row("bias"), when=lambda free: free),
    rest=write(_row("rest")),
)
_TOTAL = step(_total, name="add_bias", body=_nobody, bias=read(_row("bias")), found=add_to(_row("found")))
_NO_LOAD = step(_none, name="no_load", variant=lambda tree, body: None, load=write(LOAD.own))


def hybrid_by_forces_plan(
    model: Model, name: str, free: Collection[int], given: str, found: str, external: str = ""
) -> Plan:
    """The plan of a function (q, v, given[, f_ext][, p]) -> found, as ``hybrid_dynamics.hybrid_dynamics_plan``."""
    moving, count = inverse_dynamics_plan(model, external), model.nv
    tree = TreePlan(replace(model, joint_losses=False))
    shared = ("ground", *step_fields(tree))
    fields, sweeps = kept_apart(moving.fields, moving.sweeps, "bias", shared, {"a": "known", "tau": "bias"})
    own, solved = weighing_sweeps(
        tree, lambda small: _solution(small, free, found), "solution", {"rest": "rest"}, stepped=True
    )

    def is_free(_: TreePlan, row: int) -> bool:
        return row in free

    held = [row for row in range(count) if row not in free]
    run = (
        _KNOWN.over(tree, range(count), is_free, given=given),
        *sweeps,
        _REST.over(tree, range(count), is_free, given=given),
        *solved,
        *((_TOTAL.over(tree, held, is_free, found=found),) if held else ()),
    )
    told = [
        Field(given, FieldKind.INPUT, count),
        *(Field(row, FieldKind.STATE, count) for row in ("known", "bias", "rest")),
        *fields,
        *own,
    ]
    found_fields = {field.name: field for field in told}
    return Plan(name, tuple(found_fields.values()), run, moving.bodies, moving.parent)


def _solution(tree: TreePlan, free: Collection[int], found: str) -> tuple[list[Field], list[Sweep]]:
    """What the field ``rest`` (nv,) of forces makes of the free rows, and of forces of the others, in ``found``."""
    elimination = Elimination(tree, free)
    fields, solve = solve_sweeps(elimination, "rest", found, wrench=LOAD.field)
    run = [
        _NO_LOAD.over(tree, range(len(tree.model.bodies))),
        pose_sweep(tree),
        *factor_sweeps(elimination),
        *solve,
    ]
    return [Field(found, FieldKind.OUTPUT, tree.model.nv), *elimination.factor_fields(), *fields], run
