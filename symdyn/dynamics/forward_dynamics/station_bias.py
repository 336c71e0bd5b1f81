"""Hybrid dynamics of robots with rods: a bias by inverse dynamics, then a solution with the factor of M.

The stations of a rod are bodies for inverse dynamics, but the mass matrix is factored with each rod as one body. So the
factor depends on q alone, and its right-hand side is the force residual at the known accelerations:

    tau_0 = ID(q, v, a_0),    M (a - a_0) = tau - tau_0

where a_0 has the prescribed accelerations, and zero elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.forward_dynamics.aba import (
    aba_acceleration_sweeps,
    aba_bias_sweeps,
    factor_sweeps,
    solution_fields,
)
from symdyn.dynamics.forward_dynamics.aba_layout import AbaLayout
from symdyn.dynamics.inverse_dynamics.rnea import inverse_dynamics_plan
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, plan_of, read, step, write
from symdyn.dynamics.tree.body_state import pose_sweep
from symdyn.dynamics.tree.contracted_view import of_whole_robot, step_fields
from symdyn.dynamics.tree.places import Place, Rows
from symdyn.dynamics.tree.rod_steps import ROD_STEP
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.contracted import contracted
from symdyn.model.model import Model
from symdyn.plan.compose import kept_apart
from symdyn.plan.plan import Access, Field, FieldKind, Plan, Sweep

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
    name="force_residual",
    body=_nobody,
    given=read(_row("given"), when=lambda free: free),
    bias=read(_row("bias"), when=lambda free: free),
    rest=write(_row("rest")),
)
_TOTAL = step(_total, name="add_bias", body=_nobody, bias=read(_row("bias")), found=add_to(_row("found")))
_NO_LOAD = step(_none, name="zero_wrench", variant=lambda tree, body: None, load=write(LOAD.own))


@dataclass(frozen=True)
class More:
    """What else a factor serves: state, sweeps after the factor, and sweeps between both halves of a solution."""

    fields: Sequence[Field] = ()
    factor: Sequence[Sweep] = ()
    between: Sequence[Sweep] = ()


@dataclass(frozen=True)
class Solution:
    """What takes forces to accelerations, in the robot of which each rod is one body.

    ``factor`` are sweeps that read q, and what ROD_STEP makes of it: they are over once velocities are known. ``solve``
    are those that take the field ``rest`` (nv,) of forces to ``found``, (nv,): accelerations of free rows, and what
    these accelerations add to the forces of others. They may run often.
    """

    fields: list[Field]
    factor: list[Sweep]
    solve: list[Sweep]

    @classmethod
    def of(
        cls, model: Model, free: Collection[int], found: str, more: Callable[[AbaLayout], More] = lambda _: More()
    ) -> Solution:
        """That of a robot with the rows ``free``, whose forces are given; ``more`` is what else the factor serves."""
        tree = TreePlan(replace(contracted(model), joint_losses=False))
        elimination = AbaLayout(tree, free)
        also = more(elimination)
        fields = [replace(field, sparse=True) if also.between else field for field in solution_fields(elimination)]
        inward = aba_bias_sweeps(elimination, "rest", found, "v", LOAD.field)
        solve = [*inward, *also.between, *aba_acceleration_sweeps(elimination, found)]
        cleared = _NO_LOAD.over(tree, range(len(tree.model.bodies)))
        own = [Field("rest", FieldKind.STATE, model.nv), Field(found, FieldKind.OUTPUT, model.nv)]
        factored = [pose_sweep(tree), *factor_sweeps(elimination), *also.factor]
        told = [*own, *elimination.factor_fields(), *fields, *also.fields]
        plan = of_whole_robot(plan_of("solution", tree, [*factored, cleared, *solve], told), model)
        sweeps = [sweep for sweep in plan.sweeps if sweep.step is not ROD_STEP]  # the bias has done it
        count = 1 + sum(1 for sweep in solve if sweep.visits)
        return cls(list(plan.fields), sweeps[:-count], sweeps[-count:])


def balance_sweeps(model: Model, free: Collection[int], given: str, found: str) -> tuple[Sweep, Sweep, list[Sweep]]:
    """Sweeps over rows of v.

    Parameters
    ----------
    model
        The robot.
    free
        Rows whose force is given.
    given, found
        Fields (nv,) of what is given, and of what is found.

    Returns
    -------
    One that fills ``known``, the accelerations of the bias; one that fills ``rest``, what ``bias`` leaves of the
    forces; and those that add ``bias`` to the forces found.
    """
    tree, count = TreePlan(model), range(model.nv)

    def is_free(_: TreePlan, row: int) -> bool:
        return row in free

    prescribed = [row for row in count if row not in free]
    total = [_TOTAL.over(tree, prescribed, is_free, found=found)] if prescribed else []
    return _KNOWN.over(tree, count, is_free, given=given), _REST.over(tree, count, is_free, given=given), total


def hybrid_by_forces_plan(
    model: Model, name: str, free: Collection[int], given: str, found: str, external: str = ""
) -> Plan:
    """The plan of a function (q, v, given[, f_ext][, p]) -> found, as ``hybrid_dynamics.hybrid_dynamics_plan``."""
    moving, solution = inverse_dynamics_plan(model, external), Solution.of(model, free, found)
    shared = ("ground", *step_fields(TreePlan(model)))
    fields, sweeps = kept_apart(moving.fields, moving.sweeps, "bias", shared, {"a": "known", "tau": "bias"})
    known, rest, total = balance_sweeps(model, free, given, found)
    told = [
        Field(given, FieldKind.INPUT, model.nv),
        *(Field(row, FieldKind.STATE, model.nv) for row in ("known", "bias")),
        *fields,
        *solution.fields,
    ]
    run = (known, *sweeps, rest, *solution.factor, *solution.solve, *total)
    found_fields = {field.name: field for field in told}
    return Plan(name, tuple(found_fields.values()), run, moving.bodies, moving.parent)
