"""A program and its flattened tape mean the same, loops, gathers, tables and accumulation included."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from support.tapes import call, program_of, tape_of

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.passes.program.flatten import flatten
from symdyn.compiler.tape.evaluate import evaluate_program, evaluate_tape
from symdyn.compiler.tape.program import Affine, Buffer, BufferKind, Call, Gather, Loop, Program, Trips
from symdyn.compiler.tape.tape import Op, Port, Tape
from symdyn.compiler.tape.verify import verify_program, verify_tape

FLOATS = FloatAlgebra()


def weighted_sum() -> Program:
    """y0 = sum of table_k * x[order_k] by a loop over a workspace, y1 = its sine."""
    ops = (Op("input", source=(0, 0)), Op("input", source=(1, 0)), Op("mul", (0, 1)))
    weigh = Tape("weigh", (Port("x", 1), Port("w", 1)), (Port("sum", 1, accumulate=True),), ops, ((2,),))
    clear = Tape("clear", (), (Port("s", 1),), (Op("constant", varying=False),), ((0,),))
    finish = tape_of(("x", 0), ("sin", 0), width=1, results=[0, 1], name="finish")
    buffers = [
        Buffer("w", BufferKind.TABLE, 1, 3, values=(0.5, 2.0, -1.0)),
        Buffer("order", BufferKind.INDEX, 1, 3, "index", values=(2, 0, 1)),
        Buffer("s", BufferKind.WORKSPACE, 1),
    ]
    inputs = (Gather("x", "order", 0, (1,)), Affine("w", 0, (1,)))
    body: list[Call | Loop] = [
        Call("clear", (), (Affine("s", 0),)),
        Loop(3, (Call("weigh", inputs, (Affine("s", 0, (0,)),)),)),
        call("finish", Affine("s", 0), Affine("y", 0)),
    ]
    return verify_program(program_of([weigh, clear, finish], body, 3, 2, buffers))


def triangle() -> Program:
    """y_i = sum over j <= i of x_j, and x_j once more where ``twice`` says so."""
    add = Tape("add", (Port("x", 1),), (Port("sum", 1, accumulate=True),), (Op("input", source=(0, 0)),), ((0,),))
    take = replace(add, name="take", outputs=(Port("sum", 1),))
    buffers = [Buffer("twice", BufferKind.INDEX, 1, 4, "index", values=(0, 1, 0, 1))]
    row = (
        Call("take", (Affine("x", 0, (1,)),), (Affine("y", 0, (1,)),)),
        Loop(Trips(0, (1,)), (Call("add", (Affine("x", -1, (1, -1)),), (Affine("y", 0, (1, 0)),)),)),
        Loop(Trips(0, (1,), "twice"), (Call("add", (Affine("x", 0, (1, 0)),), (Affine("y", 0, (1, 0)),)),)),
    )
    return verify_program(program_of([add, take], [Loop(4, row)], 4, 4, buffers))


def test_triangles_run_out() -> None:
    x = [1.0, 10.0, 100.0, 1000.0]
    sums = [1.0, 21.0, 111.0, 2111.0]
    assert evaluate_program(triangle(), FLOATS, {"x": x})["y"] == sums
    tape = verify_tape(flatten(triangle()))
    assert evaluate_tape(tape, FLOATS, [x])[0] == sums
    assert tape.counts() == {"add": 8}


def test_loops_run_out() -> None:
    program = weighted_sum()
    tape = verify_tape(flatten(program))
    assert [port.name for port in (*tape.inputs, *tape.outputs)] == ["x", "y"]
    x = [random.Random(0).uniform(-1.0, 1.0) for _ in range(3)]
    assert evaluate_tape(tape, FLOATS, [x]) == [evaluate_program(program, FLOATS, {"x": x})["y"]]
    assert tape.counts() == {"mul": 3, "add": 3, "sin": 1}


def test_names_of_the_signature_survive() -> None:
    tape = flatten(weighted_sum())
    assert tape.inputs[0].origins == ("x0", "x1", "x2") and tape.outputs[0].origin(1) == "y1"


def test_ports_that_leave_gaps() -> None:
    ops = (Op("input", source=(0, 0)), Op("input", source=(0, 1)), Op("sub", (0, 1)), Op("add", (0, 1)))
    tape = Tape("apart", (Port("x", 2, places=(0, 2)),), (Port("y", 2, places=(1, 0)),), ops, ((2, 3),))
    program = verify_program(program_of([tape], [call("apart", Affine("x", 1), Affine("y", 0))], 4, 2))
    x = [1.0, 20.0, 300.0, 4000.0]
    assert evaluate_program(program, FLOATS, {"x": x})["y"] == [4020.0, -3980.0]
    assert evaluate_tape(verify_tape(flatten(program)), FLOATS, [x]) == [[4020.0, -3980.0]]


@pytest.mark.parametrize("code", ["lane_sum"])
def test_one_lane(code: str) -> None:
    program = program_of(
        [tape_of(("x", 0), (code, 0), width=1, name="lanes")], [call("lanes", Affine("x", 0), Affine("y", 0))], 1, 1
    )
    tape = verify_tape(flatten(program))
    assert evaluate_tape(tape, FLOATS, [[3.5]]) == [[3.5]] and not tape.counts()
