"""The files of a unit beside the robot's C: its interface, its description, and how to build it.

Functions of FMI 3.0 that a unit of one robot has no use for: every importer looks them up all the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from symdyn.compiler.emit.arguments import WIDTH, call_lines, wrap_items
from symdyn.compiler.emit.contents import Contents, Function, text_hash
from symdyn.compiler.emit.fmu.description import build_description, model_description
from symdyn.compiler.emit.fmu.variables import STATE, Unit, Variable, indicators, starts, unit_of
from symdyn.compiler.emit.names import comment
from symdyn.compiler.emit.printing.literals import double_literal
from symdyn.compiler.emit.render import render
from symdyn.compiler.emit.source import SourceFile
from symdyn.compiler.emit.steppers.contents import Stepper
from symdyn.compiler.emit.steppers.emit import declarations, steppers_of, work_size
from symdyn.compiler.tape.program import Program
from symdyn.errors import RequestError
from symdyn.interface.stepping import ADAPTIVE, CONTACTS, TAYLOR, called

_TYPES = {
    "Float32": "float",
    "Int8": "int8_t",
    "UInt8": "uint8_t",
    "Int16": "int16_t",
    "UInt16": "uint16_t",
    "Int32": "int32_t",
    "UInt32": "uint32_t",
    "Int64": "int64_t",
    "UInt64": "uint64_t",
    "Boolean": "bool",
    "String": "const char *",
}
_REFERENCES = "const uint32_t *references, size_t count"
_OTHERS = {
    "GetBinary": f"{_REFERENCES}, size_t *sizes, const uint8_t **values, size_t value_count",
    "SetBinary": f"{_REFERENCES}, const size_t *sizes, const uint8_t *const *values, size_t value_count",
    "GetClock": f"{_REFERENCES}, bool *values",
    "SetClock": f"{_REFERENCES}, const bool *values",
    "GetNumberOfVariableDependencies": "uint32_t reference, size_t *count",
    "GetVariableDependencies": "uint32_t dependent, size_t *elements, uint32_t *independents, "
    "size_t *independent_elements, int *kinds, size_t count",
    "EnterConfigurationMode": "",
    "ExitConfigurationMode": "",
    "GetIntervalDecimal": f"{_REFERENCES}, double *intervals, int *qualifiers",
    "GetIntervalFraction": f"{_REFERENCES}, uint64_t *counters, uint64_t *resolutions, int *qualifiers",
    "GetShiftDecimal": f"{_REFERENCES}, double *shifts",
    "GetShiftFraction": f"{_REFERENCES}, uint64_t *counters, uint64_t *resolutions",
    "SetIntervalDecimal": f"{_REFERENCES}, const double *intervals",
    "SetIntervalFraction": f"{_REFERENCES}, const uint64_t *counters, const uint64_t *resolutions",
    "SetShiftDecimal": f"{_REFERENCES}, const double *shifts",
    "SetShiftFraction": f"{_REFERENCES}, const uint64_t *counters, const uint64_t *resolutions",
    "EvaluateDiscreteStates": "",
    "EnterStepMode": "",
    "GetOutputDerivatives": f"{_REFERENCES}, const int32_t *orders, double *values, size_t value_count",
    "ActivateModelPartition": "uint32_t clock, double time",
}


def unused_functions() -> Iterator[tuple[str, list[str], list[str]]]:
    """Name, declarations of parameters after the instance, and the names of these, of each."""
    for kind, scalar in _TYPES.items():
        own = scalar if scalar.endswith("*") else f"{scalar} "
        yield _split(f"Get{kind}", f"{_REFERENCES}, {own}*values, size_t value_count")
        constant = f"{scalar}const " if scalar.endswith("*") else f"const {own}"
        yield _split(f"Set{kind}", f"{_REFERENCES}, {constant}*values, size_t value_count")
    for name, parameters in _OTHERS.items():
        yield _split(name, parameters)


def _split(name: str, parameters: str) -> tuple[str, list[str], list[str]]:
    texts = parameters.split(", ") if parameters else []
    return f"fmi3{name}", texts, [text.replace("*", " ").split()[-1] for text in texts]


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
    stepper = _stepper(contents)
    unit = unit_of(contents, stepper)
    exchanged = stepper is None or stepper.method != CONTACTS
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
        "exchanged": exchanged,
        "unused": list(unused_functions()),
    }
    needed = _needed(unit, stepper)
    sources = [f"{function.c_name}.c" for function in needed]
    sources += [] if stepper is None else [f"{stepper.c_name}.c"]
    own = interface_file(contents.identifier)

    def described(token: str) -> str:
        return model_description(unit, token, settings, gaps, stepper is not None, exchanged)

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
