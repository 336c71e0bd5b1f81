"""What a motion leaves over of the equations of motion: the residual that implicit integrators bring to zero.

With the forces that the motion needs, those that inputs give, and those that loops exert,

    R = ID(q, v, a) - B(q) u - A(q)^T lambda
"""

from __future__ import annotations

from dataclasses import replace

from symdyn.dynamics.actuation.input_slopes import less_given, taken_off
from symdyn.dynamics.equations.problem import Problem
from symdyn.model.model import Model
from symdyn.plan.compose import renamed, wanted
from symdyn.plan.plan import Field, FieldKind, Plan

RESIDUAL = "R"


def needed_plan(model: Model, external: str = "") -> Plan:
    """The plan of (q, v, a[, lambda][, f_ext][, p]) -> tau, the forces that a motion needs beside those of loops."""
    plan = Problem(model, range(model.nv), "tau", external, looped=True).residual()
    fields = (replace(own, kind=FieldKind.STATE) if own.name == "constraint_residual" else own for own in plan.fields)
    return wanted(replace(plan, fields=tuple(fields)))


def implicit_residual_plan(model: Model, external: str = "", driven: bool = False) -> Plan:
    """The plan of (q, v, a, tau or u[, lambda][, f_ext][, p]) -> R, (nv,).

    Parameters
    ----------
    model
        The robot.
    external
        Axes of f_ext: body, world, or empty.
    driven
        Whether inputs u of actuators are given in place of tau.
    """
    return less_forces(model, needed_plan(model, external), driven)


def less_forces(model: Model, needed: Plan, driven: bool) -> Plan:
    """The plan of R from one of the forces tau that a motion needs, which has given forces, or inputs, for more."""
    fields = [replace(own, name=RESIDUAL) if own.name == "tau" else own for own in needed.fields]
    plan = replace(
        needed, name="implicit_residual", fields=tuple(fields), sweeps=tuple(renamed(needed.sweeps, {"tau": RESIDUAL}))
    )
    rows = range(model.nv)
    if driven:
        return less_given(model, rows, plan, forces=RESIDUAL)
    given = Field("tau", FieldKind.INPUT, model.nv)
    return replace(plan, fields=(*fields, given), sweeps=(*plan.sweeps, taken_off("tau", RESIDUAL, rows)))
