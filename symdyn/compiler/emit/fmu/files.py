"""The files of a unit beside the robot's C: its interface, its description, and how to build it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from symdyn.compiler.emit.arguments import WIDTH, call_lines, wrap_items
from symdyn.compiler.emit.contents import Contents, Function, text_hash
from symdyn.compiler.emit.fmu.description import build_description, model_description
from symdyn.compiler.emit.fmu.interface import unused_functions
from symdyn.compiler.emit.fmu.variables import STATE, Unit, Variable, indicators, starts, unit_of
from symdyn.compiler.emit.names import comment
from symdyn.compiler.emit.printing.literals import double_literal
from symdyn.compiler.emit.render import render
from symdyn.compiler.emit.source import SourceFile
from symdyn.compiler.emit.steppers.contents import Stepper
from symdyn.compiler.emit.steppers.emit import declarations, steppers_of, work_size
from symdyn.compiler.tape.program import Program
from symdyn.errors import RequestError
from symdyn.interface.stepping import ADAPTIVE, TAYLOR, called

DESCRIPTION, BUILD = "modelDescription.xml", "buildDescription.xml"
MAX_STEPS = 1_000_000
_TEMPLATE = "fmu/FMU.c.jinja"


def interface_file(identifier: str) -> str:
    """The C file of the interface."""
    return f"{identifier}_fmu.c"


def emit(contents: Contents) -> tuple[SourceFile, ...]:
    """The C of the interface, ``modelDescription.xml`` and ``buildDescription.xml``.

    Raises
    ------
    RequestError
        More than one stepper, or one by Taylor series; what :func:`unit_of` refuses.
    """
    unit, stepper = unit_of(contents), _stepper(contents)
    settings = [] if stepper is None else [_setting(unit, stepper)]
    blocks, gaps = _blocks(unit), indicators(unit, unit.count + len(settings))
    context: dict[str, Any] = {
        "stem": contents.identifier,
        "header": f"{contents.identifier}.h",
        "version": contents.version,
        "robot": comment(contents.robot),
        "rate": unit.rate.c_name,
        "slopes": unit.slopes.c_name,
        "ny": unit.ny,
        "nq": len(unit.state.positions),
        "nv": len(unit.state.velocities),
        "count": unit.count,
        "settings": settings,
        "blocks": blocks,
        "work": max(1, *_work(unit, stepper)),
        "starts": wrap_items(map(double_literal, [*starts(unit), *(own.start or 0.0 for own in settings)]), WIDTH),
        "rate_call": _call(unit, unit.rate, ["unit->state.values + RATES_AT"]),
        "slope_call": _call(unit, unit.slopes, ["unit->by_state", *(f"unit->{block['name']}" for block in blocks)]),
        "gaps": len(gaps),
        "gaps_call": [] if unit.gaps is None else _gaps_call(unit, unit.gaps),
        "tolerance_at": unit.count if stepper is not None and stepper.method in ADAPTIVE else None,
        "underivable": "derivatives by this variable are not part of this unit",
        "stepper": None if stepper is None else _advance(unit, stepper),
        "unused": list(unused_functions()),
    }
    needed = _needed(unit, stepper)
    sources = [f"{function.c_name}.c" for function in needed]
    sources += [] if stepper is None else [f"{stepper.c_name}.c"]
    own = interface_file(contents.identifier)

    def described(token: str) -> str:
        return model_description(unit, token, settings, gaps, steps=stepper is not None)

    numbers = [line for function in needed for line in _numbers(function.program)]
    token = text_hash([render(_TEMPLATE, {**context, "token": ""}), described(""), *numbers])
    return (
        SourceFile(own, render(_TEMPLATE, {**context, "token": token})),
        SourceFile(DESCRIPTION, described(token)),
        SourceFile(BUILD, build_description(unit, [*sources, own])),
    )


def _numbers(program: Program) -> Iterator[str]:
    """What a function computes, robot's numbers and all, as texts: units of different robots have different tokens."""
    for tape in program.tapes:
        yield repr(tape.ops)
    for buffer in program.buffers:
        yield repr(buffer.values)


def _stepper(contents: Contents) -> Stepper | None:
    found = steppers_of(contents)
    if len(found) > 1:
        methods = ", ".join(stepper.method for stepper in found)
        raise RequestError(f"a unit for co-simulation steps by one method, got steppers {methods}; choose one")
    if found and found[0].method == TAYLOR:
        raise RequestError(
            "a stepper by Taylor series takes derivatives of its inputs, and co-simulation has none; take dop853"
        )
    if found and found[0].prescribed:
        raise RequestError("co-simulation has no inputs for prescribed joints; leave prescribed out")
    return next(iter(found), None)


def _setting(unit: Unit, stepper: Stepper) -> Variable:
    """What the stepper is told beside the state: its tolerance, or the length of its steps."""
    if stepper.method in ADAPTIVE:
        return Variable("stepper.tolerance", unit.count, "parameter", "tunable", "1", "exact", 1e-6)
    return Variable("stepper.h", unit.count, "parameter", "tunable", "s", "exact", 1e-3)


def _blocks(unit: Unit) -> list[dict[str, Any]]:
    """Derivatives of rates by inputs, in the order of outputs after those by the state."""
    places = {f"d_d{argument.name}": (argument.size, at) for argument, at in unit.given}
    found = []
    for number, output in enumerate(unit.slopes.signature.outputs[1:]):
        size, at = places[output.name]
        found.append({"name": f"by_input_{number}", "size": size, "at": at})
    return found


def _needed(unit: Unit, stepper: Stepper | None) -> list[Function]:
    """The functions that the unit needs, each once."""
    names = {function.name for function in (unit.rate, unit.slopes, unit.gaps) if function is not None}
    if stepper is not None:
        names |= set(called(stepper.method, stepper.stepping.looped, stepper.stepping.touching))
    return [function for function in unit.contents.functions if function.name in names]


def _work(unit: Unit, stepper: Stepper | None) -> list[int]:
    own = [function.program.work_size for function in (unit.rate, unit.slopes, unit.gaps) if function is not None]
    return own if stepper is None else [*own, work_size(stepper)]


def _call(unit: Unit, function: Function, outputs: list[str]) -> list[str]:
    places = {argument.name: f"values + {at}" for argument, at in unit.given} | {STATE: "values + 1"}
    inputs = [places[argument.name] for argument in function.signature.inputs]
    return call_lines(function.c_name, [*inputs, *outputs, "unit->work"], ";")


def _gaps_call(unit: Unit, function: Function) -> list[str]:
    places = {argument.name: f"values + {at}" for argument, at in unit.given}
    places |= {"q": "values + 1", "v": f"values + {1 + len(unit.state.positions)}"}
    inputs = [places[argument.name] for argument in function.signature.inputs]
    return call_lines(function.c_name, [*inputs, "unit->gaps", "unit->rates_of_gaps", "unit->work"], ";")


def _advance(unit: Unit, stepper: Stepper) -> Mapping[str, Any]:
    """The call of the stepper from the start of a step to its end."""
    places = {argument.name: f"values + {at}" for argument, at in unit.given}
    setting = f"values[{unit.count}]"
    settings = [setting] * (2 if stepper.method in ADAPTIVE else 1)
    arguments = ["values + 1", f"values + {1 + stepper.nq}", *(places[item.name] for item in stepper.held)]
    arguments += ["times", "2", *settings, str(MAX_STEPS), "unit->q", "unit->v", "counts", "unit->work"]
    told = declarations(unit.contents) or {}
    return {
        "code": told["code"],
        "done": told["codes"]["done"],
        "call": call_lines(f"{stepper.c_name}_advance", arguments, ";"),
    }
