"""Run a mass-matrix algorithm on the contracted robot inside a plan of the whole robot.

In the contracted robot each rod is one body; in the whole robot each station of a rod is a body. Mass matrices, their
factors and inverses need the contracted robot. Motions and wrenches need the whole one. Without rods both are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from symdyn.dynamics.tree.bindings import plan_of
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.contracted import contracted, kept_bodies
from symdyn.model.model import Model
from symdyn.plan.compose import kept_apart
from symdyn.plan.plan import Field, Plan, Sweep

Made = tuple[Sequence[Field], Sequence[Sweep]]


def weighing_sweeps(
    tree: TreePlan,
    made: Callable[[TreePlan], Made],
    prefix: str,
    linked: Mapping[str, str] = MappingProxyType({}),
) -> tuple[list[Field], list[Sweep]]:
    """An algorithm that asks how rows weigh, for a plan of the whole robot.

    Parameters
    ----------
    tree
        The whole robot.
    made
        Fields and sweeps of the algorithm, on the tree that it is to see.
    prefix
        What the names of its state fields begin with in the plan.
    linked
        Fields of it that the plan knows by other names, and declares.
    """
    small = contracted_tree(tree)
    fields, sweeps = made(small)
    if small is tree:
        return kept_apart([*fields, *tree.added.fields()], sweeps, prefix, tree.shared, linked)
    plan = of_whole_robot(plan_of(prefix, small, sweeps, fields), tree.model)
    return kept_apart(plan.fields, plan.sweeps, prefix, (), linked)


def contracted_tree(tree: TreePlan) -> TreePlan:
    """The tree of the contracted robot; without rods the tree itself."""
    model = contracted(tree.model)
    return tree if model is tree.model else TreePlan(model, derivatives=tree.derivatives)


def of_whole_robot(plan: Plan, model: Model) -> Plan:
    """A plan of the contracted robot, whose visits name the bodies of the whole one."""
    place = (*kept_bodies(model), -1)
    sweeps = (
        replace(sweep, visits=tuple(replace(visit, body=place[visit.body]) for visit in sweep.visits))
        for sweep in plan.sweeps
    )
    return replace(plan, sweeps=tuple(sweeps), bodies=tuple(body.name for body in model.bodies), parent=model.parent)


def step_fields(tree: TreePlan) -> list[str]:
    """Names of the fields in which the steps of rods lie, as far as they rest on positions."""
    return [field.name for field in (*tree.rods.fields(), *tree.rods.fields_of("q"))]
