"""Shares of tau by themselves: what springs and strain hold at a position, and what losses take at a velocity."""

from __future__ import annotations

from symdyn.dynamics.elements.base import Gives
from symdyn.dynamics.elements.listed import element_sweeps
from symdyn.dynamics.tree.bindings import plan_of
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.model import Model
from symdyn.plan.plan import Field, FieldKind, Plan


def elastic_forces_plan(model: Model) -> Plan:
    """The plan of the forces tau(q), (nv,), that hold springs and what bends in shape; zero where there are none."""
    return _share(model, "elastic_forces", Gives.ELASTIC, Field("q", FieldKind.INPUT, model.nq))


def damping_forces_plan(model: Model) -> Plan:
    """The plan of the forces tau(q, v), (nv,), that losses take, those of joints where the robot has them.

    Of losses only those of stops rest on q.
    """
    inputs = (Field("q", FieldKind.INPUT, model.nq), Field("v", FieldKind.INPUT, model.nv))
    return _share(model, "damping_forces", Gives.LOSS, *inputs)


def _share(model: Model, name: str, what: Gives, *inputs: Field) -> Plan:
    tree = TreePlan(model)
    fields = (*inputs, Field("tau", FieldKind.OUTPUT, model.nv))
    return plan_of(name, tree, element_sweeps(tree, "tau", what), fields, tree.parameter_sweeps())
