"""Time derivatives by forward-mode automatic differentiation of a function's own program, one order after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symdyn.analysis.compare.autodiff import one_call
from symdyn.analysis.compare.motion import coordinate_derivatives
from symdyn.analysis.compare.task import DYNAMICS, Task
from symdyn.compiler.autodiff.forward_mode import push_tangents
from symdyn.compiler.passes.pipeline import finish, optimise_tape, simplify_tape
from symdyn.compiler.passes.program.cut import in_pieces
from symdyn.compiler.passes.program.flatten import argument_port, flatten, inline
from symdyn.compiler.tape.builder import ArithmeticBuilder
from symdyn.compiler.tape.program import Program
from symdyn.compiler.tape.tape import Op, Port, Tape
from symdyn.compiler.tape.verify import verify_program
from symdyn.functions.catalogue import requests
from symdyn.model.model import Model
from symdyn.tracing.layout import PIECE_LENGTH
from symdyn.tracing.unrolled.unrolled import trace_unrolled


def tape_time_derivatives(task: Task) -> Program:
    """The program of a task, by automatic differentiation of our program of order 0, in pieces as our own.

    Every order is differentiated along the motion with all values of the lower ones at hand, and then simplified.
    """
    robot = task.robot
    ((entry, request),) = requests(robot.model, [task.subject.dynamics])
    plain = trace_unrolled(entry.plan(robot.model, request), entry.signature(robot.model, request))
    tape = _with_rows(simplify_tape(flatten(plain)), task)
    rates = _rates_tape(robot.model)
    for order in range(task.order):
        tape = simplify_tape(_differentiated(tape, rates, task, order))
    results = tuple(place for found in tape.results for place in found)
    (output,) = task.signature.outputs
    joined = replace(tape, outputs=(argument_port(output),), results=(results,))
    return verify_program(finish(in_pieces(one_call(optimise_tape(joined), task.signature), PIECE_LENGTH)))


def _with_rows(tape: Tape, task: Task) -> Tape:
    """The tape with the inputs of the task: its two last ports become the first rows of the task's."""
    ports = tuple(argument_port(argument) for argument in task.signature.inputs)
    # where each scalar lies in the task's ports; q, v and the row behind it come first there too
    places = [(port, element) for port, found in enumerate(ports) for element in range(found.width)]
    offsets = [0]
    for port in tape.inputs:
        offsets.append(offsets[-1] + port.width)
    ops = tuple(
        op._replace(source=places[offsets[op.source[0]] + op.source[1]]) if op.code == "input" else op
        for op in tape.ops
    )
    return replace(tape, inputs=ports, ops=ops)


def _rates_tape(model: Model) -> Tape:
    """The tape q, v -> q'."""
    from symdyn.algebra.scalars.casadi_sx import CasadiAlgebra
    from symdyn.tracing.unrolled.from_casadi import trace_casadi

    algebra = CasadiAlgebra()
    q, v = algebra.symbols("q", model.nq), algebra.symbols("v", model.nv)
    moved = coordinate_derivatives(model, algebra, q, [v])[1]
    ports = [(Port("q", model.nq), q), (Port("v", model.nv), v)]
    return simplify_tape(trace_casadi("coordinate_rates", ports, [(Port("rate", model.nq), moved)]))


def _differentiated(tape: Tape, rates: Tape, task: Task, order: int) -> Tape:
    """The tape with one output more: the derivative by time of its last one."""
    builder = ArithmeticBuilder()
    places = [
        [builder.append(Op("input", source=(port, element))) for element in range(found.width)]
        for port, found in enumerate(tape.inputs)
    ]
    values = inline(builder, tape, places)
    primal = tuple(builder.ops)
    seeds = _seeds(builder, rates, task, [place for port in places for place in port], values[0])
    tangents = push_tangents(builder, primal, {place: {0: rate} for place, rate in seeds.items()})
    zero = builder.constant(0.0)
    derivative = tuple(tangents[place].get(0, zero) for place in values[-1])
    added = Port(f"order_{order + 1}", len(derivative))
    results = (*(tuple(found) for found in values), derivative)
    return replace(tape, ops=tuple(builder.ops), outputs=(*tape.outputs, added), results=results)


def _seeds(
    builder: ArithmeticBuilder, rates: Tape, task: Task, flat: Sequence[int], lowest: Sequence[int]
) -> dict[int, int]:
    """The rate of every input that moves, by position."""
    nq, nv = task.robot.nq, task.robot.nv
    rows = [flat[nq + nv * row : nq + nv * (row + 1)] for row in range(task.rows)]
    (moved,) = inline(builder, rates, [flat[:nq], rows[0]])
    following = [*rows[1:]] if task.subject.dynamics == DYNAMICS[0] else [lowest, *rows[2:]]
    held = rows[:-1] if task.subject.dynamics == DYNAMICS[0] else [rows[0], *rows[1:-1]]
    seeds = dict(zip(flat[:nq], moved, strict=True))
    for row, rate in zip(held, following, strict=True):
        seeds.update(zip(row, rate, strict=True))
    return seeds
