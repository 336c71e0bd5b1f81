"""Follow one name of the user through every room: what ``symdyn trace`` prints."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from symdyn.compiler.emit.names import comment
from symdyn.compiler.passes.pipeline import PIPELINE
from symdyn.compiler.tape.program import Program
from symdyn.compiler.tape.show import show_op, uses_of
from symdyn.compiler.tape.tape import operation_total
from symdyn.description.text.position import at
from symdyn.errors import ArgumentError, RequestError
from symdyn.functions.catalogue import requests
from symdyn.generation import pipeline
from symdyn.interface.guesses import hint
from symdyn.interface.manifest import FILE_NAME, Manifest
from symdyn.model.bodies import Body
from symdyn.model.joints.strains import StrainRows
from symdyn.plan.plan import Access
from symdyn.robot.robot import Robot
from symdyn.tracing.unrolled.unrolled import trace_unrolled

_SHOWN = 4


@dataclass(frozen=True, slots=True)
class Station:
    """What one room knows of the name."""

    room: str
    text: str


def trace_name(robot: Robot, name: str, function: str = "inverse_dynamics") -> list[Station]:
    """What each room makes of a coordinate, a velocity or a leaf quantity such as ``forearm.mass``.

    A quantity that is baked in is followed as if it had been asked for at run time, and the first station says so.

    Raises
    ------
    RequestError
        The robot has no such coordinate or quantity.
    """
    from symdyn.model.parameter_slots import leaf_names

    if not isinstance(name, str):
        raise ArgumentError(f"expected the name of a coordinate or a quantity, got {name!r}")
    leaves = leaf_names(robot.description)
    coordinates = {*robot.coordinate_names, *robot.velocity_names}
    if name not in leaves and name not in coordinates:
        named = {*coordinates, *leaves}
        near = [item for item in named if item.split(".")[0] == name.split(".")[0]]
        told = f"; near it are {', '.join(sorted(near)[:8])}" if near else "; 'symdyn info' lists the names"
        _refuse_actuators(robot, name)
        raise RequestError(
            f"'{name}' is neither a coordinate nor a quantity of robot '{robot.name}'{told}{hint(name, named)}"
        )
    return list(_stations(robot, name, function, leaves))


def _refuse_actuators(robot: Robot, name: str) -> None:
    """What is said of tendons and chambers, which inverse dynamics has no input for."""
    said = robot.description.actuation
    shown = {own.name: ("tendon", "tendon_lengths") for own in said.tendons}
    shown |= {own.name: ("chamber", "chamber_volumes") for own in said.chambers}
    if name in shown:
        kind, function = shown[name]
        raise RequestError(
            f"'{name}' is a {kind} of robot '{robot.name}': a row of {function} and a column of actuation_matrix; "
            "trace follows coordinates and quantities"
        )


def _stations(robot: Robot, name: str, function: str, leaves: dict[str, str]) -> Iterator[Station]:
    if name in leaves:
        yield Station("description", _described(robot, name, leaves[name]))
        if name not in robot.runtime_parameters:
            followed = pipeline.with_options(robot, runtime=(*robot.options.runtime, name))
            yield Station("model", "baked into the constants of its body; below, as the run-time parameter it could be")
            robot = followed
        row = robot.model.slots.names.index(name)
        yield Station("model", f"slot {row} of p{_unit(robot.model.slots.units[row])}")
    else:
        yield from _coordinate(robot, name)
    programs = pipeline.programs(robot, [function], layout="unrolled")
    signature = programs[0].signature
    rows = [
        (argument, argument.element_names.index(name))
        for argument in (*signature.inputs, *signature.outputs)
        if name in argument.element_names
    ]
    for argument, row in rows:
        unit = argument.element_units[row]
        yield Station("functions", f"{function}: {argument.name}[{row}]{_unit(unit)}: {argument.description}")
    yield from _in_sweeps(robot, function, [(argument.name, row) for argument, row in rows])
    yield from _in_passes(robot, programs[0], name, function)
    yield from _on_tape(robot, programs[0], name, function)
    yield from _in_text(robot, name, function)


def _unit(unit: str) -> str:
    return f", {unit}" if unit else ""


def _in_sweeps(robot: Robot, function: str, rows: Sequence[tuple[str, int]]) -> Iterator[Station]:
    """The steps whose ports hold one of these rows of the function's arguments."""
    ((entry, request),) = requests(robot.model, [function])
    plan = entry.plan(pipeline.chosen_model(robot, entry, request), request)
    bodies = {-1: "", **{index: f" of '{name}'" for index, name in enumerate(plan.bodies)}}
    found = [
        f"{sweep.step.name}{bodies[visit.body]}: port {port} holds {field}[{row}]"
        for sweep in plan.sweeps
        for visit in sweep.visits
        for port, binding in visit.bindings.items()
        for field, row in rows
        if isinstance(binding, Access) and binding.field == field and row in binding.places
    ]
    for line in found[:_SHOWN]:
        yield Station("dynamics", line)
    if len(found) > _SHOWN:
        yield Station("dynamics", f"... and {len(found) - _SHOWN} more")


def _in_passes(robot: Robot, program: Program, name: str, function: str) -> Iterator[Station]:
    """Operations and uses of the name before and after the passes."""
    ((entry, request),) = requests(robot.model, [function])
    raw = trace_unrolled(entry.plan(pipeline.chosen_model(robot, entry, request), request), program.signature)
    texts = [
        f"{operation_total(item.counts())} operations, {len(uses_of(item.tapes[0], name)[1])} of them on it"
        for item in (raw, program)
    ]
    yield Station("tracing", f"unrolled: {texts[0]}")
    yield Station("passes", f"after {', '.join(item.name for item in PIPELINE)}: {texts[1]}")


def _described(robot: Robot, name: str, unit: str) -> str:
    from symdyn.model.values import known_values

    value = known_values(robot.description, robot.model.gravity).get(name)
    for link in robot.description.links:
        if link.soft is not None and name.startswith(f"{link.name}.material."):
            place, key = at(robot.description.source, link.line), name.removeprefix(f"{link.name}.")
            name = f"{place}: soft link '{link.name}', {key}"
    return f"{name} = {value!r} {unit}".rstrip() if value is not None else f"{name}{_unit(unit)}, given at run time"


def _coordinate(robot: Robot, name: str) -> Iterator[Station]:
    for body in robot.model.bodies:
        joint = body.joint
        rows = joint.coordinates
        names = {joint.label + suffix for suffix in (*rows.q, *rows.v)}
        if name in names and not joint.leaders:
            yield Station("description", _moves(body, name))
            yield Station(
                "model",
                f"rows {joint.q_index}..{joint.q_index + len(rows.q) - 1} of q and "
                f"{joint.v_index}..{joint.v_index + len(rows.v) - 1} of v",
            )
            followers = [other.joint.joint for other in robot.model.bodies if joint.label in other.joint.leaders]
            if followers:
                yield Station("model", f"followed by {', '.join(followers)}")


def _moves(body: Body, name: str) -> str:
    """What a coordinate is to who wrote the robot file."""
    joint = body.joint
    if body.beam is not None:
        link, _, shape = name.rpartition(".")
        return f"flexible link '{link}': amplitude of its shape {shape}"
    if isinstance(joint.kind, StrainRows):
        function = name.removeprefix(f"{joint.label}.")
        return f"soft link '{joint.joint}': what the function {function} of its strain is multiplied with"
    told = (
        "has a motor behind a spring" if joint.elastic is not None else f"({joint.kind.value}) moves link '{body.name}'"
    )
    return f"joint '{joint.joint}' {told}"


def _on_tape(robot: Robot, program: Program, name: str, function: str) -> Iterator[Station]:
    tape = program.tapes[0]
    inputs, uses = uses_of(tape, name)
    if not inputs:
        yield Station("tape", "no instruction reads it: the result does not depend on it")
    for position in (*inputs, *uses[:_SHOWN]):
        yield Station("tape", show_op(tape, position))
    if len(uses) > _SHOWN:
        yield Station("tape", f"... and {len(uses) - _SHOWN} more instructions that use it")
    rolled = pipeline.programs(robot, [function], layout="rolled")[0]
    yield Station("tape", f"rolled: {len(rolled.tapes)} kernels, {len(rolled.body)} statements")


def _in_text(robot: Robot, name: str, function: str) -> Iterator[Station]:
    """Lines of the generated files whose comments name it, and the signature that the loaded module will have."""
    shown = re.compile(rf"(?:/\*|#) {re.escape(comment(name))}(?= |$)")
    files = pipeline.sources(robot, [function], layout="unrolled")
    for file in files:
        if file.path.endswith((".c", ".py")):
            lines = [(number, line) for number, line in enumerate(file.text.splitlines(), 1) if shown.search(line)]
            for number, line in lines[:_SHOWN]:
                yield Station("emit", f"{file.path}:{number}: {line.strip()[:100]}")
    manifest = Manifest.from_json(next(file.text for file in files if file.path == FILE_NAME))
    signature = manifest.function(function).signature
    for argument in (*signature.inputs, *signature.outputs):
        if name in argument.element_names:
            row = argument.element_names.index(name)
            unit = argument.element_units[row]
            yield Station("toolchain", f"{FILE_NAME}, {function}: {argument.name}[{row}] is {name}{_unit(unit)}")
