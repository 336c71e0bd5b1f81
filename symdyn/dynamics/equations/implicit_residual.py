"""What a motion leaves over of the equations of motion: the residual that implicit integrators bring to zero.

With the forces that the motion needs, those that inputs give, and those that loops exert,

    R = ID(q, v, a) - B(q) u - A(q)^T lambda
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from symdyn.dynamics.actuation.actuation_map import driving_fields, driving_sweeps
from symdyn.dynamics.actuation.steps import OPPOSED
from symdyn.dynamics.inverse_dynamics.rnea import inverse_dynamics_plan
from symdyn.dynamics.loops.constrained_residual import held_motion_plan
from symdyn.model.model import Model
from symdyn.plan.compose import clearing, places_written, renamed, wanted
from symdyn.plan.plan import Access, Field, FieldKind, Plan, Sweep, Visit

RESIDUAL = "R"
_DRIVEN = "driven_force"


def needed_plan(model: Model, external: str = "") -> Plan:
    """The plan of (q, v, a[, lambda][, f_ext][, p]) -> tau, the forces that a motion needs beside those of loops."""
    if not model.loops:
        return inverse_dynamics_plan(model, external)
    plan = held_motion_plan(model, external)
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
    needed = needed_plan(model, external)
    fields = [replace(own, name=RESIDUAL) if own.name == "tau" else own for own in needed.fields]
    sweeps = renamed(needed.sweeps, {"tau": RESIDUAL})
    if not driven:
        fields.append(Field("tau", FieldKind.INPUT, model.nv))
        taken = _taken_off("tau", range(model.nv))
        return replace(needed, name="implicit_residual", fields=tuple(fields), sweeps=(*sweeps, taken))
    driving = driving_sweeps(model, "u", _DRIVEN)
    factors = {field.name for field in needed.fields}
    own = [
        Field("u", FieldKind.INPUT, len(model.actuator_inputs)),
        Field(_DRIVEN, FieldKind.STATE, model.nv),
        *driving_fields(model, driving, needed.fields),
    ]
    pushed = sorted(places_written(driving, _DRIVEN))
    begun = clearing([Access(_DRIVEN, row, 1) for row in pushed])
    made = (*sweeps, begun, *_unless_known(driving, factors), _taken_off(_DRIVEN, pushed))
    return replace(needed, name="implicit_residual", fields=(*fields, *own), sweeps=made)


def _unless_known(sweeps: Collection[Sweep], known: Collection[str]) -> list[Sweep]:
    """The sweeps but for those that fill fields which are filled already: factors of stiffness."""
    return [sweep for sweep in sweeps if not any(places_written([sweep], name) for name in known)]


def _taken_off(forces: str, rows: Collection[int]) -> Sweep:
    visits = (
        Visit(-1, None, {}, {"given": Access(forces, row, 1), "needed": Access(RESIDUAL, row, 1)}) for row in rows
    )
    return Sweep(OPPOSED, tuple(visits), vector=True)
