"""Arguments of problems of dynamics: what is given, and what is found."""

from __future__ import annotations

from dataclasses import replace

from symdyn.functions import actuation, arguments
from symdyn.functions.actuation import is_weighed
from symdyn.functions.loops import multipliers
from symdyn.functions.request import Request, free_rows, is_driven
from symdyn.interface.options import AT_RUN_TIME
from symdyn.interface.signature import Argument
from symdyn.model.joints import ACCELERATION_UNITS, FORCE_UNITS
from symdyn.model.model import Model


def _mixed(model: Model, name: str, accelerations: frozenset[int], description: str) -> Argument:
    """An argument (nv,) that holds accelerations in some rows and generalised forces in the others."""
    units = tuple(
        ACCELERATION_UNITS[unit] if row in accelerations else FORCE_UNITS[unit]
        for row, unit in enumerate(model.velocity_units)
    )
    return Argument(name, (model.nv,), (model.velocity_names,), units, description)


def given_motion_or_force(model: Model, request: Request) -> Argument:
    """The input u of hybrid dynamics, (nv,): accelerations of the prescribed rows, forces of the others."""
    description = "accelerations of the prescribed rows, generalised forces of the others"
    return _mixed(model, "u", frozenset(request.prescribed), description)


def found_force_or_motion(model: Model, request: Request) -> Argument:
    """The output w of hybrid dynamics, (nv,): forces of the prescribed rows, accelerations of the others."""
    description = "generalised forces of the prescribed rows, accelerations of the others"
    return _mixed(model, "w", free_rows(model, request), description)


def found_by_hybrid(model: Model, request: Request) -> tuple[Argument, ...]:
    """The outputs of hybrid dynamics: w, (nv,), and the inputs that are looked for, (nu,), if any are."""
    motion = found_force_or_motion(model, request)
    return (motion, _unknown_inputs(model, request)) if request.unknown else (motion,)


def given_forces(model: Model, request: Request) -> Argument:
    """What is given to forward dynamics: tau, (nv,), or the inputs u, (na,)."""
    return actuation.inputs(model) if is_driven(request) else arguments.generalised_forces(model)


def given_motion(model: Model, request: Request) -> tuple[Argument, ...]:
    """What is given to hybrid dynamics: u, (nv,), or the inputs u, (na,), and with prescribed rows also a, (nv,)."""
    if not is_driven(request):
        return (given_motion_or_force(model, request),)
    own = actuation.inputs(model)
    if request.unknown:
        own = replace(own, description="inputs of actuators, of which those that are not looked for are read")
    described = "accelerations, of which those of prescribed rows are read"
    motion = replace(arguments.accelerations(model), description=described)
    return (own, *([motion] if request.prescribed else []))


def _unknown_inputs(model: Model, request: Request) -> Argument:
    """The inputs that are looked for, (nu,), in the order of all."""
    found = [model.actuator_inputs[number] for number in request.unknown]
    names, units = tuple(own.name for own in found), tuple(own.unit for own in found)
    return Argument("unknown", (len(names),), (names,), units, "inputs of actuators that are looked for")


def weights_asked(model: Model, request: Request) -> tuple[Argument, ...]:
    """The input weights, (nv,), where they are given at run time."""
    if not is_weighed(request):
        return ()
    described = "positive weights of squared forces, row by row; those of actuated rows count"
    return (replace(arguments.generalised_forces(model), name="weights", units=("",), description=described),)


def velocities_after(model: Model) -> Argument:
    """The velocities after the impact, (nv,)."""
    return replace(arguments.velocities(model), name="v_plus", description="velocities after the impact")


def impulses(model: Model) -> Argument:
    """The impulses Lambda, (m,), of the loops: time integrals of the multipliers."""
    plain = multipliers(model)
    units = tuple(f"{unit} s" if unit else "" for unit in plain.units)
    return replace(plain, name="impulses", units=units, description="impulses Lambda: the loops exert A^T Lambda")


def is_restituting(request: Request) -> bool:
    """Whether coefficients of restitution are given at run time."""
    return request.restitution == AT_RUN_TIME


def restitution_asked(model: Model, request: Request) -> tuple[Argument, ...]:
    """The coefficients of restitution, one per loop, where they are given at run time."""
    names = model.loop_names
    described = "how much of the rate of its errors each loop gives back, from 0 to 1"
    return (Argument("restitution", (len(names),), (names,), ("",), described),) if is_restituting(request) else ()
