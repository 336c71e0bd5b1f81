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
from symdyn.plan.compose import kept_apart, renamed
from symdyn.plan.plan import Access, Field, FieldKind, Sweep

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


def takes_forces_alone(model: Model, requested: bool = False) -> bool:
    """Whether a solution takes forces alone, and no wrenches on bodies: if ``requested``, and always with rods.

    Stations of rods are bodies for a motion, but not for the factor of M.
    """
    return requested or bool(model.rods)


@dataclass(frozen=True, slots=True)
class Bias:
    """Sweeps ``before`` a solution, which fill ``motion``, ``pose`` and bias wrenches, and ``after`` it.

    ``net`` is the field of forces that the solution must take, ``wrench`` that of wrenches, ``fields`` are those that
    no sweep declares. ``binding`` are sweeps of constants, None for those of the tree.
    """

    before: list[Sweep]
    net: str
    after: list[Sweep]
    fields: list[Field]
    wrench: str = "wrench"
    binding: Sequence[Sweep] | None = None


@dataclass(frozen=True)
class More:
    """What else a factor serves: state, sweeps after the factor, and sweeps between both halves of a solution.

    ``whole`` are sweeps that the factor needs on the whole robot, with ``whole_fields``.
    """

    fields: Sequence[Field] = ()
    factor: Sequence[Sweep] = ()
    between: Sequence[Sweep] = ()
    whole: Sequence[Sweep] = ()
    whole_fields: Sequence[Field] = ()


@dataclass(frozen=True)
class Solution:
    """What takes forces to accelerations.

    ``factor`` are sweeps that depend on q alone. ``solve`` are those that take forces to the field found, (nv,):
    accelerations of free rows, and what these accelerations add to the forces of others. ``whole`` run before both.
    """

    fields: list[Field]
    factor: list[Sweep]
    solve: list[Sweep]
    whole: Sequence[Sweep] = ()

    @classmethod
    def of(
        cls, model: Model, free: Collection[int], found: str, more: Callable[[AbaLayout], More] = lambda _: More()
    ) -> Solution:
        """That which may run often: it takes the field ``rest``, (nv,), and no wrenches.

        Each rod is one body in it. The factor reads what ROD_STEP makes of q, and is over once velocities are known.

        Parameters
        ----------
        model
            The robot.
        free
            Rows of v whose force is given.
        found
            The field to fill.
        more
            What else the factor serves.
        """
        tree = TreePlan(replace(contracted(model), joint_losses=False))
        elimination = AbaLayout(tree, free)
        also = more(elimination)
        fields = [replace(field, sparse=True) if also.between else field for field in solution_fields(elimination)]
        inward = aba_bias_sweeps(elimination, "rest", found, "v", LOAD.field)
        solve = [*inward, *also.between, *aba_acceleration_sweeps(elimination, found)]
        cleared = _NO_LOAD.over(tree, range(len(tree.model.bodies)))
        own = [Field("rest", FieldKind.STATE, model.nv), Field(found, FieldKind.OUTPUT, model.nv)]
        factored = [pose_sweep(tree), *factor_sweeps(elimination), *also.factor]
        every = [*own, *elimination.factor_fields(), *fields, *also.fields]
        plan = of_whole_robot(plan_of("solution", tree, [*factored, cleared, *solve], every), model)
        sweeps = [sweep for sweep in plan.sweeps if sweep.step is not ROD_STEP]  # the bias has done it
        shared = ("ground", "rest", *step_fields(TreePlan(model)))
        made, sweeps = kept_apart(plan.fields, sweeps, "solution", shared)
        count = 1 + sum(1 for sweep in solve if sweep.visits)
        return cls([*made, *also.whole_fields], sweeps[:-count], sweeps[-count:], also.whole)


def factor_of(
    tree: TreePlan,
    free: Collection[int],
    net: str,
    found: str,
    wrench: str = "wrench",
    more: Callable[[AbaLayout], More] = lambda _: More(),
) -> Solution:
    """What takes forces ``net``, (nv,), and bias wrenches to accelerations: ABA on the tree, or on its contracted view.

    Parameters
    ----------
    tree
        The robot.
    free
        Rows of v whose force is given.
    net, found, wrench
        Fields, as in :class:`Bias`.
    more
        What else the factor serves.
    """
    if takes_forces_alone(tree.model, wrench == LOAD.field):
        return Solution.of(tree.model, free, found, more)
    elimination = AbaLayout(tree, free)
    also = more(elimination)
    fields = [
        replace(field, sparse=bool(also.between)) if field.name == "joint_force_residual" else field
        for field in solution_fields(elimination)
    ]
    solve = [
        *aba_bias_sweeps(elimination, net, found, "v", wrench),
        *also.between,
        *aba_acceleration_sweeps(elimination, found),
    ]
    every = [*elimination.factor_fields(), *fields, *also.fields, *also.whole_fields]
    return Solution(every, [*factor_sweeps(elimination), *also.factor], solve, also.whole)


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


def station_bias(tree: TreePlan, free: Collection[int], given: str, found: str) -> Bias:
    """The bias by inverse dynamics: what it leaves of the forces is in ``rest``, and no wrenches are left."""
    model, moving = tree.model, inverse_dynamics_plan(tree.model, tree.external, tree)
    known, rest, total = balance_sweeps(model, free, given, found)
    fields = [
        Field(given, FieldKind.INPUT, model.nv),
        *(Field(row, FieldKind.STATE, model.nv) for row in ("known", "bias")),
        *(field for field in moving.fields if field.name not in ("a", "tau")),
    ]
    moved = renamed(moving.sweeps, {"a": "known", "tau": "bias"})
    return Bias([known, *moved, rest], "rest", total, fields, LOAD.field, ())
